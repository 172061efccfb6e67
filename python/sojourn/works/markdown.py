"""The verdicts of a reproduction as Markdown tables, for the README of a work."""

from __future__ import annotations

from pathlib import Path

from .._base.files import write_whole
from .claims import VERDICTS, Claim, factor
from .exhibits import figures
from .work import Reproduction

__all__ = ["MARKS", "verdicts", "write"]

MARKS = ("<!-- verdicts, made by `sojourn reproduce KEY --full --verdicts README.md` -->", "<!-- end of verdicts -->")
"""Between these lines of a README the tables stand."""


def verdicts(done: Reproduction) -> str:
    """A count, and a table for each experiment: a claim in each row, a reading in each column.

    An empty cell is a reading that does not change the number that decides.
    """
    seeds = sorted({len(study.seeds) for study in done.studies.values()}) or [0]
    others = [claim for claim in done.claims if claim.reading]
    lines = [
        f"With {' to '.join(map(str, dict.fromkeys([seeds[0], seeds[-1]])))} seeds, of {_count(done)}. "
        + (f"Under other readings, where they change the number: {_tally(others)}. " if others else "")
        + "Each cell has the verdict and the number that decides it (the least favourable case) with its 95 % "
        "interval; a difference above 0 supports the claim. Of a claim about several cases it has in how many it "
        "holds, and of one whose bound is ours the verdicts at half and at twice of it, where they differ."
    ]
    for experiment in dict.fromkeys(claim.experiment for claim in done.claims):
        lines += ["", *_table(done, experiment)]
    return "\n".join(lines) + "\n"


def write(path: Path, done: Reproduction) -> None:
    """Write the tables: between the marks of a file, which are made at its end where there are none."""
    begin, end = MARKS
    table = verdicts(done)
    if path.exists():
        text = path.read_text(encoding="utf-8")
        if begin not in text and end not in text:
            text = f"{text.rstrip()}\n\n## Verdicts\n\n{begin}\n{end}\n".lstrip()
        head, _, rest = text.partition(begin)
        _, marked, tail = rest.partition(end)
        if not marked:
            lacks = end if begin in text else begin
            raise ValueError(
                f"{path} has one of the two marks around the verdicts\n"
                f"  found:   {begin if lacks == end else end}\n"
                f"  hint:    write the line {lacks} too, or leave out both: they are made then"
            )
        table = f"{head}{begin}\n\n{table}\n{end}{tail}"
    write_whole(path, table.encode("utf-8"))


def _count(done: Reproduction) -> str:
    base = [claim for claim in done.claims if not claim.reading]
    return f"{len(base)} claims as run {_tally(base)}"


def _tally(claims: list[Claim]) -> str:
    counts = {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS}
    return ", ".join(f"{n} {verdict if n == 1 else VERDICTS[verdict]}" for verdict, n in counts.items() if n)


def _table(done: Reproduction, experiment: str) -> list[str]:
    groups = [group for group in done.by_text() if group[0].experiment == experiment]
    readings = list(dict.fromkeys(claim.reading for group in groups for claim in group if claim.reading))
    head = [f"claim of {experiment}", "**as run**", *readings]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for base, *others in groups:
        cells = {claim.reading: _cell(claim) for claim in others}
        unit = f" ({base.unit})" if base.unit else ""
        lines.append(
            f"| {' | '.join([f'{base.text}{unit}', _cell(base), *(cells.get(name, '') for name in readings)])} |"
        )
    return lines


def _cell(claim: Claim) -> str:
    """The verdict, the number that decides, in how many cases it holds, and verdicts at other bounds."""
    said = [f"**{claim.verdict}**" if claim.verdict == "fails" else claim.verdict]
    if claim.ours is not None:
        said.append(figures(claim.ours, factor(claim.unit)))
    if claim.of > 1:
        said.append(f"{claim.holding} of {claim.of} cases")
    if claim.turns_at_bound:
        said += [f"{word} of our bound: {verdict}" for word, verdict in claim.at_bound.items()]
    return ", ".join(said)
