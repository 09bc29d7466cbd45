import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import pssc

root = Path(__file__).resolve().parents[2]


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: a whole data set, or a thousand fits; left out of `make check`")


@pytest.fixture(scope="session")
def digits():
    """600 synthetic digits, uint8 [n, 32, 32], and their classes."""
    images, target = pssc.datasets.load_synthetic(600, return_X_y=True)
    return images.astype(np.uint8), target


@pytest.fixture(scope="session")
def fitted(digits):
    return pssc.PSSC(10).fit(digits[0])


@pytest.fixture(scope="session")
def command():
    """Calls the program itself."""
    program = os.environ["PSSC_COMMAND"]

    def run(*arguments, **options):
        return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, **options)

    return run


@pytest.fixture(scope="session")
def command_labels(command, tmp_path_factory):
    """The bytes of labels.npy that the command writes for an input."""

    def run(*arguments):
        folder = tmp_path_factory.mktemp("run")
        done = command("cluster", *arguments, "-o", folder)
        assert done.returncode == 0, done.stderr
        return (folder / "labels.npy").read_bytes()

    return run


def npy_bytes(array, folder):
    np.save(folder / "own.npy", array)
    return (folder / "own.npy").read_bytes()


def load(name, **options):
    """A data set, or a skipped test that says so."""
    try:
        return getattr(pssc.datasets, f"load_{name}")(return_X_y=True, **options)
    except OSError:
        pytest.skip(f"no {name.replace('_', '-')}")


def write_pgm(path, image):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"P5\n%d %d\n255\n" % image.shape[::-1] + image.astype(np.uint8).tobytes())
