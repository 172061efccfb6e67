"""Round trips per minute, the grade, and quality for users: in tables, metrics, answers and reports."""

from __future__ import annotations

import json
import math

import polars as pl
import pytest

import sojourn
from helpers.shell import sojourn as command
from sojourn._rooms.catalogue.grades import classed, grade
from sojourn._rooms.showing.text.responsive import quality_table, responsiveness_table

PROBED = """
duration = "30s"
warmup = "10s"
[dumbbell]
rate = "RATE"
delay = "HALFms"
access = { rate = "100Gbit", delay = "0s" }
queue = { kind = "fifo", limit = "400p" }
mean_packet = "1500B"
[[flow]]
name = "load"
count = 2
transport = { kind = "tcp", profile = "linux", packet = "1500B" WINDOW }
app = "bulk"
start = { at = "1s", spread = "10ms" }
[[flow]]
name = "probe"
count = 4
transport = { kind = "tcp", profile = "linux", packet = "1500B" }
app = "probe"
start = { spread = "500ms" }
"""


def probed(rate="10Gbit", half=15, window=', window = "4p"'):
    """Two flows over a line, and probes."""
    text = PROBED.replace("RATE", rate).replace("HALF", str(half)).replace("WINDOW", window)
    return sojourn.Scenario.from_toml(text)


@pytest.mark.parametrize(("half", "rpm"), [(1, 30_000), (5, 6000), (10, 3000), (25, 1200), (50, 600), (100, 300)])
def test_the_table_of_the_draft_is_met_where_nothing_waits(half, rpm):
    # network-quality/draft-ietf-ippm-responsiveness, issue 18: 2 ms are 30000 RPM ... 100 ms are 600.
    row = sojourn.run(probed(half=half)).responsiveness.row(0, named=True)

    assert row["foreign_rpm"] == pytest.approx(rpm, rel=2e-3)
    assert row["rpm"] == pytest.approx(rpm, rel=5e-3)
    assert row["added_ms"] < 0.05
    assert row["rpm_deviation_fraction"] < 0.01


def test_a_full_buffer_shows_in_every_number():
    # 400 packets of 1500 bytes at 10 Mbit/s are 480 ms.
    row = sojourn.run(probed(rate="10Mbit", window="")).responsiveness.row(0, named=True)

    assert 200.0 < row["added_ms"] < 480.0
    assert row["idle_ms"] == pytest.approx(30.0, abs=0.2)
    # Loaded and new connections wait in the same queue.
    assert row["http_f_ms"] == pytest.approx(row["http_l_ms"], rel=0.2)
    assert row["rpm"] == pytest.approx((row["foreign_rpm"] + row["loaded_rpm"]) / 2.0)
    assert row["loaded_rpm"] == pytest.approx(60_000.0 / row["http_l_ms"])
    assert classed(row["rpm"]) == "poor"


def test_grades_and_classes_are_those_of_their_sources():
    assert [grade(ms) for ms in (0.0, 4.99, 5.0, 30.0, 60.0, 200.0, 400.0, math.nan)] == [
        *("A+", "A+", "A", "B", "C", "D", "F", "")
    ]
    assert [classed(rpm) for rpm in (299.9, 300.0, 1000.0, 6000.0, math.nan)] == [
        "poor",
        "fair",
        "good",
        "excellent",
        "",
    ]


@pytest.mark.slow
def test_a_run_and_a_comparison_show_it():
    study = sojourn.compare(probed(rate="10Mbit", window=""), queues=["fifo", "fq_codel"], seeds=[1, 2])
    heading, table = responsiveness_table(study)

    assert "per minute" in heading
    assert table is not None
    assert [str(column.header).split("\n")[0] for column in table.columns[:4]] == ["queue", "probes", "RPM", ""]
    grades = list(table.columns[7].cells)
    assert grades[1] in ("A+", "A")
    assert grades[0] in ("D", "F")
    assert quality_table(study) == ("", None)
    differences = study.differences("responsiveness").filter(metric="rpm")
    assert differences["low"][0] > 0.0


@pytest.mark.slow
def test_metrics_by_name_and_the_answer_know_it(tmp_path):
    done = command(
        *("compare", "rrul_be", "--queue", "pfifo,fq_codel", "--seeds", "2"),
        *("--set", "duration=10s", "--set", "warmup=6s", "--metrics", "responsiveness.rpm,responsiveness.added_ms"),
        *("--report", tmp_path / "page.html"),
    )
    assert done.returncode == 0, done.stderr
    assert "round trips per minute is highest for probe with fq_codel" in done.stdout.replace("\n", " ")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Responsiveness under load" in page
    swept = sojourn.sweep(probed(), over={"dumbbell.delay": ["5ms", "10ms"]}, metrics=["responsiveness.rpm"], seeds=[1])
    assert swept.best("responsiveness.rpm").point == {"dumbbell.delay": "5ms"}


@pytest.mark.slow
def test_json_of_a_run_has_the_table():
    done = command("run", "tcp_8up", "--json", "--set", "duration=8s", "--set", "warmup=6s")
    row = json.loads(done.stdout)["responsiveness"][0]
    assert row["group"] == "probe"
    assert row["rpm"] > 0.0


@pytest.mark.parametrize("name", ["rrul", "rrul_be", "tcp_nup", "tcp_ndown", "tcp_8up", "tcp_8down", "rtt_fair"])
@pytest.mark.slow
def test_flents_tests_load_the_line_that_they_name(name):
    result = sojourn.run(sojourn.Scenario.load(name, overrides=["duration=16s", "warmup=12s"]))
    groups = {row["group"]: row for row in result.group.to_dicts()}
    loads = [name for name in groups if name.startswith(("upload", "download"))]

    assert groups["probe"]["flows"] == 4
    assert all(groups[load]["goodput_mean_bps"] > 1e5 for load in loads)
    flows = sum(groups[load]["flows"] for load in loads)
    assert flows == {"tcp_nup": 1, "tcp_ndown": 1}.get(name, 8)
    queue = result.queue.filter(pl.col("utilisation") > 0.95)
    assert queue.height >= 1


def test_rrul_has_flents_codepoints():
    flows = sojourn.Scenario.load("rrul").resolved()["flow"]
    of = {flow["name"]: flow.get("dscp") for flow in flows}
    assert (of["upload_BK"], of["download_CS5"], of["ping_up_EF"]) == ("CS1", "CS5", "EF")
