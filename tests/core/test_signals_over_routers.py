"""ECN, DECbit, choke packets and XECN over three routers of which one does not know the signal: scenarios `*_path`."""

import polars as pl
import polars.selectors as cs
import pytest

import sojourn

SEEDS = (1, 2)


def run(name, seed, **settings):
    scenario = sojourn.Scenario.load(name)
    for key, value in settings.items():
        scenario = scenario.set(key.replace("__", "."), value)
    return sojourn.run(scenario, seed=seed)


def events(result):
    """Packets by link and by fate."""
    rows = result.reasons.group_by("link", "event").agg(pl.col("packets").sum()).rows()
    return {(link, event): packets for link, event, packets in rows}


def of(result, group):
    """Sums over the flows of a group."""
    return result.flow.filter(pl.col("group") == group).select(cs.numeric().sum()).row(0, named=True)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_router_that_does_not_know_ecn_drops_what_the_others_mark(seed):
    result = run("ecn_path", seed)
    seen, long = events(result), of(result, "long")

    assert ("unaware", "mark") not in seen
    assert seen["unaware", "drop"] > 100
    # Retransmissions are not ECN-capable (RFC 3168 section 6.1.5): nothing else is dropped where others are marked.
    dropped = seen.get(("first", "drop"), 0) + seen.get(("last", "drop"), 0)
    resent = result.flow["retransmits"].sum()
    assert dropped <= 0.05 * resent
    # The long flows hear both: marks of the outer routers by echoes, the middle one's by losses.
    assert long["ecn_reductions"] > 50
    assert long["fast_recoveries"] > 25
    assert of(result, "a")["fast_recoveries"] == 0
    assert of(result, "b")["ecn_reductions"] == 0
    # One mark counts as one drop: with the same thresholds the queues stand at the same length.
    backlogs = result.queue.filter(pl.col("link").is_in(["first", "unaware", "last"]))["backlog_mean_packets"]
    assert backlogs.max() < 1.15 * backlogs.min()


@pytest.mark.parametrize("seed", SEEDS)
def test_with_ecn_on_the_whole_path_nothing_is_lost(seed):
    result = run("ecn_path", seed, **{"link[1]__queue__ecn": True})

    assert not [event for event in events(result) if event[1] == "drop"]
    assert result.flow["retransmits"].sum() == 0


@pytest.mark.parametrize("seed", SEEDS)
def test_a_router_without_decbit_fills_its_buffer_while_the_others_stay_empty(seed):
    result = run("decbit_path", seed)
    seen = events(result)
    queues = {row["link"]: row for row in result.queue.iter_rows(named=True)}

    # DECbit's queue holds one packet in the mean, the one in transmission included.
    assert queues["first"]["backlog_mean_packets"] < 1
    assert queues["last"]["backlog_mean_packets"] < 1
    assert ("first", "drop") not in seen
    assert ("last", "drop") not in seen
    # Without a signal only a full buffer ends the increase.
    assert queues["unaware"]["backlog_mean_packets"] > 70
    assert seen["unaware", "drop"] > 0
    assert of(result, "b")["marks_packets"] == 0
    # The flows that hear of two routers give way to those that hear of none.
    assert of(result, "long")["goodput_bps"] < 0.2 * of(result, "b")["goodput_bps"]


@pytest.mark.parametrize("seed", SEEDS)
def test_choke_packets_and_ecn_exist_side_by_side(seed):
    result = run("choke_path", seed)
    seen = events(result)

    assert seen["marks", "mark"] > 100
    assert seen["chokes", "choke"] > 100
    assert seen["unaware", "drop"] > 100
    # Only the router that knows neither drops, but for retransmissions, which are not ECN-capable.
    assert ("chokes", "drop") not in seen
    assert seen.get(("marks", "drop"), 0) <= 0.05 * result.flow["retransmits"].sum()
    for group in ("a", "b"):
        assert of(result, group)["retransmits"] == 0
    # A choke packet is answered as a mark is: the flows of both routers get as much.
    rates = [of(result, group)["goodput_bps"] for group in ("a", "b", "c")]
    assert max(rates) < 1.1 * min(rates)
    # Each choke packet passes: a flow of `b` is cut about as often as its router spoke, once in a round trip at most.
    assert 0.3 * seen["chokes", "choke"] < of(result, "b")["ecn_reductions"] + of(result, "long")["ecn_reductions"]


@pytest.mark.parametrize("seed", SEEDS)
def test_xecn_counts_the_marks_of_all_routers_and_losses_tell_of_the_one_that_does_not_know_it(seed):
    result = run("xecn_path", seed)
    seen, long = events(result), of(result, "long")

    assert ("unaware", "mark") not in seen
    # Marks are counted and cut gently: five and more are needed where a loss halves (Tahiliani 2013, section 4.3).
    assert seen["first", "mark"] > 5 * seen["unaware", "drop"]
    marked = sum(of(result, group)["marks_packets"] for group in ("long", "a", "c"))
    assert marked <= seen["first", "mark"] + seen["last", "mark"]
    assert long["ecn_reductions"] > 0
    assert long["fast_recoveries"] > 0
    assert of(result, "b")["ecn_reductions"] == 0
    # Senders that hear of the dropping router keep a shorter queue there than gentle cuts keep elsewhere.
    backlog = dict(result.queue.select("link", "backlog_mean_packets").rows())
    assert backlog["unaware"] < 0.8 * min(backlog["first"], backlog["last"])
