"""The cost of a packet in queues where the number of flows or a full buffer makes a difference, in instructions.

    python benchmarks/dumbbell/queue_growth.py [QUEUE ...] [--write]

`--write` puts the table into evidence/speed/README.md, between the two comments that name this file.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence

from process import ROOT, has_valgrind, instructions
from queues import ALONE

QUEUES = ["fifo", "drr", "sfq", "fq", "csfq", "lqd", "fq_codel", "flow_queue"]
LOADS = [("calm", 100), ("calm", 1000), ("calm", 100_000), ("full", 1000), ("full", 100_000)]
PACKETS = 20_000
PAGE = ROOT / "evidence" / "speed" / "README.md"
PLACE = re.compile(r"(<!-- begin queue_growth\.py -->\n)(.*?)(<!-- end queue_growth\.py -->)", re.DOTALL)
TEXT = """The table has the instructions for an arrival and a departure, as callgrind counts them after 20000 packets
(`python benchmarks/dumbbell/queue_growth.py --write`). They do not depend on caches: if the time grows by more than the
instructions, the processor waits for memory. In the columns *with room*, 2 % more packets come than leave, and 200
wait. In a full buffer of 1000 packets twice as many packets come as leave, and every other one is lost."""

REMARKS = """\
- `drr` and `sfq` find the next packet in O(1), as Shreedhar and Varghese promise: with 100 flows they take the same
  instructions as with 100,000.
- `csfq` as an edge router keeps a rate for each flow, in a tree. Its instructions grow with the logarithm of the
  number of flows; the rest of its time is waiting for memory. A core router keeps no rates.
- In a full buffer `drr`, `sfq`, `fq`, `fq_codel` and `flow_queue` drop packets of their longest queue, and `lqd` drops
  packets of its longest flow. Each finds it in a tree of matches (`mechanism/longest.rs`), in time that grows with the
  logarithm of their number. The tree is brought up to date only when a packet has to be dropped, so that a buffer with
  room does not pay for it. `lqd` finds the packet by its number, in time that grows with the logarithm of the backlog.
"""


def per_packet(queue: str, load: str, flows: int) -> float:
    """Instructions for each packet after the first ones: those of twice as many less those of the first half."""
    counted = [instructions([str(ALONE), "--count", queue, str(flows), load, str(n * PACKETS)])[0] for n in (1, 2)]
    return (counted[1] - counted[0]) / PACKETS


def table(queues: Sequence[str]) -> str:
    """A row a queue."""
    heads = [f"{'with room' if load == 'calm' else 'full buffer'}: {flows} flows" for load, flows in LOADS]
    lines = [f"| queue | {' | '.join(heads)} |", "|---" * (1 + len(LOADS)) + "|"]
    for queue in queues:
        print(f"{queue} ...", file=sys.stderr)
        lines.append(f"| {queue} | {' | '.join(f'{per_packet(queue, *load):.0f}' for load in LOADS)} |")
    return "\n".join(lines)


def report(queues: Sequence[str] = QUEUES) -> str:
    """The section of the page."""
    found = table(queues) if has_valgrind() else "Not counted: valgrind is not installed."
    table_and_text = f"<!-- begin queue_growth.py -->\n{TEXT}\n\n{found}\n\n<!-- end queue_growth.py -->\n"
    return f"### Growth with the number of flows\n\n{table_and_text}\n{REMARKS}"


def main() -> int:
    parser = argparse.ArgumentParser(description="Instructions for a packet in queues, by flows and load.")
    parser.add_argument(
        "queues", nargs="*", default=QUEUES, metavar="QUEUE", help="these queues (default: those of the page)"
    )
    parser.add_argument("--write", action="store_true", help="write the table into evidence/speed/README.md")
    options = parser.parse_args()
    text = report(options.queues)
    print(text)
    if options.write:
        page = PAGE.read_text(encoding="utf-8")
        inner = PLACE.search(text)
        found = PLACE.search(page)
        if not inner or not found:
            print(f"{PAGE}: there is no place for the table", file=sys.stderr)
            return 1
        PAGE.write_text(page[: found.start(2)] + inner[2] + page[found.end(2) :], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
