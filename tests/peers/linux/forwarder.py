"""A bottleneck between two TUN devices, in real time.

    python forwarder.py SPECIFICATION

reads a JSON object from that file (see `Specification`), opens the two devices, says `ready` on its output, and carries
IPv4 packets until it gets a line on its input or the input ends. Then it writes its recording, as `seen.read` reads it.
It uses the standard library only.

Packets from the first device wait in a FIFO before a transmitter of the given rate, and reach the second device `delay`
after their last bit. Packets from the second go the same way back, where nothing is dropped. The FIFO holds `limit`
packets besides the one in transmission, and drops arrivals when it is full. The departure of a packet follows from
its arrival alone, so that a late write moves nothing but itself.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import json
import os
import random
import select
import struct
import sys
import time
from collections import deque
from dataclasses import asdict, dataclass
from pathlib import Path

TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001
IFF_NO_PI = 0x1000
CLONE_NEWNET = 0x40000000
HEADERS = 120
"""Bytes kept of each packet: IPv4 and TCP headers with all options."""
CE = 3
PACKET = struct.Struct("!qqBHH")
"""The fields of a recorded packet: arrival and start of transmission (ns), fate, size, bytes of headers that follow."""

PASSED, DROPPED, MARKED = range(3)
"""The fate of a packet."""


@dataclass(frozen=True)
class Specification:
    """The settings of the forwarder."""

    devices: tuple[str, str]
    """Names of the TUN devices."""
    namespaces: tuple[str, str]
    """Where they are: files of network namespaces."""
    rate_bps: float
    """In each direction."""
    delay_s: float
    """One way, in each direction."""
    limit: int
    """Packets that may wait, without the one in transmission."""
    marks: tuple[float, float, float] | None
    """Nothing is marked that finds fewer waiting than the first number, everything from the second on, and between them
    the probability rises from 0 to the third. Data that is not ECN-capable is dropped in place of a mark."""
    seed: int
    """The seed of the random numbers that decide about marks."""
    output: str
    """The file for the recording."""


def main() -> None:
    specification = Specification(**json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    ends = [
        open_tun(device, namespace)
        for device, namespace in zip(specification.devices, specification.namespaces, strict=True)
    ]
    gc.disable()
    print("ready", flush=True)
    forwarder = Forwarder(specification, *ends)
    forwarder.run(sys.stdin.fileno())
    forwarder.write(Path(specification.output))


def open_tun(device: str, namespace: str) -> int:
    """A descriptor of the TUN device in the namespace of that file; this process moves there."""
    libc = ctypes.CDLL(None, use_errno=True)
    with Path(namespace).open("rb") as place:
        if libc.setns(place.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"setns {namespace}")
    end = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TUN | IFF_NO_PI))
    return end


class Forwarder:
    """The queue, the two lines, and the recording. Times in nanoseconds of the monotonic clock."""

    def __init__(self, specification: Specification, near: int, far: int) -> None:
        self.specification = specification
        self.near = near
        self.far = far
        self.per_byte = 8e9 / specification.rate_bps
        self.delay = round(specification.delay_s * 1e9)
        self.free = [0.0, 0.0]
        """When the transmitters are free, forth and back."""
        self.draw = random.Random(specification.seed).random
        self.starts: deque[float] = deque()
        """The start times of the transmissions of waiting packets."""
        self.lines: tuple[deque[tuple[int, bytes]], deque[tuple[int, bytes]]] = (deque(), deque())
        """Packets on their way to the far and to the near end, with their times of arrival."""
        self.seen: tuple[list[tuple[int, int, int, int, bytes]], ...] = ([], [])
        """Packets from the near and from the far end: arrival, start, fate, size, headers."""
        self.late: list[int] = []
        """How much later than due each packet was handed over."""

    def run(self, stop: int) -> None:
        """Carries packets until `stop` can be read."""
        ends = [self.near, self.far, stop]
        forth, back = self.lines
        clock, wait, write, late = time.monotonic_ns, select.select, os.write, self.late.append
        while True:
            due = min(forth[0][0] if forth else 1 << 62, back[0][0] if back else 1 << 62)
            readable = wait(ends, (), (), min(max(due - clock(), 0) / 1e9, 1.0))[0]
            if self.far in readable:
                self.drain(self.far, self.from_far)
            if self.near in readable:
                self.drain(self.near, self.from_near)
            if stop in readable:
                return
            for line, end in ((forth, self.far), (back, self.near)):
                while line and line[0][0] <= (now := clock()):
                    due, packet = line.popleft()
                    late(now - due)
                    write(end, packet)

    def drain(self, end: int, take) -> None:
        """Takes everything that waits at an end."""
        while True:
            try:
                packet = os.read(end, 65535)
            except BlockingIOError:
                return
            take(time.monotonic_ns(), packet)

    def from_near(self, now: int, packet: bytes) -> None:
        starts = self.starts
        while starts and starts[0] <= now:
            starts.popleft()
        size, fate, start = len(packet), PASSED, float(now)
        if self.free[0] > now:
            fate = self.fate(len(starts), packet)
            if fate == DROPPED:
                self.seen[0].append((now, -1, DROPPED, size, packet[:HEADERS]))
                return
            if fate == MARKED:
                packet = marked(packet)
            start = self.free[0]
            starts.append(start)
        self.free[0] = start + size * self.per_byte
        self.lines[0].append((int(self.free[0]) + self.delay, packet))
        self.seen[0].append((now, int(start), fate, size, packet[:HEADERS]))

    def fate(self, waiting: int, packet: bytes) -> int:
        """The fate of a packet that finds this many waiting."""
        if waiting >= self.specification.limit:
            return DROPPED
        marks = self.specification.marks
        if not marks or waiting < marks[0]:
            return PASSED
        least, greatest, most = marks
        if waiting < greatest and self.draw() >= most * (waiting - least) / (greatest - least):
            return PASSED
        if packet[1] & CE:
            return MARKED
        # SYNs and acknowledgements are spared.
        return DROPPED if len(packet) > HEADERS else PASSED

    def from_far(self, now: int, packet: bytes) -> None:
        size = len(packet)
        start = max(self.free[1], now)
        self.free[1] = start + size * self.per_byte
        self.lines[1].append((int(self.free[1]) + self.delay, packet))
        self.seen[1].append((now, int(start), PASSED, size, packet[:HEADERS]))

    def write(self, path: Path) -> None:
        """Writes the recording: a line of JSON, then the packets of both directions."""
        head = {
            "specification": asdict(self.specification),
            "late_us": percentiles(self.late),
            "packets": [len(side) for side in self.seen],
        }
        with path.open("wb") as file:
            file.write(json.dumps(head).encode() + b"\n")
            for side in self.seen:
                for arrival, start, fate, size, headers in side:
                    file.write(PACKET.pack(arrival, start, fate, size, len(headers)) + headers)


def marked(packet: bytes) -> bytes:
    """The IPv4 packet with CE in its ECN field."""
    header = bytearray(packet)
    old = header[0] << 8 | header[1]
    header[1] |= CE
    new = header[0] << 8 | header[1]
    # RFC 1624 equation 3.
    check = (~(header[10] << 8 | header[11]) & 0xFFFF) + (~old & 0xFFFF) + new
    check = (check & 0xFFFF) + (check >> 16)
    check = ~((check & 0xFFFF) + (check >> 16)) & 0xFFFF
    header[10], header[11] = check >> 8, check & 0xFF
    return bytes(header)


def percentiles(late: list[int]) -> dict[str, float]:
    """Statistics of the lateness, in microseconds."""
    if not late:
        return {}
    ordered = sorted(late)
    last = len(ordered) - 1
    return {str(share): ordered[round(share / 100 * last)] / 1e3 for share in (50, 90, 99, 99.9, 100)}


if __name__ == "__main__":
    main()
