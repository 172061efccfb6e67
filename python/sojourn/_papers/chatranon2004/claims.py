"""Chatranon 2004: BLACK, AFC and other queues that hold large flows to a fair share.

README.md says what is stated and what was read how; each experiment is a study file.
"""

from collections.abc import Iterator

from sojourn.claims import Claim
from sojourn.models import tcp
from sojourn.papers import Context, Finding, Paper
from sojourn.reproduce import from_files

from . import exhibits

PAPER = Paper(
    title="BLACK and AFC among queues that hold flows to a fair share, and estimators of the number of active flows",
    citation="G. Chatranon: PhD thesis, University of Pittsburgh, 2004",
)

# Pilot studies and background; one unresponsive flow; several; round-trip times, samples, cache, sizes of packets.
_FILES = """
P1 P2 P3 P4 P5
E1 E1-text E1-text2 E1s E1s-text E1c E1t E1x
E2 E2-text E2t E3 E3-text E4 E4-text E4t
E5 E5-text E6 E6h E7 E8a E8b
E9 E9u E10a E10a-text E10c E10c-text E10d E10d-text E10e
E11 E11-text E11-changes E12 E12-text E12-text2 E12-text3
E13 E13-text E13-text2 E13-changes E13-changes2 E13b E13c E13f E13w E14 X1
"""
PAPER.experiments += from_files(__file__, *(f"{name}.toml" for name in _FILES.split()))


@PAPER.experiment("E6h-parts", "figures 28 and 29: the largest flow's part of the hits over time")
def parts(context: Context) -> Iterator[Finding]:
    """One run with each size of the sample."""
    yield exhibits.of_samples(context)


@PAPER.experiment("E5-flows", "figures 26 and 68: what each of 200 TCP flows carries")
def round_trips(context: Context) -> Iterator[Finding]:
    """One run under each queue of E5."""
    yield exhibits.of_round_trips(context)


@PAPER.experiment("E13-flows", "figures 72 to 74 and 77: what each TCP-friendly flow and each TCP flow carries")
def friendly_flows(context: Context) -> Iterator[Finding]:
    """One run at each point of E13."""
    yield from exhibits.of_friendly_flows(context)


@PAPER.experiment("table8", "table 8 and figure 27: the sample size for a given error")
def table8(_: Context) -> Iterator[Finding]:
    """Equation 3.9 beside the printed sizes."""
    for error, printed in ((0.02, 2401), (0.03, 1067), (0.04, 600), (0.05, 384)):
        size = float(tcp.sample_size(error))
        text = f"An error of {error} at 95 % takes {printed} samples"
        yield Claim.that(text, round(size) == printed, source="table 8", note=f"equation 3.9 gives {size:.2f}")
    yield exhibits.sizes()


def _beside(name: str, other: str) -> None:
    """Have an experiment stand behind the one whose runs it shows."""
    names = [one.name for one in PAPER.experiments]
    moved = PAPER.experiments.pop(names.index(name))
    PAPER.experiments.insert(names.index(other) + 1, moved)


_beside("E5-flows", "E5-text")
_beside("E6h-parts", "E6h")
_beside("E13-flows", "E13-text2")
