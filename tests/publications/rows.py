"""Runs cases and lays printed numbers beside ours."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tables
from case import Case

import sojourn
from sojourn._rooms._base import toml
from sojourn._rooms.works.exhibits import figures
from sojourn.claims import Bounded, interval_of
from sojourn.stats import Interval


@dataclass(frozen=True)
class Row:
    """A case and ours."""

    case: Case
    ours: Interval

    @property
    def agrees(self) -> bool:
        """Our mean is near the printed number, or within the bound."""
        return self.case.agrees(self.ours.mean)

    @property
    def may_agree(self) -> bool:
        """The same of some value in our interval, which is wide with few seeds."""
        half = self.ours.half_width
        nearest = self.case.printed
        if nearest is None:
            nearest = min(max(self.ours.mean, self.case.bound[0]), self.case.bound[1])
        within = min(max(nearest, self.ours.mean - half), self.ours.mean + half)
        return self.agrees or self.case.agrees(within)

    def __str__(self) -> str:
        verdict = "agrees" if self.agrees else "DIFFERS"
        where = f"{self.case.queue}, {self.case.source}, {self.case.what}"
        return f"{where}: {verdict}: printed {printed(self.case)}, ours {shown(self.ours)}"


def run(cases: Sequence[Case], seeds: Sequence[int], workers: int = 2) -> list[Row]:
    """Every case with every seed."""
    texts = {f"{number} {side}": text for number, case in enumerate(cases) for side, text in sides(case) if text}
    done = sojourn.study(
        {name: sojourn.Scenario.from_toml(text) for name, text in texts.items()}, seeds=seeds, workers=workers
    )

    def values(name: str, case: Case) -> list[float]:
        return [case.metric(result) for result in done.of(name)]

    rows = []
    for number, case in enumerate(cases):
        ours = values(f"{number} ours", case)
        if case.against:
            ours = [mine / theirs for mine, theirs in zip(ours, values(f"{number} against", case), strict=True)]
        # All that is counted here is an amount: no mean is below zero.
        rows.append(Row(case, interval_of(Bounded(ours, (0.0, math.inf)))))
    return rows


def sides(case: Case) -> tuple[tuple[str, str], tuple[str, str]]:
    """The scenario of a case, and the one that it is divided by."""
    return ("ours", case.scenario), ("against", case.against)


def printed(case: Case) -> str:
    """The printed number, or the bound."""
    if case.printed is not None:
        return f"{case.printed:.4g}"
    low, high = case.bound
    if low in (0.0, float("-inf")):
        return f"at most {high:.4g}"
    return f"at least {low:.4g}" if high == float("inf") else f"{low:.4g} to {high:.4g}"


def shown(ours: Interval) -> str:
    """Mean and 95 % interval, to the figures that a report gives them."""
    return figures(ours)


COLUMNS = ("queue", "source", "what", "printed", "ours", "difference", "comment")


def difference(row: Row) -> str:
    """By how much ours differs, or whether it is within the bound."""
    printed = row.case.printed
    if printed is None:
        return "within" if row.agrees else "outside"
    return f"{100.0 * (row.ours.mean / printed - 1.0):+.1f} %" if printed else f"{row.ours.mean:+.3g}"


def comment(case: Case) -> str:
    """What is said of a case."""
    return "; ".join(text for text in (case.comment, case.differs) if text)


def line(row: Row) -> tuple[str, ...]:
    """A row of the table; disagreements are bold."""
    case, off = row.case, difference(row)
    cells = (case.queue, case.source, case.what, printed(case), shown(row.ours))
    return (*cells, off if row.agrees else f"**{off}**", comment(case))


def table(rows: Sequence[Row]) -> str:
    """The comparison as a Markdown table."""
    return tables.markdown(COLUMNS, map(line, rows), words=len(COLUMNS))


MEASURED = tables.EVIDENCE / "publications" / "measured.toml"
_ABOUT = """# Our means of the cases of cases.py with their 95 % intervals, and printed numbers or bounds. Written by
#     python tests/publications/beside_papers.py --write
"""


def key(case: Case) -> tuple[str, str, str]:
    """The key of a case."""
    return case.queue, case.source, case.what


def measured(cases: Sequence[Case], file: Path = MEASURED) -> list[Row]:
    """The cases with their kept results; a case that was never run is left out."""
    content = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    kept = {(row["queue"], row["source"], row["what"]): _interval(row) for row in content.get("rows", [])}
    return [Row(case, kept[key(case)]) for case in cases if key(case) in kept]


def _interval(row: Mapping[str, Any]) -> Interval:
    ends = (row["low"], row["high"]) if "low" in row else None
    half = (ends[1] - ends[0]) / 2.0 if ends else row["half_width"]
    return Interval(row["mean"], half, row["seeds"], ends)


def keep(rows: Sequence[Row], cases: Sequence[Case], file: Path = MEASURED) -> None:
    """Keeps the measurements; other cases stay as they are.

    Raises
    ------
    ValueError
        If a case was never run.
    """
    known = {key(row.case): row for row in [*measured(cases, file), *rows]}
    if missing := [case for case in cases if key(case) not in known]:
        raise ValueError(f"{file} has nothing of {missing[0].queue}, {missing[0].source}: run it too, or all")
    lines = [f"  {toml.inline(_kept(known[key(case)]))},\n" for case in cases]
    file.write_text("".join([_ABOUT, "rows = [\n", *lines, "]\n"]), encoding="utf-8")


def _kept(row: Row) -> dict[str, Any]:
    case, ours = row.case, row.ours
    width = {"low": ours.ends[0], "high": ours.ends[1]} if ours.ends else {"half_width": ours.half_width}
    numbers = {name: float(f"{value:.7g}") for name, value in {"mean": ours.mean, **width}.items()}
    beside = {
        "printed": printed(case),
        "ours": shown(ours),
        "difference": difference(row),
        "agrees": row.agrees,
        "comment": comment(case),
    }
    return {"queue": case.queue, "source": case.source, "what": case.what, **numbers, "seeds": ours.n, **beside}
