"""A dumbbell with a rate for each direction, such as a home line."""

import pytest

from sojourn import Dumbbell, Flow, RateTrace, Scenario, ScenarioError, run

LINE = """
duration = "20s"
warmup = "5s"
[dumbbell]
rate = "5Mbit"
reverse_rate = "20Mbit"
delay = "15ms"
access = { rate = "1Gbit" }
queue = { kind = "fifo", limit = "100p" }
[[flow]]
name = "up"
[[flow]]
name = "down"
direction = "backward"
"""
# The same network, link by link: each flow has two hosts of its own.
LINE_AS_GRAPH = """
duration = "20s"
warmup = "5s"
node = [{ name = "left" }, { name = "right" }, { name = "a" }, { name = "b" }, { name = "c" }, { name = "d" }]
ACCESS
[[link]]
name = "forward"
from = "left"
to = "right"
duplex = false
rate = "5Mbit"
delay = "15ms"
queue = { kind = "fifo", limit = "100p" }
[[link]]
name = "reverse"
from = "right"
to = "left"
duplex = false
rate = "20Mbit"
delay = "15ms"
queue = { kind = "fifo", limit = "100p" }
[[flow]]
name = "up"
from = "a"
to = "c"
[[flow]]
name = "down"
from = "d"
to = "b"
"""

ACCESS = "".join(
    f'[[link]]\nfrom = "{host}"\nto = "{router}"\nrate = "1Gbit"\ndelay = "0s"\n'
    for host, router in (("a", "left"), ("b", "left"), ("c", "right"), ("d", "right"))
)


def test_a_line_with_two_rates_is_the_graph_with_two_links():
    line, graph_of_it = (run(Scenario.from_toml(text)) for text in (LINE, LINE_AS_GRAPH.replace("ACCESS", ACCESS)))

    for link, rate in (("forward", 5e6), ("reverse", 20e6)):
        ours, theirs = (result.queue.filter(link=link).row(0, named=True) for result in (line, graph_of_it))
        assert ours["departures_packets"] == theirs["departures_packets"] > 1000
        assert ours["drops_packets"] == theirs["drops_packets"]
        assert ours["sojourn_p99_ms"] == theirs["sojourn_p99_ms"]
        assert ours["throughput_bps"] <= rate
    # More than the slower direction could carry.
    assert line.queue.filter(link="reverse")["throughput_bps"].item() > 5e6
    assert line.group["goodput_mean_bps"].to_list() == graph_of_it.group["goodput_mean_bps"].to_list()


def test_two_rates_stay_when_one_of_them_is_changed():
    line = Scenario.from_resolved(Scenario.from_toml(LINE).resolved_json).set("dumbbell.rate", "1Mbit")

    assert line.resolved()["dumbbell"]["reverse_rate"] == "20Mbit"
    made = Dumbbell(rate="5Mbit", reverse_rate=RateTrace(mahimahi=[5, 10]), delay="1ms")
    table = Scenario(duration="1s", dumbbell=made, flows=[Flow()]).resolved()["dumbbell"]
    assert (table["rate"], table["reverse_rate"]["mahimahi"]) == ("5Mbit", [5.0, 10.0])
    # Where both are the same, nothing of it is written: a scenario of one rate keeps its name in a store.
    assert "reverse_rate" not in Scenario.from_toml(LINE.replace("20Mbit", "5Mbit")).resolved()["dumbbell"]


def test_nonsense_about_two_rates_is_one_message_with_its_place():
    def message(line):
        with pytest.raises(ScenarioError) as error:
            Scenario.from_toml(LINE.replace('reverse_rate = "20Mbit"', line), file="line.toml")
        return str(error.value)

    assert message('reverse_rate = "20/5 Mbit/s"').startswith(
        "line.toml:6:16: dumbbell.reverse_rate: this is more than one"
    )
    assert 'the unit "Mbps" is refused' in message('reverse_rate = "20Mbps"')
    assert 'did you mean "reverse_rate"?' in message('download = "20Mbit"')
    assert "dumbbell.reverse_rate: this is a list" in message('reverse_rate = ["20Mbit"]')
    both = message('reverse_rate = "20Mbit"\nchanges = [{ at = "9s", rate = "1Mbit" }]')
    assert "dumbbell.changes: this gives both directions the same rate" in both
