"""Ranges of a parameter: from one number to another, or a list of choices."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from ... import _core
from ..scenario.scenario import Scenario, ScenarioError
from ..sweeps.axes import Axis, parse_over

if TYPE_CHECKING:
    from optuna.trial import Trial

__all__ = ["Parameter", "Range", "default_of", "laid_over", "parameters", "parse_range"]

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"\s*(?P<low>{_NUMBER})(?P<unit>[A-Za-z%]*)\.\.(?P<high>{_NUMBER})(?P<other>[A-Za-z%]*)\s*")
_FORM = "KEY=LOW..HIGH, KEY=LOW..HIGH:log or KEY=A,B,C, such as dumbbell.queue.target=1ms..100ms:log"
_SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
_MOST_CORNERS = 64
"""The greatest number of corners of the ranges that are checked before a value is refused."""
_DIGITS = 4
"""Digits of a number that is tried. Numbers that differ in later digits count as one."""


@dataclass(frozen=True)
class Range:
    """Numbers from `low` to `high`, both included.

    Parameters
    ----------
    low, high
        The ends, in `unit`; finite, `low` below `high`.
    unit
        As in a scenario: ``"ms"``, ``"p"``, ``"Mbit"``; empty for a number without one.
    log
        Whether a factor counts the same everywhere: then both ends are above zero.

    Raises
    ------
    ValueError
        If the ends are not as above.

    Examples
    --------
    >>> Range(1, 100, "ms", log=True)
    Range(low=1, high=100, unit='ms', log=True)
    """

    low: float
    high: float
    unit: str = ""
    log: bool = False

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(f"a range goes up: LOW is below HIGH; these are {self.low:g} and {self.high:g}")
        if self.log and self.low <= 0.0:
            raise ValueError(f"a logarithmic range begins above zero; this begins at {self.low:g}")

    def text(self, number: float) -> str:
        """A number of the range, as it is written in a file."""
        return f"{number:.{_DIGITS}g}{self.unit}" if isinstance(number, float) else f"{number}{self.unit}"

    def number(self, text: str) -> float | None:
        """The number of a text in the unit of the range; None where it has another one that is no time.

        >>> Range(1, 100, "ms").number("2.5ms"), Range(1, 100, "ms").number("1s"), Range(1, 9, "p").number("1BDP")
        (2.5, 1000.0, None)
        """
        found = re.fullmatch(r"([-+\d.eE]+)([A-Za-z%]*)", text)
        if found is None:
            return None
        if found[2] == self.unit:
            return float(found[1])
        if found[2] in _SECONDS and self.unit in _SECONDS:
            return float(found[1]) * _SECONDS[found[2]] / _SECONDS[self.unit]
        return None


@dataclass(frozen=True)
class Parameter:
    """A parameter that is searched for: its name, its keys, and either a range or choices by label."""

    name: str
    keys: tuple[str, ...]
    range: Range | None = None
    choices: Axis | None = None
    whole: bool = False

    @property
    def ends(self) -> list[Axis]:
        """Both ends of a range, or every choice."""
        if self.choices is not None:
            points = self.choices.points or {}
            return [Axis(points={label: points[label]}) for label in self.choices.labels]
        assert self.range is not None  # noqa: S101 - a parameter has one of both
        return [self.at(self.range.low), self.at(self.range.high)]

    def ask(self, trial: Trial) -> Axis:
        """A value of it, as an axis with one point."""
        if self.choices is not None:
            label = str(trial.suggest_categorical(self.name, list(self.choices.labels)))
            return Axis(points={label: (self.choices.points or {})[label]})
        span = self.range
        assert span is not None  # noqa: S101 - a parameter has one of both
        if self.whole:
            number: float = trial.suggest_int(self.name, int(span.low), int(span.high), log=span.log)
        else:
            number = float(trial.suggest_float(self.name, span.low, span.high, log=span.log))
        return self.at(number)

    def at(self, number: float) -> Axis:
        """One number of the range."""
        assert self.range is not None  # noqa: S101 - only ranges are asked
        text = self.range.text(int(number) if self.whole else float(number))
        value = text if self.range.unit else (int(number) if self.whole else float(text))
        return Axis(points={text: dict.fromkeys(self.keys, value)})


def parse_range(text: str) -> tuple[str, Range | Axis]:
    """Read ``KEY=LOW..HIGH[:log]`` or ``KEY=A,B,C``; the keys, or ``NAME:KEYS``, and the range or the choices.

    >>> parse_range("dumbbell.queue.target=1ms..100ms:log")
    ('dumbbell.queue.target', Range(low=1.0, high=100.0, unit='ms', log=True))
    """
    place, equals, rest = text.partition("=")
    body, colon, scale = rest.rpartition(":") if re.search(r"\.\.[^:]*:", rest) else (rest, "", "")
    is_range = ".." in body and not re.search(r"\.\./|/\.\.", body)
    if not equals or not place.strip() or not body.strip():
        raise ValueError(f"--over {text}: this is not a range\n  allowed: {_FORM}")
    if not is_range:
        name, axis = parse_over(text)
        return f"{name}:{'+'.join(axis.keys)}", axis
    found = _RANGE.fullmatch(body)
    if found is None and _RANGE.fullmatch(body.partition("/")[0]):
        raise ValueError(f"--over {text}: a range of a search has no step; say it without a step\n  allowed: {_FORM}")
    if found is None:
        raise ValueError(f"--over {text}: a range is two numbers\n  found:   {body}\n  allowed: {_FORM}")
    if colon and scale != "log":
        raise ValueError(f"--over {text}: a range ends with nothing or with :log\n  found:   :{scale}")
    if found["unit"] != found["other"]:
        units = f"{found['unit'] or 'none'} and {found['other'] or 'none'}"
        raise ValueError(f"--over {text}: both ends of a range have the same unit\n  found:   {units}")
    try:
        return place.strip(), Range(float(found["low"]), float(found["high"]), found["unit"], log=bool(colon))
    except ValueError as error:
        raise ValueError(f"--over {text}: {error}") from None


def parameters(scenario: Scenario, over: Mapping[str, Range | Axis | Sequence[Any]]) -> list[Parameter]:
    """Parameters by name, checked with the scenario.

    Raises
    ------
    ValueError
        If a key is unknown or a value that it may take is refused; nothing is run.
    """
    if not over:
        raise ValueError(f"there is nothing to tune\n  hint:    --over {_FORM}")
    found: list[Parameter] = []
    for place, values in over.items():
        named, colon, keys = place.rpartition(":")
        parts = tuple(part.strip() for part in keys.split("+"))
        name = named if colon else parts[0].rpartition(".")[2]
        if any(one.name == name for one in found):
            raise ValueError(f"two parameters are called {name!r}\n  hint:    name one of them: --over NAME:{keys}=...")
        if isinstance(values, Range):
            own = Parameter(name, parts, values)
            one = Parameter(name, parts, values, whole=_is_whole(own, scenario))
        else:
            axis = values if isinstance(values, Axis) else Axis(list(parts), list(values))
            one = Parameter(name, tuple(axis.keys), choices=axis)
        found.append(one)
    for one in found:
        _try(scenario, one, [other for other in found if other is not one])
    return found


def _try(scenario: Scenario, one: Parameter, others: Sequence[Parameter]) -> None:
    """Refuse an end or a choice that is wrong both by itself and together with the ends of all others.

    A value that contradicts one value of another parameter may be right with a different one.
    """
    for value in one.ends:
        try:
            laid_over(scenario, {one.name: value})
        except ScenarioError:
            corners = islice(product(*(other.ends for other in others)), _MOST_CORNERS)
            if not any(_is_right(scenario, [value, *corner]) for corner in corners):
                raise


def _is_right(scenario: Scenario, values: Sequence[Axis]) -> bool:
    try:
        laid_over(scenario, {str(place): value for place, value in enumerate(values)})
    except ScenarioError:
        return False
    return True


def _is_whole(own: Parameter, scenario: Scenario) -> bool:
    """Whether a parameter has whole numbers only: it refuses a number between two of them."""
    span = own.range
    assert span is not None  # noqa: S101 - only ranges are asked
    if not (float(span.low).is_integer() and float(span.high).is_integer()):
        return False
    whole = replace(own, whole=True)
    between = own.at(span.low + 0.5)
    return not _is_right(scenario, [between]) and any(_is_right(scenario, [end]) for end in whole.ends)


def laid_over(scenario: Scenario, settings: Mapping[str, Axis]) -> Scenario:
    """The scenario with a value of each parameter, whole queues first.

    Raises
    ------
    ScenarioError
        If the values contradict each other.
    """
    waiting = sorted(settings.values(), key=lambda one: "queue" not in one.keys)
    while waiting:
        later, refusal = [], None
        for axis in waiting:
            try:
                scenario = axis.laid_over(scenario, axis.labels[0])
            except ScenarioError as error:
                # The value may contradict one that another parameter changes.
                later.append(axis)
                refusal = refusal or error
        if refusal is not None and len(later) == len(waiting):
            raise refusal
        waiting = later
    _core.Simulation(scenario.resolved_json, 1)
    return scenario


def default_of(parameter: Parameter, scenario: Scenario) -> str:
    """The value of a parameter in a scenario, as a text."""
    if parameter.keys == ("queue",):
        return scenario.queue_kind
    value: Any = scenario.resolved()
    for part in re.findall(r"[^.\[\]]+", parameter.keys[0].replace("[*]", "[0]")):
        if isinstance(value, list):
            named = [one for one in value if isinstance(one, Mapping) and one.get("name") == part]
            value = named[0] if named else value[int(part.split(",")[0])] if part[0].isdigit() else None
        elif isinstance(value, Mapping):
            value = value.get(part)
        else:
            return "?"
    if isinstance(value, Mapping):
        return str(value.get("kind", "?"))
    return "?" if value is None else str(value)
