"""A line from measurements of it: files of Flent, iperf3, speed tests, pings and captures."""

from __future__ import annotations

from ._rooms.measured import Beside, Estimate, Estimates, Measurement, estimated, measured_again, read

__all__ = ["Beside", "Estimate", "Estimates", "Measurement", "estimated", "measured_again", "read"]
