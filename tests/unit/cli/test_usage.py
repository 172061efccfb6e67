"""Mistakes in the words of a command give one message like any other."""

import subprocess
import sys

import pytest

from helpers.shell import refused, sojourn
from sojourn import Scenario
from sojourn._rooms.cli import app
from sojourn._rooms.cli.usage import EXAMPLES


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["compare", "home_uplink"],
            ["sojourn compare: --queue is missing", "allowed: --queue A,B", "--queue fifo,codel"],
        ),
        (
            ["run"],
            ["sojourn run: SCENARIO is missing", "allowed: SCENARIO: scenario file (TOML)", "such as sojourn run"],
        ),
        (["explain"], ["NAME is missing", "allowed: NAME: a queue, sender", "such as sojourn explain RED"]),
        (["replay", "a.csv"], ["--rate is missing", "such as sojourn replay"]),
        (["run", "red_classic", "--sed", "3"], ["there is no option --sed", "--report", "did you mean --seed or"]),
        (
            ["run", "red_classic", "--xyzzy"],
            ["there is no option --xyzzy", "allowed: --set, --tcp, --seed", "such as sojourn run"],
        ),
        (
            ["run", "red_classic", "--seed", "x"],
            ["--seed: ", "'x'", "allowed: --seed N: a whole number, seed of one run"],
        ),
        (["run", "red_classic", "--seed"], ["--seed: its value is missing", "allowed: --seed N: a whole number"]),
        (["run", "red_classic", "--json=3"], ["--json: it takes no value"]),
        (["lab", "--port", "70000"], ["--port: ", "70000", "65535"]),
        (["lab", "--port", "x"], ["--port: 'x' is not a whole number\n"]),
        (["run", "red_classic", "more"], ["there is a word too many: more", "allowed: sojourn run"]),
        (
            ["cmopare", "home_uplink"],
            ["there is no command cmopare", "allowed: run, compare", "did you mean sojourn compare?"],
        ),
        (["--seed", "3", "run"], ["there is no option --seed before a command", "hint: "]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_words_are_answered_with_what_is_allowed_and_an_example(words, said):
    message = refused(*words)

    assert message.startswith("error: ")
    assert "Usage:" not in message
    assert [part for part in said if part not in message] == [], message


@pytest.mark.parametrize(
    ("setting", "hint"),
    [
        ("dumbbell.queue.kind=Queue/DropTail", 'Queue/DropTail is called "fifo" here'),
        ("dumbbell.queue.thresh_=5", 'thresh_ is called "min_th" here'),
        ("flow[0].app=FTP", 'FTP is called "bulk" here'),
        ("flow[0].transport.kind=Agent/TCP/Newreno", "sojourn explain Agent/TCP/Newreno explains its name here"),
        ("dumbbell.queue.min_thh=5p", 'did you mean "min_th"?'),
    ],
)
def test_a_word_of_another_tool_is_answered_with_ours(setting, hint):
    message = refused("run", "red_classic", "--set", setting)

    assert hint in message
    assert message.count("hint:") == 1


@pytest.mark.parametrize("words", ["trace-queue", "$ns trace-all", "Agent/TCP/FullTcp"])
def test_what_is_not_there_is_answered_with_what_comes_near(words):
    assert f"Sojourn has no {words}\n  hint: " in refused("explain", words)


def test_every_command_has_an_example_below_its_help():
    commands = [command.name or command.callback.__name__ for command in app.registered_commands]

    assert sorted(commands) == sorted(EXAMPLES)
    for name, example in EXAMPLES.items():
        assert example.startswith(f"sojourn {name}")
        assert f"Example: {example}" in " ".join(sojourn(name, "--help").stdout.split())


@pytest.mark.slow
def test_the_process_ends_with_2_and_help_with_0():
    def code(*words: str) -> int:
        run = [sys.executable, "-c", "from sojourn._rooms.cli import main; main()", *words]
        return subprocess.run(run, capture_output=True, check=False).returncode

    assert (code("run"), code("run", "--help"), code("list")) == (2, 0, 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["reproduce", "haider2005", "--verdicts", "no/README.md"],
            "--verdicts no/README.md: there is no directory no",
        ),
        (["reproduce", "--scoreboard", "no/page.md"], "--scoreboard no/page.md: there is no directory no"),
        (["reproduce", "haider2005", "--verdicts", "."], "--verdicts .: this is a directory"),
        (["compare", "red_classic", "--queue", "red,codel", "--metrics", ""], "there is no such column"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_could_not_be_written_or_shown_is_refused_before_anything_is_run(words, said, tmp_path):
    assert said in refused(*words, cwd=tmp_path)


def test_a_comparison_on_a_wireless_hop_shows_its_stations():
    done = sojourn(
        "compare", "wifi_hop", "--queue", "fifo,codel", "--seeds", "1", "--set", "duration=2s", "--set", "warmup=0s"
    )

    rows = [line.split()[:3] for line in done.stdout.partition("The wireless hop:")[2].splitlines()]
    assert [rows[3], rows[6]] == [["fifo", "air", "forward"], ["codel", "air", "reverse"]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        # As tc writes a queue.
        (["compare", "home_uplink", "--queue", "codel target=5ms,fifo"], "codel:target=5ms"),
        (["compare", "home_uplink", "--queue", "fifo,codel target=5ms"], "codel:target=5ms"),
        (["sweep", "home_uplink", "--over", "dumbbell.rate=1Mbit..5Mbit"], "such as 1Mbit..5Mbit/1Mbit"),
        (["sweep", "home_uplink", "--over", "dumbbell.rate=1..5Mbit"], "such as 1Mbit..5Mbit/1Mbit"),
        (["sweep", "home_uplink", "--over", "dumbbell.rate=5..1"], "a range needs its step"),
        (["run", "red_classic", "--duration", "10s"], "--set duration=10s"),
        (["compare", "red_classic", "--queue", "red,codel", "--rate", "10Mbit"], "--set dumbbell.rate=10Mbit"),
        (["run", "home_uplink", "--set", "dumbbell.queue=codell:target=1ms"], 'did you mean "codel"?'),
        (["report", ".", "a.html", "--report", "b.html"], "there are two reports to write: a.html and b.html"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_hint_shows_what_is_meant(words, said, tmp_path):
    assert said in refused(*words, cwd=tmp_path)


def test_set_takes_a_queue_as_the_option_for_queues_does():
    short = Scenario.load("home_uplink", overrides=["dumbbell.queue=codel:target=1ms,interval=20ms"])
    long = Scenario.load(
        "home_uplink", overrides=['dumbbell.queue={ kind = "codel", target = "1ms", interval = "20ms" }']
    )

    assert short == long


@pytest.mark.parametrize(
    ("queue", "hint"),
    [
        ("mq", "give it the queue of one ring\n"),
        ("coddel", 'did you mean "codel"? sojourn list queues shows all'),
        ("xyzzy", "sojourn list queues shows all"),
        ("netem", "delay, jitter, loss and rate are keys of a link"),
    ],
)
def test_an_unknown_queue_is_answered_with_a_hint_and_without_the_list(queue, hint):
    for words in (
        ["compare", "home_uplink", "--queue", f"fifo,{queue}"],
        ["run", "home_uplink", "--set", f"dumbbell.queue={queue}"],
    ):
        said = refused(*words)
        assert hint in said
        assert "there is no queue of this name" in said
        assert len(said) < 250


def test_a_file_with_a_discipline_of_tc_has_its_counterpart_alone_as_the_hint(tmp_path):
    file = tmp_path / "a.toml"
    file.write_text('duration = "1s"\n[dumbbell]\nrate = "1Mbit"\ndelay = "1ms"\nqueue = "mq"\n[[flow]]\n')
    assert refused("run", file).endswith("give it the queue of one ring\n")
