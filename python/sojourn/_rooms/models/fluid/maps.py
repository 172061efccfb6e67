"""Stability over ranges of flows, times, rates and parameters: by linearisation, and by following a disturbance."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from .linear import linearise, rightmost_root
from .model import Fluid
from .rest import rest

__all__ = ["grows", "near_rest", "stability_map"]


def stability_map(
    make: Callable[..., Fluid], axes: dict[str, Sequence[Any]], *, followed: bool = False
) -> pl.DataFrame:
    """A row for each combination of the axes' values.

    Parameters
    ----------
    make
        Makes the model from one value of each axis, by name.
    axes
        Values by name.
    followed
        Whether each model is integrated, too; this takes about a second for each.

    Returns
    -------
    polars.DataFrame
        The axes; ``root_real`` and ``root_imag`` of the rightmost root in 1/s; ``gain_margin`` and
        ``phase_margin_deg``; ``queue_packets`` and ``mark_ratio`` at rest; ``stable``; with `followed`, ``grows``:
        whether a small disturbance is larger in the end. A model without an equilibrium has the reason in
        ``why`` and else nulls.
    """
    rows: list[dict[str, Any]] = []
    for values in _crossed(list(axes.values())):
        at = dict(zip(axes, values, strict=True))
        rows.append({**at, **near_rest(make(**at), followed=followed)})
    return pl.DataFrame(rows, infer_schema_length=None)


def near_rest(model: Fluid, *, followed: bool = False) -> dict[str, Any]:
    """A row of `stability_map`, without the axes."""
    try:
        linear = linearise(model)
    except ValueError as error:
        return {"why": str(error)}
    root = rightmost_root(linear)
    margin = linear.margins()
    found: dict[str, Any] = {
        "root_real": root.real,
        "root_imag": root.imag,
        "gain_margin": margin.gain,
        "phase_margin_deg": margin.phase_deg,
        "queue_packets": linear.rest.queue,
        "mark_ratio": linear.rest.probability,
        "stable": root.real < 0.0,
    }
    if followed:
        found["grows"] = grows(model, root=root)
    return {**found, "why": None}


def grows(model: Fluid, *, root: complex, disturbance: float = 1e-4) -> bool:
    """Whether a disturbance of the equilibrium is larger in the end than at first.

    The windows are moved by a part `disturbance` of themselves. The rightmost `root`, in 1/s, says only how long to
    look: for a period at first, and for one again when ``exp(|Re| t)`` has changed threefold, but after at most 400
    round-trip times.
    """
    # The equilibrium is one with all classes sending, whenever they start.
    model = replace(model, classes=tuple(replace(one, on=()) for one in model.classes))
    about = rest(model)
    start = about.state.copy()
    start[: len(model.classes)] *= 1.0 + disturbance
    round_trip = max(model.rtt(i, about.queue) for i in range(len(model.classes)))
    period = min(max(2.0 * math.pi / max(abs(root.imag), 1e-9), 5.0 * round_trip), 40.0 * round_trip)
    later = period + min(max(1.1 / max(abs(root.real), 1e-9), 10.0 * round_trip), 400.0 * round_trip)
    course = model.run(later + period, start=start, relative=1e-9, sample_s=round_trip / 10.0)

    def farthest(begin: float) -> float:
        windows = course.frame(begin=begin, end=begin + period).select(model.names[: len(model.classes)]).to_numpy()
        return float(np.max(np.abs(windows / about.state[: len(model.classes)] - 1.0)))

    first = farthest(0.0)
    # A disturbance that has grown a hundredfold in the first period has reached its full swing, and grows no more.
    return first > 100.0 * disturbance or farthest(later) > first


def _crossed(values: list[Sequence[Any]]) -> list[tuple[Any, ...]]:
    crossed: list[tuple[Any, ...]] = [()]
    for axis in values:
        crossed = [(*before, value) for before in crossed for value in axis]
    return crossed
