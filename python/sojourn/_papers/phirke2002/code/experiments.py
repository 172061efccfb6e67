"""Phirke 2002: the order of a flow's packets, which no metric of a study can see.

README.md says what the thesis states and how we read the rest.
"""

from collections.abc import Iterator
from itertools import pairwise

from sojourn import Scenario, run
from sojourn.claims import Claim
from sojourn.papers import Context, Finding, Paper

PAPER = Paper()

NOISE_S = 1e-6
"""Arrivals are departures less waiting times, which are recorded in milliseconds."""


@PAPER.experiment("P3-reordering", "seven groups: the order in which packets of a flow leave", after="P3-hints")
def reordering(context: Context) -> Iterator[Finding]:
    """One run of P3: two packets of a flow leave in another order than they came if the later one came first."""
    scenario = Scenario.load(context.directory / "scenarios" / "hints.toml", overrides=["record.packets=true"])
    packets = run(scenario, seed=1).packets
    overtakes = total = 0
    for _, flow in packets.filter(link="forward").group_by("flow"):
        arrivals = [left - waited / 1e3 for left, waited in zip(flow["time_s"], flow["sojourn_ms"], strict=True)]
        overtakes += sum(after < before - NOISE_S for before, after in pairwise(arrivals))
        total += len(arrivals)
    yield Claim.that(
        "No packet of a flow overtakes another of it under RED-Boston",
        overtakes == 0,
        id="P3-reordering-none",
        source="section 4.2.2",
        note=f"{overtakes} of {total} packets of 35 flows leave before one of their flow that came earlier",
    )
