"""Completion times of short flows, in the kernel and in Sojourn: transfers alone, and beside a long flow of CUBIC.

    python evidence/linux/programs/short_flows.py        runs the kernel: writes short_flows.json

A transfer begins every second, each over a connection of its own. Its completion time is the time from the call that
connects until its last byte is acknowledged; the kernel is asked every 0.1 ms. A run of Sojourn has the starts of the
kernel's run with the same number, and its queue draws the same random numbers.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import closed_runs
import kernel_machine
import numpy as np
import places
from closed_settings import MADE_BEFORE, Setting, group
from kernel_machine import SECOND, Job
from recorded import QUEUES
from scipy.stats import t as student

import sojourn

MEASURED = places.CLOSED / "short_flows.json"
# Segments of a transfer, and the payload of a segment.
SIZES, PAYLOAD = (10, 30, 100), 1448
# Of each size in a run. The first begins after so many seconds, and each of the others a second after the one before,
# or up to half a second later.
OF_EACH, FIRST, APART, LATER = 15, 8, 1, 0.5
END = 60.0
RUNS = 10
ALONE = "alone"
BEHIND = ("pfifo", "codel", "fq_codel_noecn", "pie", "cake_besteffort")
Means = list[float]


@dataclass(frozen=True)
class Short:
    """Transfers behind a queue."""

    queue: str

    @property
    def link(self) -> Setting:
        """The link, and the long flow. Alone, they have no use for a queue."""
        return Setting("pfifo" if self.queue == ALONE else self.queue, "cubic", 1)

    def transfers(self, run: int) -> list[tuple[int, int]]:
        """Start in nanoseconds, and segments of each."""
        rng = random.Random(f"transfers {self.queue} {run}")
        sizes = SIZES * OF_EACH
        starts = (FIRST + APART * place + LATER * rng.random() for place in range(len(sizes)))
        return [(round(start * SECOND), size) for start, size in zip(starts, sizes, strict=True)]

    def job(self, run: int) -> Job:
        """The job of the kernel."""
        job = self.link.job(run)
        transfers = tuple(("cubic", start, size * PAYLOAD) for start, size in self.transfers(run))
        return replace(job, flows=() if self.queue == ALONE else job.flows, transfers=transfers, seconds=END)

    def scenario(self, run: int) -> str:
        """The same for Sojourn."""
        whole = self.link.scenario(self.link.job(run).starts)
        text = whole.partition("\n[[flow]]")[0] + "\n" if self.queue == ALONE else whole
        zero = round(MADE_BEFORE * SECOND) if QUEUES[self.link.queue].first_timer else 0
        return text + "".join(
            group(
                f"short-{place}",
                "cubic",
                1,
                f'{{ at = "{zero + start}ns" }}',
                ecn=self.link.ecn,
                app=f'{{ kind = "bulk", bytes = "{size * PAYLOAD}B" }}',
            )
            for place, (start, size) in enumerate(self.transfers(run))
        )


SETTINGS = [Short(ALONE), *map(Short, BEHIND)]


def means(found: list[tuple[int, float]]) -> Means:
    """The mean completion time of each size in ms, of bytes and milliseconds of each transfer. All have ended."""
    of_size = {size: [time for bytes_, time in found if bytes_ == size * PAYLOAD] for size in SIZES}
    assert all(len(times) == OF_EACH for times in of_size.values()), "a transfer did not end"
    return [float(f"{np.mean(times):.6g}") for times in of_size.values()]


def of_kernel(out: Path) -> Means:
    """One run of the kernel."""
    lines = (file.read_text().split() for file in out.glob("*.transfer"))
    return means([(int(words[0]), int(words[1]) / 1e6) for words in lines if words])


def of_ours(setting: Short, run: int) -> Means:
    """One run of Sojourn."""
    seed = closed_runs.seed_of_same_draws(setting.job(run).seed)
    table = sojourn.run(sojourn.Scenario.from_toml(setting.scenario(run)), seed=seed).completion
    return means(list(zip(table["bytes"].to_list(), (1000 * table["duration_s"]).to_list(), strict=True)))


def measure() -> None:
    """Runs the kernel in each setting, and writes the means of each run to the file."""
    kernel_machine.measure(MEASURED, {one.queue: one.job for one in SETTINGS}, of_kernel, RUNS)


def pair(setting: Short, runs: int = RUNS) -> tuple[np.ndarray, np.ndarray]:
    """The kernel's means and Sojourn's, a row for each run."""
    kernels = json.loads(MEASURED.read_text())[setting.queue][:runs]
    return np.array(kernels), np.array([of_ours(setting, run + 1) for run in range(len(kernels))])


ABOUT = "Completion times of short transfers: both means, and the mean difference of pairs with its 95 % interval."
COLUMNS = ("behind", "segments", "kernel (ms)", "Sojourn (ms)", "difference (ms)", "difference (%)")


def rows() -> Iterator[list[str]]:
    """Both means, and the mean difference of pairs with half of its 95 % interval."""
    for setting in SETTINGS:
        theirs, ours = pair(setting)
        for place, size in enumerate(SIZES):
            kernel, mine = theirs[:, place], ours[:, place]
            off = mine - kernel
            half = float(student.ppf(0.975, len(off) - 1)) * float(off.std(ddof=1)) / len(off) ** 0.5
            mean, scale = float(off.mean()), 100 / float(kernel.mean())
            name = ALONE if setting.queue == ALONE else f"`{setting.queue}`"
            both = [f"{kernel.mean():.1f}", f"{mine.mean():.1f}", f"{mean:+.2f} ± {half:.2f}"]
            yield [name, str(size), *both, f"{scale * mean:+.2f} ± {scale * half:.2f}"]


if __name__ == "__main__":
    measure()
