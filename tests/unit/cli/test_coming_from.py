"""The tables "Coming from": each cell for Sojourn is run, has the values of the other program, and explain agrees."""

from __future__ import annotations

import math
import re
import shutil
import subprocess
import tomllib

import polars as pl
import pytest

import sojourn
from helpers.shell import sojourn as command
from sojourn import Scenario, run
from sojourn._rooms._base.toml import inline
from sojourn._rooms.catalogue import coming_from
from sojourn._rooms.catalogue.warnings import WordWarning
from sojourn._rooms.scenario import tc
from sojourn._rooms.scenario.tc_line import tc_queue

# Each piece of code on the pages is run, for a quarter of a minute in all: `make check` leaves them out.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*sizes are those of IP packets here")]

ROWS = [(page, row) for page, rows in coming_from.PAGES.items() for row in rows]
PIECES = [
    pytest.param(kind, text, id=f"{page}-{row.theirs}-{place}")
    for page, row in ROWS
    for place, (kind, text) in enumerate(coming_from.code(row.ours))
]

BELL = {"rate": '"10Mbit"', "delay": '"10ms"', "queue": '"fifo"'}
FLOW = {"transport": '{ kind = "tcp" }', "app": '"bulk"'}


def scenario(top="", link="", flow="", duration="2s"):
    """A small scenario with keys laid over it, as they are written."""

    def lines(table, over):
        named = {key: text for key, text in table.items() if key not in tomllib.loads(over)}
        return "".join(f"{key} = {text}\n" for key, text in named.items()) + over + "\n"

    head = top if "duration" in top else f'duration = "{duration}"\n{top}'
    return Scenario.from_toml(f"{head}\n[dumbbell]\n{lines(BELL, link)}[[flow]]\n{lines(FLOW, flow)}")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Values for FILE, SCENARIO and the trace in a command: a scenario with traffic both ways, and its records."""
    folder = tmp_path_factory.mktemp("files")
    path = folder / "two.toml"
    bell = 'duration = "3s"\n[dumbbell]\nrate = "10Mbit"\nreverse_rate = "1Mbit"\ndelay = "10ms"\nqueue = "fifo"\n'
    down = 'name = "down"\ndirection = "backward"\ntransport = "udp"\napp = "cbr"\n'
    path.write_text(f'{bell}[[flow]]\nname = "up"\n[[flow]]\n{down}')
    assert command("export", path, "--as", "ns2", "--out", folder / "ns2").returncode == 0
    shutil.copy(next((folder / "ns2").glob("*.tr")), folder / "out.tr")
    assert command("run", path, "--set", "record.pcap=true", "--out", folder / "run").returncode == 0
    return folder


def ran(folder, text):
    """Run a command of a page with real files in it."""
    capture = next((folder / "run").rglob("*.in.pcapng"))
    words = text.removeprefix("sojourn ").split()
    file = capture if words[0] == "replay" else folder / "two.toml"
    stand = {"FILE": file, "SCENARIO": folder / "two.toml", "DIR": folder / f"made-{abs(hash(text))}"}
    done = command(*(folder / word if word == "out.tr" else stand.get(word, word) for word in words))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("kind", "text"), PIECES)
def test_each_piece_of_code_is_run(kind, text, files):
    match kind:
        case "queue":
            run(scenario(link=f"queue = {text}"))
        case "transport":
            run(scenario(flow=f"transport = {text}"))
        case "control":
            run(scenario(flow=f'transport = {{ kind = "tcp", control = {text} }}'))
        case "link":
            run(scenario(link=text))
        case "flow":
            table = tomllib.loads(text)
            if "udp" in str(table.get("transport")):
                text += '\napp = "cbr"'
            elif any(app in str(table.get("app")) for app in ("cbr", "on_off", "voice")):
                text += '\ntransport = "udp"'
            run(scenario(flow=text))
        case "top":
            assert scenario(top=text).to_toml()
        case "option":
            ran(files, f"sojourn run FILE {text}")
        case "command":
            ran(files, text)
        case "name":
            assert command("explain", text).returncode == 0
        case "code":
            assert callable(getattr(sojourn.Study, text.removeprefix("study.").partition("(")[0]))
        case _:
            pytest.fail(f"{kind} is none of {', '.join(coming_from.KINDS)}")


def test_every_piece_of_code_in_a_cell_has_its_kind():
    for _, row in ROWS:
        bare = [code for code in re.findall(r"`([^`]+)`", row.ours) if not re.match(r"\w+:", code)]
        # Left are words of the other program, or names of tables and options in a sentence.
        assert [code for code in bare if "=" in code or "{" in code] == [], row.theirs


@pytest.mark.parametrize(
    ("word", "row"), [pytest.param(word, row, id=word) for _, row in ROWS for word in row.names.split()]
)
def test_explain_answers_as_the_page_does(word, row, answer):
    said = answer(word)

    cell = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", coming_from.plain(row.ours)).replace("`", "")
    assert " ".join(f"Here: {cell}.".split()) in said


@pytest.mark.parametrize(
    ("word", "says"),
    [
        ("p99", "sojourn_p99_ms"),
        ("gso", "offload (parameter of tcp)"),
        ("video", "Adaptive video"),
        ("quic", "pacing = true"),
        ("rpm", "foreign_rpm"),
        ("incast", "Synchronised rounds"),
        ("flent", "--as flent"),
        ("nada", "gcc and scream"),
        ("atm", "cells"),
        ("overhead", "stab"),
        ("linklayer", "stab"),
        ("mpu", "stab"),
        ("ack-filter", "cake"),
        ("ack_filter", "cake"),
        ("htb", "token_bucket"),
        ("bbr2", "version 1"),
        ("bql", "one packet from its queue"),
        ("fq", "fair queueing bit by bit"),
        ("netem", "15 to 25 ms"),
    ],
)
def test_words_of_users_get_an_answer(word, says, answer):
    assert says in answer(word)


# tc, by its own rules.


def tc_bytes(text):
    """A size of tc: its k, kb, m and mb are powers of 1024."""
    number, unit = re.fullmatch(r"(\d+)([a-z]*)", text).groups()
    return int(number) * {"": 1, "b": 1, "k": 1024, "kb": 1024, "m": 1024**2, "mb": 1024**2}[unit]


def tc_line(start):
    """The words of a row of tc's page with their values, and the queue that it stands for as a run has it."""
    rows = [row for row in coming_from.PAGES["tc"] if row.theirs.startswith(f"`{start}")]
    row = next((row for row in rows if row.theirs.startswith(f"`{start}`")), rows[0])
    words = re.match("`([^`]*)`", row.theirs)[1].split()
    given = {words[at]: words[at + 1] for at in range(len(words) - 1)}
    queue = next(text for kind, text in coming_from.code(row.ours) if kind == "queue")
    return given, scenario(link=f'queue = {queue}\nmean_packet = "1500B"').resolved()["dumbbell"]["queue"]


def read_as_tc(words):
    """The queue as a run has it that Sojourn's parser reads in tc's words."""
    queue = {key: value for key, value in tc_queue(words).items() if value != ""}
    inside = ", ".join(f"{key} = {inline(value)}" for key, value in queue.items())
    return scenario(link=f'queue = {{ {inside} }}\nmean_packet = "1500B"').resolved()["dumbbell"]["queue"]


FIRST = [code[1] for row in coming_from.PAGES["tc"] if (code := re.match("`([^`]*)`", row.theirs))]
LINES = [words for words in FIRST if words.split()[0] in tc.LINES]


@pytest.mark.parametrize("words", LINES)
@pytest.mark.filterwarnings("ignore::sojourn._rooms.catalogue.warnings.WordWarning")
def test_a_row_has_the_queue_that_the_parser_reads(words):
    assert tc_line(words)[1] == read_as_tc(words)


def test_the_rows_of_queues_are_among_those_that_are_compared():
    assert len(LINES) >= 14
    assert {"red", "choke", "codel", "sfq", "cake", "tbf"} <= {words.split()[0] for words in LINES}


@pytest.mark.parametrize(
    ("theirs", "lines"),
    [
        ("`ecn` of `red`", ("ecn", "ecn harddrop")),
        ("`burst 17` of `red`", ("burst 17",)),
    ],
)
def test_words_of_red_have_the_settings_that_the_parser_reads(theirs, lines):
    red = "red limit 400000 min 15000 max 45000 avpkt 1500"
    for text, words in zip(queues_of(theirs), lines, strict=True):
        row, read = tomllib.loads(f"queue = {text}")["queue"], tc_queue(f"{red} {words}")
        assert row == {key: read[key] for key in row}


def test_linux_takes_the_word_adaptive_and_never_adapts():
    red = "red limit 400000 min 15000 max 45000 avpkt 1500"

    with pytest.warns(WordWarning, match="adaptive changes nothing"):
        assert tc_queue(f"{red} adaptive") == tc_queue(red)
    assert next(row for row in coming_from.PAGES["tc"] if row.theirs == "`adaptive` of `red`").ours.startswith(
        "nothing"
    )


@pytest.mark.parametrize("start", ["red limit 400000", "red limit 60000"])
def test_red_has_the_values_of_tc(start):
    given, queue = tc_line(start)

    least, most, packet = (tc_bytes(given[word]) for word in ("min", "max", "avpkt"))
    assert queue["limit"] == f"{tc_bytes(given['limit'])}B"
    assert (queue["min"], queue["max"]) == (f"{least}B", f"{most}B")
    # Of a 1 tc hands over no bit; thresholds that are a byte apart make it 2^31 - 1 of 2^32 (sch_red).
    assert float(queue["probability"]) == (float(given["probability"]) if given["probability"] != "1" else 0.5 - 2**-32)
    assert queue["avpkt"] == f"{packet}B"
    assert queue["burst"] == (int(given["burst"]) if "burst" in given else "auto")


def test_choke_has_the_values_of_tc():
    given, queue = tc_line("choke")

    # choke has packets where red has bytes.
    assert queue["limit"] == f"{given['limit']}p"
    assert (queue["min"], queue["max"]) == (f"{given['min']}p", f"{given['max']}p")
    assert queue["burst"] == int(given["burst"])


def test_sizes_and_limits_are_those_of_tc():
    given, queue = tc_line("tbf")
    burst = tc_bytes(given["burst"])
    assert queue["burst"] == f"{burst}B"
    # iproute2: the arrivals in the latency, and the burst.
    assert queue["queue"]["limit"] == f"{10_000_000 * 50 // 1000 // 8 + burst}B"
    given, queue = tc_line("bfifo")
    assert queue["limit"] == f"{tc_bytes(given['limit'])}B"
    given, queue = tc_line("police")
    assert queue["burst"] == f"{tc_bytes(given['burst'])}B"
    given, queue = tc_line("pfifo limit")
    assert queue["limit"] == f"{given['limit']}p"


def queues_of(theirs):
    row = next(row for row in coming_from.PAGES["tc"] if row.theirs == theirs)
    return [text for kind, text in coming_from.code(row.ours) if kind == "queue"]


def test_ecn_of_red_marks_above_max_and_harddrop_drops():
    marks, drops = (tomllib.loads(f"queue = {text}")["queue"] for text in queues_of("`ecn` of `red`"))
    # sch_red.c: above max every packet is marked, or dropped with harddrop. With this burst the average follows soon.
    law = {"min": "1p", "max": "10p", "probability": 0.01, "burst": 1, "limit": "1000p"}
    burst = pl.DataFrame({"time_s": [0.0] * 40, "bytes": [1000] * 40, "flow": ["a"] * 40, "ecn": ["ect0"] * 40})

    soft = sojourn.replay(burst, queue={**law, **marks}, rate="8Mbit")
    hard = sojourn.replay(burst, queue={**law, **drops}, rate="8Mbit")

    # The first is on the wire; those that find 11 and more wait behind max.
    assert soft.decisions["decision"].to_list()[12:] == ["marked"] * 28
    assert soft.summary["drops_packets"].item() == 0
    assert hard.decisions["decision"].to_list()[12:] == ["dropped"] * 28


def test_netem_is_reproduced():
    row = next(row for row in coming_from.PAGES["tc"] if "netem delay" in row.theirs)
    keys = "\n".join(text for kind, text in coming_from.code(row.ours) if kind == "link")
    flow = 'transport = { kind = "udp", packet = "125B" }\napp = { kind = "cbr", rate = "1Mbit", packet = "125B" }'
    netem = scenario(link=keys, flow=flow + '\naccess = { rate = "10Gbit" }', duration="40s")

    found = run(netem).table("group").head(1)

    # 20 ms in the mean, from 15 to 25 ms, and what 125 B take on 10 Mbit/s: 0.1 ms; 40,000 packets, 1 % of them lost.
    # The standard error of the mean is 10 / sqrt(12) / 200 = 0.014 ms, that of the loss 0.05 %.
    assert found["delay_mean_ms"].item() == pytest.approx(20.1, abs=0.06)
    assert found["delay_p50_ms"].item() == pytest.approx(20.1, abs=0.2)
    assert found["delay_p99_ms"].item() == pytest.approx(25.1 - 0.1, abs=0.15)
    assert found["corruption_ratio"].item() == pytest.approx(0.01, abs=0.002)


# ns-2, as it says itself.


@pytest.mark.skipif(shutil.which("ns") is None, reason="ns-2 is not installed")
def test_red_and_drop_tail_have_the_defaults_of_ns2(tmp_path):
    names = ("bytes_", "queue_in_bytes_", "mean_pktsize_", "linterm_", "gentle_", "wait_", "mark_p_", "setbit_")
    script = tmp_path / "ask.tcl"
    asks = "".join(f'puts "{name} [Queue/RED set {name}]"\n' for name in names)
    script.write_text(asks + 'puts "limit_ [Queue set limit_]"\n')
    output = subprocess.run(["ns", script], capture_output=True, text=True, check=True).stdout
    said = dict(line.split() for line in output.splitlines())
    rows = {row.theirs: dict(coming_from.code(row.ours)) for row in coming_from.PAGES["ns2"]}
    red = rows["`Queue/RED`"]
    bell = scenario(link=f"queue = {red['queue']}\n{red['link']}").resolved()["dumbbell"]
    queue = bell["queue"]

    def true(name):
        return said[name] in ("1", "true")

    assert queue["mode"] == ("bytes" if true("bytes_") and true("queue_in_bytes_") else "packets")
    assert bell["mean_packet"] == f"{said['mean_pktsize_']}B"
    assert float(queue["max_p"]) == pytest.approx(1 / float(said["linterm_"]))
    assert queue["above"] == ("gentle" if true("gentle_") else "strict")
    assert queue["count"] == ("wait" if true("wait_") else "on")
    assert float(queue["mark_max_p"]) == float(said["mark_p_"])
    assert queue["ecn"] == true("setbit_")
    assert queue["limit"] == f"{said['limit_']}p"
    fifo = scenario(link=f"queue = {rows['`Queue/DropTail`']['queue']}").resolved()["dumbbell"]["queue"]
    assert fifo["limit"] == f"{said['limit_']}p"


@pytest.mark.parametrize(("page", "start"), [("ns2", "`linterm_` 50"), ("ns3", "`MinTh` 5, `MaxTh` 15")])
def test_linterm_is_the_inverse_of_max_p(page, start):
    row = next(row for row in coming_from.PAGES[page] if row.theirs.startswith(start))
    queue = scenario(link=f"queue = {dict(coming_from.code(row.ours))['queue']}").resolved()["dumbbell"]["queue"]

    assert math.isclose(float(queue["max_p"]), 1 / 50)
