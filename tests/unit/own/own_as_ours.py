"""A queue and a window law that users write in Python decide as those of the core with the same law."""

import textwrap
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import sojourn

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"

sojourn.own.load(EXAMPLES / "my_codel.py")
sojourn.own.load(EXAMPLES / "my_reno.py")


def same_tables(one, other):
    assert list(one.tables) == list(other.tables)
    for name in one.tables:
        # No class of one's own has the counters of CoDel in `tc -s`.
        if name != "counters":
            assert_frame_equal(one.tables[name], other.tables[name])


@pytest.mark.parametrize(
    "queue", ['"{}"', '{{ kind = "flow_queue", flows = 4, policy = {{ kind = "{}", target = "3ms" }} }}']
)
def test_codel_in_python_decides_as_ours_drop_by_drop(queue):
    text = """
    duration = "20s"
    [dumbbell]
    rate = "3Mbit"
    delay = "20ms"
    queue = QUEUE
    reverse_queue = "fifo"
    [[flow]]
    name = "bulk"
    count = 6
    start = { spread = "1s" }
    [[flow]]
    name = "blast"
    transport = "udp"
    app = { kind = "on_off", rate = "4Mbit" }
    [record]
    drops = true
    """
    text = textwrap.dedent(text)
    runs = [
        sojourn.run(sojourn.Scenario.from_toml(text.replace("QUEUE", queue.format(kind))), seed=3)
        for kind in ("codel", "my_codel")
    ]

    assert runs[0].drops.filter(runs[0].drops["reason"] == "sojourn").height > 100
    same_tables(*runs)


def test_a_policy_of_ones_own_stands_in_the_queues_of_another_in_a_replay():
    # Three flows, each with a third more than a third of the link, for six seconds.
    rows = [(place / 1000, 1250, "abc"[place % 3]) for place in range(8000)]
    arrivals = pl.DataFrame(rows, schema=["time_s", "bytes", "flow"], orient="row")

    replays = [
        sojourn.replay(arrivals, queue=queue, rate="7.5Mbit")
        for queue in (
            "flow_queue:policy=codel,limit=1000p",
            "flow_queue:policy=my_codel,limit=1000p",
            {"kind": "flow_queue", "policy": "my_codel", "limit": "1000p"},
        )
    ]

    assert replays[0].reasons.filter(pl.col("reason") == "sojourn")["packets"].sum() > 10
    assert_frame_equal(replays[1].decisions, replays[0].decisions)
    assert_frame_equal(replays[2].decisions, replays[0].decisions)
    with pytest.raises(sojourn.ScenarioError, match="did you mean"):
        sojourn.replay(arrivals, queue="flow_queue:policy=my_codle", rate="7.5Mbit")

    # In the classes of a scheduler, too: each flow of two has a class of its own, with parameters or without.
    ours, own = (
        sojourn.replay(arrivals, queue={"kind": "wfq", "class": classes}, rate="7.5Mbit").decisions
        for classes in (
            [{"flows": ["0"], "weight": 2, "policy": kind}, {"policy": {"kind": kind, "target": "7ms"}}]
            for kind in ("codel", "my_codel")
        )
    )
    assert_frame_equal(own, ours)


@pytest.mark.parametrize("profile", ["rfc", "linux", "ns2"])
def test_reno_in_python_gives_the_tables_of_ours(profile):
    text = """
    duration = "20s"
    [dumbbell]
    rate = "5Mbit"
    delay = "20ms"
    queue = { kind = "red", limit = "30p", ecn = true }
    [[flow]]
    name = "bulk"
    count = 4
    transport = { kind = "tcp", profile = "PROFILE", ecn = true, control = "LAW" }
    start = { spread = "1s" }
    [[flow]]
    name = "short"
    count = 3
    transport = { kind = "tcp", profile = "PROFILE", control = "LAW" }
    app = "mice"
    [record]
    cwnd = "50ms"
    """
    text = textwrap.dedent(text).replace("PROFILE", profile)
    runs = [sojourn.run(sojourn.Scenario.from_toml(text.replace("LAW", law)), seed=2) for law in ("reno", "my_reno")]

    assert runs[0].flow["retransmits"].sum() > 10
    same_tables(*runs)
