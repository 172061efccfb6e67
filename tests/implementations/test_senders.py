"""Second implementations of senders, from their publications, against ours: when each packet comes to the queue."""

from __future__ import annotations

import polars as pl
import pytest

import sojourn

from .senders import Lda, LdaReceiver, Path, Rap, RapReceiver, Tear, TearReceiver, departures

PATH = {"rate": 2e6, "limit": 20, "delay": 20_000_000, "access_rate": 1e9, "access_delay": 5_000_000}

SCENARIO = """
duration = "{seconds}s"

[dumbbell]
rate = "2Mbit"
delay = "20ms"
access = {{ rate = "1Gbit", delay = "5ms" }}
queue = {{ kind = "fifo", limit = "20p" }}

[[flow]]
name = "one"
transport = {{ {transport}, packet = "1000B" }}
app = "bulk"

[record]
packets = true
drops = true
"""

CASES = {
    "rap": (lambda: (Rap(), RapReceiver()), 'kind = "rap"', 44, 60),
    "rap, fine grain": (lambda: (Rap(fine=True), RapReceiver()), 'kind = "rap", fine_grain = true', 44, 60),
    "tear": (lambda: (Tear(), TearReceiver()), 'kind = "tear"', 40, 90),
    "lda": (lambda: (Lda(), LdaReceiver()), 'kind = "lda"', 80, 200),
}


def ours(transport: str, seconds: float) -> list[tuple[float, bool]]:
    """When each packet came to the bottleneck, and whether it found room."""
    result = sojourn.run(sojourn.Scenario.from_toml(SCENARIO.format(transport=transport, seconds=seconds)))
    left = result.packets.filter(pl.col("link") == "forward").select("time_s", "sojourn_ms").rows()
    dropped = result.drops.filter(pl.col("link") == "forward")["time_s"]
    return sorted([(time - waited * 1e-3, True) for time, waited in left] + [(time, False) for time in dropped])


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_packet_leaves_when_the_publication_says(case):
    make, transport, report, seconds = case
    expected = [entry for entry in departures(Path(**PATH, report=report), *make(), seconds) if entry[0] < seconds - 1]
    got = ours(transport, seconds)[: len(expected)]

    # Sums of gaps that are rounded to nanoseconds: 10,000 of them differ by less than a microsecond.
    apart = [n for n, (a, b) in enumerate(zip(got, expected, strict=True)) if abs(a[0] - b[0]) > 1e-6 or a[1] != b[1]]
    assert not apart, f"{len(apart)} of {len(got)} differ, first {apart[0]}: {got[apart[0]]}, {expected[apart[0]]}"
    assert sum(not kept for _, kept in expected) > 20
    assert len(expected) > 5_000
