"""Recorded fates: the arrivals at a queue of Linux, and the queue's decisions, in one small file.

A file is compressed with xz. Its first line is JSON: the kernel's version, a hash of its configuration, tc's words
for the queue, and how many calls and packets there are. The columns of numbers follow, each as long as the line says.
Columns in `wide` there have numbers of 32 bits with a sign, and those in `widest` of 64: silences of seconds, for
example.

- For each call, in order: `kind` (0 a packet comes, 1 the link asks for a packet, 2 the queue's timer has run),
  `after` (nanoseconds since the call before), `draws` (random numbers drawn in it), `gone` (packets that vanished in
  it).
- For each time that the link asks: `empty` (1 if it got nothing).
- For each packet that comes: `flow`, `size`, `ecn`, `hash`.
- For each packet that leaves: `left` (its number, less that of the one before it), `field` (its ECN field then).

If they have values, and never in recordings of earlier versions: for each packet that comes
`dscp` and `ack` (0 for all but acknowledgements without data; ACK 1, ECE 2, CWR 4); and for these their values in
relation to the one before of the same flow: `acked` (bytes more), `echoed` (the timestamp's difference), and `from0`,
`to0` to `to2`, the SACK blocks in relation to the acknowledgement (0 and 0 is none). The first line says `hosts`, of
each flow the hashes of source and target, and `memory`, the pairs of sizes and of bytes that the kernel counted for a
packet and its buffer.
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
        *(("size", "<u4"), ("flow", "<u2"), ("kind", "u1"), ("ecn", "u1"), ("dscp", "u1"), ("ack", "u1")),
        *(("pad", "V2"), ("memory", "<u4"), ("source", "<u4"), ("target", "<u4")),
        *(("acked", "<u4"), ("told", "<u4"), ("echoed", "<u4"), ("sack", "<u4", 6)),
    ]
)
MOST = 1 << 20
COLUMNS = {
    "kind": "u1", "after": "<u4", "draws": "u1", "gone": "<u2",
    "flow": "<u2", "size": "<u2", "ecn": "u1", "hash": "<u4",
    "empty": "u1", "left": "<i4", "field": "u1",
    "dscp": "u1", "ack": "u1", "acked": "<i4", "echoed": "<i4",
    "from0": "<i4", "to0": "<i4", "from1": "<i4", "to1": "<i4", "from2": "<i4", "to2": "<i4",
}  # fmt: skip
# By the name of the list in the first line; the first kind in which all numbers fit is taken.
WIDER = {"wide": "<i4", "widest": "<i8"}
# These are kept where one of them is not zero.
OPTIONAL = ("dscp", "ack", "acked", "echoed", "from0", "to0", "from1", "to1", "from2", "to2")
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
        """The time of each call, in nanoseconds since the machine was started."""
        return np.cumsum(self.columns["after"]) + int(str(self.about["start_ns"]))

    @property
    def left(self) -> Numbers:
        """Numbers of the packets that left, from 0, in order."""
        return np.cumsum(self.columns["left"])


def of_calls(path: Path, about: dict[str, object], *, tree: bool = False, keep_vain: bool = False) -> Fates:
    """The output of tap.h, of a `tree` of classes or of one queue; with `keep_vain` also calls that got nothing."""
    calls = np.fromfile(path, CALL)
    if len(calls) >= MOST:
        raise ValueError(f"{path}: the tap was full after {MOST} calls; record a shorter run")
    come, asked = calls["kind"] == ord("E"), calls["kind"] == ord("D")
    gives = asked & (calls["packet"] > 0)
    # A shaper that holds a packet back is asked and gives nothing: CAKE decides nothing then.
    before = np.concatenate([[0], calls["waiting"][:-1].astype(np.int64)])
    gone = before + come - gives - calls["waiting"].astype(np.int64)
    vain = asked & ~gives & (gone == 0) & (calls["waiting"] > 0) & (not keep_vain)
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
    columns |= arrivals(calls[come])
    if calls["source"].any():
        at = [int(np.argmax(columns["flow"] == number)) for number in range(len(flows))]
        about["hosts"] = [[int(calls[come][name][place]) for name in ("source", "target")] for place in at]
        sizes = zip(calls["size"][come].tolist(), calls["memory"][come].tolist(), strict=True)
        about["memory"] = sorted(set(sizes))
    about = {**about, "calls": len(calls), "packets": int(come.sum()), "start_ns": int(times[0])}
    if tree:
        about["ports"] = [int(port) for port in flows[np.argsort(order)]]
    kept = {name: column for name, column in columns.items() if name not in OPTIONAL or column.any()}
    return Fates(about, {name: column.astype(np.int64) for name, column in kept.items()})


def arrivals(calls: npt.NDArray[np.void]) -> dict[str, Numbers]:
    """Further fields of packets that come."""
    columns = {name: calls[name].astype(np.int64) for name in ("dscp", "ack")}
    ack = columns["ack"] > 0
    sack = calls["sack"].astype(np.int64)
    # Numbers of 32 bits that go round, as distances.
    ends = (sack - calls["acked"].astype(np.int64)[:, None] + 2**31) % 2**32 - 2**31
    ends[(sack[:, 0::2] == sack[:, 1::2]).repeat(2, axis=1)] = 0
    for name in ("acked", "echoed"):
        columns[name] = np.zeros(len(calls), np.int64)
        for flow in np.unique(calls["flow"][ack]):
            of = ack & (calls["flow"] == flow)
            values = calls[name][of].astype(np.int64)
            columns[name][of] = (np.diff(values, prepend=values[:1]) + 2**31) % 2**32 - 2**31
    return columns | {
        f"{end}{block}": np.where(ack, ends[:, 2 * block + side], 0)
        for block in range(3)
        for side, end in enumerate(("from", "to"))
    }


def write(path: Path, fates: Fates) -> None:
    """Writes a file of fates."""
    wider: dict[str, list[str]] = {}
    kinds = {name: kind for name, kind in COLUMNS.items() if name in fates.columns}
    for name in kinds:
        column = fates.columns[name]
        if not fits(column, kinds[name]):
            of = next(of for of, kind in WIDER.items() if fits(column, kind))
            wider.setdefault(of, []).append(name)
            kinds[name] = WIDER[of]
    packed = {name: fates.columns[name].astype(kind) for name, kind in kinds.items()}
    lengths = {name: len(column) for name, column in packed.items()}
    head = json.dumps({**fates.about, **wider, "columns": lengths}).encode() + b"\n"
    # Bytes of the same weight are together, which packs better.
    bodies = (column.view("u1").reshape(len(column), -1).T.tobytes() for column in packed.values())
    path.write_bytes(lzma.compress(head + b"".join(bodies), preset=9 | lzma.PRESET_EXTREME))


def fits(column: Numbers, kind: str) -> bool:
    """Whether numbers are the same in a column of this kind."""
    return np.array_equal(column.astype(kind).astype(np.int64), column)


def read(path: Path) -> Fates:
    """Reads a file of fates."""
    head, rest = lzma.decompress(path.read_bytes()).split(b"\n", 1)
    about = json.loads(head)
    kinds = COLUMNS | {name: kind for of, kind in WIDER.items() for name in about.pop(of, [])}
    columns, at = {}, 0
    for name, length in about.pop("columns").items():
        kind = np.dtype(kinds[name])
        size = length * kind.itemsize
        body = np.frombuffer(rest[at : at + size], "u1").reshape(kind.itemsize, length).T
        columns[name] = np.ascontiguousarray(body).view(kind).reshape(length).astype(np.int64)
        at += size
    return Fates(about, columns)
