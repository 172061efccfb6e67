"""Records settings that are drawn at random, and counts the decisions that differ: drawn.json has the score.

    python evidence/linux/programs/drawn_fates.py SEED NUMBER        settings 0 to NUMBER - 1 of a seed

Recordings lie beside the oracle's kernel, and a setting that is recorded there is not recorded again. So this command
also compares anew after a change of the core. The folder `drawn` has some of them, for the test in CI.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import fates
import kernel_build
import places
from drawn_settings import setting
from kernel_machine import KernelError
from record_fates import record
from same_fates import compare

SCORE = places.RECORDINGS / "drawn.json"


def row(seed: int, number: int, folder: Path, kernel: Path) -> dict[str, Any]:
    """One setting and its differences."""
    queue, job = setting(seed, number)
    path = folder / f"{job.name}.xz"
    if not path.exists():
        fates.write(path, record(kernel, queue, job))
    recorded = fates.read(path)
    found = compare(job.name, recorded, queue)
    print(found, queue.tc, flush=True)
    return {
        "tc": queue.tc,
        "rate": job.rate,
        "mtu": job.mtu,
        "flows": int(recorded.columns["flow"].max()) + 1,
        "seconds": round(float(recorded.columns["after"].sum()) / 1e9, 3),
        "packets": found.packets,
        "dropped": found.dropped[0],
        "marked": found.marked[0],
        "differ": found.differ,
        "moments": found.moments,
    }


def main(seed: int, count: int) -> None:
    """The command."""
    kernel = kernel_build.build()
    folder = kernel_build.root() / "drawn"
    folder.mkdir(exist_ok=True)
    rows = {}
    for number in range(count):
        try:
            rows[f"drawn-{seed}-{number}"] = row(seed, number, folder, kernel)
        except (KernelError, ValueError) as error:
            print(f"drawn-{seed}-{number}: {error}", flush=True)
    same = sum(one["differ"] == one["moments"] == 0 for one in rows.values())
    print(
        f"{same} of {len(rows)} settings have no difference; {sum(one['packets'] for one in rows.values())} decisions"
    )
    scores = json.loads(SCORE.read_text()) if SCORE.exists() else {}
    SCORE.write_text(json.dumps({**scores, str(seed): rows}, indent=1) + "\n")


def table() -> str:
    """The scores: a row for each kind of queue, and for each seed the settings and those that do not
    differ.
    """
    scores = json.loads(SCORE.read_text())
    rows = [(seed, row["tc"].split()[0], row) for seed, settings in scores.items() for row in settings.values()]
    heads = [head for seed in scores for head in (f"seed {seed}", "nothing differs")]
    lines = [f"| queue | {' | '.join(heads)} | packets | dropped | marked |", "|---" + "|---:" * (len(heads) + 3) + "|"]
    for kind in [*sorted({kind for _, kind, _ in rows}), "all"]:
        of = [(seed, row) for seed, queue, row in rows if kind in {queue, "all"}]
        cells = []
        for seed in scores:
            same = [row["differ"] == row["moments"] == 0 for drawn, row in of if drawn == seed]
            cells += [str(len(same)), str(sum(same))]
        cells += [f"{sum(row[what] for _, row in of):,}" for what in ("packets", "dropped", "marked")]
        lines.append(f"| {kind} | {' | '.join(cells)} |")
    return "\n".join(lines)


def seeds() -> str:
    """The seeds of the table."""
    return " and ".join(json.loads(SCORE.read_text()))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
