"""Second implementations of routers that send choke packets, beside ours in a closed loop."""

from __future__ import annotations

import pytest

import sojourn

from .choke_laws import HopByHop, SourceQuench
from .closed_loop import arrivals, decisions, differences, follow, link_table
from .red_laws import Red, Settings
from .test_closed_loops import CLOCKED, numbers, run

CHOKE = 56
FLOWS = """
[[flow]]
name = "tcp"
count = 3
from = "a"
to = "b"
transport = { kind = "tcp", packet = "1000B" }
app = "bulk"
start = { spread = "1s" }

[[flow]]
name = "blast"
count = 2
from = "a"
to = "b"
transport = { kind = "udp", packet = "300B" }
app = { kind = "on_off", rate = "4Mbit" }

[[flow]]
name = "cross"
from = "c"
to = "b"
transport = { kind = "udp", packet = "700B" }
app = { kind = "poisson", rate = "3Mbit" }

[record]
packets = true
drops = true
"""


def chain(first: str, second: str) -> str:
    """Two routers in a row with these queues, and traffic that joins at the second one."""
    nodes = ", ".join(f'{{ name = "{name}" }}' for name in ("a", "r1", "r2", "b", "c"))
    return (
        f'duration = "12s"\nnode = [{nodes}]\n'
        + link_table("in", "a r1", "100Mbit", "3ms")
        + link_table("first", "r1 r2", "8Mbit", "7ms", f'mean_packet = "500B"\nqueue = {{ {first} }}')
        + link_table("side", "c r2", "100Mbit", "3ms")
        + link_table("second", "r2 b", "8Mbit", "5ms", f'mean_packet = "500B"\nqueue = {{ {second} }}')
        + FLOWS
    )


def chokes(result: sojourn.Result, link: str) -> list[tuple[float, int]]:
    """When choke packets came to the queue before a link, and about which flow."""
    return [(packet.time, packet.flow) for packet in arrivals(result, link) if packet.size == CHOKE]


def told(moments: list[tuple[float, int]]) -> list[tuple[float, int]]:
    """A router needs a nanosecond to make a choke packet."""
    return [(round(at + 0.001, 3), flow) for at, flow in moments]


# Drop tail chooses nothing.
QUENCHES = [
    ("red", "spared", 0),
    ("red", "spared", 5),
    ("red", "dropped", 5),
    ("fifo", "spared", 0),
    ("fifo", "spared", 5),
]


@pytest.mark.parametrize(("policy", "chosen", "interval_ms"), QUENCHES)
def test_source_quench_tells_the_senders_of_what_is_chosen(policy, chosen, interval_ms):
    inner = f'{{ kind = "red", {CLOCKED} }}' if policy == "red" else '"fifo"'
    queue = (
        f'kind = "source_quench", limit = "25p", policy = {inner}, chosen = "{chosen}", interval = "{interval_ms}ms"'
    )
    result = run(chain(queue, 'kind = "fifo", limit = "1000p"'))
    red = Red(Settings(gentle=False)) if policy == "red" else None
    if red is not None:
        red.numbers = numbers("first")
    law = SourceQuench(red, 25, interval=1_000 * interval_ms, spares=chosen == "spared", overflow=True)

    expected = follow(law, arrivals(result, "first", 11))

    assert not differences(decisions(result, "first"), expected)
    assert len(expected[0]) > 10_000
    # No sender is told of acknowledgements, and all have the same way back.
    got = chokes(result, "in/reverse")
    assert got[: len(law.told)] == told(law.told)
    assert len(law.told) > 50


@pytest.mark.parametrize("goes_on", [True, False], ids=["goes on", "is kept"])
def test_hop_by_hop_choke_packets_slow_the_router_before(goes_on):
    queue = (
        'kind = "hop_by_hop", limit = "60p", threshold = "20p", interval = "50ms", keeps = 0.6, duration = "120ms", '
        f"goes_on = {str(goes_on).lower()}"
    )
    result = run(chain(queue, queue))
    settings = {"interval": 50_000, "keeps": 0.6, "duration": 120_000}
    # Of the second router's choke packets; those about cross traffic do not come by.
    passed = [
        (round(at + CHOKE + 7_000, 3), flow)
        for at, flow, size in decisions(result, "first/reverse")[0]
        if size == CHOKE
    ]
    second = HopByHop(60, 20, **settings, passes=[])
    first = HopByHop(60, 20, **settings, passes=passed)

    for law, link in ((second, "second"), (first, "first")):
        expected = follow(law, arrivals(result, link, 11))
        assert not differences(decisions(result, link), expected), link
        assert len(expected[0]) > 10_000
    assert len(passed) > 50
    # The second router's go to the first, but for those about cross traffic, and the first one's to the source.
    back = told(first.told) + ([(round(at, 3), flow) for at, flow in passed] if goes_on else [])
    for link, expected in (
        ("first/reverse", told([(at, flow) for at, flow in second.told if flow < 5])),
        ("side/reverse", told([(at, flow) for at, flow in second.told if flow == 5])),
        ("in/reverse", sorted(back)),
    ):
        got = chokes(result, link)
        until = min(11e6, got[-1][0])
        assert [entry for entry in got if entry[0] < until] == [entry for entry in expected if entry[0] < until], link
