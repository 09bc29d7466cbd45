"""How well a clustering agrees with the truth. All take labels of any kind, the truth first, as scikit-learn's do."""
from __future__ import annotations

from typing import Any, Dict

import numpy as np
from sklearn.utils.validation import column_or_1d

from . import _core

__all__ = ["clustering_accuracy", "purity", "evaluate"]


def _numbered(labels: Any) -> np.ndarray:
    return np.unique(column_or_1d(labels), return_inverse=True)[1].astype(np.int32)


def evaluate(y_true: Any, y_pred: Any) -> Dict[str, float]:
    """All figures at once: accuracy, purity, nmi, ari."""
    return _core.evaluate(_numbered(y_pred), _numbered(y_true))


def clustering_accuracy(y_true: Any, y_pred: Any) -> float:
    """The share of samples under the best one-to-one matching of clusters and classes (Hungarian)."""
    return evaluate(y_true, y_pred)["accuracy"]


def purity(y_true: Any, y_pred: Any) -> float:
    """The share of samples under each cluster's majority class."""
    return evaluate(y_true, y_pred)["purity"]
