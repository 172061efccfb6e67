"""The settings that a search tries: all of them, an orthogonal array of them, and then neighbours of the best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product

from .choices import Factor, Setting

__all__ = ["array", "factorial", "least", "neighbours", "screened", "taken"]

_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23)


def taken(factors: Sequence[Factor]) -> Setting:
    """The setting with which the experiments are run."""
    return tuple(factor.taken for factor in factors)


def size(factors: Sequence[Factor]) -> int:
    """Number of all settings."""
    return math.prod(len(factor.choices) for factor in factors)


def factorial(factors: Sequence[Factor]) -> list[Setting]:
    """Every setting."""
    return list(product(*(range(len(factor.choices)) for factor in factors)))


def array(factors: Sequence[Factor], most: int) -> list[Setting]:
    """Settings of an orthogonal array of strength 2: each pair of choices of two factors is tried about equally often.

    The array is that of SciPy's Latin hypercube of strength 2, which has p^2 rows for a prime p. The largest with at
    most `most` rows is taken. If the smallest with a column for each factor has more rows, it is cut.
    """
    from scipy.stats import qmc

    primes = [prime for prime in _PRIMES if prime >= _width(factors)]
    prime = max([one for one in primes if one * one <= most], default=primes[0])
    drawn = qmc.LatinHypercube(len(factors), strength=2, rng=1).random(prime * prime)
    counts = [len(factor.choices) for factor in factors]
    found = [tuple(min(int(u * count), count - 1) for u, count in zip(row, counts, strict=True)) for row in drawn]
    return list(dict.fromkeys(found))[:most]


def _width(factors: Sequence[Factor]) -> int:
    return max(len(factors) - 1, *(len(factor.choices) for factor in factors), 2)


def least(factors: Sequence[Factor]) -> int:
    """Rows of the smallest orthogonal array that has a column for each factor."""
    return min(prime for prime in _PRIMES if prime >= _width(factors)) ** 2


def screened(factors: Sequence[Factor], most: int) -> tuple[list[Setting], bool]:
    """The first settings to try, beginning with the setting taken; and whether these are all settings."""
    whole = size(factors) <= most
    found = factorial(factors) if whole else array(factors, most - 1)
    return list(dict.fromkeys([taken(factors), *found])), whole


def neighbours(factors: Sequence[Factor], setting: Setting) -> Iterator[Setting]:
    """Settings that differ from one in a single factor."""
    for place, factor in enumerate(factors):
        for choice in range(len(factor.choices)):
            if choice != setting[place]:
                yield (*setting[:place], choice, *setting[place + 1 :])
