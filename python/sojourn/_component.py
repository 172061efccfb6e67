"""Base of what a scenario is put together from: tables whose keys are a class's fields."""

from __future__ import annotations

from dataclasses import fields
from typing import ClassVar

from . import _toml

__all__ = ["App", "Component", "Control", "Loss", "Queue", "Table", "Transport", "plain"]


class Table:
    """A table of a scenario. A field that is None is not written, and the default holds."""

    __slots__ = ()

    def to_dict(self) -> dict[str, _toml.Value]:
        """As it stands in a scenario file."""
        content: dict[str, _toml.Value] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if value is not None:
                content[field.name.rstrip("_")] = plain(value)
        return content


class Component(Table):
    """A table with a kind: a queue, a transport, an application."""

    __slots__ = ()

    kind: ClassVar[str]

    def to_dict(self) -> dict[str, _toml.Value]:
        """As it stands in a scenario file."""
        content = super().to_dict()
        first: dict[str, _toml.Value] = {"kind": self.kind}
        first |= {key: value for key, value in content.items() if key in ("preset", "profile")}
        return first | content


class Queue(Component):
    """A queue discipline with its parameters; see :mod:`sojourn.queues`."""

    __slots__ = ()


class Transport(Component):
    """A sender and its receiver; see :mod:`sojourn.transports`."""

    __slots__ = ()


class Control(Component):
    """A congestion control law; see :mod:`sojourn.transports`."""

    __slots__ = ()


class App(Component):
    """What drives a sender; see :mod:`sojourn.apps`."""

    __slots__ = ()


class Loss(Component):
    """Which packets are corrupted on a link; see :mod:`sojourn.losses`."""

    __slots__ = ()


def plain(value: object) -> _toml.Value:
    """Components as tables, everything else as it is."""
    if isinstance(value, Table):
        return value.to_dict()
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a {type(value).__name__} cannot stand in a scenario: {value!r}")
