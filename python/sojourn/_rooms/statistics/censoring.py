"""Times that end with the run: an event that was not reached by then is *censored*. The run's length is not its time.

A run of 25 s in which a queue never settles says "later than 25 s". The difference of two such runs is not 0 s; it is
unknown. If some runs reach the event, their ranks say which side is faster: a run that never does is later than all
that do, and those that never do are equal.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

__all__ = ["Apart", "Censored"]


class Censored(list[float]):
    """Times; a time of `limit` or more means that the event was never reached.

    Attributes
    ----------
    limit
        The length of the runs.
    bounds
        The bounds of a value in any run.
    """

    def __init__(self, values: Iterable[float], limit: float, bounds: tuple[float, float] = (0.0, math.inf)) -> None:
        super().__init__(values)
        self.limit, self.bounds = limit, bounds

    @property
    def never(self) -> int:
        """The number of runs that never reach the event.

        >>> Censored([3.0, 25.0, 24.0, 25.0], 25.0).never
        2
        """
        return sum(value >= self.limit for value in self)


@dataclass(frozen=True)
class Apart:
    """Two samples, of which at least one has times. The comparison is `scale` times the first less the second.

    As a ratio it is the first over the second, and `scale` and `shift` then change that ratio.
    """

    one: Sequence[float]
    other: Sequence[float]
    is_ratio: bool = False
    factor: float = 1.0
    scale: float = 1.0
    shift: float = 0.0

    @classmethod
    def of(
        cls, one: Sequence[float], other: Sequence[float], *, is_ratio: bool = False, factor: float = 1.0
    ) -> Apart | None:
        """The comparison, if a run of either side never reached the event."""
        some = any(getattr(side, "never", 0) for side in (one, other))
        return cls(one, other, is_ratio, factor) if some else None

    def changed(self, scale: float, shift: float = 0.0) -> Apart:
        """With ``scale * x + shift`` in place of x."""
        return replace(self, scale=self.scale * scale, shift=self.shift * scale + shift)

    @property
    def is_reached(self) -> bool:
        """Whether a run of either side reached the event."""
        return any(value < _limit(side) for side in (self.one, self.other) for value in side if math.isfinite(value))

    def _moved(self, value: float, bound: float) -> float:
        """Where a value of the second sample is, if the comparison is at the bound."""
        if not math.isfinite(value):
            return value
        return bound * value if self.is_ratio else self.factor * value + bound

    def sides(self, bound: float) -> tuple[float, float]:
        """The p-values that the number is below `bound`, and that it is above, each doubled: Mann and Whitney's.

        Both sides are cut at the earlier limit; times beyond it are equal.
        """
        from scipy.stats import mannwhitneyu

        if not self.is_reached:
            return 1.0, 1.0
        bound = (bound - self.shift) / self.scale
        cut = min(_limit(self.one), self._moved(_limit(self.other), bound))
        pairs = [(a, b) for a, b in zip(self.one, self.other, strict=True) if math.isfinite(a) and math.isfinite(b)]
        ours = [min(a, cut) for a, _ in pairs]
        theirs = [min(self._moved(b, bound), cut) for _, b in pairs]
        if len(pairs) < 2 or len({*ours, *theirs}) < 2:
            return 1.0, 1.0
        less, more = (float(mannwhitneyu(ours, theirs, alternative=way).pvalue) for way in ("less", "greater"))
        found = min(1.0, 2.0 * less), min(1.0, 2.0 * more)
        return found if self.scale > 0.0 else (found[1], found[0])


def _limit(side: Sequence[float]) -> float:
    return float(getattr(side, "limit", math.inf))
