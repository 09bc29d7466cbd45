"""Spectral clustering of very many feature vectors."""
from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._common import float_rows, running, seed_of, whole


class USpec(ClusterMixin, BaseEstimator):
    """Spectral clustering through representatives (U-SPEC, Huang et al. 2019): time and memory grow with the number of
    rows, not with its square.

    Parameters
    ----------
    n_clusters : int or "auto"
        "auto" takes the number with the largest gap between eigenvalues.
    representatives, candidates : int
        Points that stand for all rows, made by k-means of so many rows drawn at random. There are at most half as many
        representatives as rows.
    neighbours : int
        Representatives that a row is tied to.
    knn : {"exact", "hnsw"}
    n_init : int
        Starts of the k-means on the embedding.
    random_state : int, RandomState or None
        The same number gives the same labels on any number of threads. None draws a new one each time.
    n_jobs : int or None
        Threads. None is all cores.
    verbose : bool or callable
        True shows progress through tqdm.

    Attributes
    ----------
    labels_ : int32 [n], 0 .. n_clusters_ - 1 by falling size
    confidence_ : float32 [n], 0 to 1
    n_clusters_ : int
    eigenvalues_ : float64, of the graph, falling
    representatives_ : float32 [representatives, n_features_in_]
    """

    def __init__(self, n_clusters: Union[int, str] = 8, *, representatives: int = 1000, candidates: int = 9000,
                 neighbours: int = 5, knn: str = "exact", n_init: int = 10, random_state: Any = 0,
                 n_jobs: Optional[int] = None, verbose: Any = False) -> None:
        self.n_clusters = n_clusters
        self.representatives = representatives
        self.candidates = candidates
        self.neighbours = neighbours
        self.knn = knn
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> "USpec":
        """Clusters the rows of ``X`` [n, features]; ``y`` is not looked at."""
        clusters = 0 if self.n_clusters == "auto" else whole("n_clusters", self.n_clusters, 1)
        representatives = whole("representatives", self.representatives, 1)
        candidates = whole("candidates", self.candidates, 1)
        neighbours, starts = whole("neighbours", self.neighbours, 1), whole("n_init", self.n_init, 1)
        if not isinstance(self.knn, str):
            raise TypeError(f"knn must be a string, not {self.knn!r}")
        X = float_rows(self, X, reset=True, ensure_min_samples=2)
        with running(self, seed_of(self.random_state)) as settings:
            self._fitted = _core.fit_uspec(X, clusters, representatives, candidates, neighbours, self.knn, starts, settings)
        self.labels_: np.ndarray = self._fitted.labels
        self.confidence_: np.ndarray = self._fitted.confidence
        self.n_clusters_: int = self._fitted.clusters
        self.eigenvalues_: np.ndarray = self._fitted.eigenvalues
        self.representatives_: np.ndarray = self._fitted.representatives
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The clusters of further rows, int32 [n]."""
        check_is_fitted(self)
        X = float_rows(self, X, reset=False)
        with running(self) as settings:
            return self._fitted.predict(X, settings)[0]

    def embed(self, X: Any) -> np.ndarray:
        """The spectral embedding of rows, float32 [n, n_clusters_]: rows of length 1."""
        check_is_fitted(self)
        X = float_rows(self, X, reset=False)
        with running(self) as settings:
            return self._fitted.embed(X, settings)
