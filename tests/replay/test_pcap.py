"""Capture files of simulated links, judged by tshark, by our own reader and by the counters of the run."""

import shutil
import subprocess
from collections import Counter

import polars as pl
import pytest

from sojourn import Record, Scenario, ScenarioError, _core, load_study, replay, run

needs_tshark = pytest.mark.skipif(shutil.which("tshark") is None, reason="tshark is not installed")

# Two senders with links of their own.
ACCESS = """
[[link]]
name = "access1"
from = "s1"
to = "r1"
rate = "100Mbit"
delay = "2ms"

[[link]]
name = "access2"
from = "s2"
to = "r1"
rate = "100Mbit"
delay = "5ms"
"""

# Two senders with links of their own before a RED queue that marks, on a link that corrupts: SACK with ECN, connections
# one after the other without ECN, and voice. Headers have room for all TCP options.
SCENARIO = """
duration = "20s"
node = [{ name = "s1" }, { name = "s2" }, { name = "r1" }, { name = "r2" }, { name = "d" }]

ACCESS
[[link]]
name = "neck"
from = "r1"
to = "r2"
rate = "5Mbit"
delay = "10ms"
queue = QUEUE
loss = { kind = "uniform", probability = "LOSS" }

[[link]]
name = "far"
from = "r2"
to = "d"
rate = "100Mbit"
delay = "1ms"

[[flow]]
name = "ecn"
count = 2
from = "s1"
to = "d"
transport = { kind = "tcp", recovery = "sack", ecn = true, packet = "1500B", header = "52B", ack_size = "60B" }
start = { every = "100ms" }

[[flow]]
name = "plain"
from = "s2"
to = "d"
transport = { kind = "tcp", recovery = "sack", packet = "1500B", header = "52B", ack_size = "60B" }
app = { kind = "transfers", packets = 140, think = "50ms" }

[[flow]]
name = "voice"
from = "s2"
to = "d"
transport = "udp"
app = { kind = "cbr", rate = "200kbit" }

[record]
pcap = true
packets = true
"""
# Senders with packets of their own kind: error correction, web connections many at a time, XCP and TFRC, and a router
# between that tells their senders of congestion by choke packets.
OTHERS = """
duration = "6s"
node = [{ name = "s1" }, { name = "s2" }, { name = "r1" }, { name = "r2" }, { name = "d" }]

ACCESS
[[link]]
name = "neck"
from = "r1"
to = "r2"
rate = "4Mbit"
delay = "10ms"
queue = { kind = "source_quench", policy = "xcp", limit = "20p" }

[[link]]
name = "far"
from = "r2"
to = "d"
rate = "100Mbit"
delay = "1ms"

[[flow]]
name = "fec"
from = "s1"
to = "d"
transport = "fec"
app = { kind = "cbr", rate = "1Mbit" }

[[flow]]
name = "web"
from = "s2"
to = "d"
transport = { kind = "tcp", recovery = "sack", quench = "as_mark", packet = "1500B", header = "52B", ack_size = "60B" }
app = { kind = "packmime", rate = 40 }

[[flow]]
name = "xcp"
from = "s1"
to = "d"
transport = { kind = "tcp", recovery = "sack", control = "xcp", packet = "1500B", header = "52B", ack_size = "60B" }

[[flow]]
name = "tfrc"
from = "s1"
to = "d"
transport = "tfrc"

[record]
pcap = true
packets = true
"""
# Address of the sender of each flow, a node, and port of the receiver, which tells the flows between two nodes apart.
ENDS = {0: ("10.0.0.1", "38000"), 1: ("10.0.0.1", "38001"), 2: ("10.0.0.2", "38000"), 3: ("10.0.0.2", "38001")}
MARKING = '{ kind = "red", ecn = true, limit = "40p" }'
GENTLE = '{ kind = "red", ecn = true, above = "gentle", limit = "200p" }'
FIFO = '{ kind = "fifo", limit = "40p" }'


def scenario(queue=MARKING, loss="0.5%"):
    return Scenario.from_toml(SCENARIO.replace("ACCESS", ACCESS).replace("QUEUE", queue).replace("LOSS", loss))


@pytest.fixture(scope="module")
def captured(tmp_path_factory):
    """The run, and its capture files by link and side."""
    result = run(scenario(), seed=3)
    files = result.write_pcap(tmp_path_factory.mktemp("pcap"))
    return result, {file.name.removesuffix(".pcapng"): file for file in files}


def merged(files, folder):
    """The content of a capture on the hosts of the senders: data as sent, acknowledgements as they come."""
    parts = [files[name] for name in ("access1.in", "access1_reverse.out", "access2.in", "access2_reverse.out")]
    subprocess.run(["mergecap", "-w", folder / "senders.pcapng", *parts], check=True)
    return folder / "senders.pcapng"


@pytest.fixture(scope="module")
def senders(captured, tmp_path_factory):
    return merged(captured[1], tmp_path_factory.mktemp("merged"))


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    """The run of the other kinds of packets, and the senders' capture."""
    folder = tmp_path_factory.mktemp("others")
    result = run(Scenario.from_toml(OTHERS.replace("ACCESS", ACCESS)), seed=3)
    files = {file.name.removesuffix(".pcapng"): file for file in result.write_pcap(folder)}
    return result, merged(files, folder)


def tshark(file, *arguments):
    return subprocess.run(["tshark", "-n", "-r", file, *arguments], check=True, capture_output=True, text=True).stdout


def fields(file, names, where=""):
    arguments = [argument for name in names for argument in ("-e", name)]
    lines = tshark(file, "-Y", where, "-T", "fields", *arguments).splitlines()
    return [tuple(line.split("\t")) for line in lines]


def experts(file, *arguments):
    """Expert information of tshark: severity and summary, with their number."""
    found, severity = Counter(), ""
    for line in tshark(file, *arguments, "-q", "-z", "expert").splitlines():
        words = line.split()
        if len(words) == 2 and words[1].startswith("("):
            severity = words[0]
        elif words and words[0].isdigit():
            found[severity, line[44:].strip()] += int(words[0])
    return found


@needs_tshark
@pytest.mark.parametrize("name", ["senders", "others"])
def test_tshark_finds_nothing_wrong_at_the_senders(name, request):
    capture = request.getfixturevalue(name)
    found = experts(capture if name == "senders" else capture[1])

    assert not [entry for entry in found if entry[0] == "Errors"]
    # A retransmission within a round trip after new data is out of order to tshark, which cannot know better.
    assert {text for severity, text in found if severity == "Warns"} <= {
        "This frame is a (suspected) out-of-order segment"
    }
    notes = {text.partition(" (#")[0] for severity, text in found if severity == "Notes"}
    assert notes <= {
        "Duplicate ACK",
        "This frame is a (suspected) fast retransmission",
        "This frame is a (suspected) retransmission",
        "This frame is a (suspected) spurious retransmission",
    }


@needs_tshark
def test_choke_packets_are_source_quenches_about_what_the_sender_sent(others):
    result, capture = others
    sent = ["ip.src", "ip.dst", "ip.len", "ip.proto", "tcp.srcport", "tcp.dstport", "udp.dstport"]

    packets = fields(capture, ["icmp.type", *sent])

    known = {tuple(packet) for kind, *packet in packets if not kind}
    quenches = [packet for kind, *packet in packets if kind]
    assert {kind for kind, *_ in packets} == {"", "4"}
    # For each field that both IP headers have, the outer value comes first; 1 is ICMP.
    quoted = [tuple(value.partition(",")[2] if "," in value else value for value in packet) for packet in quenches]
    assert set(quoted) <= known
    # Three flows run from the first node; the fourth has connections at a time.
    told = Counter((packet[0], packet[5] or packet[6]) for packet in quoted)
    assert {port for node, port in told if node == "10.0.0.1"} == {"38000", "38001", "38002"}
    assert {node for node, _ in told} == {"10.0.0.1", "10.0.0.2"}
    assert {packet[3] for packet in quoted} == {"6", "17"}
    # Nothing but choke packets goes back to the source with error correction.
    source = result.packets.filter((pl.col("link") == "access1/reverse") & (pl.col("flow") == 0))
    assert told["10.0.0.1", "38000"] == source.height > 0


@needs_tshark
def test_each_web_connection_is_one_to_tshark(others):
    result, capture = others
    opening = "tcp.flags.syn == 1 && tcp.flags.ack == 0 && ip.src == 10.0.0.2"
    opened = set(fields(capture, ["tcp.stream", "tcp.srcport", "tcp.dstport", "tcp.seq_raw"], opening))
    done = result.flow.filter(pl.col("group") == "web")["completions"].item()

    # Some SYNs are sent again, and some connections are open at the end.
    assert len({stream for stream, *_ in opened}) == len(opened)
    assert len({(sender, receiver) for _, sender, receiver, _ in opened}) == len(opened)
    assert len(opened) >= done > 100


@needs_tshark
def test_retransmissions_are_those_that_the_senders_count(captured, senders):
    result, _ = captured
    again = "(tcp.analysis.retransmission || tcp.analysis.out_of_order)"
    seen = Counter(map(tuple, fields(senders, ["ip.src", "tcp.dstport"], f"{again} && tcp.len > 0")))

    counted = {ENDS[flow]: number for flow, number in result.flow.select("flow", "retransmits").rows()}
    assert sum(counted.values()) > 50
    assert seen == {ends: number for ends, number in counted.items() if number}


@needs_tshark
def test_marks_drops_and_losses_are_those_of_the_queue(captured):
    result, files = captured
    verbs = {"drop": "dropped", "mark": "marked", "loss": "lost"}
    reasons = result.reasons.filter(pl.col("link") == "neck").select("event", "reason", "packets").rows()
    counted = {f"{verbs[event]}: {reason}": packets for event, reason, packets in reasons}

    def comments(name):
        return Counter(text for (text,) in fields(files[name], ["frame.comment"], "frame.comment"))

    assert {"dropped: early", "marked: early", "lost: corruption"} <= set(counted)
    # A packet may be marked and then lost: tshark joins its two comments.
    joined = Counter()
    for text, number in comments("neck.in").items():
        joined.update(dict.fromkeys(text.split(","), number))
    assert joined == counted
    marked = len(fields(files["neck.out"], ["frame.number"], "ip.dsfield.ecn == 3"))
    assert marked == counted["marked: early"]
    assert not fields(files["neck.in"], ["frame.number"], "ip.dsfield.ecn == 3")
    lost = sum(number for text, number in counted.items() if text.startswith("lost"))
    sent = result.queue.filter(pl.col("link") == "neck")["departures_packets"].item()
    assert len(fields(files["neck.out"], ["frame.number"])) == sent
    assert len(fields(files["far.in"], ["frame.number"])) + lost == pytest.approx(sent, abs=10)  # Some are on the way.


@needs_tshark
def test_echoes_and_reductions_follow_the_marks(tmp_path):
    # Without losses every CWR answers an echo: losses set it, too.
    result = run(scenario(GENTLE, loss="0%"), seed=1)
    files = {file.name.removesuffix(".pcapng"): file for file in result.write_pcap(tmp_path)}
    flows = result.flow.filter((pl.col("group") == "ecn") & (pl.col("drops_packets") == 0))
    assert flows.height > 0

    for flow, reductions, marks in flows.select("flow", "ecn_reductions", "marks_packets").rows():
        # ECN is agreed to with the same flags on SYNs (RFC 3168 section 6.1.1).
        (host, port), data = ENDS[flow], "tcp.flags.syn == 0"
        sent = f"{data} && ip.src == {host} && tcp.dstport == {port}"
        reduced = fields(files["access1.in"], ["frame.time_epoch"], f"{sent} && tcp.flags.cwr == 1")
        # The last reduction may still wait for a segment that says so.
        assert reductions - 1 <= len(reduced) <= reductions
        # RFC 3168 section 6.1.3: echoes go on from a mark to the next CWR, so there are as many runs as reductions at
        # least, and no more than marks.
        answers = f"{data} && ip.dst == {host} && tcp.srcport == {port}"
        echoes = [flag for (flag,) in fields(files["access1_reverse.out"], ["tcp.flags.ece"], answers)]
        runs = sum(echo == "1" and before == "0" for before, echo in zip(["0", *echoes], echoes, strict=False))
        assert 0 < runs <= marks
        assert reductions <= sum(echo == "1" for echo in echoes)


@needs_tshark
def test_checksums_and_lengths_of_whole_packets_are_right(tmp_path):
    simulation = _core.Simulation(scenario().resolved_json, 3)
    simulation.advance(3.0)
    checks = [f"{protocol}.check_checksum:TRUE" for protocol in ("ip", "tcp", "udp")]
    options = [argument for check in checks for argument in ("-o", check)]

    captures = simulation.captures(payload=True)
    for name, content in captures.items():
        (tmp_path / name).write_bytes(content)
    whole = tmp_path / "whole.pcapng"
    subprocess.run(["mergecap", "-w", whole, *(tmp_path / name for name in captures)], check=True)

    assert not fields(whole, ["frame.number"], "_ws.malformed || frame.len != frame.cap_len")
    found = experts(whole, *options)
    assert not [entry for entry in found if entry[0] == "Errors" or "checksum" in entry[1].lower()]
    # 1 is good.
    statuses = [part for protocol in ("ip", "tcp", "udp") for part in ("-e", f"{protocol}.checksum.status")]
    status = tshark(whole, *options, "-T", "fields", *statuses).splitlines()
    assert Counter(status).keys() == {"1\t1\t", "1\t\t1"}
    assert len(status) > 5000


@needs_tshark
def test_a_checksum_that_is_wrong_would_be_seen(tmp_path):
    simulation = _core.Simulation(scenario().resolved_json, 3)
    simulation.advance(0.5)
    content = bytearray(simulation.captures(payload=True)["neck.in.pcapng"])
    # The source port of the first TCP packet from 50000.
    content[content.index((50000).to_bytes(2) + (38000).to_bytes(2))] ^= 1
    (tmp_path / "bad.pcapng").write_bytes(content)

    found = experts(tmp_path / "bad.pcapng", "-o", "tcp.check_checksum:TRUE")
    assert [text for severity, text in found if severity == "Errors" and "checksum" in text.lower()]


def test_our_reader_reads_back_what_left_the_link(captured):
    result, files = captured
    sent = result.packets.filter(pl.col("link") == "neck")

    back = replay(files["neck.out"], queue="fifo", rate="1Gbit").decisions

    # The reader counts time from the first packet.
    times = (sent["time_s"] - sent["time_s"][0]).to_list()
    assert back["time_s"].to_list() == pytest.approx(times, abs=1e-12)
    assert back["size_bytes"].to_list() == sent["size_bytes"].to_list()
    assert back["ecn"].to_list() == sent["ecn"].to_list()
    assert back["flow"].n_unique() > sent["flow"].n_unique(), "each connection has ports of its own"


def test_a_replay_of_what_came_decides_as_the_queue_did(tmp_path):
    result = run(scenario(FIFO, loss="0%"), seed=2)
    files = {file.name: file for file in result.write_pcap(tmp_path)}
    queue = result.queue.filter(pl.col("link") == "neck")
    sent = result.packets.filter(pl.col("link") == "neck")

    back = replay(files["neck.in.pcapng"], queue="fifo:limit=40p", rate="5Mbit").decisions

    assert (back["decision"] == "dropped").sum() == queue["drops_packets"].item() > 0
    left = back["departure_s"].drop_nulls().sort()[: sent.height]
    assert left.to_list() == pytest.approx((sent["time_s"] - sent["time_s"][0]).to_list(), abs=1e-9)


def test_the_study_directory_keeps_the_files(tmp_path):
    short = scenario().set("duration", "1s")
    first = run(short, out=tmp_path / "study")
    [again] = [result for _, result in load_study(tmp_path / "study").results]

    kept = {file.name: file.read_bytes() for file in again.write_pcap(tmp_path / "again")}
    assert {file.name: file.read_bytes() for file in first.write_pcap(tmp_path / "first")} == kept
    assert {file.parent.name for file in first.captures.values()} == {"pcap"}
    # The same scenario and seed give the same bytes.
    assert kept == dict(run(short).captures)


def test_nothing_is_captured_that_is_not_asked_for(tmp_path):
    result = run(scenario().set("record.pcap", False).set("duration", "1s"))

    assert result.captures == {}
    with pytest.raises(ValueError, match="Record\\(pcap=True\\)"):
        result.write_pcap(tmp_path / "none")
    assert not (tmp_path / "none").exists()
    assert Record(pcap=True).to_dict() == {"pcap": True}
    with pytest.raises(ScenarioError, match=r"record\.pcap"):
        scenario().set("record.pcap", "often")


def test_capturing_changes_no_result():
    quiet = scenario().set("record.pcap", False).set("duration", "5s")
    loud = scenario().set("duration", "5s")
    assert run(quiet).flow.equals(run(loud).flow)
