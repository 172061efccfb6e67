"""The fates of packets in two implementations that saw the same arrivals: where they part, and how often."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from ... import _core
from .._base.checks import shortened
from .._base.csv_files import read_table
from .._base.nearest import nearest, nearest_hint

if TYPE_CHECKING:
    from _typeshed import StrPath

__all__ = ["DECISIONS", "Agreement", "agreement"]

DECISIONS = ("enqueued", "marked", "dropped")
_SHOWN = ("packet", "record", "time_s", "flow", "size_bytes", "theirs", "decision", "reason")


@dataclass(frozen=True)
class Agreement:
    """Decisions of another implementation beside those of a replay.

    Attributes
    ----------
    packets
        One row for each arrival, with the decisions of the replay in the column ``decision`` and the others in
        ``theirs``.
    """

    packets: pl.DataFrame

    @property
    def equal(self) -> int:
        """Packets of which both decided the same."""
        return self.packets.filter(pl.col("theirs") == pl.col("decision")).height

    @property
    def differences(self) -> pl.DataFrame:
        """Packets of which they decided otherwise, in order of arrival."""
        return self.packets.filter(pl.col("theirs") != pl.col("decision")).select(_SHOWN)

    @property
    def first(self) -> dict[str, Any] | None:
        """The first packet of which they decided otherwise; none if there is none."""
        rows = self.differences.head(1).to_dicts()
        return rows[0] if rows else None

    def count(self, decision: str) -> tuple[int, int, int]:
        """Packets that have this fate in both, only in theirs, and only in the replay."""
        theirs, ours = self.packets["theirs"] == decision, self.packets["decision"] == decision
        return int((theirs & ours).sum()), int((theirs & ~ours).sum()), int((~theirs & ours).sum())

    def __repr__(self) -> str:
        return f"<Agreement: {self.equal} of {self.packets.height} packets>"


def agreement(decisions: pl.DataFrame, theirs: StrPath | pl.DataFrame) -> Agreement:
    """Put `theirs` beside the decisions of a replay; see :meth:`sojourn.ReplayResult.against`."""
    name, frame, header = _frame(theirs)
    if "decision" not in frame.columns:
        near = nearest("decision", frame.columns)
        hint = f"\n  hint:    rename {near!r}" if near else f"\n  found:   {shortened(', '.join(frame.columns))}"
        raise _core.ScenarioError(f"{name}: the column 'decision' is missing{hint}")
    said = [_decision(name, row, value) for row, value in enumerate(frame["decision"], start=header + 1)]
    key = next((column for column in ("packet", "record") if column in frame.columns), None)
    if key is None or (key == "record" and len(said) == decisions.height):
        key = None
    if key is None:
        if len(said) != decisions.height:
            raise _core.ScenarioError(
                f"{name}: it has {len(said)} decisions, and there are {decisions.height} arrivals\n"
                "  hint:    name those listed in a column 'packet' (from 0) or 'record'; all others count as enqueued"
            )
        column = said
    else:
        column = _placed((name, header + 1), decisions[key].to_list(), frame[key].to_list(), said, key)
    return Agreement(decisions.with_columns(theirs=pl.Series(column, dtype=pl.String)))


def _placed(place: tuple[str, int], known: list[int], listed: list[object], said: list[str], key: str) -> list[str]:
    """The decisions in order of arrival; packets that are not listed were enqueued. `place` has the first line."""
    name, first = place
    places = {number: place for place, number in enumerate(known)}
    if len(places) < len(known):
        raise _core.ScenarioError(
            f"{name}: a {key} is several packets here, since large ones were cut\n"
            "  hint:    name them in a column 'packet'"
        )
    column, seen = [DECISIONS[0]] * len(known), set()
    for row, (text, decision) in enumerate(zip(listed, said, strict=True), start=first):
        try:
            number = int(str(text))
        except ValueError:
            number = -1
        if number not in places:
            raise _core.ScenarioError(
                f"{name}: line {row}: there is no {key} {shortened(repr(text))} among the arrivals\n"
                f"  allowed: {known[0]} to {known[-1]}"
            )
        if number in seen:
            raise _core.ScenarioError(f"{name}: line {row}: {key} {number} is there twice")
        seen.add(number)
        column[places[number]] = decision
    return column


def _decision(name: str, row: int, value: object) -> str:
    text = str(value).strip().lower()
    if text in DECISIONS:
        return text
    hint = nearest_hint(text, DECISIONS, cutoff=0.5)
    raise _core.ScenarioError(
        f"{name}: line {row}: the decision is {shortened(repr(value))}\n  allowed: {', '.join(DECISIONS)}{hint}"
    )


def _frame(theirs: StrPath | pl.DataFrame) -> tuple[str, pl.DataFrame, int]:
    """The name of the table, the table, and the line of its header."""
    if isinstance(theirs, pl.DataFrame):
        return "the frame", theirs, 1
    name = str(theirs)
    try:
        return name, *read_table(Path(theirs))
    except (pl.exceptions.PolarsError, UnicodeDecodeError) as error:
        raise _core.ScenarioError(f"{name}: this is not CSV: {shortened(str(error))}") from None
