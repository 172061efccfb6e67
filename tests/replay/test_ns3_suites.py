"""ns-3's tests of its own RED, Adaptive RED, PIE and CoDel (src/traffic-control/test, July 2026), applied to ours.

Its suites state which drops there are and in which of two settings there are more, but no counts. They hand packets to
a queue that nobody serves, or that is served at even times; here a link serves it. RED's suite has 300 packets of 500
bytes at one time; PIE's has 400 of 1000 bytes every 10 ms, which are served every 12, 14 or 15 ms.
"""

import functools

import polars as pl
import pytest

from sojourn import replay

BURST = 300
SEEDS = range(1, 6)
"""ns-3 tests one run; the mean of these must be in the order that it states."""


def burst(queue, preset="ns2", rate="1500kbit", ect=False, **settings):
    """Drops and marks by reason, each in the mean, of 300 packets at one time."""
    ecn = "ect0" if ect else "not-ect"
    table = pl.DataFrame({"time_s": 0.0, "bytes": 500, "flow": "a", "ecn": [ecn] * BURST})
    return means(table, queue=queue, preset=preset, rate=rate, mean_packet="500B", settings=settings)


def means(table, **options):
    found: dict[str, float] = {}
    for seed in SEEDS:
        for event, reason, packets in (
            replay(table, seed=seed, **options).reasons.select("event", "reason", "packets").rows()
        ):
            found[f"{event} {reason}"] = found.get(f"{event} {reason}", 0.0) + packets / len(SEEDS)
    return found


def drops(found):
    return sum(packets for event, packets in found.items() if event.startswith("drop"))


@functools.cache
def red(**settings):
    """Suite `red-queue-disc`, tests 2 to 7: thresholds 70 and 150 of 300 packets."""
    return burst("red", **{"min_th": "70p", "max_th": "150p", "limit": "300p", "max_p": 0.02, **settings})


def test_red_with_a_small_weight_drops_nothing():
    assert red(w_q=0.002) == {}


@pytest.mark.parametrize(
    "more",
    [{"max_th": "100p"}, {"max_p": 0.2}, {"above": "strict"}, {"count": "on"}],
    ids=lambda more: next(iter(more)),
)
def test_red_drops_more_with_a_greater_weight_and_still_more_so(more):
    assert drops(red(w_q=0.02, **more)) > drops(red(w_q=0.02)) > 0


@pytest.mark.parametrize(("ecn", "ect"), [(True, False), (False, True), (True, True)])
def test_red_marks_only_where_both_sides_can(ecn, ect):
    # Tests 8 to 10. ns-3 marks at any probability; `mark_max_p` = 0.1 of ns-2's preset would drop above it.
    settings = {"min_th": "30p", "max_th": "90p", "limit": "300p", "w_q": 0.002, "max_p": 0.5, "mark_max_p": 1.0}

    found = burst("red", ect=ect, ecn=ecn, **settings)

    assert set(found) == ({"mark early"} if ecn and ect else {"drop early"})


def test_fengs_red_and_the_nonlinear_one_drop_less_early():
    # Tests 11 to 13.
    settings = {"min_th": "30p", "max_th": "90p", "limit": "300p", "w_q": 0.002, "max_p": 0.5}
    linear = burst("red", **settings)["drop early"]

    assert 0 < burst("ared_feng", **settings)["drop early"] < linear
    assert burst("nlred", **settings).get("drop early", 0.0) < linear


def test_the_automatic_weight_is_greater_on_a_slow_link():
    # Suite `adaptive-red-queue-disc`, tests 1 and 2.
    settings = {"min_th": "70p", "max_th": "150p", "limit": "300p", "max_p": 0.02}

    assert burst("red", **settings).get("drop early", 0.0) < 1
    assert burst("red", rate="15kbit", **settings)["drop early"] > 1


def test_the_automatic_thresholds_are_higher_on_a_fast_link():
    # Tests 7 and 8.
    settings = {"limit": "300p", "max_p": 0.02, "w_q": 0.002}

    assert burst("red", **settings)["drop early"] > 0
    assert burst("red", rate="150Mbit", **settings) == {}


@functools.cache
def pie(every_ms, **settings):
    """Suite `pie-queue-disc`: 400 packets every 10 ms, served at a fixed interval in milliseconds."""
    table = pl.DataFrame({"time_s": [0.01 * (1 + i) for i in range(400)], "bytes": 1000, "flow": "a"})
    own = {"limit": "300p", "target": "20ms", "interval": "30ms", "max_burst": "100ms", "dq_threshold": "10000B"}
    found = means(table, queue="pie", preset="rfc8033", rate=f"{8e6 / every_ms:.0f}bit", settings={**own, **settings})
    assert "drop overflow" not in found
    return found["drop early"]


def test_pie_drops_more_on_a_slower_link_and_less_for_a_longer_target_or_interval():
    # Tests 2 to 6.
    assert pie(12) > pie(12, target="80ms")
    assert pie(15) > pie(12)
    assert pie(15, interval="90ms") < pie(15)
    assert pie(14, delay_from="departure_rate", target="15ms", interval="15ms", max_burst="150ms") > 0


def test_codel_drops_at_the_second_look_not_at_the_third_and_more_at_the_fourth():
    # Suite `codel-queue-disc`, test 5: packets that came at 0 are asked for at 2 targets (10 ms), at 2 intervals later
    # (210 ms), once more then, and at 420 ms. At 8 Mbit/s a packet's bytes say when the next one is asked for.
    first, second, dropped, at_once, third = 10_000, 200_000, 1000, 1, 210_000 - 1
    sizes = [first, second, dropped, at_once, third, *[1000] * 15]
    table = pl.DataFrame({"time_s": 0.0, "bytes": sizes, "flow": "a"})

    decisions = replay(table, queue="codel", preset="paper", rate="8Mbit", settings={"limit": "500p"}).decisions

    assert decisions["decision"].to_list()[:5] == ["enqueued", "enqueued", "dropped", "enqueued", "enqueued"]
    fourth = decisions.filter(pl.col("decision") == "dropped", pl.col("decision_s") == 0.42)
    # ns-3 states "additional drops"; by the control law two were due: at 310 and, 100 / sqrt(2) ms later, at 381 ms.
    assert fourth.height == 2
