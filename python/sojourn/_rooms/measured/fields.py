"""Values of a file in JSON, asked for by their path: each is checked, and a message names the path."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

__all__ = ["Fields"]

_SHOWN = 12


class Fields:
    """A table of a file, with its place in it.

    Parameters
    ----------
    data
        A table as :mod:`json` reads it.
    file
        Name of the file, for messages.
    place
        Path of this table, for messages and for the sources of estimates.
    """

    def __init__(self, data: Mapping[str, Any], file: str, place: str = "") -> None:
        self.data, self.file, self.place = data, file, place

    def path(self, *keys: str | int) -> str:
        """A path as ``end.streams[0].rtt``."""
        text = self.place
        for key in keys:
            text += f"[{key}]" if isinstance(key, int) else f".{key}" if text else key
        return text

    def has(self, *keys: str) -> bool:
        """Whether there is a value that is not null."""
        return self._get(keys) is not None

    def number(self, *keys: str, least: float = 0.0) -> float | None:
        """A number, also as a text; None if there is none.

        Raises
        ------
        ValueError
            If it is something else, not finite, or too small.
        """
        value = self._get(keys)
        return None if value is None else self.checked(value, self.path(*keys), least)

    def needed(self, *keys: str, least: float = 0.0) -> float:
        """As :meth:`number`, for one that has to be there."""
        value = self.number(*keys, least=least)
        if value is None:
            raise ValueError(f"{self.file}: {self.path(*keys)} is missing\n  found:   {self._names(keys)}")
        return value

    def numbers(self, *keys: str, least: float = 0.0) -> list[float]:
        """A list of numbers; those that are null are left out, and a missing list is empty."""
        value = self._get(keys)
        if value is None:
            return []
        if not isinstance(value, list):
            raise ValueError(f"{self.file}: {self.path(*keys)} is not a list")
        path = self.path(*keys)
        return [self.checked(one, f"{path}[{at}]", least) for at, one in enumerate(value) if one is not None]

    def text(self, *keys: str) -> str:
        """A text; empty if there is none."""
        value = self._get(keys)
        return value if isinstance(value, str) else ""

    def table(self, *keys: str) -> Fields:
        """A table; an empty one if there is none."""
        value = self._get(keys)
        if value is not None and not isinstance(value, Mapping):
            raise ValueError(f"{self.file}: {self.path(*keys)} is not a table")
        return Fields(value or {}, self.file, self.path(*keys))

    def tables(self, *keys: str) -> Iterator[Fields]:
        """The tables of a list; none if there is no such list."""
        value = self._get(keys)
        if value is not None and not isinstance(value, list):
            raise ValueError(f"{self.file}: {self.path(*keys)} is not a list")
        for at, one in enumerate(value or ()):
            if not isinstance(one, Mapping):
                raise ValueError(f"{self.file}: {self.path(*keys, at)} is not a table")
            yield Fields(one, self.file, self.path(*keys, at))

    def checked(self, value: object, path: str, least: float) -> float:
        """A value that is a number, from `least` on."""
        try:
            number = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number) or number < least:
            found = repr(value)[:40]
            raise ValueError(f"{self.file}: {path} is not a number from {least:g} on\n  found:   {found}")
        return number

    def _get(self, keys: Sequence[str]) -> Any:
        value: Any = self.data
        for key in keys:
            if not isinstance(value, Mapping):
                return None
            value = value.get(key)
        return value

    def _names(self, keys: Sequence[str]) -> str:
        """Keys beside a missing one: names alone, because values may be addresses."""
        beside = self._get(keys[:-1])
        names = [str(name) for name in beside] if isinstance(beside, Mapping) else []
        more = ", ..." if len(names) > _SHOWN else ""
        return (", ".join(names[:_SHOWN]) or "nothing") + more
