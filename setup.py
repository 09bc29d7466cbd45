"""Builds the parts of the package that are not Python, with CMake. pyproject.toml says everything else."""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

root = Path(__file__).resolve().parent


def version():
    return re.search(r"VERSION (\d+\.\d+\.\d+)", (root / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)


class CMakeBuild(build_ext):
    """The extension module, the library and the command, installed into the package's folder."""

    def build_extension(self, ext):
        package = Path(self.get_ext_fullpath(ext.name)).resolve().parent
        work = root / "build-python"
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        self.run_cmake("--fresh", "-S", root, "-B", work, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DPSSC_BUILD_TESTS=OFF",
                       "-DPSSC_BUILD_BENCH=OFF", "-DCMAKE_INSTALL_LIBDIR=lib", f"-DPSSC_PYTHON={sys.executable}",
                       f"-DPSSC_PAGE={self.page(work)}", *shlex.split(os.environ.get("CMAKE_ARGS", "")))
        self.run_cmake("--build", work, "--parallel", str(self.parallel or os.cpu_count() or 1), "--target",
                       "pssc", "pssc_command", "pssc_python")
        self.run_cmake("--install", work, "--prefix", package, "--component", "python")

    def page(self, work):
        """The report's page: the one that `make build` has made, else one that npm makes now, else a plain one."""
        made = root / "build" / "web" / "dist" / "index.html"
        if os.environ.get("PSSC_PAGE") or made.exists():
            return os.environ.get("PSSC_PAGE") or made
        os.environ.setdefault("npm_config_fetch_retries", "0")  # without a network, say so at once
        try:
            self.run_cmake(f"-DFROM={root}/web", f"-DTO={work}/web", "-DNPM=npm", "-P", root / "cmake" / "build_page.cmake")
            return work / "web" / "dist" / "index.html"
        except subprocess.CalledProcessError:
            print("npm cannot build the report's page here: reports will have a plain one", file=sys.stderr)
            return root / "bindings" / "python" / "plain_page.html"

    def run_cmake(self, *arguments):
        subprocess.run(["cmake", *map(str, arguments)], check=True)


setup(
    version=version(),
    ext_modules=[Extension("pssc._core", sources=[])],
    cmdclass={"build_ext": CMakeBuild},
    options={"build": {"build_base": "build-python/setuptools"}},  # build/ is CMake's own
)
