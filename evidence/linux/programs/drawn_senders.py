"""Senders in settings drawn at random, beside Linux: reordering, random losses, duplicates, round trips of 10 to 600
ms, three sizes of packets, small receive windows, and all laws.

python evidence/linux/programs/drawn_senders.py          records all in the oracle, and writes drawn_senders.json
python evidence/linux/programs/drawn_senders.py FOLDER   keeps the recordings there, and compares those that it has
"""

from __future__ import annotations

import itertools
import json
import math
import random
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import kernel_build
import places
import segments
from kernel_machine import Job, KernelError
from record_senders import record
from recorded_senders import Sender
from same_senders import compare

HERE = Path(__file__).resolve().parent
FILE = places.RECORDINGS / "drawn_senders.json"
# Recordings that are kept, as seed and number: each of them has shown a difference whose cause has been removed.
FOLDER = places.RECORDINGS / "drawn-senders"
KEPT = (
    *((20261128, number) for number in (11, 22)),
    *((20261129, number) for number in (0, 9, 18, 23)),
    *((20261130, number) for number in (12,)),
)
# Seeds, and the settings of each. Senders were changed for the first ones, and for those of later seeds only after they
# had been compared.
SEEDS, RUNS = (20261128, 20261129, 20261130), 32
# Linux's name of a law, Sojourn's, and whether it has a preset for Linux.
LAWS = (
    *(("cubic", "cubic", True), ("reno", "reno", False), ("bbr", "bbr", True), ("westwood", "westwood", True)),
    *(("vegas", "vegas", True), ("highspeed", "hstcp", True), ("scalable", "scalable", True)),
    ("dctcp", "dctcp", False),
    *((law, law, True) for law in ("htcp", "illinois", "bic", "hybla", "veno", "yeah", "nv", "cdg")),
)
QUEUES = ("pfifo limit 20", "pfifo limit 50", "pfifo limit 200", "codel", "fq_codel", "pie")
# DCTCP lives on marks.
MARKING = ("codel ecn", "codel ecn ce_threshold 5ms", "pie ecn", "fq_codel")
MTUS = (1500, 1500, 576, 9000)
# Segments that a flow sends at most, about.
SEGMENTS = 6000
FIRST_START = 2.0
# Laws that draw numbers: the replay has those of this seed.
CHANCE, REPLAYED = ("bbr", "nv", "cdg"), 1


def log_uniform(rng: random.Random, least: float, most: float) -> float:
    """As likely between 1 and 10 as between 10 and 100."""
    return math.exp(rng.uniform(math.log(least), math.log(most)))


def disturbance(rng: random.Random, rtt_ms: float) -> tuple[str, str]:
    """Its name, and netem's words."""
    jitter = f"{log_uniform(rng, 0.5, min(20.0, rtt_ms / 4)):.1f}ms"
    reorder = f"reorder {rng.randint(1, 20)}% {rng.choice((0, 25, 50))}%"
    loss = f"loss random {log_uniform(rng, 0.05, 10):.2f}%"
    duplicate = f"duplicate {log_uniform(rng, 0.2, 5):.2f}%"
    return rng.choice(
        (
            *(("none", ""), ("jitter", jitter), ("reorder", reorder), ("loss", loss), ("duplicate", duplicate)),
            *(("jitter, loss", f"{jitter} {loss}"), ("reorder, duplicate", f"{reorder} {duplicate}")),
        )
    )


def setting(seed: int, number: int) -> tuple[str, Sender]:
    """The setting with this number: what disturbs the path, and the sender."""
    rng = random.Random(f"{seed} {number}")
    linux, kind, has_preset = LAWS[number % len(LAWS)]
    marked = linux == "dctcp"
    queue = rng.choice(MARKING if marked else QUEUES)
    mtu = rng.choice(MTUS)
    rate = round(log_uniform(rng, 1e6, 1e8))
    rtt_ms = round(log_uniform(rng, 10, 600), 1)
    what, netem = disturbance(rng, rtt_ms)
    receive = round(log_uniform(rng, 40_000, 1_000_000)) if rng.random() < 0.25 else 0
    seconds = min(max(SEGMENTS * 8.0 * mtu / rate, 20 * rtt_ms / 1000), 60.0)
    job = Job(
        f"{number:02d}-{linux}",
        queue,
        (linux,),
        ecn=marked or rng.random() < 0.1,
        rate=rate,
        rtt_ms=rtt_ms,
        seconds=round(FIRST_START + 0.1 + seconds, 1),
        warm=1.0,
        seed=REPLAYED if linux in CHANCE else rng.randrange(1, 1 << 30),
        segments=True,
        netem=netem,
        mtu=mtu,
        hosts=(f"tcp_rmem=4096,{min(receive, 131_072)},{receive}",) if receive else (),
    )
    settings = (("receive_buffer", f"{receive}B"),) if receive else ()
    return what, Sender(job, kind, "linux" if has_preset else None, settings=settings)


def measured(seed: int, number: int, folder: Path) -> dict[str, Any]:
    """A row of the file: the setting and what differs. It is recorded if the folder does not have it."""
    what, sender = setting(seed, number)
    path = folder / str(seed) / f"{sender.job.name}.xz"
    path.parent.mkdir(exist_ok=True)
    if not path.exists():
        segments.write(path, record(kernel_build.build(), sender))
    found = compare(sender.job.name, segments.read(path), sender)
    print(found, flush=True)
    job = sender.job
    return {
        "seed": seed,
        "name": job.name,
        "path": what,
        "netem": job.netem,
        "queue": job.queue,
        "rate": job.rate,
        "rtt_ms": job.rtt_ms,
        "mtu": job.mtu,
        "receive": sender.settings[0][1] if sender.settings else "",
        "windows": [found.heard, found.windows],
        "segments": [found.sent, found.segments],
        "answers": [found.answers, found.unanswered],
    }


def summed(rows: Iterable[Mapping[str, Any]]) -> str:
    """Cells of a table: settings, those without a window that differs, and the counts."""
    rows = list(rows)
    equal = sum(row["windows"][1] == 0 for row in rows)
    counts = [f"{sum(row[what][at] for row in rows):,}" for what in ("windows", "segments", "answers") for at in (0, 1)]
    return f"{len(rows)} | {equal} | " + " | ".join(counts)


def table() -> str:
    """The rows of the page: by what disturbs the path, by MTU, and by seed."""
    rows = json.loads(FILE.read_text())
    paths, mtus = (sorted({row[what] for row in rows}) for what in ("path", "mtu"))
    parts = {f"path: {path}": [row for row in rows if row["path"] == path] for path in paths}
    parts |= {f"MTU {mtu}": [row for row in rows if row["mtu"] == mtu] for mtu in mtus}
    parts["small receive window"] = [row for row in rows if row["receive"]]
    parts |= {f"all with the seed {seed}": [row for row in rows if row["seed"] == seed] for seed in SEEDS}
    return "\n".join(f"| {name} | {summed(of)} |" for name, of in parts.items())


def main(folder: Path) -> None:
    """The command."""
    folder.mkdir(exist_ok=True)
    rows = []
    for seed, number in itertools.product(SEEDS, range(RUNS)):
        try:
            rows.append(measured(seed, number, folder))
        except (segments.NeverConnectedError, KernelError, ValueError) as error:
            print(seed, number, error, flush=True)
    FILE.write_text(json.dumps(rows, indent=1) + "\n")
    print(summed(rows))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as temporary:
            main(Path(temporary))
