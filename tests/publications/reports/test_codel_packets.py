"""Which packets CoDel and FQ-CoDel drop, against programs of the RFCs beside this file.

Sources: ravinet/mahimahi#165 (its CoDel sent on the packet that it meant to drop) and freifunk-gluon/gluon#1306 with
openwrt/openwrt#22281 (FQ-CoDel on routers with small limits, batches and quanta).
"""

from __future__ import annotations

import polars as pl
import pytest

import sojourn

from .codel_queues import Packet, Queues, served

RATE = 10_000_000


def stream(flow: str, size: int, rate: float, start: float, stop: float) -> list[tuple[int, int, str]]:
    """Packets at even distances: nanoseconds, bytes, flow."""
    gap = size * 8 / rate
    return [(round((start + n * gap) * 1e9), size, flow) for n in range(int((stop - start) / gap) + 1)]


def compared(arrivals: list[tuple[int, int, str]], model: Queues, queue: str, settings: dict[str, object]) -> int:
    """All fates and departures are the program's; the number of drops."""
    arrivals = sorted(arrivals)
    dropped, left = served(model, [Packet(n, *arrival) for n, arrival in enumerate(arrivals)], RATE)
    frame = pl.DataFrame(
        {
            "time_s": [f"{time / 1e9:.9f}" for time, _, _ in arrivals],
            "bytes": [size for _, size, _ in arrivals],
            "flow": [flow for _, _, flow in arrivals],
        }
    )
    ours = sojourn.replay(frame, queue=queue, settings=settings, rate="10Mbit").decisions

    assert set(ours.filter(decision="dropped")["packet"].to_list()) == set(dropped)
    leaves = ours.filter(decision="enqueued")
    expected = {number: at / 1e9 for number, at in left.items()}
    # Both count whole nanoseconds.
    assert dict(leaves.select("packet", "departure_s").rows()) == pytest.approx(expected, abs=2e-9)
    return len(dropped)


def test_codel_drops_the_packet_that_it_took_out():
    """mahimahi#165: more than the link carries, then less (CoDel leaves its state of dropping), then more again."""
    arrivals = stream("a", 1500, 12.5e6, 0, 3) + stream("a", 1500, 8e6, 3.001, 4) + stream("a", 1500, 14e6, 4.0005, 6)
    # With one queue the scheduler has no choice to make.
    drops = compared(arrivals, Queues(limit=1000, mtu=1500), "codel", {"limit": "1000p", "mtu": "1500B"})

    assert drops > 500


@pytest.mark.parametrize(
    ("limit", "batch", "quantum"),
    [(100, 64, 1514), (100, 1, 300), (30, 8, 300), (1024, 64, 1514)],
    ids=["small limit", "one by one", "small limit and quantum", "limit of routers"],
)
def test_fq_codel_with_small_limits(limit, batch, quantum):
    """gluon#1306: a flood of thrice the link's rate, a flow of less than its share, and a sparse one."""
    arrivals = [
        *stream("flood", 1514, 30e6, 0, 2),
        *stream("middle", 700, 3e6, 0.10001, 2),
        *stream("sparse", 100, 40e3, 0.05002, 2.5),
    ]
    settings = {"limit": f"{limit}p", "drop_batch": batch, "quantum": f"{quantum}B", "ecn": False}

    assert compared(arrivals, Queues(limit, quantum, batch), "fq_codel", settings) > 500


def test_fq_codel_counts_all_queues_where_the_last_packet_is_spared():
    """Eight flows with a packet or two each: RFC 8289, section 4.4, spares the last packet of the link, not of each."""
    arrivals = [
        one
        for n in range(8)
        for one in stream(f"flow {n}", 1500 - 7 * n, (1.1 + 0.06 * n) * 1e6, 0.0001 * n + 1e-6 * n * n, 5)
    ]
    settings = {"limit": "1000p", "ecn": False}

    assert compared(arrivals, Queues(limit=1000), "fq_codel", settings) > 50
