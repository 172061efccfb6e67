"""The report of a replay: the wait and the losses of each queue under the same recorded packets."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import polars as pl

from .... import _core
from ...runs.about import short
from ..text.replays import replay_rows
from .first import Dot, Fact, Panel, Row, first_screen, rows_picture
from .page import Report
from .provenance import provenance
from .tables import of_texts

if TYPE_CHECKING:
    from _typeshed import StrPath

    from ...runs.fates import Agreement
    from ...runs.replay import ReplayResult

__all__ = ["write_report"]

_LOSS = 0.1
"""A part of the packets that a title names first, if the queue with the least wait drops so many more."""
_CERTAINTY = (
    "One recording and one seed: no interval. The packets come at their recorded times, whatever a queue does; real "
    "senders would have slowed down after a drop or a mark (sojourn run has senders that do)."
)


def write_report(
    results: Mapping[str, ReplayResult], path: StrPath, *, name: str, link: str, compared: Mapping[str, Agreement]
) -> None:
    """Write it as one HTML file.

    Parameters
    ----------
    name, link
        The recording, and the rate or the departures of its link, in words.
    compared
        The agreement of each queue with another implementation.
    """
    rows = {queue: result.summary.row(0, named=True) for queue, result in results.items()}
    waits = {queue: _value(row["sojourn_p99_ms"]) for queue, row in rows.items()}
    order = sorted(rows, key=lambda queue: waits[queue] if math.isfinite(waits[queue]) else math.inf)
    losses = {queue: _value(row["loss_ratio"]) for queue, row in rows.items()}
    first = rows[order[0]]
    span = f"{first['arrivals_packets']} packets in {first['duration_s']:.3g}\u00a0s"
    page = Report(
        title=_headline(order, waits, losses),
        lead=_price(order, losses),
        about=(f"{name}, {span}", link),
        provenance=provenance(_core.build(), ()),
    )
    panels = [_panel("Wait, p99", "ms", [waits[queue] for queue in order])]
    panels.append(_panel("Loss", "%", [100.0 * losses[queue] for queue in order]))
    used = [100.0 * _value(rows[queue].get("utilisation")) for queue in order]
    if all(map(math.isfinite, used)):
        panels.append(_panel("Use of the link", "%", used, better="more"))
    panels.append(_panel("Wait, median", "ms", [_value(rows[queue]["sojourn_p50_ms"]) for queue in order]))
    picture = rows_picture(
        _finding(order, waits), "One replay of the same packets through each queue.", _named(order), panels
    )
    facts = [
        Fact("Price", _price(order, losses)),
        Fact("Certainty", _CERTAINTY),
        Fact(
            "Assumed",
            " ".join(dict.fromkeys(f"{note}." for one in results.values() for note in one.notes()))
            or f"{link[:1].upper()}{link[1:]}.",
        ),
    ]
    page.add_front(first_screen(picture, facts))
    heads, cells = replay_rows(results, compared)
    page.add_tables([("", frame := of_texts(heads, cells))], "All numbers", file=frame, keys=heads)
    reasons = [one.reasons.select(pl.lit(queue).alias("queue"), pl.all()) for queue, one in results.items()]
    page.add_table(pl.concat(reasons), "Drops and marks by reason", keys=["queue", "event", "reason", "packets"])
    page.write(path)


def _value(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _named(order: Sequence[str]) -> list[Row]:
    return [Row(queue, len(order) > 1 and queue == order[0]) for queue in order]


def _headline(order: Sequence[str], waits: Mapping[str, float], losses: Mapping[str, float]) -> str:
    if not any(wait > 0.0 for wait in waits.values()):
        return "Not one packet in 100 waits in any of these queues: the link is not full"
    best, *others = order
    text = f"waits longer than {short(waits[best], 'ms')} with {best}"
    if others:
        second, last = others[0], others[-1]
        text += f", {short(waits[second], 'ms')} with {second}"
        text += f" and {short(waits[last], 'ms')} with {last}" if last != second else ""
    more = losses[best] - min(losses.values())
    if more >= _LOSS:
        return f"At the cost of {short(100.0 * more, '%')} of the packets, one in 100 of the others {text}"
    return f"One in 100 packets {text}"


def _finding(order: Sequence[str], waits: Mapping[str, float]) -> str:
    best, *others = order
    if not any(wait > 0.0 for wait in waits.values()):
        return "Nothing waits"
    if not others or not waits[best] > 0.0:
        return f"{best}: one packet in 100 waits longer than {short(waits[best], 'ms')}"
    return f"The wait with {others[0]} is {short(waits[others[0]] / waits[best], '')} times that with {best}"


def _price(order: Sequence[str], losses: Mapping[str, float]) -> str:
    best = order[0]
    least = min(losses, key=lambda queue: losses[queue])
    text = f"{best} drops {short(100.0 * losses[best], '%')} of the packets"
    return (
        f"{text}, {least} {short(100.0 * losses[least], '%')}."
        if losses[least] < losses[best]
        else f"{text}; no queue drops fewer."
    )


def _panel(title: str, unit: str, values: Sequence[float], *, better: str = "less") -> Panel:
    most = max((value for value in values if math.isfinite(value)), default=1.0)
    places = min(max(1 - math.floor(math.log10(most)), 0), 3) if most > 0.0 else 0
    texts = [f"{value:.{places}f}" if math.isfinite(value) else "–" for value in values]
    columns = 2 if title == "Wait, p99" else 1
    dots = [Dot(value, value, value, (text, "")[:columns]) for value, text in zip(values, texts, strict=True)]
    return Panel.of(title, unit, better, dots)
