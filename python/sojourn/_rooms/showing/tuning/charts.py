"""Charts of a search: an objective along each parameter, and one objective against another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import polars as pl

from ...tuning.outcome import Tuned
from ..plots.pieces import inline, layout, title
from ..plots.registry import Drawing

__all__ = ["draw_frontier", "draw_slice"]

_KINDS = ("tried", "may break a bound", "best", "default")


def draw_slice(tuned: Tuned, objective: str, parameter: str) -> Drawing:
    """The mean of an objective, or of a bounded number, with every setting that was tried, along one parameter."""
    span = tuned.ranges[parameter]
    rows = [row for row in _rows(tuned) if span is None or row[parameter] is not None]
    frame = _frame(rows, tuned)
    unit = f" ({span.unit})" if span is not None and span.unit else ""
    if span is None:
        x = alt.X(f"{_column(tuned, parameter)}:N", title=parameter, axis=alt.Axis(labelAngle=0))
    else:
        scale = alt.Scale(type="log" if span.log else "linear", zero=False, nice=False, padding=16)
        x = alt.X(f"{_column(tuned, parameter)}:Q", title=f"{parameter}{unit}", scale=scale)
    y = alt.Y(f"{_goal(tuned, objective)}:Q", title=objective, scale=alt.Scale(zero=False, nice=False, padding=16))
    heading = f"{objective} along {parameter}"
    dots = _dots(frame, x, y, _tips(tuned))
    bound = next((one for one in tuned.constraints if one.name == objective), None)
    if bound is not None:
        line = alt.Chart(inline(pl.DataFrame({"bound": [bound.bound]}), "bound"))
        dots = alt.layer(line.mark_rule(strokeDash=[5, 4]).encode(y=alt.Y("bound:Q", title=objective)), dots)
    return dots.properties(
        height=260,
        title=title(heading, _caption(tuned)),
        usermeta=layout(legend=sorted(set(frame["kind"]))),
        description=heading,
    )


def draw_frontier(tuned: Tuned) -> Drawing:
    """The first objective against the second, with every setting that was tried."""
    first, second = (one.name for one in tuned.objectives[:2])
    frame = _frame(_rows(tuned), tuned)
    scale = alt.Scale(zero=False, nice=False, padding=16)
    x = alt.X(f"{_goal(tuned, first)}:Q", title=first, scale=scale)
    y = alt.Y(f"{_goal(tuned, second)}:Q", title=second, scale=scale)
    heading = f"{second} against {first}"
    return _dots(frame, x, y, _tips(tuned)).properties(
        height=320,
        title=title(heading, _caption(tuned)),
        usermeta=layout(legend=sorted(set(frame["kind"]))),
        description=heading,
    )


def _caption(tuned: Tuned) -> str:
    bound = (
        f"; settings that may break {' or '.join(one.name for one in tuned.constraints)} are apart"
        if tuned.constraints
        else ""
    )
    return f"Means of the search, as if each setting had had all {len(tuned.seeds)} seeds{bound}"


def _rows(tuned: Tuned) -> list[dict[str, Any]]:
    """All settings and the default: values by parameter, means by objective, seeds, and its kind."""
    frontier = [dict(found.settings) for found in tuned.frontier]
    rows = [
        {
            **{name: _number(tuned, name, value) for name, value in one.settings.items()},
            **one.means,
            **one.bounded,
            "seeds": one.seeds,
            "kind": "best" if dict(one.settings) in frontier else "tried" if one.kept else "may break a bound",
        }
        for one in tuned.tried
    ]
    default = {name: _number(tuned, name, value) for name, value in tuned.default.items()}
    return [
        *rows,
        {**default, **tuned.default_means, **tuned.default_bounded, "seeds": len(tuned.seeds), "kind": "default"},
    ]


def _number(tuned: Tuned, name: str, text: str) -> float | str | None:
    """The number of a value in the unit of its range; None where a default has another one."""
    span = tuned.ranges[name]
    if span is None:
        return text
    return span.number(text)


def _column(tuned: Tuned, parameter: str) -> str:
    return f"parameter_{list(tuned.default).index(parameter)}"


def _goal(tuned: Tuned, objective: str) -> str:
    return f"objective_{_numbers(tuned).index(objective)}"


def _numbers(tuned: Tuned) -> list[str]:
    """The objectives, and the bounds by their texts."""
    return [*(one.name for one in tuned.objectives), *(one.name for one in tuned.constraints)]


def _frame(rows: Sequence[dict[str, Any]], tuned: Tuned) -> pl.DataFrame:
    """The frame with column names that are free of a chart's own syntax."""
    names = {name: _column(tuned, name) for name in tuned.default}
    names |= {name: _goal(tuned, name) for name in _numbers(tuned)}
    # The most important settings are drawn last.
    ordered = sorted(rows, key=lambda row: _KINDS.index(row["kind"]))
    renamed = [{names.get(key, key): value for key, value in row.items()} for row in ordered]
    return pl.DataFrame(renamed, infer_schema_length=None)


def _tips(tuned: Tuned) -> list[alt.Tooltip]:
    return [
        *(
            alt.Tooltip(f"{_column(tuned, name)}:{'N' if span is None else 'Q'}", title=name)
            for name, span in tuned.ranges.items()
        ),
        *(alt.Tooltip(f"{_goal(tuned, name)}:Q", title=name, format=".4~g") for name in _numbers(tuned)),
        alt.Tooltip("seeds:Q"),
    ]


def _dots(frame: pl.DataFrame, x: alt.X, y: alt.Y, tips: list[alt.Tooltip]) -> Drawing:
    kinds = [kind for kind in _KINDS if kind in frame["kind"]]
    shapes = dict(zip(_KINDS, ("circle", "cross", "diamond", "square"), strict=True))
    kind: dict[str, Any] = {"sort": kinds, "title": None}
    base = alt.Chart(inline(frame, "search"))
    drawing: Drawing = base.mark_point(size=55, filled=True, opacity=0.85).encode(
        x=x,
        y=y,
        color=alt.Color("kind:N", scale=alt.Scale(domain=kinds), **kind),
        shape=alt.Shape("kind:N", scale=alt.Scale(domain=kinds, range=[shapes[one] for one in kinds]), **kind),
        tooltip=tips,
    )
    return drawing
