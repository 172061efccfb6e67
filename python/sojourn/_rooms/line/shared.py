"""A line that households share: each is a host, and they are of four kinds in turn.

One has eight downloads and four uploads, one has neither, one has a download, and one has two downloads and an upload.
All probe, read pages, call and play. At most 16 households are simulated. If there are more, the line has only the rate
that is their part of it, so that each household has the same part; time does not grow with their number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .._base.toml import Value, document
from ..scenario.scenario import Scenario
from .answer import Answered, answer
from .candidates import CANDIDATES
from .question import Line, asked, between, household, nodes_of
from .ranking import Ranked

if TYPE_CHECKING:
    from ..runs.pool import Progress
    from ..runs.result import Study
    from ..scenario.texts import Seeds

__all__ = ["Homes", "Merged", "about_shares", "ask_shared", "at_once"]

MOST = 16
LEAST_BPS = 200_000
"""A household's part of the line, each way, below which the question is another one."""
_KINDS: Sequence[Mapping[str, int]] = ({"download": 8, "upload": 4}, {}, {"download": 1}, {"download": 2, "upload": 1})
_BULK = ("download", "upload")
_OF_HOMES = 3.0
"""Processor time against that of a household on the same line."""
_UNEQUAL = 0.1
"""A difference of Jain's index that counts: one household of ten gets nothing."""
_OF_FOUR = 4
"""The answer adds the goodputs of four flows (:mod:`line.answer`)."""


@dataclass(frozen=True)
class Homes:
    """Households on a line.

    Attributes
    ----------
    line
        The line as it is simulated: all of it, or their part.
    users
        Households that share the whole line.
    """

    line: Line
    users: int

    @property
    def count(self) -> int:
        """Households that are simulated."""
        return min(self.users, MOST)

    @property
    def words(self) -> str:
        """The load in a few words.

        >>> at_once(Line.read("1000/1000"), 300).words
        '16 of 300 households under load, on their 53.3/53.3 Mbit/s of it'
        """
        if self.users <= MOST:
            return f"{self.users} households under load"
        rates = "/".join(f"{rate / 1e6:.3g}" for rate in (self.line.up_bps, self.line.down_bps))
        return f"{self.count} of {self.users} households under load, on their {rates} Mbit/s of it"

    def processor_s(self, runs: int) -> float:
        """As :meth:`Line.processor_s`; calls, games and probes of all households are more packets than a half."""
        return _OF_HOMES * self.line.processor_s(runs)

    def scenario(self, name: str) -> Scenario:
        """The households on the line, with a candidate."""
        line = self.line
        homes = [f"home{number}" for number in range(1, self.count + 1)]
        links = [
            *line.links(name, "access"),
            *({"from": home, "to": "access", "rate": "10Gbit", "delay": "0ms"} for home in homes),
        ]
        content: dict[str, Value] = {
            "title": f"{self.count} households on {line.words}",
            "duration": f"{line.warmup_s + line.window_s:g}s",
            "warmup": f"{line.warmup_s:g}s",
            "node": nodes_of(links),
            "link": links,
            "flow": [flow for number, home in enumerate(homes) for flow in _flows(number, home)],
        }
        return Scenario.from_toml(document(content), file=f"{name}.toml")


def at_once(line: Line, users: int) -> Homes:
    """The households that are simulated for a line that `users` of them share.

    Raises
    ------
    ValueError
        If there are fewer than two, or if each has less than 0.2 Mbit/s of it.
    """
    part = min(line.up_bps, line.down_bps) / max(users, 1)
    if users < 2 or part < LEAST_BPS:
        most = int(min(line.up_bps, line.down_bps) / LEAST_BPS)
        raise ValueError(
            f"--users {users}: this is not a number of households for this line\n"
            f"  allowed: 2 to {most}, so that each has 0.2 Mbit/s; count those that are busy at a time"
        )
    if users > MOST:
        up, down = (int(rate * MOST / users) for rate in (line.up_bps, line.down_bps))
        line = replace(line, up_bps=up, down_bps=down)
    return Homes(line, users)


def _flows(number: int, home: str) -> list[Mapping[str, Value]]:
    """Those of a household. The first one that has a group of bulk transfers gives it its plain name."""
    counts = _KINDS[number % len(_KINDS)]
    first = {name: next((at for at, kind in enumerate(_KINDS) if name in kind), 1) for name in _BULK}
    found: list[Mapping[str, Value]] = []
    for flow in household():
        name = str(flow["name"])
        if name in _BULK and name not in counts:
            continue
        # The household without bulk transfers is the one whose waits the report shows.
        plain = number == first.get(name, 1)
        count = counts[name] if name in _BULK else 2 if name == "probe" else 1
        named: Mapping[str, Value] = {"name": name if plain else f"{name}_{number + 1}", "count": count}
        found.append({**between(home, flow), **named})
    return found


class Merged:
    """A study whose rows are of all households together: means of waits, sums of goodputs, fairness among them."""

    def __init__(self, done: Study) -> None:
        self.variants, self.seeds, self._done = done.variants, done.seeds, done
        self.apart, self.differs = done.apart, done.differs

    def values(self, column: str, *, table: str) -> dict[str, dict[str, list[float]]]:
        """As :meth:`Study.values`."""
        if column in ("goodput_mean_bps", "fairness_index"):
            return {label: self._bulk(label, column) for label in self.variants}
        found = {}
        for label, rows in self._done.values(column, table=table).items():
            kinds = {_kind(row) for row in rows}
            found[label] = {
                kind: _mean([values for row, values in rows.items() if _kind(row) == kind]) for kind in kinds
            }
        return found

    def _bulk(self, label: str, column: str) -> dict[str, list[float]]:
        means = self._done.values("goodput_mean_bps", table="group")[label]
        found = {}
        for way in _BULK:
            # Of each household in each run: the goodput of its flows together.
            sums = np.array([np.array(values) * _count(row) for row, values in means.items() if _kind(row) == way])
            if column == "fairness_index":
                found[way] = list(sums.sum(axis=0) ** 2 / (len(sums) * (sums**2).sum(axis=0)))
            else:
                found[way] = list(sums.sum(axis=0) / _OF_FOUR)
        return found


def ask_shared(
    line: Line,
    *,
    users: int,
    candidates: Iterable[str] = tuple(CANDIDATES),
    seeds: Seeds | None = None,
    until: str | None = None,
    workers: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Answered:
    """As :func:`line.question.ask`, for a line that `users` households share.

    Rates of the ranking are those of the households that are simulated, and its fairness is that among them.

    Raises
    ------
    ValueError
        If there is no such candidate, or if `users` is not a number of households for this line.
    """
    homes, names = at_once(line, users), list(dict.fromkeys(candidates))
    variants = {name: homes.scenario(name) for name in names}

    def rank(done: Study) -> Answered:
        return replace(answer(line, cast("Any", Merged(done))), study=done)

    return asked(variants, rank, seeds=seeds, until=until, workers=workers, progress=progress)


def about_shares(found: Answered) -> str:
    """How equal the shares of households are with the best queue, and with a clearly fairer one; a sentence or none."""
    best = found.best
    fairest = max(found.ranking, key=_fairness)
    if _fairness(fairest) - _fairness(best) < _UNEQUAL:
        return ""
    less = [
        f"{100 * (1 - fairest.shares[way] / best.shares[way]):.0f}\u202f% less {way}"
        for way in ("upload", "download")
        if fairest.shares[way] < best.shares[way] - 0.02
    ]
    cost = f" and {' and '.join(less)}" if less else ""
    return (
        f"Households with more connections get more with {best.name} (fairness {_fairness(best):.2f}): {fairest.name} "
        f"has {_fairness(fairest):.2f}{cost}."
    )


def _fairness(one: Ranked) -> float:
    return min(one.values["fairness_up"].mean, one.values["fairness_down"].mean)


def _kind(row: str) -> str:
    return re.sub(r"_[0-9]+$", "", row)


def _count(row: str) -> int:
    name, _, number = row.rpartition("_")
    if not name:
        name, at = row, 0
    else:
        at = (int(number) - 1) % len(_KINDS)
    return _KINDS[at].get(name, 0)


def _mean(rows: Sequence[Sequence[float]]) -> list[float]:
    """Of each run, over the households that have the number."""
    found = []
    for run in zip(*rows, strict=True):
        finite = [value for value in run if math.isfinite(value)]
        found.append(sum(finite) / len(finite) if finite else math.nan)
    return found
