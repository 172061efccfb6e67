"""An experiment that is data, and how it runs: the same for one made in Python and one from a file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

from .._base.schema import Starts, Wrong, in_print, told_of
from ..runs.metrics import not_begun
from ..scenario.scenario import Scenario
from .cells import printed, stated
from .claims import Claim
from .context import Context
from .curves import Curve
from .design import Design, Reading, Results, Seeds
from .exhibits import Exhibit, Later, Remark
from .experiment import Experiment, Finding, Named
from .growth import Grown, Make, judged, with_more_seeds, with_seeds_of_first
from .kinds import Kind, Printed, Table
from .line_charts import lines
from .overview import fits, grid, numbers
from .readings import under_readings
from .traces import Trace

__all__ = ["StudyExperiment", "experiment", "of_claims"]


@dataclass(frozen=True, kw_only=True)
class StudyExperiment:
    """An experiment of a work as data.

    Attributes
    ----------
    name, doc, about
        For ``--only``, a line about it, and a paragraph for the report on stated and unstated points.
    design
        The runs: variants, metrics and seeds.
    claims
        The claims: kinds of claims, or functions of the results if no kind fits.
    rows
        The axis that is in the rows of the table and along the chart; the first by default.
    traces
        Figures of single runs, mostly over time.
    curves
        Figures along points of an axis whose labels begin with a number.
    printed
        Tables whose numbers are beside ours and are not judged.
    shown
        Whether its numbers are shown; those of another experiment's runs are shown there.
    further
        Tables of files that continue it, whose printed numbers its charts mark, too.
    continues
        The experiment whose runs these are, if they are not its own.
    files
        Where it was read from, for messages.
    labels
        The variants that are run, if not all: those of the claims that are asked for. Nothing is drawn then.
    """

    name: str
    doc: str
    design: Design
    claims: Sequence[Make]
    about: str = ""
    rows: str = ""
    traces: Sequence[Trace] = ()
    curves: Sequence[Curve] = ()
    printed: Sequence[Table] = ()
    shown: bool = True
    further: Sequence[Table] = ()
    continues: str = ""
    files: Starts = ()
    labels: frozenset[str] = frozenset()

    def variants(self, context: Context, reading: Reading | None = None) -> dict[str, Scenario]:
        """The scenarios that are run, by label."""
        every = self.design.variants(context, reading)
        return {label: every[label] for label in every if label in self.labels or not self.labels}

    def seeds(self, context: Context) -> range:
        """The seeds of a run."""
        return context.seeds(full=self.design.seeds.full, quick=self.design.seeds.quick)

    def base(self, context: Context, looks: int = 1) -> Results:
        """Its runs, under the first reading."""
        measured = context.metric_study(
            "base", self.variants(context), self.design.run_metrics, seeds=self.seeds(context)
        )
        return Results(self.design, measured, looks, self.design.only(context))

    @cached_property
    def of_the_work(self) -> Printed:
        """The numbers that the work prints for the metrics, by the label of the variant."""
        found: dict[tuple[str, str], float] = {}
        for one in [*self.claims, *self.printed]:
            if isinstance(one, Table):
                found |= one.of_points(self.design)
        return found


def experiment(made: StudyExperiment) -> Experiment:
    """As an experiment of a :class:`sojourn.papers.Paper`."""
    known = {one.key: one for one in made.claims if isinstance(one, Kind)}
    parts = [*made.claims, *made.printed, *made.traces, *made.curves]
    sources = [source for one in parts if (source := getattr(one, "source", ""))]
    seeds = _seeds_in_words(made.design.seeds)
    return Experiment(
        name=made.name,
        doc=made.doc,
        check=partial(_run, made),
        claims=len(made.claims),
        seeds=seeds,
        texts={key: one.text for key, one in known.items()},
        rules={key: one.words(one.unit(made.design)) for key, one in known.items()},
        sources=sources,
        prepare=partial(_prepare, made),
        named=Named(
            metrics=list(made.design.metrics),
            axes={axis: list(points) for axis, points in made.design.axes.items()},
            readings=[reading.name for reading in made.design.readings],
        ),
        study=made,
    )


def of_claims(whole: Experiment, keys: Sequence[str]) -> Experiment:
    """An experiment without its other claims, and without the variants that only these need.

    It is known by as many claims as before, so that a claim is settled as among all of them.
    """
    made = whole.study
    assert isinstance(made, StudyExperiment)  # noqa: S101 - a claim with a key before the run is one of data
    claims = [one for one in made.claims if isinstance(one, Kind) and one.key in keys]
    labels = {label for one in claims for _, label in one.needs(made.design)}
    own = experiment(replace(made, claims=claims, labels=frozenset(labels)))
    return replace(own, claims=whole.claims)


def _prepare(made: StudyExperiment, context: Context) -> None:
    """Refuse scenarios that cannot be built, rows that runs do not have, and claims about unrecorded tables."""
    design = made.design
    try:
        base = design.variants(context)
        _check_recorded(made, base)
        for reading in design.readings if context.readings else ():
            design.variants(context, reading)
    except Wrong as wrong:
        raise told_of(wrong, made.files) from None


def _check_recorded(made: StudyExperiment, variants: Mapping[str, Scenario]) -> None:
    """Some points may lack tables that others record, unless a claim needs them."""
    design = made.design
    lacks: set[tuple[str, str]] = set()
    empty = cache(lambda label: not_begun(variants[label]))
    for name, metric in design.run_metrics.items():
        plain = name.partition("@")[0]
        found: list[Wrong] = []
        for label in list(variants) if metric.is_recorded else list(variants)[:1]:
            try:
                metric.try_on(empty(label))
            except Wrong as wrong:
                wrong.path = ("metrics", plain, *wrong.path)
                if not metric.is_recorded or "table" not in wrong.path:
                    raise
                found.append(wrong)
                lacks.add((plain, label))
        if found and len(found) == len(variants):
            raise found[0]
    for claim in made.claims if lacks else ():
        if isinstance(claim, Kind) and (wanted := sorted(lacks & claim.needs(design))):
            metric_name, where = wanted[0]
            raise ValueError(f"claim {in_print(claim.text)}: the metric {metric_name!r} is not recorded at {where}")


def _seeds_in_words(seeds: Seeds) -> str:
    most = f", up to {seeds.most} for a claim that they leave open" if seeds.looks > 1 else ""
    return f"{seeds.full} seeds{most}"


def _run(made: StudyExperiment, context: Context) -> Iterator[Finding | Later]:
    """Claims under every reading, the table and the chart."""
    if context.from_few:
        made = replace(made, design=replace(made.design, seeds=made.design.seeds.from_few))
    design = made.design
    if made.about:
        yield Remark(title="Stated and open settings", text=made.about)
    seeds = made.seeds(context)
    grows = not context.quick and context.runs is None
    # The last look is the one with the seeds that an open claim would need.
    base = made.base(context, design.seeds.looks + 1 if grows else 1)
    others = {
        reading.name: Results(
            design,
            context.metric_study(reading.name, made.variants(context, reading), design.run_metrics, seeds=seeds),
            base.looks,
            design.only(context, reading),
        )
        for reading in (design.readings if context.readings else ())
        if design.points(design.only(context, reading))
    }
    judges = [partial(judged, made.of_the_work, make) for make in made.claims]
    grown: dict[str, Grown] = {}
    for found in under_readings(judges, base, others, beside=Results.beside):
        if not grows or not isinstance(found, Claim):
            yield found
        elif found.reading and found.key in grown:
            other = others[found.reading]
            yield with_seeds_of_first(made.claims, made.of_the_work, context, other, found, grown[found.key])
        elif found.reading or found.settled(context.among):
            yield found
        else:
            grown[found.key] = with_more_seeds(design, made.claims, made.of_the_work, context, base, found)
            yield grown[found.key].claim
    if made.labels:
        return
    yield Later(lambda: _exhibits(made, context, base, others))
    for trace in made.traces:
        if drawn := trace.chart(base, context):
            yield drawn


def _exhibits(
    made: StudyExperiment, context: Context, base: Results, others: Mapping[str, Results]
) -> Iterator[Exhibit]:
    """Tables and charts of all runs."""
    rows = made.rows or next(iter(made.design.axes))
    tables = [make for make in [*made.claims, *made.printed] if isinstance(make, Table)]
    every = base.with_all(context)
    beside = printed(base, tables)
    marked = stated(base, made.claims, printed(base, [*tables, *made.further]))
    yield grid(every, made.name if made.shown else made.continues)
    if made.shown or tables:
        yield from numbers(every, beside, rows, all_of_them=made.shown)
    if best := fits({"as run": base, **others}, tables):
        yield best
    if made.shown and (chart := lines(every, marked, rows)):
        yield chart
    for curve in made.curves:
        if drawn := curve.chart(every, marked):
            yield drawn
