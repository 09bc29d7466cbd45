"""What all estimators share: threads, seeds, progress, and matrices as the engine reads them."""
from __future__ import annotations

import numbers
import os
from contextlib import contextmanager
from typing import Any, Iterator

import numpy as np
import sklearn
from sklearn.utils import check_random_state

from . import _core
from ._progress import progress

_sklearn_version = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
_units = {"": 1, "B": 1, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40,
          "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
default_memory = "2GiB"


def threads_of(n_jobs: Any) -> int:
    """How many threads: None is all cores, or $OMP_NUM_THREADS, which joblib sets in its workers; -1 is all cores."""
    cores = len(os.sched_getaffinity(0))
    if n_jobs is None:
        asked = os.environ.get("OMP_NUM_THREADS", "")
        return int(asked) if asked.isdigit() and int(asked) > 0 else cores
    if not isinstance(n_jobs, numbers.Integral) or isinstance(n_jobs, bool):
        raise TypeError(f"n_jobs must be a whole number or None, not {n_jobs!r}")
    threads = int(n_jobs)
    if threads == 0:
        raise ValueError("n_jobs cannot be 0; give a number of threads, -1 for all cores, or None")
    return threads if threads > 0 else max(1, cores + 1 + threads)


def seed_of(random_state: Any) -> int:
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if int(random_state) < 0:
            raise ValueError(f"random_state cannot be {random_state}; give 0 or more")
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def bytes_of(memory: Any, name: str = "memory_limit") -> int:
    """A number of bytes, or a text such as "2GiB"."""
    if isinstance(memory, numbers.Integral) and not isinstance(memory, bool) and int(memory) > 0:
        return int(memory)
    if isinstance(memory, str):
        number = memory.rstrip("BKMGTIbkmgti ")
        unit = memory[len(number):].strip().upper()
        try:
            if unit in _units and float(number) > 0:
                return int(float(number) * _units[unit])
        except ValueError:
            pass
    raise ValueError(f"{name} cannot be {memory!r}; give bytes, or a text such as '2GiB'")


@contextmanager
def running(estimator: Any, seed: int = 0) -> Iterator[_core.Settings]:
    """Settings for a call to the engine, with progress while it lasts."""
    memory = bytes_of(getattr(estimator, "memory_limit", default_memory))
    device = getattr(estimator, "device", "cpu")
    if not isinstance(device, str):
        raise TypeError(f"device must be a string, not {device!r}")
    with progress(getattr(estimator, "verbose", False)) as callback:
        yield _core.Settings(threads=threads_of(estimator.n_jobs), seed=seed, memory=memory, device=device,
                             progress=callback)


def whole(name: str, value: Any, least: int) -> int:
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if int(value) < least:
        raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")
    return int(value)


def validate(estimator: Any, X: Any, **checks: Any) -> Any:
    """scikit-learn's validation, under the name it has in the version at hand."""
    if _sklearn_version >= (1, 6):
        from sklearn.utils.validation import validate_data
        return validate_data(estimator, X, **checks)
    return estimator._validate_data(X, **checks)


def float_rows(estimator: Any, X: Any, reset: bool, **checks: Any) -> np.ndarray:
    """X as float32 whose rows lie in one piece each. No copy is made where X is that already, whatever lies between its
    rows."""
    X = validate(estimator, X, reset=reset, dtype=np.float32, **checks)
    whole_rows = X.shape[1] <= 1 or X.strides[1] == X.itemsize
    forwards = X.shape[0] <= 1 or (X.strides[0] >= 0 and X.strides[0] % X.itemsize == 0)
    if not (whole_rows and forwards and X.flags.aligned):
        X = np.require(X, requirements=["C", "ALIGNED"])
    return X
