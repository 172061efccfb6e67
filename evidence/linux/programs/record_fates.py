"""Records fates: runs settings in the oracle's kernel and keeps the decisions of its queues.

python evidence/linux/programs/record_fates.py [PATTERN]     writes recordings/queues/NAME.xz for those that match
"""

from __future__ import annotations

import fnmatch
import hashlib
import re
import sys
import tempfile
from pathlib import Path

import fates
import kernel_build
import kernel_machine
from kernel_machine import Job
from recorded import Queue
from recorded_edges import QUEUES, RECORDED
from same_fates import FOLDER, compare


def record(kernel: Path, queue: Queue, job: Job) -> fates.Fates:
    """One run of the kernel."""
    with tempfile.TemporaryDirectory() as folder:
        out = kernel_machine.run(kernel, job, Path(folder) / "run")
        log = (out / "log").read_text()
        about = {
            "name": job.name,
            "kernel": log.splitlines()[0].split(" ", 2)[2],
            "package": kernel_build.version(),
            "config": hashlib.sha256((kernel / "config").read_bytes()).hexdigest()[:12],
            "tc": queue.tc,
            "rate": f"{job.rate}bit",
            "traffic": f"{len(job.flows)} {job.flows[0]}" if job.flows else f"{len(job.datagrams)} datagrams",
            "ecn": job.ecn,
            "seconds": job.seconds,
            "rtt_ms": job.rtt_ms,
            **({"mtu": job.mtu} if job.mtu != 1500 else {}),
            "shown": re.sub(r"\s+", " ", log[log.rindex("qdisc show") :].split("ZERO")[0])[:4000],
        }
        # pfifo has no file of its own: HTB around it is recorded.
        calls = kernel_machine.calls_of(out)
        return fates.of_calls(
            calls, about, tree=bool(job.tree), keep_vain=bool(job.tree) or queue.tc.startswith("choke")
        )


def main(pattern: str = "*") -> None:
    """The command."""
    FOLDER.mkdir(exist_ok=True)
    for name, (queue, job) in RECORDED.items():
        if not fnmatch.fnmatch(name, pattern):
            continue
        kernel = kernel_build.build(job.ticks)
        if not kernel_build.has(kernel, QUEUES[queue].name):
            print(f"{name}: left as it is, because the kernel in {kernel} does not have this queue", flush=True)
            continue
        fates.write(FOLDER / f"{name}.xz", record(kernel, QUEUES[queue], job))
        size = (FOLDER / f"{name}.xz").stat().st_size
        print(compare(name, fates.read(FOLDER / f"{name}.xz"), QUEUES[queue]), f"{size // 1000} kB", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:2])
