"""Recorded fates: what came to a queue of Linux, and what the queue did with it, in one small file.

A file is compressed with xz. Its first line is JSON: the kernel's version, a hash of its configuration, tc's words
for the queue, and how many calls and packets there are. The columns of numbers follow, each as long as the line says.

- Of each call, in order: `kind` (0 a packet comes, 1 the link asks for a packet, 2 the queue's timer has run),
  `after` (nanoseconds since the call before), `draws` (random numbers drawn in it), `gone` (packets that vanished in
  it).
- Of each time that the link asks: `empty` (1 if it got nothing).
- Of each packet that comes: `flow`, `size`, `ecn`, `hash`.
- Of each packet that leaves: `left` (its number, less that of the one before it), `field` (its ECN field then).
"""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

# As tap.h writes a call.
CALL = np.dtype(
    [
        *(
            ("time", "<u8"),
            ("packet", "<u4"),
            ("hash", "<u4"),
            ("backlog", "<u4"),
            ("waiting", "<u4"),
            ("draws", "<u4"),
        ),
        *(("size", "<u2"), ("flow", "<u2"), ("kind", "u1"), ("ecn", "u1"), ("pad", "V6")),
    ]
)
MOST = 1 << 20
COLUMNS = {
    "kind": "u1", "after": "<u4", "draws": "u1", "gone": "<u2",
    "flow": "<u2", "size": "<u2", "ecn": "u1", "hash": "<u4",
    "empty": "u1", "left": "<i4", "field": "u1",
}  # fmt: skip
COMES, ASKED, TIMER = 0, 1, 2


@dataclass(frozen=True)
class Fates:
    """One recording."""

    about: dict[str, object]
    columns: dict[str, Numbers]

    @property
    def calls(self) -> int:
        """How many there are."""
        return len(self.columns["kind"])

    @property
    def packets(self) -> int:
        """How many packets came."""
        return len(self.columns["flow"])

    @property
    def times(self) -> Numbers:
        """Of each call, in nanoseconds since the machine was started."""
        return np.cumsum(self.columns["after"]) + int(str(self.about["start_ns"]))

    @property
    def left(self) -> Numbers:
        """Numbers of the packets that left, from 0, in order."""
        return np.cumsum(self.columns["left"])


def of_calls(path: Path, about: dict[str, object], *, shaped: bool = False) -> Fates:
    """What tap.h wrote; `shaped` where holding a packet back is what the queue decides."""
    calls = np.fromfile(path, CALL)
    if len(calls) >= MOST:
        raise ValueError(f"{path}: the tap was full after {MOST} calls; record a shorter run")
    come, asked = calls["kind"] == ord("E"), calls["kind"] == ord("D")
    gives = asked & (calls["packet"] > 0)
    # A shaper that holds a packet back is asked and gives nothing: nothing is decided then.
    before = np.concatenate([[0], calls["waiting"][:-1].astype(np.int64)])
    gone = before + come - gives - calls["waiting"].astype(np.int64)
    vain = asked & ~gives & (gone == 0) & (calls["waiting"] > 0) & (not shaped)
    calls, come, asked, gives, gone = (column[~vain] for column in (calls, come, asked, gives, gone))
    draws = np.diff(calls["draws"].astype(np.int64), prepend=0)
    times = calls["time"].astype(np.int64)
    flows, flow = np.unique(calls["flow"][come], return_inverse=True)
    first = np.array([int(np.argmax(flow == number)) for number in range(len(flows))])
    order = np.argsort(np.argsort(first))
    left = calls["packet"][gives].astype(np.int64) - 1
    columns = {
        "kind": np.where(come, COMES, np.where(asked, ASKED, TIMER)),
        "after": np.diff(times, prepend=times[:1]),
        "draws": draws,
        "gone": gone,
        "flow": order[flow],
        "size": calls["size"][come].astype(np.int64),
        "ecn": calls["ecn"][come].astype(np.int64),
        "hash": calls["hash"][come].astype(np.int64),
        "empty": ~gives[asked],
        "left": np.diff(left, prepend=0),
        "field": calls["ecn"][gives].astype(np.int64),
    }
    about = {**about, "calls": len(calls), "packets": int(come.sum()), "start_ns": int(times[0])}
    if shaped:
        about["ports"] = [int(port) for port in flows[np.argsort(order)]]
    return Fates(about, {name: column.astype(np.int64) for name, column in columns.items()})


def write(path: Path, fates: Fates) -> None:
    """Writes a file of fates."""
    packed = {name: fates.columns[name].astype(kind) for name, kind in COLUMNS.items()}
    for name, column in packed.items():
        if not np.array_equal(column.astype(np.int64), fates.columns[name]):
            raise ValueError(f"{path}: {name} does not fit into {COLUMNS[name]}")
    lengths = {name: len(column) for name, column in packed.items()}
    head = json.dumps({**fates.about, "columns": lengths}).encode() + b"\n"
    # Bytes of the same weight stand together, which packs better.
    bodies = (column.view("u1").reshape(len(column), -1).T.tobytes() for column in packed.values())
    path.write_bytes(lzma.compress(head + b"".join(bodies), preset=9 | lzma.PRESET_EXTREME))


def read(path: Path) -> Fates:
    """Reads a file of fates."""
    head, rest = lzma.decompress(path.read_bytes()).split(b"\n", 1)
    about = json.loads(head)
    columns, at = {}, 0
    for name, length in about.pop("columns").items():
        kind = np.dtype(COLUMNS[name])
        size = length * kind.itemsize
        body = np.frombuffer(rest[at : at + size], "u1").reshape(kind.itemsize, length).T
        columns[name] = np.ascontiguousarray(body).view(kind).reshape(length).astype(np.int64)
        at += size
    return Fates(about, columns)
