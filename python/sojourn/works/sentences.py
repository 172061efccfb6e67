"""The sentences of a work, each with one verdict that follows from the claims beneath it.

A claim is a statement that a program can judge: one metric, one order, one bound. A work speaks in sentences, and one
sentence often needs several claims. ``sentences.toml`` beside the work's files says which claims belong to which
sentence, so that each sentence is counted once, however finely it was cut; it names them by their ids::

    [[sentence]]
    text = "CARED carries more than ARED and Re-ARED"
    source = "section 3.3.1, tables 3.5 and 3.8"
    claims."E3.1" = ["E3.1-cared-*"]

A claim belongs to one sentence. A sentence with ``headline = true`` is a statement of the abstract or of the
conclusion; it may rest on claims of other sentences and is not counted again. ``beyond`` marks our additions to the
source: it judges nothing. ``missing`` names lost data that a sentence needs; it is not testable then.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from .._base import toml
from .._base.nearest import nearest_hint
from .._base.schema import Wrong, keys, made, tables, told_of, under
from ..statistics.intervals import Interval
from ..statistics.samples import factor
from .folders import SENTENCES

__all__ = [
    "OUTCOMES",
    "SENTENCES",
    "WORDS",
    "ClaimRecord",
    "Outcome",
    "Sentence",
    "Verdict",
    "best_reading",
    "count",
    "counted",
    "judge",
    "names",
    "plural",
    "read",
    "readings_of",
]

Outcome = Literal[
    "holds",
    "fitted",
    "partly",
    "depends",
    "bound",
    "undecided",
    "cannot tell",
    "fails",
    "contradicted",
    "equal",
    "not measured",
    "not run",
    "not testable",
    "beyond",
]

OUTCOMES: Mapping[Outcome, str] = {
    "holds": "every claim beneath it holds under the first reading; a reading that changes the verdict is named",
    "fitted": "every claim beneath it holds, but printed numbers of some chose the setting, so this says little",
    "partly": "a claim beneath it fails, but at least half of the cases of all claims beneath it hold",
    "depends": "not all claims beneath it hold under the first reading, but under another one all do, in all cases of "
    "the first one and with as many runs",
    "bound": "its failing claims hold at half or twice a bound that is ours and not the work's; the other claims hold",
    "undecided": "no claim beneath it fails under the first reading, but not all are decided; beside it is how many "
    "runs may decide it",
    "cannot tell": "no claim beneath it fails, but some would hold with half or twice the printed number as well",
    "fails": "a claim beneath it fails, and less than half of the cases of all claims beneath it hold",
    "contradicted": "the source contradicts the claims that do not hold, and says elsewhere what we find",
    "equal": "no claim beneath it fails, and those that do not hold show no difference of more than a stated size",
    "not measured": "all claims beneath it are about times that no run reached before its end",
    "not run": "a claim beneath it is newer than the last full run of the work",
    "not testable": "data that its verdict needs is lost or was never printed",
    "beyond": "we added it; the source does not say it, and it judges nothing",
}
"""Outcomes of a sentence, in the order in which they are counted, with their meanings."""

WORDS: Mapping[Outcome, tuple[str, str]] = {
    "holds": ("holds", "hold"),
    "fitted": ("fitted", "fitted"),
    "partly": ("holds in part", "hold in part"),
    "depends": ("depends on the reading", "depend on the reading"),
    "bound": ("depends on our bound", "depend on our bound"),
    "undecided": ("undecided", "undecided"),
    "cannot tell": ("cannot tell", "cannot tell"),
    "fails": ("fails", "fail"),
    "contradicted": ("contradicted by the source", "contradicted by the source"),
    "equal": ("no difference", "no difference"),
    "not measured": ("not measured", "not measured"),
    "not run": ("not run yet", "not run yet"),
    "not testable": ("not testable", "not testable"),
    "beyond": ("beyond the source", "beyond the source"),
}
"""The outcome of one sentence in words, and that of several."""

_MOST_RUNS = 100_000
"""More runs than anybody makes."""

_NOT_RUN = "not run"
"""In place of a verdict, for a claim that a record lacks."""

_HOLD = ("holds", "fitted")
"""Verdicts of claims that hold."""


@dataclass(frozen=True, kw_only=True)
class ClaimRecord:
    """A claim with its verdicts, from a run or a record.

    Attributes
    ----------
    experiment, text, id
        The claim's experiment, its text and its id, if it has one.
    verdict
        The verdict under the first reading.
    readings
        Its verdicts under other readings, by their names; a reading that does not touch it is left out.
    at_bound
        For a claim whose bound is ours: its verdicts at half and twice the bound.
    holding, of
        In how many of its cases it holds under the first reading; 0 of 0 for a claim about one case.
    fewer
        The readings that were run at fewer points than the first one, or with fewer runs: their verdicts say too
        little about the claim to make it hold.
    ours, unit, needs
        The number that decides with its interval, and its unit; for an open claim, about how many runs would decide
        it, or 0 if that is not known.
    """

    experiment: str
    text: str
    verdict: str
    id: str = ""
    readings: Mapping[str, str] = field(default_factory=dict)
    at_bound: Mapping[str, str] = field(default_factory=dict)
    holding: int = 0
    of: int = 0
    fewer: Sequence[str] = ()
    ours: Interval | None = None
    unit: str = ""
    needs: int = 0

    @property
    def open(self) -> str:
        """For an open claim, where our number lies, and how many runs would decide.

        >>> ours = Interval(0.002, 0.003, 48)
        >>> ClaimRecord(experiment="E1", text="", verdict="undecided", ours=ours, unit="points", needs=110).open
        'our number lies between -0.1 and 0.5 points; about 110 runs would decide, not 48'
        """
        if self.verdict != "undecided" or self.ours is None or not math.isfinite(self.ours.low + self.ours.high):
            return ""
        low, high = (f"{end * factor(self.unit):.2g}" for end in (self.ours.low, self.ours.high))
        where = f"our number lies between {low} and {high} {self.unit}".rstrip()
        if not self.needs or self.needs <= self.ours.n:
            return where
        many = f"about {float(f'{self.needs:.2g}'):,.0f}" if self.needs < _MOST_RUNS else f"more than {_MOST_RUNS:,}"
        return f"{where}; {many} runs would decide, not {self.ours.n}"

    @property
    def cases(self) -> tuple[int, int]:
        """In how many of its cases it holds, and how many were measured."""
        if self.verdict == "not measured":
            return 0, 0
        of = max(self.of, 1)
        return (of if self.verdict in _HOLD else 0 if self.verdict == "cannot tell" else self.holding), of

    def holds_under(self, reading: str) -> bool:
        """Whether it holds under a reading, which has to be run as fully as the first one if that says otherwise."""
        if reading not in self.readings:
            return self.verdict in (*_HOLD, "shown", "not measured")
        if self.readings[reading] == "not measured":
            return self.verdict == "not measured"
        here = self.readings[reading] in (*_HOLD, "shown")
        return here and (self.verdict in _HOLD or reading not in self.fewer)

    @property
    def key(self) -> str:
        """The name by which sentences know it."""
        return self.id or self.text


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One sentence of a work; see the module."""

    text: str
    source: str
    claims: Mapping[str, Sequence[str]] = field(default_factory=dict)
    headline: bool = False
    beyond: bool = False
    missing: str = ""
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The outcome of a sentence.

    Attributes
    ----------
    sentence
        The sentence.
    outcome
        See :data:`OUTCOMES`.
    holding, of
        In how many cases of the claims beneath it these hold under the first reading, and how many were measured.
    readings
        For a sentence that depends on the reading: the readings under which all claims hold. For one that holds: the
        readings that change that. For one that fails, also in part: the readings under which no claim fails.
    claims
        The claims beneath it.
    first_only
        Whether other readings were not run: the verdict is then that of the first reading.
    """

    sentence: Sentence
    outcome: Outcome
    holding: int
    of: int
    readings: Sequence[str] = ()
    claims: Sequence[ClaimRecord] = ()
    first_only: bool = False

    @property
    def short(self) -> str:
        """The outcome in a few words.

        >>> Verdict(sentence=Sentence(text="", source=""), outcome="partly", holding=5, of=6).short
        'holds in 5 of 6 cases'
        """
        if self.outcome == "partly":
            return f"holds in {self.holding} of {self.of} cases"
        if self.outcome == "fails" and self.holding:
            return f"fails in {self.of - self.holding} of {self.of} cases"
        return WORDS[self.outcome][0] if self.outcome in ("bound", "equal", "not run") else self.outcome

    @property
    def more(self) -> str:
        """Details of the outcome: readings that change it, missing data, or the runs that would decide it."""
        if self.outcome == "depends" and self.readings:
            return f"it holds with {_and(self.readings)}"
        if self.outcome in _HOLD and self.readings:
            return f"but not with {_and(self.readings)}"
        if self.outcome in ("fails", "partly") and self.readings:
            return f"but it is open with {_and(self.readings)}"
        if self.outcome == "not testable":
            return self.sentence.missing
        if self.outcome == "undecided":
            # The claim that is farthest from a decision.
            return max(((claim.needs, claim.open) for claim in self.claims if claim.open), default=(0, ""))[1]
        return {"contradicted": "by its source", "beyond": "the source"}.get(self.outcome, "")

    @property
    def words(self) -> str:
        """The outcome for people.

        >>> Verdict(sentence=Sentence(text="", source=""), outcome="holds", holding=1, of=1, readings=["SACK"]).words
        'holds, but not with "SACK"'
        """
        between = {"depends": " on the reading: ", "not testable": ": ", "undecided": ": "}.get(
            self.outcome, ", " if self.more.startswith("but") else " "
        )
        return f"{self.short}{between}{self.more}" if self.more else self.short


def count(verdicts: Iterable[Verdict]) -> dict[Outcome, int]:
    """How many sentences have each outcome; a headline summarises others, and is not counted again."""
    outcomes = [one.outcome for one in verdicts if not one.sentence.headline]
    return {outcome: outcomes.count(outcome) for outcome in OUTCOMES}


def best_reading(verdicts: Iterable[Verdict]) -> tuple[str, int]:
    """The reading under which most sentences hold, fitted or not, and how many; the first reading is called ``""``."""
    own = [one for one in verdicts if not one.sentence.headline and one.claims and not one.sentence.beyond]
    names = ["", *readings_of(claim for one in own for claim in one.claims)]
    many = {name: sum(all(claim.holds_under(name) for claim in one.claims) for one in own) for name in names}
    return max(many.items(), key=lambda pair: pair[1])


def plural(outcome: Outcome, many: int) -> str:
    """The outcome of `many` sentences, in words.

    >>> plural("partly", 1), plural("partly", 2), plural("undecided", 1)
    ('holds in part', 'hold in part', 'undecided')
    """
    return WORDS[outcome][many != 1]


def counted(verdicts: Iterable[Verdict]) -> str:
    """How many sentences have each outcome, in words."""
    return ", ".join(f"{many} {plural(outcome, many)}" for outcome, many in count(verdicts).items() if many)


def _and(names: Sequence[str]) -> str:
    return '"' + '", "'.join(names) + '"'


def read(directory: Path) -> list[Sentence]:
    """The sentences of a work; none where it has no ``sentences.toml``.

    Raises
    ------
    ValueError
        With the sentence, and the found and the allowed values.
    """
    path = directory / SENTENCES
    if not path.is_file():
        return []
    content = toml.read(path)
    found = []
    try:
        keys(content, ("sentence",))
        with under("sentence"):
            for place, table in enumerate(tables(content.get("sentence", []))):
                with under(str(place)):
                    found.append(_sentence(table))
    except Wrong as wrong:
        raise told_of(wrong, [(path, ())]) from None
    return found


def _sentence(table: Mapping[str, Any]) -> Sentence:
    one = made(Sentence, table)
    for name in ("text", "source"):
        if not getattr(one, name):
            raise Wrong("this is empty", name, allowed="a text")
    if bool(one.claims) == bool(one.missing):
        raise Wrong("a sentence needs either claims or missing, not both", allowed="claims.EXPERIMENT = [...]")
    return one


def judge(
    sentences: Sequence[Sentence],
    claims: Iterable[ClaimRecord],
    *,
    first_only: bool = False,
    recorded: bool = False,
) -> list[Verdict]:
    """Every sentence with its verdict; `first_only` where other readings were not run.

    The claims of a record (`recorded`) may be older than the sentences: those that it lacks are *not run* yet, and
    those that no sentence names are no part of the work any more.

    Raises
    ------
    ValueError
        If a claim belongs to no sentence or to two, or a pattern fits no claim.
    """
    known = list(claims)
    owners: dict[tuple[str, str], str] = {}
    found = []
    for sentence in sentences:
        own = _own(sentence, known, recorded=recorded)
        if not sentence.headline:
            for claim in own:
                other = owners.setdefault((claim.experiment, claim.key), sentence.text)
                if other != sentence.text:
                    raise ValueError(
                        f"the claim {claim.key!r} of {claim.experiment} belongs to two sentences: {other!r} and "
                        f"{sentence.text!r}\n  allowed: one, and any number of headlines"
                    )
        found.append(_judged(sentence, own, first_only))
    left = [claim for claim in known if (claim.experiment, claim.key) not in owners]
    if sentences and left and not recorded:
        raise ValueError(
            f"{len(left)} claims belong to no sentence, the first is {left[0].key!r} of {left[0].experiment}\n"
            "  allowed: each claim beneath one sentence of sentences.toml"
        )
    return found


def _own(sentence: Sentence, known: Sequence[ClaimRecord], *, recorded: bool) -> list[ClaimRecord]:
    found: dict[tuple[str, str], ClaimRecord] = {}
    for experiment, patterns in sentence.claims.items():
        for pattern in patterns:
            there = [one for one in known if one.experiment == experiment]
            # A text, the key of a claim without an id, may contain a *, such as "AVQ* loses least".
            fitting = [one for one in there if one.key == pattern] or [one for one in there if _fits(one.key, pattern)]
            if not fitting and recorded:
                fitting = [ClaimRecord(experiment=experiment, text=pattern, verdict=_NOT_RUN)]
            if not fitting:
                hint = nearest_hint(pattern, [one.key for one in there], shown=repr, cutoff=0.4)
                raise ValueError(
                    f"sentence {sentence.text!r}: no claim of {experiment} is called {pattern!r}\n"
                    f"  allowed: ids of its claims (the text of one without an id), with * for any letters{hint}"
                )
            found |= {(one.experiment, one.key): one for one in fitting}
    return list(found.values())


def names(sentence: Sentence, experiment: str, key: str) -> bool:
    """Whether a sentence names a claim of an experiment."""
    return any(pattern == key or _fits(key, pattern) for pattern in sentence.claims.get(experiment, ()))


def _fits(key: str, pattern: str) -> bool:
    """Whether a key is that of a pattern, in which only ``*`` is special.

    >>> _fits("within [44, 56] of it", "within [44, 56]*"), _fits("a", "b")
    (True, False)
    """
    return fnmatchcase(key, pattern.replace("[", "[[]").replace("?", "[?]"))


def _judged(sentence: Sentence, claims: Sequence[ClaimRecord], first_only: bool) -> Verdict:
    outcome, readings = _outcome(sentence, claims)
    counts = [claim.cases for claim in claims]
    return Verdict(
        sentence=sentence,
        outcome=outcome,
        holding=sum(holding for holding, _ in counts),
        of=sum(of for _, of in counts),
        readings=readings,
        claims=claims,
        first_only=first_only,
    )


def _outcome(sentence: Sentence, claims: Sequence[ClaimRecord]) -> tuple[Outcome, Sequence[str]]:
    if sentence.missing:
        return "not testable", ()
    if sentence.beyond:
        return "beyond", ()
    base = [claim.verdict for claim in claims]
    if _NOT_RUN in base:
        return "not run", ()
    if claims and all(verdict == "not measured" for verdict in base):
        return "not measured", ()
    names = readings_of(claims)
    worlds = {name: [claim.readings.get(name, claim.verdict) for claim in claims] for name in names}
    whole = [name for name in names if all(claim.holds_under(name) for claim in claims)]
    if _all_hold(base):
        return ("fitted" if "fitted" in base else "holds"), [
            name for name, verdicts in worlds.items() if _some_fail(verdicts)
        ]
    if all(verdict in (*_HOLD, "contradicted", "not measured") for verdict in base) and "contradicted" in base:
        return "contradicted", whole
    if whole:
        return "depends", whole
    if _turns_at_bound(claims):
        return "bound", ()
    if not _some_fail(base):
        return next(
            (one for one in ("undecided", "cannot tell", "equal") if one in base),
            "undecided",
        ), ()
    holding, of = (sum(counts) for counts in zip(*(claim.cases for claim in claims), strict=True))
    return ("partly" if 2 * holding >= of else "fails"), [
        name
        for name, verdicts in worlds.items()
        if not _some_fail(verdicts) and not any(_some_fail([claim.verdict]) and name in claim.fewer for claim in claims)
    ]


def readings_of(claims: Iterable[ClaimRecord]) -> list[str]:
    """The names of the readings that change a number of some of these claims."""
    return list(dict.fromkeys(name for claim in claims for name in claim.readings))


def _turns_at_bound(claims: Sequence[ClaimRecord]) -> bool:
    """Whether some claims fail, all of which hold at half or twice our bound, and the others hold."""
    failing = [claim for claim in claims if _some_fail([claim.verdict])]
    rest = [claim.verdict for claim in claims if not _some_fail([claim.verdict])]
    turns = bool(failing) and all("holds" in claim.at_bound.values() for claim in failing)
    return turns and (not rest or _all_hold(rest))


def _all_hold(verdicts: Sequence[str]) -> bool:
    """Claims that were not measured have no effect if others were."""
    said = [verdict for verdict in verdicts if verdict != "not measured"]
    return bool(said or not verdicts) and all(verdict in (*_HOLD, "shown") for verdict in said)


def _some_fail(verdicts: Sequence[str]) -> bool:
    return any(verdict in ("fails", "contradicted") for verdict in verdicts)
