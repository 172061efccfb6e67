"""The formats that are read, in the order in which a file is tried: a new one is a file here and a line of the list."""

from __future__ import annotations

from collections.abc import Sequence

from . import (
    capture,
    cloudflare,
    flent,
    iperf3,
    irtt,
    librespeed,
    mach,
    network_quality,
    ookla,
    pings,
    speedtest_cli,
    typed,
)
from .format import Content, Format

__all__ = ["FORMATS", "Content", "Format"]

FORMATS: Sequence[Format] = (
    capture.FORMAT,
    flent.FORMAT,
    iperf3.FORMAT,
    ookla.FORMAT,
    network_quality.FORMAT,
    cloudflare.FORMAT,
    mach.FORMAT,
    irtt.FORMAT,
    librespeed.FORMAT,
    speedtest_cli.FORMAT,
    pings.FORMAT,
    typed.FORMAT,
)
