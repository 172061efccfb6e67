"""The fluid model of a scenario, and beside its packets."""

import json
import math

import pytest

import sojourn
from helpers.packed_page import unpacked
from sojourn import _core
from sojourn.models import fluid

TOML = """
title = "Marked senders"
duration = "80s"
warmup = "30s"
[dumbbell]
rate = "20Mbit"
delay = "40ms"
access = { rate = "1Gbit", delay = "5ms" }
queue = { kind = "pi", limit = "400p", q_ref = "100p", design_rtt = "150ms", ecn = true }
[[flow]]
name = "ftp"
count = 10
transport = { kind = "tcp", profile = "ns2", recovery = "sack", ecn = true, window = "1000p" }
start = { spread = "1s" }
"""


def scenario(*changes):
    return sojourn.Scenario.from_toml(TOML, overrides=changes)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "marked.toml"
    path.write_text(TOML)
    return path


def test_a_scenario_becomes_classes_and_a_queue():
    model = fluid.of_scenario(scenario()).model
    # 20 Mbit/s of 1000 bytes; twice 40 + 5 + 5 ms, and the packet's own 0.4 ms.
    assert model.capacity == 2500.0
    (one,) = model.classes
    assert (one.flows, one.rtt_s) == (10, pytest.approx(0.1004))
    # They start in the middle of the spread.
    assert one.on == ((0.5, math.inf),)
    assert model.marks
    assert (model.queue.q_ref, model.limit) == (100.0, 400.0)


def test_flows_with_several_delays_are_several_classes():
    changed = scenario('dumbbell.access.delay=["5ms", "50ms"]')
    classes = fluid.of_scenario(changed).model.classes
    assert [one.flows for one in classes] == [1] * 10
    assert [classes[0].rtt_s, classes[-1].rtt_s] == [pytest.approx(0.1004), pytest.approx(0.2804)]


@pytest.mark.parametrize(
    # Alemu 2004's link and R+ of 252 ms: its rule has a root from 51 flows on, and 1.392 for 53 (test_design.py).
    ("flows", "alpha", "said"),
    [(53, 1.392, False), (3, 0.251, True)],
)
def test_avqs_automatic_alpha_is_by_the_rule_or_what_stands_for_it(flows, alpha, said):
    queue = '{ kind = "avq", limit = "35p", gamma = 1.0, alpha = "auto", design_rtt = "252ms" }'
    changed = scenario(f"dumbbell.queue={queue}", f"flow.ftp.count={flows}", 'dumbbell.rate="1.5Mbit"')
    found = fluid.of_scenario(changed)

    assert found.model.queue.alpha == pytest.approx(alpha, rel=5e-4)
    assert any("gives no alpha" in note for note in found.notes) == said


def test_reds_spacing_of_drops_is_in_the_model():
    # 1 to 1/p packets apart, all alike: (1 + 1/p) / 2 in the mean.
    red = fluid.Red(min_th=0, max_th=10, max_p=1.0, w_q=0.1, spacing="on")
    assert red.probability([1.0], 1.0) == pytest.approx(1 / ((1 + 10) / 2))
    # 1/p to 2/p apart; by the rule of ns-2 drawn many times: 0.069 for 0.1, 0.143 for 0.2.
    wait = fluid.Red(min_th=0, max_th=10, max_p=1.0, w_q=0.1, spacing="wait")
    assert [round(wait.probability([x], 1.0), 3) for x in (1.0, 2.0)] == [0.069, 0.143]


def test_model_and_packets_agree_where_the_model_holds(command, file, tmp_path):
    # Marks, windows of about 30 packets and a quiet queue: no timeouts, little slow start. A window that is cut by
    # one mark in a round trip only, and counts in whole packets, leaves a tenth between the two.
    report = tmp_path / "both.html"
    found = json.loads(command("fluid", file, "--seeds", "2", "--json", "--report", report).stdout)
    rows = {row["quantity"]: row for row in found["table"]}
    queue, marks = rows["mean queue"], rows["marks"]

    assert queue["fluid"] == pytest.approx(queue["packets"], rel=0.1)
    assert marks["fluid"] == pytest.approx(marks["packets"], rel=0.25)
    assert rows["utilisation"]["packets"] > 99.0
    # W = R C / N with 100 packets of queue: (0.1004 + 0.04) 2500 / 10.
    assert found["rest"]["windows_packets"] == [pytest.approx(35.1)]
    assert "Resolved scenario" in report.read_text()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (['dumbbell.queue={ kind = "blue" }'], ["no queue 'blue'", "red, pi, rem, avq"]),
        (["flow.ftp.transport.control.kind=cubic"], ["none of the flows", "control is cubic"]),
        (["flow.ftp.direction=backward"], ["none of the flows", "the other way"]),
        (["dumbbell.rate=20"], ["dumbbell.rate"]),
    ],
)
def test_what_the_model_has_not_is_one_message(refused, file, changes, words):
    message = refused("fluid", file, *(part for change in changes for part in ("--set", change)))
    for word in words:
        assert word in message


def test_every_queue_is_in_the_model_or_refused_by_its_kind():
    plain = scenario("dumbbell.queue=fifo")
    has = ("avq", "pi", "red", "rem")
    for kind in has:
        fluid.of_scenario(plain.with_queue(kind))
    for kind in set(_core.names("queues")) - set(has):
        with pytest.raises(ValueError, match=f"^the fluid model has no queue '{kind}'\n  allowed: red, pi, rem, avq"):
            fluid.of_scenario(plain.with_queue(kind))


def test_a_map_says_where_the_model_is_stable(command, file, tmp_path):
    # Gains that are tenfold too large for ten flows: Hollot's loop gain goes with (R C)^3 / N^2, so that more flows and
    # less delay make it stable. Roots and integration say the same at every point.
    report = tmp_path / "map.html"
    over = ("--over", "flow[0].count=10,30,60", "--over", "dumbbell.delay=10ms,40ms", "--followed")
    gains = ("--set", "dumbbell.queue.a=0.002", "--set", "dumbbell.queue.b=0.00195")
    found = json.loads(command("fluid", file, *over, *gains, "--json", "--report", report).stdout)["map"]

    stable = {(row["count"], row["delay"]): row["stable"] for row in found}
    assert len(stable) == 6
    assert not stable["10", "40ms"]
    assert stable["60", "10ms"]
    assert all(row["stable"] != row["grows"] for row in found)
    assert all((row["gain_margin"] > 1) == row["stable"] for row in found)
    assert "Where the fluid model is stable, over count, delay" in json.dumps(unpacked(report.read_text(), "charts"))


def test_an_equilibrium_at_the_buffers_edge_is_none(command, file):
    changes = ("--set", "dumbbell.queue.limit=100p")
    (row,) = json.loads(command("fluid", file, "--over", "flow[0].count=10", *changes, "--json").stdout)["map"]
    assert row["stable"] is None
    assert row["why"] == "the reference of 100 packets is not below the buffer of 100"


def test_followed_goes_with_over(refused, file):
    assert "--followed goes with --over" in refused("fluid", file, "--followed")
    assert "there is an axis 'count' already" in refused(
        "fluid", file, "--over", "flow[0].count=1", "--over", "flow[0].count=2"
    )


def test_an_axis_called_as_a_column_of_the_map_is_refused():
    from sojourn._rooms.models.fluid.over import stability_over
    from sojourn._rooms.sweeps.axes import Axis

    axes = {"stable": Axis("dumbbell.queue.max_p", [0.05, 0.1])}
    with pytest.raises(ValueError, match=r"axis stable: the map has a column of this name(.|\n)*OTHER:KEY=0\.05,0\.1"):
        stability_over(sojourn.Scenario.load("red_classic"), axes)
