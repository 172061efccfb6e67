"""A claim as sentences are judged by it: its verdicts, and the numbers that decide."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ..statistics.intervals import Interval
from ..statistics.samples import factor

__all__ = ["HOLD", "ClaimRecord"]

HOLD = ("holds", "fitted")
"""Verdicts of claims that hold."""

_MOST_RUNS = 100_000
"""More runs than anybody makes."""


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
    numbers
        The numbers that decide under other readings, with their intervals, where they are known.
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
    numbers: Mapping[str, Interval] = field(default_factory=dict)
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
        low, high = _ends(self.ours.low * factor(self.unit), self.ours.high * factor(self.unit))
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
        return (of if self.verdict in HOLD else 0 if self.verdict == "cannot tell" else self.holding), of

    def holds_under(self, reading: str) -> bool:
        """Whether it holds under a reading, which has to be run as fully as the first one if that says otherwise."""
        if reading not in self.readings:
            return self.verdict in (*HOLD, "shown", "not measured")
        if self.readings[reading] == "not measured":
            return self.verdict == "not measured"
        here = self.readings[reading] in (*HOLD, "shown")
        return here and (self.verdict in HOLD or reading not in self.fewer)

    def is_apart(self, reading: str) -> bool:
        """Whether its number under a reading lies apart from that under the first one: their intervals do not overlap.

        Where a number is not known, the verdicts decide alone.

        >>> claim = ClaimRecord(
        ...     experiment="E1", text="", verdict="undecided", ours=Interval(0.6, 2.0, 40),
        ...     numbers={"x": Interval(2.9, 1.8, 40), "y": Interval(9.0, 1.8, 40)},
        ... )
        >>> claim.is_apart("x"), claim.is_apart("y")
        (False, True)
        """
        ours, other = self.ours, self.numbers.get(reading)
        if ours is None or other is None:
            return True
        return not (other.low <= ours.high and ours.low <= other.high)

    @property
    def key(self) -> str:
        """The name by which sentences know it."""
        return self.id or self.text


def _ends(low: float, high: float) -> tuple[str, str]:
    """The ends of an interval with two digits of its width, so that they differ.

    >>> _ends(98.4874, 98.5628), _ends(-0.1, 0.5), _ends(123.0, 456.0)
    (('98.487', '98.563'), ('-0.1', '0.5'), ('120', '460'))
    """
    digits = 1 - math.floor(math.log10(high - low)) if high > low else 6
    ends = [round(end, digits) + 0.0 for end in (low, high)]
    return f"{ends[0]:.10g}", f"{ends[1]:.10g}"
