"""Second implementations of senders of media against ours: when each packet comes to the queue, and how large it is."""

from __future__ import annotations

import polars as pl
import pytest

import sojourn

from .media import Gcc, GccReceiver, Scream, ScreamReceiver
from .senders import Path, departures

PATH = {"rate": 2e6, "delay": 20_000_000, "access_rate": 1e9, "access_delay": 5_000_000, "report": 80}

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

SHALLOW = 'kind = "fifo", limit = "5p"'
DEEP = 'kind = "fifo", limit = "200p"'
# CoDel that only marks: it is late after 5 ms, and its own target is never reached.
MARKS = 'kind = "codel", limit = "200p", target = "9s", interval = "10s", ecn = true, ce_threshold = "5ms"'

CASES = {
    "gcc, deep": (lambda: (Gcc(), GccReceiver()), 'kind = "gcc"', DEEP, {"limit": 200}),
    "gcc, shallow": (lambda: (Gcc(), GccReceiver()), 'kind = "gcc"', SHALLOW, {"limit": 5}),
    "scream, deep": (lambda: (Scream(), ScreamReceiver()), 'kind = "scream"', DEEP, {"limit": 200}),
    "scream, shallow": (lambda: (Scream(), ScreamReceiver()), 'kind = "scream"', SHALLOW, {"limit": 5}),
    "scream, less jitter": (
        lambda: (Scream(reduce_jitter=True), ScreamReceiver()),
        'kind = "scream", reduce_jitter = true',
        DEEP,
        {"limit": 200},
    ),
    "scream, classic marks": (
        lambda: (Scream(ecn="classic"), ScreamReceiver()),
        'kind = "scream", ecn = "classic"',
        MARKS,
        {"limit": 200, "marks_after": 5_000_000},
    ),
    "scream, L4S": (
        lambda: (Scream(ecn="l4s"), ScreamReceiver()),
        'kind = "scream", ecn = "l4s"',
        MARKS,
        {"limit": 200, "marks_after": 5_000_000},
    ),
}


def ours(transport: str, queue: str, seconds: float) -> list[tuple[float, bool]]:
    """When each packet came to the bottleneck, and whether it found room."""
    text = SCENARIO.format(transport=transport, queue=queue, seconds=seconds)
    result = sojourn.run(sojourn.Scenario.from_toml(text))
    left = result.packets.filter(pl.col("link") == "forward").select("time_s", "sojourn_ms").rows()
    lost = (pl.col("link") == "forward") & (pl.col("event") == "drop")
    dropped = result.drops.filter(lost)["time_s"]
    return sorted([(time - waited * 1e-3, True) for time, waited in left] + [(time, False) for time in dropped])


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_packet_leaves_when_the_draft_says(case):
    make, transport, queue, path = case
    seconds = 40
    expected = [entry for entry in departures(Path(**PATH, **path), *make(), seconds) if entry[0] < seconds - 1]
    got = ours(transport, queue, seconds)[: len(expected)]

    # Sums of gaps that are rounded to nanoseconds: 10,000 of them differ by less than a microsecond.
    apart = [n for n, (a, b) in enumerate(zip(got, expected, strict=True)) if abs(a[0] - b[0]) > 1e-6 or a[1] != b[1]]
    assert not apart, f"{len(apart)} of {len(got)} differ, first {apart[0]}: {got[apart[0]]}, {expected[apart[0]]}"
    assert len(expected) > 3_000
