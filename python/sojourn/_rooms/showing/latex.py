"""Tables of means with intervals for a paper, in LaTeX with booktabs and siunitx."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..catalogue.columns import measure

if TYPE_CHECKING:
    import polars as pl

__all__ = ["latex_table", "number"]

_VALUES = ("mean", "difference")
_SIGNS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def latex_table(frame: pl.DataFrame, metrics: Sequence[str], *, across: str = "queue") -> str:
    r"""A table with a row for each metric and a column for each queue.

    Parameters
    ----------
    frame
        Of ``study.summary()``, ``study.differences()`` or a sweep's ``summary()``. Its other columns, such as ``row``,
        have one value each: ``study.summary().filter(row="forward")``.
    metrics
        Names of metrics, in the order of the rows.
    across
        The column whose values are above the table's columns.

    Returns
    -------
    str
        ``\begin{tabular}`` and so on. It needs ``\usepackage{booktabs,siunitx}``, and
        ``\sisetup{uncertainty-mode=separate}`` prints ± where siunitx would print brackets.

    Raises
    ------
    ValueError
        If a metric is in no row, or a row of the table would have several values.
    """
    value = next((name for name in _VALUES if name in frame.columns), None)
    wanted = {across, "metric", "low", "high"}
    if value is None or not wanted <= set(frame.columns):
        raise ValueError(f"this frame has no intervals: {', '.join(frame.columns)}\n  allowed: one of summary()")
    for name in frame.columns:
        found = frame[name].unique(maintain_order=True).to_list()
        if name not in {*wanted, "n", value} and len(found) > 1:
            raise ValueError(
                f"the column {name!r} has several values: {', '.join(map(str, found[:6]))}\n"
                f"  hint:    choose one, such as frame.filter({name}={found[0]!r})"
            )
    heads = frame[across].unique(maintain_order=True).to_list()
    lines = [rf"\begin{{tabular}}{{l{'r' * len(heads)}}}", r"\toprule"]
    lines += [" & ".join(["", *(_text(str(head)) for head in heads)]) + r" \\", r"\midrule"]
    for metric in metrics:
        rows = {row[across]: row for row in frame.filter(metric=metric).iter_rows(named=True)}
        if not rows:
            known = ", ".join(sorted(frame["metric"].unique().to_list()))
            raise ValueError(f"there is no metric {metric!r} in this frame\n  allowed: {known}")
        shown = measure(metric, [row[value] for row in rows.values()])
        unit = "points" if value == "difference" and shown.unit == "%" else shown.unit
        label = _text(f"{shown.label} ({unit})" if unit else shown.label)
        cells = [_cell(rows.get(head), value, shown.factor) for head in heads]
        lines.append(" & ".join([label, *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def number(mean: float, low: float, high: float) -> str:
    r"""A mean with its interval: ``\num{18.2 +- 1.4}``; the ends where they are not as far away on both sides.

    The half-width has two digits, and the mean as many places.

    >>> number(18.234, 16.83, 19.638)
    '\\num{18.2 +- 1.4}'
    >>> number(1.939, 0.0, 3.948)
    '\\num{1.9} [\\num{0.0}, \\num{3.9}]'
    """
    if not math.isfinite(mean):
        return "--"
    half = (high - low) / 2.0
    if not math.isfinite(half):
        return rf"\num{{{mean:.4g}}}"
    if half == 0.0:
        return rf"\num{{{mean:.4g} +- 0}}"
    places = max(1 - math.floor(math.log10(half)), 0)
    if not math.isclose(high - mean, mean - low, rel_tol=0.01):
        return rf"\num{{{mean:.{places}f}}} [\num{{{low:.{places}f}}}, \num{{{high:.{places}f}}}]"
    return rf"\num{{{mean:.{places}f} +- {half:.{places}f}}}"


def _cell(row: dict[str, Any] | None, value: str, factor: float) -> str:
    if row is None or row[value] is None:
        return "--"
    ends = [math.nan if row[name] is None else row[name] * factor for name in ("low", "high")]
    return number(row[value] * factor, *ends)


def _text(text: str) -> str:
    return "".join(_SIGNS.get(sign, sign) for sign in text)
