"""Kinds of claims, as data. The words of a rule follow from the rule."""

from __future__ import annotations

from collections.abc import Mapping

from .along import Extreme, Knee, Linear, Monotone, Trend
from .bounds import Bound, Even
from .kind import Kind, Printed
from .order import Order
from .printed import Near, Table
from .ratios import Equivalent, Gain, WithinFactor
from .singles import Count, Largest

__all__ = [
    "KINDS",
    "KINDS_OF_DIFFERENCES",
    "Bound",
    "Count",
    "Equivalent",
    "Even",
    "Extreme",
    "Gain",
    "Kind",
    "Knee",
    "Largest",
    "Linear",
    "Monotone",
    "Near",
    "Order",
    "Printed",
    "Table",
    "Trend",
    "WithinFactor",
]

KINDS: Mapping[str, type[Kind]] = {
    "order": Order,
    "monotone": Monotone,
    "trend": Trend,
    "linear": Linear,
    "even": Even,
    "knee": Knee,
    "extreme": Extreme,
    "near": Near,
    "equivalent": Equivalent,
    "within_factor": WithinFactor,
    "gain": Gain,
    "bound": Bound,
    "table": Table,
    "largest": Largest,
    "count": Count,
}
"""By their names in study files."""

KINDS_OF_DIFFERENCES = ("order", "monotone", "trend", "extreme")
"""Those about a difference in the units of the metric."""
