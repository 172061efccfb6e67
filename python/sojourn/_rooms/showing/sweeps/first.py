"""The first screen of a sweep: the best points, delay against use of the link, and what the runs do not tell."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from markupsafe import Markup

from ...catalogue.columns import described
from ...runs.about import short
from ...runs.metrics import Metric
from ..report.first import Fact, first_screen, picture
from ..report.page import Report
from .charts import draw, in_order
from .labels import is_named, metric_measure
from .tradeoff import draw_trade_off, trade_off_metrics
from .words import ending_in_words, point_in_words, suspect_in_words

if TYPE_CHECKING:
    from ...sweeps.outcome import Best, Swept

__all__ = ["headline", "screen", "standfirst"]


def headline(swept: Swept) -> str:
    """The best point of a delay and that of the use of the link, or of the first metrics that have a better one."""
    found = _best(swept)
    if not found:
        return f"{_label(swept, swept.metrics[0])} at {len(swept.points)} points"
    if len({tuple(best.point.items()) for _, best in found}) == 1 and len(found) > 1:
        values = " and ".join(f"{_name(swept, one)}, {_value(swept, one, best)}" for one, best in found)
        return f"{point_in_words(found[0][1].point)} is best in {values}"
    said = []
    for one, best in found:
        way = "highest" if one.better == "more" else "lowest"
        said.append(f"the {_name(swept, one)} is {way}, {_value(swept, one, best)}, with {point_in_words(best.point)}")
    text = "; ".join(said).replace(" = ", "\u00a0")
    return f"{text[:1].upper()}{text[1:]}"


def standfirst(swept: Swept) -> str:
    """How many other points the runs do not tell from the best ones."""
    if len(swept.seeds) == 1:
        return "One run at each point does not tell merit from luck."
    open_ = [f"{len(best.ties)} in {_name(swept, one)}" for one, best in _best(swept) if best.ties]
    if open_:
        return f"Of {len(swept.points) - 1} other points these runs do not tell from the best {' and '.join(open_)}."
    return "These runs tell the best points from all others." if _best(swept) else ""


def screen(page: Report, swept: Swept) -> Markup:
    """The picture, and the facts."""
    pair = trade_off_metrics(swept)
    drawn = draw(swept, _shown(swept)[0].name) if pair is None else draw_trade_off(swept)
    finding = (
        _label(swept, _shown(swept)[0]) + f" over {', '.join(in_order(swept))}"
        if pair is None
        else _finding(swept, pair)
    )
    note = "" if pair is None else "Up and to the left is better."
    note += " Bars: 95\u00a0% intervals." * (len(swept.seeds) > 1)
    facts = [Fact("Price", _price(swept)), Fact("Certainty", _certainty(swept)), Fact("Assumed", _assumed(swept))]
    return first_screen(picture(finding, note, page.figure(drawn, finding)), facts)


def _shown(swept: Swept) -> Sequence[Metric]:
    """The metrics of the answer: that of the question, or a delay and the use of the link, or the first two."""
    if swept.ending is not None:
        return [one for one in swept.metrics if one.name == swept.ending.metric]
    pair = trade_off_metrics(swept)
    return pair or swept.metrics[:2]


def _best(swept: Swept) -> list[tuple[Metric, Best]]:
    found = ((one, swept.best(one.name) if one.better else None) for one in _shown(swept))
    return [(one, best) for one, best in found if best is not None]


def _label(swept: Swept, one: Metric) -> str:
    return metric_measure(one, [swept.interval(one.name, point).mean for point in swept.points]).label


def _name(swept: Swept, one: Metric) -> str:
    """The metric as the subject of a sentence: ``mean sojourn time``."""
    what = described(one.column)
    if is_named(one):
        text = _label(swept, one)
        return f"{text[:1].lower()}{text[1:]}"
    return " ".join(filter(None, (what.statistic, what.noun)))


def _value(swept: Swept, one: Metric, best: Best) -> str:
    return _number(swept, one, best.point)


def _number(swept: Swept, one: Metric, point: Mapping[str, str]) -> str:
    mean = swept.interval(one.name, point).mean
    shown = metric_measure(one, [mean])
    return short(mean * shown.factor, shown.unit)


def _finding(swept: Swept, pair: tuple[Metric, Metric]) -> str:
    """From one end of the axis to the other; of several axes the range of all points."""
    names = in_order(swept)
    ends = [swept.points[0], swept.points[-1]]
    if len(names) == 1:
        parts = [
            f"{_name(swept, one)} from {_number(swept, one, ends[0])} to {_number(swept, one, ends[1])}" for one in pair
        ]
        return f"From {names[0]} {ends[0][names[0]]} to {ends[1][names[0]]}: {' and '.join(parts)}"
    spans = []
    for one in pair:
        known = [point for point in swept.points if math.isfinite(swept.interval(one.name, point).mean)]
        order = sorted(known, key=lambda point: swept.interval(one.name, point).mean)
        spans.append(f"{_name(swept, one)} of {_number(swept, one, order[0])} to {_number(swept, one, order[-1])}")
    return f"{len(swept.points)} settings: {', '.join(spans)}"


def _price(swept: Swept) -> str:
    """The other metrics at the point that is best in the first one, against their best."""
    found = _best(swept)
    if not found:
        return "No metric of this sweep has a better direction."
    first, best = found[0]
    parts = []
    for one in swept.metrics:
        top = swept.best(one.name) if one.better else None
        if one is not first and top is not None and top.point != best.point:
            parts.append(
                f"{_name(swept, one)} {_number(swept, one, best.point)} (at best {_number(swept, one, top.point)})"
            )
    where = point_in_words(best.point)
    return (
        f"With {where}, best in {_name(swept, first)}: {', '.join(parts)}."
        if parts
        else f"{where} is best in all metrics."
    )


def _certainty(swept: Swept) -> str:
    counts = list(swept.ending.runs.values()) if swept.ending else [len(swept.seeds)]
    runs = f"{min(counts)}" if min(counts) == max(counts) else f"{min(counts)} to {max(counts)}"
    text = f"{runs} runs at each of {len(swept.points)} points, with the same seeds; {len(swept.values)} in all."
    ties = [
        f"{_name(swept, one)}: {'; '.join(map(point_in_words, best.ties[:2]))}"
        for one, best in _best(swept)
        if best.ties
    ]
    same = f" Not told from the best, such as in {'. In '.join(ties)}." if ties and len(swept.seeds) > 1 else ""
    return f"{text}{same} {ending_in_words(swept)}".rstrip()


def _assumed(swept: Swept) -> str:
    suspect = suspect_in_words(swept)
    axes = ", ".join(f"{name} {axis.labels[0]} to {axis.labels[-1]}" for name, axis in swept.axes.items())
    warned = (
        f" {len(suspect)} warnings of these runs are below."
        if len(suspect) > 1
        else " One warning is below."
        if suspect
        else ""
    )
    return f"{axes}; all else as in the scenario.{warned}"
