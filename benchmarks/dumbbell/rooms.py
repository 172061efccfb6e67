"""In which rooms of the engine instructions are executed, by the source file of each line that callgrind counts.

What the compiler has put into one function is told apart by its lines. Lines of the standard library (bounds checks,
vectors, arithmetic) cannot be told apart by who uses them, and have a row of their own.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence

from process import ROOT, has_valgrind, instructions

SOURCE = re.compile(r"crates/sojourn-(?:queues|senders|sim)/src/(\w+(?:\.rs)?)")
LIBRARY = "the standard library, in all of these"
ROOMS = {
    "sim": "events and the way of packets (`sim/`)",
    "transport": "ends of flows (`transport/`, `traffic/`)",
    "net": "links (`net/`)",
    "queue": "the queue at the bottleneck (`queue/`, `aqm/`)",
    "metrics": "counters and histograms (`metrics/`): backlog, sojourn time, delay, queueing and round trip",
    "shared": "packets, units, random numbers",
}
BELONGS = {
    "traffic": "transport",
    "aqm": "queue",
    "discipline": "queue",
    "mechanism": "queue",
    "log_linear.rs": "metrics",
    **dict.fromkeys(("packet.rs", "pool.rs", "header", "units.rs", "rng.rs", "prefetch.rs"), "shared"),
}
WORKLOADS = {
    "10 flows": ["n=10", "c=10", "t=20"],
    "100 flows": ["n=100", "c=100", "t=4"],
    "1000 flows": ["n=1000", "c=1000", "t=2"],
}


def room(path: str) -> str:
    """The name of the room of a source file."""
    found = SOURCE.search(path)
    if found is None:
        return LIBRARY if "/library/" in path or "/rustc/" in path else "other"
    first = found[1]
    return ROOMS.get(BELONGS.get(first, first), "other")


def _shares(command: Sequence[str]) -> Counter[str]:
    """Instructions by room."""
    with tempfile.NamedTemporaryFile() as counted:
        instructions(command, counted.name)
        annotate = ["callgrind_annotate", "--threshold=100", "--auto=no", counted.name]
        done = subprocess.run(annotate, check=True, capture_output=True, text=True, cwd=ROOT)
    found: Counter[str] = Counter()
    for line in done.stdout.splitlines():
        if entry := re.match(r"\s*([\d,]+) \(\s*[\d.]+%\)\s+(\S+?):\S", line):
            found[room(entry[2])] += int(entry[1].replace(",", ""))
    return found


def report(ours: Sequence[str]) -> str:
    """The table, as Markdown; empty without valgrind."""
    if not has_valgrind():
        return ""
    columns = {}
    for title, arguments in WORKLOADS.items():
        print(f"rooms: {title} ...", file=sys.stderr)
        columns[title] = _shares([*ours, *arguments])
    lines = [f"| room | {' | '.join(columns)} |", f"|---|{'---|' * len(columns)}"]
    for name in (*ROOMS.values(), LIBRARY, "other"):
        shares = (f"{found[name] / found.total():.1%}" for found in columns.values())
        lines.append(f"| {name} | {' | '.join(shares)} |")
    return "\n".join(
        [
            "## Where the instructions go",
            "",
            "This table divides the instructions of a whole process (adaptive RED; 20, 4 and 2 s) by the source "
            "file of each line. `other` is the C library and the reader of the scenario.",
            "",
            *lines,
            "",
        ]
    )
