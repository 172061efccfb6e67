"""Traces of ns-2 as arrivals: those that ns-2 itself writes, and those that we write in its style."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from helpers.shell import sojourn as command
from sojourn import Scenario, ScenarioError, recorded, replay, run
from sojourn.exports import write_ns2_trace

# Two TCP flows, one of which understands marks, and a source of datagrams, through one queue between nodes 2 and 3. The
# delays are such that no packet comes just when another leaves.
TCL = """
set ns [new Simulator]
set f [open out.tr w]
$ns trace-all $f
foreach i {0 1 2 3 4} { set n($i) [$ns node] }
$ns duplex-link $n(0) $n(2) 10Mb 1.7ms DropTail
$ns duplex-link $n(1) $n(2) 10Mb 3.13ms DropTail
$ns duplex-link $n(2) $n(3) 1.5Mb 20ms QUEUE
$ns duplex-link $n(3) $n(4) 10Mb 2.9ms DropTail
$ns queue-limit $n(2) $n(3) 20
foreach i {0 1} {
    set tcp($i) [new Agent/TCP/Sack1]
    $tcp($i) set fid_ [expr $i + 1]
    $tcp($i) set packetSize_ 1000
    $tcp($i) set ecn_ $i
    set sink($i) [new Agent/TCPSink/Sack1]
    $ns attach-agent $n($i) $tcp($i)
    $ns attach-agent $n(4) $sink($i)
    $ns connect $tcp($i) $sink($i)
    set ftp($i) [new Application/FTP]
    $ftp($i) attach-agent $tcp($i)
    $ns at [expr 0.1 + 0.37 * $i] "$ftp($i) start"
}
set udp [new Agent/UDP]
$ns attach-agent $n(0) $udp
set null [new Agent/Null]
$ns attach-agent $n(4) $null
$ns connect $udp $null
set cbr [new Application/Traffic/CBR]
$cbr set packetSize_ 210
$cbr set rate_ 100kb
$cbr attach-agent $udp
$ns at 0.73 "$cbr start"
$ns at 20.0 "$ns flush-trace; close $f; exit 0"
$ns run
"""

HOME = """
duration = "12s"
[dumbbell]
rate = "4Mbit"
delay = "10ms"
[[flow]]
name = "up"
count = 3
start = { spread = "1s" }
transport = { kind = "tcp", ecn = true }
[[flow]]
name = "call"
transport = { kind = "udp" }
app = { kind = "cbr", rate = "64kbit", packet = "200B" }
[[flow]]
name = "down"
direction = "backward"
[record]
packets = true
drops = true
"""


@pytest.fixture(scope="module", params=["DropTail", "RED"])
def made(request, tmp_path_factory) -> Path:
    """A trace by ns-2."""
    if shutil.which("ns") is None:
        pytest.skip("ns-2 is not installed (Debian and Ubuntu: apt install ns2)")
    folder = tmp_path_factory.mktemp("ns2")
    marks = "Queue/RED set setbit_ true\n" if request.param == "RED" else ""
    (folder / "run.tcl").write_text(marks + TCL.replace("QUEUE", request.param))
    subprocess.run(["ns", "run.tcl"], cwd=folder, check=True, capture_output=True)
    return (folder / "out.tr").rename(folder / f"{request.param}.tr")


def lines(trace: Path, event: str, ends: str) -> list[tuple[int, list[str]]]:
    """Number and fields of the lines of an event at a link."""
    numbered = enumerate(map(str.split, trace.read_text().splitlines()), start=1)
    return [(number, line) for number, line in numbered if line[0] == event and line[2:4] == ends.split("-")]


def test_a_drop_tail_queue_sends_and_drops_what_that_of_ns2_does(made):
    if made.stem != "DropTail":
        pytest.skip("RED's drops are drawn")

    decisions = replay(made, queue="fifo:preset=ns2,limit=20p", rate="1.5Mbit", link="2-3").decisions

    came = lines(made, "+", "2-3")
    assert decisions["record"].to_list() == [number for number, _ in came]
    dropped = {line[11] for _, line in lines(made, "d", "2-3")}
    assert len(dropped) > 50
    ours = {line[11] for (_, line), decision in zip(came, decisions["decision"], strict=True) if decision == "dropped"}
    # The last packets of the trace may still wait when ns-2 stops.
    assert ours == dropped
    left = {line[11]: float(line[1]) for _, line in lines(made, "-", "2-3")}
    times = {line[11]: time for (_, line), time in zip(came, decisions["departure_s"], strict=True)}
    assert len(left) > 3000
    assert [times[uid] for uid in left] == pytest.approx(list(left.values()), abs=1e-6)


def test_what_ns2_says_of_packets_is_read(made):
    decisions = replay(made, queue="fifo", rate="1.5Mbit", link="2-3").decisions

    came = lines(made, "+", "2-3")
    assert decisions["size_bytes"].to_list() == [int(line[5]) for _, line in came]
    assert decisions["time_s"].to_list() == pytest.approx([float(line[1]) for _, line in came], abs=1e-9)
    # The first sender does not understand marks, the second does, but for the packet of 40 bytes that opens its
    # connection; datagrams have the flow identifier 0.
    data = decisions.filter(decisions["size_bytes"] != 40)
    fields = data.select("flow", "ecn").unique().rows()
    assert len(fields) == 3
    assert dict(fields) == {"1: 0.0 > 4.0": "not-ect", "2: 1.0 > 4.1": "ect0", "0: 0.1 > 4.2": "not-ect"}


def test_a_mark_of_ns2_is_seen_behind_its_queue(made):
    behind = replay(made, queue="fifo", rate="10Mbit", link="3-4").decisions

    marked = behind.filter(ecn="ce")
    assert (marked.height > 0) == (made.stem == "RED")
    assert set(marked["flow"]) <= {"2: 1.0 > 4.1"}


@pytest.mark.parametrize("queue", ["fifo:limit=40p", "codel:limit=100p", "fq_codel:limit=100p"])
def test_our_own_trace_comes_back_to_the_same_departures(queue, tmp_path):
    result = run(Scenario.from_toml(HOME).with_queue(queue))
    trace = write_ns2_trace(result, tmp_path / "home.tr")

    there = replay(trace, queue=queue, rate="4Mbit", link="0-1").decisions

    # At the end packets wait of which a trace says nothing, and CoDel looks at the backlog.
    before = there.filter(there["departure_s"] < 11.5)
    kept = result.packets.filter(link="forward")
    kept = kept.filter(kept["time_s"] < 11.5)
    assert before.height > 3000
    assert sorted(before["departure_s"]) == pytest.approx(sorted(kept["time_s"]), abs=2e-9)
    assert before["size_bytes"].sum() == kept["size_bytes"].sum()
    lost = result.drops.filter((result.drops["event"] == "drop") & (result.drops["link"] == "forward"))
    assert (
        there.filter(there["decision_s"] < 11.5, decision="dropped").height == lost.filter(lost["time_s"] < 11.5).height
    )


def test_a_trace_is_a_source_too(tmp_path):
    trace = write_ns2_trace(run(Scenario.from_toml(HOME)), tmp_path / "home.tr")

    source = recorded(trace, flow="3: 0.3 > 1.3", link="0-1")

    assert set(source.sizes_bytes) == {200}


def test_of_several_links_one_has_to_be_named(tmp_path):
    trace = write_ns2_trace(run(Scenario.from_toml(HOME)), tmp_path / "home.tr")

    done = command("replay", trace, "--rate", "4Mbit", "--queue", "red,codel")

    assert done.returncode == 2
    assert "this trace has the arrivals at 2 links, and a queue has those of one" in done.stderr
    assert re.search(r"allowed: 0-1 \(\d+ arrivals, \d+ drops\), 2-3 \(\d+ arrivals", done.stderr)
    assert "hint:    name one, as in --link 0-1" in done.stderr
    named = command("replay", trace, "--rate", "4Mbit", "--queue", "red,codel", "--link", "0-1")
    assert named.returncode == 0, named.stderr
    assert "sojourn mean (ms)" in named.stdout


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "+ 1.5 0 1 tcp",
            r"bad.tr: line 2: 5 fields where a line of ns-2's trace has 12\n  found:   \"\+ 1.5 0 1 tcp\"",
        ),
        ("+ soon 0 1 tcp 40 ------- 0 0.0 1.0 0 1", r"bad.tr: line 2: the time is \"soon\"; allowed are seconds"),
        ("! 1.5 0 1 tcp 40 ------- 0 0.0 1.0 0 1", r"line 2: there is no event \"!\""),
    ],
)
def test_a_damaged_line_is_one_message(tmp_path, line, message):
    trace = tmp_path / "bad.tr"
    trace.write_text(f"+ 1.0 0 1 tcp 40 ------- 0 0.0 1.0 0 0\n{line}\n")

    with pytest.raises(ScenarioError, match=message) as error:
        replay(trace, queue="fifo", rate="1Mbit")

    assert "allowed: EVENT TIME FROM TO TYPE SIZE FLAGS FLOW SRC DST SEQ UID" in str(error.value)


def test_a_link_is_chosen_where_there_are_links(tmp_path):
    table = tmp_path / "arrivals.csv"
    table.write_text("time_s,bytes,flow\n0,1000,x\n")

    with pytest.raises(ScenarioError, match="a link is chosen in captures and traces of ns-2, and this is neither"):
        replay(table, queue="fifo", rate="1Mbit", link="0-1")
    trace = tmp_path / "out.tr"
    trace.write_text("+ 1.84375 0 2 cbr 210 ------- 0 0.0 3.1 225 610\n")
    with pytest.raises(ScenarioError, match='"first" is not a link of ns-2\n  allowed: the numbers of its two nodes'):
        replay(trace, queue="fifo", rate="1Mbit", link="first")
