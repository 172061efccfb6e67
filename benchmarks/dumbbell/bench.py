"""CPU time of our simulator and of ns-2 on the same dumbbell.

    python benchmarks/dumbbell/bench.py [--rounds 5] [--only 10 100] [--ours "COMMAND"] [--write]

Both get n= c= t= seed= aqm= tcp= as arguments and print one line of JSON; ours must hold `departures` and `drops` of
the bottleneck. Each round runs ns-2 and ours, each whole and again with t=0.001 (set-up only), alternating, pinned to
one CPU. The times are CPU seconds of whole processes as the operating system counts them; the run alone is the whole
less the set-up of the same round. ns-2's packets are counted in an extra, untimed run. A ratio is ns-2's time by ours,
per bottleneck packet and within one round, and is given as the median of the rounds with the lowest and highest.

Ours alone is measured with up to 10,000 flows and under other sources than bulk (`growth.py`), line by line
(`rooms.py`), without each of the engine's shortcuts (`ablation.py`), with each queue (`queues.py`), and in an idle
state (`footprint.py`); `heap.py` says what a flow's memory consists of. `--write`
puts the tables into evidence/speed/README.md, with machine, date and command, and keeps how many times faster ours is,
and what each queue costs, in speed.toml and queues.toml there.
"""

from __future__ import annotations

import argparse
import datetime
import os
import shlex
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import ablation
import footprint
import growth
import heap
import queue_growth
import queues
import rooms
from process import ROOT, SETUP_SECONDS, Run, execute, machine, spread

import pgo

SCRIPT = Path(__file__).resolve().with_name("dumbbell.tcl")
REPORT = ROOT / "evidence" / "speed" / "README.md"
SPEED = Path(__file__).resolve().parents[2] / "evidence" / "speed" / "speed.toml"
OURS = "target/release/examples/dumbbell"
QUEUES = {"red": "adaptive RED", "droptail": "drop-tail"}


@dataclass(frozen=True)
class Workload:
    flows: int
    rate_mbit: int
    seconds: float
    scheduler: str
    """ns-2's best for this size."""

    def arguments(self, seconds: float, options: argparse.Namespace) -> list[str]:
        return [
            f"n={self.flows}",
            f"c={self.rate_mbit}",
            f"t={seconds:g}",
            f"seed={options.seed}",
            f"aqm={options.aqm}",
            f"tcp={options.tcp}",
        ]


WORKLOADS = (
    Workload(10, 10, 100, "Splay"),
    Workload(100, 100, 100, "Splay"),
    Workload(1000, 1000, 20, "Calendar"),
)


@dataclass
class Timing:
    """The times of one simulator for one workload: an entry per round."""

    whole: list[float] = field(default_factory=list)
    setup: list[float] = field(default_factory=list)
    peak_mib: float = 0.0
    departures: int = 0
    drops: int = 0

    def add(self, whole: Run, setup: Run) -> None:
        self.whole.append(whole.cpu_seconds)
        self.setup.append(setup.cpu_seconds)
        self.peak_mib = max(self.peak_mib, whole.peak_mib)

    def count(self, run: Run) -> None:
        self.departures = int(run.output["departures"])
        self.drops = int(run.output["drops"])

    def whole_us(self) -> list[float]:
        """Microseconds per bottleneck packet, round by round."""
        return [1e6 * whole / self.departures for whole in self.whole]

    def run_us(self) -> list[float]:
        """The same without the set-up."""
        return [1e6 * (whole - setup) / self.departures for whole, setup in zip(self.whole, self.setup, strict=True)]


@dataclass(frozen=True)
class Row:
    workload: Workload
    ns2: Timing | None
    ours: Timing | None


def our_command(given: str) -> list[str] | None:
    """Our simulator's command, or None with a message if there is no such program."""
    command = shlex.split(given)
    program = shutil.which(str(ROOT / command[0]) if "/" in command[0] else command[0])
    if program is None:
        print(f"no program {command[0]} (`make bench` builds ours); it is left out", file=sys.stderr)
        return None
    return [program, *command[1:]]


def measure(workload: Workload, ours: list[str] | None, options: argparse.Namespace) -> Row:
    whole = workload.arguments(workload.seconds, options)
    setup = workload.arguments(SETUP_SECONDS, options)
    ns2 = ["ns", str(SCRIPT.relative_to(ROOT))]
    scheduler = f"sched={workload.scheduler}"

    row = Row(workload, Timing() if has_ns2() else None, Timing() if ours else None)
    if row.ns2:
        row.ns2.count(execute([*ns2, *whole, scheduler, "mon=1"], options.cpu))
    if ours and row.ours:
        row.ours.count(execute([*ours, *whole], options.cpu))
    for _ in range(options.rounds):
        if row.ns2:
            row.ns2.add(
                execute([*ns2, *whole, scheduler], options.cpu),
                execute([*ns2, *setup, scheduler], options.cpu),
            )
        if ours and row.ours:
            row.ours.add(execute([*ours, *whole], options.cpu), execute([*ours, *setup], options.cpu))
    return row


def has_ns2() -> bool:
    return shutil.which("ns") is not None


def ratios(theirs: Sequence[float], ours: Sequence[float]) -> list[float]:
    return [their / our for their, our in zip(theirs, ours, strict=True)]


def time_table(rows: Sequence[Row]) -> list[str]:
    lines = [
        "| flows | simulator | CPU s, whole | of it set-up | µs per packet, run | µs per packet, whole | peak MiB |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        for name, timing in (("ns-2", row.ns2), ("ours", row.ours)):
            if timing:
                lines.append(
                    f"| {row.workload.flows} | {name} | {spread(timing.whole)} | {spread(timing.setup)} "
                    f"| {spread(timing.run_us())} | {spread(timing.whole_us())} | {timing.peak_mib:.1f} |"
                )
    return lines


def faster(rows: Sequence[Row]) -> dict[str, dict[str, list[float]]]:
    """By flows: ns-2's time over ours round by round, of the run and of the whole process."""
    return {
        str(row.workload.flows): {
            "run": ratios(row.ns2.run_us(), row.ours.run_us()),
            "whole": ratios(row.ns2.whole_us(), row.ours.whole_us()),
        }
        for row in rows
        if row.ours and row.ns2
    }


def ratio_table(rows: Sequence[Row]) -> list[str]:
    lines = ["| flows | ns-2 / ours, run | ns-2 / ours, whole process |", "|---|---|---|"]
    for flows, found in faster(rows).items():
        lines.append(f"| {flows} | {spread(found['run'])} | {spread(found['whole'])} |")
    return lines


def keep(rows: Sequence[Row]) -> None:
    """Write speed.toml, with the digits of the table."""
    lines = [
        "# How many times less CPU ours takes than ns-2, by flows: median, least and greatest of the rounds.",
        "# Written with the table of evidence/speed/README.md by",
        "#     python benchmarks/dumbbell/bench.py --write",
    ]
    for flows, found in faster(rows).items():
        lines += ["", f"[flows-{flows}]"]
        for what, values in found.items():
            numbers = (statistics.median(values), min(values), max(values))
            lines.append(f"{what} = {[float(f'{number:.3g}') for number in numbers]}")
    SPEED.write_text("\n".join(lines) + "\n", encoding="utf-8")


def count_table(rows: Sequence[Row]) -> list[str]:
    lines = ["| flows | simulator | departures | drops | drop rate |", "|---|---|---|---|---|"]
    for row in rows:
        for name, timing in (("ns-2", row.ns2), ("ours", row.ours)):
            if timing:
                rate = timing.drops / (timing.departures + timing.drops)
                lines.append(f"| {row.workload.flows} | {name} | {timing.departures} | {timing.drops} | {rate:.2%} |")
    return lines


def unequal(rows: Sequence[Row]) -> list[str]:
    """The sizes at which the simulators do not do the same work: times of these could not be compared."""
    found = []
    for row in rows:
        if not (row.ns2 and row.ours):
            continue
        for what, bound in (("departures", 0.01), ("drops", 0.1)):
            theirs, ours = getattr(row.ns2, what), getattr(row.ours, what)
            if abs(ours - theirs) > bound * theirs:
                found.append(f"{row.workload.flows} flows: {theirs} {what} in ns-2, {ours} in ours (bound {bound:.0%})")
    return found


def ns2_version() -> str:
    if not has_ns2():
        return "not installed"
    script = "puts [ns-version]\nexit 0\n"
    done = subprocess.run(["ns", "-"], input=script, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def report(rows: Sequence[Row], options: argparse.Namespace) -> str:
    lines = ["## CPU time", "", *time_table(rows), ""]
    if any(row.ours and row.ns2 for row in rows):
        lines += ["## How many times faster", "", *ratio_table(rows), ""]
    lines += ["## Equal work", "", f"Packets at the bottleneck over the whole run with seed {options.seed}.", ""]
    lines += [*count_table(rows), ""]
    return "\n".join(lines)


def preface(rows: Sequence[Row], options: argparse.Namespace) -> str:
    workloads = [row.workload for row in rows]
    sizes = "; ".join(f"{w.flows} flows at {w.rate_mbit} Mbit/s for {w.seconds:g} s" for w in workloads)
    command = shlex.join(["python", str(Path(__file__).resolve().relative_to(ROOT)), *sys.argv[1:]])
    return f"""# Speed and memory, measured

`make bench` measures the numbers of this page and writes them here. A table from another command or another machine
says so.

The benchmark is a dumbbell of n TCP flows over one congested link: {sizes}. Access links have ten times that rate and
a delay of 5 ms. The bottleneck has a delay of 20 ms. Packets have 1000 bytes, and the buffer holds one
bandwidth-delay product. The queue is {QUEUES[options.aqm]}, and TCP is {options.tcp}.
`benchmarks/dumbbell/dumbbell.tcl` is the same scenario for ns-2. It runs ns-2 at its best: only the packet headers in
use, manual routing, no monitors or traces, and its fastest scheduler for the size.

- Machine: {machine()}; one CPU used
- Date: {datetime.date.today().isoformat()}
- ns-2: {ns2_version()}
- Command: `{command}`

CPU seconds are those of whole processes, as the operating system counts them. The time of a *run* is that of the
whole process less the set-up (the same command with t = {SETUP_SECONDS:g}). Every number is the median of the rounds
(lowest–highest). The simulators take turns, and a ratio is computed within each round. A peak below 14 MiB is that of
the interpreter that starts the process: the run itself needs less (5 MiB in small networks).

"""


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="CPU time of our simulator and of ns-2 on the same dumbbell.")
    parser.add_argument("--rounds", type=int, default=5)
    sizes = [w.flows for w in WORKLOADS]
    parser.add_argument("--only", nargs="+", type=int, metavar="FLOWS", choices=sizes, help="these sizes only")
    parser.add_argument("--ours", default=OURS, metavar="COMMAND", help=f"our simulator (default {OURS})")
    parser.add_argument("--aqm", choices=list(QUEUES), default="red")
    parser.add_argument("--tcp", choices=["sack", "newreno"], default="sack")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="the CPU to run on")
    parser.add_argument("--write", action="store_true", help="write evidence/speed/README.md")
    return parser.parse_args()


def kept(program: str) -> str:
    """The section of the page that another program makes, as it is there."""
    _, begin, rest = REPORT.read_text(encoding="utf-8").partition(f"<!-- begin {program} -->\n")
    inner, end, _ = rest.partition(f"<!-- end {program} -->\n")
    return begin + inner + end


def main() -> int:
    options = parse_arguments()
    ours = our_command(options.ours)
    if not has_ns2():
        print("ns-2 is not installed: no program `ns` found (Debian and Ubuntu: apt install ns2)", file=sys.stderr)
        if not ours:
            return 1
    workloads = [w for w in WORKLOADS if not options.only or w.flows in options.only]
    rows = []
    for workload in workloads:
        print(f"{workload.flows} flows ...", file=sys.stderr)
        rows.append(measure(workload, ours, options))
    differences = unequal(rows)
    if differences:
        print("the work is not equal:\n  " + "\n  ".join(differences), file=sys.stderr)
        return 1
    text = report(rows, options)
    costs: dict[str, queues.Costs] = {}
    if ours and not options.only:
        print("ours alone ...", file=sys.stderr)
        text += "\n" + pgo.kept()
        text += "\n" + growth.report(ours, options.cpu, options.rounds)
        text += "\n" + rooms.report(ours)
        text += "\n" + ablation.report(ours, options.cpu, options.rounds)
        costs = queues.measure(ours, options.cpu)
        text += "\n" + queues.report(costs)
        text += "\n" + queue_growth.report()
        print("memory and start-up ...", file=sys.stderr)
        text += "\n" + footprint.report(ours)
        text += "\n" + heap.report(ours)
        text += "\n" + kept("sizes.py")
    print(text)
    if options.write:
        REPORT.parent.mkdir(exist_ok=True)
        REPORT.write_text(preface(rows, options) + text)
        keep(rows)
        if costs:
            queues.keep(costs)
        print(f"wrote {REPORT.relative_to(ROOT)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
