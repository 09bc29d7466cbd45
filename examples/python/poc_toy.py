#!/usr/bin/env python3
"""The idea of POC in a picture: two classes that both vary along one direction. That direction has the most variance, so
principal components keep it; it tells nothing about the classes, so POC drops it."""
import argparse

import numpy as np
from sklearn.cluster import KMeans

import pssc

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("-o", "--output", default="poc_toy.png")
options = parser.parse_args()

random = np.random.default_rng(0)
truth = np.arange(600) % 2
shared = random.normal(0, 6, 600)                                   # the same for both classes: slant, stroke, light, ...
points = np.stack([shared, 0.5 * shared + 3 * truth + random.normal(0, 0.4, 600), random.normal(0, 0.4, 600)], axis=1)

poc = pssc.POC(n_dropped=1).fit(points)
projected = poc.transform(points)
before = KMeans(2, n_init=10, random_state=0).fit_predict(points)
after = KMeans(2, n_init=10, random_state=0).fit_predict(projected)
print(f"k-means on the points    accuracy {pssc.metrics.clustering_accuracy(truth, before):.3f}")
print(f"k-means after POC        accuracy {pssc.metrics.clustering_accuracy(truth, after):.3f}")

try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no picture: matplotlib is not installed")
else:
    figure, axes = plt.subplots(1, 3, figsize=(13, 4), constrained_layout=True)
    for axis, data, colours, title in ((axes[0], points, truth, "the classes, and what POC drops"),
                                       (axes[1], points, before, "k-means on the points"),
                                       (axes[2], projected, after, "k-means after POC")):
        axis.scatter(data[:, 0], data[:, 1], c=colours, s=6, cmap="coolwarm")
        axis.set_title(title)
        axis.set_aspect("equal", "datalim")
    dropped = poc.dropped_components_[0]
    axes[0].annotate("", poc.mean_[:2] + 12 * dropped[:2], poc.mean_[:2] - 12 * dropped[:2],
                     arrowprops={"arrowstyle": "<->", "lw": 2})
    figure.savefig(options.output, dpi=120)
    print(f"written: {options.output}")
