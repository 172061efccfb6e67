"""The fluid model of a scenario beside the simulation of its packets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import altair as alt
import numpy as np
import polars as pl

from .... import _core
from ...runs import runner
from ...scenario.scenario import Scenario
from ...showing.plots.frames import binned
from ...showing.plots.pieces import inline, layout, number_axis, title
from ...showing.plots.registry import Drawing
from ...showing.report.page import Report
from ...showing.report.provenance import provenance
from ...statistics.intervals import Interval
from ...statistics.samples import column_interval
from .linear import Linear, linearise, rightmost_root
from .model import Course
from .scenario import FromScenario, of_scenario

if TYPE_CHECKING:
    from _typeshed import StrPath

    from ...scenario.texts import Seeds

__all__ = ["Beside", "Quantity", "beside"]

_SAMPLES = 400
_MODEL, _PACKETS = "fluid model", "packets"


@dataclass(frozen=True)
class Quantity:
    """The results of the model and of the packets.

    Attributes
    ----------
    name, unit
        The name of the number, and the unit in which it is shown.
    fluid
        The number of the model, in that unit.
    packets
        Mean and 95 % interval over the seeds, in the unit of the tables.
    factor
        From the unit of the tables to the unit shown.
    """

    name: str
    unit: str
    fluid: float
    packets: Interval
    factor: float


@dataclass(frozen=True)
class Beside:
    """The fluid model and the simulation, with their values of the same quantities."""

    scenario: Scenario
    made: FromScenario
    course: Course
    study: Any
    seeds: tuple[int, ...]
    warmup_s: float

    @cached_property
    def near_rest(self) -> tuple[Linear, complex] | str:
        """The linearised model and its rightmost root, or why there is none."""
        try:
            linear = linearise(self.made.model)
            return linear, rightmost_root(linear)
        except ValueError as error:
            return str(error)

    def quantities(self) -> list[Quantity]:
        """Queue, losses or marks and utilisation after the warm-up."""
        course = self.course.frame(begin=self.warmup_s)
        model = self.made.model
        marks = "mark_ratio" if model.marks else "loss_ratio"
        arrivals = course["arrivals_pps"].to_numpy()
        lost = float(np.average(course["mark_ratio"].to_numpy(), weights=np.maximum(arrivals, 1e-9)))
        queue = course["queue"].to_numpy()
        carried = np.where(queue > 0.0, model.capacity, np.minimum(arrivals, model.capacity))
        used = float(carried.mean()) / model.capacity
        return [
            Quantity("mean queue", "packets", float(queue.mean()), self._packets("backlog_mean_packets"), 1.0),
            Quantity(
                "standard deviation of the queue",
                "packets",
                float(queue.std()),
                self._packets("backlog_sd_packets"),
                1.0,
            ),
            Quantity("marks" if model.marks else "losses", "%", 100.0 * lost, self._packets(marks), 100.0),
            Quantity("utilisation", "%", 100.0 * used, self._packets("utilisation"), 100.0),
        ]

    def _packets(self, column: str) -> Interval:
        forward = [one.queue.filter(pl.col("link") == "forward") for one in self._results]
        return column_interval(column, [float(queue[column][0]) for queue in forward])

    def table(self) -> pl.DataFrame:
        """A row for each quantity: ``quantity``, ``unit``, ``fluid``, ``packets`` and its ``low`` and ``high``.

        They are of the time after the warm-up; the interval is of 95 % over the seeds.
        """
        columns = ["quantity", "unit", "fluid", "packets", "low", "high"]
        rows = [
            (one.name, one.unit, one.fluid, *(one.factor * value for value in (ours.mean, ours.low, ours.high)))
            for one in self.quantities()
            for ours in [one.packets]
        ]
        return pl.DataFrame(rows, schema=columns, orient="row")

    @property
    def _results(self) -> list[Any]:
        return [result for _, result in self.study.results]

    def words(self) -> list[str]:
        """The equilibrium of the model, in sentences."""
        if isinstance(self.near_rest, str):
            return [f"The model has no equilibrium with all flows: {self.near_rest}."]
        linear, root = self.near_rest
        margin = linear.margins()
        windows = sorted(linear.rest.windows)
        span = f"{windows[0]:.3g}" if windows[-1] - windows[0] < 5e-3 else f"{windows[0]:.3g} to {windows[-1]:.3g}"
        word = "marks" if self.made.model.marks else "losses"
        said = (
            f"With all flows the model rests at a queue of {linear.rest.queue:.4g} packets, "
            f"{100 * linear.rest.probability:.3g} % {word} and windows of {span} packets."
        )
        if root.real < 0.0:
            near = f"This is stable: a disturbance fades by a factor e in {-1.0 / root.real:.3g} s"
        else:
            near = f"This is not stable: a disturbance grows by a factor e in {1.0 / root.real:.3g} s"
        if root.imag > 1e-9:
            near += f" and swings with a period of {2.0 * np.pi / root.imag:.3g} s"
        return [said, f"{near}. Gain margin {margin.gain:.3g}, phase margin {margin.phase_deg:.3g}°."]

    def chart(self) -> Drawing:
        """The queue over time: the model's line over the packets of the first seed, and RED's average in both."""
        rows = self._results[0].table("backlog").filter(pl.col("link") == "forward")
        packets = binned(rows.with_columns(queue=pl.lit(_PACKETS)), "backlog_packets", ["queue"], points=_SAMPLES)
        course = self.course.frame()
        lines = [_line(packets.select("time_s", value="mean"), "queue of packets")]
        lines.append(_line(course.select("time_s", value="queue"), "queue of the model"))
        if "average" in course.columns:
            lines.append(_line(course.select("time_s", value="average"), "average of the model"))
            own = self._results[0].table("probe").filter((pl.col("link") == "forward") & (pl.col("probe") == "avg"))
            if not own.is_empty():
                kept = binned(own.with_columns(queue=pl.lit(_PACKETS)), "value", ["queue"], points=_SAMPLES)
                lines.append(_line(kept.select("time_s", value="mean"), "average of packets"))
        names = ["queue of packets", "queue of the model", "average of packets", "average of the model"]
        series = pl.concat(lines)
        shown = [name for name in names if name in set(series["what"])]
        x = alt.X("time_s:Q", title="Time (s)", scale=alt.Scale(domain=[0.0, self.made.duration_s], nice=False))
        band = (
            alt.Chart(inline(packets, "band"))
            .mark_area(opacity=0.2, color=_COLOURS[0])
            .encode(x=x, y=alt.Y("low:Q", title="Packets", axis=number_axis()), y2="high:Q")
        )
        # Two in a row fit a narrow page.
        legend = alt.Legend(orient="top", columns=2)
        colour = alt.Color(
            "what:N",
            scale=alt.Scale(domain=shown, range=[_COLOURS[names.index(name)] for name in shown]),
            title=None,
            legend=legend,
        )
        dash = alt.StrokeDash(
            "what:N",
            scale=alt.Scale(domain=shown, range=[_DASHES[names.index(name)] for name in shown]),
            title=None,
            legend=legend,
        )
        line = (
            alt.Chart(inline(series, "queue"))
            .mark_line(strokeWidth=1.6)
            .encode(x=x, y="value:Q", color=colour, strokeDash=dash)
        )
        heading = "The queue in the fluid model and in packets"
        text = f"seed {self.seeds[0]}; the band has the packets' least and greatest"
        return alt.layer(band, line).properties(
            height=280, title=title(heading, text), usermeta=layout(), description=heading
        )

    def report(self, path: StrPath) -> None:
        """Write it as one HTML file."""
        page = Report(
            title=f"{self.scenario.title}: fluid model and packets",
            lead=" ".join(self.words()),
            provenance=provenance(_core.build(), self.seeds),
        )
        page.add_plot(self.chart(), heading="The queue over time")
        page.add_table(
            self.table(),
            "Means after the warm-up",
            "The packets' columns have the mean over the seeds and its 95 % interval. A fluid has no packets that come "
            "in bursts: its queue varies less, and where the queue is near 0 it loses less.",
        )
        page.add_text(
            "\n\n".join(f"{note[0].upper()}{note[1:]}." for note in self.made.notes),
            heading="Parts that the model leaves out",
        )
        page.add_scenario(self.scenario.to_toml())
        page.write(Path(path))


_COLOURS = ("#2a78d6", "#d0571a", "#2a78d6", "#d0571a")
_DASHES = ([1, 0], [1, 0], [5, 3], [5, 3])


def _line(frame: pl.DataFrame, what: str) -> pl.DataFrame:
    return frame.select(
        pl.col("time_s").cast(pl.Float64), pl.col("value").cast(pl.Float64).clip(lower_bound=0.0), what=pl.lit(what)
    )


def beside(scenario: Scenario, *, seeds: Seeds = 1, workers: int | None = None) -> Beside:
    """Run the scenario, and follow its fluid model; `seeds` as in :func:`sojourn.compare`.

    Raises
    ------
    ValueError
        If the model has no such queue or flows; see `sojourn.models.fluid.of_scenario`.
    """
    made = of_scenario(scenario)
    every = f"{max(made.duration_s / (5.0 * _SAMPLES), 1e-3):.6g}s"
    recorded = scenario.set("record.queue", every).set("record.probes", every)
    course = made.model.run(made.duration_s)
    study = runner.replicate(recorded, seeds=seeds, workers=workers)
    warmup = _core.seconds(scenario.resolved()["warmup"])
    return Beside(scenario, made, course, study, study.seeds, warmup)
