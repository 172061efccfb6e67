"""How the printed tables of a work compare with ours: a line for each, from the last ``--numbers --record``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .._base import toml
from .._base.files import write_whole
from .._base.schema import Wrong, made, told_of, under
from .._base.schema import table as table_of
from ..statistics.prediction import TOLERANCE
from .folders import record_of

__all__ = ["ABOUT", "HEAD", "NUMBERS_FILE", "Line", "Lines", "cells", "keep", "markdown", "read"]

NUMBERS_FILE = "numbers.toml"

ABOUT = (
    "Each printed number is set beside the mean of our runs under the first reading. It is *inside* if it lies, with "
    "its rounding, in the 95 % interval for the mean of as many runs as the work made, and *near* if it does with "
    f"{100 * TOLERANCE:g} % of it more, by which two simulators that agree may lie apart. *Within a tenth* needs no "
    "interval. Of a link that is used to more than a half, and of Jain's index above 0.5, both shares are of what is "
    "missing: 2 % of 98.7 % would admit every full link. The *median ratio* is ours over the printed number."
)

HEAD = ("printed in", "numbers", "inside", "near", "within a tenth", "median ratio", "its runs", "our runs")


@dataclass(frozen=True, kw_only=True)
class Line:
    """A table of a work.

    Attributes
    ----------
    numbers
        How many it prints.
    inside, near, within_a_tenth
        How many of them lie in our interval, in it with 2 % more, and within a tenth of ours.
    ratio
        The median of ours over the printed number; 0 where all printed numbers are 0.
    made, runs
        The most runs behind a printed number, and the fewest of ours.
    """

    numbers: int
    inside: int
    near: int
    within_a_tenth: int
    ratio: float = 0.0
    made: int = 1
    runs: int = 1


@dataclass(frozen=True, kw_only=True)
class Lines:
    """All tables of a work; `settings` is the mark of the run, as in the verdicts of a full one."""

    version: str
    date: str
    settings: str = ""
    tables: Mapping[str, Line] = field(default_factory=dict)

    @property
    def together(self) -> Line:
        """The counts of all tables."""
        every = list(self.tables.values())
        return Line(
            numbers=sum(one.numbers for one in every),
            inside=sum(one.inside for one in every),
            near=sum(one.near for one in every),
            within_a_tenth=sum(one.within_a_tenth for one in every),
        )


def keep(folder: Path, key: str, lines: Lines) -> None:
    """Write the lines into the folder of a work."""
    head = toml.document({"version": lines.version, "date": lines.date, "settings": lines.settings})
    rows = [f"{toml.key(name)} = {toml.inline(vars(line))}" for name, line in lines.tables.items()]
    file = record_of(folder, NUMBERS_FILE)
    file.parent.mkdir(exist_ok=True)
    text = "\n".join([f"# Made by `sojourn reproduce {key} --numbers --record`.", head.strip(), "", "[tables]", *rows])
    write_whole(file, text + "\n")


def read(folder: Path) -> Lines | None:
    """The lines of a work, if they were kept."""
    file = record_of(folder, NUMBERS_FILE)
    if not file.exists():
        return None
    content = dict(toml.read(file))
    found = {}
    try:
        with under("tables"):
            for name, row in table_of(content.pop("tables", {})).items():
                with under(name):
                    found[name] = made(Line, table_of(row))
        return made(Lines, content, hidden=("tables",), more={"tables": found})
    except Wrong as wrong:
        raise told_of(wrong, [(file, ())]) from None


def cells(lines: Lines) -> Iterator[list[str]]:
    """The rows of the table, the sum last."""
    for name, one in lines.tables.items():
        ratio = f"{one.ratio:.2f}" if one.ratio else ""
        yield [name, *_counts(one), ratio, str(one.made), str(one.runs)]
    if len(lines.tables) > 1:
        yield ["together", *_counts(lines.together), "", "", ""]


def _counts(one: Line) -> Sequence[str]:
    return [str(many) for many in (one.numbers, one.inside, one.near, one.within_a_tenth)]


def markdown(works: Mapping[str, Lines | None]) -> str:
    """A table of all works: a row for each of their tables. Nothing where no work has any."""
    rows = [[name, *row] for name, lines in works.items() if lines for row in cells(lines)]
    if not rows:
        return ""
    head = ["work", *HEAD]
    lines = [f"| {' | '.join(head)} |", f"|---|---|{'---:|' * (len(head) - 2)}"]
    before = ""
    for row in rows:
        lines.append(f"| {' | '.join([row[0] if row[0] != before else '', *row[1:]])} |")
        before = row[0]
    return "\n".join(lines) + "\n"
