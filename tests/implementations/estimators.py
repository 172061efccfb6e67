"""How many flows there are, from flows caught at random: the Jackknife and sample coverage, from their publications."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence


def frequencies(caught: Sequence[int]) -> list[int]:
    """f_1, f_2 ...: how many flows were caught just once, twice ..."""
    times = Counter(Counter(caught).values())
    return [times[j] for j in range(1, max(len(caught), 5) + 1)]


def weights(order: int, t: int) -> list[float]:
    """The factors of f_1 to f_5 in the Jackknife of an order, beside the flows seen (Burnham and Overton 1979).

    By its definition, not by printed polynomials: sum_i (-1)^i C(m, i) (t - i)^m S_i / m!, where S_i is the mean number
    of flows seen with i of the t occasions left out. The factors of all S_i sum up to 1.
    """
    factors = []
    for j in range(1, 6):
        total = 0.0
        for left_out in range(order + 1):
            # A flow caught j times is missed where all its occasions are left out.
            missed = math.comb(t - j, left_out - j) / math.comb(t, left_out) if left_out >= j else 0.0
            share = (-1) ** left_out * math.comb(order, left_out) * (t - left_out) ** order / math.factorial(order)
            total -= share * missed
        factors.append(total)
    return factors


def jackknife(t: int, f: Sequence[int]) -> float:
    """The first order whose successor is not significantly different, interpolated (Burnham and Overton 1979)."""
    seen = sum(f)
    factors = {order: weights(order, t) for order in range(1, 6)}
    n = {order: seen + sum(a * number for a, number in zip(factors[order], f, strict=False)) for order in factors}
    if seen <= 1:
        return max(n[1], seen)
    before = 0.0
    for order in range(1, 5):
        gain = n[order + 1] - n[order]
        steps = [b - a for a, b in zip(factors[order], factors[order + 1], strict=True)]
        squares = sum(b * b * number for b, number in zip(steps, f, strict=False))
        spread = seen / (seen - 1) * (squares - gain * gain / seen)
        if spread <= 0:
            return max(n[1], seen)
        p = math.erfc(abs(gain) / math.sqrt(2 * spread))
        if p > 0.05:
            if order == 1:
                return max(n[1], seen)
            c = (0.05 - before) / (p - before)
            return max(c * n[order] + (1 - c) * n[order - 1], seen)
        before = p
    return max(n[5], seen)


def coverage(t: int, f: Sequence[int], order: int) -> float:
    """Lee and Chao 1994: S / C, and a term for the spread of the flows' rates."""
    seen = sum(f)
    unseen = f[0] if order == 1 else f[0] - 2 * f[1] / (t - 1)
    c = 1 - unseen / t
    pairs = sum(j * (j - 1) * number for j, number in enumerate(f, 1))
    spread = max(seen / c * pairs / (t * (t - 1)) - 1, 0.0)
    return (seen + f[0] * spread) / c
