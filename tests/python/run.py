"""Runs one file of tests by pytest. Exits with 77, which CTest counts as skipped, where pytest or scikit-learn is missing
or where no test could run; the reasons are on stdout."""
import importlib.util
import sys

missing = [name for name in ("numpy", "sklearn", "pytest") if importlib.util.find_spec(name) is None]
if missing:
    print(f"skipped: no {', '.join(missing)} for {sys.executable}")
    sys.exit(77)

import pytest  # noqa: E402


class Count:
    ran = skipped = 0

    def pytest_runtest_logreport(self, report):
        if report.skipped:
            self.skipped += 1
        elif report.when == "call":
            self.ran += 1


count = Count()
code = pytest.main(["-q", "-rs", "-p", "no:cacheprovider", *sys.argv[1:]], plugins=[count])
sys.exit(77 if code == 0 and count.ran == 0 else code)
