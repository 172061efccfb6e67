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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from .._base import toml
from .._base.nearest import nearest_hint
from .._base.schema import Wrong, keys, made, tables, told_of, under
from .claim_records import HOLD, ClaimRecord
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
    "holds": "every claim beneath it holds under the first reading; readings that change the verdict are named: those "
    "under which a claim fails or shows no difference, and those that leave one open with as many runs",
    "fitted": "every claim beneath it holds, but printed numbers of some chose the setting, so this says little",
    "partly": "a claim beneath it fails, or shows no difference of more than a stated size, but at least half of the "
    "cases of all claims beneath it hold",
    "depends": "not all claims beneath it hold under the first reading, but under another one all do, in all cases of "
    "the first one, and with as many runs or decided by fewer; if the first one only leaves claims open, the number of "
    "one of these lies apart from it: the two intervals do not overlap",
    "bound": "the claims that do not hold have a bound that is ours and not the work's, and hold at half or twice of "
    "it; those that are open fail at the other of these",
    "undecided": "no claim beneath it fails under the first reading, but not all are decided; beside it is how many "
    "runs may decide it, and the readings under which all hold, though with numbers that do not lie apart",
    "cannot tell": "no claim beneath it fails, but some would hold with half or twice the printed number as well",
    "fails": "a claim beneath it fails, and less than half of the cases of all claims beneath it hold",
    "contradicted": "the source contradicts the claims that do not hold, and says elsewhere what we find",
    "equal": "no claim beneath it fails, those that do not hold show no difference of more than a stated size, and "
    "less than half of the cases of all claims beneath it hold",
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

_NOT_RUN = "not run"
"""In place of a verdict, for a claim that a record lacks."""


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
        readings under which it does not. For one that fails, also in part: the readings under which no claim fails. For
        one that is open: the readings under which all claims hold, but with numbers that do not lie apart.
    open_under
        For a sentence that holds: the readings that leave it open with as many runs.
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
    open_under: Sequence[str] = ()
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
        if self.outcome in HOLD and (self.readings or self.open_under):
            parts = (("not", self.readings), ("open", self.open_under))
            return "but " + "; ".join(f"{word} with {_and(names)}" for word, names in parts if names)
        if self.outcome in ("fails", "partly") and self.readings:
            return f"but it is open with {_and(self.readings)}"
        if self.outcome == "partly" and not _some_fail([claim.verdict for claim in self.claims]):
            return "no difference in the others"
        if self.outcome == "not testable":
            return self.sentence.missing
        if self.outcome == "undecided":
            # The claim that is farthest from a decision.
            where = max(((claim.needs, claim.open) for claim in self.claims if claim.open), default=(0, ""))[1]
            same = f"it holds with {_and(self.readings)}, whose numbers do not lie apart" if self.readings else ""
            return "; ".join(filter(None, (where, same)))
        return {"contradicted": "by its source", "beyond": "the source"}.get(self.outcome, "")

    @property
    def words(self) -> str:
        """The outcome for people.

        >>> Verdict(sentence=Sentence(text="", source=""), outcome="holds", holding=1, of=1, readings=["SACK"]).words
        'holds, but not with "SACK"'
        """
        between = {"depends": " on the reading: ", "not testable": ": ", "undecided": ": "}.get(
            self.outcome, ", " if self.more.startswith(("but", "no difference")) else " "
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
        open_under=_left_open(claims, readings) if outcome in HOLD else (),
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
            name for name, verdicts in worlds.items() if _some_fail(verdicts) or "equal" in verdicts
        ]
    if all(verdict in (*HOLD, "contradicted", "not measured") for verdict in base) and "contradicted" in base:
        return "contradicted", whole
    fails = _some_fail(base)
    turns = _turns_at_bound(claims)
    # What the first reading only leaves open at our bound is no matter of the reading.
    apart = [] if turns and not fails else [name for name in whole if fails or _lies_apart(claims, name)]
    if apart or turns:
        return ("depends", apart) if apart else ("bound", ())
    holding, of = (sum(counts) for counts in zip(*(claim.cases for claim in claims), strict=True))
    if not fails:
        open_as: Outcome = next((one for one in ("undecided", "cannot tell", "equal") if one in base), "undecided")
        if open_as == "equal" and 2 * holding >= of:
            return "partly", ()
        return open_as, whole
    return ("partly" if 2 * holding >= of else "fails"), [
        name
        for name, verdicts in worlds.items()
        if not _some_fail(verdicts) and not any(_some_fail([claim.verdict]) and name in claim.fewer for claim in claims)
    ]


def _lies_apart(claims: Sequence[ClaimRecord], reading: str) -> bool:
    """Whether a reading matters to a claim that the first one leaves open: its number lies apart from the first one's.

    If it does not, the reading holds where the first one is open by the luck of its runs: more of them may decide both.
    """
    return any(
        claim.is_apart(reading) for claim in claims if claim.verdict not in HOLD and claim.readings.get(reading) in HOLD
    )


def _left_open(claims: Sequence[ClaimRecord], others: Sequence[str]) -> list[str]:
    """The readings but `others` that leave some claim open with as many runs as under the first one."""
    return [
        name
        for name in readings_of(claims)
        if name not in others
        and any(
            claim.readings.get(name) in ("undecided", "cannot tell") and name not in claim.fewer for claim in claims
        )
    ]


def readings_of(claims: Iterable[ClaimRecord]) -> list[str]:
    """The names of the readings that change a number of some of these claims."""
    return list(dict.fromkeys(name for claim in claims for name in claim.readings))


def _turns_at_bound(claims: Sequence[ClaimRecord]) -> bool:
    """Whether all claims that do not hold turn at our bound: they hold at half or twice of it.

    One that is open has to fail at the other of these, so that the bound leaves it open, and not the number of runs.
    """
    rest = [claim for claim in claims if claim.verdict not in (*HOLD, "shown", "not measured")]
    return bool(rest) and all(
        "holds" in claim.at_bound.values()
        and (_some_fail([claim.verdict]) or (claim.verdict == "undecided" and _some_fail([*claim.at_bound.values()])))
        for claim in rest
    )


def _all_hold(verdicts: Sequence[str]) -> bool:
    """Claims that were not measured have no effect if others were."""
    said = [verdict for verdict in verdicts if verdict != "not measured"]
    return bool(said or not verdicts) and all(verdict in (*HOLD, "shown") for verdict in said)


def _some_fail(verdicts: Sequence[str]) -> bool:
    return any(verdict in ("fails", "contradicted") for verdict in verdicts)
