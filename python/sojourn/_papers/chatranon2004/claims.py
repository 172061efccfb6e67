"""Chatranon 2004: BLACK, AFC and other queues that hold large flows to a fair share.

README.md says what is stated and what was read how; each experiment is a study file.
"""

from collections.abc import Iterator

from sojourn.claims import Claim
from sojourn.papers import Context, Paper
from sojourn.reproduce import from_files

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
E9 E9u E10a E10a-text E10c E10c-text E10d E10d-text
E11 E11-text E11-changes E12 E12-text E12-text2 E12-text3
E13 E13-text E13-text2 E13-changes E13-changes2 E13b E13c E13f E13w E14 X1
"""
PAPER.experiments += from_files(__file__, *(f"{name}.toml" for name in _FILES.split()))


def sample_size(error: float, part: float = 0.5, quantile: float = 1.96) -> float:
    """Samples after which a part is known to plus or minus `error`: ``m = H (1 - H) (z / E)^2`` (equation 3.9)."""
    return part * (1.0 - part) * (quantile / error) ** 2


@PAPER.experiment("table8", "the sample size for a given error")
def table8(context: Context) -> Iterator[Claim]:  # noqa: ARG001
    """Equation 3.9 beside the printed sizes."""
    for error, printed in ((0.02, 2401), (0.03, 1067), (0.04, 600), (0.05, 384)):
        size = sample_size(error)
        text = f"An error of {error} at 95 % takes {printed} samples"
        yield Claim.that(text, round(size) == printed, source="table 8", note=f"equation 3.9 gives {size:.2f}")
