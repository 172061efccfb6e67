"""The verdicts of a full run as Markdown tables: a view of ``record/verdicts.toml``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .._base.files import write_whole
from .claims import VERDICTS, factor
from .exhibits import figures
from .scores import Score, interval_of

__all__ = ["MARKS", "verdicts", "write"]

MARKS = ("<!-- verdicts, made by `sojourn reproduce KEY --full --verdicts FILE.md` -->", "<!-- end of verdicts -->")
"""The tables are between these lines of a page."""

_Claims = Sequence[Mapping[str, Any]]


def verdicts(score: Score) -> str:
    """A count, and a table for each experiment: a claim in each row, a reading in each column.

    An empty cell is a reading that does not change the number that decides.
    """
    others = [found for claim in score.claims for found in claim.get("readings", {}).values()]
    lines = [
        f"The runs had {' to '.join(map(str, dict.fromkeys(score.seeds)))} seeds. Of {len(score.claims)} claims as "
        f"run, {_tally(score.claims)}. "
        + (f"Under other readings that change the number, {_tally(others)}. " if others else "")
        + "Each cell has the verdict and the number that decides it (the least favourable case) with its 95 % "
        "interval; a difference above 0 supports the claim. A cell also says in how many cases a claim about several "
        "cases holds. If the bound of a claim is ours, it has the verdicts at half and at twice the bound where they "
        "differ."
    ]
    for experiment in dict.fromkeys(claim["experiment"] for claim in score.claims):
        lines += ["", *_table(experiment, [claim for claim in score.claims if claim["experiment"] == experiment])]
    return "\n".join(lines) + "\n"


def write(path: Path, score: Score) -> None:
    """Write the tables: between the marks of a file; missing marks are added at its end."""
    begin, end = MARKS
    table = verdicts(score)
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


def _tally(found: Iterable[Mapping[str, Any]]) -> str:
    every = [one["verdict"] for one in found]
    counts = {verdict: every.count(verdict) for verdict in VERDICTS}
    return ", ".join(f"{n} {verdict if n == 1 else VERDICTS[verdict]}" for verdict, n in counts.items() if n)


def _table(experiment: str, claims: _Claims) -> list[str]:
    readings = list(dict.fromkeys(name for claim in claims for name in claim.get("readings", {})))
    head = [f"claim of {experiment}", "**as run**", *readings]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for claim in claims:
        unit = claim.get("unit", "")
        cells = {name: _cell(found, unit) for name, found in claim.get("readings", {}).items()}
        row = [f"{claim['text']}{f' ({unit})' if unit else ''}", _cell(claim, unit)]
        lines.append(f"| {' | '.join([*row, *(cells.get(name, '') for name in readings)])} |")
    return lines


def _cell(found: Mapping[str, Any], unit: str) -> str:
    """The verdict, the number that decides, the cases in which it holds, and verdicts at other bounds."""
    verdict, own = found["verdict"], found.get("at_bound", {})
    said = [f"**{verdict}**" if verdict == "fails" else verdict]
    if "ours" in found:
        said.append(figures(interval_of(found), factor(unit)))
    if found.get("of", 0) > 1:
        said.append(f"{found['holding']} of {found['of']} cases")
    if any(turned != found.get("alone", verdict) for turned in own.values()):
        said += [f"{word} our bound: {turned}" for word, turned in own.items()]
    return ", ".join(said)
