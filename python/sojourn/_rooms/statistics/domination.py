"""Whether one trade-off curve is better than another: two metrics of every setting, by runs with the same seeds.

A *point* is a setting: its values of two metrics, one for each seed, turned so that less is better. A *line* is the
points of one parameter in its order, and a *curve* is the lines of one queue. A curve *dominates* a point if a place on
it is better in one metric and not worse in the other. The place is a setting that is surely so in both, or it is
between two neighbours on a line, and the point surely lies on the worse side of the straight line between these two.

The place is chosen for each seed by the runs of all other seeds, so that the luck by which it looks best is not in the
number that judges it. A statement of several parts has the largest of their p-values (Berger 1982). Holm's rule (1979)
keeps the chance of any wrong statement among all at 5 %. ``tests/unit/statistics/test_domination.py`` counts wrong
statements in studies with a known truth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .looks import FEWEST, LEVEL, look_p

__all__ = ["ALIKE", "EQUAL", "Compared", "Point", "compared", "decided_by_holm"]

Point = tuple[Sequence[float], Sequence[float]]
"""Values of two metrics by seed, less is better."""

EQUAL = 0.001
"""Differences below this part of a value are none."""
ALIKE = 0.02
"""Within this part of both values two settings do the same."""
_LITTLE = 1e-9

_Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Compared:
    """P-values of statements about a point beside a curve.

    Attributes
    ----------
    worse
        The curve dominates the point.
    alike
        A place on the curve is at most :data:`ALIKE` worse in both metrics.
    beyond
        For each metric: the point is better than every setting of the curve.
    """

    worse: float
    alike: float
    beyond: tuple[float, float]


def compared(point: Point, curve: Sequence[Sequence[Point]]) -> Compared:
    """A point beside a curve; seeds of which a value is missing are left out."""
    own = np.asarray(point, dtype=float)
    lines = [np.asarray(line, dtype=float) for line in curve if len(line)]
    known = np.isfinite(own).all(axis=0)
    for line in lines:
        known &= np.isfinite(line).all(axis=(0, 1))
    if not lines or known.sum() < FEWEST:
        return Compared(1.0, 1.0, (1.0, 1.0))
    own = own[:, known]
    size = np.abs(own.mean(axis=1, keepdims=True))
    size[size == 0.0] = 1.0
    own, lines = own / size, [line[:, :, known] / size for line in lines]
    settings = np.concatenate(lines)
    beyond = [max(_p(one[at], own[at]) for one in settings) for at in (0, 1)]
    places = _Places(own, lines)
    return Compared(places.worse(), places.alike(), (beyond[0], beyond[1]))


def decided_by_holm(chances: Sequence[float], level: float = LEVEL) -> list[bool]:
    """The statements that are decided, so that the chance of any wrong one among them is at most `level`.

    >>> decided_by_holm([0.001, 0.04, 0.03])
    [True, False, False]
    """
    order = sorted(range(len(chances)), key=lambda at: chances[at])
    found = [False] * len(chances)
    for rank, at in enumerate(order):
        if chances[at] > level / (len(chances) - rank):
            break
        found[at] = True
    return found


class _Places:
    """The settings of a curve and the ways between neighbours, beside a point; in parts of the point's own means."""

    def __init__(self, own: _Array, lines: Sequence[_Array]) -> None:
        self.own, self.runs = own, own.shape[1]
        self.settings = np.concatenate(lines)
        starts = np.cumsum([0, *(len(line) for line in lines)])
        self.ways = [
            (at, at + 1)
            for first, line in zip(starts, lines, strict=False)
            for at in range(first, first + len(line) - 1)
        ]
        self.gains = own - self.settings

    def worse(self) -> float:
        """The p-value of the statement that a place dominates the point."""
        parts = [([0.0] * self.runs, [0.0] * self.runs) for _ in range(3)]
        for seed in range(self.runs):
            others = np.delete(self.gains, seed, axis=2)
            score, kind, at = max(self._settings(others, EQUAL, both=True), self._ways(others))
            if not math.isfinite(score):
                return 1.0
            if kind == "setting":
                own, there = self.own[:, seed], self.settings[int(at[0]), :, seed]
                pairs = [(own[0] + EQUAL, there[0]), (own[1] + EQUAL, there[1]), (own.sum(), there.sum() + 2.0 * EQUAL)]
            else:
                one, other, share, *normal = at
                place = (1.0 - share) * self.settings[int(one)] + share * self.settings[int(other)]
                pairs = [(float(normal @ self.own[:, seed]), float(normal @ place[:, seed]) + EQUAL)] * 3
            for (left, right), (value, base) in zip(parts, pairs, strict=True):
                left[seed], right[seed] = float(value), float(base)
        return max(_p(*part) if part[0] != part[1] else 0.0 for part in parts)

    def alike(self) -> float:
        """The p-value of the statement that a place is nearly as good in both metrics."""
        chosen = np.empty_like(self.own)
        for seed in range(self.runs):
            others = np.delete(self.gains, seed, axis=2)
            _, _, at = self._settings(others, ALIKE, both=False)
            best, place = others[int(at[0])].mean(axis=1).min(), self.settings[int(at[0]), :, seed]
            for one, other in self.ways:
                share = _even(others[one].mean(axis=1), others[other].mean(axis=1))
                gain = ((1.0 - share) * others[one] + share * others[other]).mean(axis=1).min()
                if gain > best:
                    best, place = (
                        gain,
                        (1.0 - share) * self.settings[one, :, seed] + share * self.settings[other, :, seed],
                    )
            chosen[:, seed] = place
        return max(_p(list(self.own[at] + ALIKE), list(chosen[at])) for at in (0, 1))

    @staticmethod
    def _settings(gains: _Array, least: float, *, both: bool) -> tuple[float, str, tuple[float, ...]]:
        """The setting with the greatest margin, in standard errors."""
        parts = [gains[:, 0] + least, gains[:, 1] + least]
        if both:
            parts.append(gains.sum(axis=1) - 2.0 * least)
        margins = np.min([_margin(part) for part in parts], axis=0)
        best = int(np.argmax(margins))
        return float(margins[best]), "setting", (float(best),)

    def _ways(self, gains: _Array) -> tuple[float, str, tuple[float, ...]]:
        """The way between two neighbours from which the point is farthest, if it is beside this way."""
        best: tuple[float, str, tuple[float, ...]] = (-math.inf, "way", ())
        for one, other in self.ways:
            ends = gains[one].mean(axis=1), gains[other].mean(axis=1)
            apart = ends[1] - ends[0]
            if not apart[0] * apart[1] < 0.0:
                # One end is better than the other in both.
                continue
            share = _even(*ends)
            normal = np.abs(apart[::-1]) / float(np.hypot(*apart))
            mixed = (1.0 - share) * gains[one] + share * gains[other]
            if not (mixed.mean(axis=1) > -EQUAL).all():
                continue
            margin = float(_margin((normal @ mixed - EQUAL)[None])[0])
            best = max(best, (margin, "way", (one, other, share, *normal)))
        return best


def _even(one: _Array, other: _Array) -> float:
    """How far on the way from one place to another the smaller of the two gains is greatest."""
    apart = (one[0] - one[1]) - (other[0] - other[1])
    return min(max(float((one[0] - one[1]) / apart), 0.0), 1.0) if apart else 0.0


def _margin(gains: _Array) -> _Array:
    """Means in standard errors, along the last axis."""
    error: _Array = gains.std(axis=-1) / math.sqrt(gains.shape[-1])
    return gains.mean(axis=-1) / np.maximum(error, _LITTLE)  # type: ignore[no-any-return]


def _p(values: Sequence[float] | _Array, base: Sequence[float] | _Array) -> float:
    """The p-value of a mean of ``values - base`` above zero."""
    own, there = [float(one) for one in values], [float(one) for one in base]
    return look_p(own, there) if math.fsum(own) > math.fsum(there) else 1.0
