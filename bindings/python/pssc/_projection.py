"""Transformers of feature vectors: what varies inside every group is taken out."""
from __future__ import annotations

import numbers
from typing import Any, Dict, Optional

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _core
from ._common import float_rows, running, seed_of, whole


class POC(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Projection onto the orthogonal complement: principal components without the leading ones, which are those that vary
    inside every class.

    Parameters
    ----------
    n_dropped : int
        Leading components to drop. Up to 2, fewer are dropped where there are not more; a larger number is refused then.
    n_components : int, optional
        Components to keep after those. None: all.
    random_state : int, RandomState or None
        Matters only where components come from a sample of the rows: above 6,000 features.
    n_jobs : int or None
        Threads. None is all cores.

    Attributes
    ----------
    components_ : float32 [n_components_, n_features_in_], orthonormal rows
    dropped_components_ : float32 [n_dropped_, n_features_in_]
    mean_ : float32 [n_features_in_]
    explained_variance_, explained_variance_ratio_ : float64 [n_components_]
    n_components_, n_dropped_ : int
    """

    _preset = 2  # gives way where features are few, as in the whole method

    def __init__(self, n_dropped: int = 2, n_components: Optional[int] = None, *, random_state: Any = 0,
                 n_jobs: Optional[int] = None) -> None:
        self.n_dropped = n_dropped
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> "POC":
        """Learns the components of ``X`` [n, features]; ``y`` is not looked at."""
        dropped = whole("n_dropped", self.n_dropped, 0)
        X = float_rows(self, X, reset=True, ensure_min_samples=2)
        kept = min(X.shape) if self.n_components is None else whole("n_components", self.n_components, 1)
        with running(self, seed_of(self.random_state)) as settings:
            mean, directions, variances, total = _core.fit_pca(X, dropped + kept, settings)
        there = directions.shape[0]
        if dropped >= there:
            if dropped > self._preset:
                raise ValueError(f"cannot drop {dropped} of {there} directions; lower n_dropped")
            dropped = there - 1
        self.n_dropped_ = dropped
        self.mean_ = mean
        self.dropped_components_ = directions[:dropped]
        self.components_ = directions[dropped:dropped + kept]
        self.explained_variance_ = variances[dropped:dropped + kept]
        self.explained_variance_ratio_ = self.explained_variance_ / total
        self.n_components_ = len(self.components_)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Coordinates along the components that are kept: float32 [n, n_components_]."""
        check_is_fitted(self)
        X = float_rows(self, X, reset=False)
        with running(self) as settings:
            return _core.project(X, self.mean_, self.components_, settings)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _more_tags(self) -> Dict[str, Any]:
        return {"preserves_dtype": [np.float32]}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags


class WithinClusterWhitening(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Makes what varies inside the clusters of a first clustering vary alike in all directions: ``X S_w^-1/2``, with S_w the
    pooled covariance inside the clusters.

    Parameters
    ----------
    clusterer : clusterer, optional
        Gives the clusters where ``fit`` is given none, ``USpec(10)`` for instance.
    ridge : float
        On the diagonal of S_w, times its mean variance.
    n_jobs : int or None
        Threads. None is all cores.

    Attributes
    ----------
    whitening_ : float32 [d, d], S_w^-1/2; symmetric
    unwhitening_ : float32 [d, d], S_w^1/2
    components_ : float32 [d, d], rows are eigenvectors of S_w, by falling variance
    within_variance_ : float64 [d], along them
    clusterer_ : the fitted clusterer, where one was used
    """

    def __init__(self, clusterer: Any = None, *, ridge: float = 0.1, n_jobs: Optional[int] = None) -> None:
        self.clusterer = clusterer
        self.ridge = ridge
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> "WithinClusterWhitening":
        """Learns from ``X`` [n, features] and its clusters ``y`` [n]: labels of any kind; the number -1 is no cluster, as
        scikit-learn's clusterers have it. Without ``y`` the clusterer finds them."""
        if not isinstance(self.ridge, numbers.Real) or isinstance(self.ridge, bool):
            raise TypeError(f"ridge must be a number, not {self.ridge!r}")
        if not self.ridge > 0:
            raise ValueError(f"ridge must be more than 0, not {self.ridge!r}")
        if y is None and self.clusterer is None:
            raise ValueError("WithinClusterWhitening requires y to be passed, but the target y is None; give the clusters, "
                             "or a clusterer to the constructor")
        X = float_rows(self, X, reset=True, ensure_min_samples=2)
        if y is None:
            self.clusterer_ = clone(self.clusterer)
            y = self.clusterer_.fit_predict(X)
        labels, clusters = self._labels(y, len(X))
        with running(self) as settings:
            learned = _core.fit_whitening(X, labels, clusters, float(self.ridge), settings)
        self.whitening_: np.ndarray = learned[0]
        self.unwhitening_: np.ndarray = learned[1]
        self.components_: np.ndarray = learned[2]
        self.within_variance_: np.ndarray = learned[3]
        return self

    @staticmethod
    def _labels(y: Any, n: int) -> tuple:
        y = column_or_1d(y, warn=True)
        if len(y) != n:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[n, len(y)]}")
        if y.dtype.kind == "f" and not np.isfinite(y).all():
            raise ValueError("Input y contains NaN or infinity.")
        names, labels = np.unique(y, return_inverse=True)
        if y.dtype.kind == "i" and names[0] == -1:
            return (labels - 1).astype(np.int32), len(names) - 1
        return labels.astype(np.int32), len(names)

    def transform(self, X: Any) -> np.ndarray:
        """``X S_w^-1/2``: float32 [n, features]."""
        check_is_fitted(self)
        X = float_rows(self, X, reset=False)
        with running(self) as settings:
            return _core.whiten(X, self.whitening_, settings)

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Back again: ``X S_w^1/2``."""
        check_is_fitted(self)
        X = float_rows(self, X, reset=False)
        with running(self) as settings:
            return _core.whiten(X, self.unwhitening_, settings)

    def _more_tags(self) -> Dict[str, Any]:
        return {"preserves_dtype": [np.float32], "requires_y": self.clusterer is None}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float32"]
        tags.target_tags.required = self.clusterer is None
        return tags
