"""The fluid model of a scenario: the parts that the model has, and the parts that it leaves out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .... import _core
from ..design.automatic import automatic_weight, floyd_thresholds
from ..design.avq import avq_alpha
from ..design.basics import Load, NoRoot
from ..design.hollot import pi_gains
from .model import Fluid
from .queues import Avq, Pi, QueueModel, Red, Rem
from .senders import Class

if TYPE_CHECKING:
    from ...scenario.scenario import Scenario

__all__ = ["FromScenario", "of_scenario"]

_QUEUES = ("red", "pi", "rem", "avq")
_MOST_CLASSES = 12
"""The greatest number of classes of a group whose flows differ in round-trip time or start."""


@dataclass(frozen=True)
class FromScenario:
    """A model, and the groups of its classes; `notes` name the parts that were left out."""

    model: Fluid
    groups: tuple[str, ...]
    duration_s: float
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Site:
    """The link, and how amounts of queue are counted in packets there."""

    capacity: float
    packet_bytes: float
    base_rtt_s: float

    def packets(self, text: str) -> float:
        """Packets of an amount such as "50p", "64KiB", "2BDP" or "20ms"."""
        if text.endswith("BDP"):
            return float(text.removesuffix("BDP")) * self.base_rtt_s * self.capacity
        if text.endswith("p"):
            return float(text.removesuffix("p"))
        if text.endswith("B"):
            return _core.byte_count(text) / self.packet_bytes
        return _core.seconds(text) * self.capacity


def of_scenario(scenario: Scenario) -> FromScenario:
    """The fluid model of a dumbbell with bulk TCP flows.

    Raises
    ------
    ValueError
        If the scenario has no dumbbell, no such flows, or a queue that the model does not have.
    """
    resolved = scenario.resolved()
    bell = resolved.get("dumbbell")
    if bell is None:
        raise ValueError("the fluid model has one bottleneck\n  allowed: scenarios with [dumbbell]")
    # The kind first: a queue of another kind may have no limit of this name.
    kind = bell["queue"]["kind"]
    if kind not in _QUEUES:
        raise ValueError(
            f"the fluid model has no queue {kind!r}\n  allowed: {', '.join(_QUEUES)}\n"
            "  hint:    --set dumbbell.queue.kind=red"
        )
    if bell.get("changes") or bell.get("jitter") or bell.get("medium") or bell.get("loss"):
        raise ValueError("the fluid model has a link of constant rate and delay, which loses nothing itself")
    notes: list[str] = []
    flows = [flow for flow in resolved["flow"] if _has(flow, notes)]
    if not flows:
        raise ValueError(
            "the fluid model has none of the flows of this scenario"
            + "".join(f"\n  found:   {note}" for note in notes)
            + "\n  allowed: bulk TCP with the control reno or surathkal, from left to right"
        )
    sizes = {_core.byte_count(flow["transport"]["packet"]) for flow in flows}
    packet = sum(_core.byte_count(one["transport"]["packet"]) * one["count"] for one in flows) / sum(
        one["count"] for one in flows
    )
    if len(sizes) > 1:
        notes.append(f"packets of several sizes count as packets of {packet:g} bytes")
    capacity = _core.bits_per_second(bell["rate"]) / (8.0 * packet)
    duration = _core.seconds(resolved["duration"])
    classes = [one for flow in flows for one in _classes(flow, bell, capacity, duration)]
    total = sum(one.flows for one in classes)
    site = _Site(capacity, packet, sum(one.flows * one.rtt_s for one in classes) / total)
    limit = site.packets(bell["queue"]["limit"])
    model = Fluid(
        classes=tuple(classes),
        queue=_queue(bell["queue"], site, total, limit, notes),
        capacity=capacity,
        limit=max(limit, 1.0),
        marks=bool(bell["queue"].get("ecn")) and all(flow["transport"].get("ecn") is True for flow in flows),
    )
    notes.append("slow start and timeouts are not modelled")
    return FromScenario(
        model, tuple(one.name.rpartition(" ")[0] or one.name for one in classes), duration, tuple(notes)
    )


def _has(flow: Mapping[str, Any], notes: list[str]) -> bool:
    """Whether the model has flows of this group; if not, a note says why."""
    transport, name = flow["transport"], flow["name"]
    why = ""
    if flow["direction"] != "forward":
        why = "they go the other way"
    elif transport["kind"] != "tcp":
        why = f"their transport is {transport['kind']}"
    elif flow["app"]["kind"] != "bulk" or flow["app"].get("bytes", "auto") != "auto":
        why = "they are not of unbounded bulk"
    elif transport["control"]["kind"] not in ("reno", "surathkal"):
        why = f"their control is {transport['control']['kind']}"
    elif transport["control"].get("increase", 1.0) != 1.0 or transport["control"].get("decrease", 0.5) != 0.5:
        why = "their increase is not 1 or their decrease not 0.5"
    if why:
        notes.append(f"the group {name!r} is left out: {why}")
    elif transport.get("recovery") == "tahoe":
        notes.append(f"the group {name!r} starts anew after a loss (tahoe); the model halves its window")
    return not why


def _classes(flow: Mapping[str, Any], bell: Mapping[str, Any], capacity: float, duration: float) -> list[Class]:
    """One class for each stretch of the group's flows that differ in delay or start."""
    access = flow.get("access") or bell["access"]
    delay = access["delay"]
    low, high = (delay, delay) if isinstance(delay, str) else delay
    least, most = _core.seconds(low), _core.seconds(high)
    start = flow["start"] if isinstance(flow["start"], Mapping) else {"at": flow["start"]}
    at, every, spread = (_time(start.get(key)) for key in ("at", "every", "spread"))
    stop = flow.get("stop")
    end = math.inf if stop in (None, "auto") else _core.seconds(str(stop))
    count = int(flow["count"])
    parts = min(count, _MOST_CLASSES) if most > least or every > 0.0 else 1
    transport = flow["transport"]
    window = transport.get("window", "auto")
    made = []
    for part in range(parts):
        first, last = count * part // parts, count * (part + 1) // parts
        middle = (first + last - 1) / 2.0
        own = least + (most - least) * (middle / (count - 1) if count > 1 else 0.5)
        begin = at + every * middle + spread / 2.0
        if begin >= min(end, duration):
            continue
        made.append(
            Class(
                flows=last - first,
                rtt_s=2.0 * (_core.seconds(bell["delay"]) + 2.0 * own) + 1.0 / capacity,
                law=transport["control"]["kind"],
                ack_every=int(transport.get("ack_every", 1)),
                window=float(window.removesuffix("p"))
                if isinstance(window, str) and window.endswith("p")
                else math.inf,
                on=() if begin == 0.0 and math.isinf(end) else ((begin, end),),
                name=flow["name"] if parts == 1 else f"{flow['name']} {part + 1}",
            )
        )
    return made


def _time(text: Any) -> float:
    return 0.0 if text in (None, "auto") else _core.seconds(str(text))


def _queue(settings: Mapping[str, Any], site: _Site, flows: float, limit: float, notes: list[str]) -> QueueModel:
    """The model of a queue of one of the kinds in `_QUEUES`."""
    kind = settings["kind"]
    if kind == "red":
        return _red(settings, site, notes)
    if kind == "pi":
        gains = [settings["a"], settings["b"]]
        if "auto" in gains:
            found = pi_gains(_designed_for(settings, site, flows, limit), frequency_hz=float(settings["w"]))
            gains = [own if own != "auto" else new for own, new in zip(gains, found[:2], strict=True)]
        return Pi(
            q_ref=site.packets(settings["q_ref"]),
            a=float(gains[0]),
            b=float(gains[1]),
            frequency_hz=float(settings["w"]),
        )
    if kind == "rem":
        return Rem(
            q_ref=site.packets(settings["q_ref"]),
            gamma=float(settings["gamma"]),
            alpha=float(settings["alpha"]),
            phi=float(settings["phi"]),
            period_s=_core.seconds(settings["interval"]),
        )
    notes.append("AVQ's virtual queue has no buffer in the model")
    alpha = settings["alpha"]
    if alpha == "auto":
        alpha = _automatic_alpha(settings, _designed_for(settings, site, flows, limit), notes)
    return Avq(gamma=float(settings["gamma"]), alpha=float(alpha), start=float(settings["start"]))


def _designed_for(settings: Mapping[str, Any], site: _Site, flows: float, limit: float) -> Load:
    """The load that automatic parameters are for, as the queue itself takes it."""
    wanted, rtt = settings["design_flows"], settings["design_rtt"]
    return Load(
        flows=flows if wanted == "auto" else float(wanted),
        rtt_s=site.base_rtt_s + limit / site.capacity if rtt == "auto" else _core.seconds(rtt),
        capacity=site.capacity,
    )


def _automatic_alpha(settings: Mapping[str, Any], load: Load, notes: list[str]) -> float:
    """AVQ's alpha by its rule, or the queue's default where the rule gives none."""
    try:
        return avq_alpha(load, utilisation=float(settings["gamma"]))
    except NoRoot:
        notes.append(f"AVQ's rule gives no alpha for {load}; alpha_else = {settings['alpha_else']} stands for it")
        return float(settings["alpha_else"])


def _red(settings: Mapping[str, Any], site: _Site, notes: list[str]) -> Red:
    low, high = settings["min_th"], settings["max_th"]
    automatic = floyd_thresholds(site.capacity, target_delay_s=_core.seconds(settings["target_delay"]))
    least = automatic[0] if low == "auto" else site.packets(low)
    most = 3.0 * least if high == "auto" else site.packets(high)
    weight = settings["w_q"]
    if weight == "auto":
        time = 1.0 if settings["w_q_auto"] == "one_second" else 10.0 * site.base_rtt_s
        weight = automatic_weight(site.capacity, time_s=time)
    if settings["mode"] == "bytes":
        notes.append("RED counts packets in the model, not bytes")
    return Red(
        min_th=least,
        max_th=most,
        max_p=float(settings["max_p"]),
        w_q=float(weight),
        above="gentle" if settings["above"] == "gentle" else "one",
        spacing=settings["count"],
    )
