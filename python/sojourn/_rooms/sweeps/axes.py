"""Axes of a sweep: points by label, and the settings of each in the scenario."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from typing import Any

from .._base import toml
from .._base.registry import read_registry
from .._base.schema import Wrong, keys
from ..scenario.scenario import Scenario, ScenarioError, at_place, queue_label
from ..scenario.tc_line import is_tc_line
from ..scenario.texts import parse_queues

__all__ = ["Axis", "Point", "keys_of", "parse_over", "points", "read_axis", "scenarios"]

Point = Mapping[str, str]
"""A label of each axis."""

MOST_POINTS = 100_000
_AXIS_KEYS = ("key", "values", "labels")
_ZIP = "zip"
"""The key of an axis in a file for keys whose values go together, instead of key and values."""
_QUEUE = "queue"
"""The axis over whole queues: each point is a queue as for ``--queue`` of ``sojourn compare``."""

_RANGE = re.compile(
    r"(?P<first>-?[\d.]+(?:e-?\d+)?)(?P<unit>[A-Za-z%]*)\.\.(?P<last>-?[\d.]+(?:e-?\d+)?)(?P=unit)/(?P<step>.+)"
)
_NO_STEP = re.compile(r"-?[\d.]+[A-Za-z%]*\.\.-?[\d.]+[A-Za-z%]*")
"""A range that lacks its step; the name of a file does not begin with a number and two points."""
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
        Values as in a scenario file: numbers, texts with a unit, tables.
    labels
        Their names in tables; by default the values as text.
    points
        In place of key and values: the settings of each point, by its label.

    Raises
    ------
    ValueError
        Without values, or if two have the same label.
    """

    key: str | Sequence[str] = ()
    values: Sequence[Any] = ()
    labels: Sequence[str] = ()
    points: Mapping[str, Mapping[str, Any]] | None = None

    def __post_init__(self) -> None:
        if self.points is not None:
            object.__setattr__(self, "labels", list(self.points))
            return
        keys = [self.key] if isinstance(self.key, str) else list(self.key)
        text = _queue_text if keys == [_QUEUE] else _text
        names = [str(label) for label in self.labels] or [text(value) for value in self.values]
        where = f"axis {'+'.join(keys)}"
        if not self.values:
            raise ValueError(f"{where}: there are no values; give at least one")
        if len(names) != len(self.values):
            raise ValueError(f"{where}: {len(names)} labels for {len(self.values)} values")
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(f"{where}: {twice[0]} is there twice")
        object.__setattr__(self, "labels", names)
        settings = (dict.fromkeys(keys, value) for value in self.values)
        object.__setattr__(self, "points", dict(zip(names, settings, strict=True)))

    @property
    def keys(self) -> list[str]:
        """The keys that the axis sets."""
        return list(dict.fromkeys(key for settings in (self.points or {}).values() for key in settings))

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
        settings = (self.points or {})[label]
        several = any("[" in key for key in settings)
        groups = len(scenario.resolved()["flow"]) if several else 0
        for key, value in ((one, value) for name, value in settings.items() for one in keys_of(name, groups)):
            if key == _QUEUE:
                scenario = scenario.with_queue(value)
                continue
            try:
                scenario = scenario.set(key, value)
            except ScenarioError as error:
                if not error.hint and error.what.startswith("the queue ") and error.what.endswith(_NO_PARAMETER):
                    error.hint = _who_has_it(key)
                # A value may contradict another one: then the error names that other key.
                raise at_place(error, f"axis {key}, {label}", error.key if error.key not in ("", key) else "") from None
            except TypeError as error:
                raise ValueError(f"axis {key}, {label}: {error}") from None
        return scenario


_NO_PARAMETER = "has no such parameter"


def _who_has_it(key: str) -> str:
    """The queues with a parameter that the scenario's queue does not have, and how to choose one of them."""
    queue, _, name = key.rpartition(".")
    # Linux's queues come first: more users know them.
    entries = sorted(
        read_registry()["queues"], key=lambda entry: all(one["name"] != "linux" for one in entry["presets"])
    )
    found = [entry["name"] for entry in entries if any(one["name"] == name for one in entry["params"])]
    if not found:
        return ""
    more = f" and {len(found) - 3} others" if len(found) > 4 else ""
    named = ", ".join(found[: 3 if more else 4])
    return f"{named}{more} have it: --set {queue}={found[0]}"


def keys_of(key: str, groups: int) -> list[str]:
    """A key for each group that it names: ``flow[*].count``, ``flow[0,2].count``."""
    found = re.search(r"\[(\*|\d+(?:,\d+)+)\]", key)
    if found is None:
        return [key]
    named = [str(group) for group in range(groups)] if found[1] == "*" else found[1].split(",")
    return [f"{key[: found.start()]}[{group}]{key[found.end() :]}" for group in named]


def read_axis(written: Any) -> Axis:
    """An axis of a study file, of a sweep or of a work that is reproduced.

    ``{ key, values }`` for the values of one key or of several alike (a list, or a range as text: ``"10..100/10"``);
    tables of keys and values by label: ``{ small = { "dumbbell.queue.limit" = "10p" } }``; or keys whose values go
    together: ``{ zip = { "flow[0].count" = [2, 8], "dumbbell.delay" = ["5ms", "20ms"] } }``.

    Raises
    ------
    sojourn._rooms._base.schema.Wrong
        With the path from the axis to the wrong value.
    """
    if not isinstance(written, Mapping) or not written:
        raise Wrong("write a table", found=written)
    if _ZIP in written and _is_zip(written[_ZIP]):
        return _zipped(written)
    if all(isinstance(settings, Mapping) for settings in written.values()):
        return Axis(points=written)
    for key in ("key", "values"):
        if key not in written:
            other = next(point for point, settings in written.items() if not isinstance(settings, Mapping))
            raise Wrong(f"{key} is missing; or write a table of keys and values for {other!r}")
    keys(written, _AXIS_KEYS)
    named, values = written["key"], written["values"]
    if isinstance(values, str):
        with _in_words("values"):
            values = _spread(values, "") or values
    if not isinstance(values, list):
        raise Wrong(
            'values is a list, such as [0.02, 0.05, 0.1], or a range, such as "10..100/10"', "values", found=values
        )
    if not (isinstance(named, str) or _are_texts(named)):
        raise Wrong("key is a key of the scenario, or a list of keys", "key", found=named)
    for place, value in enumerate(values):
        if isinstance(value, float) and not math.isfinite(value):
            raise Wrong(
                "this is not a value of a scenario", "values", str(place), found=value, allowed="finite numbers"
            )
    labels = _labels(written)
    with _in_words("values"):
        return Axis(named, values, labels)


@contextmanager
def _in_words(key: str) -> Iterator[None]:
    """Mistakes in the values of an axis, at their key."""
    try:
        yield
    except Wrong:
        raise
    except ValueError as error:
        raise Wrong(str(error), key) from None


def _labels(written: Mapping[str, Any]) -> list[Any]:
    labels = written.get("labels", [])
    if not isinstance(labels, list):
        raise Wrong("labels is a list of texts, one for each value", "labels", found=labels)
    for place, label in enumerate(labels):
        if isinstance(label, bool) or not isinstance(label, str | int | float) or label == "":
            raise Wrong("a label is a text", "labels", str(place), found=label)
    return labels


def _are_texts(written: Any) -> bool:
    return isinstance(written, list) and bool(written) and all(isinstance(one, str) for one in written)


def _is_zip(written: Any) -> bool:
    """Whether these are keys with lists; a point that happens to have this name has single values."""
    return isinstance(written, Mapping) and bool(written) and all(isinstance(one, list) for one in written.values())


def _zipped(written: Mapping[str, Any]) -> Axis:
    """The axis whose first point sets the first value of each key, and so on."""
    keys(written, (_ZIP, "labels"))
    columns = written[_ZIP]
    sizes = {key: len(values) for key, values in columns.items()}
    if len(set(sizes.values())) > 1 or 0 in sizes.values():
        counts = ", ".join(f"{key} has {size}" for key, size in sizes.items())
        raise Wrong(f"values that go together are as many for each key; {counts}", _ZIP)
    rows = list(zip(*columns.values(), strict=True))
    names = [str(label) for label in _labels(written)] or [" ".join(map(_text, row)) for row in rows]
    if len(names) != len(rows):
        raise Wrong(f"{len(names)} labels for {len(rows)} points", "labels")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise Wrong(f"{twice[0]} is there twice", _ZIP)
    return Axis(points={name: dict(zip(columns, row, strict=True)) for name, row in zip(names, rows, strict=True)})


def _queue_text(queue: Any) -> str:
    """A queue in short; a text stays as it was written."""
    return queue if isinstance(queue, str) and not is_tc_line(queue) else queue_label(queue)


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return toml.inline(value).strip("{} ").replace('"', "").replace(" = ", "=")
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
    if found := _spread(text):
        return found
    if key == _QUEUE:
        return list(parse_queues([text]))
    return [_scalar(part.strip()) for part in _split(text)]


def _spread(text: str, place: str = "") -> list[Any]:
    """The values of a range; none where the text is no range."""
    if span := _RANGE.fullmatch(text):
        return _range(span)
    # The step is looked for first: 1.5 and 2..8 have points, too.
    if _NO_STEP.fullmatch(text) and ".." in text:
        ends = re.findall(r"(-?[\d.]*\d)([A-Za-z%]*)", text.replace("..", " "))
        unit = next((unit for _, unit in reversed(ends) if unit), "")
        apart = _between(*(number for number, _ in ends))
        step = 1.0 if apart >= 2.0 else apart / 4.0
        example = (
            "..".join(f"{number}{unit}" for number, _ in ends) + f"/{step:g}{unit}" if apart > 0.0 else "10..100/10"
        )
        raise ValueError(
            f"{place}a range needs its step: FIRST..LAST/STEP\n  found:   {text}\n  hint:    such as {example}"
        )
    return []


def _between(first: str, last: str) -> float:
    """The distance of two numbers; None if one of them is not a number."""
    try:
        return float(last) - float(first)
    except ValueError:
        return 0.0


def _range(span: re.Match[str]) -> list[Any]:
    unit = span["unit"]
    step_text = span["step"].removesuffix(unit) if unit else span["step"]
    try:
        first, last, step = float(span["first"]), float(span["last"]), float(step_text)
    except ValueError:
        raise ValueError("a range is FIRST..LAST/STEP, each a number with the same unit") from None
    if not all(map(math.isfinite, (first, last, step))):
        raise ValueError("a range ends: FIRST, LAST and STEP are numbers below 1e308")
    if step <= 0 or last < first:
        raise ValueError("a range goes up: FIRST is not above LAST, and STEP is above zero")
    count = int((last - first) / step + 1e-9) + 1
    if count > MOST_POINTS:
        number = f"{count}" if count < 10**12 else f"{count:.1e}"
        raise ValueError(f"this range has {number} points; at most {MOST_POINTS} are allowed")
    is_whole = not any(set(part) & set(".e") for part in (span["first"], span["last"], step_text))
    numbers = [round(first + index * step, 12) for index in range(count)]
    plain = [int(number) if is_whole else number for number in numbers]
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
    found = [dict(zip(axes, labels, strict=True)) for labels in product(*(axis.labels for axis in axes.values()))]
    seen: set[str] = set()
    for label in (", ".join(point.values()) for point in found):
        if label in seen:
            raise ValueError(f"two points are called {label!r}\n  hint:    give an axis labels without commas")
        seen.add(label)
    return found


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
