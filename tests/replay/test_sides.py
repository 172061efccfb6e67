"""Captures with each packet twice: on all interfaces of a router, and on two."""

import shutil
import struct
import subprocess

import pytest

from helpers.frames import ethernet, ip4, udp, write_pcap, write_pcapng
from helpers.shell import refused, sojourn
from sojourn import RecordingWarning, recorded, replay

# Twenty packets that a router forwards in 20 us.
PACKETS = [(1000 + n * 0.002, ip4("10.0.0.1", "198.51.100.1", 17, udp(5000, 443, 1000 + n))) for n in range(20)]
IN, OUT = 0, 4


def cooked(interface, kind, packet):
    """LINKTYPE_LINUX_SLL2: type of Ethernet, interface, hardware, kind (0 to us, 4 sent by us), address."""
    return struct.pack(">HHIHBB8s", 0x0800, 0, interface, 1, kind, 6, b"\2\0\0\0\0\1") + packet


def cooked_v1(kind, packet):
    """LINKTYPE_LINUX_SLL: kind, hardware, address, type of Ethernet."""
    return struct.pack(">HHH8sH", kind, 1, 6, bytes(8), 0x0800) + packet


def forwarded(frame):
    return [
        (at + late, frame(*how, packet)) for at, packet in PACKETS for late, how in ((0, (2, IN)), (2e-5, (3, OUT)))
    ]


def replayed(path, **options):
    return replay(path, queue="fifo", rate="100Mbit", **options)


def test_a_forwarded_packet_on_any_interface_is_one_arrival_where_it_went_out(tmp_path):
    path = write_pcap(tmp_path / "any.pcap", 276, forwarded(cooked), snap=96)

    result = replayed(path)

    assert result.decisions["record"].to_list() == list(range(2, 41, 2))
    assert result.sides.rows() == [("2 in", 20, False), ("3 out", 20, True)]
    assert result.notes()[0].startswith(
        "warning: this capture has 2 in (20 frames), 3 out (20 frames): the packets of 3 out are taken"
    )
    with pytest.warns(RecordingWarning, match="the packets of 3 out are taken"):
        assert len(recorded(path).times_s) == 20
    hint = "  hint:    --link (in Python link) chooses others: an interface, in, out, both ('eth0 out'), or all\n"
    assert hint in sojourn("replay", path, "--rate", "10Mbit", "--queue", "fifo").stderr


def test_the_interface_and_the_direction_may_be_chosen(tmp_path):
    path = write_pcap(tmp_path / "any.pcap", 276, forwarded(cooked))

    for link, records in {"in": range(1, 41, 2), "2": range(1, 41, 2), "3 out": range(2, 41, 2)}.items():
        chosen = replayed(path, link=link)
        assert chosen.decisions["record"].to_list() == list(records)
        assert chosen.notes() == []
    assert replayed(path, link="all").decisions.height == 40
    done = sojourn("replay", path, "--rate", "10Mbit", "--link", "in", "--queue", "fifo")
    assert (done.returncode, done.stderr) == (0, "")
    message = refused("replay", path, "--rate", "10Mbit", "--link", "eth0")
    assert 'no packet of this capture is of the link "eth0"\n  allowed: 2 in (20 frames), 3 out (20 frames)' in message


def test_a_cooked_capture_of_the_first_version_has_directions(tmp_path):
    path = write_pcap(tmp_path / "any.pcap", 113, forwarded(lambda _, kind, packet: cooked_v1(kind, packet)))

    assert replayed(path).sides.rows() == [("in", 20, False), ("out", 20, True)]
    assert replayed(path, link="in").decisions.height == 20


def test_a_capture_of_one_direction_is_taken_whole_and_nothing_is_said(tmp_path):
    inward = [(at, cooked(2, IN, packet)) for at, packet in PACKETS]
    result = replayed(write_pcap(tmp_path / "in.pcap", 276, inward))

    assert (result.decisions.height, result.notes(), result.sides.height) == (20, [], 0)


def test_of_two_interfaces_that_see_each_packet_one_is_taken(tmp_path):
    both = [(number, at + number * 2e-5, ethernet(packet), 0) for at, packet in PACKETS for number in (0, 1)]
    path = write_pcapng(tmp_path / "two.pcapng", ["eth0", "eth1"], both)

    result = replayed(path)

    assert result.sides.rows() == [("eth0", 20, True), ("eth1", 20, False)]
    assert result.decisions.height == 20
    if shutil.which("editcap"):
        # Its window of duplicates is five packets.
        subprocess.run(["editcap", "-d", path, tmp_path / "once.pcapng"], check=True, capture_output=True)
        once = replayed(tmp_path / "once.pcapng", link="all").decisions
        assert once["size_bytes"].to_list() == result.decisions["size_bytes"].to_list()


def test_directions_that_the_blocks_of_a_capture_say_are_used(tmp_path):
    frames = [(0, at, ethernet(packet), 2 - n % 2) for n, (at, packet) in enumerate(PACKETS)]
    result = replayed(write_pcapng(tmp_path / "x.pcapng", ["en0"], frames))

    assert result.sides.rows() == [("en0 out", 10, True), ("en0 in", 10, False)]
    assert result.decisions["record"].to_list() == list(range(1, 21, 2))
