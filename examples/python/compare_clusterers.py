#!/usr/bin/env python3
"""scikit-learn's clusterers and pssc's on the same images. All but PSSC see the pixels.

    python examples/python/compare_clusterers.py                  synthetic digits, always there
    python examples/python/compare_clusterers.py --data usps      or mnist, fashion_mnist
"""
import argparse
import time
import warnings

import numpy as np
from sklearn.cluster import AgglomerativeClustering, KMeans, MiniBatchKMeans, SpectralClustering
from sklearn.metrics import normalized_mutual_info_score
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline

import pssc

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--data", default="synthetic", choices=["synthetic", "mnist", "fashion_mnist", "usps"])
parser.add_argument("--images", type=int, default=2000, help="how many of them, drawn at random")
options = parser.parse_args()
warnings.simplefilter("ignore")  # of eigensolvers about graphs in several pieces

load = getattr(pssc.datasets, f"load_{options.data}")
images, target = load(options.images, return_X_y=True) if options.data == "synthetic" else load(return_X_y=True)
chosen = np.random.default_rng(0).permutation(len(images))[:options.images]
images, target = images[chosen], target[chosen]
pixels = images.reshape(len(images), -1).astype(np.float32) / 255

clusterers = {
    "KMeans": (KMeans(10, n_init=10, random_state=0), pixels),
    "MiniBatchKMeans": (MiniBatchKMeans(10, n_init=10, random_state=0), pixels),
    "GaussianMixture": (GaussianMixture(10, covariance_type="diag", random_state=0), pixels),
    "AgglomerativeClustering": (AgglomerativeClustering(10), pixels),
    "SpectralClustering": (SpectralClustering(10, affinity="nearest_neighbors", random_state=0), pixels),
    "USpec": (pssc.USpec(10), pixels),
    "POC, USpec": (make_pipeline(pssc.POC(2, n_components=100), pssc.USpec(10)), pixels),
    "PSSC": (pssc.PSSC(10), images),
}
print(f"{len(images):,} images of {options.data}\n\n{'':26}accuracy    NMI   seconds")
for name, (clusterer, X) in clusterers.items():
    begin = time.perf_counter()
    labels = clusterer.fit_predict(X)
    seconds = time.perf_counter() - begin
    print(f"{name:26}{pssc.metrics.clustering_accuracy(target, labels):8.4f}  "
          f"{normalized_mutual_info_score(target, labels):.4f}  {seconds:8.2f}", flush=True)
