"""Queues by class against ns-2's: CBQ, FQ and assured forwarding, on one link each.

    python tests/peers/classes.py [--seeds 20] [--only NAME ...] [--with SETTINGS] [--write]

prints a line for each group of flows: its throughput, losses and waits, on both sides. Topology and metrics are those
of ns2_classes.tcl; the settings are in class_settings.py. `--with 'idles = "link"'` changes our queue, one behaviour at
a time.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[2] / "evidence"))

import tables
from class_settings import SETTINGS, Group, Setting
from ns2 import Metrics, Ns2Error, available

import sojourn
from sojourn.stats import Interval, mean_interval

SCRIPT = Path(__file__).resolve().parent / "ns2_classes.tcl"
KEPT = tables.EVIDENCE / "ns2" / "classes.toml"
ABOUT = [
    "Queues by class beside ns-2: its mean with half of its 99 % interval, and ours.",
    "Written by",
    "    python tests/peers/classes.py --write",
]
TOLERANCE = {"bps": 0.05, "loss": 0.10, "wait": 0.05, "queue": 0.05}
"""A difference agrees inside its 99 % interval, as both sides vary alike, or within this part of ns-2's mean."""
FLOOR = {"bps": 0.0, "loss": 0.001, "wait": 0.1, "queue": 0.05}
"""Or within these amounts: a loss of 0.1 %, 0.1 ms, a twentieth of a packet. Neither side promises less."""


def spec(setting: Setting) -> str:
    """The setting as ns2_classes.tcl reads it."""
    lines = [f"run {setting.law.kind} {setting.rate_kbit} {setting.law.limit} {setting.duration} {setting.warmup}"]
    lines += setting.law.spec()
    for group in setting.groups:
        numbers = (group.count, group.delay_ms, group.spread, group.rate, group.packet, *group.times)
        words = (group.name, group.kind, *numbers, setting.law.class_of(group), setting.law.meter_of(group))
        lines.append(" ".join(["group", *map(str, words)]))
    return "\n".join(lines) + "\n"


def theirs(setting: Setting, seed: int, trace: Path | None = None) -> Metrics:
    """A run of ns-2, which may write its trace."""
    if not available():
        raise Ns2Error("ns-2 is not installed: no program `ns` found (Debian and Ubuntu: apt install ns2)")
    with tempfile.TemporaryDirectory(prefix="ns2-") as directory:
        path = Path(directory) / "spec"
        path.write_text(spec(setting), encoding="utf-8")
        command = ["ns", str(SCRIPT), f"spec={path}", f"seed={seed}", *([f"trace={trace}"] if trace else [])]
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    try:
        return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    except (StopIteration, json.JSONDecodeError):
        raise Ns2Error(f"seed {seed}: ns exit {done.returncode}: {(done.stderr or done.stdout).strip()}") from None


def scenario_text(setting: Setting, more: str = "") -> str:
    """The same as a scenario file; `more` are further settings of our queue."""
    queue = ", ".join(part for part in (setting.law.queue(setting.groups), more) if part)
    return f"""
title = "classes"
duration = "{setting.duration}s"
warmup = "{setting.warmup}s"

[dumbbell]
rate = "{setting.rate_kbit}kbit"
delay = "5ms"
mean_packet = "1000B"
queue = {{ {queue} }}
reverse_queue = {{ kind = "fifo", preset = "ns2", limit = "100000p" }}
access = {{ rate = "1000Mbit", delay = "10ms" }}
{"".join(flows(setting))}"""


def flows(setting: Setting) -> Iterator[str]:
    """The groups of flows."""
    for group in setting.groups:
        least, greatest = (group.delay_ms * (1 + part * group.spread) for part in (-1, 1))
        yield f"""
[[flow]]
name = "{group.name}"
count = {group.count}
start = {{ at = "0s", spread = "1s" }}
access = {{ rate = "1000Mbit", delay = ["{least:.9g}ms", "{greatest:.9g}ms"] }}
app = {app(group)}
transport = {transport(group)}
{setting.law.marks(group)}
"""


def app(group: Group) -> str:
    """A source as an inline table."""
    match group.kind:
        case "tcp":
            return '"bulk"'
        case "cbr":
            return f'{{ kind = "cbr", rate = "{group.rate}kbit", jitter = 0.5 }}'
        case _:
            on, off = group.times
            return (
                f'{{ kind = "on_off", preset = "ns2", rate = "{group.rate}kbit", packet = "auto", '
                f'law = "exponential", on = "{on}ms", off = "{off}ms" }}'
            )


def transport(group: Group) -> str:
    """A sender as an inline table."""
    if group.kind == "tcp":
        own = 'profile = "ns2", recovery = "sack"'
        return f'{{ kind = "tcp", {own}, window = "{group.rate}p", packet = "{group.packet}B" }}'
    return f'{{ kind = "udp", packet = "{group.packet}B" }}'


def measured(setting: Setting, result: sojourn.Result) -> Metrics:
    """The measurements of ns2_classes.tcl."""
    rows = {row["group"]: row for row in result.group.iter_rows(named=True)}
    found = {"queue": float(result.queue["backlog_mean_packets"][0])}
    for group in setting.groups:
        row = rows[group.name]
        found[f"{group.name}.bps"] = row["throughput_mean_bps"] * group.count
        found[f"{group.name}.loss"] = row["loss_ratio"]
        found[f"{group.name}.wait"] = row["queueing_mean_ms"]
    return found


@dataclass(frozen=True)
class Row:
    """One metric on both sides."""

    setting: str
    metric: str
    theirs: Interval
    ours: Interval

    @property
    def agrees(self) -> bool:
        """The difference lies inside its 99 % interval or within the tolerance."""
        kind = self.metric.split(".")[-1]
        interval = math.hypot(self.theirs.half_width, self.ours.half_width)
        allowed = max(interval, TOLERANCE[kind] * self.theirs.mean, FLOOR[kind])
        return abs(self.ours.mean - self.theirs.mean) <= allowed

    def __str__(self) -> str:
        return (
            f"{self.setting:22} {self.metric:14} ns-2 {self.theirs.mean:11.5g} +- {self.theirs.half_width:8.2g}  "
            f"ours {self.ours.mean:11.5g} +- {self.ours.half_width:8.2g}  {'' if self.agrees else 'DIFFERS'}"
        )


def compare(name: str, seeds: Sequence[int], more: str = "", workers: int = 2) -> list[Row]:
    """Each metric of a setting over these seeds; `more` are further settings of our queue."""
    with ThreadPoolExecutor(workers) as pool:
        peer = list(pool.map(lambda seed: theirs(SETTINGS[name], seed), seeds))
    return beside(name, peer, seeds, more)


def beside(name: str, peer: Sequence[Metrics], seeds: Sequence[int], more: str = "") -> list[Row]:
    """The same for runs of ns-2 that are there."""
    setting = SETTINGS[name]
    scenario = sojourn.Scenario.from_toml(scenario_text(setting, more))
    mine = [measured(setting, result) for _, result in sojourn.replicate(scenario, seeds=seeds).results]
    return [
        Row(name, metric, *(mean_interval([run[metric] for run in side], level=0.99) for side in (peer, mine)))
        for metric in peer[0]
    ]


HEAD = (
    "| setting | group | rate (kbit/s) | loss (%) | wait (ms) | mean queue (packets) |",
    "|---|---|---|---|---|---|",
)


def table(rows: Sequence[Row]) -> list[str]:
    """The lines of a setting: in each cell ns-2's mean and half-width, and our mean."""
    of = {row.metric: row for row in rows}
    names = dict.fromkeys(metric.split(".")[0] for metric in of if "." in metric)
    lines = []
    for number, name in enumerate(names):
        cells = [
            _cell(of[f"{name}.bps"], 1e-3, 1),
            _cell(of[f"{name}.loss"], 100, 3),
            _cell(of[f"{name}.wait"], 1, 2),
            "" if number else _cell(of["queue"], 1, 2),
        ]
        lines.append(f"| {'' if number else rows[0].setting} | {name} | " + " | ".join(cells) + " |")
    return lines


def _cell(row: Row, scale: float, digits: int) -> str:
    text = (
        f"{scale * row.theirs.mean:.{digits}f} ± {scale * row.theirs.half_width:.{digits}f}, "
        f"{scale * row.ours.mean:.{digits}f}"
    )
    return text if row.agrees else f"**{text}**"


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare queues by class with ns-2's.")
    parser.add_argument("--seeds", type=int, default=20, help="seeds 1 to this number (default 20)")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=SETTINGS, help="these settings only")
    parser.add_argument("--with", dest="more", default="", metavar="SETTINGS", help="further settings of our queue")
    parser.add_argument("--write", action="store_true", help=f"keep the table in {KEPT.name}; needs all settings")
    arguments = parser.parse_args()
    if arguments.write and (arguments.only or arguments.more):
        parser.error("--write needs all settings as they are")
    lines, wrong = list(HEAD), 0
    for name in arguments.only or SETTINGS:
        rows = compare(name, range(1, arguments.seeds + 1), arguments.more)
        print(*rows, sep="\n", flush=True)
        lines += table(rows)
        wrong += sum(not row.agrees and row.metric not in SETTINGS[name].differs for row in rows)
    if arguments.write:
        columns, *kept = tables.cells(lines)
        tables.write(KEPT, ABOUT, columns, kept)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
