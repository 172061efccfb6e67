"""Where two curves cross, such as the losses under RED and under drop tail, with an interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sojourn.claims import Paired, Sample

__all__ = ["crossing"]

Line = Mapping[float, Sample]
"""A sample at each place, with the same seeds."""


def crossing(differences: Line) -> Paired:
    """From where on the mean difference is positive, by a straight line between two places; as jackknife pseudo-values.

    A difference that is not at the last place counts to that one, one that always is to the first.

    >>> [round(place, 6) for place in crossing({10.0: [-1.0, -1.0], 20.0: [3.0, 3.0]})]
    [12.5, 12.5]
    """
    seeds = len(next(iter(differences.values())))
    whole = _place(differences, range(seeds))
    values = [
        seeds * whole - (seeds - 1) * _place(differences, [other for other in range(seeds) if other != seed])
        for seed in range(seeds)
    ]
    return Paired(values, of=differences.values())


def _place(differences: Line, seeds: Sequence[int]) -> float:
    means = [
        (place, math.fsum(sample[seed] for seed in seeds) / len(seeds) if seeds else math.nan)
        for place, sample in differences.items()
    ]
    after: tuple[float, float] | None = None
    for place, mean in reversed(means):
        if not mean > 0.0:
            return place if after is None else place + (after[0] - place) * mean / (mean - after[1])
        after = (place, mean)
    return means[0][0]
