"""Rules: conditions on a sample for a claim to hold, in words and as evidence.

The words and the test come from the same object, so that they cannot differ. Evidence is a pair of p-values (both
sides of Student's t, or exact ones for rare counts): a claim about several cases holds if each case holds at 95 %, and
fails if one fails at ``1 - 0.05 / cases`` (Bonferroni), so that many cases do not make one fail by chance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeGuard

from .censoring import Apart, Censored
from .intervals import FEW, Interval
from .modes import median_sides, two_modes
from .samples import Counts, Sample, factor, interval_of, seen, varies, with_unit

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
    "predicted",
    "scaled",
]

Verdict = Literal[
    "holds", "fitted", "fails", "undecided", "cannot tell", "contradicted", "not measured", "equal", "shown"
]

LEVEL = 0.95
"""Confidence of the intervals that decide."""

ANYWHERE = (-math.inf, math.inf)
"""Bounds that leave everything open."""


@dataclass(frozen=True)
class Judgement:
    """The result of a rule.

    Attributes
    ----------
    verdict
        ``holds``, ``fails``, ``undecided`` or ``not measured``.
    interval
        The interval that decides; of several cases, the one that is least favourable to the claim.
    case
        The name of that case.
    claimed
        The bounds that the claim sets for that case.
    p
        The probability of runs like these if the verdict is wrong; for an undecided claim, the smaller of both sides.
        None where the verdict is not such a decision: a printed number that lies where runs like ours do.
    note
        The test of the shown case, if it is not the usual one.
    holding, of
        The number of cases in which it holds by itself, and of all that were judged.
    short
        Whether it is undecided only because our runs are few: more of them would decide it.
    wanted
        How many would, if that is known.
    """

    verdict: Verdict
    interval: Interval
    case: str = ""
    p: float | None = 1.0
    claimed: tuple[float, float] = ANYWHERE
    note: str = ""
    holding: int = 1
    of: int = 1
    short: bool = False
    wanted: int = 0


@dataclass(frozen=True)
class Evidence:
    """The evidence of a case for a claim and against it.

    Attributes
    ----------
    interval
        Of the sample, at 95 %.
    hold, fail
        The p-values that the claim holds in this case, and that it does not.
    margin
        The distance of the interval from the claim's bounds; negative where an end lies outside.
    claimed
        The bounds that the claim sets for the number.
    is_reached
        Whether it can be judged: two times that no run reached cannot be compared.
    note
        The test, if it is not the usual one.
    """

    interval: Interval
    hold: float
    fail: float
    margin: float
    claimed: tuple[float, float] = ANYWHERE
    is_reached: bool = True
    note: str = ""

    @property
    def verdict(self) -> Verdict:
        """The verdict of this case alone."""
        return _verdict(self.hold, self.fail) if self.is_reached else "not measured"


class Rule(Protocol):
    """A condition on a sample."""

    def words(self, unit: str = "") -> str:
        """The rule behind "each case is …", with its bounds in `unit`."""

    def of(self, sample: Sample) -> Evidence:
        """The evidence of a sample for the rule."""


@dataclass(frozen=True)
class Below:
    """The mean is below a bound."""

    bound: float = 0.0

    def words(self, unit: str = "") -> str:
        """See :class:`Rule`."""
        return f"below {_number(self.bound, unit)}"

    def of(self, sample: Sample) -> Evidence:
        """See :class:`Rule`."""
        interval, (less, more) = interval_of(sample, level=LEVEL), _sides(sample, self.bound)
        margin = self.bound - interval.high
        return Evidence(interval, less, more, margin, (-math.inf, self.bound), *_how(sample, self.bound))


@dataclass(frozen=True)
class Above:
    """The mean is above a bound."""

    bound: float = 0.0

    def words(self, unit: str = "") -> str:
        """See :class:`Rule`."""
        return f"above {_number(self.bound, unit)}"

    def of(self, sample: Sample) -> Evidence:
        """See :class:`Rule`."""
        interval, (less, more) = interval_of(sample, level=LEVEL), _sides(sample, self.bound)
        margin = interval.low - self.bound
        return Evidence(interval, more, less, margin, (self.bound, math.inf), *_how(sample, self.bound))


@dataclass(frozen=True)
class Inside:
    """The mean is between two bounds."""

    low: float
    high: float

    def words(self, unit: str = "") -> str:
        """See :class:`Rule`."""
        if self.low == -self.high:
            return f"within {_number(self.high, unit)} of 0"
        # A bound of 0 has no unit.
        low = _number(self.low * factor(unit)) if self.high else _number(self.low, unit)
        return f"between {low} and {_number(self.high, unit)}"

    def of(self, sample: Sample) -> Evidence:
        """See :class:`Rule`."""
        interval = interval_of(sample, level=LEVEL)
        (under_low, over_low), (below_high, over_high) = _sides(sample, self.low), _sides(sample, self.high)
        margin = min(interval.low - self.low, self.high - interval.high)
        hold, fail = max(over_low, below_high), min(under_low, over_high)
        return Evidence(interval, hold, fail, margin, (self.low, self.high), *_how(sample, self.high))


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
    """The judgement of a claim about several cases; the case that is least favourable to the claim is shown.

    A caller that looks at the runs several times, and adds seeds while nothing is decided, gives the number of looks:
    `looks` multiplies the p-values.
    """
    if not cases:
        raise ValueError("there is no case to judge")
    every, cases = cases, {case: evidence for case, evidence in cases.items() if evidence.is_reached}
    if not cases:
        case, evidence = next(iter(every.items()))
        return Judgement("not measured", evidence.interval, case, None, evidence.claimed, evidence.note, 0, 0)
    hold = min(1.0, looks * max(evidence.hold for evidence in cases.values()))
    fail = min(1.0, looks * len(cases) * min(evidence.fail for evidence in cases.values()))
    verdict = _verdict(hold, fail)
    if verdict == "fails":
        shown = [case for case, evidence in cases.items() if looks * len(cases) * evidence.fail <= fail]
    elif verdict == "undecided":
        shown = [case for case, evidence in cases.items() if looks * evidence.hold >= 1.0 - LEVEL]
    else:
        shown = list(cases)
    # The first of the cases whose interval is unknown.
    worst = min(shown, key=lambda case: _or_least(cases[case].margin))
    p = {"holds": hold, "fails": fail}.get(verdict, min(hold, fail))
    holding = sum(evidence.verdict == "holds" for evidence in cases.values())
    note = "; ".join(part for part in (cases[worst].note, _left_out(len(every) - len(cases), len(every))) if part)
    return Judgement(verdict, cases[worst].interval, worst, p, cases[worst].claimed, note, holding, len(cases))


def _left_out(count: int, of: int) -> str:
    return f"not measured in {count} of {of} cases" if count else ""


def predicted(
    cases: Mapping[str, Evidence], *, looks: int = 1, p: float | None = None, enough: bool, wanted: int = 0
) -> Judgement:
    """The judgement of printed numbers: whether runs like ours would print them.

    It fails if a case is too improbable among all cases (Bonferroni), or if `p`, the p-value of all cases together, is
    too small. Else it holds, if our runs are `enough` to say so, for which `wanted` are needed.
    """
    if not cases:
        raise ValueError("there is no case to judge")
    every, cases = cases, {case: evidence for case, evidence in cases.items() if evidence.is_reached}
    if not cases:
        return combine(every)
    fail = looks * (len(cases) * min(evidence.fail for evidence in cases.values()) if p is None else p)
    worst = min(cases, key=lambda case: (cases[case].fail, _or_least(cases[case].margin)))
    verdict: Verdict = "fails" if fail < 1.0 - LEVEL else "holds" if enough else "undecided"
    inside = sum(evidence.fail >= 1.0 - LEVEL for evidence in cases.values())
    shown = cases[worst]
    decides = min(1.0, fail) if verdict == "fails" else 1.0 if verdict == "undecided" else None
    short = verdict == "undecided"
    of_shown = (shown.interval, worst, decides, shown.claimed, shown.note)
    return Judgement(verdict, *of_shown, inside, len(cases), short, wanted if short else 0)


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
    if getattr(sample, "cut", False):
        return 1.0, 1.0
    if apart := _apart(sample):
        return apart.sides(bound)
    if _some_never(sample):
        return median_sides(sample, bound) if bound <= sample.limit else (1.0, 1.0)
    finite = [value for value in sample if math.isfinite(value)]
    if two_modes(finite):
        return _by_modes(finite, bound)
    plain = _student(finite, bound) if any(value != finite[0] for value in finite) else _equal(sample, finite, bound)
    if isinstance(sample, Counts):
        exact = _exact(sample, bound)
        if exact is not None:
            # The weaker of the two counts; without any spread Student's test says nothing.
            return (max(plain[0], exact[0]), max(plain[1], exact[1])) if varies(sample) else exact
    return plain


def _apart(sample: Sample) -> Apart | None:
    return getattr(sample, "apart", None)


def _some_never(sample: Sample) -> TypeGuard[Censored]:
    return isinstance(sample, Censored) and sample.never > 0


def _how(sample: Sample, bound: float) -> tuple[bool, str]:
    """Whether a sample can be compared with a bound, and the test, if it is not the usual one."""
    if getattr(sample, "cut", False):
        return False, "it is formed of times that some runs never reached, and has no value"
    if apart := _apart(sample):
        if not apart.is_reached:
            return False, "no run of either side reached it before its end"
        return True, "some runs never reached it: judged by ranks (Mann and Whitney), not by the difference shown"
    if _some_never(sample):
        if sample.never == len(sample) and bound > sample.limit:
            return False, "no run reached it before its end"
        return True, f"{sample.never} of {len(sample)} runs never reached it: judged is the median, by the sign test"
    if modes := two_modes(sample):
        middles = [f"{len(mode)} runs near {mode[len(mode) // 2]:.4g}" for mode in modes]
        return True, f"two modes, {' and '.join(middles)}: judged is the median, by the sign test"
    return True, ""


def _by_modes(sample: Sample, bound: float) -> tuple[float, float]:
    """Both p-values of a sample with two modes: the median is on a side of the bound, and so is the mean."""
    mean = math.fsum(sample) / len(sample)
    less, more = median_sides(sample, bound)
    return (less if mean < bound else 1.0), (more if mean > bound else 1.0)


def _student(sample: list[float], bound: float) -> tuple[float, float]:
    from scipy.special import stdtr

    n = len(sample)
    mean = math.fsum(sorted(sample)) / n
    variance = math.fsum((value - mean) ** 2 for value in sorted(sample)) / (n - 1)
    t = (mean - bound) / math.sqrt(variance / n)
    return min(1.0, 2.0 * float(stdtr(n - 1, t))), min(1.0, 2.0 * float(stdtr(n - 1, -t)))


def _equal(sample: Sample, finite: list[float], bound: float) -> tuple[float, float]:
    """Both p-values of runs that are all equal: one run, if the numbers behind them differ; else by the sign test.

    Student's test needs a spread, and these runs show none. If the median is not on one side of the bound, n runs lie
    there with probability 2^-n, whatever the distribution. Runs that are all zero decide nothing: a rare event is not
    absent because none of them has it.
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
