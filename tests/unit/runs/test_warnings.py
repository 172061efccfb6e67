"""Warnings of runs reach Python, the shell, JSON and the report."""

from __future__ import annotations

import json

import pytest

from helpers.shell import refused, sojourn
from sojourn import Scenario, _core, compare, run
from sojourn._rooms.catalogue.warnings import known_warnings
from sojourn._rooms.cli import complete

# A retransmission of one of the two is lost, and RFC 6675's optional restart of the timer never finds it.
STANDS_STILL = """
duration = "60s"
warmup = "5s"
[dumbbell]
rate = "10Mbit"
delay = "10ms"
mean_packet = "1500B"
queue = { kind = "fifo", limit = "100p" }
[[flow]]
name = "up"
count = 2
start = { spread = "2s" }
transport = { kind = "tcp", profile = "rfc", packet = "1500B", control = "cubic", rto_restart = "retransmissions" }
"""
SEED = 7


@pytest.fixture
def still(tmp_path):
    path = tmp_path / "still.toml"
    path.write_text(STANDS_STILL)
    return path


def test_a_flow_that_stands_still_is_a_warning_of_the_run(still):
    warnings = run(Scenario.load(still), seed=SEED).warnings

    assert warnings.columns == ["code", "place", "text"]
    assert warnings.select("code", "place").rows() == [("standstill", "up")]
    assert warnings["text"][0].startswith("1 of 2 flows had data out")


def test_the_shell_says_it_once_and_in_how_many_runs(still):
    done = sojourn("run", still, "--seeds", "6,7,8")

    assert done.returncode == 0
    assert done.stderr.count("warning: standstill in up: 1 of 2 flows") == 1
    assert "seed 7; 2 of 3 seeds have it" in done.stderr


@pytest.mark.slow
def test_every_code_is_explained_offered_and_found_by_a_near_name():
    known = known_warnings(json.loads(_core.registry()))

    assert {"standstill", "no_chance"} <= {warning["name"] for warning in known}
    for warning in known:
        said = " ".join(sojourn("explain", warning["name"]).stdout.split())
        assert said.startswith(f"{warning['name']} (warning of a run or a study) {warning['doc']} Advice: ")
        assert warning["advice"] in said
        assert json.loads(sojourn("explain", warning["name"], "--json").stdout)["kind"] == "warning"
        assert complete.things(warning["name"][:-2]) == [warning["name"]]
    assert "did you mean standstill" in refused("explain", "standstil")


def test_json_and_report_have_it(still, tmp_path):
    page = tmp_path / "report.html"
    done = json.loads(sojourn("run", still, "--seed", str(SEED), "--json", "--report", page).stdout)

    assert [row["code"] for row in done["warnings"]] == ["standstill"]
    assert ">Warnings<" in page.read_text()


def test_a_study_names_queue_and_seed_and_variants_without_chance():
    alike = STANDS_STILL.replace('start = { spread = "2s" }', "").replace('"retransmissions"', '"acks"')
    calm = Scenario.from_toml(alike.replace("60s", "20s"))
    study = compare(calm, queues=["fifo", "red"], seeds=[1, 2])

    assert study.without_chance() == ["fifo"]
    without = study.warnings.filter(code="no_chance")
    assert without.select("queue", "seed", "code").rows() == [("fifo", None, "no_chance")]


def test_a_run_without_warnings_says_nothing(still):
    assert run(Scenario.load(still), seed=1).warnings.is_empty()
    assert sojourn("run", still, "--seed", "1").stderr == ""


LOCKED = """
duration = "20s"
warmup = "5s"
[dumbbell]
rate = "10Mbit"
delay = "20ms"
queue = { kind = "fifo", limit = "50p" }
[[flow]]
count = 4
"""


def test_equal_flows_are_one_run_whatever_the_seed_until_hosts_take_time(tmp_path):
    path = tmp_path / "locked.toml"
    path.write_text(LOCKED)
    alike = sojourn("run", path, "--seeds", "3")
    # Half of the 0.8 ms that the bottleneck takes for a packet (Floyd and Jacobson 1992).
    apart = sojourn("run", path, "--seeds", "3", "--set", 'dumbbell.access={jitter="400us"}')

    assert "warning: all 3 seeds are one run with locked, so the intervals there mean nothing" in alike.stderr
    assert "or jitter of access (hosts)" in alike.stderr
    assert "one run" not in apart.stderr + apart.stdout


def test_ecn_senders_over_a_step_that_drops_are_told_of_the_step_of_dctcp(tmp_path):
    path = tmp_path / "step.toml"
    step = 'queue = { kind = "red", min_th = "20p", max_th = "20p", max_p = 1, w_q = 1, ecn = true, limit = "50p" }'
    path.write_text(
        LOCKED.replace('queue = { kind = "fifo", limit = "50p" }', step) + 'transport = { kind = "tcp", ecn = true }\n'
    )
    said = sojourn("run", path).stderr

    assert "warning: drops_instead_of_marks in forward:" in said
    assert "red:preset=dctcp" in said
