"""Figures over time: one run at each point of the axes that are left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..exhibits import Chart
from ..papers import Context
from .design import Only, Point, Results, label, point_in_words

__all__ = ["Trace"]

_WORDS = {"avg": "Average queue"}


@dataclass(frozen=True, kw_only=True)
class Trace:
    """What a queue tells of itself over time, in the first run of each point.

    Attributes
    ----------
    probe
        Which of its internals: ``avg``, ``max_p``. The scenario records them (``record.probes``).
    at, only
        The points: those of `at`, and of axes that are left all or those in `only`.
    marks
        Values that are marked by a line: thresholds, a target.
    link
        Of which link.
    source
        Which figures are to be compared.
    """

    probe: str
    at: Point = field(default_factory=dict)
    only: Only = field(default_factory=dict)
    marks: Sequence[float] = ()
    link: str = "forward"
    source: str = ""

    def chart(self, results: Results, context: Context) -> Chart:
        """A panel for each point."""
        import altair as alt
        import polars as pl

        from ..plots.parts import inline, layout

        panels = self._panels(results)
        seed = results.study.seeds[0]
        # Of the runs themselves only metrics are kept.
        variants = {name: results.study.variants[name] for name in panels}
        columns = {"probe": ("link", "time_s", "probe", "value")}
        words = _WORDS.get(self.probe, self.probe)
        study = context.study(f"{self.probe} over time", variants, seeds=[seed], keep=columns)
        wanted = (pl.col("seed") == seed) & pl.col("queue").is_in(list(panels))
        wanted &= (pl.col("link") == self.link) & (pl.col("probe") == self.probe)
        frame = (
            study.table("probe")
            .filter(wanted)
            .select(pl.col("queue").replace(panels).alias("panel"), pl.col("time_s").round(2), pl.col("value").round(4))
        )
        line = (
            alt.Chart()
            .mark_line(strokeWidth=1)
            .encode(x=alt.X("time_s:Q", title="Time (s)"), y=alt.Y("value:Q", title=words))
        )
        # One row for a panel: a layer that shares the data draws its rule once for each row.
        marks = [
            alt.Chart()
            .transform_aggregate(rows="count()")
            .mark_rule(strokeDash=[4, 3], opacity=0.6)
            .encode(y=alt.datum(level))
            for level in self.marks
        ]
        chart = (
            alt.layer(line, *marks)
            .properties(height=90, data=inline(frame, "traces"))
            .facet(facet=alt.Facet("panel:N", sort=list(panels.values()), title=None), columns=2)
            .properties(usermeta=layout(columns=2), description=f"{words} over time")
        )
        text = f"One run each (seed {seed})." + (" Dashed: thresholds or the target." if self.marks else "")
        return Chart(
            title=f"{words} over time",
            chart=chart,
            text=f"{text} Compare with {self.source}." if self.source else text,
        )

    def _panels(self, results: Results) -> Mapping[str, str]:
        """Titles of the panels by label of the variant: what tells the points apart."""
        points = [
            point
            for point in results.design.points({**results.axes, **self.only})
            if all(point[axis] == name for axis, name in self.at.items())
        ]
        return {
            label(point): ", ".join(point_in_words(axis, name) for axis, name in point.items() if axis not in self.at)
            for point in points
        }
