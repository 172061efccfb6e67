"""Runs one setting in the oracle's kernel: a job for `init.sh`, the kernel's process, and the folder with what came
out.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import kernel_build

HERE = Path(__file__).resolve().parent
SECOND = 1_000_000_000
# HTB and CAKE let a packet go when its transmission begins: the link's time for 1514 bytes is part of the delay behind.
FULL_PACKET = 1514
STARTS_WITHIN = 2 * SECOND


@dataclass(frozen=True)
class Job:
    """What the kernel is to do."""

    name: str
    queue: str  # in tc's words
    flows: tuple[str, ...] = ()  # the control of each flow
    ecn: bool = False
    rate: int = 10_000_000
    rtt_ms: float = 40.0
    seconds: float = 60.0
    warm: float = 10.0
    shapes_itself: bool = False
    tree: tuple[str, ...] = ()  # commands of tc in place of the queue
    datagrams: tuple[tuple[float, int, int, int], ...] = field(default=(), repr=False)
    seed: int = 1
    offload: str = "whole"
    # The segments of the first flow are written down at both of its ends.
    segments: bool = False
    # Settings of the hosts, as NAME=VALUE of /proc/sys/net/ipv4.
    hosts: tuple[str, ...] = ()

    @property
    def transmission_us(self) -> float:
        """What the link takes for a full packet."""
        return FULL_PACKET * 8e6 / self.rate

    def variables(self, guest: Path, out: Path) -> str:
        """The job as `init.sh` reads it."""
        rng = random.Random(f"{len(self.flows)} {self.seed}")
        flows = " ".join(f"{control},{rng.randrange(STARTS_WITHIN)}" for control in self.flows)
        half = self.rtt_ms * 500
        behind = half + self.transmission_us
        values = {
            "GUEST": guest,
            "OUT": out,
            "QUEUE": out / "tree" if self.tree else f'"{self.queue}"',
            "SHAPER": "tree" if self.tree else "own" if self.shapes_itself else "htb",
            "RATE": f"{self.rate}bit",
            "BACK": f"{half:.0f}us",
            "BEHIND": f"{behind:.0f}us",
            "ECN": int(self.ecn),
            "HOSTS": f'"{" ".join(self.hosts)}"',
            "OFFLOAD": self.offload,
            "RECORD": "yes" if self.segments else "no",
            "FLOWS": f'"{flows}"',
            "DATAGRAMS": out / "datagrams" if self.datagrams else "",
            "WARM": int(self.warm * SECOND),
            "END": int(self.seconds * SECOND),
        }
        return "".join(f"{name}={value}\n" for name, value in values.items())


class KernelError(Exception):
    """A run that did not come to its end."""


def run(kernel: Path, job: Job, out: Path, limit_s: float = 600.0) -> Path:
    """Runs the job in the kernel that lies in `kernel`. What came out is in `out`."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    (out / "hello").write_text("0 0 100 0\n")
    (out / "job").write_text(job.variables(kernel_build.guest(kernel), out))
    (out / "tree").write_text("".join(f"{words}\n" for words in job.tree))
    if job.datagrams:
        lines = (f"{time:.3f} {flow} {size} {ecn}\n" for time, flow, size, ecn in job.datagrams)
        (out / "datagrams").write_text("".join(lines))
    shutil.copy(HERE / "init.sh", out / "init.sh")
    (out / "init.sh").chmod(0o755)
    words = [
        *(str(kernel / "linux"), "mem=512M", "root=/dev/root", "rootfstype=hostfs", "rw", "time-travel=inf-cpu"),
        *(f"init={out / 'init.sh'}", f"JOB={out / 'job'}", "con=null", "con0=fd:0,fd:1", "quiet"),
    ]
    memory = "/dev/shm" if Path("/dev/shm").exists() else "/tmp"
    with (out / "console").open("w") as console:
        subprocess.run(
            ["nice", *words],
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            timeout=limit_s,
            check=False,
            env={**os.environ, "TMPDIR": memory},
        )
    log = (out / "log").read_text() if (out / "log").exists() else (out / "console").read_text()
    if "DONE" not in log or "FAILED" in log:
        raise KernelError(f"{job.name}: the kernel did not finish; the end of {out}/log:\n{log[-1500:]}")
    return out
