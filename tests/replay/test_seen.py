"""A queue in a replay sees of a packet what Linux's queues see: its hosts, the flow in a tunnel, acknowledgements."""

import polars as pl
import pytest

from helpers.frames import acknowledgement, ethernet, ip4, udp, write_pcap
from sojourn import Scenario, ScenarioError, replay, run

SERVER = "198.51.100.1"
# One flow of the first host and nine of the second, each of 2 Mbit/s for 2 s.
HOSTS = ["10.0.0.10", *["10.0.0.11"] * 9]


def two_hosts(server=lambda _: SERVER):
    """Times, flows and packets of 1000 bytes."""
    times = sorted((1000 + packet * 0.004 + flow * 0.0004, flow) for flow in range(10) for packet in range(500))
    return [(time, flow, ip4(HOSTS[flow], server(flow), 17, udp(5000 + flow, 443, 972))) for time, flow in times]


def as_capture(path, server=lambda _: SERVER):
    return write_pcap(path, 1, [(time, ethernet(packet)) for time, _, packet in two_hosts(server)], snap=60)


def as_table():
    rows = two_hosts()
    return pl.DataFrame(
        {
            "time_s": [round(time - 1000, 6) for time, _, _ in rows],
            "bytes": [len(packet) for _, _, packet in rows],
            "flow": [f"udp {HOSTS[flow]}:{5000 + flow} > {SERVER}:443" for _, flow, _ in rows],
            "source": [HOSTS[flow] for _, flow, _ in rows],
            "destination": [SERVER] * len(rows),
        }
    )


def cake(isolation):
    return f"cake:preset=linux,tins=besteffort,isolation={isolation}"


# COBALT's interval: a flow that is new beside others may lose a packet in it.
OPENING_S = 0.1


def by_flow(result):
    """Drops by flow, after the opening."""
    decisions = result.decisions.filter(pl.col("time_s") > OPENING_S).group_by("flow")
    return dict(decisions.agg((pl.col("decision") == "dropped").sum()).rows())


def sent_mbps(result, host):
    """Packets that a host sent from the opening to the last arrival."""
    decisions = result.decisions.filter(pl.col("flow").str.contains(f" {host}:"))
    sent = decisions.filter(pl.col("sent_s").is_between(OPENING_S, 2.0))["size_bytes"].sum()
    return sent * 8 / (2.0 - OPENING_S) / 1e6


@pytest.mark.parametrize("isolation", ["dual-srchost", "srchost", "triple-isolate"])
def test_hosts_of_a_capture_have_equal_shares_of_cake(tmp_path, isolation):
    # Max-min: of 10 Mbit/s each host may have 5. The first asks for 2 and gets them; the second asks for 18.
    # triple-isolate takes the side on which a host has more flows (Linux 6.12 cake_get_flow_quantum: the maximum of
    # both), so that there each flow goes to a server of its own.
    def server(flow):
        return f"198.51.100.{flow}" if isolation == "triple-isolate" else SERVER

    result = replay(as_capture(tmp_path / "hosts.pcap", server), queue=cake(isolation), rate="10Mbit")

    dropped = by_flow(result)
    first = min(dropped)
    assert first.startswith("udp 10.0.0.10:5000 > ")
    assert dropped[first] == 0
    # Three packets of 475, and of 1900, may wait or be on the way at the ends of the time.
    assert sent_mbps(result, "10.0.0.10") == pytest.approx(2, rel=0.007)
    assert sent_mbps(result, "10.0.0.11") == pytest.approx(8, rel=0.007)


UDP = """
transport = { kind = "udp", packet = "1000B" }
app = { kind = "cbr", rate = "2Mbit", packet = "1000B" }
to = "s"
"""
NODES = f"""
duration = "2s"
node = [{{ name = "a" }}, {{ name = "b" }}, {{ name = "r" }}, {{ name = "s" }}]
record = {{ pcap = true }}
[[link]]
name = "up"
from = "r"
to = "s"
rate = "10Mbit"
delay = "1ms"
queue = {{ kind = "cake", preset = "linux", tins = "besteffort", isolation = "dual-srchost" }}
[[link]]
from = "a"
to = "r"
rate = "1Gbit"
delay = "1ms"
[[link]]
from = "b"
to = "r"
rate = "1Gbit"
delay = "1ms"
[[flow]]
name = "one"
from = "a"{UDP}
[[flow]]
name = "nine"
count = 9
start = {{ spread = "4ms" }}
from = "b"{UDP}
"""


def test_a_capture_of_a_run_between_nodes_has_their_hosts(tmp_path):
    # The flow of the first node gets what it asks for in the run, and in a replay of its capture.
    ran = run(Scenario.from_toml(NODES), seed=1)
    capture = tmp_path / "up.in.pcapng"
    capture.write_bytes(ran.captures["up.in.pcapng"])

    result = replay(capture, queue=cake("dual-srchost"), rate="10Mbit")

    dropped = by_flow(result)
    sources = {flow.split()[1].split(":")[0] for flow in dropped}
    assert sources == {"10.0.0.1", "10.0.0.2"}
    assert {flow.split()[3].split(":")[0] for flow in dropped} == {"10.0.0.4"}
    (first,) = (flow for flow in dropped if "10.0.0.1:" in flow)
    assert dropped[first] == 0
    assert min(drops for flow, drops in dropped.items() if flow != first) > 100


def test_flows_to_one_server_share_equally_under_triple_isolation(tmp_path):
    dropped = by_flow(replay(as_capture(tmp_path / "hosts.pcap"), queue=cake("triple-isolate"), rate="10Mbit"))

    assert min(dropped.values()) > 100


def test_flows_have_equal_shares_where_cake_does_not_ask_for_hosts(tmp_path):
    dropped = by_flow(replay(as_capture(tmp_path / "hosts.pcap"), queue=cake("flows"), rate="10Mbit"))

    assert min(dropped.values()) > 100


def test_a_table_with_hosts_is_decided_as_the_capture(tmp_path):
    for isolation in ("triple-isolate", "dual-srchost", "hosts", "flows"):
        capture = replay(as_capture(tmp_path / "hosts.pcap"), queue=cake(isolation), rate="10Mbit").decisions
        table = replay(as_table(), queue=cake(isolation), rate="10Mbit").decisions

        assert table.drop("record", "time_s", "decision_s").equals(capture.drop("record", "time_s", "decision_s"))


BETWEEN_NODES = """
duration = "2s"
warmup = "0.1s"
node = [{ name = "a" }, { name = "b" }, { name = "r" }, { name = "s" }]
link = [
    { from = "a", to = "r", rate = "1Gbit", delay = "1ms", queue = "fifo" },
    { from = "b", to = "r", rate = "1Gbit", delay = "1ms", queue = "fifo" },
    { from = "r", to = "s", name = "up", rate = "10Mbit", delay = "1ms", queue = QUEUE },
]
[[flow]]
name = "one"
from = "a"
to = "s"
transport = { kind = "udp", packet = "1000B" }
app = { kind = "cbr", rate = "2Mbit", packet = "1000B" }
[[flow]]
name = "nine"
count = 9
from = "b"
to = "s"
transport = { kind = "udp", packet = "1000B" }
app = { kind = "cbr", rate = "2Mbit", packet = "1000B" }
start = { spread = "4ms" }
"""


def test_a_scenario_between_nodes_gives_its_hosts_the_same_shares(tmp_path):
    queue = '{ kind = "cake", preset = "linux", tins = "besteffort", isolation = "dual-srchost" }'
    flows = run(Scenario.from_toml(BETWEEN_NODES.replace("QUEUE", queue)), seed=1).flow
    replayed = replay(as_capture(tmp_path / "hosts.pcap"), queue=cake("dual-srchost"), rate="10Mbit")

    # Of 1000 bytes 28 are headers. Some packets wait or are on the way at the ends of the time: 3 of 475, and of 1900.
    got = dict(flows.group_by("group").agg(pl.col("goodput_bps").sum()).rows())
    assert got["one"] / 972e3 == pytest.approx(2, rel=0.007)
    assert got["nine"] / 972e3 == pytest.approx(8, rel=0.007)
    assert sent_mbps(replayed, "10.0.0.10") == pytest.approx(2, rel=0.007)
    assert sent_mbps(replayed, "10.0.0.11") == pytest.approx(8, rel=0.007)


def test_a_table_without_hosts_says_so_to_cake_alone():
    table = as_table().drop("source", "destination").head(20)

    def notes(queue):
        return replay(table, queue=queue, rate="10Mbit").notes()

    assert notes(cake("dual-srchost")) == [
        "cake: each flow has two hosts of its own, since the table has no columns source and destination"
    ]
    assert notes(cake("flows")) == notes("fq_codel") == []
    filtered = notes("cake:isolation=flows,ack_filter=filter")
    assert filtered[0].startswith("cake: nothing is filtered, since no acknowledgement of TCP was read")


def test_a_flow_of_a_table_runs_between_two_hosts():
    table = pl.DataFrame({"time_s": [0.0, 1.0], "bytes": [1, 1], "flow": ["a", "a"], "source": ["x", "y"]})

    with pytest.raises(ScenarioError, match='line 3: the flow "a" has another source or destination than in its first'):
        replay(table, queue="fifo", rate="1Mbit")


def acknowledgements(path, *, gap_us=100, count=1000, options=lambda _: b""):
    numbers = ((n, acknowledgement(5000, 443, 1000 + n * 2896, options(n))) for n in range(count))
    frames = [(1000 + n * gap_us / 1e6, ethernet(ip4("10.0.0.10", SERVER, 6, segment))) for n, segment in numbers]
    return write_pcap(path, 1, frames)


def filtered_by_the_kernels_rule(*, gap_us=100, send_us=320, count=1000):
    """One that finds two waiting, both superfluous, drops the older; 40 bytes take 320 us at 1 Mbit/s."""
    waiting, free_at, filtered = 0, 0, 0
    for now in range(0, count * gap_us, gap_us):
        while waiting and free_at <= now:
            waiting, free_at = waiting - 1, free_at + send_us
        if waiting >= 2:
            waiting, filtered = waiting - 1, filtered + 1
        if not waiting and free_at <= now:
            free_at = now + send_us
        else:
            waiting += 1
    return filtered


FILTERING = "cake:preset=linux,ack_filter=filter,bandwidth=1Mbit"


def test_acknowledgements_of_a_capture_are_filtered(tmp_path):
    result = replay(acknowledgements(tmp_path / "acks.pcap"), queue=FILTERING, rate="1Gbit")

    assert filtered_by_the_kernels_rule() == 685
    assert result.reasons.rows() == [("drop", "ack_filter", 685)]
    # Three of 0.32 ms are before one at most.
    assert result.summary["sojourn_max_ms"].item() <= 0.97


def test_a_capture_with_cut_headers_says_that_nothing_is_filtered(tmp_path):
    path = acknowledgements(tmp_path / "acks.pcap")
    cut = tmp_path / "cut.pcap"
    # 24 bytes of the file's header; then each frame with 16 bytes of its own, and 54 of which 50 stay.
    data = path.read_bytes()
    frames = [data[at : at + 70] for at in range(24, len(data), 70)]
    cut.write_bytes(data[:24] + b"".join(frame[:8] + b"\x32\0\0\0" + frame[12:66] for frame in frames))

    result = replay(cut, queue=FILTERING, rate="1Gbit")

    assert result.reasons.filter(reason="ack_filter").is_empty()
    assert result.notes()[0].startswith("cake: nothing is filtered, since no acknowledgement of TCP was read")


def test_acknowledgements_that_say_something_else_are_kept(tmp_path):
    def dropped(options):
        path = acknowledgements(tmp_path / "acks.pcap", options=options)
        reasons = replay(path, queue=FILTERING, rate="1Gbit").reasons.filter(reason="ack_filter")
        return reasons["packets"].sum()

    # Timestamps that go on (RFC 7323), and that go back; an option that nobody knows (RFC 6994 section 3).
    timed = filtered_by_the_kernels_rule(send_us=416)
    assert dropped(lambda n: bytes([1, 1, 8, 10]) + n.to_bytes(4, "big") + bytes(4)) == timed
    assert dropped(lambda n: bytes([1, 1, 8, 10]) + (9999 - n).to_bytes(4, "big") + bytes(4)) == 0
    assert dropped(lambda _: bytes([253, 4, 1, 1])) == 0
    # A block of SACK that the next one does not have (RFC 2018).
    ends = [5_000_000, 5_000_005]
    assert dropped(lambda n: bytes([1, 1, 5, 10]) + b"".join((end + 9 * n).to_bytes(4, "big") for end in ends)) == 0


GRE = b"\0\0\x08\0"


def bulk_and_call():
    """12 Mbit/s and 40 kbit/s for 2 s: times, ports and data."""
    bulk = [(1000 + n * 0.001, 5001, 1448) for n in range(2000)]
    return sorted([*bulk, *((1000.0003 + n * 0.02, 5002, 72) for n in range(100))])


def inner(port, size):
    return ip4("10.0.0.1", "10.0.1.1", 17, udp(port, 443, size))


TUNNELS = {
    "gre": (24, lambda packet: ip4("192.0.2.1", "192.0.2.2", 47, GRE + packet)),
    "ip in ip": (20, lambda packet: ip4("192.0.2.1", "192.0.2.2", 4, packet)),
}


@pytest.mark.parametrize("tunnel", TUNNELS)
@pytest.mark.parametrize("queue", ["fq_codel", "cake", "sfq", "fq_pie"])
def test_flows_in_a_tunnel_are_told_apart(tmp_path, tunnel, queue):
    longer, around = TUNNELS[tunnel]
    outside = write_pcap(
        tmp_path / "t.pcap", 1, [(at, ethernet(around(inner(*what)))) for at, *what in bulk_and_call()]
    )
    plain = write_pcap(
        tmp_path / "p.pcap", 1, [(at, ethernet(inner(port, size + longer))) for at, port, size in bulk_and_call()]
    )

    inside, without = (replay(path, queue=queue, rate="10Mbit") for path in (outside, plain))

    assert inside.decisions.equals(without.decisions)
    assert inside.decisions["flow"].unique().sort().to_list() == [
        "udp 10.0.0.1:5001 > 10.0.1.1:443",
        "udp 10.0.0.1:5002 > 10.0.1.1:443",
    ]


def test_a_call_in_a_tunnel_does_not_wait_behind_a_transfer(tmp_path):
    frames = [(at, ethernet(TUNNELS["gre"][1](inner(*what)))) for at, *what in bulk_and_call()]
    decisions = replay(write_pcap(tmp_path / "gre.pcap", 1, frames, snap=80), queue="fq_codel", rate="10Mbit").decisions

    call = decisions.filter(pl.col("flow").str.contains(":5002 "))
    assert call.height == 100
    assert set(call["decision"]) == {"enqueued"}
    # A packet of 1500 bytes takes 1.2 ms, and at most one is being sent and one new flow's is before it.
    assert call["sojourn_ms"].max() < 2.5


def test_fragments_of_a_datagram_are_one_flow_without_ports(tmp_path):
    # Linux 6.12: skb_get_hash does not ask the flow dissector for the ports of first fragments.
    data = udp(5000, 443, 2992)
    parts = [(0x2000, data[:1480]), (0x2000 | 185, data[1480:2960]), (370, data[2960:])]
    frames = [(1000.0, ethernet(ip4("10.0.0.1", "10.0.0.2", 17, part, fragment=fragment))) for fragment, part in parts]

    decisions = replay(write_pcap(tmp_path / "f.pcap", 1, frames), queue="fq_codel", rate="10Mbit").decisions

    assert decisions["flow"].to_list() == ["udp 10.0.0.1 > 10.0.0.2"] * 3
