"""Runs one setting in the oracle's kernel: a job for `init.sh`, the kernel's process, and the folder with the
output.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import kernel_build
import numpy as np

HERE = Path(__file__).resolve().parent
SECOND = 1_000_000_000
# A packet has as many bytes besides those that the MTU counts, and the largest one with the default MTU.
FRAME = 14
MTU = 1500
FULL_PACKET = MTU + FRAME
HELLO = 1000
STARTS_WITHIN = 2 * SECOND

# Anything that is read in the folder of a run.
Found = TypeVar("Found")
# Microseconds, flow, size, TOS, and hosts if they are others than the first.
Datagram = tuple[float, int, int, int] | tuple[float, int, int, int, int, int]


@dataclass(frozen=True)
class Job:
    """The job of the kernel."""

    name: str
    queue: str  # in tc's words
    flows: tuple[str, ...] = ()  # the control of each flow
    ecn: bool = False
    rate: int = 10_000_000
    rtt_ms: float = 40.0
    mtu: int = MTU
    seconds: float = 60.0
    warm: float = 10.0
    shapes_itself: bool = False
    tree: tuple[str, ...] = ()  # commands of tc in place of the queue
    # Draws the datagrams, which takes a while.
    draw: Callable[[], list[Datagram]] = field(default=list, repr=False)
    # The hosts at which each flow starts and ends, numbered from 1; 0 is the first address.
    places: tuple[tuple[int, int], ...] = ()
    # The DSCP of each flow, if they have others than 0.
    codes: tuple[int, ...] = ()
    # Of each transfer besides the flows: its control, when it starts in nanoseconds, and its bytes.
    transfers: tuple[tuple[str, int, int], ...] = ()
    # The queue is on the way of the acknowledgements.
    back: bool = False
    # The part of packets that is lost behind the link.
    loss: float = 0.0
    seed: int = 1
    # Of the kernel in a second.
    ticks: int = kernel_build.TICKS
    offload: str = "whole"
    # The segments of the first flow are written down at both of its ends.
    segments: bool = False
    # Settings of the hosts, as NAME=VALUE of /proc/sys/net/ipv4.
    hosts: tuple[str, ...] = ()
    # In place of all this: lines of tc, to which tc and the kernel answer.
    lines: tuple[str, ...] = ()
    # What netem does behind the link besides the delay, in tc's words; the first may be the jitter of the delay.
    netem: str = ""

    @cached_property
    def datagrams(self) -> list[Datagram]:
        """Traffic besides the flows."""
        return self.draw()

    @property
    def most_places(self) -> int:
        """How many hosts there are besides the first, on either side."""
        ends = [*self.places, *(line[4:] for line in self.datagrams)]
        return max((max(pair, default=0) for pair in ends), default=0)

    @property
    def transmission_us(self) -> float:
        """The time of a full packet on the link. HTB and CAKE let a packet go when its transmission begins, and this is
        part of the delay behind them.
        """
        return (self.mtu + FRAME) * 8e6 / self.rate

    @property
    def starts(self) -> list[int]:
        """When each flow starts, in nanoseconds."""
        rng = random.Random(f"{len(self.flows)} {self.seed}")
        return [rng.randrange(STARTS_WITHIN) for _ in self.flows]

    def variables(self, guest: Path, out: Path) -> str:
        """The job as `init.sh` reads it."""
        places = self.places or ((0, 0),) * len(self.flows)
        codes = self.codes or (0,) * len(self.flows)
        flows = " ".join(
            f"{control},{start},{source},{target},{4 * code}"
            for control, start, (source, target), code in zip(self.flows, self.starts, places, codes, strict=True)
        )
        half = self.rtt_ms * 500
        behind = half + self.transmission_us
        netem = f" {self.netem}" if self.netem else ""
        losses = f" loss {100 * self.loss:g}%" if self.loss else ""
        values = {
            "GUEST": guest,
            "OUT": out,
            "QUEUE": out / "tree" if self.tree else f'"{self.queue}"',
            "WAY": "back" if self.back else "there",
            "PLACES": self.most_places,
            "SHAPER": "tree" if self.tree else "own" if self.shapes_itself else "htb",
            "RATE": f"{self.rate}bit",
            "MTU": self.mtu,
            "BACK": f"{half:.0f}us",
            "BEHIND": f'"{behind:.0f}us{netem}{losses}"',
            "ECN": int(self.ecn),
            "HOSTS": f'"{" ".join(self.hosts)}"',
            "OFFLOAD": self.offload,
            "RECORD": "yes" if self.segments else "no",
            "FLOWS": f'"{flows}"',
            "TRANSFERS": f'"{" ".join(",".join(map(str, one)) for one in self.transfers)}"',
            "DATAGRAMS": out / "datagrams" if self.datagrams else "",
            "LINES": out / "lines" if self.lines else "",
            "WARM": int(self.warm * SECOND),
            "END": int(self.seconds * SECOND),
        }
        return "".join(f"{name}={value}\n" for name, value in values.items())


class KernelError(Exception):
    """A run that did not come to its end."""


@contextmanager
def one_processor() -> Iterator[None]:
    """Programs that start meanwhile stay on one processor. The kernel and its programs are processes that take turns
    thousands of times in a second. On a busy machine a run takes a quarter of the time if they stay where they are.
    """
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {sorted(allowed)[os.getpid() % len(allowed)]})
    try:
        yield
    finally:
        os.sched_setaffinity(0, allowed)


def run(kernel: Path, job: Job, out: Path, limit_s: float = 600.0) -> Path:
    """Runs the job in the kernel that lies in `kernel`. The output is in `out`."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    # With hosts of its own, it shares its ends with no flow of the job.
    (out / "hello").write_text(f"0 {HELLO if job.most_places else 0} 100 0 0 0\n")
    (out / "job").write_text(job.variables(kernel_build.guest(kernel), out))
    (out / "tree").write_text("".join(f"{words}\n" for words in job.tree))
    (out / "lines").write_text("".join(f"{words}\n" for words in job.lines))
    if job.datagrams:
        lines = (f"{line[0]:.3f} " + " ".join(map(str, (*line[1:], 0, 0)[:5])) + "\n" for line in job.datagrams)
        (out / "datagrams").write_text("".join(lines))
    shutil.copy(HERE / "init.sh", out / "init.sh")
    (out / "init.sh").chmod(0o755)
    words = [
        *(str(kernel / "linux"), "mem=512M", "root=/dev/root", "rootfstype=hostfs", "rw", "time-travel=inf-cpu"),
        *(
            f"init={out / 'init.sh'}",
            f"JOB={out / 'job'}",
            f"sojourn_seed={job.seed}",
            "con=null",
            "con0=fd:0,fd:1",
            "quiet",
        ),
    ]
    memory = "/dev/shm" if Path("/dev/shm").exists() else "/tmp"
    # A machine that does not end has no log with the last word.
    with (out / "console").open("w") as console, one_processor(), suppress(subprocess.TimeoutExpired):
        subprocess.run(
            words,
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


def calls_of(out: Path) -> Path:
    """The recorded calls of the queue, or of a link that is the queue itself."""
    return out / ("queue.calls" if (out / "queue.calls").exists() else "link.calls")


def seen(kernel: Path, job: Job, read: Callable[[Path], Found]) -> Found:
    """Runs the job, and returns what `read` finds in the folder of the run, which does not stay."""
    with tempfile.TemporaryDirectory() as folder:
        return read(run(kernel, job, Path(folder) / "run"))


def measure(
    file: Path, jobs: Mapping[str, Callable[[int], Job]], read: Callable[[Path], Sequence[float]], runs: int
) -> None:
    """Runs each job with so many seeds. The file has the numbers of each run, by the job's name; others in it stay."""
    kernel = kernel_build.build()
    measured = json.loads(file.read_text()) if file.exists() else {}
    for name, job in jobs.items():
        measured[name] = [seen(kernel, job(seed), read) for seed in range(1, runs + 1)]
        print(name, np.mean(measured[name], axis=0).round(4), flush=True)
        file.write_text(json.dumps(measured, indent=1) + "\n")
