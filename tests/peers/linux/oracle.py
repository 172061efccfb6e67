"""Compares profile `linux` with the kernel's own TCP, over the settings of settings.toml.

    python tests/peers/linux/oracle.py measure [--runs 4] [--workers 1] [--only NAME ...] [--add]

runs the kernel (Linux, root; a run takes a minute) and keeps its measurements in measured.json, beside the kernel's
version. Runs in which the forwarder was late, or iperf3 got no processor, are repeated.

    python tests/peers/linux/oracle.py compare [--seeds 20] [--only NAME ...] [--switches TEXT] [--write]

runs ours, and prints both as a table; with `--write` both are kept in compared.toml, too. `shares` runs ours with one
behaviour after the other taken back. `--switches` are settings of `tcp` that replace the profile's, such as
'ack_delay = "25ms"; limited_transmit = false'.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[3] / "evidence"))

import kernel
import simulated
import tables
from settings import Setting, load_settings

import sojourn
from sojourn.stats import Interval, mean_interval

KEPT = tables.EVIDENCE / "linux" / "namespaces"
MEASURED = KEPT / "measured.json"
COMPARED = KEPT / "compared.toml"
SWITCHED = KEPT / "switches.toml"
ABOUT_SWITCHED = [
    "The kernel's mean queue and its losses and marks; by how much ours differ, with one behaviour switched off.",
    "Written by",
    "    python tests/peers/linux/oracle.py shares --seeds 6 --write",
]
SEEDS = 20
"""The numbers of ours."""
ATTEMPTS = 3
"""How often a run is made until the forwarder was in time."""
LATEST_US = {"99": 1_000.0, "99.9": 5_000.0}
"""How late the forwarder may hand over packets, in microseconds by percentile; a packet takes 1200. None may be later
than 10 ms and half of the time of a full buffer: delayed packets arrive as a burst."""


def is_late(late_us: dict[str, float], setting: Setting) -> bool:
    most = {**LATEST_US, "100": max(1e4, 0.5 * setting.limit * setting.packet * 8 / setting.rate_mbit)}
    return any(late_us[share] > bound for share, bound in most.items())


def is_starved(waited: float, setting: Setting) -> bool:
    """Whether a sender or reader waited too long for a processor. Linux lets a sender write as much again as its window
    holds, which lasts for a round trip through the queue."""
    return waited > 2e-3 * setting.delay_ms + setting.limit * setting.packet * 8e-6 / setting.rate_mbit


def measure_one(setting: Setting, seed: int, folder: Path | None = None) -> dict[str, float] | None:
    """A run's metrics; absent if the machine is too busy. A run that fails each time is an error."""
    for attempt in range(ATTEMPTS):
        last = attempt == ATTEMPTS - 1
        try:
            seen = kernel.run(setting, seed, folder / f"{setting.name}-{seed}" if folder else None)
        except kernel.KernelError as error:
            if last:
                raise
            print(setting.name, seed, error, file=sys.stderr, flush=True)
            continue
        print(setting.name, seed, seen.late_us, f"starved {1e3 * seen.starved:.1f} ms", file=sys.stderr, flush=True)
        try:
            metrics = seen.metrics()
        except ValueError as error:
            print(setting.name, seed, error, file=sys.stderr, flush=True)
            continue
        if not is_starved(seen.starved, setting) and not is_late(seen.late_us, setting):
            return metrics
    return None


def measure(settings: Sequence[Setting], runs: int, workers: int, folder: Path | None, *, add: bool = False) -> None:
    """Runs the kernel and keeps its measurements; earlier ones of these settings are replaced, or with `add`
    completed to this many runs."""
    kept = recorded()
    add = add and kept["kernel"] == kernel.version()
    kept["kernel"] = kernel.version()
    before = {each.name: kept["runs"].get(each.name, []) if add else [] for each in settings}
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        jobs = {
            pool.submit(measure_one, setting, seed, folder): (setting.name, seed)
            for setting in settings
            if setting.control in kernel.controls()
            for seed in range(len(before[setting.name]) + 1, runs + 1)
        }
        fresh: dict[str, dict[int, dict[str, float]]] = {
            name: dict(enumerate(metrics, 1)) for name, metrics in before.items()
        }
        for job in as_completed(jobs):
            name, seed = jobs[job]
            if (metrics := job.result()) is None:
                print(f"{name}: run {seed} was late {ATTEMPTS} times; left out", file=sys.stderr)
                continue
            fresh[name][seed] = metrics
            kept["runs"][name] = [fresh[name][each] for each in sorted(fresh[name])]
            keep(kept)


def keep(kept: dict) -> None:
    """Writes measured.json, a run on each line."""
    lines = []
    for name in sorted(kept["runs"]):
        runs = ",\n   ".join(
            json.dumps({key: float(f"{value:.6g}") for key, value in run.items()}) for run in kept["runs"][name]
        )
        lines.append(f'  "{name}": [\n   {runs}\n  ]')
    text = ",\n".join(lines)
    MEASURED.write_text(f'{{\n "kernel": "{kept["kernel"]}",\n "runs": {{\n{text}\n }}\n}}\n', encoding="utf-8")


def recorded() -> dict:
    """The measurements: the kernel's version, and by setting a list of runs."""
    if not MEASURED.exists():
        return {"kernel": "", "runs": {}}
    return json.loads(MEASURED.read_text(encoding="utf-8"))


# ---- The comparison.

COLUMNS = {
    "mean_queue": ("mean queue (packets)", 1.0, 2),
    "loss": ("loss (%)", 100.0, 3),
    "mark_ratio": ("marks (%)", 100.0, 3),
    "goodput": ("goodput (% of the rate)", 100.0, 2),
    "jain": ("Jain's index", 1.0, 3),
    "acks": ("acknowledgements per packet", 1.0, 3),
    "drops_per_episode": ("losses per overflow", 1.0, 2),
}
"""The columns of the table: a title, the factor of the number, and its digits."""
TOLERANCE = {"mean_queue": 0.03, "loss": 0.10, "mark_ratio": 0.10}
"""A difference within this share of the kernel's mean agrees in any case; the other columns are shown only."""
LEVEL = 0.95
"""Confidence of the kernel's interval of the mean."""


@dataclass(frozen=True)
class Comparison:
    """One metric of one setting on both sides."""

    setting: str
    metric: str
    theirs: Interval
    ours: Interval

    @property
    def agrees(self) -> bool:
        """Our mean lies inside the kernel's interval or within the tolerance."""
        if self.metric not in TOLERANCE:
            return True
        difference = abs(self.ours.mean - self.theirs.mean)
        return difference <= max(self.theirs.half_width, TOLERANCE[self.metric] * self.theirs.mean)

    @property
    def relative(self) -> float:
        """Our mean over theirs, less one; 0 if both are zero."""
        if self.theirs.mean == 0.0:
            return 0.0 if self.ours.mean == 0.0 else float("inf")
        return self.ours.mean / self.theirs.mean - 1.0

    def __str__(self) -> str:
        verdict = "agrees" if self.agrees else "DIFFERS"
        return (
            f"{self.setting} {self.metric} {verdict}: kernel {self.theirs.mean:.5g} +- {self.theirs.half_width:.2g}, "
            f"ours {self.ours.mean:.5g} +- {self.ours.half_width:.2g} ({self.relative:+.1%})"
        )


def compare(settings: Sequence[Setting], seeds: Sequence[int], switches: str = "") -> list[list[Comparison]]:
    """Ours beside the measurements: one list for each setting, with an entry for each column."""
    kept = recorded()["runs"]
    mine = simulated.run_all(settings, seeds, switches)
    return [
        [
            Comparison(
                setting.name,
                metric,
                mean_interval([run[metric] for run in kept[setting.name]], level=LEVEL),
                mean_interval([run[metric] for run in runs], level=LEVEL),
            )
            for metric in COLUMNS
        ]
        for setting, runs in zip(settings, mine, strict=True)
    ]


def comparable(settings: Sequence[Setting]) -> list[Setting]:
    """Those that were measured and whose control we have."""
    kept = recorded()["runs"]
    return [each for each in settings if len(kept.get(each.name, ())) > 1 and each.control in simulated.CONTROLS]


def table(rows: Sequence[Sequence[Comparison]]) -> str:
    """The comparison as a Markdown table: in each cell the kernel's mean and half-width, ours, and the difference."""
    lines = [
        "| setting | " + " | ".join(title for title, _, _ in COLUMNS.values()) + " |",
        "|---" * (1 + len(COLUMNS)) + "|",
    ]
    lines += [f"| {row[0].setting} | " + " | ".join(_cell(entry) for entry in row) + " |" for row in rows]
    return "\n".join(lines)


def keep_rows(rows: Sequence[Sequence[Comparison]], file: Path = COMPARED) -> None:
    """Write compared.toml, with the digits of the table; rows of other settings stay, in the order of settings.toml."""
    kept = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    for row in rows:
        kept[row[0].setting] = {
            entry.metric: {
                "linux": round(entry.theirs.mean, _digits(entry.metric)),
                "half_width": round(entry.theirs.half_width, _digits(entry.metric)),
                "ours": round(entry.ours.mean, _digits(entry.metric)),
                "agrees": entry.agrees,
            }
            for entry in row
        }
    lines = [
        "# The kernel's means with their 95 % intervals, ours, and whether ours agrees. Written by",
        "#     python tests/peers/linux/oracle.py compare --write",
    ]
    for name in [name for name in load_settings() if name in kept]:
        lines += ["", f"[{name}]"]
        for metric, cell in kept[name].items():
            numbers = ", ".join(f"{key} = {json.dumps(value)}" for key, value in cell.items())
            lines.append(f"{metric} = {{ {numbers} }}")
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _digits(metric: str) -> int:
    """Two more digits for a number that the table multiplies by 100."""
    _, scale, digits = COLUMNS[metric]
    return digits + (2 if scale == 100.0 else 0)


def _cell(entry: Comparison) -> str:
    if entry.theirs.mean == entry.ours.mean == 0.0:
        return "none"
    _, scale, digits = COLUMNS[entry.metric]
    text = (
        f"{scale * entry.theirs.mean:.{digits}f} ± {scale * entry.theirs.half_width:.{digits}f}, "
        f"{scale * entry.ours.mean:.{digits}f}, {entry.relative:+.1%}"
    )
    return text if entry.agrees else f"**{text}**"


# ---- The effect of each switch.

SWITCHES = {
    "profile `linux`": "",
    "`offload = false`": "offload = false",
    "`defer = false`": "defer = false",
    '`sack_delay = "0s"`': 'sack_delay = "0s"',
    '`growth = "bytes"`': 'growth = "bytes"',
    '`rate_reduction = "pause"`': 'rate_reduction = "pause"',
    '`recovery = "sack"`': 'recovery = "sack"\nf_rto = false\noffload = false',
    "`quick_acks = 0`": "quick_acks = 0",
    "`f_rto = false`": "f_rto = false",
    "`undo = false`": "undo = false",
    "`dsack = false`": "dsack = false",
    "`tail_probe = false`": "tail_probe = false",
    '`rto_law = "real"`': 'rto_law = "real"',
    "control without preset": 'control = { kind = "KIND" }',
}
"""Ours, and ours with one behaviour taken back."""


def shares(settings: Sequence[Setting], seeds: Sequence[int]) -> str:
    """Mean queue and loss of the kernel, of ours, and of ours with each behaviour taken back, as a Markdown table."""
    kept = recorded()["runs"]
    columns = {}
    for title, switch in SWITCHES.items():
        able = [setting for setting in settings if _is_possible(setting, switch)]
        columns[title] = dict(
            zip([setting.name for setting in able], simulated.run_all(able, seeds, switch), strict=True)
        )
    lines = ["| setting | kernel | " + " | ".join(columns) + " |", "|---" * (2 + len(columns)) + "|"]
    for setting in settings:
        theirs = _both(kept[setting.name])
        cells = [
            _beside(_both(runs[setting.name]), theirs) if setting.name in runs else "not possible"
            for runs in columns.values()
        ]
        lines.append(f"| {setting.name} | {theirs[0]:.2f}, {100 * theirs[1]:.3f} % | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _is_possible(setting: Setting, switch: str) -> bool:
    """BBR needs samples of the delivery rate, which `sack` does not take."""
    try:
        sojourn.Scenario.from_toml(simulated.scenario_text(setting, switch))
    except sojourn.ScenarioError:
        return False
    return True


def _both(runs: Sequence[dict[str, float]]) -> tuple[float, float]:
    """Mean queue, and the share lost or marked."""
    congested = [run["loss"] + run["mark_ratio"] for run in runs]
    return sum(run["mean_queue"] for run in runs) / len(runs), sum(congested) / len(runs)


def _beside(ours: tuple[float, float], theirs: tuple[float, float]) -> str:
    return ", ".join(
        f"{mine / other - 1.0:+.1%}" if other else ("none" if mine == other else f"{100 * mine:.3f} % for none")
        for mine, other in zip(ours, theirs, strict=True)
    )


# ---- The commands.


def main() -> int:
    arguments = parsed()
    settings = load_settings()
    names = arguments.only or list(settings)
    if unknown := [name for name in names if name not in settings]:
        print(f"no setting {', '.join(unknown)}; known are {', '.join(settings)}", file=sys.stderr)
        return 2
    chosen = [settings[name] for name in names]
    if arguments.command == "measure":
        if why := kernel.missing():
            print(f"the kernel's TCP is not measured: {why}", file=sys.stderr)
            return 0
        if arguments.keep:
            arguments.keep.mkdir(parents=True, exist_ok=True)
        measure(chosen, arguments.runs, arguments.workers, arguments.keep, add=arguments.add)
        return 0
    if arguments.command == "shares":
        text = shares(comparable(chosen), range(1, arguments.seeds + 1))
        print(text)
        if arguments.write:
            columns, *kept = tables.cells(text.splitlines())
            tables.write(SWITCHED, ABOUT_SWITCHED, columns, kept)
        return 0
    rows = compare(comparable(chosen), range(1, arguments.seeds + 1), arguments.switches.replace(";", "\n"))
    print(table(rows))
    if arguments.write:
        keep_rows(rows)
    wrong = [entry for row in rows for entry in row if not entry.agrees]
    for entry in wrong:
        print(entry, "- known" if settings[entry.setting].deviation else "", file=sys.stderr)
    return 1 if any(not settings[entry.setting].deviation for entry in wrong) else 0


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure", help="run the kernel")
    measuring.add_argument("--runs", type=int, default=4)
    measuring.add_argument("--workers", type=int, default=1, help="runs at a time")
    measuring.add_argument("--add", action="store_true", help="keep earlier runs, and make those that are missing")
    measuring.add_argument("--keep", type=Path, metavar="FOLDER", help="keep there what the forwarder saw")
    comparing = commands.add_parser("compare", help="run ours and show both")
    comparing.add_argument("--switches", default="", help="settings of tcp that replace the profile's")
    sharing = commands.add_parser("shares", help="run ours with one behaviour after the other taken back")
    for command in (comparing, sharing):
        command.add_argument("--seeds", type=int, default=SEEDS, help=f"seeds 1 to this number (default {SEEDS})")
        command.add_argument("--write", action="store_true", help="keep the result in evidence/linux/namespaces")
    for command in (measuring, comparing, sharing):
        command.add_argument("--only", nargs="+", metavar="NAME", help="these settings only")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
