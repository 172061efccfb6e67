"""ns-2 as the oracle of the peer check: runs the settings of settings.toml and returns ns-2's measurements.

    python tests/peers/ns2.py [--seeds 20] [--workers 2] [--only NAME ...] [--json]

needs the program `ns` (Debian package ns2). Everything a run leaves behind is in a temporary directory of its own.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

Setting = dict[str, str | int | float | bool]
Metrics = dict[str, float]

HERE = Path(__file__).resolve().parent
SCRIPT = HERE / "ns2_dumbbell.tcl"
OURS = ("name", "deviation", "transfers", "transfer_packets")
"""Keys that the script of ns-2 does not read; it gets the transfers as a file."""
OF_QUEUES = ("mean_queue", "loss", "utilisation", "mark_ratio")
"""Metrics of each bottleneck; those of a further one have its suffix, as `loss@2`."""
OF_RUNS = ("share", "transfer", "nearest", "cuts")
"""Metrics of a run; -1 where there is nothing to share, to transfer or to cut."""
COMPARED = (*OF_QUEUES, *OF_RUNS)
"""The metrics that both simulators must agree on."""


class Ns2Error(RuntimeError):
    """ns-2 is missing or did not give a result."""


def load_settings(path: Path = HERE / "settings.toml") -> dict[str, Setting]:
    """The settings by name, each with the common values filled in."""
    document = tomllib.loads(path.read_text())
    settings: dict[str, Setting] = {}
    for own in document["setting"]:
        if own["name"] in settings:
            raise ValueError(f"{path.name}: two settings are called {own['name']!r}")
        settings[own["name"]] = document["common"] | own
    return settings


def further(setting: Setting) -> list[str]:
    """Suffixes of the bottlenecks beyond the first."""
    if setting.get("back"):
        return ["@back"]
    return [f"@{hop}" for hop in range(2, int(setting.get("hops", 1)) + 1)]


def transfers(setting: Setting) -> list[tuple[float, int]]:
    """Start in seconds and size in packets of each short transfer: the same for all seeds and for both simulators.

    There are `transfers` of them; they start at independent uniform times in the first part of the run (90 %, so that
    nearly all end), and have Pareto sizes of shape 1.5 and mean `transfer_packets`, at most a hundred times the mean.
    """
    draws = random.Random(str(setting["name"]))
    mean, last = float(setting["transfer_packets"]), 0.9 * float(setting["duration"])
    starts = sorted(round(draws.uniform(0.0, last), 6) for _ in range(int(setting["transfers"])))
    return [(start, math.ceil(min(mean / 3.0 * draws.paretovariate(1.5), 100 * mean))) for start in starts]


def available() -> bool:
    """Is there an ns-2 on this machine?"""
    return shutil.which("ns") is not None


def run(setting: Setting, seed: int, keep: Path | None = None) -> Metrics:
    """One run of ns-2, or the results of such a run in the folder `keep`; see ns2_dumbbell.tcl for the metrics."""
    arguments = [
        f"{key}={int(value) if isinstance(value, bool) else value}" for key, value in setting.items() if key not in OURS
    ]
    if keep is None:
        return _run(setting, seed, arguments)
    given = [SCRIPT.read_text(), *sorted(arguments), str(transfers(setting)) if "transfers" in setting else ""]
    key = hashlib.sha256("\n".join(given).encode()).hexdigest()[:16]
    kept = keep / f"{setting['name']}-{key}-{seed}.json"
    if not kept.exists():
        keep.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(_run(setting, seed, arguments)))
    return json.loads(kept.read_text())


def _run(setting: Setting, seed: int, arguments: list[str]) -> Metrics:
    if not available():
        raise Ns2Error("ns-2 is not installed: no program `ns` found (Debian and Ubuntu: apt install ns2)")
    arguments = list(arguments)
    with tempfile.TemporaryDirectory(prefix="ns2-") as directory:
        if "transfers" in setting:
            rows = "".join(f"{start:.6f} {packets}\n" for start, packets in transfers(setting))
            (Path(directory) / "transfers").write_text(rows)
            arguments.append("transfers=transfers")
        done = subprocess.run(
            ["ns", str(SCRIPT), *arguments, f"seed={seed}"],
            cwd=directory,
            capture_output=True,
            text=True,
            check=False,
        )
    try:
        return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    except (StopIteration, json.JSONDecodeError):
        message = (done.stderr or done.stdout).strip()
        raise Ns2Error(f"{setting.get('name')}, seed {seed}: ns exit {done.returncode}: {message}") from None


def run_all(
    settings: Iterable[Setting], seeds: Sequence[int], workers: int = 2, keep: Path | None = None
) -> list[list[Metrics]]:
    """Every setting with every seed: one list per setting, its entries in the order of `seeds`."""
    with ThreadPoolExecutor(workers) as pool:
        pending = [[pool.submit(run, setting, seed, keep) for seed in seeds] for setting in settings]
        try:
            return [[future.result() for future in row] for row in pending]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def main() -> int:
    parser = argparse.ArgumentParser(description="Run the peer check's settings in ns-2; print means (deviations).")
    parser.add_argument("--seeds", type=int, default=20, help="seeds 1 to this number (default 20)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these settings only")
    parser.add_argument("--json", action="store_true", help="every run's metrics instead of the table")
    arguments = parser.parse_args()

    settings = load_settings()
    names = arguments.only or list(settings)
    unknown = [name for name in names if name not in settings]
    if unknown:
        print(f"no setting {', '.join(unknown)}; known are {', '.join(settings)}", file=sys.stderr)
        return 2
    try:
        results = run_all([settings[name] for name in names], range(1, arguments.seeds + 1), arguments.workers)
    except Ns2Error as error:
        print(error, file=sys.stderr)
        return 1

    if arguments.json:
        print(json.dumps(dict(zip(names, results, strict=True)), indent=1))
        return 0
    print(f"{'setting':14}" + "".join(f"{metric:>22}" for metric in (*COMPARED, "mean_average")))
    for name, runs in zip(names, results, strict=True):
        cells = []
        for metric in (*COMPARED, "mean_average"):
            values = [one[metric] for one in runs]
            deviation = statistics.stdev(values) if len(values) > 1 else 0.0
            cells.append(f"{statistics.fmean(values):13.5g} ({deviation:.2g})".rjust(22))
        print(f"{name:14}" + "".join(cells))
    return 0


if __name__ == "__main__":
    sys.exit(main())
