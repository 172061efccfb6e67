"""Where the fluid model of a scenario is stable: a map over any of its keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import altair as alt
import polars as pl

from .... import _core
from ...showing.plots.pieces import inline, layout, number_axis, title
from ...showing.report.page import Report
from ...showing.report.provenance import provenance
from ...sweeps.axes import Axis, points, scenarios
from .maps import near_rest
from .scenario import of_scenario

if TYPE_CHECKING:
    from _typeshed import StrPath

    from ...scenario.scenario import Scenario
    from ...showing.plots.registry import Drawing

__all__ = ["StabilityMap", "stability_over"]

_RESULTS = {
    "root_real": pl.Float64,
    "root_imag": pl.Float64,
    "gain_margin": pl.Float64,
    "phase_margin_deg": pl.Float64,
    "queue_packets": pl.Float64,
    "mark_ratio": pl.Float64,
    "stable": pl.Boolean,
    "grows": pl.Boolean,
    "why": pl.String,
}
_TAKEN = (*_RESULTS, "state", "near_rest")
"""Names of columns beside the axes."""
_WORDS = {True: "stable", False: "not stable", None: "no equilibrium"}
_COLOURS = {"stable": "#2a78d6", "not stable": "#d0571a", "no equilibrium": "#9a9a96"}
_MOST_TEXT = 120
"""A map with more cells has no figures in them."""


@dataclass(frozen=True)
class StabilityMap:
    """The model's equilibrium and how disturbances of it fade, at every point of some axes.

    ``frame`` has a row for each point: the axes (labels), and the columns of `stability_map`.
    """

    scenario: Scenario
    axes: Mapping[str, Axis]
    frame: pl.DataFrame
    notes: tuple[str, ...]

    def words(self) -> list[str]:
        """The findings, in sentences."""
        counts = {word: self._states().count(word) for word in _COLOURS}
        of = f"{self.frame.height} point{'' if self.frame.height == 1 else 's'}"
        said = f"The model is stable at {counts['stable']} of {of} and not at {counts['not stable']}"
        said += f"; at {counts['no equilibrium']} it has no equilibrium." if counts["no equilibrium"] else "."
        found = self.frame.filter(pl.col("stable").is_not_null())
        if found.is_empty():
            return [said]
        least = found.sort("gain_margin").row(0, named=True)
        place = ", ".join(f"{name} = {least[name]}" for name in self.axes)
        return [
            said,
            f"The least gain margin is {least['gain_margin']:.3g}, at {place}; below 1 the loop is not stable.",
        ]

    def _states(self) -> list[str]:
        return [_WORDS[one] for one in self.frame["stable"].to_list()]

    def _table(self) -> pl.DataFrame:
        """The frame with words in the place of yes and no, without the column of reasons if it is empty."""
        told = self.frame.with_columns(near_rest=pl.Series(self._states(), dtype=pl.String)).drop("stable")
        if "grows" in told.columns:
            followed = pl.when(pl.col("grows")).then(pl.lit("grows")).otherwise(pl.lit("fades"))
            told = told.with_columns(followed=pl.when(pl.col("grows").is_not_null()).then(followed)).drop("grows")
        return told.drop("why") if told["why"].null_count() == told.height else told

    def chart(self) -> Drawing:
        """One axis: the gain margin along it. More: a cell for each point, with its gain margin."""
        rows = self.frame.with_columns(state=pl.Series(self._states(), dtype=pl.String)).drop("why")
        names = sorted(self.axes, key=lambda name: (self.axes[name].numbers is None, -len(self.axes[name].labels)))
        first = names[0]
        colour = alt.Color(
            "state:N",
            title=None,
            scale=alt.Scale(domain=list(_COLOURS), range=list(_COLOURS.values())),
            legend=alt.Legend(orient="top"),
        )
        tips = [alt.Tooltip(f"{name}:N") for name in names]
        tips += [
            alt.Tooltip("phase_margin_deg:Q", title="phase margin (°)", format=".3~g"),
            alt.Tooltip("gain_margin:Q", title="gain margin", format=".3~g"),
            alt.Tooltip("root_real:Q", title="growth of a disturbance (1/s)", format=".3~g"),
            alt.Tooltip("queue_packets:Q", title="queue at rest (packets)", format=".4~g"),
        ]
        base = alt.Chart(inline(rows, "stability"))
        heading = f"Where the fluid model is stable, over {', '.join(names)}"
        x = alt.X(f"{first}:O", sort=list(self.axes[first].labels), title=first, axis=alt.Axis(labelAngle=0))
        if len(names) == 1:
            y = alt.Y("gain_margin:Q", title="Gain margin", axis=number_axis(), scale=alt.Scale(type="log"))
            line = base.mark_line(color="#9a9a96").encode(x=x, y=y)
            dots = base.mark_point(size=70, filled=True, opacity=1).encode(x=x, y=y, color=colour, tooltip=tips)
            drawing: Drawing = alt.layer(line, dots).properties(height=260)
            return drawing.properties(
                title=title(heading, "stable above a gain margin of 1"), usermeta=layout(), description=heading
            )
        second = names[1]
        y = alt.Y(f"{second}:O", sort=list(self.axes[second].labels)[::-1], title=second)
        cells = base.mark_rect(stroke="white").encode(x=x, y=y, color=colour, tooltip=tips)
        drawing = alt.layer(cells)
        if rows.height <= _MOST_TEXT:
            text = base.mark_text(fontSize=11, color="#ffffff").encode(
                x=x, y=y, text=alt.Text("gain_margin:Q", format=".2~f")
            )
            drawing = alt.layer(cells, text)
        drawing = drawing.properties(height=alt.Step(30))
        hints = layout()
        if len(names) > 2:
            drawing = drawing.facet(facet=alt.Facet(f"{names[2]}:N", title=names[2]), columns=2)
            hints = layout(columns=2, panel_min=260, overhead=60)
        return drawing.properties(
            title=title(heading, "figures are gain margins; at 1 the loop begins to swing by itself"),
            usermeta=hints,
            description=heading,
        )

    def report(self, path: StrPath) -> None:
        """Write it as one HTML file."""
        page = Report(
            title=f"{self.scenario.title}: stability of the fluid model",
            lead=" ".join(self.words()),
            provenance=provenance(_core.build(), ()),
        )
        page.add_plot(self.chart(), heading="Stability")
        page.add_table(
            self._table(), "All points", "Margins are of the loop at the equilibrium; its rightmost root is in 1/s."
        )
        page.add_text(
            "\n\n".join(f"{note[0].upper()}{note[1:]}." for note in self.notes),
            heading="Parts that the model leaves out",
        )
        page.add_scenario(self.scenario.to_toml())
        page.write(Path(path))


def stability_over(
    scenario: Scenario,
    axes: Mapping[str, Axis],
    *,
    followed: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> StabilityMap:
    """The stability of a scenario's fluid model at every point of some axes.

    Parameters
    ----------
    scenario
        The scenario of all points, without the keys of the axes.
    axes
        Axes over keys of the scenario, as those of a sweep.
    followed
        Whether a disturbance is followed by integration, too, which takes about a second a point.
    progress
        Called with the number of points that are done, and of all.

    Raises
    ------
    ValueError
        If the model has no such queue or flows; see `of_scenario`. If an axis has the name of a column of the map.
    """
    if taken := [name for name in axes if name in _TAKEN]:
        hint = f"write another name before the key: OTHER:KEY={','.join(axes[taken[0]].labels)}"
        raise ValueError(f"axis {taken[0]}: the map has a column of this name\n  hint:    {hint}")
    rows: list[dict[str, Any]] = []
    notes: dict[str, None] = {}
    made = scenarios(scenario, axes)
    for point, at in zip(points(axes), made.values(), strict=True):
        model = of_scenario(at)
        notes.update(dict.fromkeys(model.notes))
        rows.append({**point, **near_rest(model.model, followed=followed)})
        if progress is not None:
            progress(len(rows), len(made))
    schema: dict[str, Any] = {**dict.fromkeys(axes, pl.String), **_RESULTS}
    if not followed:
        del schema["grows"]
    frame = pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)
    return StabilityMap(scenario, dict(axes), frame, tuple(notes))
