"""Whether a value of a file is of the type that a data class declares: a quick answer.

:mod:`_base.schema` asks here first, because nearly all values are. It looks at the others again, in order to
say what is wrong. A check that is not sure says no.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

__all__ = ["MOST", "Check", "fits", "form", "form_of"]

Check = Callable[[Any], bool]

MOST = 1e300
"""Numbers beyond are infinite as soon as something is done with them."""


@cache
def fits(wanted: Any) -> Check:
    """The check of a type."""
    origin, parts = get_origin(wanted), get_args(wanted)
    if wanted is Any:
        return lambda _: True
    if origin is Annotated:
        return _number(parts[0], parts[1:]) if parts[0] in (int, float) else fits(parts[0])
    if origin in (Union, types.UnionType):
        return _one_of(parts)
    if origin is Literal:
        return lambda value: value in parts and isinstance(value, bool) == any(isinstance(one, bool) for one in parts)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _table(fits(parts[1]))
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return _list(fits(parts[0]))
    if wanted in (int, float):
        return _number(wanted, ())
    return lambda value: not isinstance(wanted, type) or isinstance(value, wanted)


def _number(wanted: type, ranges: Sequence[Any]) -> Check:
    bounds = [one.has for one in ranges if hasattr(one, "has")]
    allowed = int if wanted is int else (int, float)

    def check(value: Any) -> bool:
        # Some ranges decide about infinite numbers and NaN.
        is_number = isinstance(value, allowed) and not isinstance(value, bool)
        return is_number and abs(value) <= MOST and all(has(value) for has in bounds)

    return check


def _one_of(parts: Sequence[Any]) -> Check:
    """If several types have one form, the first counts."""
    plain = [one for one in parts if one is not type(None)]
    checks: dict[str, Check] = {}
    for one in plain:
        checks.setdefault(form(one), fits(one))
    may_be_none = len(plain) < len(parts)

    def check(value: Any) -> bool:
        if value is None:
            return may_be_none
        found = checks.get(form_of(value))
        return found is not None and found(value)

    return check


def _table(below: Check) -> Check:
    return lambda value: isinstance(value, Mapping) and all(map(below, value.values()))


def _list(below: Check) -> Check:
    return lambda value: isinstance(value, list | tuple) and all(map(below, value))


def form(wanted: Any) -> str:
    """The form of the values that a type takes."""
    origin = get_origin(wanted)
    if origin is Annotated:
        return form(get_args(wanted)[0])
    if origin is Literal or wanted is str:
        return "text"
    if wanted is bool:
        return "truth"
    if wanted in (int, float):
        return "number"
    return "table" if isinstance(origin, type) and issubclass(origin, Mapping) else "list" if origin else "other"


def form_of(value: Any) -> str:
    """The form of a value."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "truth"
    if isinstance(value, int | float):
        return "number"
    return "table" if isinstance(value, Mapping) else "list" if isinstance(value, Sequence) else "other"
