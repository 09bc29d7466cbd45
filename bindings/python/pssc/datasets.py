"""The data sets that pssc knows. Files are looked for in ``$PSSC_DATA``, the user's cache folder and the system's data
sets, and are checked against their SHA-256."""
from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Bunch

from . import _core

__all__ = ["load_mnist", "load_fashion_mnist", "load_usps", "load_synthetic", "list_datasets"]


def list_datasets() -> list:
    """Name, description, count, path (None where it is absent) and the remedy of each."""
    return _core.list_datasets()


def _bunch(images: np.ndarray, truth: Any, description: str, return_X_y: bool) -> Any:
    target, names = truth
    if return_X_y:
        return images, target
    return Bunch(images=images, data=images.reshape(len(images), -1), target=target, target_names=names, DESCR=description)


def _load(name: str, side: int, return_X_y: bool, download_if_missing: bool = False) -> Any:
    known = {entry["name"]: entry for entry in _core.list_datasets()}[name]
    if download_if_missing and known["path"] is None:
        _core.fetch_dataset(name)
    images = _core.Images.from_input(name, side, "grey")
    return _bunch(images.pixels_uint8(), images.truth, known["description"], return_X_y)


def _subset(name: str, subset: str, known: tuple) -> str:
    if subset not in known:
        raise ValueError(f"subset cannot be {subset!r}; it is one of {', '.join(known)}")
    return name if subset == "all" else f"{name}-{subset}"


def load_mnist(subset: str = "all", *, return_X_y: bool = False, download_if_missing: bool = False) -> Any:
    """MNIST's handwritten digits, uint8 [n, 28, 28]: "all" 70,000 (training, then test), "train" or "test".

    Returns a Bunch with images, data (the same, flat), target and target_names; or (images, target).
    """
    return _load(_subset("mnist", subset, ("all", "train", "test")), 28, return_X_y, download_if_missing)


def load_fashion_mnist(subset: str = "all", *, return_X_y: bool = False) -> Any:
    """Zalando's articles of clothing, uint8 [n, 28, 28]: "all" 70,000, or "test" 10,000."""
    return _load(_subset("fashion-mnist", subset, ("all", "test")), 28, return_X_y)


def load_usps(*, return_X_y: bool = False) -> Any:
    """Handwritten digits of letters, uint8 [9298, 16, 16]."""
    return _load("usps", 16, return_X_y)


def load_synthetic(n_samples: int = 1000, *, size: int = 32, random_state: int = 0, return_X_y: bool = False) -> Any:
    """Digits drawn as strokes, float32 [n_samples, size, size] in 0..255: always there."""
    images = _core.Images.from_input(f"synthetic:{int(n_samples)}", size, "grey", seed=random_state)
    return _bunch(images.pixels_float32(), images.truth, "digits drawn as strokes", return_X_y)
