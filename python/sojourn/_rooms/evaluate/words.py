"""Good and bad uses of a subject, in a sentence that follows from its ranks among others."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from statistics import median

from .page import Row

__all__ = ["ahead_of_it", "figures", "ordinal", "places", "sentence"]

_FIRST, _LAST = 0.25, 0.75
"""Parts of the field: the first quarter is good for a use, the last quarter is bad for it."""
_MOST = 3
_FAR = 3.0
"""How many times worse than the middle of the others is worth naming, whatever the place."""


def places(rows: Sequence[Row], subject: str) -> dict[str, tuple[float, Row]]:
    """For each use that a subject may be good for: the part of the field that is before it, and the row that shows it.

    Where a criterion has several points it is the mean of these, seen at the point that is nearest to it.
    """
    found: dict[str, list[tuple[float, Row]]] = {}
    for row in rows:
        place = row.place(subject)
        if not row.measure.good or place is None or place[1] < 2:
            continue
        found.setdefault(row.measure.good, []).append(((place[0] - 1) / (place[1] - 1), row))
    means = {good: sum(part for part, _ in seen) / len(seen) for good, seen in found.items()}
    return {
        good: (means[good], min(seen, key=lambda one: abs(one[0] - means[good]))[1]) for good, seen in found.items()
    }


def sentence(rows: Sequence[Row], subject: str) -> str:
    """Its good and bad uses, with the numbers behind them."""
    known = places(rows, subject)
    # A field in which nobody differs says nothing.
    told = {good: one for good, one in known.items() if _differs(rows, good)}

    def key(one: tuple[str, tuple[float, Row]], sign: int) -> tuple[bool, float, int]:
        """A place that several subjects share says less than a place of one, and a place that most share says least."""
        before, row = one[1]
        place, others = row.place(subject), row.level_with(subject)
        return place is not None and 2 * others > place[1], sign * before, others

    good = sorted((one for one in told.items() if one[1][0] <= _FIRST), key=partial(key, sign=1))
    bad = sorted((one for one in told.items() if one[1][0] >= _LAST), key=partial(key, sign=-1))
    best, worst = good[:_MOST], bad[:_MOST]
    # Places do not say how far behind the others it is.
    far = max((row for row in rows if row.measure.good in told), key=lambda row: _behind(row, subject), default=None)
    if far is not None and _behind(far, subject) >= _FAR:
        worst = [one for one in worst if one[0] != far.measure.good][: _MOST - 1]
        worst.append((far.measure.good, (1.0, far)))
        best = [one for one in best if one[0] != far.measure.good]
    parts = []
    if best:
        parts.append(f"good for {_listed(best, subject)}")
    if worst:
        parts.append(f"bad for {_listed(worst, subject)}")
    return "; ".join(parts) if parts else "in the middle of the field everywhere"


def ahead_of_it(rows: Sequence[Row]) -> str:
    """The baselines with more comparisons decided against the subject than for it; empty without any."""
    won = Counter(baseline for row in rows for baseline in row.better)
    lost = Counter(baseline for row in rows for baseline in row.worse)
    ahead = sorted((one for one in lost if lost[one] > won[one]), key=lambda one: won[one] - lost[one])
    if not ahead:
        return ""
    told = [f"{one} ({won[one]} for it, {lost[one]} against it)" for one in ahead]
    return f"On the whole it is behind {' and '.join([', '.join(told[:-1]), told[-1]] if len(told) > 1 else told)}."


def _behind(row: Row, subject: str) -> float:
    """How many times worse it is than the middle of the others; 0 where that difference does not count."""
    mine, others = row.mean(subject), [row.mean(one) for one in row.values if one != subject]
    known = [mean for mean in others if math.isfinite(mean)]
    if not row.measure.better or not math.isfinite(mine) or not known:
        return 0.0
    low, high = (mine, median(known)) if row.measure.better == "more" else (median(known), mine)
    if high - low <= row.measure.least:
        return 0.0
    return high / low if low > 0.0 else math.inf


def _differs(rows: Sequence[Row], good: str) -> bool:
    for row in rows:
        if row.measure.good == good:
            means = [mean for one in row.values if math.isfinite(mean := row.mean(one))]
            if means and max(means) - min(means) > row.measure.least:
                return True
    return False


def _listed(things: Sequence[tuple[str, tuple[float, Row]]], subject: str) -> str:
    told = []
    for good, (_, row) in things:
        place = row.place(subject)
        others = row.level_with(subject)
        too = f" with {others} other{'s' * (others > 1)}" if others else ""
        rank = f", {ordinal(place[0])} of {place[1]}{too}" if place else ""
        if _behind(row, subject) >= _FAR:
            middle = median(mean for one in row.values if one != subject and math.isfinite(mean := row.mean(one)))
            rank += f"; the middle of the others is {figures(middle)}{_unit(row.measure.unit)}"
        told.append(f"{good} ({figures(row.mean(subject))}{_unit(row.measure.unit)}{rank})")
    return " and ".join([", ".join(told[:-1]), told[-1]]) if len(told) > 1 else told[0]


def _unit(unit: str) -> str:
    return f" {unit}" if unit else ""


def figures(value: float) -> str:
    """Three significant digits.

    >>> figures(12.345), figures(1234.0), figures(0.00123), figures(0.0)
    ('12.3', '1234', '0.00123', '0')
    """
    if not math.isfinite(value):
        return "-"
    if value == 0.0:
        return "0"
    decimals = max(2 - math.floor(math.log10(abs(value))), 0)
    text = f"{value:.{min(decimals, 6)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def ordinal(number: int) -> str:
    """The ordinal as a text.

    >>> [ordinal(one) for one in (1, 2, 3, 11, 22)]
    ['1st', '2nd', '3rd', '11th', '22nd']
    """
    endings: Mapping[int, str] = {} if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{endings.get(number % 10, 'th')}"
