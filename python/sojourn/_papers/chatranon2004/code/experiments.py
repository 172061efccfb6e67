"""Chatranon 2004: figures that show each flow of a run, and table 8, which needs no run.

README.md says what the thesis states and how we read the rest.
"""

import statistics
from collections.abc import Iterator

from sojourn.claims import Claim
from sojourn.models import tcp
from sojourn.papers import Context, Finding, Paper

from . import exhibits

PAPER = Paper()


@PAPER.experiment("E6h-parts", "figures 28 and 29: the largest flow's part of the hits over time", after="E6h")
def parts(context: Context) -> Iterator[Finding]:
    """One run with each size of the sample."""
    yield exhibits.of_samples(context)


@PAPER.experiment("E5-flows", "figures 26 and 68: what each of 200 TCP flows carries", after="E5-credit")
def round_trips(context: Context) -> Iterator[Finding]:
    """One run under each queue of E5."""
    yield exhibits.of_round_trips(context)


@PAPER.experiment(
    "E13-flows", "figures 72 to 74 and 77: what each TCP-friendly flow and each TCP flow carries", after="E13-text2"
)
def friendly_flows(context: Context) -> Iterator[Finding]:
    """One run at each point of E13."""
    yield from exhibits.of_friendly_flows(context)


@PAPER.experiment("variation", "section 4.3.3: how unequal the flows of figure 49 are", after="E10c-text")
def variation(_: Context) -> Iterator[Finding]:
    """That of the probability that a packet is one of a flow: UDP has a third, 60 TCP flows share the rest."""
    shares = [1.0 / 3.0, *[2.0 / 3.0 / 60] * 60]
    value = statistics.stdev(shares) / statistics.fmean(shares)
    yield Claim.that(
        "The coefficient of variation is 6.3335 for 60 TCP flows and one UDP flow with 33 % of the link",
        abs(value - 6.3335) < 0.05,
        id="variation-c-o-v",
        source="section 4.3.3",
        note=f"it is {value:.4f}, and its square is {value**2:.4f}",
    )


@PAPER.experiment("table8", "table 8 and figure 27: the sample size for a given error")
def table8(_: Context) -> Iterator[Finding]:
    """Equation 3.9 beside the printed sizes."""
    for error, printed in ((0.02, 2401), (0.03, 1067), (0.04, 600), (0.05, 384)):
        size = float(tcp.sample_size(error))
        text = f"An error of {error} at 95 % takes {printed} samples"
        yield Claim.that(
            text,
            round(size) == printed,
            id=f"table8-{error}",
            source="table 8",
            note=f"equation 3.9 gives {size:.2f}",
        )
    yield exhibits.sizes()
