"""Captures written here, byte by byte, and read by Sojourn and by tshark."""

import random
import shutil
import struct
import subprocess

import polars as pl
import pytest

from sojourn import replay

ETHERNET, RAW, SLL = 1, 101, 113
ECN = {"0": "not-ect", "1": "ect1", "2": "ect0", "3": "ce"}
# RFC 2474, RFC 2597, RFC 3246, RFC 5865 and RFC 8622.
CODEPOINTS = {"DF": 0, "LE": 1, "VA": 44, "EF": 46, **{f"CS{number}": 8 * number for number in range(1, 8)}}
CODEPOINTS |= {f"AF{group}{drop}": 8 * group + 2 * drop for group in range(1, 5) for drop in range(1, 4)}

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")


def ipv4(draw):
    payload = draw.randrange(8, 1400)
    protocol = draw.choice((6, 17))
    tos = draw.randrange(256)
    header = struct.pack(">BBHHHBBH", 0x45, tos, 20 + payload, 0, 0, 64, protocol, 0)
    return 0x0800, header + bytes([10, 0, 0, draw.randrange(1, 4), 10, 0, 1, 1]) + bytes(payload)


def ipv6(draw):
    payload = draw.randrange(8, 1400)
    tclass = draw.randrange(256)
    # Half of them have a hop-by-hop header of 8 bytes in front of UDP.
    extension, first = draw.choice(((b"", 17), (bytes([17, 0, 1, 4, 0, 0, 0, 0]), 0)))
    length = payload + len(extension)
    header = struct.pack(">IHBB", (6 << 28) | (tclass << 20), length, first, 64)
    return 0x86DD, header + bytes(range(16)) + bytes(range(16, 32)) + extension + bytes(payload)


def arp(_draw):
    return 0x0806, struct.pack(">HHBBH", 1, 0x0800, 6, 4, 1) + bytes(20)


def frame(link, kind, packet, draw):
    if link == RAW:
        return packet
    if link == SLL:
        return struct.pack(">HHH8sH", 0, 1, 6, bytes(8), kind) + packet
    tag = draw.choice((b"", struct.pack(">HH", 0x8100, 7), struct.pack(">HHHH", 0x88A8, 9, 0x8100, 7)))
    return bytes(12) + tag + struct.pack(">H", kind) + packet


def write_pcap(path, link, *, count=300, order="<", nanoseconds=False, snaplen=96):
    """Frames cut to `snaplen` bytes; returns the times in nanoseconds since the first IP packet."""
    draw = random.Random(link)
    kinds = [ipv4, ipv6] if link == RAW else [ipv4, ipv6, ipv4, ipv6, arp]
    magic = 0xA1B23C4D if nanoseconds else 0xA1B2C3D4
    unit = 1 if nanoseconds else 1000
    content = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, snaplen, link)]
    now, times = 1_700_000_000_999_000_000, []
    for _ in range(count):
        now += draw.randrange(1, 5_000_000) // unit * unit
        kind, packet = draw.choice(kinds)(draw)
        data = frame(link, kind, packet, draw)
        kept = data[:snaplen]
        fields = (now // 10**9, now % 10**9 // unit, len(kept), len(data))
        content += [struct.pack(order + "IIII", *fields), kept]
        if kind != 0x0806:
            times.append(now)
    path.write_bytes(b"".join(content))
    return [time - times[0] for time in times]


def replayed(path):
    return replay(path, queue="fifo", settings={"limit": "1000000p"}, rate="1Gbit")


def tshark(path, *fields):
    arguments = ["tshark", "-n", "-r", str(path), "-T", "fields"]
    for field in fields:
        arguments += ["-e", field]
    output = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    return [line.split("\t") for line in output.splitlines()]


@pytest.mark.parametrize("link", [ETHERNET, RAW, SLL])
@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("nanoseconds", [False, True])
def test_times_are_exact_in_every_variant_of_pcap(tmp_path, link, order, nanoseconds):
    path = tmp_path / "capture.pcap"
    times = write_pcap(path, link, order=order, nanoseconds=nanoseconds)

    result = replayed(path)

    assert [round(time * 1e9) for time in result.decisions["time_s"]] == times
    assert result.skipped_not_ip == 300 - len(times)
    assert result.skipped_malformed == 0


@needs_tshark
@pytest.mark.parametrize("link", [ETHERNET, RAW, SLL])
def test_tshark_sees_the_same_packets_sizes_ecn_fields_and_codepoints(tmp_path, link):
    path = tmp_path / "capture.pcap"
    write_pcap(path, link)

    rows = replayed(path).decisions.select("record", "size_bytes", "ecn", "dscp").rows()

    theirs = []
    fields = (
        "frame.number",
        "ip.len",
        "ip.dsfield.ecn",
        "ip.dsfield.dscp",
        "ipv6.plen",
        "ipv6.tclass.ecn",
        "ipv6.tclass.dscp",
    )
    for number, length, ecn, dscp, payload, ecn6, dscp6 in tshark(path, *fields):
        if length:
            theirs.append((int(number), int(length), ECN[str(int(ecn, 0))], int(dscp, 0)))
        elif payload:
            theirs.append((int(number), int(payload) + 40, ECN[str(int(ecn6, 0))], int(dscp6, 0)))
    ours = [(*row, CODEPOINTS[dscp] if dscp in CODEPOINTS else int(dscp)) for *row, dscp in rows]
    assert len({dscp for *_, dscp in theirs}) > 50
    assert len(theirs) > 200
    assert ours == theirs


def marked_capture(path):
    """Four packets of 1000 bytes that come at once: best effort and EF, of IPv4 and of IPv6, all ECN-capable."""
    packets = []
    for dscp in (0, 46):
        tos = dscp << 2 | 2
        packets.append(
            struct.pack(">BBHHHBBH", 0x45, tos, 1000, 0, 0, 64, 17, 0) + bytes([10, 0, 0, 1, 10, 0, 0, 2]) + bytes(980)
        )
        packets.append(struct.pack(">IHBB", 6 << 28 | tos << 20, 960, 17, 64) + bytes(32) + bytes(960))
    content = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, RAW)]
    content += [struct.pack("<IIII", 1, 0, 1000, 1000) + packet for packet in packets]
    path.write_bytes(b"".join(content))


def test_classes_by_codepoint_work_on_a_capture(tmp_path):
    path = tmp_path / "capture.pcap"
    marked_capture(path)

    rows = replay(path, queue={"kind": "priority"}, rate="8Mbit").decisions.select("dscp", "ecn", "sojourn_ms").rows()

    # A packet takes 1 ms. The first is being sent when the others come; EF goes first among these.
    assert rows == [("DF", "ect0", 0.0), ("DF", "ect0", 3.0), ("EF", "ect0", 1.0), ("EF", "ect0", 2.0)]


def test_classes_by_codepoint_work_on_a_table():
    table = pl.DataFrame({"time_s": [0.0] * 4, "bytes": [1000] * 4, "flow": ["a"] * 4, "dscp": ["", "0", "EF", "46"]})

    rows = replay(table, queue={"kind": "priority"}, rate="8Mbit").decisions.select("dscp", "sojourn_ms").rows()

    assert rows == [("DF", 0.0), ("DF", 3.0), ("EF", 1.0), ("EF", 2.0)]


@needs_tshark
@pytest.mark.parametrize("written_as", ["pcapng", "nsecpcap", "pcap"])
def test_captures_that_wireshark_wrote_are_read_alike(tmp_path, written_as):
    path, copy = tmp_path / "capture.pcap", tmp_path / "copy"
    write_pcap(path, ETHERNET)
    subprocess.run(["tshark", "-r", path, "-F", written_as, "-w", copy], check=True, capture_output=True)

    assert replayed(copy).decisions.equals(replayed(path).decisions)


@pytest.mark.skipif(shutil.which("text2pcap") is None, reason="text2pcap is not installed")
def test_a_capture_that_text2pcap_wrote_is_read(tmp_path):
    draw = random.Random(5)
    packets = [ipv4(draw)[1] for _ in range(20)]
    dump, path = tmp_path / "dump.txt", tmp_path / "capture"
    dump.write_text("".join(f"000000 {packet.hex(' ')}\n" for packet in packets))
    subprocess.run(["text2pcap", "-l", "101", dump, path], check=True, capture_output=True)

    assert replayed(path).decisions["size_bytes"].to_list() == [len(packet) for packet in packets]


@pytest.mark.skipif(shutil.which("capinfos") is None, reason="capinfos is not installed")
def test_capinfos_counts_the_same_frames(tmp_path):
    path = tmp_path / "capture.pcap"
    write_pcap(path, ETHERNET)
    output = subprocess.run(["capinfos", "-c", "-M", "-T", "-r", path], check=True, capture_output=True, text=True)

    result = replayed(path)

    assert int(output.stdout.split()[-1]) == result.decisions.height + result.skipped_not_ip


def test_a_capture_that_was_cut_off_is_refused(tmp_path):
    path = tmp_path / "capture.pcap"
    write_pcap(path, ETHERNET, count=3)
    path.write_bytes(path.read_bytes()[:-1])

    with pytest.raises(
        ValueError, match=r"frame 3: the file ends inside this frame .* editcap FILE NEW writes the frames before it"
    ):
        replayed(path)
