"""The laws of queues and senders as points: a drop probability over a queue, a window after a loss."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ... import _core
from ..scenario.site import site_of

if TYPE_CHECKING:
    from ..scenario.scenario import QueueLike

__all__ = ["Law", "LawAxis", "LawCurve", "law", "sender_law"]


@dataclass(frozen=True)
class LawAxis:
    """The quantity on an axis: ``name`` in words, and its ``unit``, which may be empty."""

    name: str
    unit: str

    def __str__(self) -> str:
        """Name and unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name


@dataclass(frozen=True)
class LawCurve:
    """One function: its ``name``, empty where there is one alone, and points by x.

    At a step there are two points with nearly the same x.
    """

    name: str
    points: tuple[tuple[float, float], ...] = field(repr=False)


@dataclass(frozen=True)
class Law:
    """The law of a queue or a sender: its axes, its remaining conditions, and its curves."""

    x: LawAxis
    y: LawAxis
    about: str
    curves: tuple[LawCurve, ...]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        axis = {name: {"name": of.name, "unit": of.unit} for name, of in (("x", self.x), ("y", self.y))}
        curves = [{"name": curve.name, "points": [list(point) for point in curve.points]} for curve in self.curves]
        return {**axis, "about": self.about, "curves": curves}


def law(
    queue: QueueLike,
    *,
    preset: str | None = None,
    settings: Mapping[str, Any] | None = None,
    rate: str = "10Mbit",
    base_rtt: str = "100ms",
    mean_packet: str = "auto",
    flows: int = 10,
) -> Law | None:
    """Return the law of a queue in front of a link as points, from the functions by which the queue itself decides.

    Parameters
    ----------
    queue
        Name of the queue, ``"red:min_th=5p,ecn=true"``, ``queues.Red(min_th="5p")`` or a mapping with ``kind``.
    preset, settings
        A named group of settings, and parameters, which go before those in `queue`.
    rate, base_rtt, mean_packet, flows
        The link, for parameters that depend on it.

    Returns
    -------
    Law or None
        None where the law is not a function that can be drawn.

    Raises
    ------
    ScenarioError
        With the found and the allowed values.

    Examples
    --------
    >>> import sojourn
    >>> red = sojourn.law("red", preset="paper")
    >>> str(red.x), str(red.y), red.curves[0].points[0]
    ('average queue [packets]', 'base drop probability', (0.0, 0.0))
    """
    if isinstance(flows, bool) or not isinstance(flows, int) or not 1 <= flows < 2**63:
        raise ValueError(f"flows: {flows!r} is not a number of flows\n  allowed: a whole number from 1")
    site = site_of(queue, rate=rate, preset=preset, settings=settings, base_rtt=base_rtt, mean_packet=mean_packet)
    return _read(_core.law(site, flows))


def sender_law(sender: str, *, transport: bool = False, preset: str | None = None) -> Law | None:
    """Return the law of a sender as points, from the window law itself, which is called with made-up events.

    Parameters
    ----------
    sender
        Name of a window law of TCP such as ``"cubic"``, or, with `transport`, of a transport such as ``"tfrc"``.
    transport
        Whether `sender` names a transport.
    preset
        A named group of settings: a preset of a window law, a profile of a transport.

    Returns
    -------
    Law or None
        As :func:`law`, which raises the same errors.

    Examples
    --------
    >>> import sojourn
    >>> reno = sojourn.sender_law("reno")
    >>> str(reno.x), reno.curves[1].name, round(reno.curves[1].points[1][1], 3)
    ('time since it happened [round trips]', 'a loss at 100 segments', 0.5)
    """
    return _read(_core.sender_law(sender, transport, preset))


def _read(found: str | None) -> Law | None:
    """The law that the core wrote as JSON."""
    if found is None:
        return None
    graph = json.loads(found)
    curves = (
        LawCurve(curve["name"], tuple((float(x), float(y)) for x, y in curve["points"])) for curve in graph["curves"]
    )
    return Law(LawAxis(**graph["x"]), LawAxis(**graph["y"]), graph["about"], tuple(curves))
