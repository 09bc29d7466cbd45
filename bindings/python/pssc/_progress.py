"""Progress of a call, shown by tqdm where it is installed."""
from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import Any, Callable, Iterator, Optional

Callback = Callable[[str, int, int], None]


class _Bar:
    """One bar, which every stage fills anew."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._stage = ""

    def __call__(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self.close()
            self._stage = stage
            self._bar = self._tqdm(desc=stage, total=total or None, leave=False)
        if total:
            self._bar.total = total
            self._bar.n = done
        self._bar.refresh()

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
        self._bar = None


@contextmanager
def progress(verbose: Any) -> Iterator[Optional[Callback]]:
    """A callback for the time of a call: none, a function of the user's own, or a bar."""
    if not verbose:
        yield None
        return
    if callable(verbose):
        yield verbose
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        warnings.warn("progress is shown through tqdm, which is not installed", stacklevel=4)
        yield None
        return
    bar = _Bar(tqdm)
    try:
        yield bar
    finally:
        bar.close()
