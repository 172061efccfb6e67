"""XCP, TFRC and RAP against ns-2 in the mean, XCP packet by packet, too; explicit.py names the details that differ.

Means are compared with runs of ns-2 that are kept in single_runs.json. `make papers` makes 20 of each.
"""

from __future__ import annotations

import statistics
from pathlib import Path

import explicit
import ns2
import pytest
import single_runs

import sojourn

pytestmark = pytest.mark.slow
runs_ns2 = pytest.mark.skipif(not ns2.available(), reason="ns-2 is not installed (Debian and Ubuntu: apt install ns2)")
KEPT = single_runs.kept()


def means(name: str) -> tuple[dict[str, float], dict[str, float]]:
    """Results of ns-2's runs and of ours with the same seeds."""
    sides = KEPT[name], explicit.run_ours(name, single_runs.OTHERS[name].seeds)
    theirs, mine = ({key: statistics.fmean(run[key] for run in side) for key in explicit.METRICS} for side in sides)
    return theirs, mine


@pytest.mark.parametrize("name", [name for name in explicit.SETTINGS if name.startswith("xcp")])
def test_xcp_fills_the_link_evenly_without_queue_or_loss_on_both_sides(name):
    # With equal round-trip times the mean queue of a run varies by 6 % from seed to seed.
    theirs, mine = means(name)

    assert theirs["loss"] == mine["loss"] == 0.0
    assert mine["utilisation"] == pytest.approx(theirs["utilisation"], rel=0.01)
    assert min(theirs["jain"], mine["jain"]) > 0.998
    # The tolerance of the check of the window laws.
    assert mine["mean_queue"] == pytest.approx(theirs["mean_queue"], rel=0.05)


# On paths on which nothing meets at the same instant, and no longer than the precision of headers (single here) and of
# the ends of intervals (ns-2 writes six digits) lets windows pass each whole packet at the same acknowledgement.
TRACES: dict[str, ns2.Setting] = {
    "one_flow": {"flows": 1, "rate_mbit": 5, "rtt_ms": 81.3713, "duration": 30},
    "two_flows": {"flows": 2, "rate_mbit": 10, "rtt_ms": 81.3713, "duration": 40},
    "ten_flows": {"flows": 10, "rate_mbit": 20, "rtt_ms": 83.1717, "duration": 15},
}


@runs_ns2
@pytest.mark.parametrize("name", TRACES)
def test_every_packet_of_xcp_leaves_the_bottleneck_when_it_does_in_ns2(name, tmp_path):
    setting = explicit.setting("xcp") | TRACES[name] | {"start_spread": 0, "warmup": 1}

    theirs = departures_of_ns2(setting, tmp_path / "trace")
    mine = departures_of_ours(setting, first_intervals(tmp_path / "trace.control"))

    assert len(theirs) > 10_000
    assert len(mine) == len(theirs)
    for number, (a, b) in enumerate(zip(theirs, mine, strict=True)):
        # ns-2's trace rounds to a microsecond, and its times carry the errors of its floating-point clock.
        assert abs(a[0] - b[0]) < 2e-6, f"packet {number} (time, bytes, flow): ns-2 {a}, ours {b}"
        assert a[1:] == b[1:], f"packet {number} (time, bytes, flow): ns-2 {a}, ours {b}"


Departure = tuple[float, int, int]


def departures_of_ns2(setting: ns2.Setting, trace: Path) -> list[Departure]:
    """Time, size and flow of each packet that leaves the queue, from ns-2's trace."""
    explicit.run_ns2(setting, 1, trace)
    rows = (line.split() for line in trace.read_text().splitlines())
    return [(float(row[1]), int(row[5]), int(row[7])) for row in rows if row[0] == "-"]


def departures_of_ours(setting: ns2.Setting, queue: str) -> list[Departure]:
    """The same from ours."""
    text = explicit.scenario_text(setting, queue=queue, record="packets = true")
    packets = sojourn.run(sojourn.Scenario.from_toml(text), seed=1).packets
    packets = packets.filter(packets["link"] == packets["link"][0])
    return list(packets.select("time_s", "size_bytes", "flow").iter_rows())


def first_intervals(control: Path) -> str:
    """Parameters of our queue for the ends that ns-2 drew for its first intervals."""
    ends: dict[str, str] = {}
    for line in control.read_text().splitlines():
        name, time, _ = line.split()
        ends.setdefault(name, time)
    return f'control_phase = "{ends["avg_rtt_"]}s", queue_phase = "{ends["Tq_"]}s"'


@pytest.mark.parametrize("name", [name for name in explicit.SETTINGS if name.startswith("tfrc")])
def test_tfrc_leaves_the_same_queue_losses_and_share_of_tcp(name):
    theirs, mine = means(name)

    # The tolerances of the check of the window laws.
    assert mine["utilisation"] == pytest.approx(theirs["utilisation"], rel=0.05)
    assert mine["mean_queue"] == pytest.approx(theirs["mean_queue"], rel=0.05)
    assert mine["loss"] == pytest.approx(theirs["loss"], rel=0.10)
    # By ten seeds the mean of three runs has a standard error of 2.4 % in the share on either side, and of 3 to 5 % in
    # the nearest flow's part: three times the error of a difference.
    assert mine["share"] == pytest.approx(theirs["share"], rel=0.10)
    assert mine["nearest"] == pytest.approx(theirs["nearest"], rel=0.20)


@pytest.mark.parametrize("name", [name for name in explicit.SETTINGS if name.startswith("rap")])
def test_rap_shares_the_link_as_in_ns2(name):
    theirs, mine = means(name)

    # The tolerances of the check of the window laws; of TFRC's for the share and the nearest flow's part.
    assert mine["utilisation"] == pytest.approx(theirs["utilisation"], rel=0.05)
    assert mine["mean_queue"] == pytest.approx(theirs["mean_queue"], rel=0.10)
    assert mine["loss"] == pytest.approx(theirs["loss"], rel=0.10)
    assert mine["share"] == pytest.approx(theirs["share"], rel=0.10)
    assert mine["nearest"] == pytest.approx(theirs["nearest"], rel=0.20)
