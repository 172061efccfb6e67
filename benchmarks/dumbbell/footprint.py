"""Memory, set-up, start-up and the gain of a second worker: the second half of evidence/speed/README.md."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from process import spread_of_ratios

ROOT = Path(__file__).resolve().parents[2]
SOJOURN = Path(sys.executable).with_name("sojourn")
# Linux counts what a process inherits when it is started: a peak below 12 MiB is that of the interpreter starting it.
FEW, MANY = 20_000, 100_000
ROUNDS = 5
DONE = ("c=10000", "t=3", "packets=3")

TINY = """
duration = "1ms"
[dumbbell]
rate = "10Mbit"
delay = "10ms"
[[flow]]
count = 2
"""

# Long enough that starting the threads does not count.
WORKERS = """
import time, sojourn
scenario = sojourn.Scenario.from_toml('''
duration = "200s"
[dumbbell]
rate = "50Mbit"
delay = "10ms"
queue = "red"
[[flow]]
count = 20
''')
def wall(workers):
    start = time.perf_counter()
    sojourn.replicate(scenario, seeds=range(1, 9), workers=workers)
    return time.perf_counter() - start
wall(2)
import json
print(json.dumps([[wall(1), wall(2)] for _ in range(5)]))
"""


def _usage(command: Sequence[str]) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and peak KiB of one process."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit {child.returncode}")
    return time.perf_counter() - start, usage.ru_utime + usage.ru_stime, float(usage.ru_maxrss)


def _median(command: Sequence[str]) -> tuple[float, float, float]:
    runs = [_usage(command) for _ in range(ROUNDS)]
    wall, cpu, peak = (statistics.median(column) for column in zip(*runs, strict=True))
    return wall, cpu, peak


def _each(few: tuple[float, float, float], many: tuple[float, float, float]) -> str:
    return f"{(many[2] - few[2]) / (MANY - FEW):.2f} KiB"


def _flows(ours: Sequence[str]) -> list[str]:
    few = _median([*ours, f"n={FEW}", "c=1000", "t=0.001"])
    many = _median([*ours, f"n={MANY}", "c=1000", "t=0.001"])
    few_done = _median([*ours, f"n={FEW}", *DONE])
    many_done = _median([*ours, f"n={MANY}", *DONE])
    return [
        f"| memory of a flow, its first packet on the way | {_each(few, many)} | peak of the process at {MANY} flows "
        f"less that at {FEW}, by {MANY - FEW}, the tables of results included |",
        f"| memory of a flow that has sent 3 packets | {_each(few_done, many_done)} | the same |",
        f"| set-up of {MANY} flows | {many[0]:.2f} s (CPU {many[1]:.2f} s) | the benchmark's dumbbell for 1 ms, "
        "reading the scenario included |",
    ]


def _start_up() -> list[str]:
    with tempfile.TemporaryDirectory() as directory:
        scenario = Path(directory) / "tiny.toml"
        scenario.write_text(TINY)
        run = _median([str(SOJOURN), "run", str(scenario)])
    shown = _median([str(SOJOURN), "--help"])
    return [
        f"| `sojourn --help` | {shown[0]:.2f} s | wall |",
        f"| `sojourn run` of 1 ms | {run[0]:.2f} s | wall, from the shell to the printed table and back |",
    ]


def _at_once(command: Sequence[str], count: int) -> float:
    """Wall seconds until `count` processes that were started together have ended."""
    start = time.perf_counter()
    children = [subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=ROOT) for _ in range(count)]
    if any(child.wait() != 0 for child in children):
        raise SystemExit(f"{' '.join(command)}: failed")
    return time.perf_counter() - start


def _workers(ours: Sequence[str]) -> list[str]:
    output = subprocess.run([sys.executable, "-c", WORKERS], check=True, capture_output=True, text=True, cwd=ROOT)
    gains = [one / two for one, two in json.loads(output.stdout)]
    run = [*ours, "n=20", "c=20", "t=4000"]
    bounds = [2 * _at_once(run, 1) / _at_once(run, 2) for _ in range(ROUNDS)]
    return [
        f"| two workers against one | {spread_of_ratios(gains)} times | wall, 8 replications |",
        f"| the same of two processes | {spread_of_ratios(bounds)} times | wall; of two programs that share nothing |",
    ]


def report(ours: Sequence[str]) -> str:
    """The table, as Markdown."""
    lines = ["## Memory and start-up", "", f"Medians of {ROUNDS}.", "", "| what | measured | how |", "|---|---|---|"]
    lines += _flows(ours)
    if SOJOURN.exists():
        lines += [*_start_up(), *_workers(ours)]
    return "\n".join([*lines, ""])
