"""Good and bad uses of a subject, and who dominates whom at a question, by the size of the differences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from .page import Row

__all__ = ["Dominance", "dominance", "figures", "rivals", "sentence", "size_of", "uses", "with_middle"]

_MOST = 3
_WORTH = 1.1
"""Numbers that are less than a tenth apart are not worth naming."""
_MOST_TIMES = 1e6
"""In place of a ratio to zero."""


@dataclass(frozen=True)
class Dominance:
    """A subject beside the baselines at one question.

    A baseline dominates the subject if the runs decide a number for it, none against it, and the subject leads by
    nothing that counts in the other numbers.

    Attributes
    ----------
    by, over
        The baselines that dominate the subject, and those that it dominates.
    """

    by: tuple[str, ...]
    over: tuple[str, ...]

    def __str__(self) -> str:
        """Words for a table; empty where nobody dominates.

        >>> str(Dominance(("codel",), ("fifo", "red")))
        'dominated by codel; dominates fifo and red'
        """
        parts = [f"dominated by {_joined(self.by)}"] * bool(self.by) + [f"dominates {_joined(self.over)}"] * bool(
            self.over
        )
        return "; ".join(parts)


def dominance(rows: Sequence[Row], subject: str) -> Dominance:
    """Who dominates whom by the rows of one question."""
    others = dict.fromkeys(one for row in rows for one in row.values if one != subject)
    by = tuple(one for one in others if _dominates(rows, one, subject, subject))
    over = tuple(one for one in others if _dominates(rows, subject, one, subject))
    return Dominance(by, over)


def _dominates(rows: Sequence[Row], one: str, other: str, subject: str) -> bool:
    """Whether it is decided to be better in a number, and behind in none."""
    baseline = other if one == subject else one
    ahead = [baseline in (row.better if one == subject else row.worse) for row in rows]
    behind = [
        baseline in (row.worse if one == subject else row.better) or _lead(row, other, one) > row.measure.least
        for row in rows
        if row.measure.better
    ]
    return any(ahead) and not any(behind)


def _lead(row: Row, one: str, other: str) -> float:
    """By how much its mean is better than another's; 0 where one of them has none."""
    apart = row.mean(one) - row.mean(other)
    return (apart if row.measure.better == "more" else -apart) if math.isfinite(apart) else 0.0


def sentence(rows: Sequence[Row], subject: str) -> str:
    """Its good and bad uses: those with the greatest ratios to the middle of the others."""
    good, bad = uses(rows, subject)
    parts = [f"good for {_listed(good, subject)}"] * bool(good) + [f"bad for {_listed(bad, subject)}"] * bool(bad)
    return "; ".join(parts) if parts else "nowhere far from the middle of the others"


def uses(rows: Sequence[Row], subject: str) -> tuple[list[Row], list[Row]]:
    """The numbers of its best uses, the best first, and of its worst ones."""
    found: dict[str, list[tuple[float, Row]]] = {}
    for row in rows:
        if row.measure.good and (times := _times(row, subject)):
            found.setdefault(row.measure.good, []).append((math.log(times), row))
    told = []
    for seen in found.values():
        # Where a criterion has several points, the mean of these is seen at the point that is nearest to it.
        mean = sum(times for times, _ in seen) / len(seen)
        told.append((mean, min(seen, key=lambda one: abs(one[0] - mean))[1]))
    told.sort(key=lambda one: -one[0])
    good = [row for times, row in told if times >= math.log(_WORTH)][:_MOST]
    bad = [row for times, row in reversed(told) if times <= -math.log(_WORTH)][:_MOST]
    return good, bad


def rivals(questions: Sequence[Sequence[Row]], subject: str, *, most: int = _MOST) -> str:
    """The baselines that dominate the subject somewhere and are dominated nowhere, with their largest difference."""
    stands = [dominance(rows, subject) for rows in questions]
    others = dict.fromkeys(one for found in stands for one in found.by)
    told = []
    for one in others:
        lost = [rows for rows, found in zip(questions, stands, strict=True) if one in found.by]
        if any(one in found.over for found in stands):
            continue
        size, row = max(((size_of(row, one, subject), row) for rows in lost for row in rows), key=lambda pair: pair[0])
        at = f"{row.criterion.title}: {row.point}" if row.point else row.criterion.title
        values = [f"{figures(row.mean(label))}{_unit(row.measure.unit)}" for label in (one, subject)]
        told.append(
            (
                size,
                f"{one} dominates it at {len(lost)} of {len(questions)} questions and is dominated at none; at {at} "
                f"its {row.measure.label} is {values[0]} against {values[1]}.",
            )
        )
    told.sort(key=lambda pair: -pair[0])
    return " ".join(text for _, text in told[:most])


def size_of(row: Row, one: str, other: str) -> float:
    """How many times better it is than another one; at most a million."""
    if not row.measure.better or _lead(row, one, other) <= row.measure.least:
        return 1.0
    low, high = sorted((abs(row.mean(one)), abs(row.mean(other))))
    return min(high / low, _MOST_TIMES) if low > 0.0 else _MOST_TIMES


def _times(row: Row, subject: str) -> float:
    """How many times better it is than the middle of the others, below 1 if it is worse; 0 without others."""
    mine, middle = row.mean(subject), _middle(row, subject)
    if not row.measure.better or not math.isfinite(mine) or not math.isfinite(middle):
        return 0.0
    if abs(mine - middle) <= row.measure.least:
        return 1.0
    low, high = sorted((abs(mine), abs(middle)))
    times = min(high / low, _MOST_TIMES) if low > 0.0 else _MOST_TIMES
    return times if (mine > middle) == (row.measure.better == "more") else 1.0 / times


def _middle(row: Row, subject: str) -> float:
    known = [mean for one in row.values if one != subject and math.isfinite(mean := row.mean(one))]
    return median(known) if known else math.nan


def _listed(rows: Sequence[Row], subject: str) -> str:
    return _joined([with_middle(row, subject) for row in rows])


def with_middle(row: Row, subject: str) -> str:
    """A use, its number, and that of the middle of the others."""
    unit = _unit(row.measure.unit)
    middle = figures(_middle(row, subject))
    return f"{row.measure.good} ({figures(row.mean(subject))}{unit}; the middle of the others is {middle}{unit})"


def _joined(words: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def _unit(unit: str) -> str:
    return f" {unit}" if unit else ""


def figures(value: float, digits: int = 3) -> str:
    """Three significant digits, or fewer.

    >>> figures(12.345), figures(1234.0), figures(0.00123), figures(0.0)
    ('12.3', '1234', '0.00123', '0')
    """
    if not math.isfinite(value):
        return "-"
    if value == 0.0:
        return "0"
    decimals = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
    text = f"{value:.{min(decimals, 6)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
