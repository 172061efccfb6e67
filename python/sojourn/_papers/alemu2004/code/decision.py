"""Section 5.5's decision rule, and its predictions beside the reports of chapter 5 (`sojourn.models.fec`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from sojourn.claims import Claim
from sojourn.models import fec

Printed = Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]
"""The cells of tables 5.1 and 5.2: by experiment, number and case, one for each of `FLOWS`."""

FLOWS = range(10, 101, 10)
TENTH, QUARTER = 0.1, 0.25
"""How near a foretold number of flows, and a foretold block, is to be met. Written down before they were computed."""


def claims(printed: Printed) -> Iterator[Claim]:
    """Its own consequences, then its predictions from the losses before correction that tables 5.1 and 5.2 print."""
    yield from consequences()
    for block, table in (("16+1", "5.1"), ("16+4", "5.2")):
        yield crossing(printed, block, table)
    for h, k in ((1, 16), (4, 40)):
        yield largest_block(printed, h, k)


def consequences() -> Iterator[Claim]:
    """Consequences of the rule that need no number of the experiments."""
    rates = (0.01, 0.02, 0.05, 0.1)
    most = {h: [fec.largest_data(p, h) for p in rates] for h in (1, 2, 4, 8)}
    yield Claim.that(
        "By the rule RED is better for few packets of data only, and for fewer where more is lost",
        all(values == sorted(values, reverse=True) for values in most.values()),
        id="E5.8-rule-few-packets",
        source="section 5.5",
        note="; ".join(
            f"h = {h}: k up to {values[0]:.0f} at 1 % and {values[-1]:.0f} at 10 %" for h, values in most.items()
        ),
    )
    decided = {
        (p, k, h): fec.red_is_better(p, k, h) == (k <= fec.linear_largest_data(p, h))
        for p in rates
        for h in (1, 2, 4, 6, 8, 12, 16)
        for k in (8, 10, 16, 20, 24, 32, 40, 48, 60, 64, 80)
    }
    small = [same for (_, _, h), same in decided.items() if h < 4]
    large = [same for (_, _, h), same in decided.items() if h >= 4]
    yield Claim.that(
        "For large h the line x_h = h + C decides as the exact x_h does",
        all(large),
        id="E5.8-rule-line",
        source="section 5.5",
        note=f"{len(large)} decisions with h from 4 to 16, k to 80 and losses of 1 to 10 %, "
        f"C = {fec.offset():.4f}; with h of 1 and 2, for which it is not claimed, "
        f"{small.count(False)} of {len(small)} differ",
    )


def crossing(printed: Printed, block: str, table: str) -> Claim:
    """The number of flows at which the order of the queues changes, by the model and as it is printed."""
    k, h = map(int, block.split("+"))

    def foretold(n: int) -> float:
        red, tail = (_printed(printed, "PLRBC", queue, block, n) for queue in ("RED", "drop tail"))
        return fec.left(red, k, h, fec.BETA_RED) - fec.left(tail, k, h, fec.BETA_DROP_TAIL)

    def reported(n: int) -> float:
        return _printed(printed, "PLR", "RED", block, n) - _printed(printed, "PLR", "drop tail", block, n)

    ours, theirs = _change(foretold), _change(reported)
    return Claim.that(
        f"The model foretells the number of flows at which the order changes in table {table} ({block})",
        abs(ours / theirs - 1.0) <= TENTH,
        id=f"E5.8-rule-order-changes-{k}-{h}",
        source=f"section 5.5, table {table}",
        note=f"{ours:.1f} flows foretold from the losses before correction, {theirs:.1f} printed; "
        f"within {TENTH:.0%} asked",
    )


def largest_block(printed: Printed, h: int, k: int) -> Claim:
    """Figures 5.8 and 5.9 with 50 flows: the data up to which RED is better."""
    from scipy.optimize import brentq

    table = "16+1" if h == 1 else "16+4"
    red, tail = (_printed(printed, "PLRBC", queue, table, 50) for queue in ("RED", "drop tail"))
    rule = fec.largest_data((red + tail) / 2.0, h)

    def gap(data: float) -> float:
        return _left(red, data, h, fec.BETA_RED) - _left(tail, data, h, fec.BETA_DROP_TAIL)

    apart = float(brentq(gap, 1.0, 400.0)) if gap(1.0) * gap(400.0) < 0.0 else float("nan")
    return Claim.that(
        f"With 50 flows and h = {h} the rule foretells that RED is better up to about k = {k}",
        abs(rule / k - 1.0) <= QUARTER,
        id=f"E5.8-rule-up-to-{k}-h-{h}",
        source="section 5.5, figures 5.8 and 5.9",
        note=f"k = {rule:.1f} by the rule at the mean of both loss rates, {(red + tail) / 2:.2%}; "
        f"k = {apart:.1f} by the model with RED's own {red:.2%} and drop tail's {tail:.2%}; within {QUARTER:.0%} asked",
    )


def _printed(printed: Printed, number: str, queue: str, block: str, flows: int) -> float:
    return float(printed["E5.2-table"][number][f"{queue} {block}"][FLOWS.index(flows)])


def _left(p: float, data: float, h: int, beta: float) -> float:
    """`fec.left` for a number of packets that need not be whole."""
    low = int(data)
    part = data - low
    return (1.0 - part) * fec.left(p, low, h, beta) + part * fec.left(p, low + 1, h, beta)


def _change(value: Callable[[int], float]) -> float:
    """Where it turns from below to above 0 for good, on straight lines between the numbers of flows."""
    pairs = [(a, b) for a, b in pairwise(FLOWS) if value(a) < 0.0 <= value(b)]
    low, high = pairs[-1]
    return low + (high - low) * value(low) / (value(low) - value(high))
