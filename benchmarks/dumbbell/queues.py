"""What a packet costs in each queue of the registry: alone, and in a whole run.

    python benchmarks/dumbbell/queues.py [--new]

measures the first columns of the table anew, and writes them into docs/performance.md; what it has of runs stays. A
queue that has no row yet gets one, with its runs; `--new` measures only such queues.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from process import ROOT, SETUP_SECONDS, execute, machine

from sojourn import _core

RUN = ROOT / "target" / "release" / "examples" / "dumbbell"
ALONE = ROOT / "target" / "release" / "examples" / "queue_cost"
RUNS = {"100": ["n=100", "c=100", "t=20"], "10000": ["n=10000", "c=10000", "t=2"]}
PAGE = ROOT / "docs" / "performance.md"
HEAD = (
    "| queue | alone, ns: 100 flows | 1000 | 100000 | full, 1000 | allocations | backlog "
    "| run of 100 flows, µs | of 10000 |"
)
LINE = "|---" * (HEAD.count("|") - 1) + "|"
INTRODUCTION = (
    "The first columns are of each queue alone (`cargo run --release --example queue_cost`). Three columns give the "
    "nanoseconds for the arrival and the departure of a packet, with packets of 100, 1000 and 100,000 flows. At "
    "most 200 packets wait, and 2 % more packets come than leave. The column *full* gives the same for a full "
    "buffer of 1000 packets, to which twice as many packets come as leave. *Allocations* are requests for memory "
    "per packet, while there is room. *Backlog* is the number of waiting packets. The last two columns are of whole "
    "runs of the dumbbell above with this queue: microseconds of CPU per packet at the bottleneck. An AQM that "
    "keeps the queue short also changes the behaviour of the senders, and therefore the cost of the run."
)


def _alone(names: Sequence[str] = ()) -> list[dict[str, float]]:
    """From the example `queue_cost`: a row a queue, of all or of these."""
    done = subprocess.run([str(ALONE), *names], capture_output=True, text=True, check=True, cwd=ROOT)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _run_us(ours: Sequence[str], name: str, arguments: list[str], cpu: int) -> float:
    """Microseconds per packet that leaves the bottleneck, without the set-up: the least of two."""
    command = [*ours, *arguments, f"queue={name}"]
    setup = [*ours, *arguments[:2], f"t={SETUP_SECONDS:g}", f"queue={name}"]
    runs = [(execute(command, cpu), execute(setup, cpu)) for _ in range(2)]
    return min(1e6 * (run.cpu_seconds - made.cpu_seconds) / run.output["departures"] for run, made in runs)


def report(ours: Sequence[str], cpu: int) -> str:
    """The table, as Markdown; a sentence instead where the example is not built."""
    lines = ["## The cost of a packet in each queue", ""]
    if not Path(ALONE).exists():
        return "\n".join([*lines, f"Not measured: {ALONE.relative_to(ROOT)} is not built.", ""])
    lines += [
        INTRODUCTION,
        "",
        HEAD,
        LINE,
    ]
    for row in _alone():
        name = str(row["queue"])
        print(f"cost of {name} ...", file=sys.stderr)
        few, many = (_run_us(ours, name, arguments, cpu) for arguments in RUNS.values())
        lines.append(f"{_first_cells(row)} {few:.3f} | {many:.3f} |")
    return "\n".join([*lines, ""])


def _first_cells(row: dict[str, float]) -> str:
    """What is measured of a queue alone."""
    return (
        f"| {row['queue']} | {row['ns']:.0f} | {row['ns_1000']:.0f} | {row['ns_100000']:.0f} | {row['full']:.0f} "
        f"| {row['allocations']:.4f} | {row['backlog']:.0f} |"
    )


def main() -> None:
    """Puts the first cells of each row into the page, and rows of queues that have none."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("| queue | alone, ns:"))
    last = next(number for number in range(first, len(lines)) if not lines[number].startswith("|"))
    rows = {line.split("|")[1].strip(): line for line in lines[first + 2 : last]}
    names = [entry["name"] for entry in json.loads(_core.registry())["queues"]]
    new = [name for name in names if name not in rows]
    found = {str(row["queue"]): _first_cells(row) for row in _alone(new if "--new" in sys.argv else ())}
    for name, cells in found.items():
        if name in rows:
            runs = rows[name].split("|")[-3:-1]
            rows[name] = f"{cells}{runs[0]}|{runs[1]}|"
        else:
            cpu = max(os.sched_getaffinity(0))
            few, many = (_run_us([str(RUN)], name, arguments, cpu) for arguments in RUNS.values())
            rows[name] = f"{cells} {few:.3f} | {many:.3f} |"
    if "--new" not in sys.argv:
        made = f"A queue alone was measured by `queues.py`, {datetime.date.today().isoformat()}: {machine()}."
        lines[first - 2] = f"{INTRODUCTION} {made}"
    lines[first:last] = [HEAD, LINE, *(rows[name] for name in names if name in rows)]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
