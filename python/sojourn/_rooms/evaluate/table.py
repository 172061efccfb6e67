"""The table of all queues: a small file, from which the site draws its page."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import _core
from .._base.files import write_whole
from ..statistics.intervals import Interval
from .cost import Cost
from .criteria import Document, Question, Shown
from .judge import numbers
from .page import Row, document_data
from .runs import Runs

__all__ = ["read_table", "rows_of", "write_table"]


def write_table(path: Path, runs: Runs, costs: Mapping[str, Cost], *, quick: bool) -> None:
    """Write the results of the runs: means and half widths of each queue, in the order of the criteria."""
    values: dict[str, list[list[float | None]]] = {
        label: [_short(one.interval.mean, one.interval.half_width) for one in numbers(runs, label)]
        for label in runs.labels
    }
    first = numbers(runs, runs.labels[0])
    content = {
        "version": _core.version(),
        "set": "quick" if quick else "full",
        "seeds": list(runs.seeds),
        "documents": [document_data(document) for document in runs.documents],
        "numbers": [[one.criterion.key, one.point, one.measure.name] for one in first],
        "queues": values,
        "costs": {label: [round(cost.packet_ns), cost.parameters, cost.computed] for label, cost in costs.items()},
        "refused": {label: text.splitlines()[0] for label, text in runs.refused.items()},
    }
    write_whole(path, _lines(content))


def read_table(path: Path) -> Mapping[str, Any]:
    """The table as it was written."""
    content: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return content


def rows_of(table: Mapping[str, Any]) -> list[Row]:
    """The numbers of a table, each of all queues."""
    questions: dict[str, tuple[Document, Question, dict[str, Shown]]] = {}
    for one in table["documents"]:
        document = Document(
            key=one["key"],
            document=one["document"],
            title=one["title"],
            subject="queue",
            baselines=(),
            criteria=(),
            left=one["left"],
            answered=one["answered"],
        )
        for asked in one["criteria"]:
            question = Question(**{key: asked[key] for key in ("key", "section", "title", "asks")})
            measures = {measure["name"]: Shown(**measure) for measure in asked["measures"]}
            questions[question.key] = document, question, measures
    found = []
    for place, (key, point, name) in enumerate(table["numbers"]):
        document, question, measures = questions[key]
        values = {label: _interval(numbers[place], len(table["seeds"])) for label, numbers in table["queues"].items()}
        found.append(Row(document, question, point, measures[name], values))
    return found


def _interval(number: Sequence[float | None], runs: int) -> Interval:
    mean, half = number
    return Interval(math.nan if mean is None else mean, math.nan if half is None else half, runs)


def _short(mean: float, half: float) -> list[float | None]:
    """Four significant digits of the mean, two of the interval; nothing where there is no number."""
    return [_digits(mean, 4), _digits(half, 2)]


def _digits(value: float, count: int) -> float | None:
    return float(f"{value:.{count}g}") if math.isfinite(value) else None


def _lines(content: Mapping[str, Any]) -> str:
    """A line for each queue, so that a new run changes the lines of the queues that moved."""
    parts = []
    for key, value in content.items():
        if key == "queues":
            rows = ",\n".join(f"  {json.dumps(label)}: {json.dumps(one)}" for label, one in value.items())
            parts.append(f'"{key}": {{\n{rows}\n }}')
        else:
            parts.append(f'"{key}": {json.dumps(value, ensure_ascii=False)}')
    return "{\n " + ",\n ".join(parts) + "\n}\n"
