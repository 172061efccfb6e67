"""The scoreboard of all works: what each full run found, and why what fails does.

``sojourn reproduce KEY --full --record`` writes ``record/verdicts.toml`` into the folder of the work; people write
``failures.toml`` beside it::

    [[failure]]
    experiment = "E2.3"
    claims = ["PSAND's VQS is less than that of RED for every number of flows"]
    fault = "unknown"                       # ours, theirs or unknown
    text = "With 3 flows ..."               # the evidence

``sojourn reproduce --scoreboard FILE.md`` makes the page of both.
"""

from __future__ import annotations

import json
import math
import os
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

from .. import _core
from .._base import toml
from .._base.files import StudyWarning, write_whole
from .._base.nearest import nearest_question
from .._base.schema import Wrong, keys, made, tables, told_of, under
from .._base.schema import table as table_of
from .._base.seal import is_whole, sealed
from ..statistics.intervals import Interval
from . import outcomes, quick_runs, sentences
from .claims import VERDICTS, Claim, Verdict, factor
from .exhibits import figures
from .folders import own_folders, record_of
from .reproduction import Reproduction
from .sentences import ClaimRecord
from .work import find, load

__all__ = [
    "FAILURES",
    "MARKS",
    "VERDICTS_FILE",
    "Failure",
    "Score",
    "Spent",
    "interval_of",
    "keep",
    "last",
    "page",
    "read",
    "rows",
    "spending",
    "write",
]

VERDICTS_FILE = "verdicts.toml"
FAILURES = "failures.toml"
_SPENT = "spent.json"
_MEASURED = "measured"
"""What of a directory of finished runs has the runs."""
MARKS = ("<!-- scoreboard, made by `sojourn reproduce --scoreboard FILE.md` -->", "<!-- end of the scoreboard -->")
"""Between these lines of another page, such as a README, the table stands."""

_FAULTS = {"ours": "ours", "theirs": "the source's", "unknown": "unknown"}
_COUNTED: Final[Sequence[Verdict]] = (
    "holds",
    "fitted",
    "fails",
    "undecided",
    "contradicted",
    "not measured",
    "equal",
)
_HEADS = {"holds": "hold", "fails": "fail"}
_READING = (
    "Each entry names the experiment, the claim, and in brackets the numbers that decide: the printed number, if "
    "there is one; ours with its 95 % interval, in the case that is least favourable to the claim; and the bound of "
    "the claim. *A less that of B* is A minus B. A difference has the sign of its sentence: above 0 it supports the "
    "claim, below 0 it speaks against it. It is taken *seed by seed*: both sides see the same random numbers. "
    "*Points* are percentage points. Below the entries is the cause of the failure (ours, the source's, or "
    "unknown), with the evidence. A *reading* is another interpretation of a point that the work leaves open."
)


@dataclass(frozen=True)
class Score:
    """The verdicts of a full run of a work, without other readings.

    Attributes
    ----------
    key, title
        Which work.
    version, date
        Of Sojourn, and of the run.
    wall_seconds, cpu_seconds, cores
        How long it took, and the CPU time over all cores; with a directory that keeps finished runs, of every time that
        it was gone on with. How many cores it had.
    partial
        Whether of some runs it is not known what they took: another build kept them, or a command that was killed.
    runs, seeds
        Number of runs; least and greatest number of seeds.
    experiments
        Number of experiments.
    claims
        Experiment, text, verdict and the number that decides of each claim, and under `readings` these of the others.
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

    def count(self, verdict: str) -> int:
        """Number of claims with this verdict."""
        return sum(claim["verdict"] == verdict for claim in self.claims)

    def claim_records(self) -> list[ClaimRecord]:
        """The claims with their verdicts under all readings, as sentences are judged by them."""
        return [
            ClaimRecord(
                experiment=claim["experiment"],
                text=claim["text"],
                verdict=claim["verdict"],
                readings={name: found["verdict"] for name, found in claim.get("readings", {}).items()},
                at_bound=claim.get("at_bound", {}),
            )
            for claim in self.claims
        ]


@dataclass(frozen=True)
class Failure:
    """Why a claim fails: whose fault it is, and the evidence."""

    claims: Sequence[str]
    fault: Literal["ours", "theirs", "unknown"]
    text: str
    experiment: str = ""


@dataclass(frozen=True, kw_only=True)
class Spent:
    """Time that a reproduction took: by the clock, and of all cores together; `partial` if some of it is not known."""

    wall_seconds: float
    cpu_seconds: float
    partial: bool = False


@contextmanager
def spending(out: Path | None) -> Iterator[Callable[[], Spent]]:
    """What a command spends, and what this build spent before in its directory of finished runs, is kept there.

    While the command works the record is partial, so that it stays so if the command is killed. The function gives what
    was spent until now.
    """
    there = out is not None and (out / _MEASURED).exists()
    before = _before(out, there=there)
    started, begun = time.monotonic(), _cpu_seconds()

    def until_now() -> Spent:
        return Spent(
            wall_seconds=before.wall_seconds + time.monotonic() - started,
            cpu_seconds=before.cpu_seconds + _cpu_seconds() - begun,
            partial=before.partial,
        )

    if out is not None and out.is_dir():
        _keep_spent(out, replace(before, partial=True))
    try:
        yield until_now
    finally:
        if out is not None and out.is_dir():
            _keep_spent(out, until_now())


def _cpu_seconds() -> float:
    """Of this process, its threads and its children that have ended."""
    found = os.times()
    return found.user + found.system + found.children_user + found.children_system


def _before(out: Path | None, *, there: bool) -> Spent:
    """What this build spent in a directory; of runs without a record it is not known."""
    kept = {} if out is None else _spent_times(out / _SPENT)
    if kept.get("sojourn") != _core.build():
        return Spent(wall_seconds=0.0, cpu_seconds=0.0, partial=there and not kept)
    return Spent(**{name: kept[name] for name in Spent.__dataclass_fields__ if name in kept})


def _keep_spent(out: Path, now: Spent) -> None:
    write_whole(out / _SPENT, sealed({"sojourn": _core.build(), **asdict(now)}), follow=False)


def _spent_times(file: Path) -> dict[str, Any]:
    """The time that was spent before; zero, with a warning, if the record is damaged."""
    if not file.exists():
        return {}
    try:
        kept = json.loads(file.read_bytes())
        if isinstance(kept, dict) and is_whole(kept):
            return kept
    except (ValueError, RecursionError):
        pass
    message = f"{file} is damaged: the time that is shown is that of this command alone"
    warnings.warn(message, StudyWarning, stacklevel=3)
    return {}


def score(done: Reproduction, *, took: Spent, cores: int) -> Score:
    """The score of a reproduction."""
    others: dict[tuple[str, str], dict[str, Any]] = {}
    for claim in done.claims:
        if claim.reading:
            others.setdefault((claim.experiment, claim.text), {})[claim.reading] = _decided_number(claim)
    seeds = sorted(len(study.seeds) for study in done.studies.values()) or [0]
    return Score(
        key=done.key,
        title=done.paper.title,
        version=_core.version(),
        date=datetime.now(UTC).date().isoformat(),
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
                "text": claim.text,
                **_number("published", claim.published),
                **({"unit": claim.unit} if claim.unit else {}),
                **_decided_number(claim),
                **({"readings": own} if (own := others.get((claim.experiment, claim.text))) else {}),
            }
            for claim in done.claims
            if not claim.reading
        ],
    )


def _decided_number(claim: Claim) -> dict[str, Any]:
    """The verdict of a claim under a reading, and the number that decides."""
    return {
        "verdict": claim.verdict,
        **({"alone": claim.alone} if claim.alone and claim.at_bound else {}),
        **(_number("ours", claim.ours.mean) if claim.ours else {}),
        **(_width(claim.ours) if claim.ours else {}),
        **({"holding": claim.holding, "of": claim.of} if claim.of > 1 else {}),
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
    text = made + toml.document({**head, "seeds": list(kept.seeds)})
    file = record_of(folder, VERDICTS_FILE)
    file.parent.mkdir(exist_ok=True)
    write_whole(file, "\n".join([text, *map(_written, kept.claims)]))


def _written(claim: Mapping[str, Any]) -> str:
    """A claim as the record has it: a line with what was found, and one for each other reading that changes it."""
    named = {key: claim[key] for key in ("experiment", "text", "published", "unit") if key in claim}
    found = {key: value for key, value in claim.items() if key not in (*named, "readings")}
    lines = [f"{key} = {toml.inline(value)}" for key, value in {**named, "found": found}.items()]
    lines += [f"readings.{toml.key(name)} = {toml.inline(one)}" for name, one in claim.get("readings", {}).items()]
    return "\n".join(["[[claim]]", *lines, ""])


def read(folder: Path) -> tuple[Score | None, list[Failure]]:
    """The score of a work, if it was run in full, and what is said about its failures."""
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
        with under("claim"):
            claims = []
            for place, one in enumerate(tables(content.pop("claim", []))):
                with under(str(place)):
                    claims.append(_read_claim(one))
        more = {"key": folder.resolve().name, "title": load(str(folder)).title, "claims": claims}
        found = made(Score, content, hidden=tuple(more), more=more)
        if len(found.seeds) != 2:
            raise Wrong("these are the least and the greatest number of seeds", "seeds", found=list(found.seeds))
    except Wrong as wrong:
        raise told_of(wrong, [(file, ())]) from None
    return replace(found, seeds=(found.seeds[0], found.seeds[1]))


@dataclass(frozen=True, kw_only=True)
class _DecidedNumber:
    """A verdict and its number, as a file of verdicts has them."""

    verdict: Verdict
    alone: Verdict | None = None
    ours: float | None = None
    half_width: float | None = None
    low: float | None = None
    high: float | None = None
    holding: int = 0
    of: int = 0
    at_bound: Mapping[str, Verdict] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class _VerdictRow:
    """A claim as a file of verdicts has it."""

    experiment: str
    text: str
    found: _DecidedNumber
    published: float | None = None
    unit: str = ""
    readings: Mapping[str, _DecidedNumber] = field(default_factory=dict)


def _read_claim(claim: Mapping[str, Any]) -> Mapping[str, Any]:
    """A claim of a file of verdicts, checked; what was found stands beside its name."""
    named = {key: value for key, value in claim.items() if key not in ("found", "readings")}
    if "found" not in claim:
        raise Wrong("the key 'found' is missing")
    with under("found"):
        first = made(_DecidedNumber, table_of(claim["found"]))
    others = {}
    with under("readings"):
        for name, one in table_of(claim.get("readings", {})).items():
            with under(name):
                others[name] = made(_DecidedNumber, table_of(one))
    made(_VerdictRow, named, hidden=("found", "readings"), more={"found": first, "readings": others})
    return {**named, **claim["found"], **({"readings": claim["readings"]} if others else {})}


def complaints(key: str, found: Score, failures: Sequence[Failure]) -> Iterator[str]:
    """Failing claims of which nothing is said, and words about claims that do not fail."""
    failing = {(claim["experiment"], claim["text"]) for claim in found.claims if claim["verdict"] == "fails"}
    said = {(failure.experiment, text) for failure in failures for text in failure.claims}
    for experiment, text in sorted(failing):
        if (experiment, text) not in said and ("", text) not in said:
            yield f"{key}, {experiment}: {FAILURES} says nothing about the failing claim {text!r}"
    texts = {text for _, text in failing}
    for experiment, text in sorted(said):
        if (experiment, text) not in failing and not (experiment == "" and text in texts):
            asked = nearest_question(text, texts, shown=repr)
            hint = asked and f"; {asked}"
            yield f"{key}, {experiment or 'any experiment'}: no claim {text!r} fails, but {FAILURES} explains it{hint}"


def works() -> list[Path]:
    """The folders that a page is about: works of one's own, and without any those that come with Sojourn."""
    return list((own_folders() or find()).values())


def rows() -> list[tuple[Path, Score | None, list[Failure]]]:
    """Every work with its score and failures.

    Raises
    ------
    ValueError
        If a failure is not explained, or something else is; with all of them.
    """
    found = [(folder, *read(folder)) for folder in works()]
    wrong = [text for folder, one, said in found if one for text in complaints(folder.name, one, said)]
    if wrong:
        raise ValueError("\n  ".join([f"{len(wrong)} failures and their explanations do not fit:", *wrong]))
    return found


def write(path: Path) -> None:
    """Write the page; of a page with the marks, only the table between them."""
    begin, end = MARKS
    text = page()
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    if begin in old:
        head, _, rest = old.partition(begin)
        _, marked, tail = rest.partition(end)
        if not marked:
            raise ValueError(f"{path} has no line {end!r}")
        counted = sentences_table(_up(path)) or table(_up(path))
        text = f"{head}{begin}\n\n{counted}\n{end}{tail}"
    write_whole(path, text)


def _up(path: Path) -> str:
    """From the page to the working directory, which is that of the repository."""
    whole, here = path.resolve(), Path.cwd().resolve()
    return "../" * (len(whole.relative_to(here).parts) - 1) if whole.is_relative_to(here) else ""


def page() -> str:
    """The whole page."""
    lines = [
        "# The scoreboard of the reproduced works",
        "",
        "`sojourn reproduce --scoreboard docs/reproduction.md` makes this page from the last full run of each work, "
        "and from the explanations of failures in its folder. If a work leaves a point open, it can be read in "
        "several ways, its *readings*; one of them is the first reading.",
        "",
    ]
    if spoken := sentences_table("../"):
        lines += ["## Sentences", "", *outcomes.opening(), "", spoken, "## Claims", ""]
    lines += [
        "A claim *holds* or *fails* if the runs decide so, taking into account that several claims of its "
        "experiment are judged at once (false discovery rate of 5 % in each experiment; a work that was last run "
        "before this rule was judged more strictly, by Holm's correction over all its claims). It is *contradicted* "
        "if it fails and its source says elsewhere what we find. The table counts the claims of a work under the "
        "first reading.",
        "",
        "CPU time is that of all cores together: on 2 cores that do nothing else a run takes about half of it. It "
        "is *at least* so much where runs were kept whose time is not known, of a command that was killed, for one.",
        "",
        table("../"),
    ]
    if took := quick_runs.table("../"):
        lines += [
            "## The time of a quick run",
            "",
            f"`sojourn reproduce KEY --quick`, which should take at most {quick_runs.MOST_SECONDS} s, measured by "
            "`benchmarks/works.py` on a machine that did nothing else. It has few seeds, and most claims need more "
            "to be decided among so many; its summary has the decisions of the last full run. It also leaves out "
            "the points that take longest, and the claims that are only about them.",
            "",
            took,
        ]
    explained = [(folder, found, failures) for folder, found, failures in rows() if found and found.count("fails")]
    if explained:
        lines += ["", "## How to read the entries", "", _READING]
    for folder, found, failures in explained:
        lines += [
            "",
            f"## {folder.name}: failures and their causes",
            "",
            *_explained(found, failures, _rules(folder.name)),
        ]
    return "\n".join(lines) + "\n"


def sentences_table(up: str) -> str:
    """The sentences of each work by outcome; nothing where no work has any. `up` is as for :func:`table`.

    Raises
    ------
    ValueError
        If the sentences of a work are of other claims than its last full run had.
    """
    spoken = []
    for folder, found, _ in rows():
        own = sentences.read(folder)
        try:
            verdicts = sentences.judge(own, found.claim_records()) if found and own else []
        except ValueError as error:
            raise ValueError(f"{folder / sentences.SENTENCES}, with {VERDICTS_FILE} beside it: {error}") from None
        when = f"{found.version}, {found.date}" if found else "not yet run in full"
        name = f"[{folder.name}]({_up_to(folder, up)}/README.md)"
        spoken.append((own, outcomes.Spoken(name=name, verdicts=verdicts, when=when)))
    return outcomes.table([one for _, one in spoken]) if any(own for own, _ in spoken) else ""


def table(up: str) -> str:
    """A line for each work, of its claims; `up` leads from the page to the repository's folder."""
    head = [
        "work",
        "experiments",
        "claims",
        "hold",
        "fitted",
        "fail",
        "undecided",
        "contradicted",
        "not measured",
        "equal",
        "seeds",
        "runs",
        "CPU time",
        "version, date",
    ]
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * 2}{'---:|' * (len(head) - 3)}---|"]
    works = rows()
    for folder, found, _ in works:
        name = f"[{folder.name}]({_up_to(folder, up)}/README.md)"
        if found is None:
            cells = [name, str(len(load(folder.name).experiments)), *[""] * 10, "not yet run in full"]
        else:
            low, high = found.seeds
            cells = [
                *(name, str(found.experiments), str(len(found.claims))),
                *(str(found.count(verdict)) for verdict in _COUNTED),
                *(f"{low} to {high}" if low != high else str(low), str(found.runs)),
                _cpu_time(found.cpu_seconds, partial=found.partial),
                f"{found.version}, {found.date}",
            ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, *_together([found for _, found, _ in works if found])]) + "\n"


def _up_to(folder: Path, up: str) -> str:
    """The folder as a page has it that lies so far below the working directory."""
    whole, here = folder.resolve(), Path.cwd().resolve()
    return f"{up}{whole.relative_to(here).as_posix()}" if whole.is_relative_to(here) else whole.as_posix()


def _together(scores: Sequence[Score]) -> Iterator[str]:
    """The sum of all works, if there are several."""
    if len(scores) > 1:
        sums = [sum(one.experiments for one in scores), sum(len(one.claims) for one in scores)]
        sums += [sum(one.count(verdict) for one in scores) for verdict in _COUNTED]
        took = _cpu_time(sum(one.cpu_seconds for one in scores), partial=any(one.partial for one in scores))
        cells = ["together", *map(str, sums), "", str(sum(one.runs for one in scores)), took, ""]
        yield f"| {' | '.join(cells)} |"


def _cpu_time(seconds: float, *, partial: bool) -> str:
    """Of all cores together."""
    return f"{_time(seconds)}{' at least' if partial else ''}"


def _time(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes}:{seconds:02} min"


def _rules(key: str) -> Mapping[tuple[str, str], str]:
    """The rule for the number of each claim, by experiment and text, if a study file states it."""
    return {(one.name, text): rule for one in load(key).experiments for text, rule in one.rules.items()}


def _explained(found: Score, failures: Sequence[Failure], rules: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """A paragraph for each failure: the claims, our number and theirs, whose fault, and the evidence."""
    failing = {(claim["experiment"], claim["text"]): claim for claim in found.claims if claim["verdict"] == "fails"}
    for failure in failures:
        for text in failure.claims:
            for (experiment, _), claim in failing.items():
                if claim["text"] == text and failure.experiment in ("", experiment):
                    yield f"- **{experiment}: {text}**{_numbers(claim, rules.get((experiment, text), ''))}"
        yield f"\n  Fault: {_FAULTS[failure.fault]}. {' '.join(failure.text.split())}\n"


def _numbers(claim: Mapping[str, Any], rule: str) -> str:
    """The printed number and ours; where none is printed, what the claim asks of ours."""
    unit = claim.get("unit", "")
    scale, shown = factor(unit), f" {unit}" if unit else ""
    printed = f"printed {claim['published'] * scale:.4g}{shown}" if "published" in claim else ""
    asked = f"it holds if {rule}" if rule and not printed else ""
    here = f"here {figures(interval_of(claim), scale)}{shown}" if "ours" in claim else ""
    many = f"{claim['holding']} of {claim['of']} cases hold" if claim.get("of", 0) > 1 else ""
    own = claim.get("at_bound", {})
    turns = "; ".join(f"with {word} our bound: {verdict}" for word, verdict in own.items())
    said = [part for part in (printed, here, asked, many, turns) if part]
    return f" ({'; '.join(said)})" if here or printed else ""


def interval_of(claim: Mapping[str, Any]) -> Interval:
    """Our number as it was kept."""
    ends = (claim["low"], claim["high"]) if "low" in claim else None
    half = (ends[1] - ends[0]) / 2.0 if ends else claim.get("half_width", math.nan)
    return Interval(claim["ours"], half, 0, ends)


def in_words(found: Score) -> str:
    """A table for the shell: a line for each experiment, and the sum."""
    names = list(dict.fromkeys(claim["experiment"] for claim in found.claims))
    wide = max([len(name) for name in names] + [10])
    heads = [
        VERDICTS[verdict].removesuffix(" by the source").removesuffix(" within the stated difference")
        for verdict in _COUNTED
    ]
    lines = [f"{'experiment':<{wide}}  claims  " + "  ".join(f"{head:>12}" for head in heads)]
    for name in [*names, "all"] if len(names) > 1 else names:
        own = [claim for claim in found.claims if name in ("all", claim["experiment"])]
        counts = [sum(claim["verdict"] == verdict for claim in own) for verdict in _COUNTED]
        lines.append(f"{name:<{wide}}  {len(own):>6}  " + "  ".join(f"{count or '-':>12}" for count in counts))
    low, high = found.seeds
    seeds = f"{low} to {high}" if low != high else str(low)
    plural = "" if seeds == "1" else "s"
    return "\n".join(
        [
            *lines,
            f"{found.runs} runs with {seeds} seed{plural} in {_time(found.wall_seconds)}, "
            f"{_cpu_time(found.cpu_seconds, partial=found.partial)} of CPU time; version {found.version}",
        ]
    )
