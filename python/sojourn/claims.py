"""What a paper claims, and how runs decide about it.

A verdict comes from an interval and a bound that is written down beforehand, never from looking at a curve:

``holds``
    the whole 95 % interval lies on the claimed side of the bound;
``fails``
    the whole interval lies on the other side;
``undecided``
    the interval holds the bound, or there are fewer than two runs: more runs would decide;
``explained``
    it fails, and the paper's module says why;
``shown``
    a number beside ours that is not judged.

Differences between two queues are formed seed by seed (common random numbers) before they get here. A claim about
several cases, such as "for every xi", holds if every case holds at 95 %; it fails if one case fails at
``1 - 0.05 / cases`` (Bonferroni), so that many cases do not make one fail by chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from .stats import Interval, mean_interval

__all__ = [
    "LEVEL",
    "Claim",
    "Judgement",
    "Sample",
    "Verdict",
    "above",
    "below",
    "every",
    "factor",
    "inside",
    "minus",
    "ratio",
    "steps",
]

Verdict = Literal["holds", "fails", "undecided", "explained", "shown"]

Sample = Sequence[float]
"""One value for each seed; NaN where a run has none."""

LEVEL = 0.95
"""Confidence of the intervals that decide."""


def minus(values: Sample, other: Sample, factor: float = 1.0) -> list[float]:
    """Differences seed by seed, `factor` times the second.

    >>> minus([3.0, 5.0], [1.0, 2.0], 2.0)
    [1.0, 1.0]
    """
    return [value - factor * base for value, base in zip(values, other, strict=True)]


def ratio(values: Sample, other: Sample) -> list[float]:
    """Ratios seed by seed.

    >>> ratio([3.0, 5.0], [2.0, 5.0])
    [1.5, 1.0]
    """
    return [value / base for value, base in zip(values, other, strict=True)]


def steps(cases: Mapping[str, Sample]) -> dict[str, Sample]:
    """How much each case differs from the one before, seed by seed.

    >>> steps({"ten": [1.0, 2.0], "twenty": [4.0, 3.0]})
    {'twenty against ten': [3.0, 1.0]}
    """
    return {f"{after} against {before}": minus(cases[after], cases[before]) for before, after in pairwise(cases)}


_FACTORS = {"%": 100.0, "points": 100.0, "us": 1e3, "kbit/s": 1e-3, "Mbit/s": 1e-6, "Gbit/s": 1e-9}


def factor(unit: str) -> float:
    """What a number as the tables have it is multiplied with to be shown in `unit`.

    Shares are 0 to 1 in the tables; their differences are shown in points.

    >>> factor("%"), factor("packets")
    (100.0, 1.0)
    """
    return _FACTORS.get(unit, 1.0)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One statement of a paper beside what we find.

    Attributes
    ----------
    text
        What is claimed, in a line.
    verdict
        See the module.
    published, ours
        The numbers, if there are any, in the units of the tables (a share is 0 to 1).
    unit
        Unit to show them in; see :func:`factor`.
    source
        Table, figure or section of the paper.
    rule
        How the verdict is found, with its bounds.
    note
        What the verdict rests on, in a line.
    experiment
        Name of the experiment; filled in by :func:`sojourn.papers.reproduce`.
    reading
        Where the paper is ambiguous, the reading under which the claim is judged here; empty for the one that the
        experiments are run with. Claims of one text belong together.
    """

    text: str
    verdict: Verdict
    published: float | None = None
    ours: Interval | None = None
    unit: str = ""
    source: str = ""
    rule: str = ""
    note: str = ""
    experiment: str = ""
    reading: str = ""

    @classmethod
    def judged(
        cls,
        text: str,
        judgement: Judgement,
        *,
        rule: str,
        source: str = "",
        unit: str = "",
        published: float | None = None,
        note: str = "",
        explanation: str = "",
    ) -> Claim:
        """A claim with the verdict of a rule; with `explanation` a failure is ``explained``."""
        verdict: Verdict = "explained" if judgement.verdict == "fails" and explanation else judgement.verdict
        said = "; ".join(part for part in (judgement.case, note, explanation if verdict == "explained" else "") if part)
        return cls(
            text=text,
            verdict=verdict,
            published=published,
            ours=judgement.interval,
            unit=unit,
            source=source,
            rule=rule,
            note=said,
        )

    @classmethod
    def near(
        cls,
        text: str,
        *,
        published: float,
        ours: Interval,
        within: float,
        unit: str = "",
        source: str = "",
        explanation: str = "",
    ) -> Claim:
        """A number: it holds if our whole interval is within `within` of the published one."""
        return cls.judged(
            text,
            Judgement(_between(ours, published - within, published + within), ours),
            rule=f"the interval lies within {within * factor(unit):.3g} {unit} of the published value".replace(
                "  ", " "
            ),
            published=published,
            unit=unit,
            source=source,
            explanation=explanation,
        )

    @classmethod
    def that(
        cls,
        text: str,
        holds: bool,
        *,
        ours: Interval | None = None,
        unit: str = "",
        source: str = "",
        note: str = "",
        explanation: str = "",
    ) -> Claim:
        """A statement without chance in it, such as a parameter's value; `ours` may show what it rests on."""
        verdict: Verdict = "holds" if holds else "explained" if explanation else "fails"
        said = "; ".join(part for part in (note, explanation if verdict == "explained" else "") if part)
        return cls(text=text, verdict=verdict, ours=ours, unit=unit, source=source, note=said)


@dataclass(frozen=True)
class Judgement:
    """What a rule says.

    Attributes
    ----------
    verdict
        ``holds``, ``fails`` or ``undecided``.
    interval
        The interval that decides; of several cases, the one that is least favourable to the claim.
    case
        Which case that is.
    """

    verdict: Verdict
    interval: Interval
    case: str = ""


def below(sample: Sample, bound: float = 0.0, *, level: float = LEVEL) -> Judgement:
    """Whether the mean is below `bound`.

    Examples
    --------
    >>> below([-1.0, -1.1, -0.9]).verdict
    'holds'
    """
    interval = mean_interval(sample, level=level)
    return Judgement(_side(interval, bound), interval)


def above(sample: Sample, bound: float = 0.0, *, level: float = LEVEL) -> Judgement:
    """Whether the mean is above `bound`."""
    interval = mean_interval(sample, level=level)
    verdict: dict[Verdict, Verdict] = {"holds": "fails", "fails": "holds", "undecided": "undecided"}
    return Judgement(verdict[_side(interval, bound)], interval)


def inside(sample: Sample, low: float, high: float, *, level: float = LEVEL) -> Judgement:
    """Whether the mean is between `low` and `high`."""
    interval = mean_interval(sample, level=level)
    return Judgement(_between(interval, low, high), interval)


def every(cases: Mapping[str, Sample], rule: Callable[..., Judgement], *bounds: float) -> Judgement:
    """Whether `rule` holds in every case.

    Examples
    --------
    >>> every({"first": [1.0, 1.1], "second": [2.0, 2.1]}, above, 5.0).verdict
    'fails'
    """
    if not cases:
        raise ValueError("there is no case to judge")
    strict = 1.0 - (1.0 - LEVEL) / len(cases)
    plain = {name: rule(sample, *bounds) for name, sample in cases.items()}
    for name, sample in cases.items():
        if rule(sample, *bounds, level=strict).verdict == "fails":
            return replace(plain[name], verdict="fails", case=name)
    for name, judgement in plain.items():
        if judgement.verdict != "holds":
            return replace(judgement, verdict="undecided", case=name)
    return replace(_least(plain, rule), verdict="holds")


def _known(interval: Interval) -> bool:
    return math.isfinite(interval.half_width)


def _side(interval: Interval, bound: float) -> Verdict:
    if not _known(interval) or interval.low <= bound <= interval.high:
        return "undecided"
    return "holds" if interval.high < bound else "fails"


def _between(interval: Interval, low: float, high: float) -> Verdict:
    if not _known(interval):
        return "undecided"
    if low <= interval.low and interval.high <= high:
        return "holds"
    return "fails" if interval.high < low or high < interval.low else "undecided"


def _least(judgements: Mapping[str, Judgement], rule: Callable[..., Judgement]) -> Judgement:
    """The case that comes closest to not holding: highest for :func:`below`, lowest for :func:`above`."""
    if rule is inside:
        name = max(judgements, key=lambda name: judgements[name].interval.half_width)
    else:
        sign = -1.0 if rule is above else 1.0
        name = max(judgements, key=lambda name: sign * judgements[name].interval.mean)
    return replace(judgements[name], case=name)
