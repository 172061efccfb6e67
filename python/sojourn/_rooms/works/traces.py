"""Figures of single runs, mostly over time: one run at each point of the axes that are left."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, NamedTuple

from .._base.schema import Least, Unbounded, Wrong, known
from .context import Context
from .design import Design, Only, Point, Results, Settings, check_only, check_point, label, point_in_words
from .exhibits import Chart, Curves

if TYPE_CHECKING:
    import polars as pl

    from ..scenario.scenario import Scenario
    from ..showing.plots.registry import Drawing

__all__ = ["Trace"]


class _Series(NamedTuple):
    """A table of a run: the key of its lines, their horizontal and vertical columns, the unit, and the words."""

    lines: str
    along: str
    value: str
    scale: float
    words: str
    axis: str = "Time (s)"


_SERIES = {
    "probe": _Series("link", "time_s", "value", 1.0, ""),
    "backlog": _Series("link", "time_s", "backlog_packets", 1.0, "Queue (packets)"),
    "window": _Series("flow", "time_s", "cwnd_packets", 1.0, "Window (packets)"),
    "rate": _Series("flow", "time_s", "throughput_bps", 1e-3, "Throughput (kbit/s)"),
    "occupancy": _Series("link", "backlog_packets", "time_fraction", 100.0, "Time (%)", "Queue (packets)"),
}
_KEPT = {
    table: (one.lines, one.along, one.value, *(["probe"] if table == "probe" else [])) for table, one in _SERIES.items()
}
"""All of these tables of every run: two figures may be of the same run."""

_WORDS = {"avg": "Average queue (packets)", "active_flows": "Estimated flows"}
_FEW = 4
"""Panels that may be taller."""

_LONG = 19
"""Letters along the axis of a panel that is not tall."""

_POINTS = 400
"""Greatest number of points of a line in a panel."""

_TOO_MANY_TIMES = 5.0
"""By how much the largest values of panels may differ on one scale."""


@dataclass(frozen=True, kw_only=True)
class Trace:
    """Charts of the first run of each point, mostly over time.

    Attributes
    ----------
    probe
        The probe of a queue, if it is one: ``avg``, ``max_p``.
    beside
        Other internals, whose lines are in the same panels: ``["min_th", "max_th"]``.
    table
        The table: ``probe``; ``backlog``, ``window``, ``rate`` over time; or ``occupancy``, the distribution of
        the queue. The scenario records it.
    at, only
        The points: those of `at`, and of axes that are left all or those in `only`.
    settings
        Laid over the scenarios for the figure alone: ``{ "record.queue" = "100ms" }``.
    marks, marked
        Values that are marked by a line, and their meaning.
    link, flows
        The link; or the flows, by their numbers.
    from_s, to_s
        Part of the time.
    source
        Which figures are to be compared.
    """

    probe: str = ""
    beside: Sequence[str] = ()
    table: str = "probe"
    at: Point = field(default_factory=dict)
    only: Only = field(default_factory=dict)
    settings: Settings = field(default_factory=dict)
    marks: Sequence[float] = ()
    marked: str = "thresholds or the target"
    link: str = "forward"
    flows: Sequence[Annotated[int, Least(0)]] = (0,)
    from_s: Annotated[float, Least(0.0)] = 0.0
    to_s: Annotated[float, Unbounded()] = float("inf")
    source: str = ""

    def __post_init__(self) -> None:
        known(self.table, _SERIES, "series", "table")
        if (self.table == "probe") != bool(self.probe):
            raise Wrong("say which probe, and only of the table 'probe'", *(["probe"] if self.probe else []))
        if not self.from_s < self.to_s:
            raise Wrong("a part of the time ends after it begins", "to_s", found=self.to_s)

    def check(self, design: Design) -> None:
        """Refuse unknown points."""
        check_point(self.at, design, "at")
        check_only(self.only, design, "only")

    @property
    def words(self) -> str:
        """The subject of the figure."""
        return _SERIES[self.table].words or _WORDS.get(self.probe, self.probe)

    def chart(self, results: Results, context: Context) -> Chart | None:
        """A panel for each point; nothing where a quick run has none of them."""
        panels = self._panels(results)
        if not panels:
            return None
        seed = results.study.seeds[0]
        # Measured runs keep only metrics, so the figure has runs of its own.
        variants = {name: self._scenario(results.study.variants[name]) for name in panels}
        # Finished runs are kept under this name: figures of other points have another.
        name = ", ".join([f"{self.probe or self.table} over time", *self.at.values()])
        study = context.study(name, variants, seeds=[seed], keep=_KEPT, counted=False)
        frame, every = _thinned(self._frame(study.table(self.table), panels, seed))
        over = "" if self.table == "occupancy" else " over time"
        titles = results.design.titles
        at = "".join(f", {point_in_words(axis, name, titles)}" for axis, name in self.at.items())
        text = f"One run each (seed {seed})." + (f" Dashed: {self.marked}." if self.marks else "")
        own = _apart(frame)
        text += f" One sample of {every} is drawn." if every > 1 else ""
        text += " Each panel has a scale of its own." if own else ""
        return Chart(
            title=f"{'Share of the time' if not over else self.words.partition(' (')[0]}{over}{at}",
            chart=self._chart(frame, list(panels.values()), own_scales=own),
            text=f"{text} Compare with {self.source}." if self.source else text,
            curves=Curves.of(frame, x=_SERIES[self.table].axis, y=self.words, marks=self.marks),
        )

    def _scenario(self, scenario: Scenario) -> Scenario:
        for key, value in self.settings.items():
            scenario = scenario.set(key, value)
        return scenario

    def _frame(self, table: pl.DataFrame, panels: Mapping[str, str], seed: int) -> pl.DataFrame:
        import polars as pl

        own = _SERIES[self.table]
        wanted = (pl.col("seed") == seed) & pl.col("queue").is_in(list(panels))
        wanted &= (pl.col("link") == self.link) if own.lines == "link" else pl.col("flow").is_in(list(self.flows))
        if self.probe:
            wanted &= pl.col("probe").is_in([self.probe, *self.beside])
        if own.along == "time_s":
            wanted &= pl.col("time_s").is_between(self.from_s, self.to_s)
        line = pl.lit("") if own.lines == "link" else pl.format("flow {}", "flow")
        if self.beside:
            line = pl.col("probe").replace({one: words.partition(" (")[0] for one, words in _WORDS.items()})
        frame = table.filter(wanted).select(
            pl.col("queue").replace(panels).alias("panel"),
            line.alias("line"),
            pl.col(own.along).cast(pl.Float64).round(2).alias("x"),
            (pl.col(own.value) * own.scale).alias("value"),
        )
        # Four figures of the largest value: more than a line on paper shows, and the report is half as large.
        largest = frame["value"].abs().max()
        decimals = 3 - math.floor(math.log10(largest)) if isinstance(largest, int | float) and largest > 0.0 else 0
        return frame.with_columns(pl.col("value").cast(pl.Float64).round(max(decimals, 0)))

    def _chart(self, frame: pl.DataFrame, panels: Sequence[str], *, own_scales: bool) -> Drawing:
        import altair as alt

        from ..showing.plots.pieces import inline, layout

        lines = frame["line"].unique(maintain_order=True).to_list()
        line = alt.Chart().mark_line(strokeWidth=1)
        # A low panel has no room for long words, and the heading has them; several internals have their unit in common.
        long = bool(self.beside) or (len(panels) > _FEW and len(self.words) > _LONG)
        shown = self.words.partition(" (")[2].rstrip(")").capitalize() if long and "(" in self.words else self.words
        line = line.encode(x=alt.X("x:Q", title=_SERIES[self.table].axis), y=alt.Y("value:Q", title=shown))
        if len(lines) > 1:
            line = line.encode(color=alt.Color("line:N", title=None, sort=None))
        # One row for a panel: a layer that shares the data draws its rule once for each row.
        marks = [
            alt.Chart()
            .transform_aggregate(rows="count()")
            .mark_rule(strokeDash=[4, 3], opacity=0.6)
            .encode(y=alt.datum(level))
            for level in self.marks
        ]
        drawn: Drawing = (
            alt.layer(line, *marks)
            .properties(
                height=150 if len(panels) <= _FEW else 90,
                data=inline(frame if len(lines) > 1 else frame.drop("line"), "traces"),
            )
            .facet(facet=alt.Facet("panel:N", sort=list(panels), title=None), columns=2)
            .resolve_scale(y="independent" if own_scales else "shared")
            # In a row that is not full the axis would be where no panel is.
            .resolve_axis(x="independent" if len(panels) % 2 else "shared")
            .properties(
                usermeta=layout(columns=2, legend=lines if len(lines) > 1 else ()),
                description=f"{self.words} against {_SERIES[self.table].axis}",
            )
        )
        return drawn

    def _panels(self, results: Results) -> Mapping[str, str]:
        """Titles of the panels by label of the variant: the differences of the points."""
        run = {
            axis: [name for name in self.only.get(axis, names) if name in names] for axis, names in results.axes.items()
        }
        points = [
            point for point in results.design.points(run) if all(point[axis] == name for axis, name in self.at.items())
        ]
        apart = [axis for axis in results.axes if axis not in self.at and len({point[axis] for point in points}) > 1]
        shown = apart or list(results.axes)
        titles = results.design.titles
        return {
            label(point): ", ".join(point_in_words(axis, point[axis], titles) for axis in shown) for point in points
        }


def _thinned(frame: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Every n-th sample, so that a line has no more points than its panel has columns of pixels."""
    import polars as pl

    longest = frame.group_by("panel", "line").len()["len"].max()
    every = math.ceil(longest / _POINTS) if isinstance(longest, int) else 1
    return frame.filter(pl.int_range(pl.len()).over("panel", "line") % every == 0), every


def _apart(frame: pl.DataFrame) -> bool:
    """Whether the largest values of panels are so far apart that on one scale some of them would be flat lines."""
    import polars as pl

    largest = frame.group_by("panel").agg(pl.col("value").max())["value"].to_list()
    seen = [value for value in largest if value is not None and value > 0.0]
    return bool(seen) and max(seen) > _TOO_MANY_TIMES * min(seen)
