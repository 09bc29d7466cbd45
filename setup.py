"""Builds the parts of the package that are not Python, with CMake. pyproject.toml says everything else."""
import os
import re
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

root = Path(__file__).resolve().parent


def version():
    return re.search(r"VERSION (\d+\.\d+\.\d+)", (root / "CMakeLists.txt").read_text()).group(1)


class CMakeBuild(build_ext):
    """The extension module, the library and the command, installed into the package's folder."""

    def build_extension(self, ext):
        package = Path(self.get_ext_fullpath(ext.name)).resolve().parent
        work = Path(self.build_temp).resolve() / "cmake"
        self.run_cmake("-S", root, "-B", work, "-DCMAKE_BUILD_TYPE=Release", "-DPSSC_BUILD_TESTS=OFF",
                       "-DPSSC_BUILD_BENCH=OFF", "-DCMAKE_INSTALL_LIBDIR=lib", f"-DPSSC_PYTHON={sys.executable}",
                       *self.page(), *os.environ.get("CMAKE_ARGS", "").split())
        self.run_cmake("--build", work, "--parallel", str(self.parallel or os.cpu_count() or 1), "--target",
                       "pssc", "pssc_command", "pssc_python")
        self.run_cmake("--install", work, "--prefix", package, "--component", "python")

    @staticmethod
    def page():
        """The report's page, where `make build` has made it already; else CMake has npm make it."""
        made = root / "build" / "web" / "dist" / "index.html"
        page = os.environ.get("PSSC_PAGE") or (made if made.exists() else None)
        return [f"-DPSSC_PAGE={page}"] if page else []

    def run_cmake(self, *arguments):
        subprocess.run(["cmake", *map(str, arguments)], check=True)


setup(
    version=version(),
    ext_modules=[Extension("pssc._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    options={"build": {"build_base": "build-python"}},  # build/ is CMake's own
)
