"""A second implementation of the player of adaptive video: its requests, their times, and its stalls."""

from __future__ import annotations

import bisect

import polars as pl
import pytest

import sojourn

# Nothing is lost, and each packet is acknowledged at once: the request of a segment follows from the packets.
DELAY, ACCESS = 0.02, 8 / 100e6
ACK = 40 * (8 / 10e6 + 2 * ACCESS)
SCENARIO = """
duration = "400s"

[dumbbell]
rate = "3Mbit"
reverse_rate = "10Mbit"
delay = "20ms"
access = { rate = "100Mbit" }
reverse_changes = []
changes = [{ at = "60s", rate = "450kbit" }, { at = "120s", rate = "150kbit" }, { at = "200s", rate = "8Mbit" }]
queue = { kind = "fifo", limit = "1000p" }

[[flow]]
name = "viewer"
transport = { kind = "tcp", profile = "rfc", packet = "1500B", ack_every = 1, window = "20p" }
app = "video"

[record]
packets = true
"""
LADDER = (235, 375, 560, 750, 1050, 1750, 2350, 3000, 4300, 5800)
SEGMENT, BUFFER, RESERVOIR, CUSHION = 4.0, 30.0, 8.0, 18.0


def bba_0(last: int, buffer: float) -> int:
    """Algorithm 1 of Huang et al. 2014: places in the ladder."""
    above = buffer - RESERVOIR
    if above <= 0:
        return 0
    if above >= CUSHION:
        return len(LADDER) - 1
    f = LADDER[0] + (LADDER[-1] - LADDER[0]) * above / CUSHION
    if last + 1 < len(LADDER) and f >= LADDER[last + 1]:
        return bisect.bisect_left(LADDER, f) - 1
    if last > 0 and f <= LADDER[last - 1]:
        return bisect.bisect_right(LADDER, f)
    return last


def test_the_player_asks_and_stalls_as_the_algorithm_says():
    result = sojourn.run(sojourn.Scenario.from_toml(SCENARIO))
    sent = result.packets.filter((pl.col("link") == "forward") & (pl.col("size_bytes") > 40))
    rows = sent.select("time_s", "sojourn_ms", "size_bytes").rows()

    # By the player's rules: its buffer at some time, whether it plays, and stalls.
    at, buffer, playing, began, stalls, stalled = 0.0, 0.0, False, None, 0, 0.0

    def play(now: float) -> None:
        nonlocal at, buffer, playing, stalls, stalled
        passed, at = now - at, now
        if playing:
            if passed <= buffer:
                buffer -= passed
                return
            passed, buffer, playing, stalls = passed - buffer, 0.0, False, stalls + 1
        stalled += passed if began is not None else 0.0

    place, packets, segments = 0, iter(rows), 0
    due = None
    for time, wait, size in packets:
        # It begins to leave: the packets before it have been sent.
        if due is not None:
            assert time - 1e-3 * wait == pytest.approx(due + size * ACCESS, abs=1e-6), f"segment {segments + 1}"
        left = round(LADDER[place] * 1e3 * SEGMENT / 8) - (size - 40)
        last, last_size = time, size
        while left > 0:
            row = next(packets, None)
            if row is None:
                break
            last, last_size = row[0], row[2]
            left -= last_size - 40
        if left > 0:
            break
        assert left == 0, f"segment {segments + 1} is not of {LADDER[place]} kbit/s"
        segments += 1
        # The record has when a packet begins to leave.
        rate = 3e6 if last < 60 else 450e3 if last < 120 else 150e3 if last < 200 else 8e6
        came = last + 8 * last_size / rate + DELAY + last_size * ACCESS + ACK + DELAY
        play(came)
        buffer += SEGMENT
        if not playing and buffer >= SEGMENT:
            playing = True
            began = came if began is None else began
        due = came + max(buffer + SEGMENT - BUFFER, 0.0)
        if due > came:
            play(due)
        place = bba_0(place, buffer)
    play(400.0)

    assert segments > 80
    (quality,) = result.quality.rows(named=True)
    assert quality["stalls"] == stalls
    assert stalls > 0
    assert quality["stall_fraction"] == pytest.approx(stalled / (400.0 - began), rel=1e-3)
