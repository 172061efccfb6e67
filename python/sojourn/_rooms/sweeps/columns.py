"""Columns of a frame in which axes, named by users, are beside columns of ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

__all__ = ["columns_of"]


def columns_of(axes: Iterable[str], taken: Iterable[str], names: Mapping[str, str] | None = None) -> dict[str, str]:
    """The column of each axis: its name, or ``axis_NAME`` where a column of ours or of another axis has that name.

    `taken` are the other columns of the frame. `names` are other names to begin with, where a name of an axis cannot be
    a column as it is.

    >>> columns_of(["target", "interval", "low"], ["low", "interval"])
    {'target': 'target', 'interval': 'axis_interval', 'low': 'axis_low'}
    >>> columns_of(["low", "axis_low"], ["low"])
    {'low': 'axis_axis_low', 'axis_low': 'axis_low'}
    """
    wanted = {axis: (names or {}).get(axis, axis) for axis in axes}
    used = set(taken)
    found = {}
    # An axis that needs no other name keeps its own, wherever it is.
    for axis in sorted(wanted, key=lambda one: wanted[one] in used):
        column = wanted[axis]
        while column in used:
            column = f"axis_{column}"
        found[axis] = column
        used.add(column)
    return {axis: found[axis] for axis in wanted}
