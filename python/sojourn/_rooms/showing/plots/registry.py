"""The registry of plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from ..._base.door import Drawing as Drawing
from ...catalogue.charts import PlotName as PlotName
from ...catalogue.charts import Times
from .frames import Frames, Runs


@dataclass(frozen=True)
class Plot:
    """A plot: its name, the tables that it needs, its text, and the function that draws it.

    Attributes
    ----------
    name
        Name in the registry and on the command line.
    title
        Heading.
    needs
        Tables that must be there (they may be empty).
    text
        One or two sentences for the reader: the data that are drawn, and the features to look at.
    draw
        From :class:`Frames` to a chart.
    """

    name: str
    title: str
    needs: tuple[str, ...]
    text: str
    draw: Callable[[Frames], Drawing]


PLOTS: Final[dict[str, Plot]] = {}


def plot(*, title: str, needs: Sequence[str]) -> Callable[[Callable[[Frames], Drawing]], Callable[[Frames], Drawing]]:
    """Enters a function into the registry under its name; its docstring is the text for the reader."""

    def enter(function: Callable[[Frames], Drawing]) -> Callable[[Frames], Drawing]:
        name: str = getattr(function, "__name__")  # noqa: B009
        text = " ".join((function.__doc__ or "").split())
        PLOTS[name] = Plot(name, title, tuple(needs), text, function)
        return function

    return enter


def drawable(tables: Mapping[str, pl.DataFrame | Runs]) -> list[Plot]:
    """The plots whose tables are all there, in the order of a report."""
    return [item for item in PLOTS.values() if all(name in tables for name in item.needs)]


def draw(
    name: str,
    tables: Mapping[str, pl.DataFrame | Runs],
    *,
    queues: Sequence[str] | None = None,
    link: str | None = None,
    times: Times = "auto",
) -> Drawing:
    """Draws a plot by name.

    Parameters
    ----------
    name
        A key of :data:`PLOTS`.
    tables
        See :class:`Frames`, also for `queues`, `link` and `times`.

    Raises
    ------
    ValueError
        The plot is unknown, or a table it needs is missing.
    """
    if name not in PLOTS:
        raise ValueError(f"no plot is called {name!r}; there are {', '.join(PLOTS)}")
    item = PLOTS[name]
    missing = [need for need in item.needs if need not in tables]
    if missing:
        raise ValueError(f"plot {name!r} needs the table {missing[0]!r}, which this result does not have")
    return item.draw(Frames(tables, queues=queues, link=link, times=times))
