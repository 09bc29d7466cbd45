"""Runs one file of tests by pytest. Exits with 77, which CTest counts as skipped, where pytest or scikit-learn is missing
or where no test could run; the reasons are on stdout."""
import importlib.util
import os
import sys


def main():
    missing = [name for name in ("numpy", "sklearn", "pytest") if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: no {', '.join(missing)} for {sys.executable}")
        return 77
    import pytest

    class Count:
        ran = 0

        def pytest_runtest_logreport(self, report):
            self.ran += report.when == "call" and not report.skipped

    count = Count()
    # What a sanitizer writes before it ends the process would be kept back and lost.
    capture = ["--capture=sys"] if "libasan" in os.environ.get("LD_PRELOAD", "") else []
    code = pytest.main(["-q", "-rs", "-p", "no:cacheprovider", *capture, *sys.argv[1:]], plugins=[count])
    return 77 if code == 0 and count.ran == 0 else code


if __name__ == "__main__":  # processes that the tests spawn come by here too
    sys.exit(main())
