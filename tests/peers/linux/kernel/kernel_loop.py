"""The closed loop: the same senders over the same queue in the kernel and in Sojourn, in the mean.

    kernel_loop.py measure --half first [--seeds 3]      runs the kernel: writes closed_loop.json
    kernel_loop.py ours --half first [--seeds 4]         runs Sojourn: writes closed_loop.json
    kernel_loop.py table                                 prints both

Settings are in two halves. The second one is run after the work on the first is done, so that nothing is tuned to it.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import re
import tempfile
import zlib
from dataclasses import dataclass, replace
from pathlib import Path

import fates
import kernel_build
import kernel_machine
import numpy as np
from kernel_machine import SECOND, Job
from recorded import QUEUES
from scipy.stats import t as student

import sojourn
from sojourn import stats

MEASURED = Path(__file__).resolve().parent / "closed_loop.json"
CONTROLS = {
    "cubic": '{ kind = "cubic", preset = "linux" }',
    "reno": '"reno"',
    "bbr": '{ kind = "bbr", preset = "linux" }',
    "dctcp": '"dctcp"',
}
# Those that nothing but this page compares; by the kernel's names.
SENDERS = ("htcp", "illinois", "bic", "hybla", "veno", "yeah", "nv", "cdg")
CONTROLS |= {name: f'{{ kind = "{name}", preset = "linux" }}' for name in SENDERS}
# How far our mean may be off: a part of the kernel's, for Jain's index a difference.
WITHIN = {"queue_packets": 0.02, "loss": 0.05, "marks": 0.05, "jain": 0.01}
# Recorded for their decisions, or to have a drop where others mark.
NOT_IN_THE_MEAN = {
    *("codel_ce", "codel_quick", "fq_codel_small", "fq_codel_few", "pie_quick", "red_harddrop"),
    *("htb", "htb_deep", "sfq_small", "sfq_headdrop"),
}
# Of 16 flows that are hashed to 1024 queues two share one in one run of nine, on either side. They get half of the
# others' rate then, and Jain's index is at most 0.985: such runs are left out on both sides.
SHARED = 0.99
RECORDED_ONLY = tuple(name for name in QUEUES if name.startswith("cake_") and name != "cake_flowblind")
# Below this a part of packets is a handful of them, which no mean tells apart.
FEW = 2e-4


@dataclass(frozen=True)
class Setting:
    """One row of the table."""

    queue: str
    control: str
    flows: int
    rate: int = 10_000_000
    rtt_ms: float = 40.0

    @property
    def name(self) -> str:
        """As the table has it."""
        return f"{self.queue}-{self.control}-{self.flows}-{self.rate // 1_000_000}mbit-{self.rtt_ms:.0f}ms"

    @property
    def half(self) -> str:
        """Which half it is in: chance, by its name."""
        return "first" if zlib.crc32(self.name.encode()) % 2 == 0 else "second"

    @property
    def ecn(self) -> bool:
        """Whether hosts speak ECN."""
        return self.queue.endswith("_ecn") or self.queue in ("fq_codel", "codel_ce")

    @property
    def seconds(self) -> tuple[float, float]:
        """When counting begins, and the end."""
        return (5.0, 25.0) if self.rate > 10_000_000 else (10.0, 60.0)

    def job(self, seed: int) -> Job:
        """What the kernel is to do."""
        queue, (warm, end) = QUEUES[self.queue], self.seconds
        job = Job(self.name, queue.tc, (self.control,) * self.flows, self.ecn, self.rate, self.rtt_ms)
        return replace(job, seconds=end, warm=warm, shapes_itself=queue.shapes_itself, seed=seed)

    def scenario(self) -> str:
        """What Sojourn is to do."""
        queue, (warm, end) = QUEUES[self.queue], self.seconds
        words = [f'kind = "{queue.name}"', *([f'preset = "{queue.preset}"'] if queue.preset else [])]
        words += [
            f"{key} = {value if value in ('true', 'false') else json.dumps(value)}" for key, value in queue.settings
        ]
        numbers = re.sub(r'= "([0-9.]+)"', r"= \1", ", ".join(words))
        return f"""
title = "{self.name}"
duration = "{end}s"
warmup = "{warm}s"
[dumbbell]
rate = "{self.rate}bit"
reverse_rate = "10Gbit"
delay = "{self.rtt_ms / 2}ms"
mean_packet = "1514B"
queue = {{ {numbers} }}
reverse_queue = {{ kind = "fifo", limit = "1000000p" }}
access = {{ rate = "100Gbit" }}
[[flow]]
name = "bulk"
count = {self.flows}
start = {{ at = "0s", spread = "2s" }}
[flow.transport]
kind = "tcp"
profile = "linux"
packet = "1514B"
header = "66B"
ack_size = "66B"
ecn = {json.dumps(self.ecn)}
ecn_fallback = false
control = {CONTROLS[self.control]}
"""


def settings() -> list[Setting]:
    """All rows."""
    plain = [name for name in QUEUES if name not in NOT_IN_THE_MEAN and not name.startswith(RECORDED_ONLY)]
    rows = [Setting(queue, control, flows) for queue in plain for control in ("cubic", "reno") for flows in (1, 4, 16)]
    for queue in ("pfifo", "codel", "fq_codel", "pie"):
        rows += [Setting(queue, "bbr", flows) for flows in (1, 4)]
        rows += [Setting(queue, "cubic", flows, 10_000_000, rtt) for flows in (1, 4, 16) for rtt in (10.0, 160.0)]
        rows += [Setting(queue, "cubic", flows, rate) for flows in (1, 4) for rate in (1_000_000, 100_000_000)]
    rows += [Setting(queue, "cubic", 100) for queue in ("pfifo", "codel", "fq_codel", "pie")]
    rows += [Setting(queue, "cubic", 100, 10_000_000, 160.0) for queue in ("codel", "fq_codel", "pie")]
    rows += [Setting(queue, "cubic", 100, 100_000_000) for queue in ("codel", "fq_codel")]
    rows += [Setting("codel_ce", "dctcp", flows) for flows in (1, 4, 16)]
    for control in SENDERS:
        rows += [Setting(queue, control, flows) for queue in ("pfifo", "codel", "red_ecn") for flows in (1, 4)]
        rows.append(Setting("codel", control, 4, 100_000_000))
    return rows


def of_run(out: Path, setting: Setting) -> dict[str, float]:
    """What one run of the kernel says."""
    log = (out / "log").read_text()
    zero = int(log.split("ZERO ")[-1].split()[0])
    begin, end = (zero + int(second * SECOND) for second in setting.seconds)
    calls = np.fromfile(out / ("queue.calls" if (out / "queue.calls").exists() else "link.calls"), fates.CALL)
    times, waiting = calls["time"].astype(np.int64), calls["waiting"].astype(float)
    # The backlog stays as a call leaves it until the next one.
    spans = np.diff(np.clip(times, begin, end), append=end)
    recorded = fates.of_calls(out / ("queue.calls" if (out / "queue.calls").exists() else "link.calls"), {})
    inside = (recorded.times >= begin) & (recorded.times < end)
    come = recorded.columns["kind"] == fates.COMES
    arrivals = int((inside & come).sum())
    marked = np.zeros(recorded.packets, bool)
    marked[recorded.left] = recorded.columns["field"] == 3
    counted = inside[come] & marked & (recorded.columns["ecn"] != 3)
    rates = [float(found) for found in re.findall(r"acked (\d+)", (out / "flows").read_text())]
    return {
        "queue_packets": float((waiting * spans).sum() / (end - begin)),
        "loss": float(recorded.columns["gone"][inside].sum() / arrivals),
        "marks": float(counted.sum() / arrivals),
        "jain": stats.jain_index(rates),
    }


def measure(chosen: list[Setting], seeds: int, known: dict[str, dict[str, list[dict[str, float]]]]) -> None:
    """Runs the kernel."""
    kernel = kernel_build.build()
    for setting in chosen:
        rows = known.setdefault(setting.name, {}).setdefault("kernel", [])
        for seed in range(len(rows) + 1, seeds + 1):
            with tempfile.TemporaryDirectory() as folder:
                rows.append(of_run(kernel_machine.run(kernel, setting.job(seed), Path(folder) / "run"), setting))
        keep(known)
        print(setting.name, rows[-1], flush=True)


def ours(chosen: list[Setting], seeds: int, known: dict[str, dict[str, list[dict[str, float]]]]) -> None:
    """Runs Sojourn."""
    for setting in chosen:
        scenario = sojourn.Scenario.from_toml(setting.scenario())
        study = sojourn.study({setting.name: scenario}, seeds=range(1, seeds + 1), workers=1)
        rows = []
        for result in study.of(setting.name):
            queue = result.queue.row(0, named=True)
            rates = result.flow["goodput_bps"].to_list()
            rows.append(
                {
                    "queue_packets": queue["backlog_mean_packets"],
                    "loss": queue["loss_ratio"],
                    "marks": queue["mark_ratio"],
                    "jain": stats.jain_index(rates),
                }
            )
        known.setdefault(setting.name, {})["ours"] = rows
        keep(known)
        print(setting.name, rows[-1], flush=True)


def keep(known: dict[str, dict[str, list[dict[str, float]]]]) -> None:
    """Writes what is known."""
    rounded = {
        name: {
            side: [{key: float(f"{value:.6g}") for key, value in row.items()} for row in rows]
            for side, rows in sides.items()
        }
        for name, sides in sorted(known.items())
    }
    MEASURED.write_text(json.dumps(rounded, indent=1) + "\n")


def read() -> dict[str, dict[str, list[dict[str, float]]]]:
    """What is known."""
    return json.loads(MEASURED.read_text()) if MEASURED.exists() else {}


# What a cell says: the difference and its 95 % interval are within the bound, beyond it, or neither.
VERDICTS = ("agrees", "differs", "cannot be told")


@dataclass(frozen=True)
class Cell:
    """One metric of one setting."""

    text: str
    # None where there is nothing on both sides.
    verdict: str | None
    # Whether the means are within the bound.
    near: bool


def apart(theirs: list[float], mine: list[float]) -> tuple[float, float]:
    """Our mean less theirs, and the half-width of its 95 % interval (Welch's)."""
    difference = sum(mine) / len(mine) - sum(theirs) / len(theirs)
    parts = [float(np.var(values, ddof=1)) / len(values) if len(values) > 1 else math.inf for values in (theirs, mine)]
    if sum(parts) == 0:
        return difference, 0.0
    if math.isinf(sum(parts)):
        return difference, math.inf
    freedom = sum(parts) ** 2 / sum(
        part**2 / (len(values) - 1) for part, values in zip(parts, (theirs, mine), strict=True)
    )
    return difference, float(student.ppf(0.975, freedom)) * math.sqrt(sum(parts))


def cell(metric: str, kernel: list[float], mine: list[float]) -> Cell:
    """Both means, their difference, and what it says."""
    theirs, here = stats.mean_interval(kernel), sum(mine) / len(mine)
    scale = 100.0 if metric in ("loss", "marks") else 1.0
    if theirs.mean == 0 and here == 0:
        return Cell("none", None, near=True)
    bound = WITHIN["jain"] if metric == "jain" else WITHIN[metric] * theirs.mean
    if metric in ("loss", "marks") and max(theirs.mean, here) < FEW:
        bound = FEW
    difference, half = apart(kernel, mine)
    if abs(difference) + half <= bound:
        verdict = "agrees"
    elif abs(difference) - half > bound:
        verdict = "differs"
    else:
        verdict = "cannot be told"
    part = difference / theirs.mean if theirs.mean else math.inf
    shown = f"{difference:+.3f}" if metric == "jain" else f"{part:+.1%}"
    own = (theirs.high - theirs.low) / 2
    text = f"{scale * theirs.mean:.3g} ± {scale * own:.2g}, {scale * here:.3g}, {shown}"
    marked = {"agrees": text, "differs": f"**{text}**", "cannot be told": f"{text} ?"}[verdict]
    return Cell(marked, verdict, near=abs(difference) <= bound)


@dataclass
class Score:
    """Of a half: cells by verdict, and how many of those that cannot be told have their means within the bound."""

    agrees: int = 0
    differs: int = 0
    cannot: int = 0
    near: int = 0

    def count(self, cells: list[Cell]) -> None:
        """One row more."""
        for found in cells:
            self.agrees += found.verdict == "agrees"
            self.differs += found.verdict == "differs"
            self.cannot += found.verdict == "cannot be told"
            self.near += found.verdict == "cannot be told" and found.near

    def __str__(self) -> str:
        of = self.agrees + self.differs + self.cannot
        return (
            f"of {of} cells {self.agrees} agree, {self.differs} differ, and {self.cannot} cannot be told "
            f"(the means of {self.near} of these are within the bounds)"
        )


def kept(setting: Setting, rows: list[dict[str, float]]) -> list[dict[str, float]]:
    """Runs that count."""
    hashed = QUEUES[setting.queue].hashing == "queues" or setting.queue == "sfq"
    alone = [row for row in rows if row["jain"] >= SHARED]
    return alone if hashed and 1 < setting.flows <= 16 and len(alone) > 1 else rows


def table(known: dict[str, dict[str, list[dict[str, float]]]]) -> tuple[list[str], dict[str, Score]]:
    """The rows, and the score of each half."""
    lines = [
        "| setting | seeds | mean queue (packets) | loss (%) | marks (%) | Jain's index |",
        "|---|---|---|---|---|---|",
    ]
    scores = {"first": Score(), "second": Score()}
    for setting in settings():
        sides = known.get(setting.name, {})
        if not sides.get("kernel") or not sides.get("ours"):
            continue
        kernel, mine = kept(setting, sides["kernel"]), kept(setting, sides["ours"])
        cells = [cell(metric, [row[metric] for row in kernel], [row[metric] for row in mine]) for metric in WITHIN]
        seeds = f"{len(kernel)}, {len(mine)}"
        lines.append(f"| {setting.name} | {seeds} | " + " | ".join(found.text for found in cells) + " |")
        scores[setting.half].count(cells)
    return lines, scores


def is_open(setting: Setting, known: dict[str, dict[str, list[dict[str, float]]]]) -> bool:
    """Whether more seeds may tell something."""
    sides = known.get(setting.name, {})
    if not sides.get("kernel") or not sides.get("ours"):
        return True
    kernel, mine = kept(setting, sides["kernel"]), kept(setting, sides["ours"])
    return any(
        cell(metric, [row[metric] for row in kernel], [row[metric] for row in mine]).verdict == "cannot be told"
        for metric in WITHIN
    )


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "ours", "table", "list"])
    parser.add_argument("--half", choices=["first", "second"])
    parser.add_argument("--only", default="*", help="names, as in the shell")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--open", action="store_true", help="only settings in which something cannot be told")
    given = parser.parse_args()
    chosen = [row for row in settings() if given.half in (None, row.half) and fnmatch.fnmatch(row.name, given.only)]
    known = read()
    if given.open:
        chosen = [row for row in chosen if is_open(row, known)]
    if given.what == "list":
        print("\n".join(f"{row.name} {row.half}" for row in chosen))
    elif given.what == "measure":
        measure(chosen, given.seeds, known)
    elif given.what == "ours":
        ours(chosen, given.seeds, known)
    else:
        lines, scores = table(known)
        print("\n".join(lines))
        print("\n".join(f"{half} half: {score}" for half, score in scores.items()))


if __name__ == "__main__":
    main()
