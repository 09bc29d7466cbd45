#!/usr/bin/env python3
"""Scattering features for a classifier: MNIST from 1,000 labels, against the same classifier on the pixels."""
import argparse

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pssc

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--labels", type=int, default=1000, help="how many labelled images to learn from")
options = parser.parse_args()

images, target = pssc.datasets.load_mnist("train", return_X_y=True)
test_images, test_target = pssc.datasets.load_mnist("test", return_X_y=True)
images, target = images[:options.labels], target[:options.labels]


def flat(images):
    return images.reshape(len(images), -1) / 255


scattering = make_pipeline(pssc.ScatteringTransform(scales=3), pssc.POC(n_dropped=0, n_components=300), StandardScaler(),
                           LogisticRegression(C=0.01, max_iter=1000))
pixels = LogisticRegression(C=0.1, max_iter=1000)

scattering.fit(images, target)
pixels.fit(flat(images), target)
print(f"learned from {len(images):,} labels, measured on {len(test_images):,} digits")
print(f"scattering  accuracy {scattering.score(test_images, test_target):.4f}")
print(f"pixels      accuracy {pixels.score(flat(test_images), test_target):.4f}")
