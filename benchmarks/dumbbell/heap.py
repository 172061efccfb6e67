"""The parts of the memory of a flow: the allocations at the peak and their places, as valgrind's massif sees it."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from process import ROOT, has_valgrind

FLOWS = 20_000
COMMAND = (f"n={FLOWS}", "c=1000", "t=0.001")

# The first source file of ours from the allocation upwards, and what it says. What has no place of its own is `other`.
PARTS = {
    "tcp/mod.rs": "both ends: sender and receiver",
    "reno.rs": "the sender's window law",
    "bulk.rs": "the application",
    "links.rs": "its four access links, 32 bytes each",
    "network": "its state, its random numbers, and what tables need of it",
    "Routes": "its routes, there and back",
    "pool.rs": "its first packet on the way",
    "event_queue": "its events",
}
OTHER = "other"
HEAP = "the allocator's own"
_NODE = re.compile(r"( *)n\d+: (\d+) (.*)")
_PLACE = re.compile(r"\((\w+\.rs):\d+\)$")
_EVENTS = ("near.rs", "batch.rs", "coarse.rs", "event_queue.rs")


def _part(frame: str) -> str | None:
    """The part that is allocated here. `None` if the frame does not show it."""
    place = _PLACE.search(frame)
    if place is None:
        return None
    if "TcpFlows" in frame:
        return PARTS["tcp/mod.rs"]
    if place[1] in _EVENTS:
        return PARTS["event_queue"]
    if place[1] == "build.rs":
        return PARTS["network" if "network" in frame else "Routes"]
    return PARTS.get(place[1])


def parts(text: str) -> Counter[str]:
    """Bytes by part at the greatest of the snapshots."""
    snapshots = [snapshot for snapshot in text.split("#-----------\nsnapshot=") if "heap_tree=" in snapshot]

    def heap(snapshot: str) -> tuple[int, int]:
        found = re.search(r"mem_heap_B=(\d+)\nmem_heap_extra_B=(\d+)", snapshot)
        return (int(found[1]), int(found[2])) if found else (0, 0)

    peak = max(snapshots, key=lambda snapshot: sum(heap(snapshot)))
    found: Counter[str] = Counter()
    total, extra = heap(peak)
    _walk([match for match in map(_NODE.fullmatch, peak.splitlines()) if match], found)
    found[HEAP] = extra
    found[OTHER] = total - sum(count for part, count in found.items() if part != HEAP)
    return found


def _walk(nodes: Sequence[re.Match[str]], found: Counter[str]) -> None:
    """Gives the bytes of each branch to the first part that a frame of it names, seen from the allocation."""
    named_at: int | None = None
    for node in nodes:
        depth = len(node[1])
        if named_at is not None and depth > named_at:
            continue
        named_at = None
        part = _part(node[3])
        if part is not None:
            found[part] += int(node[2])
            named_at = depth


def report(ours: Sequence[str]) -> str:
    """The table, as Markdown; without valgrind a line that says so."""
    if not has_valgrind():
        return "The table of the parts of a flow's memory needs valgrind.\n"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "massif"
        counter = ["valgrind", "--tool=massif", f"--massif-out-file={out}", "--detailed-freq=1", "--threshold=0.1"]
        subprocess.run([*counter, *ours, *COMMAND], check=True, capture_output=True, cwd=ROOT)
        found = parts(out.read_text(encoding="utf-8"))
    lines = [
        "This table divides the memory of a flow with its first packet in flight into its parts: the bytes that the "
        f"process has allocated at its peak with {FLOWS} flows, divided by the number of flows (valgrind's massif). "
        "Lists that grow have room in reserve, which takes no memory until it is used.",
        "",
        "| part | bytes for each flow |",
        "|---|---:|",
    ]
    lines += [f"| {part} | {found[part] / FLOWS:.0f} |" for part in (*PARTS.values(), HEAP, OTHER)]
    return "\n".join([*lines, f"| all | {sum(found.values()) / FLOWS:.0f} |", ""])
