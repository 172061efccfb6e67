"""Recordings at the edges of tc's words, where tc or the kernel take another value than the word says, or count
otherwise from there on. Sojourn's side is its own reading of the words.
"""

from __future__ import annotations

from dataclasses import replace

import recorded
from kernel_machine import Job
from recorded import Queue, flood, parsed

EDGES: dict[str, Queue] = {
    # Linux acts from these bounds on, Sojourn above its own.
    "sfb_small": replace(
        parsed("sfb limit 200 max 9 target 4 increment 0.02 decrement 0.01 penalty_rate 50 penalty_burst 5"),
        hashing="digits",
    ),
}
QUEUES = recorded.QUEUES | EDGES


def short(name: str, flows: int = 20, load: float = 1.5, seconds: float = 2.0, *, ecn: bool = True) -> tuple[str, Job]:
    """A flood of a few seconds."""
    job = flood("pfifo", flows, load, seconds, ecn=ecn)
    return name, replace(job, name=f"{name}-flood-{flows}", queue=EDGES[name].tc)


RECORDED = recorded.RECORDED | {job.name: (name, job) for name, job in (short("sfb_small"),)}
