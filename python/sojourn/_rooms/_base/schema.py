"""Reads tables of files as strictly as the core reads scenarios: every value has the type that its class declares.

A value that does not fit raises :class:`Wrong`, which knows the path to the value; :func:`told_of` finds the line of
that path in the file. A message has the same parts as one of the core::

    E1.toml:14:1: claim "PI waits less": rises: this is a text, not a truth value
      found:   "no"
      allowed: true, false
"""

from __future__ import annotations

import math
import re
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar, Union, get_args, get_origin, get_type_hints

from ... import _core
from . import toml
from .checks import shortened
from .files import read_text
from .fitting import MOST, Check, fits, form, form_of
from .nearest import nearest_question

__all__ = [
    "Between",
    "Least",
    "More",
    "Share",
    "Starts",
    "Unbounded",
    "Wrong",
    "check",
    "in_print",
    "keys",
    "known",
    "made",
    "table",
    "tables",
    "told_of",
    "under",
]

Starts = Sequence[tuple[Path, Sequence[str]]]
"""Where a path may begin: files, and the path before it in each."""

T = TypeVar("T")
_NUMBERED = re.compile(r"^(\d+)(?=$|[.\[:])")


@dataclass(frozen=True)
class Least:
    """A number is at least `bound`."""

    bound: float

    def __str__(self) -> str:
        return f"numbers from {self.bound:g} on"

    def has(self, value: float) -> bool:
        """Whether a number fits."""
        return value >= self.bound


@dataclass(frozen=True)
class More:
    """A number is larger than `bound`."""

    bound: float

    def __str__(self) -> str:
        return f"numbers above {self.bound:g}"

    def has(self, value: float) -> bool:
        """Whether a number fits."""
        return value > self.bound


@dataclass(frozen=True)
class Between:
    """A number is at least `least` and at most `most`."""

    least: float
    most: float

    def __str__(self) -> str:
        return f"numbers from {self.least:g} to {self.most:g}"

    def has(self, value: float) -> bool:
        """Whether a number fits."""
        return self.least <= value <= self.most


@dataclass(frozen=True)
class Share:
    """A number is above 0 and below 1."""

    def __str__(self) -> str:
        return "numbers above 0 and below 1"

    def has(self, value: float) -> bool:
        """Whether a number fits."""
        return 0.0 < value < 1.0


@dataclass(frozen=True)
class Unbounded:
    """A number may be infinite."""

    def __str__(self) -> str:
        return "numbers, or inf"

    def has(self, value: float) -> bool:
        """Any number but NaN fits."""
        return not math.isnan(value)


class Wrong(ValueError):  # noqa: N818 - what is wrong in a file, not a fault of ours
    """A mistake in a table: the place, the value that was found, the allowed values and the nearest name."""

    def __init__(
        self, what: str, *path: str, place: str | None = None, found: object = None, allowed: str = "", hint: str = ""
    ) -> None:
        super().__init__(what)
        self.what, self.path = what, tuple(path)
        self.place = _dotted(path) if place is None else place
        self.found = "" if found is None else shortened(in_print(found))
        self.allowed, self.hint = allowed, hint

    def below(self, *path: str, place: str = "") -> Self:
        """The same seen from a table that holds this one; `place` says in words where that is."""
        self.path = (*path, *self.path)
        if place:
            self.place = f"{place}: {self.place}" if self.place else place
        else:
            head, rest = _dotted(path), _NUMBERED.sub(r"[\1]", self.place)
            self.place = f"{head}{'' if rest.startswith('[') else '.'}{rest}" if rest and head else head or rest
        return self

    def __str__(self) -> str:
        rows = {"found": self.found, "allowed": self.allowed, "hint": self.hint}
        head = f"{self.place}: {self.what}" if self.place else self.what
        return "\n".join([head, *(f"  {name + ':':<8} {text}" for name, text in rows.items() if text)])


def _dotted(path: Iterable[str]) -> str:
    """A path as it is written in messages: ``metrics.use.within[1]``.

    >>> _dotted(["metrics", "use", "within", "1"]), _dotted(["axes", "flows", "key of mine"])
    ('metrics.use.within[1]', 'axes.flows."key of mine"')
    """
    text = ""
    for part in path:
        text += f"[{part}]" if part.isdigit() and text else f"{'.' if text else ''}{toml.key(part)}"
    return text


@contextmanager
def under(*path: str, place: str = "") -> Iterator[None]:
    """Put errors from inside below this path; an error that has only words gets the place before them."""
    try:
        yield
    except Wrong as wrong:
        raise wrong.below(*path, place=place) from None


def told_of(wrong: Wrong, starts: Starts) -> ValueError:
    """The error with the file, the line and the column of what is wrong.

    `starts` are files that the path may lead into, the likeliest first, and the text before the path in each.
    """
    best, least = "", -1
    for file, before in starts:
        try:
            text = read_text(file)
        except (OSError, UnicodeDecodeError):
            continue
        wanted = [*before, *wrong.path]
        line, column, depth = _core.toml_place(text, wanted)
        missing = len(wanted) - depth
        if least < 0 or missing < least:
            place = f"{file}:{line}:{column}" if line else f"{file}"
            best, least = place if not best else f"{starts[0][0]}, with {place}", missing
        if not missing:
            break
    return ValueError(f"{best}: {wrong}" if best else str(wrong))


# ---- Names.


def known(name: object, names: Iterable[str], what: str, *path: str) -> None:
    """Refuse a name that is not among those that there are."""
    allowed = list(names)
    if name not in allowed:
        text = f"there is no {what} {name!r}"
        raise Wrong(
            text, *path, allowed=", ".join(map(str, allowed)) or "nothing", hint=nearest_question(name, allowed)
        )


def keys(content: Mapping[str, Any], allowed: Sequence[str], wanted: Iterable[str] = ()) -> None:
    """Refuse unknown keys, then the lack of required keys."""
    for key in content:
        if key not in allowed:
            raise Wrong(
                f"there is no key {key!r}",
                key,
                place="",
                allowed=", ".join(allowed),
                hint=nearest_question(key, allowed),
            )
    for key in wanted:
        if key not in content:
            raise Wrong(f"the key {key!r} is missing", hint=f"the keys are {', '.join(allowed)}")


def table(value: Any) -> Mapping[str, Any]:
    """The value, which must be a table with something in it."""
    if not isinstance(value, Mapping):
        raise Wrong("write a table", found=value)
    return value


def tables(value: Any) -> Sequence[Mapping[str, Any]]:
    """The value, which must be a list of tables."""
    if not isinstance(value, list | tuple):
        raise Wrong("write tables, each with its name in double brackets", found=value)
    for place, one in enumerate(value):
        with under(str(place)):
            table(one)
    return value


# ---- Types.


def made(kind: type[T], content: Any, *, hidden: Sequence[str] = (), more: Mapping[str, Any] | None = None) -> T:
    """An object of a data class from a table, whose keys and types are those of the class.

    `hidden` are fields that a file cannot say; `more` has their values.
    """
    own = table(content)
    known_keys = [one.name for one in fields(kind) if one.init and one.name not in hidden]  # type: ignore[arg-type]
    wanted = [
        one.name
        for one in fields(kind)  # type: ignore[arg-type]
        if one.name in known_keys and one.default is MISSING and one.default_factory is MISSING
    ]
    keys(own, known_keys, wanted)
    check(kind, own)
    return kind(**own, **(more or {}))


def check(kind: type, values: Mapping[str, Any]) -> None:
    """Refuse values that are not of the types that the fields of a data class declare."""
    hints, checks = _hints(kind), _quick_checks(kind)
    for key, value in values.items():
        if not checks[key](value):
            with under(key):
                _fit(value, hints[key])


@cache
def _hints(kind: type) -> Mapping[str, Any]:
    return get_type_hints(kind, include_extras=True)


@cache
def _quick_checks(kind: type) -> Mapping[str, Check]:
    return {name: fits(wanted) for name, wanted in _hints(kind).items()}


def _fit(value: Any, wanted: Any) -> None:
    """Raise :class:`Wrong` unless the value is of the type."""
    origin, parts = get_origin(wanted), get_args(wanted)
    if wanted is Any:
        return
    if origin is Annotated:
        _fit_number(value, parts[0], parts[1:])
    elif origin in (Union, types.UnionType):
        _fit_one_of(value, wanted, parts)
    elif origin is Literal:
        if value not in parts or isinstance(value, bool) != any(isinstance(one, bool) for one in parts):
            names = [str(one) for one in parts if one != ""]
            raise Wrong(
                "this is not among the names",
                found=value,
                allowed=", ".join(names),
                hint=nearest_question(value, names),
            )
    elif isinstance(origin, type) and issubclass(origin, Mapping):
        _fit_mapping(value, wanted, parts)
    elif isinstance(origin, type) and issubclass(origin, Sequence):
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
            raise _not(value, wanted)
        for place, one in enumerate(value):
            with under(str(place)):
                _fit(one, parts[0])
    elif wanted in (int, float):
        _fit_number(value, wanted, ())
    elif isinstance(wanted, type) and not isinstance(value, wanted):
        raise _not(value, wanted)


def _fit_one_of(value: Any, wanted: Any, parts: Sequence[Any]) -> None:
    """A value of one of several types: if it has the form of one of them, the error is about that type."""
    if value is None and type(None) in parts:
        return
    plain = [one for one in parts if one is not type(None)]
    same = [one for one in plain if form(one) == form_of(value)]
    if len(plain) > 1 and not same:
        raise _not(value, wanted)
    _fit(value, same[0] if same else plain[0])


def _fit_mapping(value: Any, wanted: Any, parts: Sequence[Any]) -> None:
    if not isinstance(value, Mapping):
        raise _not(value, wanted)
    for key, one in value.items():
        with under(str(key)):
            _fit(one, parts[1])


def _fit_number(value: Any, wanted: Any, ranges: Sequence[Any]) -> None:
    if get_origin(wanted) or wanted not in (int, float):
        _fit(value, wanted)
    if wanted not in (int, float):
        return
    if isinstance(value, bool) or not isinstance(value, int if wanted is int else int | float):
        raise _not(value, wanted, ranges)
    bounds = [one for one in ranges if hasattr(one, "has")]
    endless = any(isinstance(one, Unbounded) for one in bounds)
    if (abs(value) > MOST and not (endless and isinstance(value, float) and math.isinf(value))) or value != value:
        raise Wrong("this is not a finite number", found=value, allowed=_ranges(bounds) or "finite numbers")
    if wrong := [one for one in bounds if not one.has(value)]:
        raise Wrong("this is out of range", found=value, allowed=_ranges(wrong))


def _ranges(bounds: Sequence[Any]) -> str:
    return " and ".join(str(one) for one in bounds)


_NAMES = {"truth": "a truth value", "number": "a number", "text": "a text", "table": "a table", "list": "a list"}


def _not(value: Any, wanted: Any, ranges: Sequence[Any] = ()) -> Wrong:
    """The error that a value is of another kind than is wanted."""
    is_whole = wanted is int and form_of(value) == "number"
    what = f"this is {_NAMES.get(form_of(value), 'no value of a file')}, not {_in_words(wanted)}"
    if is_whole:
        what = "this is not a whole number"
    allowed = "true, false" if wanted is bool else _ranges([one for one in ranges if hasattr(one, "has")])
    return Wrong(what, found=value, allowed=allowed)


def _in_words(wanted: Any, *, several: bool = False) -> str:
    """A type for people."""
    origin, parts = get_origin(wanted), get_args(wanted)
    if origin is Annotated:
        return _in_words(parts[0], several=several)
    if origin in (Union, types.UnionType):
        return " or ".join(_in_words(one, several=several) for one in parts if one is not type(None))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        below = "" if parts[1] is Any else f" of {_in_words(parts[1], several=True)}"
        return f"{'tables' if several else 'a table'}{below}"
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return f"{'lists' if several else 'a list'} of {_in_words(parts[0], several=True)}"
    one, many = {
        bool: ("a truth value", "truth values"),
        int: ("a whole number", "whole numbers"),
        float: ("a number", "numbers"),
    }.get(wanted, ("a text", "texts"))
    return many if several else one


def in_print(value: object) -> str:
    """A value as it is written in a file; as Python writes it, if a file cannot have it."""
    try:
        return toml.inline(value)  # type: ignore[arg-type]
    except TypeError:
        return str(value) if not isinstance(value, Callable) else repr(value)  # type: ignore[arg-type]
