"""Rules: what a sample must be for a claim to hold, in words and as evidence.

The words and the test come from the same object, so that they cannot differ. Evidence is a pair of p-values (both
sides of Student's t, or exact ones for rare counts): a claim about several cases holds if each case holds at 95 %, and
fails if one fails at ``1 - 0.05 / cases`` (Bonferroni), so that many cases do not make one fail by chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from .samples import Counts, Sample, factor, interval_of, seen, varies, with_unit
from .stats import FEW, Interval

__all__ = [
    "LEVEL",
    "Above",
    "Below",
    "Evidence",
    "Inside",
    "Judgement",
    "Rule",
    "Verdict",
    "above",
    "below",
    "combine",
    "every",
    "inside",
]

Verdict = Literal["holds", "fails", "undecided", "contradicted", "shown"]

LEVEL = 0.95
"""Confidence of the intervals that decide."""

ANYWHERE = (-math.inf, math.inf)
"""Bounds that leave everything open."""


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
    claimed
        Between which bounds the claim has the number of that case.
    p
        How probable runs like these are if the verdict is wrong; of an undecided claim, the smaller of both sides.
    """

    verdict: Verdict
    interval: Interval
    case: str = ""
    p: float = 1.0
    claimed: tuple[float, float] = ANYWHERE


@dataclass(frozen=True)
class Evidence:
    """What a case says for a claim and against it.

    Attributes
    ----------
    interval
        Of the sample, at 95 %.
    hold, fail
        The p-values that the claim holds in this case, and that it does not.
    margin
        How far the interval stays within what is claimed; negative where an end lies outside.
    claimed
        Between which bounds the claim has the number.
    """

    interval: Interval
    hold: float
    fail: float
    margin: float
    claimed: tuple[float, float] = ANYWHERE

    @property
    def verdict(self) -> Verdict:
        """Of this case alone."""
        return _verdict(self.hold, self.fail)


class Rule(Protocol):
    """What a sample must be."""

    def words(self, unit: str = "") -> str:
        """The rule behind "each case is …", with its bounds in `unit`."""

    def of(self, sample: Sample) -> Evidence:
        """What a sample says for the rule."""


@dataclass(frozen=True)
class Below:
    """The mean is below a bound."""

    bound: float = 0.0

    def words(self, unit: str = "") -> str:
        """As :class:`Rule` has it."""
        return f"below {_number(self.bound, unit)}"

    def of(self, sample: Sample) -> Evidence:
        """As :class:`Rule` has it."""
        interval, (less, more) = interval_of(sample, level=LEVEL), _sides(sample, self.bound)
        return Evidence(interval, less, more, self.bound - interval.high, (-math.inf, self.bound))


@dataclass(frozen=True)
class Above:
    """The mean is above a bound."""

    bound: float = 0.0

    def words(self, unit: str = "") -> str:
        """As :class:`Rule` has it."""
        return f"above {_number(self.bound, unit)}"

    def of(self, sample: Sample) -> Evidence:
        """As :class:`Rule` has it."""
        interval, (less, more) = interval_of(sample, level=LEVEL), _sides(sample, self.bound)
        return Evidence(interval, more, less, interval.low - self.bound, (self.bound, math.inf))


@dataclass(frozen=True)
class Inside:
    """The mean is between two bounds."""

    low: float
    high: float

    def words(self, unit: str = "") -> str:
        """As :class:`Rule` has it."""
        if self.low == -self.high:
            return f"within {_number(self.high, unit)} of 0"
        # A bound of 0 has no unit.
        low = _number(self.low * factor(unit)) if self.high else _number(self.low, unit)
        return f"between {low} and {_number(self.high, unit)}"

    def of(self, sample: Sample) -> Evidence:
        """As :class:`Rule` has it."""
        interval = interval_of(sample, level=LEVEL)
        (under_low, over_low), (below_high, over_high) = _sides(sample, self.low), _sides(sample, self.high)
        margin = min(interval.low - self.low, self.high - interval.high)
        return Evidence(interval, max(over_low, below_high), min(under_low, over_high), margin, (self.low, self.high))


def below(sample: Sample, bound: float = 0.0) -> Judgement:
    """Whether the mean is below `bound`.

    Examples
    --------
    >>> below([-1.0, -1.1, -0.9]).verdict
    'holds'
    """
    return combine({"": Below(bound).of(sample)})


def above(sample: Sample, bound: float = 0.0) -> Judgement:
    """Whether the mean is above `bound`."""
    return combine({"": Above(bound).of(sample)})


def inside(sample: Sample, low: float, high: float) -> Judgement:
    """Whether the mean is between `low` and `high`."""
    return combine({"": Inside(low, high).of(sample)})


_KINDS: Mapping[Callable[..., Judgement], Callable[..., Rule]] = {below: Below, above: Above, inside: Inside}


def every(cases: Mapping[str, Sample], rule: Callable[..., Judgement], *bounds: float) -> Judgement:
    """Whether `rule` (:func:`below`, :func:`above` or :func:`inside`) holds in every case.

    Examples
    --------
    >>> every({"first": [1.0, 1.1], "second": [2.0, 2.01]}, above, 5.0).verdict
    'fails'
    """
    wanted = _KINDS[rule](*(bounds or (0.0,)))
    return combine({case: wanted.of(sample) for case, sample in cases.items()})


def combine(cases: Mapping[str, Evidence], *, looks: int = 1) -> Judgement:
    """The judgement of a claim about several cases; shown is the case that is least favourable to the claim.

    Who looks at the runs several times, and adds seeds while nothing is decided, says how often: `looks` is what the
    p-values are multiplied with.
    """
    if not cases:
        raise ValueError("there is no case to judge")
    hold = min(1.0, looks * max(evidence.hold for evidence in cases.values()))
    fail = min(1.0, looks * len(cases) * min(evidence.fail for evidence in cases.values()))
    verdict = _verdict(hold, fail)
    if verdict == "fails":
        shown = [case for case, evidence in cases.items() if looks * len(cases) * evidence.fail <= fail]
    elif verdict == "undecided":
        shown = [case for case, evidence in cases.items() if looks * evidence.hold >= 1.0 - LEVEL]
    else:
        shown = list(cases)
    # Of cases whose interval is unknown the first.
    worst = min(shown, key=lambda case: _or_least(cases[case].margin))
    p = {"holds": hold, "fails": fail}.get(verdict, min(hold, fail))
    return Judgement(verdict, cases[worst].interval, worst, p, cases[worst].claimed)


def scaled(evidence: Evidence, scale: float) -> Evidence:
    """The same with its margin in units of `scale`, so that cases of several sizes can be compared."""
    return replace(evidence, margin=evidence.margin / scale if scale > 0.0 else evidence.margin)


def _or_least(margin: float) -> float:
    return margin if math.isfinite(margin) else -math.inf


def _verdict(hold: float, fail: float) -> Verdict:
    if hold < 1.0 - LEVEL:
        return "holds"
    return "fails" if fail < 1.0 - LEVEL else "undecided"


def _sides(sample: Sample, bound: float) -> tuple[float, float]:
    """The p-values that the mean is below `bound`, and that it is above, each doubled: both sides are looked at."""
    finite = [value for value in sample if math.isfinite(value)]
    plain = _student(finite, bound) if any(value != finite[0] for value in finite) else _equal(sample, finite, bound)
    if isinstance(sample, Counts):
        exact = _exact(sample, bound)
        if exact is not None:
            # Whichever says less; without any spread Student's says nothing.
            return (max(plain[0], exact[0]), max(plain[1], exact[1])) if varies(sample) else exact
    return plain


def _student(sample: list[float], bound: float) -> tuple[float, float]:
    from scipy.special import stdtr

    n = len(sample)
    mean = math.fsum(sorted(sample)) / n
    variance = math.fsum((value - mean) ** 2 for value in sorted(sample)) / (n - 1)
    t = (mean - bound) / math.sqrt(variance / n)
    return min(1.0, 2.0 * float(stdtr(n - 1, t))), min(1.0, 2.0 * float(stdtr(n - 1, -t)))


def _equal(sample: Sample, finite: list[float], bound: float) -> tuple[float, float]:
    """Of runs that are all equal: the same run, if what they were formed of differs; else by the sign test.

    Student's test knows nothing of a spread that no run shows. That n runs lie on one side of the bound though the
    median is not there has the chance 2^-n, whatever the distribution. Runs that are all zero decide nothing: what
    is rare is not absent because none of them has it.
    """
    if len(finite) < 2 or not (varies(sample) or seen(sample)):
        return 1.0, 1.0
    if varies(sample):
        return float(finite[0] >= bound), float(finite[0] <= bound)
    chance = min(1.0, 2.0 * 0.5 ** len(finite))
    return (chance if finite[0] < bound else 1.0), (chance if finite[0] > bound else 1.0)


def _exact(sample: Counts, bound: float) -> tuple[float, float] | None:
    """By the binomial distribution of groups; None if there are enough of them for Student's."""
    runs = [pair for pair in zip(sample.events, sample.trials, strict=True) if pair[1] > 0]
    if not runs:
        return None
    groups, chances = (math.fsum(column) / sample.together for column in zip(*runs, strict=True))
    if min(groups, chances - groups) >= FEW and varies(sample):
        return None
    from scipy.special import betainc

    share = min(max(bound, 0.0), 1.0)
    at_most = float(betainc(chances - groups, groups + 1.0, 1.0 - share)) if groups < chances else 1.0
    at_least = float(betainc(groups, chances - groups + 1.0, share)) if groups > 0.0 else 1.0
    return min(1.0, 2.0 * at_most), min(1.0, 2.0 * at_least)


def _number(value: float, unit: str = "") -> str:
    shown = f"{value * factor(unit) + 0.0:.4g}"
    return with_unit(shown, unit) if value else shown
