"""The page of the scoreboard: a table of all works, and why each claim fails.

``sojourn reproduce --scoreboard FILE.md`` makes it from the files of the works' last full runs
(:mod:`works.scores`), which other views read too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from .._base.files import write_whole
from . import left_out, outcomes, printed_tables, quick_runs, sentences
from .claims import VERDICTS, Verdict, factor
from .exhibits import figures
from .folders import own_folders
from .scores import VERDICTS_FILE, Failure, Score, complaints, interval_of, read
from .work import find, load

__all__ = ["MARKS", "page", "rows", "write"]

MARKS = ("<!-- scoreboard, made by `sojourn reproduce --scoreboard FILE.md` -->", "<!-- end of the scoreboard -->")
"""The table is between these lines of another page, such as a README."""

_FAULTS = {"ours": "ours", "theirs": "the source's", "unstated": "unstated", "unknown": "unknown"}
_COUNTED: Final[Sequence[Verdict]] = (
    "holds",
    "fitted",
    "fails",
    "undecided",
    "cannot tell",
    "contradicted",
    "not measured",
    "equal",
)
_READING = (
    "Each entry names the experiment, the claim, and in brackets the numbers that decide: the printed number, if "
    "there is one; ours with its 95 % interval, in the case that is least favourable to the claim; and the bound of "
    "the claim. *A less that of B* is A minus B. A difference has the sign of its sentence: above 0 it supports the "
    "claim, below 0 it speaks against it. It is taken *seed by seed*: both sides see the same random numbers. "
    "*Points* are percentage points. Below the entries is the cause of the failure, with the evidence: *ours*; "
    "*the source's*, if it contradicts itself or its own simulator does not give its number; *unstated*, if a setting "
    "decides that it does not state; or *unknown*. A *reading* is another interpretation of a point that the work "
    "leaves open."
)


_NUMBERS = "## Printed numbers"


def works() -> list[Path]:
    """The folders that a page is about: works of one's own, and without any those that come with Sojourn."""
    return list((own_folders() or find()).values())


def rows() -> list[tuple[Path, Score | None, list[Failure]]]:
    """Every work with its score and failures."""
    return [(folder, *read(folder)) for folder in works()]


def write(path: Path) -> None:
    """Write the page; in a page with the marks, only the table between them.

    Raises
    ------
    ValueError
        If a failure has no explanation, or an explanation has no failure; with all of them. A work with sentences that
        are newer than its record is not asked: its next full run decides which claims fail.
    """
    wrong = [
        text
        for folder, one, said in rows()
        if one and all(verdict.outcome != "not run" for verdict in _verdicts(folder, one))
        for text in complaints(folder.name, one, said)
    ]
    if wrong:
        raise ValueError("\n  ".join([f"{len(wrong)} failures and their explanations do not fit:", *wrong]))
    begin, end = MARKS
    text = page()
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    if begin in old:
        head, _, rest = old.partition(begin)
        _, marked, tail = rest.partition(end)
        if not marked:
            raise ValueError(f"{path} has no line {end!r}")
        counted = sentences_table(_up(path)) or table(_up(path))
        if numbers := numbers_table():
            counted = f"{counted}\n{_NUMBERS}\n\n{printed_tables.ABOUT}\n\n{numbers}"
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
        "is *at least* the number shown if the time of some kept runs is not known, for example of a killed command.",
        "",
        table("../"),
    ]
    if numbers := numbers_table():
        lines += [_NUMBERS, "", printed_tables.ABOUT, "", numbers]
    if took := quick_runs.table("../"):
        lines += [
            "## The time of a quick run",
            "",
            f"`sojourn reproduce KEY --quick`, which should take at most {quick_runs.MOST_SECONDS} s, measured by "
            "`benchmarks/works.py` on a machine that did nothing else. It has few seeds. Many claims of a work are "
            "judged together, and most need more seeds than that to be decided; the summary of a quick run has the "
            "decisions of the last full run. A quick run also leaves out the points that take longest, and the claims "
            "that are only about them.",
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
            *_explained(found, failures, *_known(folder.name)),
        ]
    return "\n".join(lines) + "\n"


def sentences_table(up: str) -> str:
    """The sentences of each work by outcome; nothing where no work has any. `up` is as for :func:`table`.

    Raises
    ------
    ValueError
        If the sentences of a work do not fit the claims of its last full run.
    """
    spoken = []
    for folder, found, _ in rows():
        own, verdicts = sentences.read(folder), _verdicts(folder, found)
        when = f"{found.version}, {found.date}" if found else "not yet run in full"
        name = f"[{folder.name}]({_up_to(folder, up)}/README.md)"
        spoken.append(
            (own, outcomes.Spoken(name=name, verdicts=verdicts, when=when, left_out=len(left_out.read(folder))))
        )
    return outcomes.table([one for _, one in spoken]) if any(own for own, _ in spoken) else ""


def _verdicts(folder: Path, found: Score | None) -> list[sentences.Verdict]:
    """The sentences of a work by its last full run; none without one."""
    own = sentences.read(folder)
    try:
        return sentences.judge(own, found.claim_records(), recorded=True) if found and own else []
    except ValueError as error:
        raise ValueError(f"{folder / sentences.SENTENCES}, with {VERDICTS_FILE} beside it: {error}") from None


def numbers_table() -> str:
    """A line for each printed table of each work; nothing where no work has kept any."""
    return printed_tables.markdown({folder.name: printed_tables.read(folder) for folder in works()})


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
        "cannot tell",
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
            cells = [name, str(len(load(folder.name).experiments)), *[""] * 11, "not yet run in full"]
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
    """The link to the folder from a page that is `up` from the working directory."""
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
    """The CPU time of all cores together."""
    return f"{_time(seconds)}{' at least' if partial else ''}"


def _time(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes}:{seconds:02} min"


_Words = Mapping[tuple[str, str], str]


def _known(key: str) -> tuple[_Words, _Words]:
    """Text and rule of each claim, by experiment and key, if a study file states them."""
    experiments = load(key).experiments
    texts, rules = [
        {(one.name, name): words for one in experiments for name, words in getattr(one, kind).items()}
        for kind in ("texts", "rules")
    ]
    return texts, rules


def _explained(found: Score, failures: Sequence[Failure], texts: _Words, rules: _Words) -> Iterator[str]:
    """A paragraph for each failure: the claims, our number and theirs, whose fault, and the evidence.

    After a full run some causes may not be written yet, and some are of claims that now hold; these are left out.
    """
    failing = {(claim["experiment"], claim["key"]): claim for claim in found.claims if claim["verdict"] == "fails"}
    open_ones = dict(failing)

    def entry(name: tuple[str, str]) -> str:
        claim = open_ones.pop(name)
        return f"- **{name[0]}: {texts.get(name, claim['text'])}**{_numbers(claim, rules.get(name, ''))}"

    for failure in failures:
        entries = [entry(name) for name in failure.names() if name in open_ones]
        if entries:
            yield from entries
            yield f"\n  Fault: {_FAULTS[failure.fault]}. {' '.join(failure.text.split())}\n"
    if open_ones:
        yield from [entry(name) for name in list(open_ones)]
        yield "\n  Their causes are not written yet.\n"


def _numbers(claim: Mapping[str, Any], rule: str) -> str:
    """The printed number and ours; without a printed one, the bounds that the claim sets for ours."""
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
