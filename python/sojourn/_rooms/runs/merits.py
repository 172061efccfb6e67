"""Reasons against a winner: harm to calls, buffers too short."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..catalogue.columns import described
from ..scenario.scenario import Scenario
from ..statistics.intervals import mean_interval
from .about import POINT, Yardstick, figure, percent
from .result import Study

__all__ = ["harm_of", "short_buffers"]

_WORSE_CALL = 0.1
"""Difference in the opinion of a call (MOS) from which on a shorter wait is no merit."""
_LONGEST_MS = 150.0
"""One-way delay that is acceptable for most uses of voice: ITU-T G.114."""
_DROP_TAIL = ("fifo", "capped_tail")
_SHORT = 0.1
"""Part of what a round trip carries below which a FIFO drops before its senders can answer."""

Values = Mapping[str, Sequence[float]]
"""By queue: a value for each seed."""


def harm_of(study: Study, about: Yardstick, waits: Mapping[str, float]) -> dict[str, str]:
    """Queues that are no winner by a wait, because they harm the packets otherwise, each with a sentence.

    A call is judged by its opinion (MOS), and other groups that send at their own pace by their losses. `waits` are
    the means by queue. Losses are no harm if all queues without them have waits that no call bears.
    """
    what = described(about.metric)
    if about.table != "group" or what.kind != "wait":
        return {}
    row, known = about.row, [queue for queue, wait in waits.items() if math.isfinite(wait)]
    if study.has("quality"):
        opinions = {queue: rows.get(row, []) for queue, rows in study.values("mos", table="quality").items()}
        if all(math.isfinite(mean_interval(opinions.get(queue, [])).mean) for queue in known):
            told = f"With {{}} {row} has an opinion (MOS) of {{}}, against {{}} with {{}}."
            return _behind(study, {queue: opinions[queue] for queue in known}, told, _WORSE_CALL, more=True)
    losses = {queue: rows.get(row, []) for queue, rows in study.values("loss_ratio", table="group").items()}
    borne = [queue for queue in known if waits[queue] <= _LONGEST_MS]
    if not borne or not all(math.isfinite(mean_interval(losses.get(queue, [])).mean) for queue in borne):
        return {}
    told = f"With {{}} {row} loses {{}} of its packets, against {{}} with {{}}."
    return _behind(study, {queue: losses[queue] for queue in borne}, told, POINT, more=False, show=percent)


def _behind(
    study: Study, values: Values, told: str, least: float, *, more: bool, show: Callable[[float], str] | None = None
) -> dict[str, str]:
    """A sentence about each queue that is behind the best one by more than `least`, if the runs decide it."""
    show = show or figure
    means = {queue: mean_interval(sample).mean for queue, sample in values.items()}
    top = (max if more else min)(means, key=lambda queue: means[queue])
    found = {}
    for queue, mean in means.items():
        apart = study.apart(values[queue], values[top])
        decided = apart.n < 2 or apart.excludes_zero or apart.half_width == 0.0
        if decided and abs(mean - means[top]) >= least:
            found[queue] = told.format(queue, show(mean), show(means[top]), top)
    return found


def short_buffers(study: Study, link: str) -> list[str]:
    """A sentence about each FIFO at a link that holds less than a tenth of the data of a round trip."""
    found = study.values("rtt_mean_ms", table="group").values()
    # A group alone has no row of all.
    trips = [mean_interval(rows.get("all", next(iter(rows.values()), ()))).mean for rows in found]
    rtt_s = min((trip for trip in trips if math.isfinite(trip)), default=math.nan) / 1e3
    short = {}
    for queue, scenario in study.variants.items():
        table = _queue_of(scenario, link)
        held_s = _seconds(study, queue, link, str(table.get("limit")))
        if table.get("kind") in _DROP_TAIL and held_s is not None and held_s < _SHORT * rtt_s:
            short[queue] = (str(table["limit"]), held_s)
    limits = {queue: _queue_of(scenario, link).get("limit") for queue, scenario in study.variants.items()}
    others = [f"{queue} {limit}" for queue, limit in limits.items() if queue not in short and limit is not None]
    beside = f" The limits of the others: {', '.join(others)}." if others else ""
    return [
        f"The buffer of {queue} at {link} is short: {limit} are {figure(1e3 * held_s)}\u202fms at its rate, less than "
        f"a tenth of a round trip of {figure(1e3 * rtt_s)}\u202fms.{beside}"
        for queue, (limit, held_s) in short.items()
    ]


_UNITS = {"p": None, "B": 1.0, "kB": 1e3, "MB": 1e6, "KiB": 1024.0, "MiB": 1048576.0}


def _seconds(study: Study, queue: str, link: str, limit: str) -> float | None:
    """The time that a full buffer takes to send; None where its limit is no amount, or nothing came."""
    found = re.fullmatch(r"([0-9.e+]+)(p|B|kB|MB|KiB|MiB)", limit)
    if found is None:
        return None
    mean = {
        name: mean_interval(study.values(name)[queue].get(link, ())).mean
        for name in ("capacity_bps", "arrivals_bytes", "arrivals_packets")
    }
    if not all(value > 0.0 for value in mean.values()):
        return None
    unit = _UNITS[found[2]] or mean["arrivals_bytes"] / mean["arrivals_packets"]
    return 8.0 * float(found[1]) * unit / mean["capacity_bps"]


def _queue_of(scenario: Scenario, link: str) -> Mapping[str, Any]:
    """The queue at a link; the link `reverse` of a dumbbell has the other one."""
    resolved = scenario.resolved()
    if "dumbbell" in resolved:
        table = resolved["dumbbell"]["reverse_queue" if link == "reverse" else "queue"]
        return table if isinstance(table, Mapping) else {}
    return next((one["queue"] for one in resolved["link"] if one["name"] == link), {})
