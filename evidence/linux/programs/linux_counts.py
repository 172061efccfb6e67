"""Replays all recordings through Sojourn, and counts what differs from the kernel: recordings/compared.json.

    python evidence/linux/programs/linux_counts.py [PATTERN ...]

With patterns only recordings whose names match are replayed; the others keep their counts. The page, the site and the
package show these counts (`linux_page.py`), and `test_fates.py` and `test_senders.py` compare them with their replays.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from fnmatch import fnmatch
from typing import Any

import fates
import places
import segments
from recorded_edges import QUEUES, RECORDED
from recorded_senders import RECORDED as SENT
from same_fates import FOLDER, Comparison
from same_fates import compare as compare_fates
from same_senders import FOLDER as SENDERS
from same_senders import Comparison as SentComparison
from same_senders import compare as compare_sender

FILE = places.RECORDINGS / "compared.json"
Counts = dict[str, Any]


def of_fates(name: str, found: Comparison) -> Counts:
    """The counts of a recorded queue: packets, those that the kernel dropped and marked, those with another fate, and
    calls in which another number of packets vanishes.
    """
    return {
        "queue": RECORDED[name][0],
        "compared": found.packets,
        "dropped": found.dropped[0],
        "marked": found.marked[0],
        "differ": found.differ,
        "moments": found.moments,
    }


def of_segments(name: str, found: SentComparison) -> Counts:
    """The counts of a recorded sender: windows, segments and answers, each with those that differ."""
    return {
        "law": SENT[name].kind,
        "compared": found.heard,
        "differ": found.windows,
        "segments": found.sent,
        "segments_differ": found.segments,
        "answers": found.answers,
        "answers_differ": found.unanswered,
    }


def read() -> dict[str, dict[str, Counts]]:
    """The kept counts by recording, of `queues` and of `senders`."""
    found: dict[str, dict[str, Counts]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def write(counts: dict[str, dict[str, Counts]]) -> None:
    """Keeps them: a line for each recording."""
    parts = []
    for group, rows in counts.items():
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
        parts.append(f" {json.dumps(group)}: {{\n{lines}\n }}")
    FILE.write_text("{\n" + ",\n".join(parts) + "\n}\n", encoding="utf-8")


def main(patterns: Sequence[str]) -> None:
    """The command."""
    kept = read() if FILE.exists() else {"queues": {}, "senders": {}}

    def chosen(name: str, group: str) -> bool:
        return name not in kept[group] or not patterns or any(fnmatch(name, pattern) for pattern in patterns)

    for name, (queue, _) in RECORDED.items():
        if chosen(name, "queues"):
            done = compare_fates(name, fates.read(FOLDER / f"{name}.xz"), QUEUES[queue])
            kept["queues"][name] = of_fates(name, done)
            print(done, flush=True)
    for name, sender in SENT.items():
        if chosen(name, "senders"):
            seen = compare_sender(name, segments.read(SENDERS / f"{name}.xz"), sender)
            kept["senders"][name] = of_segments(name, seen)
            print(seen, flush=True)
    # In the order of the lists, without recordings that are gone.
    write(
        {
            "queues": {name: kept["queues"][name] for name in RECORDED},
            "senders": {name: kept["senders"][name] for name in SENT},
        }
    )


if __name__ == "__main__":
    main(sys.argv[1:])
