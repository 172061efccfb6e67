"""Axes of a sweep: points by label, and what each sets in the scenario."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from .. import _toml
from ..scenario import Scenario, ScenarioError, at_place

__all__ = ["Axis", "Point", "parse_over", "points", "scenarios"]

Point = Mapping[str, str]
"""A label of each axis."""

MOST_POINTS = 100_000
_QUEUE = "queue"
"""The axis over whole queues: each point is what ``--queue`` of ``sojourn compare`` takes."""

_RANGE = re.compile(
    r"(?P<first>-?[\d.]+(?:e-?\d+)?)(?P<unit>[A-Za-z%]*)\.\.(?P<last>-?[\d.]+(?:e-?\d+)?)(?P=unit)/(?P<step>.+)"
)
_NUMBER = re.compile(r"(-?[\d.]+(?:e-?\d+)?)\s*([A-Za-z%/]*)")


@dataclass(frozen=True)
class Axis:
    """One axis of a sweep.

    Parameters
    ----------
    key
        A key of the scenario, several that take the same value, or ``"queue"``: then the values are queues, as for
        :func:`sojourn.compare`.
    values
        Values as a scenario file has them: numbers, texts with a unit, tables.
    labels
        Their names in tables; by default the values as text.

    Raises
    ------
    ValueError
        Without values, or if two have the same label.
    """

    key: str | Sequence[str]
    values: Sequence[Any]
    labels: Sequence[str] = ()

    def __post_init__(self) -> None:
        keys = [self.key] if isinstance(self.key, str) else list(self.key)
        names = [str(label) for label in self.labels] or [_text(value) for value in self.values]
        where = f"axis {'+'.join(keys)}"
        if not self.values:
            raise ValueError(f"{where}: there are no values; give at least one")
        if len(names) != len(self.values):
            raise ValueError(f"{where}: {len(names)} labels for {len(self.values)} values")
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(f"{where}: {twice[0]} stands there twice")
        object.__setattr__(self, "labels", names)

    @property
    def keys(self) -> list[str]:
        """The keys that it sets."""
        return [self.key] if isinstance(self.key, str) else list(self.key)

    @property
    def numbers(self) -> list[float] | None:
        """The points as numbers, if all are numbers with the same unit: then they have an order and distances."""
        found = [_NUMBER.fullmatch(label) for label in self.labels]
        units = {one[2] for one in found if one}
        return [float(one[1]) for one in found if one] if all(found) and len(units) == 1 else None

    @property
    def unit(self) -> str:
        """The unit that the points have in common; empty if they have none."""
        one = _NUMBER.fullmatch(self.labels[0])
        return one[2] if one and self.numbers is not None else ""

    def laid_over(self, scenario: Scenario, label: str) -> Scenario:
        """The scenario at one point of this axis."""
        value = self.values[list(self.labels).index(label)]
        for key in self.keys:
            if key == _QUEUE:
                scenario = scenario.with_queue(value)
                continue
            try:
                scenario = scenario.set(key, value)
            except ScenarioError as error:
                # A value may contradict another one: then the error names that other key.
                raise at_place(error, f"axis {key}, {label}", error.key if error.key not in ("", key) else "") from None
        return scenario


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return _toml.inline(value).strip("{} ").replace('"', "").replace(" = ", "=")
    return str(value)


def parse_over(text: str) -> tuple[str, Axis]:
    """Read ``KEY=A,B,C`` or ``KEY=FIRST..LAST/STEP``; the name of the axis and the axis.

    Keys that take the same value are joined by ``+``. The axis is named after the last part of its first key, which
    ``NAME:KEY=...`` overrides.

    >>> parse_over("dumbbell.queue.max_p=0.02,0.05")[1].values
    [0.02, 0.05]
    >>> parse_over("flow.ftp.count=10..30/10")[1].values
    [10, 20, 30]
    """
    place, equals, rest = text.partition("=")
    name, colon, keys = place.strip().rpartition(":")
    parts = [part.strip() for part in keys.split("+")]
    if not equals or not rest.strip() or not all(parts):
        raise ValueError(
            f"--over {text}: this is not an axis\n"
            "  allowed: KEY=A,B,C or KEY=FIRST..LAST/STEP, such as dumbbell.queue.max_p=0.02,0.05,0.1"
        )
    try:
        axis = Axis(parts[0] if len(parts) == 1 else parts, _values(parts[0], rest.strip()))
    except ValueError as error:
        raise ValueError(f"--over {text}: {error}") from None
    return (name.strip() if colon else parts[0].rpartition(".")[2] or parts[0]), axis


def _values(key: str, text: str) -> list[Any]:
    span = _RANGE.fullmatch(text)
    if span:
        return _range(span)
    if key == _QUEUE:
        from ..cli.study import parse_queues

        return list(parse_queues([text]))
    return [_scalar(part.strip()) for part in _split(text)]


def _range(span: re.Match[str]) -> list[Any]:
    unit = span["unit"]
    step_text = span["step"].removesuffix(unit) if unit else span["step"]
    try:
        first, last, step = float(span["first"]), float(span["last"]), float(step_text)
    except ValueError:
        raise ValueError("a range is FIRST..LAST/STEP, each a number with the same unit") from None
    if step <= 0 or last < first:
        raise ValueError("a range goes up: FIRST is not above LAST, and STEP is above zero")
    count = int((last - first) / step + 1e-9) + 1
    if count > MOST_POINTS:
        raise ValueError(f"this range has {count} points; at most {MOST_POINTS} are allowed")
    numbers = [round(first + index * step, 12) for index in range(count)]
    plain = [int(number) if number == int(number) and "." not in span.group() else number for number in numbers]
    return [f"{number:g}{unit}" for number in numbers] if unit else plain


def _split(text: str) -> list[str]:
    """At commas outside brackets and braces."""
    parts, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "[{") - (letter in "]}")
        if letter == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += letter
    if not all(one.strip() for one in [*parts, part]):
        raise ValueError("a value is missing between the commas")
    return [*parts, part]


def _scalar(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def points(axes: Mapping[str, Axis]) -> list[dict[str, str]]:
    """Every point of each axis with every one of the others, the last axis fastest."""
    number = 1
    for axis in axes.values():
        number *= len(axis.labels)
    if number > MOST_POINTS:
        raise ValueError(f"the axes have {number} points together; at most {MOST_POINTS} are allowed")
    return [dict(zip(axes, labels, strict=True)) for labels in product(*(axis.labels for axis in axes.values()))]


def scenarios(base: Scenario, axes: Mapping[str, Axis]) -> dict[str, Scenario]:
    """The scenario at every point, by label of the point."""
    found = {}
    # Whole queues come first, so that other axes may change their parameters.
    order = sorted(axes.items(), key=lambda one: _QUEUE not in one[1].keys)
    for point in points(axes):
        scenario = base
        for name, axis in order:
            scenario = axis.laid_over(scenario, point[name])
        found[", ".join(point.values())] = scenario
    return found
