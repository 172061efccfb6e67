"""How long packets took, from the core to tables, JSON and Python."""

from __future__ import annotations

import json
import subprocess
import sys

import polars as pl
import pytest

from helpers.shell import sojourn
from sojourn import Scenario, compare, replicate, run

HOME = """
title = "A call beside an upload"
duration = "20s"
warmup = "4s"
[dumbbell]
rate = "4Mbit"
delay = "10ms"
queue = { kind = "fifo", limit = "60p" }
[[flow]]
name = "call"
start = { spread = "100ms" }
transport = { kind = "udp" }
app = { kind = "cbr", rate = "64kbit", packet = "200B" }
[[flow]]
name = "up"
count = 2
start = { spread = "1s" }
transport = { kind = "tcp" }
[[flow]]
name = "web"
direction = "backward"
transport = { kind = "tcp" }
app = { kind = "transfers", packets = 10, think = "300ms" }
[record]
packets = true
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    path = tmp_path_factory.mktemp("home") / "home.toml"
    path.write_text(HOME)
    return path


def test_the_wait_of_a_group_is_that_of_its_recorded_packets(home):
    found = run(Scenario.load(home), seed=2)

    # The call's packets wait at the bottleneck alone; a few that left at the very end had not arrived.
    call = found.packets.filter((pl.col("flow") == 0) & (pl.col("link") == "forward") & (pl.col("time_s") >= 4.0))
    group = found.group.filter(group="call")
    assert group["queueing_mean_ms"][0] == pytest.approx(call["sojourn_ms"].mean(), rel=0.005)
    for name, share in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
        exact = call["sojourn_ms"].quantile(share, "nearest")
        assert group[f"queueing_{name}_ms"][0] == pytest.approx(exact, rel=0.02)
    # 12 ms of wire, 10 us for 200 B at 160 Mbit/s ... and 0.4 ms at 4 Mbit/s.
    way = group["delay_p50_ms"][0] - group["queueing_p50_ms"][0]
    assert 10.4 < way < 16.0


def test_histograms_of_all_seeds_are_the_sums_of_the_single_ones(home):
    study = replicate(Scenario.load(home), seeds=[1, 2, 3])

    together = study.pooled("latency").filter(group="call", measure="queueing")
    alone = [result.latency.filter(group="call", measure="queueing")["count"].sum() for _, result in study.results]
    assert together["count"].sum() == sum(alone)
    assert together["duration_ms"].is_sorted()
    assert together["share"][-1] == 1.0
    # The median of all packets lies among those of the runs.
    median = together.filter(pl.col("share") >= 0.5)["duration_ms"][0]
    each = study.group.filter(group="call")["queueing_p50_ms"]
    assert each.min() * 0.99 <= median <= each.max() * 1.01
    with pytest.raises(ValueError, match="not a histogram; there are sojourn, latency"):
        study.pooled("queue")


def test_the_shell_says_how_long_packets_of_each_group_took(home):
    one = sojourn("run", home, "--seed", 2)
    two = sojourn("compare", home, "--queue", "fifo,fq_codel", "--seeds", 2)

    assert one.returncode == 0, one.stderr
    assert "packets of" in one.stdout
    for words in ("one-way delay", "in queues", "round trip", "transfer"):
        assert words in one.stdout
    assert "Time in queues of the packets of each group, 99th percentile (ms):" in two.stdout
    assert "--link shows reverse" in two.stdout


def test_json_has_every_table_of_a_run(home):
    found = json.loads(sojourn("run", home, "--seed", 2, "--json").stdout)
    several = json.loads(sojourn("run", home, "--seeds", 2, "--json").stdout)

    assert {"queue", "reasons", "group", "flow", "sojourn", "latency", "completion", "warnings"} <= found.keys()
    assert found["version"]
    assert {row["measure"] for row in found["latency"]} == {"delay", "queueing", "rtt", "completion"}
    assert several["without_chance"] is False
    assert several["latency"]


def test_a_run_without_chance_says_so_and_gets_no_stars(tmp_path):
    path = tmp_path / "same.toml"
    text = HOME.replace('start = { spread = "100ms" }\n', "").replace('start = { spread = "1s" }\n', "")
    path.write_text(text[: text.index('[[flow]]\nname = "web"')])

    run_ = sojourn("run", path, "--seeds", 3)
    both = sojourn("compare", path, "--queue", "fifo,codel", "--seeds", 3)

    assert "No interval for A call beside an upload: all 3 seeds are one run." in run_.stdout
    assert "No interval for fifo, codel: all 3 seeds are one run." in both.stdout
    table = both.stdout[both.stdout.index("Difference from fifo") :].split("\n", 1)[1]
    assert "*" not in table
    differences = compare(Scenario.load(path), queues=["fifo", "codel"], seeds=[1, 2, 3])
    assert not differences.difference("sojourn_mean_ms", variant="codel", row="forward").excludes_zero


@pytest.mark.slow
def test_a_narrow_terminal_is_told_what_is_left_out(home):
    command = [sys.executable, "-c", "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"]
    wanted = [sys.executable, "-m", "sojourn", "compare", str(home), "--queue", "fifo,codel", "--seeds", "2"]
    done = subprocess.run(
        [*command, "env", "COLUMNS=80", *wanted], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )

    said = " ".join(done.stdout.split())
    assert "Left out at 80 columns: " in said
    assert "--metrics NAME,NAME shows them" in said
