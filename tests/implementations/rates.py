"""Senders that choose a rate, alone on a path, ours and a second implementation: when packets come to the queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl

import sojourn

from .senders import Path, departures

SCENARIO = """
duration = "{seconds}s"

[dumbbell]
rate = "2Mbit"
delay = "20ms"
access = {{ rate = "1Gbit", delay = "5ms" }}
queue = {{ {queue} }}

[[flow]]
name = "one"
transport = {{ {transport}, packet = "1000B" }}
app = "bulk"

[record]
packets = true
drops = true
"""

PATH = {"rate": 2e6, "delay": 20_000_000, "access_rate": 1e9, "access_delay": 5_000_000}


def ours(transport: str, queue: str, seconds: float) -> list[tuple[float, bool]]:
    """When each packet came to the bottleneck, and whether it found room."""
    text = SCENARIO.format(transport=transport, queue=queue, seconds=seconds)
    result = sojourn.run(sojourn.Scenario.from_toml(text))
    left = result.packets.filter(pl.col("link") == "forward").select("time_s", "sojourn_ms").rows()
    # A mark is recorded, too.
    lost = (pl.col("link") == "forward") & (pl.col("event") == "drop")
    dropped = result.drops.filter(lost)["time_s"]
    return sorted([(time - waited * 1e-3, True) for time, waited in left] + [(time, False) for time in dropped])


def agreed(
    make: Callable[[], tuple[Any, Any]], transport: str, queue: str, seconds: float, **path: int
) -> list[tuple[float, bool]]:
    """The packets of both, which must be the same; `path` stands for the queue in the second implementation."""
    made = departures(Path(**PATH, **path), *make(), seconds)
    expected = [entry for entry in made if entry[0] < seconds - 1]
    got = ours(transport, queue, seconds)[: len(expected)]

    # Sums of gaps that are rounded to nanoseconds: 10,000 of them differ by less than a microsecond.
    apart = [n for n, (a, b) in enumerate(zip(got, expected, strict=True)) if abs(a[0] - b[0]) > 1e-6 or a[1] != b[1]]
    assert not apart, f"{len(apart)} of {len(got)} differ, first {apart[0]}: {got[apart[0]]}, {expected[apart[0]]}"
    return expected
