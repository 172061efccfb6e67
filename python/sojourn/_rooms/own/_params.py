"""Parameters of a class: the text in a file, and the value in a hook.

Each is declared once, as a class attribute with its default as a user would write it. In an instance it is a plain
value: a time in whole nanoseconds, a rate in bits per second, an amount of queue in packets (or bytes) on this link.
"""

from __future__ import annotations

import math
from typing import Any, Generic, Self, TypeVar, overload

from ... import _core

__all__ = ["Bool", "Bytes", "Choice", "Fraction", "Integer", "Number", "Param", "Rate", "Size", "Time"]

T = TypeVar("T")


class Param(Generic[T]):
    """A parameter; use one of the kinds below.

    Parameters
    ----------
    default
        As a user would write it; ``"auto"`` is None in an instance.
    doc
        Its effect, in one or two sentences.
    least, most
        The range, written like the default.
    source
        Where the default comes from.
    """

    kind = ""
    in_bytes = False

    def __init__(
        self, default: Any, doc: str = "", *, least: Any = None, most: Any = None, source: str = "", auto: bool = False
    ) -> None:
        self.name: str = ""
        self.default = default
        self.doc = doc
        self.source = source
        self.auto = auto or default == "auto"
        self.least: float = self._end(least, -math.inf)
        self.most: float = self._end(most, math.inf)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Self | T:
        # An instance that is in a queue has the value in its own dictionary, which goes first.
        if instance is None:
            return self
        raise AttributeError(f"{owner.__name__}.{self.name} has a value only where a scenario has made the object")

    def declared(self, owner: type) -> dict[str, Any]:
        """The declaration in the form that the core takes."""
        return {
            "name": self.name,
            "kind": self.kind,
            "auto": self.auto,
            "default": _text(self.default),
            "min": self.least,
            "max": self.most,
            "choices": [],
            "in_bytes": self.in_bytes,
            "source": self.source or f"{owner.__module__}.{owner.__qualname__}",
            "doc": self.doc or f"The parameter {self.name} of {owner.__name__}.",
        }

    def _end(self, end: Any, otherwise: float) -> float:
        return otherwise if end is None else self._number(end)

    def _number(self, end: Any) -> float:
        return float(end)


class _Positive(Param[T]):
    """A kind whose values are never below zero."""

    def _end(self, end: Any, otherwise: float) -> float:
        return 0.0 if end is None and otherwise < 0 else super()._end(end, otherwise)


class Bool(Param[bool]):
    """True or False."""

    kind = "bool"


class Integer(Param[int]):
    """A whole number without unit."""

    kind = "integer"


class Number(Param[float]):
    """A real number without unit."""

    kind = "number"


class Fraction(Param[float]):
    """A number from 0 to 1 (unless the range says otherwise), or a text such as ``"5%"``."""

    kind = "fraction"

    def _end(self, end: Any, otherwise: float) -> float:
        return min(max(otherwise, 0.0), 1.0) if end is None else float(end)


class Rate(_Positive[int]):
    """A rate such as ``"10Mbit"``; bits per second in an instance."""

    kind = "rate"

    def _number(self, end: Any) -> float:
        return float(_core.bits_per_second(end))


class Time(_Positive[int]):
    """A time such as ``"20ms"``; whole nanoseconds in an instance."""

    kind = "time"

    def _number(self, end: Any) -> float:
        return _core.seconds(end)


class Bytes(_Positive[int]):
    """A number of bytes such as ``"1500B"``."""

    kind = "bytes"

    def _number(self, end: Any) -> float:
        return float(_core.byte_count(end))


class Size(_Positive[float]):
    """An amount of queue such as ``"50p"``, ``"64KiB"``, ``"2BDP"`` or ``"20ms"``.

    In an instance it is in packets on the link where the queue is; in bytes with ``in_bytes=True``. The range is in
    the unit that is written.
    """

    kind = "size"

    def __init__(self, default: str, doc: str = "", *, in_bytes: bool = False, **rest: Any) -> None:
        super().__init__(default, doc, **rest)
        self.in_bytes = in_bytes


class Choice(Param[str]):
    """One of some names; the first is the default."""

    kind = "choice"

    def __init__(self, *names: str, doc: str = "", source: str = "") -> None:
        super().__init__(names[0] if names else "", doc, source=source)
        self.names = names

    def declared(self, owner: type) -> dict[str, Any]:
        """The declaration in the form that the core takes."""
        return {**super().declared(owner), "choices": list(self.names)}


def _text(value: Any) -> str:
    """A value as it would be in a file, without quotation marks."""
    return str(value).lower() if isinstance(value, bool) else str(value)
