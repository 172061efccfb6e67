"""Records senders: runs one flow of each in the oracle's kernel and keeps the packets that its two ends heard and sent.

python evidence/linux/programs/record_senders.py [PATTERN] [FOLDER]      writes recordings/senders/NAME.xz
python evidence/linux/programs/record_senders.py --closed NAME FOLDER    the first flow of a setting of the closed loop
"""

from __future__ import annotations

import fnmatch
import hashlib
import itertools
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import closed_settings
import kernel_build
import kernel_machine
import segments
from kernel_machine import MTU
from recorded_senders import RECORDED, Sender
from same_senders import FOLDER, compare


def record(kernel: Path, sender: Sender) -> segments.Recorded:
    """One run of the kernel."""
    job = sender.job
    with tempfile.TemporaryDirectory() as folder:
        out = kernel_machine.run(kernel, job, Path(folder) / "run")
        about: dict[str, object] = {
            "name": job.name,
            "kernel": (out / "log").read_text().splitlines()[0].split(" ", 2)[2],
            "package": kernel_build.version(),
            "config": hashlib.sha256((kernel / "config").read_bytes()).hexdigest()[:12],
            "control": job.flows[0],
            "flows": len(job.flows),
            "tc": job.queue,
            "rate": f"{job.rate}bit",
            "rtt_ms": job.rtt_ms,
            "ecn": job.ecn,
            "seconds": job.seconds,
            **({"hosts": job.hosts} if job.hosts else {}),
            **({"netem": job.netem} if job.netem else {}),
            **({"mtu": job.mtu} if job.mtu != MTU else {}),
        }
        return segments.of_run(out, about)


def of_closed_loop(name: str) -> Sender:
    """The first flow of a setting of the closed loop. It draws the numbers of a replay, which run 1 does not."""
    parts = (part() for part in closed_settings.PARTS.values())
    setting = next(row for row in itertools.chain.from_iterable(parts) if row.name == name)
    law = "hstcp" if setting.controls[0] == "highspeed" else setting.controls[0]
    preset = None if law in ("reno", "dctcp") else "linux"
    return Sender(replace(setting.job(1), seed=1, segments=True), law, preset)


def main(pattern: str = "*", folder: str = str(FOLDER), closed: str = "") -> None:
    """The command."""
    kernel = kernel_build.build()
    Path(folder).mkdir(exist_ok=True)
    for name, sender in ({closed: of_closed_loop(closed)} if closed else RECORDED).items():
        if fnmatch.fnmatch(name, pattern):
            path = Path(folder) / f"{name}.xz"
            try:
                recorded = record(kernel, sender)
            except segments.NeverConnectedError as error:
                print(error, flush=True)
                continue
            segments.write(path, recorded)
            print(compare(name, segments.read(path), sender), f"{path.stat().st_size // 1000} kB", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--closed"]:
        main(folder=sys.argv[3], closed=sys.argv[2])
    else:
        main(*sys.argv[1:3])
