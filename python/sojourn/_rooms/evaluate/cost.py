"""The cost of a queue (RFC 7928 section 11) and the number of its parameters (section 12)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ... import _core
from .._base.registry import read_registry
from ..scenario.scenario import Scenario, ScenarioError
from .subjects import Subject

__all__ = ["Cost", "cost", "knobs"]

# Two hundred datagram sources that offer 1.2 times the rate of a fast link: the queue decides at every packet.
_LOADED = """
title = "what a packet costs"
duration = "0.4s"

[dumbbell]
rate = "1Gbit"
delay = "1ms"
mean_packet = "1000B"
queue = { kind = "fifo", limit = "1000p" }

[[flow]]
name = "load"
count = 200
transport = { kind = "udp", packet = "1000B" }
app = { kind = "poisson", rate = "6Mbit" }
"""
_REPEATED = 3


@dataclass(frozen=True)
class Cost:
    """The cost of a queue.

    Attributes
    ----------
    packet_ns
        Processor time of a run for each packet that came, with the simulator around the queue, on this machine: the
        least of some runs.
    parameters
        The number of parameters of its law and of its buffer.
    computed
        How many of them the queue computes itself where they are not given (``auto``).
    """

    packet_ns: float
    parameters: int | None
    computed: int | None


def cost(subject: Subject) -> Cost | None:
    """Measure it; None if the queue cannot be alone."""
    try:
        scenario = Scenario.from_toml(_LOADED).with_queue(dict(subject))
        times = [_once(scenario) for _ in range(_REPEATED)]
    except ScenarioError:
        return None
    parameters, computed = knobs(str(subject["kind"]))
    return Cost(min(times), parameters, computed)


def _once(scenario: Scenario) -> float:
    simulation = _core.Simulation(scenario.resolved_json, 1)
    begun = time.thread_time()
    simulation.advance(simulation.duration_s)
    spent = time.thread_time() - begun
    arrived = sum(simulation.tables()["queue"]["arrivals_packets"][1])
    return 1e9 * spent / max(float(arrived), 1.0)


def knobs(kind: str) -> tuple[int | None, int | None]:
    """How many parameters a queue of the registry has, and how many it computes itself; None for one's own."""
    entry = _entries().get(kind)
    if entry is None:
        return None, None
    return len(entry["params"]), sum(one["default"] == "auto" for one in entry["params"])


@cache
def _entries() -> Mapping[str, Mapping[str, Any]]:
    return {one["name"]: one for one in read_registry()["queues"]}
