"""The scattering transform as features for anything."""
from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._common import running, whole
from ._images import image_array, is_input, is_paths, open_images


class ScatteringTransform(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The wavelet scattering transform of images: two layers of Morlet wavelets and moduli, averaged over 2^scales pixels.
    The conventions are kymatio's.

    Parameters
    ----------
    scales, angles, order : int
        J, L and the number of layers, 0 to 2.
    size : int, optional
        Bring images onto a canvas of so many pixels first, as `PSSC` does (floats in 0..1 then become 0..255). Needed for
        images in files. None: images are taken as they are, whatever their height and width.
    image_shape : (height, width) or (height, width, 3), optional
        Of the images in a flat ``X``.
    n_jobs : int or None
        Threads. None is all cores.
    verbose : bool or callable
        True shows progress through tqdm.

    Attributes
    ----------
    image_shape_ : the shape of an image
    output_shape_ : (paths, h, w) of its coefficients; colour has the paths of one channel after those of another
    paths_ : (order, j1, t1, j2, t2) of each path of a channel
    """

    def __init__(self, scales: int = 3, angles: int = 8, order: int = 2, *, size: Optional[int] = None,
                 image_shape: Optional[Sequence[int]] = None, n_jobs: Optional[int] = None,
                 verbose: Any = False) -> None:
        self.scales = scales
        self.angles = angles
        self.order = order
        self.size = size
        self.image_shape = image_shape
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _images(self, X: Any) -> np.ndarray:
        files = is_input(X) or is_paths(X)
        if files and self.size is None:
            raise ValueError("images in files need a size to be brought to; give size=32 for instance")
        if self.size is None:
            array = image_array(X, self.image_shape)
        else:
            array = open_images(X, self.image_shape, whole("size", self.size, 1), "grey").pixels_float32()
        if array.shape[0] == 0:
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        return array

    def fit(self, X: Any, y: Any = None) -> "ScatteringTransform":
        """Prepares the filters for images of this shape. Nothing is learned from their content."""
        return self._fit(self._images(X), X)

    def _fit(self, images: np.ndarray, X: Any) -> "ScatteringTransform":
        self.image_shape_: Tuple[int, ...] = images.shape[1:]
        self._plan: Optional[_core.Scattering] = None
        channels = images.shape[3] if images.ndim == 4 else 1
        plan = self._scattering()
        paths, height, width = plan.output_shape
        self.paths_ = plan.paths
        self.output_shape_: Tuple[int, int, int] = (channels * paths, height, width)
        if not (is_input(X) or is_paths(X)) and np.ndim(X) == 2:
            self.n_features_in_ = np.shape(X)[1]
        return self

    def _scattering(self) -> _core.Scattering:
        if self._plan is None:
            height, width = self.image_shape_[:2]
            self._plan = _core.Scattering(height, width, whole("scales", self.scales, 1), whole("angles", self.angles, 1),
                                          whole("order", self.order, 0))
        return self._plan

    def transform(self, X: Any) -> np.ndarray:
        """float32 [n, paths * h * w]; ``.reshape(n, *output_shape_)`` gives [n, paths, h, w] without a copy."""
        check_is_fitted(self, "output_shape_")
        return self._transform(self._images(X))

    def _transform(self, images: np.ndarray) -> np.ndarray:
        if images.shape[1:] != self.image_shape_:
            raise ValueError(f"X holds images of shape {images.shape[1:]}, but ScatteringTransform was fitted to images of "
                             f"shape {self.image_shape_}")
        with running(self) as settings:
            return self._scattering().transform(images, settings)

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """The same as ``fit(X).transform(X)``, opening the images once."""
        images = self._images(X)
        return self._fit(images, X)._transform(images)

    @property
    def _n_features_out(self) -> int:
        return int(np.prod(self.output_shape_))

    def __getstate__(self) -> Dict[str, Any]:
        state = super().__getstate__()
        return {**state, "_plan": None} if "_plan" in state else state  # made anew when it is needed

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["3darray", "string"], "stateless": False, "preserves_dtype": [np.float32]}
