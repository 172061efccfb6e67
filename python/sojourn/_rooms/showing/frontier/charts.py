"""The picture of a frontier: a mark for each setting, and a line along the best settings of each queue."""

from __future__ import annotations

from typing import TYPE_CHECKING

import altair as alt
import polars as pl

from ...catalogue.columns import Measure, measure
from ..plots.frames import Frames
from ..plots.pieces import inline, layout, queue_colour, queue_dash, queue_scale, queue_shape, title
from ..plots.registry import Drawing
from ..plots.scales import Times, wide

if TYPE_CHECKING:
    from ...sweeps.frontier import Frontier

__all__ = ["draw_frontier"]

_FEWEST = 4
"""Settings that a picture has at least."""
_FAR = 3.0
"""A setting is far off if it lies so many times as far from its neighbour as all others from each other."""

_NO_LABEL = "\u00a0"
"""In a chart an empty text is the word "null"."""


def draw_frontier(found: Frontier, times: Times = "auto") -> Drawing:
    """The second metric across, the first one up; crosses are 95 % intervals."""
    shown = [
        measure(metric.column, [found.mean(one, at) for queue in found.queues for one in found.settings(queue)])
        for at, metric in enumerate(found.metrics)
    ]
    frame = _frame(found, shown)
    is_wide = shown[0].unit in ("ms", "s") and wide(times, frame["up"])
    if is_wide:
        frame = frame.with_columns(pl.col("up_low").clip(pl.col("up") / 10.0))
    frame, far = _near(frame)
    of_queues = Frames({}, queues=found.queues)
    x_scale = alt.Scale(zero=False, nice=False, padding=28)
    y_scale = alt.Scale(type="log" if is_wide else "linear", zero=False, nice=False, padding=24)
    x = alt.X("across:Q", title=_axis(found, shown, 1), scale=x_scale)
    y = alt.Y("up:Q", title=_axis(found, shown, 0), scale=y_scale, axis=alt.Axis(format="~g" if is_wide else "~s"))
    base = alt.Chart(inline(frame, "frontier")).encode(color=queue_colour(of_queues, legend=True))
    pale = alt.condition("datum.place < 0", alt.value(0.4), alt.value(1.0))
    line = base.transform_filter("datum.place >= 0").mark_line(strokeWidth=1.8)
    line = line.encode(x=x, y=y, order="place:Q", strokeDash=queue_dash(of_queues))
    across = base.mark_rule(strokeWidth=1.1).encode(x="across_low:Q", x2="across_high:Q", y=y, opacity=pale)
    up = base.mark_rule(strokeWidth=1.1).encode(x=x, y="up_low:Q", y2="up_high:Q", opacity=pale)
    tips = [
        alt.Tooltip("setting:N"),
        alt.Tooltip("across:Q", title=shown[1].title, format=".4~g"),
        alt.Tooltip("up:Q", title=shown[0].title, format=".4~g"),
        alt.Tooltip("beaten_by:N", title="beaten by"),
    ]
    dots = base.mark_point(size=64, filled=True).encode(
        x=x, y=y, shape=queue_shape(of_queues, legend=True), opacity=pale, tooltip=tips
    )
    rings = base.transform_filter("datum.worse == 1").mark_point(size=190, filled=False, strokeWidth=1.2)
    rings = rings.encode(x=x, y=y, tooltip=tips)
    words = base.mark_text(align="left", dx=9, dy=11, fontSize=11).encode(
        x=x, y=y, text="label:N", color=alt.Color("queue:N", scale=queue_scale(of_queues), legend=None)
    )
    drawing: Drawing = alt.layer(line, across, up, rings, dots, words)
    heading = f"{shown[0].label} against {shown[1].label.lower()}"
    below = (
        f"A mark is a setting; crosses: 95 % intervals of {len(found.seeds)} runs; a ring: another queue's curve "
        f"dominates it; pale: its own queue has a better setting. {_better(found)}{far}"
    )
    return drawing.properties(
        height=380, title=title(heading, below), usermeta=layout(legend=found.queues), description=heading
    )


def _frame(found: Frontier, shown: list[Measure]) -> pl.DataFrame:
    beaten: dict[str, list[str]] = {}
    for one in found.beside:
        if one.verdict == "worse":
            beaten.setdefault(one.setting, []).append(one.other)
    rows: list[dict[str, object]] = []
    for queue in found.queues:
        front = found.front(queue)
        named = {front[0], front[-1]} if front else set()
        for line in found.lines:
            for value, setting in zip(line.values, line.settings, strict=True):
                if line.queue != queue or any(row["setting"] == setting for row in rows):
                    continue
                row: dict[str, object] = {"queue": queue, "setting": setting}
                for at, name in ((1, "across"), (0, "up")):
                    interval, factor = found.interval(setting, at), shown[at].factor
                    has_width = interval.half_width > 0.0
                    row[name] = interval.mean * factor
                    row[f"{name}_low"] = (interval.low if has_width else interval.mean) * factor
                    row[f"{name}_high"] = (interval.high if has_width else interval.mean) * factor
                row["place"] = front.index(setting) if setting in front else -1
                row["worse"] = int(setting in beaten)
                row["beaten_by"] = ", ".join(beaten.get(setting, [])) or "nobody"
                row["label"] = f"{line.parameter} {value}".strip() if setting in named else _NO_LABEL
                rows.append(row)
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return frame.filter(pl.col("across").is_finite() & pl.col("up").is_finite())


def _near(frame: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """The settings without those that lie so far off that all others would be in a corner, and the words for these."""
    far: list[str] = []
    for name in ("across", "up"):
        rows = frame.filter(~pl.col("setting").is_in(far)).sort(name)
        values, settings = rows[name].to_list(), rows["setting"].to_list()
        while len(values) > _FEWEST and values[1] - values[0] > _FAR * (values[-1] - values[1]):
            far.append(settings.pop(0))
            values.pop(0)
        while len(values) > _FEWEST and values[-1] - values[-2] > _FAR * (values[-2] - values[0]):
            far.append(settings.pop())
            values.pop()
    kept = frame.filter(~pl.col("setting").is_in(far))
    return kept, f" Outside of the picture: {', '.join(far)}." if far else ""


def _axis(found: Frontier, shown: list[Measure], at: int) -> str:
    row = found.metrics[at].row
    label = shown[at].label + (f" of {row}" if row else "")
    return f"{label} ({shown[at].unit})" if shown[at].unit else label


def _better(found: Frontier) -> str:
    """The corner that is better."""
    up = "down" if found.metrics[0].better == "less" else "up"
    return f"Better: {up} and to the {'right' if found.metrics[1].better == 'more' else 'left'}."
