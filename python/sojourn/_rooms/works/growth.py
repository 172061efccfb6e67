"""More seeds for claims that are open: how many, and at which points."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ..runs.numbers import UnevenStudy
from .claims import LEVEL, Claim, quantile
from .context import Context
from .design import Design, NotRunError, Results, Seeds
from .kinds import Kind, Printed

__all__ = ["MOST_SEEDS", "Grown", "Make", "judged", "with_more_seeds", "with_seeds_of_first"]

MOST_SEEDS = Seeds(quick=1, full=1).open
"""The greatest number of seeds of a claim that is open, unless its experiment says otherwise."""

Make = Kind | Callable[[Results], Claim]


@dataclass(frozen=True)
class Grown:
    """A claim under the first reading with the runs that decided it, of which open cases may have more.

    Attributes
    ----------
    claim
        As it was judged last.
    results
        Its runs.
    seeds
        The greatest number of seeds of a case.
    """

    claim: Claim
    results: Results
    seeds: int


def judged(printed: Printed, make: Make, results: Results) -> Iterator[Claim]:
    """The claim, unless it is about points that a quick run or a reading leaves out by name."""
    before, results.used = results.used, set()
    try:
        claim = make.claim(results, printed) if isinstance(make, Kind) else make(results)
        claim, results.used = replace(claim, points=len(results.used)), results.used | before
        yield claim
    except NotRunError:
        if not results.only:
            raise ValueError(f"claim {getattr(make, 'text', make)!r} has no verdict: nothing of it was run") from None


def with_more_seeds(
    design: Design, makes: Sequence[Make], printed: Printed, context: Context, base: Results, claim: Claim
) -> Grown:
    """A claim that is not settled, judged again with twice the seeds, up to the limit.

    Only the variants of its open cases run. If even the limit would hardly settle it, no more seeds are run. If it is
    still open, but at most `open` seeds of its experiment would settle it with the mean and the spread as seen, it gets
    these. A printed mean of many runs may need more than `most`, too: it gets as many as confirm it.
    """
    found = Grown(claim, base, len(base.study.seeds))
    most, among = design.seeds.most, context.among

    def more(seeds: int) -> Grown:
        return _again(makes, printed, context, found, seeds)

    while (
        not found.claim.settled(among)
        and 2 * found.seeds <= most
        and _may_settle(found.claim, among, most / found.seeds)
    ):
        found = more(2 * found.seeds)
    wanted = found.claim.wanted or _would_settle(found.claim, among, found.seeds)
    if not found.claim.settled(among) and found.seeds < wanted <= design.seeds.open:
        found = more(wanted)
    return found


def with_seeds_of_first(
    makes: Sequence[Make], printed: Printed, context: Context, other: Results, claim: Claim, first: Grown
) -> Claim:
    """A claim under a reading with as many seeds as under the first one, where it might hold and that does not.

    A claim that its own seeds decide needs no more of them, but a number that holds because too few runs speak against
    it does.
    """
    here = len(other.study.seeds)
    if first.seeds <= here or first.claim.verdict == "holds" or claim.verdict in ("fails", "contradicted"):
        return claim
    if claim.p is None or not claim.settled(context.among):
        claim = _again(makes, printed, context, Grown(claim, other, here), first.seeds).claim
    _, make = _of_key(makes, other, claim.key)
    base = first.results
    plain = next(judged(printed, make, Results(base.design, base.study, base.looks, other.only)))
    verdict = "holds" if claim.verdict == "fitted" else claim.verdict
    return replace(claim, verdict=verdict, beside=plain, enough=True)


def _again(makes: Sequence[Make], printed: Printed, context: Context, before: Grown, seeds: int) -> Grown:
    """A claim judged by so many seeds of the variants of its open cases; it keeps its reading."""
    results, reading = before.results, before.claim.reading
    place, make = _of_key(makes, results, before.claim.key)
    variants = {label: results.study.variants[label] for label in _open_at(make, results, context.among)}
    # Under a name of its own: the runs of the other variants are those of the base.
    name = f"{reading or 'base'}, further seeds for claim {place + 1}"
    further = context.metric_study(name, variants, results.design.run_metrics, seeds=range(1, 1 + seeds))
    study = UnevenStudy.of(results.study, further)
    own = Results(results.design, study, results.looks, results.only)
    return Grown(replace(next(judged(printed, make, own)), reading=reading), own, seeds)


def _open_at(make: Make, results: Results, among: int) -> Sequence[str]:
    """The labels of the variants at which a claim needs more seeds: those of the cases that do not hold by themselves.

    All variants, if its cases are not judged apart.
    """
    own = Results(results.design, results.study, results.looks, results.only)
    if isinstance(make, Kind) and make.cases_stand_alone:
        cases = make.cases(own)
        still = [name for name, one in cases.items() if own.looks * one.hold >= (1.0 - LEVEL) / among]
        limited = replace(make, only={**make.only, **make.points_of(still, own)})
        if set(still) <= set(limited.cases(own)):
            make = limited
    own.used = set()
    next(judged({}, make, own))
    return [label for label in results.study.variants if label in own.used]


def _of_key(makes: Sequence[Make], results: Results, key: str) -> tuple[int, Make]:
    """The place of a claim among those of the experiment, and the claim."""
    for place, make in enumerate(makes):
        known = [make.key] if isinstance(make, Kind) else [one.key for one in judged({}, make, results)]
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
