"""Files that iperf3 3.12 and tshark 4.0 made on a line of Linux, shaped to known rates with known buffers.

Between a client and a server was a router whose two shapers (``tbf``) counted frames of Ethernet (14 bytes more than
IP). In the tests of iperf3: 8 Mbit/s up with 200,000 bytes, 20 down with 250,000. In the capture: 1 Mbit/s up with
25,000 bytes, 3 down with 37,500; iperf3 sent up for 10 s, and down for 10 s. The round trip without load is
below 0.2 ms: the kernel could not delay packets.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from sojourn._rooms.measured.estimate import estimated
from sojourn._rooms.measured.formats.capture import _frames
from sojourn._rooms.measured.reading import read

FILES = Path(__file__).parent / "files"
# docsis adds 18 bytes to a packet, 4 more than the shapers counted: 0.3 % of a full one.
FRAMES = 1518 / 1514


def within(one, true):
    return one.low <= true <= one.high


def test_iperf3_says_the_upload_and_its_buffer():
    files = [read(FILES / f"iperf3_{name}.json.gz") for name in ("up", "down")]
    found = estimated(files, link="docsis", rtt_s=0.0002).numbers

    assert within(found["up_bps"], 8e6 * FRAMES)
    assert within(found["down_bps"], 20e6 * FRAMES)
    # 200,000 bytes at 8 Mbit/s.
    assert within(found["buffer_up_s"], 0.2)
    assert found["buffer_up_s"].bound == ""
    # The server's round trips are in no file of the client.
    assert found["buffer_down_s"].how == "assumed"


def test_both_ways_at_once_only_bound_the_buffers():
    found = estimated([read(FILES / "iperf3_both.json.gz")], link="docsis", rtt_s=0.0002).numbers

    assert found["up_bps"].bound == found["down_bps"].bound == "at least"
    assert within(found["up_bps"], 8e6 * FRAMES)
    assert within(found["buffer_up_s"], 0.2)
    assert within(found["buffer_down_s"], 0.1)
    assert found["buffer_up_s"].bound == found["buffer_down_s"].bound == "at most"


def test_bbr_does_not_fill_the_buffer():
    found = estimated([read(FILES / "iperf3_bbr.json.gz")], rates=(8e6, 20e6), rtt_s=0.0002)

    assert found.numbers["buffer_up_s"].bound == "at least"
    assert within(found.numbers["buffer_up_s"], 0.2)
    assert any("-C cubic" in note for note in found.notes)


def test_datagrams_that_were_lost_show_the_rate_and_jitter():
    measured = read(FILES / "iperf3_udp.json.gz")

    (load,) = measured.loads
    assert set(load.rates) == {"up"}
    # 1448 of 1490 bytes of a frame.
    assert load.rates["up"].bps[0] == pytest.approx(8e6 * 1448 / 1490, rel=0.02)
    assert measured.jitter is not None


def test_a_capture_says_all():
    found = estimated([read(FILES / "transfers.pcap.gz")], link="docsis").numbers

    assert within(found["up_bps"], 1e6 * FRAMES)
    assert within(found["down_bps"], 3e6 * FRAMES)
    assert found["rtt_s"].value < 0.0002
    assert within(found["buffer_up_s"], 0.2)
    assert within(found["buffer_down_s"], 0.1)


def test_both_forms_of_captures_have_the_same_frames():
    plain, blocks = (gzip.decompress((FILES / f"transfers.{kind}.gz").read_bytes()) for kind in ("pcap", "pcapng"))
    first = list(_frames(plain, "a"))[:300]

    # editcap wrote the first 300 again.
    again = list(_frames(blocks, "b"))
    assert [(link, frame) for _, link, frame in again] == [(link, frame) for _, link, frame in first]
    assert [time for time, _, _ in again] == pytest.approx([time for time, _, _ in first], abs=2e-6)
