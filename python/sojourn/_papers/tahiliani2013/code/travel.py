"""Section 3.1: how long max_p takes from one of its bounds to the other under Adaptive RED."""

from __future__ import annotations

from collections.abc import Iterator

from sojourn.claims import Claim
from sojourn.papers import Context, Finding, Paper

LEAST, MOST = 0.01, 0.5
INTERVAL_S = 0.5
"""Table 3.1: the bounds of max_p, and the time between two changes."""


def rise_s() -> float:
    """From the least to the greatest max_p by steps of min(0.01, max_p / 4)."""
    max_p, steps = LEAST, 0
    while max_p < MOST:
        max_p += min(0.01, 0.25 * max_p)
        steps += 1
    return INTERVAL_S * steps


def fall_s(beta: float = 0.9) -> float:
    """From the greatest to the least max_p by a factor."""
    max_p, steps = MOST, 0
    while max_p > LEAST:
        max_p *= beta
        steps += 1
    return INTERVAL_S * steps


def claims() -> Iterator[Claim]:
    """The statements of section 3.1, by its own algorithm 1."""
    rise, fall = rise_s(), fall_s()
    yield Claim.that(
        "Adaptive RED takes at least 24.5 s to raise max_p from 0.01 to 0.5",
        rise >= 24.5,
        id="E3.0-rise",
        source="section 3.1",
        note=f"{rise:.1f} s by steps of min(0.01, max_p / 4) each half second",
    )
    yield Claim.that(
        "Adaptive RED takes at least 20.1 s to lower max_p from 0.5 to 0.01",
        fall >= 20.1,
        id="E3.0-fall",
        source="section 3.1",
        note=f"{fall:.1f} s by a factor of 0.9 each half second",
        contradiction="its table 3.1 states the factor of 0.9, by which it is 19 s",
    )


def enter(paper: Paper) -> None:
    """As an experiment of the paper."""
    doc = "section 3.1: how long max_p takes from one bound to the other, by algorithm 1"

    @paper.experiment("E3.0", doc, before="E3.1")
    def bounds(_: Context) -> Iterator[Finding]:
        """Without a simulation."""
        yield from claims()
