"""Arrivals at a queue of ours in a closed loop, and a link that follows it; for laws that look at senders' signals.

Times are microseconds, in which a link of 8 Mbit/s sends a byte.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import polars as pl

import sojourn

SECOND = 1_000_000

Left = tuple[float, int, int]
"""When a packet leaves, its flow, and its size."""
Lost = tuple[float, int, str]
"""When a packet is dropped, its flow, and why."""


def link_table(name: str, ends: str, rate: str, delay: str, more: str = "") -> str:
    """A link of a scenario file, its ends as "from to"."""
    source, sink = ends.split()
    lines = [f'from = "{source}"', f'to = "{sink}"', f'rate = "{rate}"', f'delay = "{delay}"', more]
    return "\n".join(["[[link]]", f'name = "{name}"', *lines, "\n"])


@dataclass(frozen=True, eq=False)
class Arrival:
    """A packet that comes to a queue."""

    time: float
    size: int
    flow: int


class Line(Protocol):
    """The law that decides over a queue before a link."""

    due: float
    """When `look` is called next."""

    def comes(self, now: float, packet: Arrival) -> str | None:
        """Why a packet is dropped."""

    def serve(self, now: float) -> Arrival | None:
        """The packet that goes next; the link is idle without."""

    def look(self, now: float) -> bool:
        """`due` has come; sets the next, and says whether a packet may go that might not before."""


def arrivals(result: sojourn.Result, link: str, until_s: float = math.inf) -> list[Arrival]:
    """The arrivals at the queue; packets still waiting at the end are in neither table."""
    sent = result.packets.filter(pl.col("link") == link)
    lost = result.drops.filter((pl.col("link") == link) & (pl.col("event") == "drop"))
    # To whole nanoseconds, which ours counts.
    times = (sent["time_s"] * 1e9).round() - (sent["sojourn_ms"] * 1e6).round()
    came = [Arrival(at / 1e3, *rest) for at, *rest in zip(times, sent["size_bytes"], sent["flow"], strict=True)]
    came += [
        Arrival(round(at * 1e9) / 1e3, size, flow)
        for at, size, flow in lost.select("time_s", "size_bytes", "flow").iter_rows()
    ]
    came.sort(key=lambda packet: packet.time)
    return [packet for packet in came if packet.time < until_s * SECOND]


def decisions(result: sojourn.Result, link: str) -> tuple[list[Left], list[Lost]]:
    """Our decisions, to nanoseconds."""
    sent = result.packets.filter(pl.col("link") == link).select("time_s", "flow", "size_bytes")
    lost = result.drops.filter((pl.col("link") == link) & (pl.col("event") == "drop"))
    return (
        [(round(at * 1e6, 3), flow, size) for at, flow, size in sent.iter_rows()],
        [(round(at * 1e6, 3), flow, why) for at, flow, why in lost.select("time_s", "flow", "reason").iter_rows()],
    )


def follow(line: Line, packets: list[Arrival]) -> tuple[list[Left], list[Lost]]:
    """The fates of the packets. At one moment first the link becomes free, then `due` comes, then packets arrive."""
    left: list[Left] = []
    lost: list[Lost] = []
    free_at = math.inf

    def serve(now: float) -> None:
        nonlocal free_at
        packet = line.serve(now)
        free_at = math.inf
        if packet is not None:
            left.append((round(now, 3), packet.flow, packet.size))
            # To whole nanoseconds, so that events at one moment in ours are so here.
            free_at = round(now + packet.size, 3)

    for packet in packets:
        while min(free_at, line.due) <= packet.time:
            due = line.due
            if free_at <= due:
                serve(free_at)
            elif line.look(due) and free_at == math.inf:
                serve(due)
        reason = line.comes(packet.time, packet)
        if reason is not None:
            lost.append((round(packet.time, 3), packet.flow, reason))
        if free_at == math.inf:
            # After a drop the link is idle on.
            serve(packet.time)
    return left, lost


def differences(got: tuple[list[Left], list[Lost]], expected: tuple[list[Left], list[Lost]]) -> str:
    """The first differences, of the packets that left and of those that were dropped."""
    found = []
    for what, ours, theirs in zip(("left", "dropped"), got, expected, strict=True):
        first = next((n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), None)
        if first is not None:
            found.append(f"{what} {first} of {len(theirs)}: {ours[first]}, {theirs[first]}")
        elif len(ours) < len(theirs):
            found.append(f"{what}: {len(ours)} of {len(theirs)}")
    return "; ".join(found)
