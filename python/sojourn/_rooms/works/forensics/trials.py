"""Runs of the printed rows under settings: our numbers under each setting for each printed number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...runs.metrics import Metric
from ...runs.numbers import MetricStudy
from ...scenario.scenario import Scenario
from ...statistics.samples import Sample
from ..context import Context
from ..design import Design, Results, label
from .choices import Factor, Setting, laid_over
from .numbers import Row

__all__ = ["Trials", "Values"]

Values = Sequence[Mapping[str, Sample]]
"""For each row, in order: our sample by case."""


@dataclass
class Trials:
    """Runs settings and keeps their results.

    A scenario that is the same under two settings is run once. All runs are under the reading, if one is named.
    """

    context: Context
    factors: Sequence[Factor]
    rows: Sequence[Row]
    reading: str = ""
    _bases: dict[tuple[str, str], Scenario] = field(default_factory=dict)

    def run(self, settings: Sequence[Setting], seeds: Sequence[int]) -> list[Values]:
        """The results of the settings for each row, with these seeds."""
        found: list[dict[int, Mapping[str, Sample]]] = [{} for _ in settings]
        for places in self._blocks():
            for one, values in zip(found, self._block(places, settings, seeds), strict=True):
                one.update(values)
        return [[one[place] for place in range(len(self.rows))] for one in found]

    def scenarios(self, setting: Setting) -> list[Scenario]:
        """Every scenario that a setting runs."""
        return [self._scenario(row.study.design, point, setting) for row in self.rows for point in row.points]

    def changed(self, setting: Setting, other: Setting) -> int:
        """The number of a setting's scenarios that differ under another setting."""
        pairs = zip(self.scenarios(setting), self.scenarios(other), strict=True)
        return sum(one != two for one, two in pairs)

    def touching(self) -> list[Factor]:
        """The factors that change a scenario of these rows."""
        return [factor for factor in self.factors if self._touches(factor)]

    def _touches(self, factor: Factor) -> bool:
        designs = {id(row.study.design): (row.study.design, row.points) for row in self.rows}
        for design, points in designs.values():
            for point in points:
                base = self._base(design, point)
                if any(laid_over(base, design.scenario, [choice]) != base for choice in factor.choices):
                    return True
        return False

    def _blocks(self) -> list[list[int]]:
        """Places of rows whose experiments have the same runs: these are made once for all their metrics."""
        blocks: dict[str, list[int]] = {}
        for place, row in enumerate(self.rows):
            design = row.study.design
            blocks.setdefault(f"{design.scenario} {sorted(design.axes)} {design.axes}", []).append(place)
        return list(blocks.values())

    def _block(
        self, places: Sequence[int], settings: Sequence[Setting], seeds: Sequence[int]
    ) -> Iterable[Mapping[int, Mapping[str, Sample]]]:
        rows = [self.rows[place] for place in places]
        designs = {row.study.name: row.study.design for row in rows}
        metrics = {
            f"{name}/{metric}": content
            for name, design in designs.items()
            for metric, content in design.run_metrics.items()
        }
        points = {label(point): point for row in rows for point in row.points}
        design = next(iter(designs.values()))
        variants = {
            f"{number}/{at}": self._scenario(design, point, setting)
            for number, setting in enumerate(settings)
            for at, point in points.items()
        }
        name = f"forensics, {', '.join(designs)}"
        done = self.context.metric_study(name, variants, metrics, seeds=seeds)
        # These runs are not part of a reproduction.
        self.context.studies.clear()
        for number in range(len(settings)):
            yield {
                place: row.samples(Results(row.study.design, _part(done, number, points, row.study.name)))
                for place, row in zip(places, rows, strict=True)
            }

    def _scenario(self, design: Design, point: Mapping[str, str], setting: Setting) -> Scenario:
        chosen = [factor.choices[place] for factor, place in zip(self.factors, setting, strict=True)]
        return laid_over(self._base(design, point), design.scenario, [one for one in chosen if not one.taken])

    def _base(self, design: Design, point: Mapping[str, str]) -> Scenario:
        key = f"{id(design)}", label(point)
        if key not in self._bases:
            reading = next((one for one in design.readings if one.name == self.reading), None)
            self._bases[key] = design.scenario_at(self.context, point, reading)
        return self._bases[key]


def _part(done: MetricStudy, number: int, points: Iterable[str], experiment: str) -> MetricStudy:
    """The runs of one setting, with the metrics of one experiment."""
    head = f"{experiment}/"
    metrics: dict[str, Metric] = {
        name.removeprefix(head): metric for name, metric in done.metrics.items() if name.startswith(head)
    }
    labels = [at for at in points if f"{number}/{at}" in done.variants]
    return MetricStudy(
        {at: done.variants[f"{number}/{at}"] for at in labels},
        done.seeds,
        metrics,
        {
            (at, seed): {
                name.removeprefix(head): parts
                for name, parts in done.parts[f"{number}/{at}", seed].items()
                if name.startswith(head)
            }
            for at in labels
            for seed in done.seeds
        },
    )
