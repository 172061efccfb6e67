"""An example of each format, with invented numbers, and the line that follows from it."""

from __future__ import annotations

import gzip
import json

import pytest

from helpers.results import (
    CLOUDFLARE,
    IPERF3,
    IRTT,
    LIBRESPEED,
    MACH,
    NETWORK_QUALITY,
    OOKLA,
    PINGS,
    SPEEDTEST_CLI,
    TYPED,
)
from sojourn._rooms.measured.estimate import estimated
from sojourn._rooms.measured.reading import read


def written(folder, name, content):
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def line_of(folder, name, content, **told):
    return estimated([read(written(folder, name, content))], **told)


def test_iperf3_has_the_rate_of_the_upload_and_its_buffer(tmp_path):
    found = line_of(tmp_path, "up.json", IPERF3, link="docsis", rates=(20e6, 100e6), rtt_s=0.03)

    # 231 ms less 30 ms, and 0.61 ms of sending a full packet of 1518 bytes and its acknowledgement; of that 1/0.96.
    assert found.numbers["buffer_up_s"].value == pytest.approx((0.231 - 0.03 - 0.00061) / 0.96, abs=2e-4)
    assert found.numbers["up_bps"].how == "given"
    assert found.numbers["buffer_down_s"].how == "assumed"


def test_ookla_counts_bytes_and_has_a_middle_value_of_each_way(tmp_path):
    found = line_of(tmp_path, "a.json", OOKLA, link="docsis")
    down, up = found.numbers["down_bps"], found.numbers["up_bps"]

    # 1518 bytes on the line for 1448 of payload, and 1.5 % for HTTP and TLS.
    assert down.value == pytest.approx(8 * 11_900_000 * 1518 / 1448 * 1.015)
    assert up.value == pytest.approx(8 * 2_360_000 * 1518 / 1448 * 1.015)
    # A ping of 84 + 18 bytes takes 0.041 ms up and 0.008 ms down.
    assert found.numbers["rtt_s"].value == pytest.approx(0.0118 - 0.00005, abs=1e-5)
    assert found.numbers["buffer_up_s"].value == pytest.approx((168.1 - 11.8) / 0.78 / 1e3, rel=0.01)
    assert found.numbers["buffer_down_s"].value == pytest.approx((31.0 - 11.8) / 0.78 / 1e3, rel=0.01)
    assert found.numbers["jitter_s"].value == pytest.approx(0.0004)


def test_network_quality_loads_both_ways_so_it_only_bounds_buffers(tmp_path):
    found = line_of(tmp_path, "nq.json", NETWORK_QUALITY, link="docsis")

    # Acknowledgements of 93 Mbit/s down: 70 bytes for two packets of 1518.
    share = 1518 / 1448 * 1.015
    assert found.numbers["up_bps"].value == pytest.approx(share * (17.4e6 + 93e6 * 70 / 3036))
    assert {found.numbers[f"buffer_{way}_s"].bound for way in ("up", "down")} == {"at most"}
    assert found.numbers["rtt_s"].value == pytest.approx(0.021, abs=1e-4)


def test_network_quality_one_way_after_the_other(tmp_path):
    apart = {**NETWORK_QUALITY, "cli_options": ["-c", "-s"], "ul_responsiveness": 300.0, "dl_responsiveness": 1500.0}
    found = line_of(tmp_path, "nq.json", apart, link="docsis")

    assert found.numbers["up_bps"].value == pytest.approx(17.4e6 * 1518 / 1448 * 1.015)
    # 60000/1500 is 40 ms in the mean.
    assert found.numbers["buffer_down_s"].value == pytest.approx((40.0 - 21.0) / 0.78 / 1e3, rel=0.01)


def test_cloudflare_has_one_connection_and_says_at_least(tmp_path):
    found = line_of(tmp_path, "cf.json", CLOUDFLARE)

    assert found.numbers["buffer_up_s"].bound == "at least"
    # A median of one flow is at most 0.88 of the buffer; the packet in transmission adds some doubt.
    assert (0.1908 - 0.0224) / 0.88 - 0.01 < found.numbers["buffer_up_s"].low < (0.1908 - 0.0224) / 0.88
    assert any("One connection alone" in note for note in found.notes)


def test_mach_has_a_mean_of_each_way(tmp_path):
    found = line_of(tmp_path, "mach.json", MACH)

    assert found.numbers["buffer_down_s"].value == pytest.approx((40.0 - 21.0) / 0.78 / 1e3, rel=0.01)


@pytest.mark.parametrize(("name", "content"), [("libre.json", LIBRESPEED), ("sivel.json", SPEEDTEST_CLI)])
def test_tests_without_round_trips_under_load_leave_the_buffer_open(tmp_path, name, content):
    found = line_of(tmp_path, name, content)

    # LibreSpeed has Mbit/s where speedtest-cli has bit/s.
    assert found.numbers["down_bps"].value == pytest.approx(93.2e6 * 1538 / 1448 * 1.015)
    assert found.numbers["up_bps"].value == pytest.approx(17.9e6 * 1538 / 1448 * 1.015)
    assert {found.numbers[f"buffer_{way}_s"].how for way in ("up", "down")} == {"assumed"}


def test_numbers_of_a_page_are_typed(tmp_path):
    found = line_of(tmp_path, "waveform.txt", TYPED)

    assert found.measurements[0].tool == "Waveform"
    assert found.numbers["rtt_s"].value == pytest.approx(0.022, abs=1e-4)
    assert found.numbers["buffer_down_s"].value == pytest.approx(0.028 / 0.78, rel=0.01)


@pytest.mark.parametrize("name", PINGS)
def test_pings_of_all_systems(tmp_path, name):
    trips = read(written(tmp_path, name, PINGS[name])).idle[0]

    assert trips.lowest == pytest.approx(30.1, abs=0.11)


def test_irtt_has_pings_in_nanoseconds(tmp_path):
    assert read(written(tmp_path, "irtt.json", IRTT)).idle[0].ms == [30.1]


def test_a_stream_of_iperf3_is_read_like_a_file(tmp_path):
    rows = [{"event": "start", "data": IPERF3["start"]}]
    rows += [{"event": "interval", "data": one} for one in IPERF3["intervals"]]
    rows.append({"event": "end", "data": IPERF3["end"]})
    path = written(tmp_path, "stream.json", "\n".join(json.dumps(row) for row in rows))

    assert read(path).loads == read(written(tmp_path, "whole.json", IPERF3)).loads


def test_a_warning_before_json_and_gzip_around_it_do_no_harm(tmp_path):
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"warning: clock\n" + json.dumps(OOKLA).encode()))

    assert read(path).tool == "Ookla speedtest"


def test_pings_under_other_traffic_are_said(tmp_path):
    text = "\n".join(f"64 bytes from x: icmp_seq={at} ttl=57 time={30 + 25 * (at % 4)} ms" for at in range(40))
    path = written(tmp_path, "idle.txt", text)
    found = estimated([read(path)], rates=(20e6, 100e6))

    assert any("something else used the line" in note for note in found.notes)
    assert found.numbers["rtt_s"].value == pytest.approx(0.030, abs=2e-4)
