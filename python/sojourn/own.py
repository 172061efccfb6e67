"""Queues and senders of your own, written in Python.

>>> import sojourn
>>> from sojourn.own import DROP, Fraction, Policy
>>> class Coin(Policy):
...     "Drops each packet with a fixed probability."
...     probability = Fraction(0.01, "Probability of a drop.")
...
...     def on_arrival(self, now_ns, packet, queue, rng):
...         return DROP if rng.uniform() < self.probability else None
>>> scenario = sojourn.Scenario(
...     duration="1s",
...     dumbbell=sojourn.Dumbbell(rate="10Mbit", delay="10ms", queue=Coin.queue(probability=0.05)),
...     flows=[sojourn.Flow()],
... )
>>> scenario.resolved()["dumbbell"]["queue"]
{'kind': 'coin', 'limit': '100p', 'probability': 0.05}

A class is registered under its name when it is defined, and is then named like any other queue or window law: in
scenario files, in ``--set``, in ``sojourn explain``. Times are whole nanoseconds, as in the core. See
``docs/own-queue.md``.
"""

from __future__ import annotations

from ._core import DROP, MARK, PASS, Acked, Arrival, Congestion, Dropped, Heard, Packet, Queue, Random, Setup
from ._core import Verdict as Decision
from ._rooms.catalogue.added import add_column
from ._rooms.own._check import Conformance, Promise
from ._rooms.own._classes import LinkInfo, registered
from ._rooms.own._failure import HookError
from ._rooms.own._files import load
from ._rooms.own._law import WindowLaw
from ._rooms.own._params import Bool, Bytes, Choice, Fraction, Integer, Number, Param, Rate, Size, Time
from ._rooms.own._policy import Policy

__all__ = [
    "DROP",
    "MARK",
    "PASS",
    "Acked",
    "Arrival",
    "Bool",
    "Bytes",
    "Choice",
    "Conformance",
    "Congestion",
    "Decision",
    "Dropped",
    "Fraction",
    "Heard",
    "HookError",
    "Integer",
    "LinkInfo",
    "Number",
    "Packet",
    "Param",
    "Policy",
    "Promise",
    "Queue",
    "Random",
    "Rate",
    "Setup",
    "Size",
    "Time",
    "WindowLaw",
    "add_column",
    "load",
    "registered",
]
