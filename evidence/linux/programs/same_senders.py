"""Replays recorded senders through Sojourn's senders, and counts segments whose window differs.

    python evidence/linux/programs/same_senders.py [PATTERN]        one line for each recording
    python evidence/linux/programs/same_senders.py NAME --around N  the actions of both around the N-th acknowledgement

Sojourn's sender hears the acknowledgements that Linux's sender heard, at their times, and its receiver the segments
that Linux's receiver heard. Nothing answers, so that the first difference is the one to look at: later ones may follow
import places
from it.
"""

from __future__ import annotations

import argparse
import fnmatch
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import places
import segments
from recorded_senders import RECORDED, Sender
from segments import ANSWERS, COMES, CWR, ECE, HEARS, PSH, SENDS, SYN, Numbers, Recorded

from sojourn import _core

FOLDER = places.RECORDINGS / "senders"
# The kernel's clock goes on with each reading: the reaction to one acknowledgement takes at most this many nanoseconds.
AT_ONCE = 20_000
TICK = 1_000_000
# The unit of the kernel's clock in user-mode Linux.
CLOCK = 256
# Linux's count of ticks begins 300 s before it wraps; slots of its timer wheel divide this time.
BEGINS = 300_000 * TICK
SLOTS = 4096 * TICK
# Of a packet's bytes those that are no payload of a segment: 14 are not counted by the MTU.
HEADERS, FRAME_HEADERS = 52, 66
# The kernel's receiver writes its window in units of 2^7 bytes: its buffer grows to 6 MiB (RFC 7323), or to what a
# setting says, but programs may ask for the last number. Some older recordings have buffers of 4 MB and a scale of 6.
RECEIVE_BUFFER, RMEM_MAX = "6291456B", 212_992

# First byte, length, and whether it says that the window has been reduced (CWR).
Segment = tuple[int, int, bool]


@dataclass(frozen=True)
class Comparison:
    """One recording, the kernel and Sojourn."""

    name: str
    # Acknowledgements heard, those after which the window differs, and the first of these: its number and both windows.
    heard: int
    windows: int
    first_window: tuple[int, int, int] | None
    # Segments sent, and those that ours did not send after the same acknowledgement.
    sent: int
    segments: int
    first_segment: int | None
    # Acknowledgements that the receiver sent, and those that ours did not.
    answers: int
    unanswered: int
    first_answer: int | None

    def __str__(self) -> str:
        window = self.first_window
        told = [
            f"{self.windows} of {self.heard} windows"
            + (f" (first after acknowledgement {window[0]}: {window[1]}, here {window[2]})" if window else ""),
            f"{self.segments} of {self.sent} segments"
            + (f" (first {self.first_segment})" if self.first_segment is not None else ""),
            f"{self.unanswered} of {self.answers} acknowledgements"
            + (f" (first {self.first_answer})" if self.first_answer is not None else ""),
        ]
        return f"{self.name:20s} differ: " + "; ".join(told)


def since_start(recorded: Recorded) -> Numbers:
    """Times since a moment shortly before the recording begins, from which slots of the kernel's timers, its ticks and
    its clock's are whole ones.
    """
    return recorded.time - ((int(recorded.time[0]) - BEGINS) // SLOTS * SLOTS + BEGINS)


def packet_ends(recorded: Recorded) -> list[int]:
    """Behind which bytes packets end that the application's writes and buffers have made: a segment that leaves alone
    and carries PSH, or leaves shortly after an acknowledgement, when the application has written. Where a packet of
    several segments ends, each has PSH, too, and nothing is known.
    """
    sends, hears = recorded.of(SENDS), recorded.of(HEARS)
    seq, end, time = recorded.seq[sends], recorded.seq[sends] + recorded.length[sends], recorded.time[sends]
    pushes = recorded.flags[sends] & PSH > 0
    at_once = np.concatenate([[False], np.diff(time) < CLOCK])
    follows = np.concatenate([[False], (seq[1:] == end[:-1]) & ~pushes[:-1]]) & at_once
    heads = np.concatenate([follows[1:], [False]])
    since = time - recorded.time[hears][np.searchsorted(hears, sends) - 1]
    written = (since >= CLOCK) & (since < AT_ONCE)
    return sorted({int(byte) for byte in end[~follows & ~heads & (pushes | written)]})


def window_scale(sender: Sender) -> int:
    """The scale of the receiver's window."""
    most = int(dict(sender.settings).get("receive_buffer", RECEIVE_BUFFER).removesuffix("B"))
    return max(most, RMEM_MAX).bit_length() - 1 - 15


def segment_of(sender: Sender) -> int:
    """The payload of a full segment in bytes."""
    return sender.job.mtu - HEADERS


def machine(recorded: Recorded, mss: int) -> dict[str, object]:
    """Inputs of a sender besides packets: the clock and its readings, when the application wrote first, up to which
    byte the receiver allows to send, and where the receiver's window cuts a segment. In older recordings also where
    packets end and up to which byte there is something to send.
    """
    of, sends = recorded.of(HEARS), recorded.of(SENDS)
    first = int(since_start(recorded)[sends[recorded.length[sends] > 0][0]])
    bytes_of = list(zip(recorded.seq[sends].tolist(), recorded.length[sends].tolist(), strict=True))
    shorts = sorted({(seq, length) for seq, length in bytes_of if 0 < length < mss})
    # A timer of a machine goes off when it reads its clock, now and then a reading later.
    leaves = since_start(recorded)[sends].tolist()
    known: dict[str, object] = {"shorts": shorts, "clock_ns": CLOCK, "writes_ns": first, "leaves_ns": leaves}
    # Each write of the application reads the clock.
    data = [(seq, time) for (seq, length), time in zip(bytes_of, leaves, strict=True) if length > 0]
    known["first_ns"] = sorted(dict(reversed(data)).items())
    # Acknowledgements of one instant come one after another before the application runs.
    known["followed"] = np.append(np.diff(recorded.time[of]) == 0, [False]).tolist()
    if has_windows(recorded):
        edges = np.maximum.accumulate(recorded.ack[of] + recorded.window[of])
        return known | {"ends": [], "edges": edges.tolist()}
    edges = np.where(recorded.room[of] > 0, recorded.ack[of] + recorded.room[of], 0)
    return known | {"ends": packet_ends(recorded), "edges": edges.tolist()}


def offered(recorded: Recorded, scale: int) -> Numbers:
    """The receiver's windows as headers have them; 0 if they are not known, or have another scale than Sojourn's."""
    of = recorded.of(HEARS)
    syn, window = recorded.flags[of] & SYN > 0, recorded.window[of]
    known = not (window[~syn] % (1 << scale)).any()
    return np.where(syn | (not known), 0, window >> scale)


def has_windows(recorded: Recorded) -> bool:
    """Whether the receiver's windows are known. Sojourn's sender has a send buffer then; else it takes
    the writes of the kernel's application from the recording.
    """
    return bool(recorded.window.any())


def tcp(sender: Sender, *, buffered: bool) -> dict[str, object]:
    """The sender in Sojourn's words."""
    return {
        "profile": "linux",
        "settings": [
            ("packet", f"{segment_of(sender) + FRAME_HEADERS}B"),
            *(("header", f"{FRAME_HEADERS}B"), ("ack_size", f"{FRAME_HEADERS}B")),
            ("ecn", "true" if sender.job.ecn else "false"),
            *(() if buffered else (("send_buffer", "auto"),)),
            *sender.settings,
        ],
        "control": sender.kind,
        "preset": sender.preset,
        "control_settings": list(sender.control_settings),
    }


def heard_by_sender(recorded: Recorded, scale: int) -> dict[str, Numbers]:
    """The rows of `_core.replay_sender`; the first one is the start."""
    of, sends = recorded.of(HEARS), recorded.of(SENDS)
    time = since_start(recorded)
    seqs = recorded.seq[sends]
    # For each of the sender's segments, the number of earlier segments with the same first byte.
    times = np.zeros(len(sends), np.int64)
    seen: dict[int, int] = {}
    for place, seq in enumerate(seqs.tolist()):
        times[place] = seen[seq] = seen.get(seq, -1) + 1
    echo = recorded.echo[of]
    sack = recorded.sack[of].reshape(-1, 3, 2)
    low = (sack[:, :, 1] <= 0) & (sack != 0).any(axis=2)
    # Duplicate data below the acknowledgement are written backwards and from one.
    sack = np.where(low[:, :, None], 1 - sack, sack)
    columns = {
        "time_ns": time[of],
        "ack": recorded.ack[of],
        "ece": (recorded.flags[of] & ECE > 0).astype(np.int64),
        "syn": (recorded.flags[of] & SYN > 0).astype(np.int64),
        "offered": offered(recorded, scale),
        "echo_seq": seqs[echo],
        "echo_time": times[echo],
        "echo_ns": time[sends][echo],
    }
    for block in range(3):
        columns[f"from_{block}"], columns[f"to_{block}"] = sack[:, block, 0], sack[:, block, 1]
    columns = {name: np.concatenate([[0], column]) for name, column in columns.items()}
    columns["time_ns"][0] = time[0]
    return columns


def heard_by_receiver(recorded: Recorded) -> dict[str, Numbers]:
    """The rows of `_core.replay_receiver`."""
    of = recorded.of(COMES)
    flags, seq = recorded.flags[of], recorded.seq[of]
    time = since_start(recorded)
    # The time at which it left is not looked at here: that of the segment's last transmission before. It echoes the
    # timestamp of the acknowledgement that the sender had heard last. They come in the order in which they left.
    sent, sends, at = np.zeros(len(of), np.int64), recorded.of(SENDS), 0
    answered = np.concatenate([[0], time[recorded.of(ANSWERS)]])
    for place in np.flatnonzero(recorded.flags[recorded.of(ANSWERS)] & SYN)[1:]:
        # A repeated answer to the SYN is acknowledged and dropped: its timestamp is not echoed.
        answered[place + 1] = answered[place]
    heard = np.searchsorted(recorded.of(HEARS), sends)
    again, echoed = np.zeros(len(of), np.int64), np.zeros(len(of), np.int64)
    last: dict[int, tuple[int, int]] = {}
    times: dict[int, int] = {}
    # It ends the handshake, and left when the answer to the SYN had come.
    opens = (recorded.length[of] == 0) & (flags & SYN == 0)
    for place, row in enumerate(of):
        while at < len(sends) and sends[at] < row:
            seq_of = int(recorded.seq[sends[at]])
            last[seq_of] = int(time[sends[at]]), int(answered[heard[at]])
            times[seq_of] = times.get(seq_of, -1) + int(recorded.length[sends[at]] > 0)
            at += 1
        sent[place], echoed[place] = last.get(int(recorded.seq[row]), (0, 0))
        again[place] = times.get(int(recorded.seq[row]), 0) > 0
        if opens[place]:
            sent[place], echoed[place], again[place] = time[recorded.of(HEARS)[0]], answered[1], False
    return {
        "time_ns": time[of],
        "seq": seq,
        "length": recorded.length[of],
        "sent_ns": sent,
        "echoed_ns": echoed,
        "syn": (flags & SYN > 0).astype(np.int64),
        "cwr": (flags & CWR > 0).astype(np.int64),
        "push": (flags & PSH > 0).astype(np.int64),
        "again": again,
        "ecn": recorded.ecn[of],
    }


@dataclass(frozen=True)
class Rows:
    """Both sides, for closer inspection: by acknowledgement, its consequences."""

    recorded: Recorded
    sender: dict[str, npt.NDArray[Any]]
    receiver: dict[str, npt.NDArray[Any]]

    def theirs(self) -> list[list[Segment]]:
        """After each acknowledgement the segments that the kernel sent until the next."""
        return self.after(self.recorded.of(SENDS), self.recorded.of(HEARS))

    def after(self, what: Numbers, heard: Numbers) -> list[list[Segment]]:
        """The elements of `what` behind each of `heard`; the first list is before them all."""
        lists: list[list[Segment]] = [[] for _ in range(len(heard) + 1)]
        reduced = self.recorded.flags & CWR > 0
        for row, place in zip(what, np.searchsorted(heard, what), strict=True):
            lists[place].append((int(self.recorded.seq[row]), int(self.recorded.length[row]), bool(reduced[row])))
        return lists

    def ours(self) -> list[list[Segment]]:
        """The same of Sojourn's sender."""
        lists: list[list[Segment]] = [[] for _ in range(len(self.recorded.of(HEARS)) + 1)]
        for heard, seq, length, cwr in zip(
            *(self.sender[name] for name in ("heard", "seq", "length", "cwr")), strict=True
        ):
            lists[int(heard)].append((int(seq), int(length), bool(cwr)))
        return lists


def replay(recorded: Recorded, sender: Sender) -> Rows:
    """Both ends of Sojourn with what the kernel's heard."""
    end = int(since_start(recorded)[-1]) + 1
    words, scale = tcp(sender, buffered=has_windows(recorded)), window_scale(sender)
    return Rows(
        recorded,
        _core.replay_sender(words, heard_by_sender(recorded, scale), end, machine(recorded, segment_of(sender))),
        _core.replay_receiver(words, heard_by_receiver(recorded), end),
    )


def apart(recorded: Recorded, rows: Rows) -> tuple[Numbers, Numbers, npt.NDArray[np.bool_]]:
    """For each acknowledgement both windows, and whether they are to be compared: nothing else happened at once."""
    of = recorded.of(HEARS)
    mine = np.floor(rows.sender["cwnd"] + 1e-9)
    follows = np.concatenate([np.diff(recorded.time[of]), [AT_ONCE]])
    # The kernel's window is read when all is done that follows at once, so that of two such only the second is seen.
    return recorded.cwnd[of], np.nan_to_num(mine, nan=-1).astype(np.int64), follows >= AT_ONCE


def answers(recorded: Recorded, rows: Rows) -> npt.NDArray[np.bool_]:
    """For each acknowledgement that the kernel's receiver sent, whether ours sent it at once, too."""
    of = recorded.of(ANSWERS)
    time = since_start(recorded)[of]
    mine = list(zip(*(rows.receiver[name] for name in ("time_ns", "ack", "ece", "blocks")), strict=True))
    found, at = np.zeros(len(of), bool), 0
    for place, row in enumerate(of):
        blocks = int((recorded.sack[row].reshape(3, 2) != 0).any(axis=1).sum())
        wanted = (int(recorded.ack[row]), int(recorded.flags[row] & ECE > 0), blocks)
        while at < len(mine) and mine[at][0] < time[place] - AT_ONCE:
            at += 1
        near = at
        while near < len(mine) and mine[near][0] <= time[place] + AT_ONCE:
            if tuple(int(value) for value in mine[near][1:]) == wanted:
                found[place] = True
                break
            near += 1
    return found


def offers(recorded: Recorded, rows: Rows, scale: int) -> tuple[int, int]:
    """The acknowledgements that both receivers sent, and those of them in which ours offers another window. A recording
    of a receiver that was not changed by it has the windows; none of its acknowledgements was lost.
    """
    of, hears = recorded.of(ANSWERS), recorded.of(HEARS)
    time = since_start(recorded)[of]
    windows: dict[int, list[tuple[int, int]]] = {}
    for at, ack, offered in zip(*(rows.receiver[name].tolist() for name in ("time_ns", "ack", "offered")), strict=True):
        windows.setdefault(ack, []).append((at, offered << scale))
    both = differ = 0
    for place, heard in zip(range(1, len(hears)), hears[1:], strict=True):
        near = [
            offered for at, offered in windows.get(int(recorded.ack[of[place]]), []) if abs(at - time[place]) < AT_ONCE
        ]
        both += bool(near)
        differ += bool(near) and near[-1] != recorded.window[heard]
    return both, differ


def compare(name: str, recorded: Recorded, sender: Sender) -> Comparison:
    """Counts differences."""
    rows = replay(recorded, sender)
    theirs, mine, counts = apart(recorded, rows)
    differs = counts & (theirs != mine)
    first = int(np.argmax(differs)) if differs.any() else None
    kernel, here = rows.theirs(), rows.ours()
    missing = [sum(segment not in ours for segment in sent) for sent, ours in zip(kernel, here, strict=True)]
    before = next((number for number, count in enumerate(missing) if count), None)
    found = answers(recorded, rows)
    return Comparison(
        name,
        int(counts.sum()),
        int(differs.sum()),
        None if first is None else (first, int(theirs[first]), int(mine[first])),
        len(recorded.of(SENDS)),
        sum(missing),
        before,
        len(found),
        int((~found).sum()),
        None if found.all() else int(np.argmin(found)),
    )


def show(recorded: Recorded, sender: Sender, around: int) -> None:
    """The actions of both around an acknowledgement."""
    rows = replay(recorded, sender)
    theirs, mine, _ = apart(recorded, rows)
    kernel, here, of = rows.theirs(), rows.ours(), recorded.of(HEARS)
    for number in range(max(around - 12, 0), min(around + 12, len(of))):
        row = of[number]
        blocks = [tuple(block.tolist()) for block in recorded.sack[row].reshape(3, 2) if block.any()]
        ece = " ECE" if recorded.flags[row] & ECE else ""
        time = (recorded.time[row] - recorded.time[0]) / 1e6
        print(
            f"{number:6d} {time:10.3f} ms ack {recorded.ack[row]}{ece} {blocks} "
            f"window {theirs[number]} here {mine[number]} ({rows.sender['cwnd'][number]:.3f}), threshold "
            f"{recorded.ssthresh[row]} here {rows.sender['ssthresh'][number]:.1f}, state {recorded.state[row]}, sent "
            f"{[seq for seq, *_ in kernel[number + 1]]} here {[seq for seq, *_ in here[number + 1]]}"
        )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", nargs="?", default="*")
    parser.add_argument("--around", type=int)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    given = parser.parse_args()
    for name, sender in RECORDED.items():
        path = given.folder / f"{name}.xz"
        if fnmatch.fnmatch(name, given.pattern) and path.exists():
            recorded = segments.read(path)
            if given.around is not None:
                show(recorded, sender, given.around)
            print(compare(name, recorded, sender), flush=True)


if __name__ == "__main__":
    main()
