"""Bytes of packets on a line beyond their own: closed forms of whole runs."""

from __future__ import annotations

import pytest

import sojourn

SCENARIO = """
duration = "20s"
warmup = "2s"
[dumbbell]
rate = "1Mbit"
delay = "10ms"
mean_packet = "{size}B"
queue = {queue}
{framing}
[[flow]]
transport = {{ kind = "udp", packet = "{size}B" }}
app = {{ kind = "cbr", rate = "5Mbit" }}
"""


def throughput(size: int, framing: str, queue: str = '"fifo"') -> float:
    """The tolerance for a full link, in parts of its rate."""
    scenario = sojourn.Scenario.from_toml(SCENARIO.format(size=size, framing=framing, queue=queue))
    return sojourn.run(scenario).queue["throughput_bps"][0] / 1e6


@pytest.mark.parametrize(
    ("size", "framing", "expected"),
    [
        (1500, "", 1.0),
        # Ethernet on the wire: 38 bytes more, at least 84.
        (1500, 'overhead = "38B"\nmpu = "84B"', 1500 / 1538),
        (40, 'overhead = "38B"\nmpu = "84B"', 40 / 84),
        # 1516 bytes are 32 cells of 53 bytes; 48 and 16 bytes do not fit into one.
        (1500, 'overhead = "16B"\ncells = "atm"', 1500 / (32 * 53)),
        (48, 'overhead = "16B"\ncells = "atm"', 48 / (2 * 53)),
        # 1500 bytes in blocks of 64, each with one more.
        (1500, 'cells = "ptm"', 1500 / 1524),
    ],
)
def test_a_full_line_carries_what_its_frames_leave(size, framing, expected):
    # 18 s are more than a thousand packets: the first and the last count for less than one in a thousand.
    assert throughput(size, framing) == pytest.approx(expected, rel=1e-3)


def test_htb_counts_the_frames_of_the_line():
    queue = '{ kind = "htb", class = [{ rate = "500kbit" }], group = [], overhead = "16B", cells = "atm" }'

    # The link is faster than the class: half of the cells in a second.
    assert throughput(1500, "", queue) == pytest.approx(0.5 * 1500 / (32 * 53), rel=2e-3)


def test_a_resolved_scenario_has_its_frames_and_one_without_has_none():
    framed = sojourn.Scenario.from_toml(SCENARIO.format(size=40, framing='cells = "ptm"', queue='"fifo"'))
    plain = sojourn.Scenario.from_toml(SCENARIO.format(size=40, framing="", queue='"fifo"'))

    assert framed.resolved()["dumbbell"]["cells"] == "ptm"
    assert "cells" not in plain.resolved()["dumbbell"]
