"""Runs of the closed loop, in the kernel and in Sojourn, and the file in which they are kept."""

from __future__ import annotations

import fcntl
import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import fates
import kernel_build
import kernel_machine
import numpy as np
import places
from closed_settings import Setting
from kernel_machine import SECOND, Job

import sojourn
from sojourn import stats

MEASURED = places.CLOSED / "closed_loop.json"
# Settings in which a cell differs have other runs on both sides, beginning with this number: `closed_again.py`.
AGAIN = MEASURED.with_name("closed_again.json")
AGAIN_FROM = 1001
# Of the seeds of streams: words of 64 bits, and the odd number by which a seed is multiplied.
WORD, ODD = 1 << 64, 0x9E3779B97F4A7C15
# The numbers of each run; the share is that of the first control where there are two.
METRICS = ("queue_packets", "loss", "marks", "jain", "share")
Run = dict[str, float]
Sides = dict[str, list[Run]]


def of_kernel(out: Path, setting: Setting) -> Run:
    """The numbers of one run of the kernel."""
    log = (out / "log").read_text()
    zero = int(log.split("ZERO ")[-1].split()[0])
    begin, end = (zero + int(second * SECOND) for second in setting.seconds)
    file = kernel_machine.calls_of(out)
    calls = np.fromfile(file, fates.CALL)
    times, waiting = calls["time"].astype(np.int64), calls["waiting"].astype(float)
    if setting.queue.startswith("choke"):
        # Packets that never leave wait, too, when the link asks without success. Sojourn counts them as lost.
        asked = (calls["kind"] == ord("D")) & (calls["size"] == 0)
        waiting -= np.minimum(np.maximum.accumulate(np.where(asked, waiting, 0)), waiting)
    # The backlog stays as a call leaves it until the next one.
    spans = np.diff(np.clip(times, begin, end), append=end)
    recorded = fates.of_calls(file, {})
    inside = (recorded.times >= begin) & (recorded.times < end)
    come = recorded.columns["kind"] == fates.COMES
    arrivals = int((inside & come).sum())
    # A mark counts when its packet leaves: of those that wait at the end nothing is known.
    leaves = np.flatnonzero(recorded.columns["kind"] == fates.ASKED)[recorded.columns["empty"] == 0]
    marked = (recorded.columns["field"] == 3) & (recorded.columns["ecn"][recorded.left] != 3)
    counted = inside[leaves] & marked
    rates, first = acked((out / "flows").read_text().splitlines(), setting)
    return {
        "queue_packets": float((waiting * spans).sum() / (end - begin)),
        "loss": float(recorded.columns["gone"][inside].sum() / arrivals),
        "marks": float(counted.sum() / arrivals),
        "jain": stats.jain_index(rates),
        "share": first / sum(rates),
    }


def acked(lines: list[str], setting: Setting) -> tuple[list[float], float]:
    """Bytes of each flow, and those of the first control: a flow that never connected has no line."""
    words = [line.split() for line in lines]
    first = sum(float(line[2]) for line in words if line[0] == setting.controls[0])
    return [float(line[2]) for line in words] + [0.0] * (setting.flows - len(words)), first


def of_ours(setting: Setting, runs: int, first: int = 1, *, like: Setting | None = None) -> list[Run]:
    """The numbers of Sojourn's runs, of which the first has the number `first`. A run has the starts of flows of the
    kernel's run with its number, or of one of `like`, and its queue draws the same random numbers.
    """
    return [_of_ours(setting, (like or setting).job(run)) for run in range(first, first + runs)]


def _of_ours(setting: Setting, job: Job) -> Run:
    scenario = sojourn.Scenario.from_toml(setting.scenario(job.starts))
    result = sojourn.run(scenario, seed=seed_of_same_draws(job.seed))
    queue = result.queue.row(0, named=True)
    rates = result.flow["delivered_bps"].to_list()
    return {
        "queue_packets": queue["backlog_mean_packets"],
        "loss": queue["loss_ratio"],
        # CHOKe may drop a packet that it has marked.
        "marks": queue["ce_departures_packets"] / queue["arrivals_packets"],
        "jain": stats.jain_index(rates),
        # Behind a CHOKe whose table is full nothing may arrive.
        "share": sum(rates[: setting.of_each]) / (sum(rates) or 1.0),
    }


def seed_of_same_draws(kernels: int) -> int:
    """The seed of Sojourn with which the link's queue draws what the kernel's draws in a run with the seed `kernels`.

    A stream begins with a hash of its name and the seed (`rng.rs`, `tap.h`): hash of the name ^ (seed * ODD rotated).
    Both streams are to begin with the same number.
    """
    begins = _hash("kernel") ^ _rotated(kernels * ODD % WORD, 31)
    return _rotated(begins ^ _hash("queue/there"), 64 - 31) * pow(ODD, -1, WORD) % WORD


def _hash(name: str) -> int:
    """FNV-1a, of 64 bits."""
    found = 0xCBF29CE484222325
    for byte in name.encode():
        found = (found ^ byte) * 0x100000001B3 % WORD
    return found


def _rotated(word: int, left: int) -> int:
    return (word << left | word >> (64 - left)) % WORD


def measure(
    wanted: dict[Setting, int], *, anew: bool = False, told: bool = True, file: Path = MEASURED, first: int = 1
) -> None:
    """Runs the kernel until each setting has as many runs in `file` as `wanted` says: first one of each, then the
    second. The cheapest come first. Prints them if `told`. With `anew` the runs in the file are replaced. The first
    run has the number `first`. After a run that fails, its setting gets no other: a run's place is its number.
    """
    kernel = kernel_build.build()
    have = read(file)
    done = {setting: [] if anew else have.get(setting.name, {}).get("kernel", []) for setting in wanted}
    jobs = [
        (run, cost(setting), setting)
        for setting in wanted
        for run in range(len(done[setting]) + 1, wanted[setting] + 1)
    ]
    jobs.sort(key=lambda job: job[:2])
    left, began = sum(job[1] for job in jobs), time.monotonic()
    spent = 0.0
    for run, seconds, setting in jobs:
        rows = done[setting]
        if run != len(rows) + 1:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                out = kernel_machine.run(kernel, setting.job(first - 1 + run), Path(folder) / "run")
                rows.append(of_kernel(out, setting))
                keep(setting, "kernel", rows, file)
            except kernel_machine.KernelError as failed:
                print(failed, flush=True)
        spent += seconds
        minutes = (time.monotonic() - began) / spent * (left - spent) / 60
        shown = rows[-1] if told and len(rows) == run else ""
        print(f"{setting.name} {run} of {wanted[setting]}, {minutes:.0f} min left", shown, flush=True)


def cost(setting: Setting) -> float:
    """About as many seconds takes a run of the kernel."""
    return 0.9 + setting.rate * setting.seconds[1] / 8e8 + setting.flows / 28


def ours(wanted: dict[Setting, int], *, told: bool = True, file: Path = MEASURED, first: int = 1) -> None:
    """Runs Sojourn as often as `wanted` says; prints the last run of each setting if `told`."""
    for setting, runs in wanted.items():
        rows = of_ours(setting, runs, first)
        keep(setting, "ours", rows, file)
        print(setting.name, rows[-1] if told else "", flush=True)


def shortened(setting: Setting, rows: list[Run]) -> list[list[float]]:
    """Runs as the file has them: five digits of each number."""
    columns = METRICS if len(setting.controls) > 1 else METRICS[:-1]
    return [[float(f"{row[key]:.5g}") for key in columns] for row in rows]


def keep(setting: Setting, side: str, rows: list[Run], file: Path = MEASURED) -> None:
    """Writes one side of a setting. Two commands may write at a time, and one that is stopped leaves the file whole."""
    with turn():
        known = json.loads(file.read_text()) if file.exists() else {}
        known.setdefault(setting.name, {})[side] = shortened(setting, rows)
        made = file.with_suffix(".new")
        made.write_text(written(known))
        made.replace(file)


@contextmanager
def turn() -> Iterator[None]:
    """One command at a time writes the file."""
    with (Path(tempfile.gettempdir()) / "sojourn-closed-loop.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def written(known: dict[str, dict[str, list[list[float]]]]) -> str:
    """The file: a line for each side of a setting."""
    lines = [
        f"{json.dumps(name)}: {{\n"
        + ",\n".join(
            f" {json.dumps(side)}: {json.dumps(rows, separators=(',', ':'))}" for side, rows in sorted(sides.items())
        )
        + "}"
        for name, sides in sorted(known.items())
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def read(file: Path = MEASURED) -> dict[str, Sides]:
    """The results so far."""
    known = json.loads(file.read_text()) if file.exists() else {}
    return {
        name: {side: [dict(zip(METRICS, row, strict=False)) for row in rows] for side, rows in sides.items()}
        for name, sides in known.items()
    }
