"""Gymnasium environments: an agent sets a queue's probability, or a sender's window, at each step of a run.

>>> import gymnasium, sojourn.env  # doctest: +SKIP
>>> env = gymnasium.make("Sojourn/Queue-v0", step="50ms")  # doctest: +SKIP

An episode is one run of a scenario: the seed of ``reset`` is the seed of the run, and the same actions give the same
numbers. Needs Gymnasium, the extra ``env``. The worked example is ``examples/agent_queue.py``.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, SupportsFloat
from weakref import WeakValueDictionary

import numpy as np

from ... import _core
from ..._core import MARK
from .._base.extras import need
from ..scenario.scenario import Scenario
from ._law import WindowLaw
from ._params import Fraction, Integer
from ._policy import Policy

need("env")
import gymnasium  # noqa: E402

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..._core import Acked, Congestion, Dropped, Packet, Queue, Random, Setup, Verdict

    Floats = NDArray[np.float32]

__all__ = ["AgentQueue", "AgentWindow", "QueueEnv", "SenderEnv"]

_SCENARIO = """
title = "Four senders and an agent"
duration = "30s"

[dumbbell]
rate = "10Mbit"
delay = "20ms"
queue = { kind = "fifo", limit = "100p" }

[[flow]]
name = "bulk"
count = COUNT
start = { spread = "1s" }
"""

_MOST = 10.0
"""Bound of every observation."""


@dataclass(eq=False)
class Desk:
    """The meeting point of an environment and the run: the action, and the events since the last step."""

    action: float
    sent: int = 0
    sent_bytes: int = 0
    waited_ns: int = 0
    arrived_bytes: int = 0
    lost: int = 0
    packets: int = 0
    acked: float = 0.0
    rtts_ns: list[int] = field(default_factory=list)

    def clear(self) -> None:
        """Begin a step."""
        self.sent = self.sent_bytes = self.waited_ns = self.arrived_bytes = self.lost = 0
        self.acked = 0.0
        self.rtts_ns.clear()


_DESKS: WeakValueDictionary[int, Desk] = WeakValueDictionary()
_NUMBERS = itertools.count(1)


class AgentQueue(Policy):
    """Marks each packet with the probability that an agent sets; packets that cannot be marked are dropped."""

    agent: Integer = Integer(0, "Number of the environment that sets the probability; 0 is none.", least=0)
    probability: Fraction = Fraction(0.0, "Probability until an agent sets another.")

    def __init__(self) -> None:
        self.desk: Desk = _DESKS.get(self.agent) or Desk(self.probability)

    def on_arrival(self, now_ns: int, packet: Packet, queue: Queue, rng: Random) -> Verdict | None:
        """Draw once for each packet."""
        self.desk.arrived_bytes += packet.size_bytes
        return MARK("agent") if rng.uniform() < self.desk.action else None

    def on_transmission(self, now_ns: int, packet: Packet, packets: int, size_bytes: int) -> None:
        """Count the packet and its waiting time."""
        desk = self.desk
        desk.sent += 1
        desk.sent_bytes += packet.size_bytes
        desk.waited_ns += now_ns - packet.enqueued_ns
        desk.packets = packets

    def on_drop(self, now_ns: int, packet: Packet, dropped: Dropped, queue: Queue) -> None:
        """Count the loss."""
        self.desk.lost += 1


class AgentWindow(WindowLaw):
    """Keeps the window that an agent sets, whatever happens."""

    agent: Integer = Integer(0, "Number of the environment that sets the window; 0 is none.", least=0)

    def __init__(self) -> None:
        self.desk: Desk = _DESKS.get(self.agent) or Desk(10.0)

    def on_connect(self, setup: Setup) -> None:
        """Begin with the agent's window."""
        self._keep()

    def on_ack(self, acked: Acked) -> None:
        """Count the acknowledged data and the round-trip time."""
        self.desk.acked += acked.segments
        if acked.rtt_ns is not None:
            self.desk.rtts_ns.append(acked.rtt_ns)
        self._keep()

    def on_loss(self, event: Congestion) -> None:
        """Count it."""
        self.desk.lost += 1
        self._keep()

    def on_timeout(self, event: Congestion | None) -> None:
        """Count it."""
        self.desk.lost += 1
        self._keep()

    def _keep(self) -> None:
        self.cwnd: float = self.desk.action
        self.ssthresh: float = self.desk.action


class _Env(gymnasium.Env["Floats", Any]):
    """A run that goes on step by step."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": []}

    def __init__(self, scenario: Scenario, step: str, first: float) -> None:
        self._desk = Desk(first)
        self._first = first
        self._scenario = scenario
        self._step_s = _core.seconds(step)
        if not 0.0 < self._step_s <= scenario.duration_s:
            raise ValueError(f"the step {step!r} is not part of the run\n  allowed: up to {scenario.duration_s:g}s")
        self._run: _core.Simulation | None = None
        self._steps = 0
        self.render_mode: str | None = None

    @staticmethod
    def _number(desk: Desk) -> int:
        number = next(_NUMBERS)
        _DESKS[number] = desk
        return number

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Begin a run; `seed` is that of the run, and without one it is drawn."""
        super().reset(seed=seed)
        run_seed = int(self.np_random.integers(2**31)) if seed is None else int(seed)
        self._desk.clear()
        self._desk.action, self._desk.packets = self._first, 0
        self._steps = 0
        self._run = _core.Simulation(self._scenario.resolved_json, run_seed)
        return self._observation(), {"time_s": 0.0, "seed": run_seed}

    def _advance(self) -> tuple[float, bool]:
        """Advance the run by a step; gives the time then, and whether the run is over."""
        if self._run is None:
            raise gymnasium.error.ResetNeeded("call reset() before step()")
        self._desk.clear()
        self._steps += 1
        until = min(self._steps * self._step_s, self._scenario.duration_s)
        self._run.advance(until)
        return until, until >= self._scenario.duration_s

    def _observation(self) -> Floats:
        raise NotImplementedError


def _acted(action: Any, least: float, most: float) -> float:
    """The action as a number within its bounds.

    Raises
    ------
    ValueError
        If it is not one number: a policy that has diverged would otherwise go on in silence.
    """
    try:
        numbers = np.asarray(action, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        numbers = np.array([])
    if action is None or numbers.shape != (1,) or not np.isfinite(numbers[0]):
        raise ValueError(f"the action is {action!r}\n  allowed: one number from {least:g} to {most:g}")
    return float(np.clip(numbers[0], least, most))


def _bounded(*values: float) -> Floats:
    return np.clip(np.array(values, dtype=np.float32), 0.0, _MOST).astype(np.float32)


class QueueEnv(_Env):
    """An agent sets the probability with which the bottleneck's queue marks or drops.

    *Action*: the probability, from 0 to 1. *Observation*, each from 0 to 10, over the last step: the backlog over the
    limit, the mean wait over ``target``, arrivals and departures over the capacity, the share of lost packets, the
    probability. *Reward*: utilisation minus ``weight`` times the mean wait over ``target``.

    Parameters
    ----------
    scenario
        A dumbbell; its queue is replaced, its buffer stays. Without one, four senders on 10 Mbit/s for 30 s.
    step
        Simulated time of a step.
    target, weight
        Of the reward.
    """

    def __init__(
        self,
        scenario: Scenario | str | None = None,
        *,
        step: str = "50ms",
        target: str = "20ms",
        weight: float = 0.5,
    ) -> None:
        plain = _scenario(scenario, 4)
        content = plain.resolved()["dumbbell"]
        super().__init__(plain, step, 0.0)
        kept = plain.set("dumbbell.reverse_queue", content["reverse_queue"])
        self._scenario = kept.with_queue({"kind": "agent_queue", "agent": self._number(self._desk)})
        self._capacity_bytes = _core.bits_per_second(content["rate"]) / 8 * self._step_s
        # Not that of the queue that was there, which may have none or not pass it on.
        self._limit = _packets(str(self._scenario.resolved()["dumbbell"]["queue"]["limit"]))
        self._target_ns = _core.seconds(target) * 1e9
        self._weight = weight
        self.action_space: gymnasium.spaces.Space[Any] = gymnasium.spaces.Box(0.0, 1.0, (1,), np.float32)
        self.observation_space: gymnasium.spaces.Space[Any] = gymnasium.spaces.Box(0.0, _MOST, (6,), np.float32)

    def step(self, action: Any) -> tuple[Floats, SupportsFloat, bool, bool, dict[str, Any]]:
        """Set the probability and go on."""
        self._desk.action = _acted(action, 0.0, 1.0)
        now_s, over = self._advance()
        wait_ns = self._desk.waited_ns / max(self._desk.sent, 1)
        utilisation = min(self._desk.sent_bytes / self._capacity_bytes, 1.0)
        reward = utilisation - self._weight * wait_ns / self._target_ns
        info = {"time_s": now_s, "utilisation": utilisation, "wait_ms": wait_ns / 1e6, "lost": self._desk.lost}
        return self._observation(), float(reward), False, over, info

    def _observation(self) -> Floats:
        desk = self._desk
        return _bounded(
            desk.packets / self._limit,
            desk.waited_ns / max(desk.sent, 1) / self._target_ns,
            desk.arrived_bytes / self._capacity_bytes,
            desk.sent_bytes / self._capacity_bytes,
            desk.lost / max(desk.lost + desk.sent, 1),
            desk.action,
        )


class SenderEnv(_Env):
    """An agent sets the window of one sender.

    *Action*: from -1 to 1, the power of two by which the window changes; the window stays from 1 to ``most`` segments.
    *Observation*, each from 0 to 10, over the last step: the logarithm (base 2) of the window over 2, the acknowledged
    data over the bottleneck's capacity, the mean round-trip time over the least one so far, less 1, and the losses.
    *Reward*: the acknowledged data over the capacity, minus ``weight`` times the round-trip time over the least one,
    less 1, minus a tenth of the losses.

    Parameters
    ----------
    scenario
        A dumbbell whose first group is one TCP flow. Without one, it is alone on 10 Mbit/s for 30 s.
    step
        Simulated time of a step.
    weight, most
        Of the reward, and the largest window in segments.
    """

    def __init__(
        self,
        scenario: Scenario | str | None = None,
        *,
        step: str = "100ms",
        weight: float = 0.5,
        most: float = 1000.0,
    ) -> None:
        plain = _scenario(scenario, 1)
        flow = plain.resolved()["flow"][0]
        if flow["count"] != 1 or flow["transport"]["kind"] != "tcp":
            raise ValueError(f"the group {flow['name']!r} is not one TCP flow, whose window an agent could set")
        super().__init__(plain, step, 10.0)
        law = {"kind": "agent_window", "agent": self._number(self._desk)}
        self._scenario = plain.set("flow[0].transport", {**flow["transport"], "control": law})
        rate = _core.bits_per_second(plain.resolved()["dumbbell"]["rate"])
        packet = _core.byte_count(flow["transport"]["packet"])
        self._capacity = rate / 8 / packet * self._step_s
        self._weight, self._most = weight, most
        self._least_ns = math.inf
        self.action_space: gymnasium.spaces.Space[Any] = gymnasium.spaces.Box(-1.0, 1.0, (1,), np.float32)
        self.observation_space: gymnasium.spaces.Space[Any] = gymnasium.spaces.Box(0.0, _MOST, (4,), np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Begin a run with a window of ten segments."""
        self._least_ns = math.inf
        return super().reset(seed=seed, options=options)

    def step(self, action: Any) -> tuple[Floats, SupportsFloat, bool, bool, dict[str, Any]]:
        """Change the window and go on."""
        change = _acted(action, -1.0, 1.0)
        self._desk.action = min(max(self._desk.action * 2.0**change, 1.0), self._most)
        now_s, over = self._advance()
        desk = self._desk
        self._least_ns = min([self._least_ns, *desk.rtts_ns])
        reward = desk.acked / self._capacity - self._weight * self._excess() - 0.1 * desk.lost
        info = {"time_s": now_s, "window": desk.action, "acked": desk.acked, "lost": desk.lost}
        return self._observation(), float(reward), False, over, info

    def _excess(self) -> float:
        """Mean round-trip time over the least one, less 1."""
        rtts = self._desk.rtts_ns
        return sum(rtts) / len(rtts) / self._least_ns - 1.0 if rtts else 0.0

    def _observation(self) -> Floats:
        desk = self._desk
        return _bounded(math.log2(desk.action) / 2, desk.acked / self._capacity, self._excess(), desk.lost)


def _scenario(scenario: Scenario | str | None, count: int) -> Scenario:
    if scenario is None:
        return Scenario.from_toml(_SCENARIO.replace("COUNT", str(count)))
    loaded = scenario if isinstance(scenario, Scenario) else Scenario.load(scenario)
    dumbbell = loaded.resolved().get("dumbbell")
    if dumbbell is None or not isinstance(dumbbell["rate"], str):
        raise ValueError("an environment needs a dumbbell of one rate: the agent controls its bottleneck")
    return loaded


def _packets(limit: str) -> float:
    """A limit in packets, for the scale of an observation; in another unit 100."""
    return float(limit[:-1]) if limit.endswith("p") else 100.0


for _name, _made in (("Queue", QueueEnv), ("Sender", SenderEnv)):
    gymnasium.register(f"Sojourn/{_name}-v0", entry_point=_made)
