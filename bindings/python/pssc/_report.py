"""A run as a page to look at, in a notebook or a browser."""
from __future__ import annotations

import html
import os
import tempfile
import webbrowser
from pathlib import Path
from typing import Any, Union

from ._common import running
from ._pssc import PSSC


class Report:
    """The page of a run. A notebook shows it; ``save`` writes it, ``show`` opens it in a browser."""

    def __init__(self, page: str, height: int = 720) -> None:
        self.html = page
        self.height = height

    def _repr_html_(self) -> str:
        # A frame of its own, so that neither the page's styles nor its scripts meet the notebook's.
        return (f'<iframe srcdoc="{html.escape(self.html)}" style="width:100%;height:{int(self.height)}px;border:0" '
                'sandbox="allow-scripts allow-same-origin allow-popups allow-downloads"></iframe>')

    def save(self, path: Union[str, "os.PathLike[str]"]) -> Path:
        """Writes the page, one file that opens with no network; returns where it lies."""
        Path(path).write_text(self.html, encoding="utf-8")
        return Path(path)

    def show(self) -> Path:
        """Opens the page in the browser; returns where it lies."""
        path = self.save(Path(tempfile.mkdtemp(prefix="pssc-")) / "report.html")
        webbrowser.open(path.as_uri())
        return path

    def __repr__(self) -> str:
        return f"Report of {len(self.html):,} characters; a notebook shows it, save(path) writes it, show() opens it"


def report(model: Union[PSSC, str, "os.PathLike[str]"], X: Any = None, *, height: int = 720) -> Report:
    """The page of a fitted `PSSC` and the images ``X`` it was fitted to; or of a folder that ``pssc cluster -o`` wrote."""
    if isinstance(model, (str, os.PathLike)):
        path = Path(model)
        return Report((path / "report.html" if path.is_dir() else path).read_text(encoding="utf-8"), height)
    if not isinstance(model, PSSC):
        raise TypeError(f"a report is of a fitted PSSC or of a folder, not of {type(model).__name__}")
    if X is None:
        raise ValueError("a report needs the images of the run: pssc.report(model, X)")
    run = model._finished_run()
    images = model._open_again(X)
    with tempfile.TemporaryDirectory() as folder, running(model, model.summary_["seed"]) as settings:
        path = Path(folder) / "report.html"
        run.report(images, repr(model), os.fspath(path), settings)
        return Report(path.read_text(encoding="utf-8"), height)
