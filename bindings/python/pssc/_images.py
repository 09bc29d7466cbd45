"""Whatever holds images, as the engine reads it: arrays where they lie, files when they are needed."""
from __future__ import annotations

import os
import warnings
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from . import _core


def is_input(X: Any) -> bool:
    """A folder, a file, or a data set's name."""
    return isinstance(X, (str, os.PathLike))


def is_paths(X: Any) -> bool:
    """A list of files."""
    if isinstance(X, np.ndarray):
        return X.dtype.kind == "U" and X.ndim == 1
    return isinstance(X, (list, tuple)) and len(X) > 0 and all(is_input(x) for x in X)


def image_array(X: Any, image_shape: Optional[Sequence[int]]) -> np.ndarray:
    """X as [n, h, w] or [n, h, w, channels]: a view of the same memory where X is an array."""
    array = np.asarray(X)
    if array.dtype.kind in "OSUV" or array.dtype.kind == "c":
        raise TypeError(f"images must be numbers, not {array.dtype}; give uint8 or float32")
    if array.ndim != 2:
        if image_shape is not None and array.ndim in (3, 4) and array.shape[1:3] != tuple(image_shape)[:2]:
            raise ValueError(f"image_shape is {tuple(image_shape)}, but the images are {array.shape[1]} x {array.shape[2]}")
        if array.ndim not in (3, 4):
            raise ValueError(f"images are arrays of shape [n, height, width] or [n, height, width, 3], or flat ones with "
                             f"image_shape; this one has shape {list(array.shape)}")
        return array
    if image_shape is None:
        raise ValueError(f"X has shape {list(array.shape)}: flat images need image_shape, (28, 28) for instance")
    shape = tuple(int(side) for side in image_shape)
    if len(shape) not in (2, 3) or min(shape) < 1:
        raise ValueError(f"image_shape must be (height, width) or (height, width, 3), not {image_shape!r}")
    if int(np.prod(shape)) != array.shape[1]:
        raise ValueError(f"X has {array.shape[1]} features, but image_shape {shape} has {int(np.prod(shape))} pixels")
    return array.reshape(array.shape[0], *shape)


def open_images(X: Any, image_shape: Optional[Sequence[int]], size: int, colour: str, frame: str = "black", seed: int = 0,
                limits: Optional[_core.ImageLimits] = None) -> _core.Images:
    limits = limits or _core.ImageLimits()
    if is_input(X):
        return _core.Images.from_input(os.fspath(X), size, colour, frame, seed, limits)
    if is_paths(X):
        return _core.Images.from_paths([os.fspath(path) for path in X], size, colour, frame, limits)
    return _core.Images.from_array(image_array(X, image_shape), size, colour, frame, limits)


def warn_of_skipped(skipped: Sequence[Tuple[int, str, str]], count: int) -> None:
    if skipped:
        _, name, reason = skipped[0]
        warnings.warn(f"{len(skipped)} of {count} images could not be read and have label -1; the first, {name}: {reason}",
                      stacklevel=3)
