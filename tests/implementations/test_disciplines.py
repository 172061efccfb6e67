"""Second implementations of disciplines, which have queues inside, against ours: the fates of 10,000 packets each."""

from __future__ import annotations

import pytest

from .class_laws import abe
from .delay_laws import Linear, dualpi2
from .dualpi2_linux import DualPi2Linux
from .flow_laws import drr, sfq
from .link import MEAN_PACKET, arrivals, ours
from .test_policies import LIMIT, differences


def test_alternative_best_effort_serves_and_drops_alike():
    packets = arrivals()

    expected = abe(packets, green={1, 3}, wait_us=4_000, room=25 * MEAN_PACKET)
    got = ours(packets, "abe", {"limit": f"{LIMIT}p", "green_flows": [1, 3], "green_delay": "4ms"})

    assert not differences(got, expected)
    assert {"overflow", "sojourn"} <= {reason for _, reason, _ in got}


def test_deficit_round_robin_serves_and_drops_alike():
    packets = arrivals()

    expected = drr(packets, queues=64, quantum=600, limit=LIMIT)
    got = ours(packets, "drr", {"limit": f"{LIMIT}p", "queues": 64, "quantum": "600B", "drop_from": "back"})

    assert not differences(got, expected)
    assert sum(reason == "overflow" for _, reason, _ in got) > 50


@pytest.mark.parametrize("quantum", [None, 600], ids=["packets", "bytes"])
def test_stochastic_fair_queueing_serves_and_drops_alike(quantum):
    packets = arrivals()
    turn = {"turn": "bytes", "quantum": f"{quantum}B"} if quantum else {"turn": "packet"}

    # Eight flows in five queues: some share one.
    expected = sfq(packets, queues=5, quantum=quantum, limit=LIMIT, depth=12)
    got = ours(packets, "sfq", {"limit": f"{LIMIT}p", "queues": 5, "depth": 12, "drop_from": "back", **turn})

    assert not differences(got, expected)
    assert sum(reason == "overflow" for _, reason, _ in got) > 50


def dualpi2_with(gains):
    """Settings of every DualPI2 of these tests."""
    of_law = {"target": "3ms", "interval": "4ms", "alpha": gains[0], "beta": gains[1]}
    return {"limit": f"{LIMIT}p", "classic_share": 0.1, **of_law}


@pytest.mark.parametrize("gains", [(2, 20), (40, 200)], ids=["controlled", "overload"])
def test_dualpi2_serves_marks_and_drops_alike(gains):
    packets = arrivals()
    controller = Linear(*gains, 0.003, 1.0)
    settings = {
        **dualpi2_with(gains),
        "ramp_from": "800us",
        "ramp_to": "1200us",
    }

    expected = dualpi2(packets, controller, period_us=4_000, ramp_us=(800, 1_200), share=0.1, limit=LIMIT)
    got = ours(packets, "dualpi2", settings, ect="ect1")

    assert not differences(got, expected)
    assert sum(decision == "marked" for decision, _, _ in got) > 50
    assert sum(reason == "early" and decision == "dropped" for decision, reason, _ in got) > 50


@pytest.mark.parametrize("drop_overload", [True, False], ids=["overload_drops", "overload_marks"])
@pytest.mark.parametrize("drop_early", [False, True], ids=["leaving", "coming"])
@pytest.mark.parametrize("gains", [(2, 20), (40, 200)], ids=["controlled", "overload"])
def test_linuxs_dualpi2_serves_marks_and_drops_alike(gains, drop_early, drop_overload):
    packets = arrivals()
    settings = {
        "limit": f"{LIMIT}p",
        "classic_protection": 0.1,
        **dict(zip(("target", "tupdate", "alpha", "beta"), ("3ms", "4ms", *gains), strict=True)),
        "step_thresh": "2ms",
        "min_qlen_step": 2,
        "mtu": "500B",
        # Two of this MTU are less than a packet's buffer in Linux; the second implementation has no limit of memory.
        "memlimit": "4000000000B",
        "drop_enqueue": drop_early,
        "drop_on_overload": drop_overload,
    }
    law = DualPi2Linux(3_000, 4_000, *gains, step_us=2_000, mtu=500, limit=LIMIT, min_length=2, early=drop_early)
    law.overload_drops = drop_overload

    expected = law.serves(packets)
    got = ours(packets, "sch_dualpi2", settings, ect="ect1")

    assert not differences(got, expected)
    assert sum(reason == "early" and decision == "marked" for decision, reason, _ in got) > 50
    assert sum(reason == "sojourn" for _, reason, _ in got) > 50
    assert sum(reason == "early" and decision == "dropped" for decision, reason, _ in got) > 20
