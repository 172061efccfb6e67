"""A limit in bytes under deficit round robin (ns.py#16: a DRR whose limit in bytes never dropped anything)."""

from __future__ import annotations

import polars as pl

import sojourn


def test_drr_drops_all_that_its_bytes_do_not_hold():
    """Two flows send 500 bytes each at once, twice in a second; the link carries one packet in a second, 4 kbit/s.

    40 such moments, 0 to 19.5 s. The link begins to send at each whole second from 0 s to 19 s, 20 packets. The two
    packets that fit into 1000 bytes leave afterwards; all others of the 80 are dropped, whichever flow they are of.
    """
    moments = [n / 2 for n in range(40)]
    frame = pl.DataFrame(
        {
            "time_s": [f"{moment:.6f}" for moment in moments for _ in "ab"],
            "bytes": [500] * 80,
            "flow": ["a", "b"] * 40,
        }
    )
    decisions = sojourn.replay(
        frame, queue="drr", settings={"limit": "1000B", "quantum": "500B"}, rate="4kbit"
    ).decisions

    left = decisions.filter(decision="enqueued")
    assert left.height == 20 + 2
    assert decisions.filter(decision="dropped").height == 80 - 22
    # The link is never idle: a packet begins to leave in each second.
    assert sorted(left["departure_s"].to_list()) == [float(second) for second in range(22)]
    # Turns of one packet each: the flows get equal parts.
    assert left.group_by("flow").len()["len"].to_list() == [11, 11]
