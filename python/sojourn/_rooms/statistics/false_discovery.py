"""Many decisions at once: those that stay decided, so that few of them are wrong.

The *false discovery rate* is the share of the decisions that are wrong, in the mean. Benjamini and Hochberg (1995) keep
it below a bound for tests that are independent, or that depend on each other positively.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["decided_together"]


def decided_together(p_values: Sequence[float], rate: float) -> int:
    """The number of p-values, the smallest ones, that decide if at most this share of the decisions may be wrong.

    >>> decided_together([0.04, 0.001, 0.02, 0.3], 0.05)
    2
    """
    last = 0
    for rank, p_value in enumerate(sorted(p_values), start=1):
        if p_value <= rate * rank / len(p_values):
            last = rank
    return last
