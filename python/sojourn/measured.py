"""A line from measurements of it: files of Flent, iperf3, speed tests, pings and captures."""

from __future__ import annotations

from ._rooms.measured.again import Beside, measured_again
from ._rooms.measured.estimate import Estimate, Estimates, estimated
from ._rooms.measured.measurement import Measurement
from ._rooms.measured.reading import read

__all__ = ["Beside", "Estimate", "Estimates", "Measurement", "estimated", "measured_again", "read"]
