"""``python -m pssc`` is the command ``pssc``: the same program, the same options and exit codes."""
import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    program = Path(__file__).parent / "bin" / "pssc"
    sys.stdout.flush()
    os.execv(program, ["pssc", *sys.argv[1:]])


if __name__ == "__main__":
    main()
