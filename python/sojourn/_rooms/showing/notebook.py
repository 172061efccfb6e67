"""A bar that shows how far a study has come, below the cell of a notebook that runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..runs.pool import Progress

__all__ = ["notebook_bar"]

_PATIENCE_S = 0.3
"""Wall-clock seconds after which a bar appears."""


def notebook_bar() -> Callable[[Progress], None] | None:
    """A callback that draws the bar; None outside of notebooks.

    It is plain HTML, which every front end shows: no widgets are needed.
    """
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or getattr(shell, "kernel", None) is None:
        return None
    from .text.progress import words

    handle: list[Any] = []

    def update(progress: Progress) -> None:
        if not handle and (progress.runs_done == progress.runs_total or progress.elapsed_s < _PATIENCE_S):
            return
        share = progress.simulated_s / max(progress.simulated_total_s, 1e-9)
        bar = f'<progress value="{share:.4f}" max="1" style="width: 20em"></progress> {escape(words(progress))}'
        shown = {"text/html": bar, "text/plain": words(progress)}
        if handle:
            handle[0].update(shown, raw=True)
        else:
            handle.append(ipython.display.display(shown, raw=True, display_id=True))

    return update
