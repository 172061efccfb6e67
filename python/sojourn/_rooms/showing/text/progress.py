"""A progress bar on stderr, where a person is watching."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from .prose import tell_held

if TYPE_CHECKING:
    from ...runs.pool import Progress

__all__ = ["count_bar", "progress_bar", "words"]


@contextmanager
def progress_bar() -> Iterator[Callable[[Progress], None] | None]:
    """A callback for :func:`sojourn.study`; None where stderr is not a terminal."""
    tell_held()
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, TextColumn
    from rich.progress import Progress as Bar

    from .layout import Plain

    columns = (BarColumn(bar_width=None), TextColumn("{task.description}", markup=False))
    with Bar(*columns, console=Plain(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("", total=1.0)

        def update(progress: Progress) -> None:
            bar.update(
                task,
                total=progress.simulated_total_s,
                completed=progress.simulated_s,
                description=words(progress),
                refresh=True,
            )

        yield update


@contextmanager
def count_bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A callback that takes the number that are done, and of all; None where stderr is not a terminal."""
    tell_held()
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from .layout import Plain

    columns = (BarColumn(bar_width=None), MofNCompleteColumn(), TextColumn(what, markup=False), TimeRemainingColumn())
    with Bar(*columns, console=Plain(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def words(progress: Progress) -> str:
    """The progress in words."""
    text = f"{progress.runs_done}/{progress.runs_total} runs, {progress.simulated_s:.0f} s simulated"
    going = progress.runs_done < progress.runs_total
    if going and progress.remaining_s is not None and progress.elapsed_s > 1.0:
        text += f", {_span(progress.remaining_s)} left"
    return f"{text}; {progress.note}" if progress.note else text


def _span(seconds: float) -> str:
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
