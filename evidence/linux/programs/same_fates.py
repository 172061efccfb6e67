"""Replays recorded fates through Sojourn's queues, and counts the packets whose fate differs.

    python evidence/linux/programs/same_fates.py [PATTERN]        one line for each recording

A packet's decision is where it ends: the call in which it leaves, and its ECN field then, or that it never leaves.
One decision that differs usually has others in its wake, so that the first one is shown. The moments of losses are
compared, too: a call differs if another number of packets vanishes in it.
"""

from __future__ import annotations

import fnmatch
import sys
from dataclasses import dataclass
from typing import Any

import fates
import numpy as np
import places
from fates import ASKED, COMES, TIMER, Fates, Numbers
from recorded import Queue
from recorded_edges import QUEUES, RECORDED

from sojourn import _core

FOLDER = places.RECORDINGS / "queues"
FLOW_QUEUES = 1024
NOBODY = "999999"
# Of a clock that begins with the queue's timer: PIE's unit of time is 64 ns, so that the shift is a multiple of it.
TICK = 64
SPAN = 1 << 31


@dataclass(frozen=True)
class Comparison:
    """One recording, the kernel and Sojourn."""

    name: str
    packets: int
    dropped: tuple[int, int]
    marked: tuple[int, int]
    differ: int
    # Calls in which another number of packets vanishes.
    moments: int
    # Number of the first packet that differs, and its fates there and here.
    first: tuple[int, str, str] | None

    def __str__(self) -> str:
        text = (
            f"{self.name:28s} {self.packets:7d} packets, dropped {self.dropped[0]} {self.dropped[1]}, "
            f"marked {self.marked[0]} {self.marked[1]}, differ {self.differ}, moments {self.moments}"
        )
        return text + (f" (first: packet {self.first[0]}: {self.first[1]}; here {self.first[2]})" if self.first else "")


def ends(recorded: Fates) -> tuple[Numbers, Numbers]:
    """For each packet the call in which it left, -1 if it did not, and its ECN field then."""
    left, field = np.full(recorded.packets, -1), np.full(recorded.packets, -1)
    gives = np.flatnonzero(recorded.columns["kind"] == ASKED)[recorded.columns["empty"] == 0]
    left[recorded.left] = gives
    field[recorded.left] = recorded.columns["field"]
    return left, field


def clock(recorded: Fates, queue: Queue) -> Numbers:
    """Times of the calls as Sojourn's queue has them."""
    if not queue.first_timer:
        return recorded.times
    timer = recorded.times[np.argmax(recorded.columns["kind"] == TIMER)]
    return recorded.times - (int(timer) - queue.first_timer) // TICK * TICK


def by_port(value: str, recorded: Fates) -> str:
    """A setting whose {0} to {3} are replaced by the flows whose port has this remainder by four."""
    for rest in range(4):
        if f"{{{rest}}}" in value:
            ports = recorded.about["ports"]
            assert isinstance(ports, list)
            flows = [str(flow) for flow, port in enumerate(ports) if port % 4 == rest]
            value = value.replace(f"{{{rest}}}", ",".join(flows) or NOBODY)
    return value


def bodies(recorded: Fates) -> Numbers:
    """For each packet: 0 a datagram, 1 a segment of TCP, 2 an acknowledgement, with 4 for ECE and 8 for CWR, 3 any
    other packet to a sender.
    """
    if "datagrams" in str(recorded.about["traffic"]):
        return np.zeros(recorded.packets, np.int64)
    if not goes_back(recorded):
        return np.ones(recorded.packets, np.int64)
    ack = recorded.columns["ack"]
    return np.where(ack > 0, 2 + (ack >> 1) * 4, 3)


def goes_back(recorded: Fates) -> bool:
    """Whether the queue is on the way of acknowledgements, where the sender of a packet is the receiver of its flow."""
    ack = recorded.columns.get("ack")
    return ack is not None and float(np.mean(ack > 0)) > 0.5


def acknowledgements(recorded: Fates) -> tuple[Numbers, Numbers, Numbers]:
    """For each packet the byte that it acknowledges, the time that it echoes in nanoseconds, and its SACK blocks."""
    columns = recorded.columns
    acked, echoed, sack = (np.zeros((recorded.packets, *more), np.int64) for more in ((), (), (6,)))
    if "ack" not in columns:
        return acked, echoed, sack
    nothing = np.zeros(recorded.packets, np.int64)
    for flow in np.unique(columns["flow"]):
        of = (columns["flow"] == flow) & (columns["ack"] > 0)
        # No acknowledgement is below the first one by more, even if it comes again.
        acked[of] = SPAN + np.cumsum(columns.get("acked", nothing)[of])
        echoed[of] = (SPAN + np.cumsum(columns.get("echoed", nothing)[of])) * 1_000_000
    for block in range(3):
        begins, ends = (columns.get(f"{end}{block}", nothing) for end in ("from", "to"))
        # A report of duplicate data is below the acknowledgement: its distance, and one.
        twice = begins < 0
        sack[:, 2 * block] = np.where(twice, -begins, begins)
        sack[:, 2 * block + 1] = np.where(twice, 1, ends)
    return acked, echoed, sack


def ours(recorded: Fates, queue: Queue) -> dict[str, Any]:
    """The decisions of Sojourn's queue in the same calls, and its probes at the end."""
    kind = recorded.columns["kind"]
    come = kind == COMES

    def of_packets(values: Numbers) -> Numbers:
        column = np.zeros(len(kind), np.int64)
        column[come] = values
        return column

    def known(name: str) -> Numbers:
        return of_packets(recorded.columns[name]) if name in recorded.columns else np.zeros(len(kind), np.int64)

    flows, places, queues = recorded.columns["flow"], None, 0
    if queue.hashing != "none":
        # A sender changes its hash after a timeout: a flow of the queue is a hash.
        hashes, flows = np.unique(recorded.columns["hash"], return_inverse=True)
        settings = dict(queue.settings)
        queues = int(settings.get("flows", settings.get("queues", FLOW_QUEUES))) if queue.hashing != "digits" else 0
        # Linux scales a hash of 32 bits to the number of queues, or takes its last digits.
        of_hash = {"queues": (hashes * queues) >> 32, "mask": hashes & (queues - 1), "digits": hashes}[queue.hashing]
        places = [int(place) for place in of_hash]
    hosts = None
    if "hosts" in recorded.about:
        of_flows = np.array(recorded.about["hosts"])
        first = np.unique(flows, return_index=True)[1]
        pairs = of_flows[recorded.columns["flow"][first]]
        hosts = [tuple(pair) for pair in (pairs[:, ::-1] if goes_back(recorded) else pairs).tolist()]
    site = {
        "queue": queue.name,
        "preset": queue.preset,
        "settings": [(name, by_port(value, recorded)) for name, value in queue.settings],
        "rate": str(recorded.about["rate"]),
        "base_rtt": "40ms",
        "mean_packet": f"{queue.mtu + 14}B",
    }
    times = clock(recorded, queue)
    acks, echoes, sack = acknowledgements(recorded)
    come_sack = np.zeros((len(kind), 6), np.int64)
    come_sack[come] = sack
    # Before the first timer the clock may have begun earlier than Sojourn's.
    recording = {
        "kind": kind,
        "time_ns": np.maximum(times, 0),
        "draws": recorded.columns["draws"],
        "flow": of_packets(flows),
        "size": of_packets(recorded.columns["size"]),
        "ecn": of_packets(recorded.columns["ecn"]),
        "dscp": known("dscp"),
        "body": of_packets(bodies(recorded)),
        "ack": of_packets(acks),
        "echo_ns": of_packets(echoes),
        "sack": come_sack,
    }
    numbering = {"places": places, "queues": queues, "hosts": hosts}
    return _core.replay_calls(site, recording, "kernel", numbering)


def compare(name: str, recorded: Fates, queue: Queue) -> Comparison:
    """Counts differences."""
    left, field = ends(recorded)
    found = ours(recorded, queue)
    differs = (left != found["left"]) | (field != found["field"])
    ecn = recorded.columns["ecn"]

    def text(call: int, mark: int, number: int) -> str:
        if call < 0:
            return "dropped or waits"
        return f"left in call {call}" + (", marked" if mark == 3 and ecn[number] != 3 else "")

    first = None
    if differs.any():
        number = int(np.argmax(differs))
        theirs = text(int(left[number]), int(field[number]), number)
        first = (number, theirs, text(int(found["left"][number]), int(found["field"][number]), number))
    marks = [int(((column == 3) & (ecn != 3)).sum()) for column in (field, found["field"])]
    gone = recorded.columns["gone"], np.bincount(found["gone"][found["gone"] >= 0], minlength=recorded.calls)
    return Comparison(
        name,
        recorded.packets,
        (int(gone[0].sum()), int(gone[1].sum())),
        (marks[0], marks[1]),
        int(differs.sum()),
        int((gone[0] != gone[1]).sum()),
        first,
    )


def main(pattern: str = "*") -> None:
    """The command."""
    for name, (queue, _) in RECORDED.items():
        path = FOLDER / f"{name}.xz"
        if fnmatch.fnmatch(name, pattern) and path.exists():
            print(compare(name, fates.read(path), QUEUES[queue]), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:2])
