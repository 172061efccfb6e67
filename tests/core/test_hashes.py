"""Queues that hash flows draw the hash's key: who does not know it cannot aim at a flow."""

from __future__ import annotations

import itertools

import polars as pl
import pytest

import sojourn

BINS = 8
HASHED = {
    "sfq": {"queues": BINS},
    "drr": {"queues": BINS},
    "fq": {"queues": BINS},
    "flow_queue": {"flows": BINS, "policy": "fifo"},
    "fq_codel": {"flows": BINS},
    "cbfq": {"flows": BINS},
}
"""Those in which flows of one hash share a queue, with few enough queues that this shows.

SFB's bins and DCBT's bits are keyed alike; no order tells of these.
"""


def order(queue: str, settings: dict[str, object], seed: int) -> list[str]:
    """In which order packets of 32 flows leave that came at once, four of each in turn."""
    flows = [str(flow) for flow in range(32)] * 4
    # The first is under way while all others wait.
    frame = pl.DataFrame({"time_s": [0.0] + [1e-6] * (len(flows) - 1), "bytes": 1000, "flow": flows})
    result = sojourn.replay(
        frame, queue=queue, settings={"limit": "1000p", **settings}, rate="1Gbit", base_rtt="10s", seed=seed
    )
    decisions = result.decisions.with_columns(pl.Series("sent", flows))
    assert decisions["departure_s"].null_count() == 0
    return decisions.sort("departure_s")["sent"].to_list()


@pytest.mark.parametrize("queue", HASHED)
def test_which_flows_meet_follows_from_the_seed(queue):
    orders = [order(queue, HASHED[queue], seed) for seed in range(1, 6)]

    assert all(one != other for one, other in itertools.combinations(orders, 2)), "another key, other neighbours"
    assert orders[0] == order(queue, HASHED[queue], 1)
