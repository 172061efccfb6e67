"""The cost of a packet in each queue of the registry, and with each preset `linux`: alone, and in a whole run.

    python benchmarks/dumbbell/queues.py [--new]

measures the first columns of the table anew, keeps them in queues.toml, and writes the table into
evidence/speed/README.md; what it has of runs stays. A queue that has no row yet gets one, with its runs; `--new`
measures only such queues.
"""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from process import ROOT, SETUP_SECONDS, execute, machine

from sojourn import _core

RUN = ROOT / "target" / "release" / "examples" / "dumbbell"
ALONE = ROOT / "target" / "release" / "examples" / "queue_cost"
RUNS = {"100": ["n=100", "c=100", "t=20"], "10000": ["n=10000", "c=10000", "t=2"]}
PAGE = ROOT / "evidence" / "speed" / "README.md"
MEASURED = Path(__file__).resolve().parents[2] / "evidence" / "speed" / "queues.toml"
HEAD = (
    "| queue | alone, ns: 100 flows | 1000 | 100000 | full, 1000 | allocations | backlog "
    "| run of 100 flows, µs | of 10000 |"
)
LINE = "|---" * (HEAD.count("|") - 1) + "|"
# Columns of the table, in its order: the key in queues.toml, and the digits of its numbers.
COLUMNS = {
    "alone_100": 0,
    "alone_1000": 0,
    "alone_100000": 0,
    "full_1000": 0,
    "allocations": 4,
    "backlog": 0,
    "run_100": 3,
    "run_10000": 3,
}
Costs = Mapping[str, float]
INTRODUCTION = (
    "The first columns are of each queue alone (`cargo run --release --package sojourn-archive --example "
    "queue_cost`). Three columns give the nanoseconds for the arrival and the departure of a packet, with packets "
    "of 100, 1000 and 100,000 flows. About 200 packets wait: 2 % more packets come than the link sends, and those "
    "beyond 200 are taken out. The column *full* gives the same for a full buffer of 1000 packets, to which twice "
    "as many packets come as leave. *Allocations* are requests for memory per packet, while there is room. "
    "*Backlog* is the number of waiting packets. The last two columns are of whole runs of the dumbbell above with "
    "this queue: microseconds of CPU per packet at the bottleneck. An AQM that keeps the queue short also changes "
    "the behaviour of the senders, and therefore the cost of the run. `codel:linux` is the queue with its preset "
    "`linux`, in the kernel's arithmetic; other rows have the defaults."
)


def of_registry() -> list[str]:
    """The names of all rows in their order: each queue with its defaults, and NAME:linux where it has this preset."""
    names = []
    for entry in json.loads(_core.registry())["queues"]:
        names.append(entry["name"])
        names += [
            f"{entry['name']}:linux"
            for preset in entry["presets"]
            if preset["name"] == "linux" and "queue" not in preset
        ]
    return names


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


def measure(ours: Sequence[str], cpu: int) -> dict[str, Costs]:
    """The costs of each queue; none where the example is not built."""
    rows: dict[str, Costs] = {}
    for row in _alone() if ALONE.exists() else ():
        name = str(row["queue"])
        print(f"cost of {name} ...", file=sys.stderr)
        rows[name] = {**_costs_alone(row), **_costs_of_runs(ours, name, cpu)}
    return rows


def report(rows: Mapping[str, Costs]) -> str:
    """The section of the page; a sentence instead of the table where nothing was measured."""
    lines = ["## The cost of a packet in each queue", ""]
    if not rows:
        return "\n".join([*lines, f"Not measured: {ALONE.relative_to(ROOT)} is not built.", ""])
    return "\n".join([*lines, INTRODUCTION, "", *table(rows), ""])


def table(rows: Mapping[str, Costs]) -> list[str]:
    """The lines of the table."""
    cells = {
        name: [f"{costs[column]:.{digits}f}" for column, digits in COLUMNS.items()] for name, costs in rows.items()
    }
    return [HEAD, LINE, *(f"| {' | '.join([name, *of])} |" for name, of in cells.items())]


def keep(rows: Mapping[str, Costs], file: Path = MEASURED) -> None:
    """Write queues.toml, with the digits of the table."""
    lines = [
        "# What a packet costs in each queue: the table of README.md, which explains its columns. Written by",
        "#     python benchmarks/dumbbell/queues.py",
        "",
    ]
    for name, costs in rows.items():
        numbers = [f"{column} = {costs[column]:.{digits}f}" for column, digits in COLUMNS.items()]
        key = json.dumps(name) if ":" in name else name
        lines.append(f"{key} = {{ {', '.join(numbers)} }}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def kept(file: Path = MEASURED) -> dict[str, Costs]:
    """The content of queues.toml."""
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _costs_alone(row: dict[str, float]) -> Costs:
    """The measurements of a queue alone."""
    return {
        "alone_100": row["ns"],
        "alone_1000": row["ns_1000"],
        "alone_100000": row["ns_100000"],
        "full_1000": row["full"],
        "allocations": row["allocations"],
        "backlog": row["backlog"],
    }


def _costs_of_runs(ours: Sequence[str], name: str, cpu: int) -> Costs:
    """The measurements of whole runs with a queue."""
    return {f"run_{flows}": _run_us(ours, name, arguments, cpu) for flows, arguments in RUNS.items()}


def main() -> None:
    """Measures queues alone, and runs of those that have no row; keeps both, and writes the table."""
    rows = kept()
    names = of_registry()
    only_new = "--new" in sys.argv
    new = [name for name in names if name not in rows]
    for row in _alone(new if only_new else ()) if new or not only_new else ():
        name = str(row["queue"])
        runs = rows[name] if name in rows else _costs_of_runs([str(RUN)], name, max(os.sched_getaffinity(0)))
        rows[name] = {**runs, **_costs_alone(row)}
    rows = {name: rows[name] for name in names if name in rows}
    keep(rows)
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("| queue | alone, ns:"))
    last = next(number for number in range(first, len(lines)) if not lines[number].startswith("|"))
    if not only_new:
        made = f"A queue alone was measured by `queues.py`, {datetime.date.today().isoformat()}: {machine()}."
        lines[first - 2] = f"{INTRODUCTION} {made}"
    lines[first:last] = table(rows)
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
