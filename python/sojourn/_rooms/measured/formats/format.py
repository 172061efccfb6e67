"""A format of measurements: how a file is recognised, and how it is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..fields import Fields
from ..measurement import Measurement

__all__ = ["Content", "Format"]


@dataclass(frozen=True)
class Content:
    """The content of a file, unpacked.

    Attributes
    ----------
    file
        Its name, for messages.
    data
        Its bytes.
    json
        The value of a file in JSON; None if it is none. Lines of JSON are a list.
    """

    file: str
    data: bytes
    json: Any = None

    @cached_property
    def text(self) -> str:
        """As text; bytes that are none are replaced."""
        return self.data.decode("utf-8", errors="replace")

    @property
    def fields(self) -> Fields:
        """The table of a file in JSON; an empty one if it is none."""
        return Fields(self.json if isinstance(self.json, Mapping) else {}, self.file)

    def has(self, *keys: str) -> bool:
        """Whether it is a table of JSON with all these keys."""
        return isinstance(self.json, Mapping) and all(key in self.json for key in keys)


@dataclass(frozen=True)
class Format:
    """A format of measurements.

    Attributes
    ----------
    name
        In messages.
    made_by
        A command that makes a file of it.
    knows
        Whether a file is one.
    read
        Its measurement; :class:`ValueError` with the place if it is broken.
    """

    name: str
    made_by: str
    knows: Callable[[Content], bool]
    read: Callable[[Content], Measurement]
