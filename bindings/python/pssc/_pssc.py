"""Clustering of images."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from . import _core
from ._common import bytes_of, default_memory, running, seed_of, whole
from ._images import is_input, is_paths, open_images, warn_of_skipped

_options = ("n_clusters", "k_range", "features", "scales", "angles", "order", "equalise", "pca_dims", "poc_dims",
            "sample_images", "fit_images", "contrast", "ignore", "clusterer", "candidates", "representatives", "neighbours",
            "knn", "refine", "dbscan_radius", "dbscan_points")
_adaptive = ("ignore", "size", "contrast", "colour")


class PSSC(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, BaseEstimator):
    """Projected-scattering spectral clustering of images: no training, no labels.

    Images ``X`` are an array ``[n, h, w]`` or ``[n, h, w, 3]`` of any number type, read where it lies (uint8 and float32,
    strided, read-only and memory-mapped ones too); a flat array ``[n, h*w]`` with ``image_shape``; a folder, a file or a
    data set's name; or a list of paths. Floats that all lie in 0..1 are taken as 0..255.

    Parameters
    ----------
    n_clusters : int or "auto"
        How many clusters, or "auto" to have the number found within ``k_range``.
    preset : {"tuned", "paper", "authors"}
        Where the parameters below that are None get their values from.
    image_shape : (height, width) or (height, width, 3), optional
        Of the images in a flat ``X``.
    adapt : bool
        Find out from a sample of the images what does not matter in them: the same as "auto" for those of ``ignore``,
        ``size``, ``contrast`` and ``colour`` that are None. Each can be "auto" on its own.
    size : int, "auto" or None
        Of the canvas, 32 unless given: larger images are reduced to it; smaller ones are enlarged to it, or centred on it
        where their own borders are black.
    colour : {"grey", "channels", "auto"} or None
        What colour becomes: luminance, as where None is given, or red, green and blue each on its own.
    max_pixels, max_unfolded, follow_links : int, int or str, bool
        What files may ask of the machine: pixels of an image, over which it counts as one that cannot be read; what a
        compressed file may unfold to, bytes or a text such as "8GiB"; whether links out of a folder are followed.
    contrast : {"none", "local", "auto"}, optional
        "local" evens out light and contrast around each pixel, for photos in uneven light or with faint shapes.
    ignore : str or sequence of str, optional
        What may change without making an image another thing: kinds such as ``("shift", "gain")``, changes to the default
        such as ``("+rotate", "-gain")``, or ``"none"`` (or an empty sequence); or ``"auto"``.
    features, scales, angles, order, equalise, pca_dims, poc_dims, sample_images, fit_images, clusterer, candidates, \
representatives, neighbours, knn, refine, k_range, dbscan_radius, dbscan_points : optional
        As the command's options of the same names (``python -m pssc cluster --help``).
    memory_limit : int or str
        What a run may hold at once: bytes, or a text such as "2GiB".
    device : {"auto", "cpu", "cuda"}
        Where to compute: "auto" takes an NVIDIA GPU where there is one with memory free, "cuda" insists.
        ``CUDA_VISIBLE_DEVICES`` says which.
    random_state : int, RandomState or None
        The same number gives the same labels, on any number of threads, and the same as the command's ``--seed``. None
        draws a new one each time.
    n_jobs : int or None
        Threads. None is all cores (or ``$OMP_NUM_THREADS``), -1 is all cores.
    verbose : bool or callable
        True shows progress through tqdm. A function is called with (stage, done, total).

    Attributes
    ----------
    labels_ : int32 [n]
        0 .. n_clusters_ - 1 by falling size; -1 for images that could not be read.
    confidence_ : float32 [n]
        0 to 1.
    outliers_ : bool [n]
        Images that belong to no cluster.
    n_clusters_ : int
    eigenvalues_ : float64
        Of the graph, falling; empty where the clusterer has none.
    k_candidates_ : list of (clusters, score)
        The numbers of clusters that the images speak for, best first.
    model_ : what places further images; None for the clusterers spectral and dbscan.
    summary_ : dict
        Every parameter, time and figure of the run, as in summary.json.
    adapted_ : dict or None
        Where something was to be found out: ``candidates``, each with its ``description``, ``stability`` and
        ``confidence``, and the number of the one ``chosen``; as "adapted" in summary.json.
    map_ : float32 [n read, 2]
        All images in the unit square, for looking at.
    ids_, skipped_, notes_ : the images' names; (index, name, reason) of those that could not be read; what was adapted.
    """

    def __init__(self, n_clusters: Union[int, str] = "auto", *, preset: str = "tuned",
                 image_shape: Optional[Sequence[int]] = None, adapt: bool = False,
                 size: Union[int, str, None] = None, colour: Optional[str] = None,
                 max_pixels: int = 100_000_000, max_unfolded: Union[int, str] = "8GiB", follow_links: bool = False,
                 contrast: Optional[str] = None, features: Optional[str] = None,
                 scales: Union[int, str, None] = None, angles: Optional[int] = None, order: Optional[int] = None,
                 equalise: Optional[str] = None, pca_dims: Optional[int] = None,
                 poc_dims: Union[int, str, None] = None, sample_images: Optional[int] = None,
                 fit_images: Optional[int] = None, clusterer: Optional[str] = None, candidates: Optional[int] = None,
                 representatives: Optional[int] = None, neighbours: Optional[int] = None, knn: Optional[str] = None,
                 refine: Optional[str] = None, ignore: Union[str, Sequence[str], None] = None, k_range: Optional[Tuple[int, int]] = None,
                 dbscan_radius: Optional[float] = None, dbscan_points: Optional[int] = None,
                 memory_limit: Union[int, str] = default_memory, device: str = "auto", random_state: Any = 0,
                 n_jobs: Optional[int] = None, verbose: Any = False) -> None:
        self.n_clusters = n_clusters
        self.preset = preset
        self.image_shape = image_shape
        self.adapt = adapt
        self.size = size
        self.colour = colour
        self.max_pixels = max_pixels
        self.max_unfolded = max_unfolded
        self.follow_links = follow_links
        self.contrast = contrast
        self.features = features
        self.scales = scales
        self.angles = angles
        self.order = order
        self.equalise = equalise
        self.pca_dims = pca_dims
        self.poc_dims = poc_dims
        self.sample_images = sample_images
        self.fit_images = fit_images
        self.clusterer = clusterer
        self.candidates = candidates
        self.representatives = representatives
        self.neighbours = neighbours
        self.knn = knn
        self.refine = refine
        self.ignore = ignore
        self.k_range = k_range
        self.dbscan_radius = dbscan_radius
        self.dbscan_points = dbscan_points
        self.memory_limit = memory_limit
        self.device = device
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None) -> "PSSC":
        """Clusters the images; ``y`` is not looked at."""
        seed = seed_of(self.random_state)
        adaptive = [name for name in _adaptive if self._is_to_be_found_out(name)]
        given = {name: None if name in adaptive else getattr(self, name) for name in {*_options, *_adaptive}}
        size, colour = given.pop("size"), given.pop("colour")
        images = self._open(X, 32 if size is None else size, "grey" if colour is None else colour,
                            "auto" if self.preset == "tuned" else "black", seed)
        with running(self, seed) as settings:
            run = _core.cluster(images, self.preset, given, adaptive, settings)
            summary = run.summary(settings)
        self._take(run, json.loads(summary))
        if not (is_input(X) or is_paths(X)) and np.ndim(X) == 2:
            self.n_features_in_ = np.shape(X)[1]
        warn_of_skipped(self.skipped_, len(images))
        return self

    def _is_to_be_found_out(self, name: str) -> bool:
        value = getattr(self, name)
        return bool(self.adapt) if value is None else isinstance(value, str) and value == "auto"

    def _open(self, X: Any, size: Any, colour: Any, frame: str, seed: int = 0) -> _core.Images:
        limits = _core.ImageLimits(whole("max_pixels", self.max_pixels, 1), bytes_of(self.max_unfolded, "max_unfolded"),
                                   bool(self.follow_links))
        return open_images(X, self.image_shape, whole("size", size, 1), colour, frame, seed, limits)

    def _open_again(self, X: Any) -> _core.Images:
        """The images of the run."""
        seen = self.summary_["input"]
        return self._open(X, seen["height"], "channels" if seen["channels"] > 1 else "grey", seen["frame"],
                          self.summary_["seed"])

    def _open_further(self, X: Any) -> _core.Images:
        model = self._placing()
        return self._open(X, model.size, model.colour, model.frame)

    def _take(self, run: _core.Run, summary: Dict[str, Any]) -> None:
        self._run = run
        self.labels_: np.ndarray = run.labels
        self.confidence_: np.ndarray = run.confidence
        self.outliers_: np.ndarray = run.outliers
        self.n_clusters_: int = run.clusters
        self.eigenvalues_: np.ndarray = run.eigenvalues
        self.k_candidates_: List[Tuple[int, float]] = run.counts
        self.model_: Optional[_core.Model] = run.model
        self.map_: np.ndarray = run.map
        self.ids_: List[str] = run.ids
        self.skipped_: List[Tuple[int, str, str]] = run.skipped
        self.notes_: List[str] = run.notes
        self.adapted_: Optional[Dict[str, Any]] = summary["adapted"]
        self.summary_ = summary

    def _placing(self) -> _core.Model:
        check_is_fitted(self, "n_clusters_")
        if self.model_ is None:
            raise ValueError(f"the clusterer {self.clusterer} cannot place further images; take uspec or kmeans")
        return self.model_

    def predict(self, X: Any) -> np.ndarray:
        """The clusters of further images, int32 [n]."""
        model = self._placing()
        images = self._open_further(X)
        with running(self) as settings:
            labels, _, _, skipped = model.predict(images, settings)
        warn_of_skipped(skipped, len(images))
        return labels

    def predict_proba(self, X: Any) -> np.ndarray:
        """How likely each cluster is, float32 [n, n_clusters_]: posteriors of the Gaussians where the method ends with
        them, else the chances that a walk over the graph from the image and back ends in each cluster. For an image unlike
        all others every cluster is as likely; for one that cannot be read all are NaN."""
        model = self._placing()
        images = self._open_further(X)
        with running(self) as settings:
            probabilities, skipped = model.probabilities(images, settings)
        warn_of_skipped(skipped, len(images))
        return probabilities

    def transform(self, X: Any) -> np.ndarray:
        """The spectral embedding of images, float32 [n, n_clusters_]: rows of length 1."""
        model = self._placing()
        images = self._open_further(X)
        with running(self) as settings:
            embedding, skipped = model.embedding(images, settings)
        warn_of_skipped(skipped, len(images))
        return embedding

    @property
    def _n_features_out(self) -> int:
        return self._placing().embedding_dims

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes what places further images as a ``model.pssc``, which ``pssc predict`` reads too."""
        self._placing().save(os.fspath(path))

    @classmethod
    def load(cls, path: Union[str, "os.PathLike[str]"], **params: Any) -> "PSSC":
        """An estimator that places images by a ``model.pssc``, of ``save`` or of the command. It has no ``labels_``.
        ``params`` are further parameters, ``image_shape`` for instance."""
        model = _core.Model.load(os.fspath(path))
        estimator = cls(model.clusters, size=model.size, colour=model.colour, **params)
        estimator.model_ = model
        estimator.n_clusters_ = model.clusters
        return estimator

    def write(self, folder: Union[str, "os.PathLike[str]"], X: Any) -> None:
        """Writes what ``pssc cluster -o`` writes: labels.csv, labels.npy, summary.json, model.pssc and report.html, for
        which it needs the images again."""
        images = self._open_again(X)
        with running(self, self.summary_["seed"]) as settings:
            self._finished_run().write(images, repr(self), os.fspath(folder), settings)

    def _finished_run(self) -> _core.Run:
        check_is_fitted(self, "labels_")
        if self._run is None:
            raise ValueError("the run itself does not travel with a pickled estimator; fit it again")
        return self._run

    def __getstate__(self) -> Dict[str, Any]:
        state = super().__getstate__()
        if "_run" in state:
            state = {**state, "_run": None, "map_": np.array(state["map_"])}
        return state

    def _more_tags(self) -> Dict[str, Any]:
        return {"X_types": ["3darray", "string"], "preserves_dtype": [np.float32]}
