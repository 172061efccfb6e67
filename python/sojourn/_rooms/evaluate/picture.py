"""The picture of RFC 7928 section 2.7: the throughput of the link against the waiting time of packets."""

from __future__ import annotations

import math

import altair as alt
import polars as pl

from ..showing.plots.frames import Frames
from ..showing.plots.pieces import inline, layout, queue_scale, title
from ..showing.plots.registry import Drawing
from .page import Evaluation

__all__ = ["CRITERION", "trade_off"]

CRITERION = "rfc7928/8.2.2"
"""Mild, medium and heavy congestion."""


def trade_off(page: Evaluation) -> Drawing | None:
    """Wait and use of each queue from mild to heavy congestion, with intervals; None where these were not asked."""
    frame = _frame(page)
    if frame is None:
        return None
    # An interval that reaches almost to zero ends at the edge: else all means would be in a corner.
    least, most = _bounds(frame)
    x = alt.X("wait:Q", title="wait, p95 (ms)", scale=alt.Scale(type="log", nice=False, domain=[least, most]))
    y = alt.Y("used:Q", title="link used (%)", scale=alt.Scale(zero=False, nice=False, padding=20))
    scale = queue_scale(Frames({}, queues=page.labels))
    colour = alt.Color("queue:N", scale=scale, legend=alt.Legend(title=None, values=page.labels))
    base = alt.Chart(inline(frame, "trade_off")).encode(color=colour)
    line = base.mark_line(strokeWidth=1.4, opacity=0.7).encode(x=x, y=y, order="place:Q")
    across = base.mark_rule(strokeWidth=1.2, clip=True).encode(
        x=alt.X("wait_low:Q", title="wait, p95 (ms)"), x2="wait_high:Q", y=y
    )
    up = base.mark_rule(strokeWidth=1.2).encode(x=x, y=alt.Y("used_low:Q", title="link used (%)"), y2="used_high:Q")
    tips = [
        alt.Tooltip("queue:N"),
        alt.Tooltip("point:N", title="congestion"),
        alt.Tooltip("wait:Q", title="wait (ms)", format=".4~g"),
        alt.Tooltip("used:Q", title="used (%)", format=".4~g"),
    ]
    dots = base.mark_point(size=50, filled=True, opacity=1).encode(x=x, y=y, tooltip=tips)
    heading = "Wait against use of the link"
    return alt.layer(line, across, up, dots).properties(
        height=320,
        title=title(heading, "From mild over medium to heavy congestion"),
        usermeta=layout(legend=page.labels),
        description=heading,
    )


def _bounds(frame: pl.DataFrame) -> tuple[float, float]:
    """The ends of the axis of the wait: all means with room beside them; longer intervals are cut."""
    means = frame["wait"]
    least, most = float(means.min()) / 2.0, float(means.max()) * 2.0  # type: ignore[arg-type]
    return max(float(frame["wait_low"].min()) / 1.3, least), min(float(frame["wait_high"].max()) * 1.3, most)  # type: ignore[arg-type]


def _frame(page: Evaluation) -> pl.DataFrame | None:
    rows = {(row.measure.name, row.point): row for row in page.rows if row.criterion.key == CRITERION}
    points = list(dict.fromkeys(point for _, point in rows))
    found = []
    for label in page.labels:
        for place, point in enumerate(points):
            wait, used = (rows[name, point].values.get(label) for name in ("wait", "used"))
            if wait is None or used is None or not (math.isfinite(wait.mean) and wait.mean > 0.0):
                continue
            # Without several runs there is no interval.
            low, high = (wait.low, wait.high) if wait.half_width > 0.0 and wait.low > 0.0 else (wait.mean, wait.mean)
            least, most = (used.low, used.high) if used.half_width > 0.0 else (used.mean, used.mean)
            found.append(
                {
                    "queue": label,
                    "point": point,
                    "place": place,
                    "wait": wait.mean,
                    "wait_low": low,
                    "wait_high": high,
                    "used": used.mean,
                    "used_low": least,
                    "used_high": most,
                }
            )
    return pl.DataFrame(found) if found else None
