"""Headers in front of IP, records that are not packets, and packets that no link carries, beside tshark."""

import itertools
import shutil
import struct
import subprocess

import polars as pl
import pytest

from helpers import frames as made
from helpers.shell import refused, sojourn
from sojourn import RecordingWarning, recorded, replay

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")

ADDRESSES = bytes([10, 1, 1, 1, 10, 1, 1, 2])
MACS = bytes(12)


def udp(payload):
    """An IPv4 packet with UDP from port 49153 to port 9."""
    header = struct.pack(">BBHHHBBH", 0x45, 2, 28 + payload, 0, 0, 64, 17, 0) + ADDRESSES
    return header + struct.pack(">HHHH", 49153, 9, 8 + payload, 0) + bytes(payload)


def tcp(payload, sequence=1):
    """An IPv4 packet with TCP and 12 bytes of options: 52 bytes of headers."""
    header = struct.pack(">BBHHHBBH", 0x45, 2, 52 + payload, 0, 0x4000, 64, 6, 0) + ADDRESSES
    segment = struct.pack(">HHIIBBHHH", 5001, 80, sequence, 1, 0x80, 0x10, 500, 0, 0) + bytes([1, 1, 8, 10]) + bytes(8)
    return header + segment + bytes(payload)


def session(packet, protocol=0x0021):
    """RFC 2516 section 4, from the version on."""
    return struct.pack(">BBHHH", 0x11, 0, 0x1234, len(packet) + 2, protocol) + packet


def write_pcap(path, link, frames):
    content = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, link)]
    for number, frame in enumerate(frames):
        content += [struct.pack("<IIII", 0, 1000 * number, len(frame), len(frame)), frame]
    path.write_bytes(b"".join(content))
    return path


def block(kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, 12 + len(body)) + body + struct.pack("<I", 12 + len(body))


def replayed(path, **options):
    return replay(path, queue="fifo:limit=1000000p", rate="1Gbit", **options)


def tshark_sizes(path):
    """Number of the frame and length of the outermost IPv4 packet."""
    fields = ["-T", "fields", "-E", "occurrence=f", "-e", "frame.number", "-e", "ip.len"]
    output = subprocess.run(["tshark", "-n", "-r", str(path), *fields], check=True, capture_output=True, text=True)
    rows = [line.split("\t") for line in output.stdout.splitlines()]
    return [(int(number), int(length)) for number, length in rows if length]


# Linux's flow dissector counts the first tag.
TAGS = {"pppoe-in-a-vlan": " vlan 7", "pppoe-in-two-vlans": " vlan 9"}
SIZES = [1024, 100, 8, 1400]
IN_FRONT = {
    # As the point-to-point devices of ns-3 record: two bytes of protocol.
    "ppp-of-ns3": (9, lambda packet: b"\x00\x21" + packet),
    "ppp-in-hdlc": (50, lambda packet: b"\xff\x03\x00\x21" + packet),
    "cisco-hdlc": (104, lambda packet: b"\x0f\x00\x08\x00" + packet),
    "pppoe": (1, lambda packet: MACS + b"\x88\x64" + session(packet)),
    "pppoe-in-a-vlan": (1, lambda packet: MACS + b"\x81\x00\x00\x07\x88\x64" + session(packet)),
    "pppoe-in-two-vlans": (1, lambda packet: MACS + b"\x88\xa8\x00\x09\x81\x00\x00\x07\x88\x64" + session(packet)),
    "pppoe-in-linux-cooked": (113, lambda packet: struct.pack(">HHH8sH", 0, 1, 6, bytes(8), 0x8864) + session(packet)),
    "pppoe-alone": (51, session),
    "mpls": (1, lambda packet: MACS + b"\x88\x47" + bytes([0, 1, 0, 64, 0, 2, 1, 64]) + packet),
    "snap": (1, lambda packet: MACS + struct.pack(">H", len(packet) + 8) + b"\xaa\xaa\x03\0\0\0\x08\0" + packet),
}


@pytest.mark.parametrize("name", IN_FRONT)
def test_the_packet_is_found_behind_what_stands_in_front_of_it(tmp_path, name):
    link, in_front = IN_FRONT[name]
    path = write_pcap(tmp_path / "x.pcap", link, [in_front(udp(size)) for size in SIZES])

    result = replayed(path)

    assert result.decisions["size_bytes"].to_list() == [28 + size for size in SIZES]
    assert result.decisions["flow"].unique().to_list() == [f"udp 10.1.1.1:49153 > 10.1.1.2:9{TAGS.get(name, '')}"]
    assert result.decisions["ecn"].unique().to_list() == ["ect0"]
    assert result.left_out.is_empty()
    if shutil.which("tshark"):
        assert tshark_sizes(path) == result.decisions.select("record", "size_bytes").rows()


def test_what_is_left_out_is_said_by_its_name(tmp_path):
    frames = [
        MACS + b"\x08\x00" + udp(100),
        MACS + b"\x08\x06" + bytes(28),
        MACS + b"\x88\x63\x11\x09" + bytes(20),
        MACS + b"\x88\x64" + session(bytes(10), protocol=0xC021),
        MACS + b"\x08\x00" + udp(100)[:12],
    ]
    path = write_pcap(tmp_path / "x.pcap", 1, frames)

    result = replayed(path)

    assert dict(result.left_out.rows()) == {
        "not IP: ARP": 1,
        "not IP: PPPoE discovery": 1,
        "not IP: PPP LCP": 1,
        "IP whose header is cut off or damaged": 1,
    }
    assert (result.skipped_not_ip, result.skipped_malformed) == (3, 1)
    done = sojourn("replay", path, "--rate", "10Mbit")
    assert "left out: 1 not IP: PPPoE discovery\n" in done.stderr
    with pytest.warns(RecordingWarning) as warned:
        recorded(path)
    assert len(warned) == 4


def pcapng(frames, *, obsolete):
    """Packets in obsolete packet blocks (type 2), or in enhanced ones."""
    content = [
        block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)),
        block(1, struct.pack("<HHI", 1, 0, 65535)),
    ]
    for number, frame in enumerate(frames):
        interface = struct.pack("<HH", 0, 0xFFFF) if obsolete else struct.pack("<I", 0)
        lengths = struct.pack("<IIII", 0, 1000 * number, len(frame), len(frame))
        content.append(block(2 if obsolete else 6, interface + lengths + frame))
    return b"".join(content)


def test_obsolete_packet_blocks_hold_the_same_packets_as_those_of_today(tmp_path):
    frames = [MACS + b"\x08\x00" + udp(size) for size in SIZES * 5]
    old, new = tmp_path / "old.pcapng", tmp_path / "new.pcapng"
    old.write_bytes(pcapng(frames, obsolete=True))
    new.write_bytes(pcapng(frames, obsolete=False))

    assert replayed(old).decisions.height == 20
    assert replayed(old).decisions.equals(replayed(new).decisions)
    if shutil.which("tshark"):
        assert tshark_sizes(old) == replayed(old).decisions.select("record", "size_bytes").rows()


def test_a_block_that_nobody_knows_is_counted(tmp_path):
    path = tmp_path / "x.pcapng"
    path.write_bytes(pcapng([MACS + b"\x08\x00" + udp(100)], obsolete=False) + block(0x0BADCAFE, bytes(8)))

    assert replayed(path).left_out.rows() == [("pcapng block of the unknown type 195939070", 1)]


def station(number):
    """A frame of 802.11 to an access point, with QoS: four flows, ECT(0), IPv4 and IPv6 in turn (RFC 1042 for LLC)."""
    data = made.udp(1000 + number % 4, 443, 1000)
    six = number % 2
    four = made.ip4("10.0.0.1", "10.0.0.2", 17, data, tos=2)
    packet = made.ip6("2001:db8::1", "2001:db8::2", 17, data, tos=2) if six else four
    header = struct.pack("<HH", 0x0188, 0) + b"\2" * 18 + struct.pack("<HH", number << 4, 0) + b"\xaa\xaa\3\0\0\0"
    return header + struct.pack(">H", 0x86DD if six else 0x0800) + packet


def radiotap(frame):
    """<https://www.radiotap.org>: a header of 9 bytes with flags alone."""
    return struct.pack("<BBHIB", 0, 0, 9, 2, 0) + frame


def nflog(frame):
    """The packet of a frame of `station` as the value of type 9, behind a prefix (type 10)."""
    packet = frame[34:]
    family = 10 if packet[0] >> 4 == 6 else 2
    prefix = struct.pack("<HH", 7, 10) + b"in\0\0"
    return struct.pack(">BBH", family, 0, 5) + prefix + struct.pack("<HH", 4 + len(packet), 9) + packet


STATION = {"802.11": (105, bytes), "radiotap": (127, radiotap), "nflog": (239, nflog)}
FOUR_FLOWS = [
    "udp 10.0.0.1:1000 > 10.0.0.2:443",
    "udp [2001:db8::1]:1001 > [2001:db8::2]:443",
    "udp 10.0.0.1:1002 > 10.0.0.2:443",
    "udp [2001:db8::1]:1003 > [2001:db8::2]:443",
]


@pytest.mark.parametrize("name", STATION)
def test_packets_over_the_air_and_from_a_firewall_are_read(tmp_path, name):
    link, around = STATION[name]
    path = made.write_pcap(tmp_path / "x.pcap", link, [(n / 1000, around(station(n))) for n in range(40)])

    decisions = replayed(path).decisions

    assert decisions["flow"].to_list() == FOUR_FLOWS * 10
    assert decisions["size_bytes"].to_list() == [1028, 1048] * 20
    assert decisions["ecn"].unique().to_list() == ["ect0"]
    if shutil.which("tshark"):
        fields = ["-T", "fields", "-e", "frame.number", "-e", "udp.srcport"]
        output = subprocess.run(["tshark", "-n", "-r", path, *fields], check=True, capture_output=True, text=True)
        ports = [line.split("\t") for line in output.stdout.splitlines()]
        assert ports == [[str(n + 1), str(1000 + n % 4)] for n in range(40)]


def test_a_frame_that_is_sent_again_over_the_air_is_one_arrival(tmp_path):
    # The flag Retry is the bit 0x08 of the second byte; the number of the frame stays the same.
    first = [station(n) for n in range(4)]
    again = [frame[:1] + bytes([frame[1] | 8]) + frame[2:] for frame in first]
    # The first transmission of the last frame was not heard.
    order = [first[0], again[0], again[0], first[1], first[2], again[2], again[3]]
    path = made.write_pcap(tmp_path / "x.pcap", 105, [(n / 1000, frame) for n, frame in enumerate(order)])

    result = replayed(path)

    assert result.decisions["record"].to_list() == [1, 4, 5, 7]
    assert result.left_out.rows() == [("802.11 frames sent again", 3)]


@needs_tshark
def test_the_hint_for_other_links_makes_a_table_with_all_that_a_queue_looks_at(tmp_path):
    # PPI (192), the per-packet information of older captures of 802.11: version, flags, length, type of the frame.
    ppi = [(n / 1000, struct.pack("<BBHI", 0, 0, 8, 105) + station(n)) for n in range(40)]
    path = made.write_pcap(tmp_path / "wifi.pcap", 192, ppi)
    message = refused("replay", path, "--rate", "10Mbit")
    assert "its link type is 192 (PPI); supported are Ethernet (1)" in message
    command = " ".join(message.partition("kinds of links: ")[2].split()).replace("FILE", str(path))

    subprocess.run(command, shell=True, check=True, cwd=tmp_path, capture_output=True)

    table = replayed(tmp_path / "arrivals.csv").decisions
    air = made.write_pcap(tmp_path / "air.pcap", 105, [(n / 1000, station(n)) for n in range(40)])
    same = ("size_bytes", "ecn", "dscp", "time_s", "decision", "departure_s")
    assert table.select(same).equals(replayed(air).decisions.select(same))
    assert table["flow"].n_unique() == 4
    assert "17 2001:db8::1 1001 > 2001:db8::2 443" in table["flow"].to_list()


def segments(payload, mtu):
    """Payloads of the packets into which a card cuts a segment: RFC 9293 section 3.7.1, the headers being 52 bytes."""
    mss = mtu - 52
    return [min(mss, payload - at) for at in range(0, payload, mss)]


def test_a_frame_of_segmentation_offload_is_named_and_cut_into_the_packets_on_the_wire(tmp_path):
    payloads = [1448, 10 * 1448, 1448, 44 * 1448 + 600]
    sequences = [1, *itertools.accumulate(payloads[:-1], initial=1)][1:]
    large = [b"\x00\x21" + tcp(payload, at) for payload, at in zip(payloads, sequences, strict=True)]
    path = write_pcap(tmp_path / "tso.pcap", 9, large)

    whole, cut = replayed(path), replayed(path, mtu="1500B")

    assert (whole.oversize.packets, whole.oversize.largest_bytes, whole.oversize.pieces) == (2, 44 * 1448 + 652, 0)
    assert "segmentation offload" in whole.notes()[0]
    sizes = [52 + part for payload in payloads for part in segments(payload, 1500)]
    assert cut.decisions["size_bytes"].to_list() == sizes
    assert cut.oversize.pieces == 10 + 45
    assert cut.notes() == ["cut: 2 packets larger than 1500 B (the largest 64364 B), into 55"]
    # The data are sent once, and headers for each packet.
    assert cut.decisions["size_bytes"].sum() == sum(payloads) + 52 * 57
    done = sojourn("replay", path, "--rate", "10Mbit")
    assert done.stderr.startswith("warning: 2 packets larger than 1500 B (the largest 64364 B): segmentation offload")
    assert "warning" not in sojourn("replay", path, "--rate", "10Mbit", "--mtu", "1500B").stderr
    assert refused("replay", path, "--rate", "10Mbit", "--mtu", "500B").startswith(
        f"error: {path}: the MTU is 500 bytes"
    )


def test_jumbo_frames_stay_whole_under_their_mtu(tmp_path):
    path = write_pcap(tmp_path / "jumbo.pcap", 9, [b"\x00\x21" + tcp(8948)] * 3)

    assert replayed(path).oversize.packets == 3
    assert replayed(path, mtu="9000B").notes() == []


def test_a_table_is_cut_with_headers_of_40_bytes():
    frame = pl.DataFrame({"time_s": [0.0], "bytes": [40 + 3 * 1460], "flow": ["a"]})

    assert replayed(frame, mtu="1500B").decisions["size_bytes"].to_list() == [1500, 1500, 1500]
    assert replayed(frame).notes() == []


def test_rates_over_time_become_changes_of_a_link(tmp_path):
    (tmp_path / "rates.trace").write_text("0.0 4.5\n1.0 3.2\n2.0 6.1\n")
    scenario = tmp_path / "s.toml"
    text = 'duration = "5s"\n[dumbbell]\nrate = %s\ndelay = "20ms"\nqueue = "fifo"\n[[flow]]\n'
    scenario.write_text(text % '{ mahimahi = "rates.trace" }')
    message = refused("run", scenario)
    assert "rates.trace: line 1: this is" in message
    command = message.partition("}:\n")[2].strip().replace("FILE", "rates.trace").replace("SCENARIO.toml", "s.toml")

    scenario.write_text(text % '"4.5Mbit"')
    subprocess.run(command, shell=True, check=True, cwd=tmp_path)

    from sojourn import Scenario

    changes = Scenario.load(scenario).resolved()["dumbbell"]["changes"]
    assert [(one["at"], one["rate"]) for one in changes] == [("0s", "4.5Mbit"), ("1s", "3.2Mbit"), ("2s", "6.1Mbit")]
