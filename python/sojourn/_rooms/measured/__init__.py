"""A line from measurements of it: files of Flent, iperf3, speed tests, pings and captures."""

from __future__ import annotations

from .again import Beside, disagreement, measured_again
from .estimate import Estimate, Estimates, estimated
from .measurement import Measurement
from .reading import read

__all__ = ["Beside", "Estimate", "Estimates", "Measurement", "disagreement", "estimated", "measured_again", "read"]
