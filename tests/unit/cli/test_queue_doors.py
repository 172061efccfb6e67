"""A queue is read alike wherever it is named: in every command and in Python."""

from __future__ import annotations

import polars as pl
import pytest

import sojourn
from helpers.shell import refused
from helpers.shell import sojourn as command
from sojourn._rooms.evaluate.subjects import named
from sojourn._rooms.live.gateway import Gateway
from sojourn._rooms.scenario.queue_text import with_lines_read
from sojourn._rooms.sweeps.axes import parse_over

GOOD, WRONG = "fq_codel target 3ms", "fq_codel tarjet 3ms"
MEANS = {"kind": "fq_codel", "preset": "linux", "limit": "10240p", "ecn": True, "target": "3ms"}
ARRIVALS = "time_s,bytes,flow\n" + "".join(f"{time / 1000},1500,{time % 2}\n" for time in range(40))

COMMANDS = {
    "run": ["run", "red_classic", "--set", f"dumbbell.queue={WRONG}"],
    "run, the other direction": ["run", "red_classic", "--set", f"dumbbell.reverse_queue={WRONG}"],
    "compare": ["compare", "red_classic", "--queue", f"fifo,{WRONG}"],
    "sweep": ["sweep", "red_classic", "--over", f"queue=fifo,{WRONG}"],
    "sweep, a key": ["sweep", "red_classic", "--over", f"dumbbell.queue=fifo,{WRONG}"],
    "tune": ["tune", "red_classic", "--over", f"queue=fifo,{WRONG}", "--objective", "sojourn_mean_ms"],
    "evaluate": ["evaluate", WRONG, "--quick"],
    "evaluate, a baseline": ["evaluate", "red", "--against", WRONG, "--quick"],
    "export": ["export", "red_classic", "--as", "flent", "--out", "kept", "--set", f"dumbbell.queue={WRONG}"],
    "fluid": ["fluid", "red_classic", "--set", f"dumbbell.queue={WRONG}"],
    "replay": ["replay", "arrivals.csv", "--rate", "10Mbit", "--queue", WRONG],
    "gateway": ["gateway", "lan0", "wan0", "--rate", "10Mbit", "--queue", WRONG],
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "arrivals.csv").write_text(ARRIVALS)
    return tmp_path


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_each_command_reads_a_line_of_tc(folder, words):
    assert "did you mean 'target'?" in refused(*words, cwd=folder)


FRAME = pl.DataFrame({"time_s": [0.0, 0.001], "bytes": [1500, 1500], "flow": ["a", "b"]})
PYTHON = {
    "compare": lambda queue: sojourn.compare("red_classic", queues=["fifo", queue], seeds=[1]),
    "sweep": lambda queue: sojourn.sweep("red_classic", over={"queue": [queue]}, seeds=[1]),
    "with_queue": lambda queue: sojourn.Scenario.load("red_classic").with_queue(queue),
    "set": lambda queue: sojourn.Scenario.load("red_classic").set("dumbbell.queue", queue),
    "Dumbbell": lambda queue: sojourn.Dumbbell(rate="1Mbit", delay="1ms", queue=queue).to_dict(),
    "Dumbbell, the other direction": lambda queue: sojourn.Dumbbell(
        rate="1Mbit", delay="1ms", reverse_queue=queue
    ).to_dict(),
    "Link": lambda queue: sojourn.Link(from_="a", to="b", rate="1Mbit", delay="1ms", queue=queue).to_dict(),
    "Bottleneck": lambda queue: sojourn.Bottleneck(queue, "10Mbit", "20ms"),
    "Bottleneck of links": lambda queue: sojourn.Bottleneck(
        links=[{"name": "forward", "rate": "1Mbit", "delay": "1ms", "queue": queue}]
    ),
    "replay": lambda queue: sojourn.replay(FRAME, queue=queue, rate="10Mbit"),
    "law": lambda queue: sojourn.law(queue),
    "evaluate": lambda queue: named([queue]),
    "gateway": lambda queue: Gateway("lan0", "wan0", rate="10Mbit", queue=queue),
}


@pytest.mark.parametrize("door", PYTHON.values(), ids=PYTHON)
def test_python_reads_a_line_of_tc(door):
    with pytest.raises(ValueError, match="did you mean 'target'"):
        door(WRONG)


def test_python_means_the_same_by_it():
    for written in (GOOD, f"tc qdisc add dev eth0 root handle 1: {GOOD}"):
        assert sojourn.Dumbbell(rate="1Mbit", delay="1ms", queue=written).to_dict()["queue"] == MEANS
    queue = sojourn.Scenario.load("red_classic").with_queue(GOOD).resolved()["dumbbell"]["queue"]
    assert queue.items() >= {key: value for key, value in MEANS.items() if key != "preset"}.items()


def test_a_replay_has_the_settings_of_the_line(folder):
    # 40 packets at once behind a limit of 10: the link takes one, 10 wait.
    at_once = pl.DataFrame({"time_s": [0.0] * 40, "bytes": [1500] * 40, "flow": ["a"] * 40})
    assert sojourn.replay(at_once, queue="pfifo limit 10", rate="1Mbit").summary["drops_packets"].item() == 29
    done = command(
        "replay", "arrivals.csv", "--rate", "10Mbit", "--queue", f"{GOOD},pfifo limit 10", "--json", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    assert f'"{GOOD}": {{' in done.stdout
    assert '"pfifo limit 10": {' in done.stdout


INSIDE = {"kind": "flow_queue", "policy": "codel target 3ms ecn"}
CLASSES = {"kind": "htb", "group": [{"rate": "10Mbit"}], "class": [{"rate": "1Mbit", "queue": GOOD}]}


def test_a_line_of_tc_stands_in_a_queue_that_has_others():
    def resolved(scenario):
        return scenario.resolved()["dumbbell"]["queue"]

    red = sojourn.Scenario.load("red_classic")
    policies = [
        red.with_queue(INSIDE),
        red.with_queue("flow_queue:policy=codel target 3ms ecn"),
        red.with_queue("flow_queue:policy={codel target 3ms ecn}"),
        red.set("dumbbell.queue", INSIDE),
        sojourn.Scenario.load("red_classic", overrides=["dumbbell.queue=flow_queue:policy={codel target 3ms ecn}"]),
    ]
    means = {"target": "3ms", "ecn": True}
    assert [resolved(each)["policy"].items() >= means.items() for each in policies] == [True] * len(policies)
    assert resolved(red.with_queue(CLASSES))["class"][0]["queue"].items() >= means.items() - {("target", "3ms")}
    link = {"rate": "1Mbit", "delay": "1ms"}
    for queue in (INSIDE, CLASSES):
        assert sojourn.Dumbbell(**link, queue=queue).to_dict()["queue"] == with_lines_read(queue) != queue
    sojourn.replay(FRAME, queue=INSIDE, rate="10Mbit")
    with pytest.raises(ValueError, match="did you mean 'target'"):
        red.with_queue({"kind": "flow_queue", "policy": "codel tarjet 3ms"})


def test_signs_in_a_name_are_forgiven():
    for written in ("fqcodel", "fq-codel", "FQ_CoDel"):
        assert sojourn.Dumbbell(rate="1Mbit", delay="1ms", queue=written).to_dict()["queue"] == "fq_codel"
        sojourn.replay(FRAME, queue=written, rate="10Mbit")
    done = command("run", "red_classic", "--set", "dumbbell.queue=fqcodel", "--set", "duration=6s", "--json")
    assert done.returncode == 0, done.stderr


def test_a_pasted_line_goes_by_its_own_words(folder):
    shown = "qdisc codel 8001: dev eth0 root refcnt 2 limit 2000p target 5ms interval 100ms"
    words = "codel limit 2000p target 5ms interval 100ms"
    done = command("replay", "arrivals.csv", "--rate", "10Mbit", "--queue", f"{shown},fifo", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert f'"{words}": {{' in done.stdout
    assert parse_over(f"queue={shown},fifo")[1].values == [words, "fifo"]
    assert list(sojourn.Axis("queue", [shown]).points) == [words]


@pytest.mark.parametrize(
    "text", [GOOD, f"tc qdisc add dev eth0 root {GOOD}", "fq_codel:target=3ms", "tc qdisc add dev eth0 root fq_codel"]
)
def test_a_check_takes_a_name_and_says_where_a_line_goes(text):
    message = refused("check", text)

    assert "a check takes a name" in message
    assert "sojourn check fq_codel; with these values: sojourn compare home_uplink --queue" in message
    assert len(message) < 400


@pytest.mark.parametrize("text", [GOOD, f"tc qdisc add dev eth0 root {GOOD}", "fq_codel:target=3ms", "fq_codel"])
def test_a_queue_in_the_place_of_a_scenario_is_told_its_place(text):
    message = refused("run", text)

    assert "a scenario is wanted" in message
    assert "sojourn run red_classic --set" in message
    assert f"dumbbell.queue={text}" in message


def test_a_scenario_is_not_checked_as_a_queue():
    assert "a check is for queues\n  hint:    a scenario is checked" in refused("check", "red_classic")


def test_a_name_like_no_other_is_refused_with_the_first_names_alone():
    message = refused("check", "zzzz")

    assert "known: fifo, " in message
    assert message.endswith(" more; sojourn list shows all\n")
    assert message.count(",") == 11
