"""An experiment that is data, and how it runs: the same for one made in Python and one from a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

from .._base.schema import Starts, Wrong, in_print, told_of
from ..runs.metrics import not_begun
from ..scenario.scenario import Scenario
from .cells import printed, stated
from .claims import LEVEL, Claim, quantile
from .context import Context
from .curves import Curve
from .design import Design, NotRunError, Reading, Results, Seeds
from .exhibits import Exhibit, Later, Remark
from .experiment import Experiment, Finding, Named
from .kinds import Kind, Printed, Table
from .line_charts import lines
from .overview import fits, grid, numbers
from .readings import under_readings
from .traces import Trace

__all__ = ["MOST_SEEDS", "StudyExperiment", "experiment", "of_claims"]

MOST_SEEDS = Seeds(quick=1, full=1).open
"""The greatest number of seeds of a claim that is open, unless its experiment says otherwise."""

Make = Kind | Callable[[Results], Claim]


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
    judges = [partial(_one, made.of_the_work, make) for make in made.claims]
    grown: dict[str, tuple[Claim, int]] = {}
    for found in under_readings(judges, base, others, beside=Results.beside):
        if not grows or not isinstance(found, Claim):
            yield found
        elif found.reading:
            yield _with_seeds_of_base(made, context, base, others[found.reading], found, *grown.get(found.key, ()))
        elif found.settled(context.among):
            yield found
        else:
            grown[found.key] = _with_more_seeds(made, context, base, found)
            yield grown[found.key][0]
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


def _one(printed: Printed, make: Make, results: Results) -> Iterator[Claim]:
    """The claim, unless it is about points that a quick run or a reading leaves out by name."""
    before, results.used = results.used, set()
    try:
        claim = make.claim(results, printed) if isinstance(make, Kind) else make(results)
        claim, results.used = replace(claim, points=len(results.used)), results.used | before
        yield claim
    except NotRunError:
        if not results.only:
            raise ValueError(f"claim {getattr(make, 'text', make)!r} has no verdict: nothing of it was run") from None


def _with_more_seeds(made: StudyExperiment, context: Context, base: Results, claim: Claim) -> tuple[Claim, int]:
    """A claim that is not settled, judged again with twice the seeds, up to the limit; and the seeds that it got.

    Only its own variants run. If even the limit would hardly settle it, no more seeds are run. If it is still open, but
    at most `open` seeds of its experiment would settle it with the mean and the spread as seen, it gets these. A
    printed mean of many runs may need more than `most`, too: it gets as many as confirm it.
    """
    count = len(base.study.seeds)
    most = made.design.seeds.most
    while not claim.settled(context.among) and 2 * count <= most and _may_settle(claim, context.among, most / count):
        count *= 2
        claim = _again(made, context, base, claim, count)
    wanted = claim.wanted or _would_settle(claim, context.among, count)
    if not claim.settled(context.among) and count < wanted <= made.design.seeds.open:
        return _again(made, context, base, claim, wanted), wanted
    return claim, count


def _with_seeds_of_base(
    made: StudyExperiment,
    context: Context,
    base: Results,
    other: Results,
    claim: Claim,
    first: Claim | None = None,
    count: int = 0,
) -> Claim:
    """A claim under a reading with as many seeds as under the first reading, where it might hold and that does not.

    `first` is the claim under the first reading, if it got more seeds than the experiment, and `count` their number.
    """
    fails = ("fails", "contradicted")
    if first is None or count <= len(other.study.seeds) or first.verdict == "holds" or claim.verdict in fails:
        return claim
    found = _again(made, context, other, claim, count)
    plain = _again(made, context, Results(made.design, base.study, base.looks, other.only), claim, count)
    return replace(found, verdict="holds" if found.verdict == "fitted" else found.verdict, beside=plain)


def _again(made: StudyExperiment, context: Context, results: Results, claim: Claim, count: int) -> Claim:
    """A claim judged by `count` seeds of the variants that it uses; it keeps its reading."""
    place, make = _of_key(made, results, claim.key)
    own = Results(made.design, results.study, results.looks, results.only)
    next(iter(_one({}, make, own)))
    variants = {label: scenario for label, scenario in results.study.variants.items() if label in own.used}
    # Under a name of its own: the runs of the other variants are those of the base.
    name = f"{claim.reading or 'base'}, further seeds for claim {place + 1}"
    study = context.metric_study(name, variants, made.design.run_metrics, seeds=range(1, 1 + count))
    found = next(iter(_one(made.of_the_work, make, Results(made.design, study, results.looks, results.only))))
    return replace(found, reading=claim.reading)


def _of_key(made: StudyExperiment, results: Results, key: str) -> tuple[int, Make]:
    """The place of a claim among those of the experiment, and the claim."""
    for place, make in enumerate(made.claims):
        known = [make.key] if isinstance(make, Kind) else [one.key for one in _one({}, make, results)]
        if known == [key]:
            return place, make
    raise KeyError(key)


def _may_settle(claim: Claim, among: int, times: float) -> bool:
    """Whether `times` as many seeds may settle a claim among `among`: if it is one standard error better than seen."""
    if claim.short:
        return True
    seen, wanted = _quantiles(claim, among)
    return (seen + 1.0) * math.sqrt(times) >= wanted


def _would_settle(claim: Claim, among: int, count: int) -> int:
    """The number of seeds that would settle a claim which has `count` of them, with the mean and the spread as seen."""
    seen, wanted = _quantiles(claim, among)
    return math.ceil(count * (wanted / seen) ** 2) if seen > wanted / math.sqrt(MOST_SEEDS) else 2 * MOST_SEEDS


def _quantiles(claim: Claim, among: int) -> tuple[float, float]:
    """The p-value of a claim and the one that settles it, as normal quantiles."""
    return quantile(claim.p or 0.0), quantile((1.0 - LEVEL) / among)
