#!/usr/bin/env python3
"""What other tools take for the same work on the same cores: a JSON object, {name: images a second}.

Whatever cannot be imported is left out. Called by bench/table.py.
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings

cores = str(os.cpu_count())
for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, cores)
warnings.filterwarnings("ignore")
import numpy as np


def blobs(rows, cols, clusters, distance, seed):
    x = np.random.default_rng(seed).standard_normal((rows, cols)).astype(np.float32)
    for i in range(rows):
        x[i, i % clusters] += distance
    return x


def rate(items, work):
    begin = time.perf_counter()
    work()
    return items / (time.perf_counter() - begin)


def scattering(pssc):
    """Images a second by kymatio, or by the stand-in, which is checked against our own features first."""
    images = np.random.default_rng(0).integers(0, 255, (256, 32, 32)).astype(np.float32)
    try:
        import torch
    except ImportError:
        return {}
    try:
        from kymatio.torch import Scattering2D
        name, transform = "kymatio on PyTorch", Scattering2D(J=3, shape=(32, 32), L=8)
    except ImportError:
        from scattering_torch import Scattering
        name, transform = "plain PyTorch (kymatio is not here)", Scattering(32, 3, 8)
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/x.npy", images.astype(np.uint8))
        subprocess.run([pssc, "features", f"{folder}/x.npy", "-o", f"{folder}/s.npy", "--stage", "scattering", "--quiet"],
                       check=True)
        ours, theirs = np.load(f"{folder}/s.npy"), transform(torch.from_numpy(images)).numpy()
    difference = np.abs(ours - theirs).max() / np.abs(theirs).max()
    if difference > 1e-5:
        sys.exit(f"{name} and pssc differ by {difference:.1e}: they do not do the same")
    x = torch.from_numpy(images)
    return {name: max(rate(len(images), lambda: transform(x)) for _ in range(3))}


def learners():
    results = {}
    try:
        from sklearn.cluster import KMeans, SpectralClustering
        from sklearn.decomposition import PCA
        x = np.random.default_rng(1).standard_normal((5000, 3472)).astype(np.float32)
        for solver in ("randomized", "full"):
            results[f"scikit-learn PCA, {solver}"] = rate(5000, lambda: PCA(300, svd_solver=solver).fit(x))
        x = blobs(20000, 300, 10, 8, 1)
        results["scikit-learn KMeans"] = rate(
            20000, lambda: KMeans(4000, init="random", n_init=1, max_iter=15, tol=0, algorithm="lloyd").fit(x))
        x = blobs(5000, 300, 10, 8, 1)
        results["scikit-learn SpectralClustering"] = rate(
            5000, lambda: SpectralClustering(10, affinity="nearest_neighbors", random_state=0).fit(x))
    except ImportError:
        pass
    try:
        import faiss
        x = blobs(20000, 300, 10, 8, 1)
        results["faiss Kmeans"] = rate(
            20000, lambda: faiss.Kmeans(300, 4000, niter=15, min_points_per_centroid=1, seed=1).train(x))
    except ImportError:
        pass
    return results


print(json.dumps({"scattering": scattering(sys.argv[1]), "learners": learners()}))
