"""Pieces that several plots are made of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal

import altair as alt
import polars as pl

from .frames import Frames, Runs
from .palette import COLOURS
from .registry import Drawing

DIGITS: Final = 5
AXIS_WIDTH: Final = 44
AXIS_OVERHEAD: Final = AXIS_WIDTH + 32
# The first queue has a whole line. The second four are for queues from the ninth on, whose colours are shades.
_DASHES: Final = ([1, 0], [7, 2], [3, 2], [9, 2, 2, 2])
_MORE_DASHES: Final = ([14, 3], [5, 5], [1, 2], [12, 2, 2, 2, 2, 2])


def inline(frame: pl.DataFrame, name: str) -> alt.InlineData:
    """A frame as comma-separated text inside the chart: a third of the size of JSON, and ready for download."""
    floats = [column for column, kind in frame.schema.items() if kind.is_float()]
    rounded = frame.with_columns(pl.col(floats).round_sig_figs(DIGITS)) if floats else frame
    kinds = {column: "number" if kind.is_numeric() else "string" for column, kind in frame.schema.items()}
    parse = {column: kind if kind == "number" else "string" for column, kind in kinds.items()}
    return alt.InlineData(
        values=rounded.write_csv(float_scientific=None),
        name=name,
        format=alt.CsvDataFormat(type="csv", parse=parse),
    )


def queue_scale(frames: Frames) -> alt.Scale:
    """One domain for every plot; the theme gives the range."""
    return alt.Scale(domain=frames.domain)


def queue_colour(frames: Frames, *, legend: bool, **options: Any) -> alt.Color:
    """Colour by queue; `options` are the legend's."""
    shown = alt.Legend(title=None, values=frames.queues, **options) if legend and len(frames.queues) > 1 else None
    return alt.Color("queue:N", scale=queue_scale(frames), legend=shown)


def queue_shape(frames: Frames, *, legend: bool = False) -> alt.Shape:
    """Marker by queue."""
    shown = alt.Legend(title=None, values=frames.queues) if legend and len(frames.queues) > 1 else None
    return alt.Shape("queue:N", scale=queue_scale(frames), legend=shown)


def queue_dash(frames: Frames, **options: Any) -> alt.StrokeDash:
    """Dashes by queue; with the domain of the colours, so that both share a legend. `options` are the legend's."""
    shown = alt.Legend(title=None, values=frames.queues, **options) if len(frames.queues) > 1 else None
    dashes = {
        queue: (_DASHES if number % (2 * COLOURS) < COLOURS else _MORE_DASHES)[number % len(_DASHES)]
        for number, queue in enumerate(frames.queues)
    }
    scale = alt.Scale(domain=frames.domain, range=[dashes.get(queue, _DASHES[0]) for queue in frames.domain])
    return alt.StrokeDash("queue:N", scale=scale, legend=shown)


def legend_choice(frames: Frames) -> alt.Parameter:
    """A click on a queue in the legend leaves it alone in colour; Shift picks more; a second click ends it."""
    return alt.selection_point(
        name="picked", fields=["queue"], bind="legend" if len(frames.queues) > 1 else alt.Undefined
    )


def picked(frames: Frames, opacity: float = 1.0) -> dict[str, Any]:
    """The encoding that makes queues faint if they are not picked in the legend."""
    if len(frames.queues) < 2:
        return {}
    return {"opacity": alt.condition(legend_choice(frames), alt.value(opacity), alt.value(0.08 * opacity))}


def zoom(*encodings: Literal["x", "y"]) -> alt.Parameter:
    """Shift and the wheel zoom, Shift and a drag move: without Shift the page scrolls. A double click resets."""
    return alt.selection_interval(
        name="zoomed",
        bind="scales",
        encodings=list(encodings),
        zoom="wheel![event.shiftKey]",
        translate="[pointerdown[event.shiftKey], window:pointerup] > window:pointermove!",
    )


def choice(name: str, label: str, options: Sequence[Any]) -> alt.Parameter:
    """A list beside the chart, from which a reader chooses one; nothing where there is one."""
    bind = alt.binding_select(options=list(options), name=f"{label} ")
    return alt.param(name=name, value=options[0], bind=bind)


def with_link(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with a column ``link``, which is empty where the table has no links."""
    return frame if "link" in frame.columns else frame.with_columns(link=pl.lit(""))


def seen_links(frames: Frames, frame: pl.DataFrame) -> list[str]:
    """The links that a frame has rows of, the one that is looked at first."""
    found = frame["link"].unique(maintain_order=True).to_list()
    return sorted(found, key=lambda link: frames.links.index(link) if link in frames.links else len(frames.links))


def link_choice(links: Sequence[str]) -> alt.Parameter:
    """A list of links, for a chart made by :func:`of_chosen`."""
    return choice("chosen_link", "Link", links)


def of_chosen(frame: pl.DataFrame, name: str, links: Sequence[str]) -> alt.Chart:
    """A chart of the rows of the link that a reader chooses; of all rows where there is one link."""
    source = alt.Chart(inline(frame if len(links) > 1 else frame.drop("link"), name))
    return source.transform_filter("datum.link == chosen_link") if len(links) > 1 else source


def number_axis(**options: Any) -> alt.Axis:
    """A vertical axis of numbers with a fixed width, so that panels line up."""
    return alt.Axis(minExtent=AXIS_WIDTH, maxExtent=AXIS_WIDTH, **options)


def time_axis(rows: Runs, *, ticks: int = 7) -> alt.X:
    """Time, from zero unless the recording began late."""
    first, last = rows.span()
    start = 0.0 if first < 0.1 * last else first
    scale = alt.Scale(domain=[start, last] if last > start else [start, start + 1], nice=False)
    return alt.X("time_s:Q", title="Time (s)", scale=scale, axis=alt.Axis(tickCount=ticks))


def layout(
    *,
    columns: int | None = None,
    panel_min: int = 240,
    overhead: float = AXIS_OVERHEAD,
    shared: bool = False,
    legend: Sequence[str] = (),
) -> dict[str, Any]:
    """Hints for laying out a chart at any width; `columns` is the largest number of panels in a row, if it has panels.

    `overhead` is the width of a panel's axis in pixels, `shared` says that only the first panel of a row has one, and
    `legend` are the labels of the legend.
    """
    hints: dict[str, Any] = {"layout": "container"}
    if columns is not None:
        hints = {"layout": "facet", "columns": columns, "panel_min": panel_min}
        hints |= {"overhead": round(overhead), "shared": shared}
    if legend:
        hints["legend"] = max(len(label) for label in legend)
    return {"sojourn": hints}


def label_width(labels: Sequence[str]) -> float:
    """About the width in pixels of an axis with these labels."""
    return min(130.0, 7.0 * max(len(label) for label in labels)) + 14


def title(text: str, *subtitle: str) -> alt.TitleParams:
    """Title with a line below it."""
    lines = [line for line in subtitle if line]
    return alt.TitleParams(text=text, subtitle=lines) if lines else alt.TitleParams(text=text)


def at_link(frames: Frames, *more: str) -> str:
    """The subject of the data: link, and further words."""
    link = [f"Link {frames.link}"] if frames.link is not None else []
    return "; ".join([*link, *(item for item in more if item)])


def one_seed(rows: Runs) -> str:
    """Which run a time series shows."""
    seeds = rows.seeds
    return f"seed {seeds[0]}" if len(seeds) == 1 and seeds[0] != 0 else ""


def empty(heading: str, message: str) -> Drawing:
    """A chart that says why there is nothing to draw."""
    meta = {"sojourn": {**layout()["sojourn"], "message": message}}
    drawing: Drawing = (
        alt.Chart(inline(pl.DataFrame({"message": [message]}), "message"), height=70, width="container")
        .mark_text(style="empty")
        .encode(text="message:N")
        .properties(title=title(heading), usermeta=meta, description=f"{heading}: {message}")
    )
    return drawing


def headed(frames: Frames, rows: Sequence[str] | None = None, field: str = "queue") -> alt.Facet:
    """Panels by queue, in the order of the list."""
    return alt.Facet(f"{field}:N", sort=list(rows or frames.queues), title=None, header=alt.Header(title=None))
