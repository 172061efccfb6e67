"""The few links and groups of a study that a page or a terminal shows where there are many."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from weakref import WeakKeyDictionary

from .result import Study

__all__ = ["IN_ROWS", "SIDE_BY_SIDE", "busiest_groups", "busiest_links", "rest"]

SIDE_BY_SIDE = 8
"""Links or groups that are shown side by side, ..."""

IN_ROWS = 20
"""... and below each other."""

_Values = Mapping[str, Mapping[str, Sequence[float]]]

_TOTALS: WeakKeyDictionary[Study, dict[str, dict[str, float]]] = WeakKeyDictionary()
"""Of each study the sums over its runs by link and by group: a page asks for them many times."""

_WHERE = "--json has all, and sojourn export writes them as CSV"


def busiest_links(study: Study, most: int = SIDE_BY_SIDE) -> tuple[list[str], int]:
    """The most utilised links over all variants, in the order of the tables, and the number of all."""
    return _busiest(study, "link", lambda study: study.values("utilisation"), most)


def busiest_groups(study: Study, most: int = IN_ROWS) -> tuple[list[str], int]:
    """The groups with the highest throughput over all variants, in the order of the tables, and the number of all.

    The row of all flows together is none of them, if there are others.
    """
    return _busiest(study, "group", _throughputs, most)


def _throughputs(study: Study) -> _Values:
    flows = study.values("flows", table="group")
    means = study.values("throughput_mean_bps", table="group")
    return {
        label: {
            group: [mean * count for mean, count in zip(values, flows[label][group], strict=True)]
            for group, values in rows.items()
            if group != "all" or len(rows) == 1
        }
        for label, rows in means.items()
    }


def _busiest(study: Study, what: str, values: Callable[[Study], _Values], most: int) -> tuple[list[str], int]:
    of_study = _TOTALS.setdefault(study, {})
    if what not in of_study:
        of_study[what] = _totals(values(study))
    totals = of_study[what]
    # Of equal ones the first.
    chosen = set(sorted(totals, key=lambda name: -totals[name])[:most])
    return [name for name in totals if name in chosen], len(totals)


def _totals(values: _Values) -> dict[str, float]:
    totals: dict[str, float] = {}
    for rows in values.values():
        for name, of_row in rows.items():
            totals[name] = totals.get(name, 0.0) + math.fsum(value for value in of_row if math.isfinite(value))
    return totals


def rest(links: tuple[Sequence[str], int], groups: tuple[Sequence[str], int], where: str = _WHERE) -> str:
    """The number of links and groups that are left out, and the way to get them; empty where all are shown.

    >>> rest((["a", "b"], 2000), (["tcp"], 1))
    'The 2 busiest of 2000 links are shown; --json has all, and sojourn export writes them as CSV.'
    """
    parts = [
        f"{len(shown)} busiest of {count} {what}"
        for (shown, count), what in ((links, "links"), (groups, "groups"))
        if len(shown) < count
    ]
    if not parts:
        return ""
    return f"The {' and the '.join(parts)} are shown; {where}."
