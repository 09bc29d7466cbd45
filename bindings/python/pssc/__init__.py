"""Image clustering with no training: scikit-learn estimators on the C++ engine of pssc.

>>> from pssc import PSSC
>>> labels = PSSC(n_clusters=10).fit_predict(images)      # [n, h, w], [n, h, w, 3], a folder or a list of paths
"""
from . import datasets, metrics
from ._core import version as _version
from ._projection import POC, WithinClusterWhitening
from ._pssc import PSSC
from ._report import Report, report
from ._scattering import ScatteringTransform
from ._uspec import USpec

__version__ = _version()
__all__ = ["PSSC", "POC", "Report", "ScatteringTransform", "USpec", "WithinClusterWhitening", "datasets", "metrics", "report"]
