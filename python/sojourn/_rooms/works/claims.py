"""Claims of a paper, and the rules by which runs decide about them.

A verdict comes from an interval and a bound that is written down beforehand, never from looking at a curve:

``holds``
    the whole 95 % interval lies on the claimed side of the bound;
``fitted``
    it holds, but its own printed numbers took part in the choice of the setting, so the agreement proves little;
``fails``
    the whole interval lies on the other side;
``undecided``
    the interval holds the bound, or there are too few runs: more runs may decide;
``cannot tell``
    it would hold with half or with twice the printed number as well, so that it is no evidence;
``contradicted``
    it fails, and the source states our result elsewhere, or its statement is impossible;
``not measured``
    it is about times that no run reached before its end: neither side can be told from the other;
``equal``
    an order that is not there: the two differ by no more than the claim calls a difference (``equal_within``);
``shown``
    a number beside ours that is not judged.

Runs that are all equal have no interval: the sign test decides, about the median, and the claim's note says so. Runs
that are all zero decide nothing, but where events were counted.

A printed number of single runs is judged otherwise (:mod:`statistics.prediction`): it *holds* if runs like ours
would print it, and *fails* if they would hardly do so. Times that some runs never reach are judged by ranks
(:mod:`statistics.censoring`), samples with two modes by their median (:mod:`statistics.modes`).

Differences between two queues are formed seed by seed (common random numbers) before they get here;
:mod:`sojourn.claims` has the rules, :mod:`sojourn.claims` the samples that they judge. An experiment has several
claims, of which some would be decided by chance: :func:`corrected` keeps these below 5 % of its decisions (false
discovery rate).
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..statistics.false_discovery import decided_together
from ..statistics.intervals import Interval
from ..statistics.rules import (
    ANYWHERE,
    LEVEL,
    Evidence,
    Inside,
    Judgement,
    Rule,
    Verdict,
    above,
    below,
    combine,
    every,
    inside,
    predicted,
    scaled,
)
from ..statistics.samples import Counts, Matrix, Paired, Sample, factor, interval_of, minus, ratio, steps, times

__all__ = [
    "LEVEL",
    "VERDICTS",
    "Claim",
    "Counts",
    "Evidence",
    "Inside",
    "Judgement",
    "Matrix",
    "Paired",
    "Rule",
    "Sample",
    "Verdict",
    "above",
    "below",
    "combine",
    "corrected",
    "every",
    "factor",
    "inside",
    "interval_of",
    "minus",
    "predicted",
    "quantile",
    "ratio",
    "scaled",
    "steps",
    "times",
    "undone",
]

VERDICTS: dict[Verdict, str] = {
    "holds": "hold",
    "fitted": "fitted",
    "fails": "fail",
    "contradicted": "contradicted by the source",
    "undecided": "undecided",
    "cannot tell": "cannot tell",
    "not measured": "not measured",
    "equal": "equal within the stated difference",
    "shown": "shown",
}
"""Verdicts in the order in which they are counted, with their plurals."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One statement of a paper beside our result.

    Attributes
    ----------
    text
        The statement, in a line.
    id
        The claim's key, by which records, failures and sentences name it; without one that is its text.
    verdict
        See the module.
    published, ours
        The numbers, if there are any, in the units of the tables (a share is 0 to 1).
    unit
        Unit to show them in; see :func:`factor`.
    number
        The formula of the numbers, if they are formed of others: ``RED − ARED``. A difference has the sign of the
        sentence: a number above zero supports it.
    claimed
        The bounds that the claim sets for the number.
    derived
        The number that the work's printed ones give, where it prints none for the claim itself.
    source
        Table, figure or section of the paper.
    rule
        How the verdict is found, with its bounds.
    note
        The basis of the verdict, in a line.
    experiment
        Name of the experiment; filled in by :func:`sojourn.papers.reproduce`.
    reading
        Where the paper is ambiguous, the reading under which the claim is judged here; empty for the one that the
        experiments are run with. Claims of one text belong together.
    p
        The p-value of the verdict; None where no chance is in it.
    alone
        The verdict before the correction for the number of claims, where that changed it.
    holding, of
        In how many of its cases it holds by itself, and how many were judged; 0 where there is none.
    points
        At how many points of the experiment's axes its runs are; 0 if that is not known.
    short, wanted
        Whether it is open only because our runs are few, and how many would decide it, if that is known.
    at_bound
        For a claim whose bound is ours: its own verdicts at `half` and `twice` the bound.
    beside
        For a claim under a reading: the same claim under the first reading, at the points and with the seeds at which
        the reading was run, which may be fewer.
    enough
        For a claim under a reading: whether it had as many seeds as under the first one, or fewer ones decide it.
    """

    text: str
    verdict: Verdict
    id: str = ""
    published: float | None = None
    ours: Interval | None = None
    unit: str = ""
    number: str = ""
    claimed: tuple[float, float] = ANYWHERE
    derived: float | None = None
    source: str = ""
    rule: str = ""
    note: str = ""
    experiment: str = ""
    reading: str = ""
    p: float | None = None
    alone: Verdict | None = None
    holding: int = 0
    of: int = 0
    points: int = 0
    short: bool = False
    wanted: int = 0
    at_bound: Mapping[str, Verdict] = field(default_factory=dict)
    beside: Claim | None = None
    enough: bool = False

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"a verdict is one of {', '.join(VERDICTS)}, not {self.verdict!r}")

    @property
    def key(self) -> str:
        """The name by which records, failures and sentences know it."""
        return self.id or self.text

    @property
    def in_the_work(self) -> float | None:
        """The number of the work: its own, or one computed from its printed numbers."""
        return self.derived if self.published is None else self.published

    @property
    def needs(self) -> int | None:
        """About how many runs would decide an open claim, with the mean and the spread as seen; None if unknown."""
        if self.verdict == "undecided" and self.wanted:
            return self.wanted
        if self.verdict != "undecided" or self.ours is None or not self.ours.n or not self.p or self.p >= 1.0:
            return None
        seen, wanted = quantile(self.p), quantile(1.0 - LEVEL)
        return math.ceil(self.ours.n * max(1.0, wanted / seen) ** 2)

    @property
    def turned(self) -> bool:
        """Whether the reading changes the verdict, at the same points and with the same seeds."""
        return self.beside is not None and self.verdict != self.beside.verdict

    def settled(self, among: int) -> bool:
        """Whether it stays decided among `among` claims of an experiment, for any verdicts of the others.

        That is Bonferroni's bound, the strictest that the others can ask for; without chance in it a claim is settled.
        """
        if self.short:
            return False
        return self.p is None or (self.verdict != "undecided" and self.p < (1.0 - LEVEL) / among)

    @classmethod
    def judged(
        cls,
        text: str,
        judgement: Judgement,
        *,
        rule: str,
        id: str = "",  # noqa: A002 - its name in study files
        source: str = "",
        unit: str = "",
        published: float | None = None,
        number: str = "",
        derived: float | None = None,
        note: str = "",
        contradiction: str = "",
        at_bound: Mapping[str, Verdict] | None = None,
        fitted: str = "",
    ) -> Claim:
        """A claim with the verdict of a rule.

        `contradiction` is where the source says otherwise: a failure is ``contradicted`` then. `fitted` names the part
        of the setting that these numbers chose: a claim that would hold is ``fitted`` then.
        """
        verdict: Verdict = judgement.verdict
        if verdict == "fails" and contradiction:
            verdict = "contradicted"
        elif verdict == "holds" and fitted:
            verdict = "fitted"
        runs = judgement.interval.n
        by_signs = judgement.interval.half_width == 0.0 and judgement.p is not None and 0.0 < judgement.p < 1.0
        by_signs = by_signs and not judgement.note
        equal = f"all {runs} runs are equal: judged is their median, by the sign test" if by_signs else ""
        case = f"decided by {judgement.case}" if judgement.case else ""
        many = f"{judgement.holding} of {judgement.of} cases hold" if judgement.of > 1 else ""
        why = {"contradicted": contradiction, "fitted": fitted}.get(verdict, "")
        said = (case, many, note, judgement.note, equal, why)
        return cls(
            text=text,
            id=id,
            verdict=verdict,
            published=published,
            ours=judgement.interval,
            unit=unit,
            number=number,
            claimed=judgement.claimed,
            derived=derived,
            source=source,
            rule=rule,
            note="; ".join(part for part in said if part),
            p=judgement.p,
            holding=judgement.holding,
            of=judgement.of,
            short=judgement.short,
            wanted=judgement.wanted,
            at_bound=at_bound or {},
        )

    @classmethod
    def near(
        cls,
        text: str,
        *,
        published: float,
        ours: Sample,
        within: float,
        id: str = "",  # noqa: A002 - its name in study files
        unit: str = "",
        source: str = "",
        contradiction: str = "",
    ) -> Claim:
        """A number: it holds if our whole interval is within `within` of the published one."""
        tolerance = f"{within * factor(unit):.3g} {unit}".rstrip()
        return cls.judged(
            text,
            inside(ours, published - within, published + within),
            rule=f"the interval lies within {tolerance} of the published value",
            id=id,
            published=published,
            unit=unit,
            source=source,
            contradiction=contradiction,
        )

    @classmethod
    def that(
        cls,
        text: str,
        holds: bool,
        *,
        id: str = "",  # noqa: A002 - its name in study files
        ours: Interval | None = None,
        unit: str = "",
        source: str = "",
        note: str = "",
        contradiction: str = "",
    ) -> Claim:
        """A statement without chance in it, such as a parameter's value; `ours` may show the number behind it."""
        verdict: Verdict = "holds" if holds else "contradicted" if contradiction else "fails"
        said = "; ".join(part for part in (note, contradiction if verdict == "contradicted" else "") if part)
        return cls(text=text, id=id, verdict=verdict, ours=ours, unit=unit, source=source, note=said)


def quantile(p: float) -> float:
    """A p-value of both sides as a normal quantile.

    A mean that is z standard errors off is z sqrt(n) off with n times the seeds.

    >>> round(quantile(0.05), 2)
    1.96
    """
    from scipy.special import ndtri

    # A smaller p-value would have an infinite one.
    return -float(ndtri(max(p, 1e-300) / 2.0))


def corrected(claims: Sequence[Claim]) -> list[Claim]:
    """Claims of one work, each decided only if its p-value is small enough among those of its experiment.

    A family is the set of claims about one figure or table: the claims of an experiment under one reading. In each
    family at most 5 % of the decisions are wrong in the mean (false discovery rate; Benjamini and Hochberg). The claims
    of an experiment rest on the same runs; the procedure holds for such tests if they depend on each other positively,
    and ``tests/unit/works/test_families.py`` shows that it holds for opposed ones, too. Benjamini's and Yekutieli's
    procedure needs no such condition; it would ask for p-values three times smaller among ten claims. A claim that is
    decided alone, but not in its family, becomes ``undecided``, and says so. The claims beside those of a reading are
    corrected in the same way, so that the two differ by the reading alone.
    """
    found = list(claims)
    for experiment, reading in dict.fromkeys((claim.experiment, claim.reading) for claim in claims):
        own = [
            (place, one) for place, one in enumerate(claims) if (one.experiment, one.reading) == (experiment, reading)
        ]
        besides = iter(_family([claim.beside for _, claim in own if claim.beside]))
        for (place, _), claim in zip(own, _family([claim for _, claim in own]), strict=True):
            found[place] = dataclasses.replace(claim, beside=next(besides)) if claim.beside else claim
    return found


def _family(claims: Sequence[Claim]) -> list[Claim]:
    """Claims that are decided together."""
    found = list(claims)
    family = [place for place, claim in enumerate(claims) if claim.p is not None]
    family.sort(key=lambda place: claims[place].p or 0.0)
    decided = decided_together([claims[place].p or 0.0 for place in family], 1.0 - LEVEL)
    for place in family[decided:]:
        found[place] = undone(claims[place], len(family))
    return found


def undone(claim: Claim, family: int) -> Claim:
    """A claim that is decided alone, but not among the `family` claims of its experiment."""
    if claim.verdict in ("undecided", "cannot tell", "not measured", "shown"):
        return claim
    alone = {"contradicted": "fails", "fitted": "holds"}.get(claim.verdict, claim.verdict)
    why = f"alone it {alone} (p = {claim.p:.2g})"
    among = f"{why}, among the {family} of its experiment that is no decision"
    note = "; ".join(part for part in (claim.note, among) if part)
    return dataclasses.replace(claim, verdict="undecided", note=note, alone=claim.verdict)
