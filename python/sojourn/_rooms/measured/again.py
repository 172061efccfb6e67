"""A measurement made again in the simulation, on the line that was estimated from it.

The line is a FIFO of fixed rate in front of a delay, loaded as the tool loaded it. If round trips or rates differ, the
real line is none, or it was not full.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._base.toml import Value, document
from ..line.question import Line, between, household, nodes_of
from ..runs.runner import study
from ..scenario import sysctl
from ..scenario.scenario import Scenario
from ..statistics.intervals import Interval, mean_interval
from . import estimators
from .estimate import Estimates
from .measurement import DOWN, UP, WAYS, Load, Measurement, Trips

if TYPE_CHECKING:
    from ..runs.pool import Progress
    from ..runs.result import Study

__all__ = ["Beside", "disagreement", "measured_again", "scenario_of"]

_FLOWS = 4
"""Of a load whose number of connections is not known."""
_MOST_FLOWS = 32
_GROUPS = {UP: "upload", DOWN: "download"}
_LAWS = ("bbr", "reno")
"""Laws of a file that are simulated; any other one is taken as CUBIC, the default of Linux, macOS and Windows."""
_SEEDS = (1, 2, 3)
_NEAR_RATE, _NEAR_TRIP, _NEAR_MS = 0.1, 0.2, 5.0
_HTTP = 1.015


@dataclass(frozen=True)
class Beside:
    """A number of a measurement, and the same of its simulation.

    Attributes
    ----------
    file
        Of the measurement.
    words
        The number in words, with its unit.
    measured
        It.
    simulated
        The mean of runs, with its interval.
    agrees
        Whether they differ by less than 10 % of a rate, or than 20 % of the time that load adds to a round trip; or
        the measurement is within the interval.
    """

    file: str
    words: str
    measured: float
    simulated: Interval
    agrees: bool


def measured_again(
    found: Estimates, *, workers: int | None = None, progress: Callable[[Progress], None] | None = None
) -> list[Beside]:
    """Each load of the measurements, simulated with three seeds on the estimated line."""
    loads = {
        f"{one.file}, part {at}": (one, load) for one in found.measurements for at, load in enumerate(one.loads, 1)
    }
    if not loads:
        return []
    variants = {label: scenario_of(found.line, load) for label, (_, load) in loads.items()}
    done = study(variants, seeds=_SEEDS, workers=workers, progress=progress, baseline=next(iter(variants)))
    return [row for label, (one, load) in loads.items() for row in _rows(found.line, label, one, load, done)]


def scenario_of(line: Line, load: Load) -> Scenario:
    """The line without a queue of the user's, under the load of a measurement, with probes."""
    links = line.links("modem", "home")
    law = load.law if load.law in _LAWS else "cubic"
    tcp: dict[str, Value] = {**sysctl.sender(f"tcp_congestion_control={law}"), "packet": "1500B"}
    count = min(load.flows or _FLOWS, _MOST_FLOWS)
    flows: list[Mapping[str, Value]] = []
    for flow in household():
        name = flow["name"]
        if name in [_GROUPS[way] for way in load.ways]:
            flows.append({**flow, "count": count, "transport": tcp})
        elif name == "probe":
            flows.append(flow)
    content: dict[str, Value] = {
        "title": f"A test of {line.words}",
        "duration": f"{line.warmup_s + line.window_s:g}s",
        "warmup": f"{line.warmup_s:g}s",
        "node": nodes_of(links),
        "link": links,
        "flow": [between("home", flow) for flow in flows],
    }
    return Scenario.from_toml(document(content), file="measured.toml")


def _rows(line: Line, label: str, one: Measurement, load: Load, done: Study) -> Iterator[Beside]:
    count = min(load.flows or _FLOWS, _MOST_FLOWS)

    def values(column: str, row: str) -> Interval:
        return mean_interval(done.values(column, table="group")[label].get(row, [math.nan]))

    for way in WAYS:
        if way in load.rates:
            rate = load.rates[way]
            measured = estimators.rate(rate.bps, sender=rate.sender, whole_s=rate.whole_s, rtt_s=line.rtt_s).value
            column = "throughput_mean_bps" if rate.layer == "ip" else "goodput_mean_bps"
            scale = count / 1e6 / (_HTTP if rate.layer == "http" else 1.0)
            runs = values(column, _GROUPS[way])
            simulated = Interval(scale * runs.mean, scale * runs.half_width, runs.n)
            near = _near(simulated, measured / 1e6, _NEAR_RATE * measured / 1e6)
            yield Beside(one.file, f"{_GROUPS[way]} (Mbit/s)", measured / 1e6, simulated, near)
    for trips in load.trips[:1]:
        word, quantile, value = _statistic(trips)
        if value is not None:
            row = "probe" if trips.probe != "tcp" else _GROUPS[min(load.ways, key=WAYS.index)]
            simulated = values(f"rtt_{quantile}_ms", row)
            added = value - 1e3 * line.rtt_s
            near = _near(simulated, value, max(_NEAR_TRIP * added, _NEAR_MS))
            ways = " and ".join(_GROUPS[way] for way in WAYS if way in load.ways)
            yield Beside(one.file, f"round trip, {word}, under {ways} (ms)", value, simulated, near)


def _near(simulated: Interval, measured: float, most: float) -> bool:
    """Whether a number is near to that of the simulation, or within its interval."""
    return simulated.low <= measured <= simulated.high or abs(simulated.mean - measured) <= most


def _statistic(trips: Trips) -> tuple[str, str, float | None]:
    """Its words, the name of the quantile in tables, and its value."""
    if trips.ms:
        return "95 of 100", "p95", estimators.rank_interval(trips.ms, 0.95, len(trips.ms)).value
    return "the middle", "p50", trips.middle


def disagreement(rows: Sequence[Beside], found: Estimates) -> str:
    """A sentence if the simulation differs from the measurement; empty if it agrees."""
    off = [f"{row.words} of {row.file}" for row in rows if not row.agrees]
    if not off:
        return ""
    if any(one.bound for one in found.numbers.values()):
        return f"They differ in {'; '.join(off)}: some numbers of the line are only bounds. Take the ranking with care."
    return (
        f"The simulated line differs from yours in {'; '.join(off)}: yours is no FIFO of a fixed rate, or the test "
        "did not fill it. Take the ranking with care."
    )
