"""Second implementations of schedulers, shapers and policers against ours: the fates of 10,000 packets each."""

from __future__ import annotations

from fractions import Fraction

import pytest

from .delay_laws import Codel
from .flow_queues import FqCodel
from .link import Packet, arrivals, ours
from .scheduler_laws import FairQueueing, Policer, Priority, RateControlled, Scfq, Scheduler, Shaper, Wf2qPlus, Wfq, run
from .sharing import Cbfq, Cbq, Share
from .test_policies import differences

LIMIT = 25
WEIGHTS = [4, 2, 1]
FLOWS = "flows=0 {0}; flows=1-2 {1}; * {2}"
BY_WEIGHT = FLOWS.format(*(f"weight={weight}" for weight in WEIGHTS))


def by_flow(packet: Packet) -> int:
    """The class of a packet in `FLOWS`."""
    return min((packet.flow + 1) // 2, 2)


# 4 Mbit/s are half a byte in a microsecond: all moments are whole.
HALF = Fraction(1, 2)
SHAPED = {"limit": f"{LIMIT}p", "rate": "4Mbit"}
POLICED = {**SHAPED, "burst": "3000B"}

CASES: dict[str, tuple[Scheduler, str, dict[str, object]]] = {
    "priority": (Priority(3, by_flow, LIMIT), "priority", {"class": FLOWS.format("", "", "")}),
    "rate-controlled priority": (
        RateControlled([Fraction(1, 4), Fraction(1, 8), None], 2000, by_flow, LIMIT),
        "rate_controlled_priority",
        {"class": FLOWS.format("rate=2Mbit burst=2000B", "rate=1Mbit burst=2000B", "")},
    ),
    "wfq": (Wfq(WEIGHTS, by_flow, LIMIT), "wfq", {"class": BY_WEIGHT}),
    "scfq": (Scfq(WEIGHTS, by_flow, LIMIT), "wfq", {"class": BY_WEIGHT, "preset": "scfq"}),
    "wf2q+": (Wf2qPlus(WEIGHTS, by_flow, LIMIT), "wfq", {"class": BY_WEIGHT, "preset": "wf2q_plus"}),
    "fq": (FairQueueing(64, LIMIT), "fq", {"queues": 64}),
    "cbfq": (Cbfq(WEIGHTS, 64, 600, by_flow, LIMIT), "cbfq", {"class": BY_WEIGHT, "flows": 64, "quantum": "600B"}),
    "token bucket": (Shaper(HALF, 3000, LIMIT), "token_bucket", {**SHAPED, "burst": "3000B"}),
    "leaky bucket": (Shaper(HALF, 0, LIMIT), "leaky_bucket", SHAPED),
    "policer": (Policer(HALF, 3000, LIMIT, leaky=False), "policer", POLICED),
    "policer by a leaky bucket": (
        Policer(HALF, 3000, LIMIT, leaky=True),
        "policer",
        {**POLICED, "meter": "leaky_bucket"},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_both_decide_alike_about_each_of_ten_thousand_packets(case):
    scheduler, queue, settings = case
    packets = arrivals()

    expected = run(scheduler, packets)
    got = ours(packets, queue, {"limit": f"{LIMIT}p", **settings})

    assert not differences(got, expected)
    dropped = sum(decision == "dropped" for decision, _, _ in got)
    assert 50 < dropped < 8_000, dropped


def tree(borrows: bool) -> tuple[list[Share], list[Share]]:
    """Three classes, the last of which may not always borrow, under two agencies and the link."""
    link = Share(1, level=3)
    one, other = Share(0.4, link, level=2, max_idle=3e6), Share(0.6, link, level=2, max_idle=3e6)
    leaves = [
        Share(0.4, one, max_idle=5e6),
        Share(0.3, other, max_idle=5e6),
        Share(0.2, other, borrows=borrows, max_idle=5e6),
    ]
    return leaves, [link, one, other]


@pytest.mark.parametrize("turns", ["weighted", "packets"])
@pytest.mark.parametrize("lending", ["ancestor_only", "top_level", "formal"])
@pytest.mark.parametrize("borrows", [True, False], ids=["all borrow", "one may not borrow"])
def test_class_based_queueing_sends_and_drops_alike(borrows, lending, turns):
    packets = arrivals()
    scheduler = Cbq(*tree(borrows), lending, turns == "weighted", by_flow, LIMIT)
    places = ("share=0.4 lender=1", "share=0.3 lender=2", f"share=0.2 lender=2 borrow={str(borrows).lower()}")
    settings = {
        "limit": f"{LIMIT}p",
        "lending": lending,
        "turns": turns,
        "class": FLOWS.format(*(f"{place} max_idle=5ms" for place in places)),
        "group": "share=1 max_idle=0s; share=0.4 lender=0 max_idle=3ms; share=0.6 lender=0 max_idle=3ms",
    }

    expected = run(scheduler, packets)
    got = ours(packets, "cbq", settings)

    assert not differences(got, expected)
    dropped = sum(decision == "dropped" for decision, _, _ in got)
    assert 50 < dropped < 8_000, dropped


FLOW_QUEUES = {"limit": "40p", "flows": 16, "quantum": "600B", "drop_batch": 8}


@pytest.mark.parametrize("ecn", [False, True], ids=["drops", "marks"])
def test_fq_codel_serves_marks_and_drops_alike(ecn):
    packets = arrivals()
    codel = Codel(target=3_000, interval=20_000, mtu=1_000, ecn=ecn)

    expected = FqCodel(packets, queues=16, quantum=600, limit=40, batch=8, codel=codel).run()
    settings = {"target": "3ms", "interval": "20ms", "mtu": "1000B", "ecn": ecn}
    got = ours(packets, "fq_codel", {**FLOW_QUEUES, **settings})

    assert not differences(got, expected)
    for wanted in ("overflow", "sojourn"):
        assert sum(reason == wanted for _, reason, _ in got) > 50, wanted


def test_a_flow_queue_of_drop_tail_serves_and_drops_alike():
    packets = arrivals()

    expected = FqCodel(packets, queues=16, quantum=600, limit=40, batch=8, codel=None).run()
    got = ours(packets, "flow_queue", {**FLOW_QUEUES, "policy": "fifo"})

    assert not differences(got, expected)
    assert sum(reason == "overflow" for _, reason, _ in got) > 50
