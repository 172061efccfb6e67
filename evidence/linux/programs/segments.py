"""Recorded senders: the packets that a sender of Linux heard and sent, and its receiver's, in one small file.

A file is compressed with xz. Its first line is JSON: the job of the kernel, and the length of each column. The columns
of numbers follow.

- For each segment of the flow at one of its ends, in order: `kind` (0 the sender sends, 1 the sender hears, 2 the
  receiver hears, 3 the receiver sends), `after` (nanoseconds since the one before), `flags` (those of TCP's header),
  `ecn` (the field of IP's header).
- For each of the sender's segments (kinds 0 and 2): `seq` (its first byte, less the byte behind the one before of its
  kind), `length`. Of kind 2 one may have no data: it ends the handshake. Older files lack it.
- For each acknowledgement (1 and 3): `ack` (less that of the one before of its kind), `blocks` (how many blocks of
  SACK), `echo` (of kind 1 how many of the sender's segments ago the one left whose timestamp it has).
- For each of these blocks: `from`, `to` (bytes from the acknowledgement).
- For kind 1: `room`, bytes from the acknowledgement up to which there was data that the receiver's window allowed after
  the machine had reacted, where that is little more than the data sent; else 0. Older files lack it.
- For kind 1: `window`, bytes from the acknowledgement that the receiver's window then had. Older files lack it.
- For each segment: `late`, how often 2^32 nanoseconds are to be added to `after`. Older files lack it.
- For kinds 0 and 1: `cwnd`, `ssthresh`, `state` of the sender after the machine had reacted.
"""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

# As guest.c writes a segment.
SEGMENT = np.dtype(
    [
        *(("time", "<u8"), ("seq", "<u4"), ("ack", "<u4"), ("value", "<u4"), ("echo", "<u4"), ("sack", "<u4", (3, 2))),
        *(("length", "<u2"), ("window", "<u2"), ("flags", "u1"), ("ecn", "u1"), ("leaves", "u1"), ("blocks", "u1")),
        *(("cwnd", "<u4"), ("ssthresh", "<u4"), ("srtt", "<u4"), ("rto", "<u4"), ("state", "u1"), ("backoff", "u1")),
        *(("pad", "V2"), ("unsent", "<u4"), ("may", "<u4"), ("end", "V4")),
    ]
)
SENDS, HEARS, COMES, ANSWERS = 0, 1, 2, 3
SYN, PSH, ECE, CWR = 2, 8, 64, 128
# What a pause of 32 bits cannot say.
LATE = 1 << 32
# Linux's threshold before the first loss.
ENDLESS = 0x7FFFFFFF
COLUMNS = {
    "kind": "u1", "after": "<u4", "flags": "u1", "ecn": "u1", "seq": "<i4", "length": "<u2",
    "ack": "<i4", "blocks": "u1", "echo": "<i4", "from": "<i4", "to": "<i4",
    "room": "<u4", "window": "<u4", "late": "u1", "cwnd": "<u2", "ssthresh": "<u2", "state": "u1",
}  # fmt: skip


@dataclass(frozen=True)
class Recorded:
    """One flow. Numbers of bytes count from the first byte of data, as Sojourn's do; a SYN begins there, too."""

    about: dict[str, object]
    kind: Numbers
    time: Numbers
    flags: Numbers
    ecn: Numbers
    # Of all segments, 0 where there is none: first byte and length, acknowledgement, segment that is echoed.
    seq: Numbers
    length: Numbers
    ack: Numbers
    echo: Numbers
    # Of all segments: three blocks, each from and to, counted from the acknowledgement; 0 where there is none.
    sack: Numbers
    room: Numbers
    window: Numbers
    cwnd: Numbers
    ssthresh: Numbers
    state: Numbers

    def of(self, kind: int) -> Numbers:
        """Places of the segments of a kind."""
        return np.flatnonzero(self.kind == kind)


def signed(numbers: Numbers | np.int64) -> Numbers:
    """Differences of numbers that come round after 32 bits."""
    return (np.asarray(numbers) + (1 << 31)) % (1 << 32) - (1 << 31)


def echoed(sends: Numbers, comes: Numbers, answers: Numbers, sent: npt.NDArray[Any]) -> Numbers:
    """For each acknowledgement, the segment whose timestamp it has: the newest of those with this number at which the
    receiver set it (RFC 7323 section 4.3), counted among the sender's segments; an arrival is identified by its number
    and its timestamp.
    """
    numbers: dict[tuple[int, int], list[int]] = {}
    for number, row in enumerate(sends):
        numbers.setdefault((int(sent["seq"][row]), int(sent["value"][row])), []).append(number)
    last, recent, value, found = 0, -1, -1, np.full(len(answers), -1, np.int64)
    order = np.sort(np.concatenate([comes, answers]))
    is_answer, answered = np.isin(order, answers), 0
    for row, answer in zip(order, is_answer, strict=True):
        if answer:
            found[answered] = recent
            answered += 1
            last = int(sent["ack"][row])
            continue
        seq = int(sent["seq"][row])
        if signed(np.int64(seq - last)) <= 0 or value < 0:
            new = int(sent["value"][row])
            if new >= value:
                value = new
                place = numbers.get((seq, new), [-1])
                recent = place.pop(0) if len(place) > 1 else place[0]
    return found


# The rest of the data and of the receiver's window is kept where it is less than a packet of the device.
PACKET = 1 << 16


def rooms(rows: npt.NDArray[Any], kind: Numbers, seq: Numbers, ack: Numbers) -> Numbers:
    """The column `room` of all rows: for each acknowledgement, by the segments sent until the next one came."""
    ends = np.where(kind == SENDS, seq + rows["length"], 0)
    sent = np.maximum.accumulate(ends)
    una = np.maximum.accumulate(np.where(kind == HEARS, ack, 0))
    hears, room = np.flatnonzero(kind == HEARS), np.zeros(len(rows), np.int64)
    # The last row before the next acknowledgement.
    until = np.concatenate([hears[1:], [len(rows)]]) - 1
    # Unsent data are read at some row of the sender's: the largest value counts.
    written = np.where((kind == SENDS) | (kind == HEARS), sent + rows["unsent"].astype(np.int64), 0)
    for place, (row, last) in enumerate(zip(hears, until, strict=True)):
        edge = min(int(written[row : last + 1].max()), int(una[row]) + int(rows["may"][row]))
        edge = max(edge, int(sent[last]))
        if edge - sent[last] < PACKET and place:
            room[row] = edge - ack[row]
    return room


def opening(rows: npt.NDArray[Any], kind: Numbers) -> npt.NDArray[np.bool_]:
    """The row in which the receiver hears the acknowledgement of its answer to the SYN. There is none if the first data
    end the handshake.
    """
    comes = np.flatnonzero((kind == COMES) & (rows["flags"] & SYN == 0))[:1]
    found = np.zeros(len(rows), bool)
    found[comes[rows["length"][comes] == 0]] = True
    return found


class NeverConnectedError(Exception):
    """A flow whose sender heard nothing: there is nothing to record."""


def of_run(out: Path, about: dict[str, object]) -> Recorded:
    """The output of guest.c at both ends."""
    sender, receiver = (np.fromfile(out / f"{end}.segments", SEGMENT) for end in ("sender", "receiver"))
    rows = np.concatenate([sender, receiver])
    kind = np.concatenate(
        [np.where(sender["leaves"] == 1, SENDS, HEARS), np.where(receiver["leaves"] == 1, ANSWERS, COMES)]
    )
    order = np.argsort(rows["time"], kind="stable")
    rows, kind = rows[order], kind[order]
    # Of the sender's acknowledgements the receiver hears the one that ends the handshake. Others say nothing.
    forward = (kind == SENDS) | (kind == COMES)
    data = forward & ((rows["length"] > 0) | (rows["flags"] & SYN > 0))
    opens = opening(rows, kind)
    keep = data | opens | ~forward
    rows, kind, data = rows[keep], kind[keep], data[keep]
    sends, hears, comes, answers = (np.flatnonzero(kind == which) for which in (SENDS, HEARS, COMES, ANSWERS))
    if not len(hears):
        raise NeverConnectedError(f"{about['name']}: the flow never connected, nothing is recorded")
    origin = int(rows["seq"][sends[0]]) + 1
    forward, back = (kind == SENDS) | (kind == COMES), (kind == HEARS) | (kind == ANSWERS)
    seq = np.where(forward, signed(rows["seq"].astype(np.int64) - origin), 0)
    seq[seq < 0] = 0
    ack = np.where(back, signed(rows["ack"].astype(np.int64) - origin), 0)
    sack = signed(rows["sack"].astype(np.int64) - rows["ack"].astype(np.int64)[:, None, None])
    used = np.arange(3)[None, :] < rows["blocks"][:, None]
    sack[~used | ~back[:, None]] = 0
    echo = np.full(len(rows), -1, np.int64)
    told = echoed(sends, comes[data[comes]], answers, rows)
    # Acknowledgements come in the order in which they left, but for those that are lost: none is here.
    if len(answers) < len(hears):
        raise ValueError(f"{out}: {len(hears)} acknowledgements came of {len(answers)}")
    echo[hears] = told[: len(hears)]
    of_sender = (kind == SENDS) | (kind == HEARS)

    def kept(name: str) -> Numbers:
        return np.where(of_sender, rows[name].astype(np.int64), 0)

    return Recorded(
        about,
        kind.astype(np.int64),
        rows["time"].astype(np.int64),
        rows["flags"].astype(np.int64),
        rows["ecn"].astype(np.int64),
        seq,
        np.where(forward, rows["length"].astype(np.int64), 0),
        ack,
        echo,
        sack.reshape(-1, 6),
        rooms(rows, kind, seq, ack),
        np.where(kind == HEARS, rows["may"].astype(np.int64), 0),
        kept("cwnd"),
        np.where(kept("ssthresh") >= 65535, 0, kept("ssthresh")),
        kept("state"),
    )


def steps(numbers: Numbers) -> Numbers:
    """Differences, the first from 0."""
    return np.diff(numbers, prepend=0)


def write(path: Path, recorded: Recorded) -> None:
    """Writes a file."""
    kind = recorded.kind
    columns: dict[str, list[Numbers]] = {name: [] for name in COLUMNS}
    after = np.diff(recorded.time, prepend=recorded.time[:1])
    columns["kind"], columns["after"], columns["late"] = [kind], [after % LATE], [after // LATE]
    columns["flags"], columns["ecn"] = [recorded.flags], [recorded.ecn]
    for which in (SENDS, COMES):
        of = recorded.of(which)
        ends = np.concatenate([[0], (recorded.seq[of] + recorded.length[of])[:-1]])
        columns["seq"].append(recorded.seq[of] - ends)
        columns["length"].append(recorded.length[of])
    for which in (HEARS, ANSWERS):
        of = recorded.of(which)
        blocks = recorded.sack[of].reshape(-1, 3, 2)
        used = (blocks != 0).any(axis=2)
        columns["ack"].append(steps(recorded.ack[of]))
        columns["blocks"].append(used.sum(axis=1))
        columns["from"].append(blocks[used][:, 0])
        columns["to"].append(blocks[used][:, 1])
    columns["room"].append(recorded.room[recorded.of(HEARS)])
    columns["window"].append(recorded.window[recorded.of(HEARS)])
    columns["echo"] = [np.searchsorted(recorded.of(SENDS), recorded.of(HEARS)) - recorded.echo[recorded.of(HEARS)]]
    for which in (SENDS, HEARS):
        of = recorded.of(which)
        columns["cwnd"].append(recorded.cwnd[of])
        columns["ssthresh"].append(recorded.ssthresh[of])
        columns["state"].append(recorded.state[of])
    packed = {}
    for name, parts in columns.items():
        whole = np.concatenate(parts).astype(np.int64)
        packed[name] = whole.astype(COLUMNS[name])
        if not np.array_equal(packed[name].astype(np.int64), whole):
            raise ValueError(f"{path}: {name} does not fit into {COLUMNS[name]}")
    lengths = {name: len(column) for name, column in packed.items()}
    about = {**recorded.about, "start_ns": int(recorded.time[0])}
    head = json.dumps({**about, "columns": lengths}).encode() + b"\n"
    # Bytes of the same weight are together, which packs better.
    bodies = (column.view("u1").reshape(len(column), column.itemsize).T.tobytes() for column in packed.values())
    path.write_bytes(lzma.compress(head + b"".join(bodies), preset=9 | lzma.PRESET_EXTREME))


def read(path: Path) -> Recorded:
    """Reads a file."""
    head, rest = lzma.decompress(path.read_bytes()).split(b"\n", 1)
    about = json.loads(head)
    columns: dict[str, Numbers] = {}
    at = 0
    for name, length in about.pop("columns").items():
        form = np.dtype(COLUMNS[name])
        size = length * form.itemsize
        body = np.frombuffer(rest[at : at + size], "u1").reshape(form.itemsize, length).T
        columns[name] = np.ascontiguousarray(body).view(form).reshape(length).astype(np.int64)
        at += size
    kind = columns["kind"]
    count = len(kind)
    of = {which: np.flatnonzero(kind == which) for which in (SENDS, HEARS, COMES, ANSWERS)}
    all_of = {name: np.zeros(count, np.int64) for name in ("seq", "length", "ack", "cwnd", "ssthresh", "state")}
    echo, sack = np.full(count, -1, np.int64), np.zeros((count, 3, 2), np.int64)

    def spread(name: str, first: int, second: int) -> None:
        split = len(of[first])
        all_of[name][of[first]] = columns[name][:split]
        all_of[name][of[second]] = columns[name][split:]

    for name in ("seq", "length"):
        spread(name, SENDS, COMES)
    for which in (SENDS, COMES):
        steps_of, lengths = all_of["seq"][of[which]], all_of["length"][of[which]]
        all_of["seq"][of[which]] = np.cumsum(steps_of) + np.concatenate([[0], np.cumsum(lengths)[:-1]])
    spread("ack", HEARS, ANSWERS)
    for which in (HEARS, ANSWERS):
        all_of["ack"][of[which]] = np.cumsum(all_of["ack"][of[which]])
    for name in ("cwnd", "ssthresh", "state"):
        spread(name, SENDS, HEARS)
    room, window = np.zeros(count, np.int64), np.zeros(count, np.int64)
    room[of[HEARS]] = columns.get("room", 0)
    window[of[HEARS]] = columns.get("window", 0)
    echo[of[HEARS]] = np.searchsorted(of[SENDS], of[HEARS]) - columns["echo"]
    places = np.concatenate([of[HEARS], of[ANSWERS]])
    used = np.arange(3)[None, :] < columns["blocks"][:, None]
    rows = sack[places]
    rows[used] = np.stack([columns["from"], columns["to"]], axis=1)
    sack[places] = rows
    return Recorded(
        about,
        kind,
        np.cumsum(columns["after"] + LATE * columns.get("late", np.zeros(count, np.int64))) + int(about["start_ns"]),
        columns["flags"],
        columns["ecn"],
        all_of["seq"],
        all_of["length"],
        all_of["ack"],
        echo,
        sack.reshape(-1, 6),
        room,
        window,
        all_of["cwnd"],
        all_of["ssthresh"],
        all_of["state"],
    )
