"""The score of a work: the findings of its last full run, and why claims fail, from the files of its folder.

The page of all works (:mod:`works.scoreboard`) is one view of it among several. ``sojourn reproduce KEY --full
--record`` writes ``record/verdicts.toml`` into the folder of the work; people write ``failures.toml`` beside it::

    [[failure]]
    claims."E2.3" = ["E2.3-vqs-psand-less-red"]
    fault = "unknown"                       # ours, theirs, unstated or unknown
    text = "With 3 flows ..."               # the evidence
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from ... import _core
from .._base import toml
from .._base.files import write_whole
from .._base.nearest import nearest_question
from .._base.schema import Wrong, keys, known, made, tables, told_of, under
from .._base.schema import table as table_of
from ..statistics.intervals import Interval
from .about import About
from .claims import Claim, Verdict
from .folders import record_of
from .reproduction import Reproduction
from .same_run import mark
from .sentences import ClaimRecord
from .spent import Spent

__all__ = ["FAILURES", "VERDICTS_FILE", "Failure", "Score", "interval_of", "keep", "last", "read"]

VERDICTS_FILE = "verdicts.toml"
FAILURES = "failures.toml"


@dataclass(frozen=True)
class Score:
    """The verdicts of a full run of a work, without other readings.

    Attributes
    ----------
    key, title
        The work's key and its title.
    version, date
        Of Sojourn, and of the run.
    wall_seconds, cpu_seconds, cores
        How long it took, and the CPU time over all cores; with a directory that keeps finished runs, summed over all
        interrupted runs. The number of cores.
    settings
        The mark of its settings and of the build (:mod:`works.same_run`); the printed numbers of the same run
        have it, too.
    partial
        Whether the time of some runs is unknown: another build kept them, or a command that was killed.
    runs, seeds
        Number of runs; least and greatest number of seeds.
    experiments
        Number of experiments.
    claims
        For each claim its experiment, key, text, verdict and deciding number; `readings` has the same for other
        readings.
    """

    key: str
    title: str
    version: str
    date: str
    wall_seconds: float
    cpu_seconds: float
    cores: int
    runs: int
    seeds: tuple[int, int]
    experiments: int
    claims: Sequence[Mapping[str, Any]]
    partial: bool = False
    settings: str = ""

    def count(self, verdict: str) -> int:
        """Number of claims with this verdict."""
        return sum(claim["verdict"] == verdict for claim in self.claims)

    def claim_records(self) -> list[ClaimRecord]:
        """The claims with their verdicts under all readings, as sentences are judged by them."""
        return [
            ClaimRecord(
                experiment=claim["experiment"],
                id=claim["key"],
                text=claim["text"],
                verdict=claim["verdict"],
                readings={name: found["verdict"] for name, found in claim.get("readings", {}).items()},
                numbers={
                    name: interval_of(found) for name, found in claim.get("readings", {}).items() if "ours" in found
                },
                at_bound=claim.get("at_bound", {}),
                holding=claim.get("holding", 0),
                of=claim.get("of", 0),
                fewer=[name for name, other in claim.get("readings", {}).items() if _is_less(other, claim)],
                ours=interval_of(claim) if "ours" in claim else None,
                unit=claim.get("unit", ""),
                needs=claim.get("needs", 0),
            )
            for claim in self.claims
        ]


@dataclass(frozen=True)
class Failure:
    """Why claims fail, by experiment: whose fault it is, and the evidence.

    It is ``theirs`` only where the source contradicts itself, or where its own simulator does not give its number. It
    is ``unstated`` where a setting decides that the source does not state.
    """

    claims: Mapping[str, Sequence[str]]
    fault: Literal["ours", "theirs", "unstated", "unknown"]
    text: str

    def names(self) -> Iterator[tuple[str, str]]:
        """Experiment and key of each claim."""
        for experiment, names in self.claims.items():
            for name in names:
                yield experiment, name


def score(done: Reproduction, *, took: Spent, cores: int) -> Score:
    """The score of a reproduction."""
    others: dict[tuple[str, str], dict[str, Any]] = {}
    for claim in done.claims:
        if claim.reading:
            others.setdefault((claim.experiment, claim.key), {})[claim.reading] = _decided_number(claim)
    seeds = sorted(len(study.seeds) for study in done.studies.values()) or [0]
    return Score(
        key=done.key,
        title=done.paper.title,
        version=_core.version(),
        date=datetime.now(UTC).date().isoformat(),
        settings=mark(done.paper, done.folder) if done.folder else "",
        wall_seconds=round(took.wall_seconds),
        cpu_seconds=round(took.cpu_seconds),
        partial=took.partial,
        cores=cores,
        runs=len({run for study in done.studies.values() for run in study.runs}),
        seeds=(seeds[0], seeds[-1]),
        experiments=len({name for name, _ in done.findings}),
        claims=[
            {
                "experiment": claim.experiment,
                "key": claim.key,
                "text": claim.text,
                **_number("published", claim.published),
                **({"unit": claim.unit} if claim.unit else {}),
                **_decided_number(claim),
                **({"readings": own} if (own := others.get((claim.experiment, claim.key))) else {}),
            }
            for claim in done.claims
            if not claim.reading
        ],
    )


def _is_less(one: Mapping[str, Any], base: Mapping[str, Any]) -> bool:
    """Whether a claim had fewer cases, points or runs than under the first reading; unknown ones do not count."""
    names = ("of", "points") if one.get("enough") else ("of", "points", "runs")
    return any(name in one and one[name] < base.get(name, 0) for name in names)


def _decided_number(claim: Claim) -> dict[str, Any]:
    """The verdict of a claim under a reading, and the number that decides."""
    return {
        "verdict": claim.verdict,
        **({"alone": claim.alone} if claim.alone and claim.at_bound else {}),
        **(_number("ours", claim.ours.mean) if claim.ours else {}),
        **(_width(claim.ours) if claim.ours else {}),
        **({"holding": claim.holding, "of": claim.of} if claim.of > 1 else {}),
        **({"points": claim.points} if claim.points else {}),
        **({"runs": claim.ours.n} if claim.ours and claim.ours.n else {}),
        **({"enough": True} if claim.enough else {}),
        **({"needs": claim.needs} if claim.needs and not claim.reading else {}),
        **({"at_bound": dict(claim.at_bound)} if claim.at_bound else {}),
    }


def _width(ours: Interval) -> dict[str, float]:
    """Half of an interval, or both ends of one that the mean does not halve."""
    if not ours.ends:
        return _number("half_width", ours.half_width)
    return _number("low", ours.low) | _number("high", ours.high)


def _number(name: str, value: float | None) -> dict[str, float]:
    return {} if value is None or not math.isfinite(value) else {name: float(f"{value:.7g}")}


def keep(folder: Path, kept: Score) -> None:
    """Write the score into the folder of a work."""
    head = {name: getattr(kept, name) for name in Score.__dataclass_fields__ if name not in ("claims", "key", "title")}
    made = f"# Made by `sojourn reproduce {kept.key} --full --record`.\n"
    plain = made + toml.document({**head, "seeds": list(kept.seeds)})
    file = record_of(folder, VERDICTS_FILE)
    file.parent.mkdir(exist_ok=True)
    write_whole(file, "\n".join([plain, *_sections(kept.claims)]))


def _sections(claims: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The tables of a record: a row for each claim, and after each experiment its claims under each other reading."""
    for experiment in dict.fromkeys(claim["experiment"] for claim in claims):
        own = [claim for claim in claims if claim["experiment"] == experiment]
        yield _section("claims", experiment, rows={one["key"]: _row(one) for one in own})
        for reading in dict.fromkeys(name for one in own for name in one.get("readings", {})):
            others = {one["key"]: one["readings"][reading] for one in own if reading in one.get("readings", {})}
            yield _section("readings", experiment, reading, rows=others)


def _row(claim: Mapping[str, Any]) -> Mapping[str, Any]:
    """A claim in the file: its text is there unless that is its key."""
    has_id = claim["key"] != claim["text"]
    return _without(claim, "experiment", "key", "readings", *(() if has_id else ("text",)))


def _section(*path: str, rows: Mapping[str, Mapping[str, Any]]) -> str:
    head = f"[{'.'.join(map(toml.key, path))}]"
    return "\n".join([head, *(f"{toml.key(key)} = {toml.inline(row)}" for key, row in rows.items()), ""])


def _without(table: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    return {key: value for key, value in table.items() if key not in names}


def read(folder: Path) -> tuple[Score | None, list[Failure]]:
    """The score of a work, if it was run in full, and the explanations of its failures."""
    file = record_of(folder, FAILURES)
    content = toml.read(file) if file.exists() else {}
    failures = []
    try:
        keys(content, ("failure",))
        with under("failure"):
            for place, table in enumerate(tables(content.get("failure", []))):
                with under(str(place)):
                    failures.append(made(Failure, table))
    except Wrong as wrong:
        raise told_of(wrong, [(file, ())]) from None
    return last(folder), failures


def last(folder: Path) -> Score | None:
    """The score of a work's last full run, if there was one."""
    file = record_of(folder, VERDICTS_FILE)
    if not file.exists():
        return None
    content = dict(toml.read(file))
    try:
        more = {"key": folder.resolve().name, "title": About.load(folder).title, "claims": _claims(content)}
        found = made(Score, _without(content, "claims", "readings"), hidden=tuple(more), more=more)
        if len(found.seeds) != 2:
            raise Wrong("these are the least and the greatest number of seeds", "seeds", found=list(found.seeds))
    except Wrong as wrong:
        raise told_of(wrong, [(file, ())]) from None
    return replace(found, seeds=(found.seeds[0], found.seeds[1]))


@dataclass(frozen=True, kw_only=True)
class _DecidedNumber:
    """A verdict and its number, as in a file of verdicts."""

    verdict: Verdict
    alone: Verdict | None = None
    ours: float | None = None
    half_width: float | None = None
    low: float | None = None
    high: float | None = None
    holding: int = 0
    of: int = 0
    points: int = 0
    runs: int = 0
    enough: bool = False
    needs: int = 0
    at_bound: Mapping[str, Verdict] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class _VerdictRow(_DecidedNumber):
    """A claim of a file of verdicts, under the first reading."""

    text: str = ""
    published: float | None = None
    unit: str = ""


def _claims(content: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """The claims of a file of verdicts, checked, each with its verdicts under other readings."""
    claims: dict[tuple[str, str], dict[str, Any]] = {}
    with under("claims"):
        for experiment, rows in table_of(content.get("claims", {})).items():
            for key, row in _checked_rows(_VerdictRow, rows, experiment):
                claims[experiment, key] = {"experiment": experiment, "key": key, "text": key, **row}
    with under("readings"):
        for experiment, readings in table_of(content.get("readings", {})).items():
            own = {key: claim for (name, key), claim in claims.items() if name == experiment}
            with under(experiment):
                for reading, rows in table_of(readings).items():
                    for key, row in _checked_rows(_DecidedNumber, rows, reading):
                        known(key, own, "claim", reading, key)
                        own[key].setdefault("readings", {})[reading] = row
    return list(claims.values())


def _checked_rows(kind: type, rows: Any, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The rows of a table below this name, whose keys and types are those of the class."""
    with under(name):
        for key, row in table_of(rows).items():
            with under(key):
                made(kind, row)
            yield key, row


def complaints(key: str, found: Score, failures: Sequence[Failure]) -> Iterator[str]:
    """Failing claims without an explanation, and explanations of claims that do not fail."""
    failing = {(claim["experiment"], claim["key"]) for claim in found.claims if claim["verdict"] == "fails"}
    said = {name for failure in failures for name in failure.names()}
    for experiment, claim in sorted(failing - said):
        yield f"{key}, {experiment}: {FAILURES} says nothing about the failing claim {claim!r}"
    for experiment, claim in sorted(said - failing):
        asked = nearest_question(claim, {own for _, own in failing}, shown=repr)
        hint = asked and f"; {asked}"
        yield f"{key}, {experiment}: no claim {claim!r} fails, but {FAILURES} explains it{hint}"


def interval_of(claim: Mapping[str, Any]) -> Interval:
    """Our number as it was kept."""
    ends = (claim["low"], claim["high"]) if "low" in claim else None
    half = (ends[1] - ends[0]) / 2.0 if ends else claim.get("half_width", math.nan)
    return Interval(claim["ours"], half, claim.get("runs", 0), ends)
