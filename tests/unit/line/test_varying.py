"""Links that change: Starlink's slots, traces of a cell, and the messages for links that are not here."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sojourn
from helpers.shell import refused
from sojourn._rooms.line.varying import Slots
from sojourn.line import Line

TABLES = ("queue", "flow", "group", "sojourn", "responsiveness", "quality")


def test_slots_begin_four_times_a_minute():
    changes = Slots(gap=0.0).changes(100_000_000, 0.015, 120.0)

    seconds = [int(one["at"].removesuffix("ns")) / 1e9 for one in changes]
    assert seconds == [12, 27, 42, 57, 72, 87, 102, 117]
    # One way has half of the step: 10 ms at most beyond 15 ms.
    delays = [int(one["delay"].removesuffix("ns")) / 1e9 for one in changes]
    assert all(0.015 <= delay <= 0.025 for delay in delays)
    # The golden ratio spreads any four of them over the step.
    assert max(delays[:4]) - min(delays[:4]) > 0.005


def test_packets_are_lost_only_in_the_gap():
    first, second, third, _ = Slots().changes(1_000_000, 0.015, 30.0)

    assert (first["at"], first["loss"]["probability"]) == ("12000000000ns", 0.5)
    assert (second["at"], second["loss"]["probability"]) == ("12060000000ns", 0.0)
    assert third["at"] == "27000000000ns"


def test_rates_are_between_the_least_part_and_all():
    changes = Slots(rate=0.5, gap=0.0).changes(100_000_000, 0.015, 200.0)

    rates = [int(one["rate"].removesuffix("bit")) for one in changes]
    assert all(50_000_000 <= rate <= 100_000_000 for rate in rates)
    assert max(rates) > 80_000_000 > 70_000_000 > min(rates)


def test_settings_are_read_and_said():
    line = Line.read("10/100", link="starlink:step=40ms,rate=50%,phase=0s")

    assert line.varying == Slots(step=0.04, rate=0.5, phase=0.0)
    assert "up to 40 ms longer" in line.note
    assert "between 50" in line.note
    # Without changes it is a plain line, but for its longer test.
    still = Line.read("10/100", link="starlink:step=0ms,gap=0ms").links("cake", "home")
    assert still == Line.read("10/100").links("cake", "home")


@pytest.mark.slow
def test_changes_that_change_nothing_are_the_plain_link_byte_for_byte():
    class Still(Slots):
        def changes(self, bps, delay_s, _until_s):
            same = {"delay": f"{delay_s * 1e9:.0f}ns", "rate": f"{bps}bit"}
            return [{"at": f"{second}s", **same} for second in (3, 12, 27)]

    plain = replace(Line.read("2/8", rtt="30ms"), varying=Slots(step=0.0, gap=0.0))
    changed = replace(plain, varying=Still())
    runs = [sojourn.run(line.scenario("fq_codel"), seed=1) for line in (plain, changed)]
    assert "changes" in str(runs[1].scenario.resolved()["link"][0])
    assert "changes" not in str(runs[0].scenario.resolved()["link"][0])

    for table in TABLES:
        first, second = (run.table(table) for run in runs)
        assert first.equals(second, null_equal=True), table


@pytest.mark.slow
def test_a_constant_trace_carries_what_the_rate_carries(tmp_path):
    # An opportunity of 1500 bytes of IP each millisecond; with 38 bytes more they are 12.304 Mbit/s.
    (tmp_path / "up").write_text("1\n")
    lines = [Line.read("12.304/12", link=link) for link in ("lte", f"lte:up={tmp_path / 'up'}")]
    lines[0] = replace(lines[0], varying=Slots(step=0.0, gap=0.0))
    runs = [sojourn.run(line.scenario("modem"), seed=1) for line in lines]

    plain, traced = (run.table("queue").filter(link="up").row(0, named=True) for run in runs)
    # A trace counts bytes of IP, so that acknowledgements pay no overhead there.
    overhead = 38 * 8 * plain["departures_packets"] / lines[0].window_s
    assert (plain["throughput_bps"] + overhead) / 12.304e6 == pytest.approx(traced["throughput_bps"] / 12e6, rel=0.01)
    assert "follows the trace" in lines[1].note


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("wifi6", ["give the line behind it", "Wi-Fi of today is not here"]),
        ("docsis31", ["docsis counts the bytes", "low-latency DOCSIS are not here"]),
        ("5g", ["lte takes traces"]),
        ("gpon", ["fttp is a line of glass"]),
        ("satellite", ["--rtt 600ms"]),
        ("docsys", ["did you mean docsis?"]),
        ("docsis:step=3ms", ["docsis has no settings", "starlink, lte have some"]),
        ("starlink:stp=3ms", ["is no setting", "did you mean step?"]),
        ("starlink:step=3", ["step=3", "with a unit: 40ms"]),
        ("starlink:loss=200%", ["loss=200%", "0% to 100%"]),
        ("lte:up=/none", ["there is no such file"]),
    ],
)
def test_other_links_get_an_answer(link, said):
    message = refused("line", "20/100", "--link", link)
    assert [part for part in said if part not in message] == [], message
