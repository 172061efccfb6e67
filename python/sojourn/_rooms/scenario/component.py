"""Base classes of the parts of a scenario: tables whose keys are a class's fields."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from opcode import opmap
from typing import Any, ClassVar, Self

from ..._core import ScenarioError
from .._base import toml
from .._base.nearest import nearest_hint

__all__ = [
    "App",
    "ChosenControl",
    "ChosenQueue",
    "Component",
    "Constructor",
    "Control",
    "Loss",
    "Named",
    "Queue",
    "Table",
    "Transport",
    "check_names",
    "plain",
]


class Constructor:
    """The signature of a class's ``__init__``. Python would show that of ``__new__``, which takes any argument."""

    def __get__(self, instance: object, owner: type) -> inspect.Signature:
        own = inspect.signature(owner.__init__)  # type: ignore[misc]
        return own.replace(parameters=list(own.parameters.values())[1:])


class Table:
    """A table of a scenario. A field that is None is not written, and the default holds.

    Raises
    ------
    ScenarioError
        If a field is given that it does not have, with the nearest that it has.
    """

    __slots__ = ()
    __signature__: ClassVar[Constructor] = Constructor()

    def __new__(cls, *_: Any, **named: Any) -> Self:
        """Refuse names that are not fields, before their values are looked at."""
        known = [field.name for field in fields(cls)] if is_dataclass(cls) else list(named)
        check_names(cls.__name__, named, known)
        return super().__new__(cls)

    def to_dict(self) -> dict[str, toml.Value]:
        """As in a scenario file."""
        content: dict[str, toml.Value] = {}
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            if value is not None:
                content[field.name.rstrip("_")] = plain(value)
        return content

    def __repr__(self) -> str:
        """The given values; the others have their defaults."""
        given = ((field.name, getattr(self, field.name)) for field in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given if value is not None)})"


# Names of other tools for our keys; the core knows them too, for files.
_SYNONYMS = {
    "bandwidth": "rate",
    "buffer": "limit",
    "buffer_size": "limit",
    "capacity": "rate",
    "cc": "control",
    "congestion_control": "control",
    "decrease": "cut",
    "destination": "to",
    "flows": "count",
    "from": "from_",
    "latency": "delay",
    "loss_detection": "recovery",
    "n": "count",
    "preset": "profile",
    "profile": "preset",
    "protocol": "transport",
    "size": "limit",
    "source": "from_",
    "speed": "rate",
}


def check_names(owner: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse a name that is not known, as a scenario file would."""
    for name in given:
        if name in known:
            continue
        other = _SYNONYMS.get(name)
        hint = nearest_hint(other if other in known else name, known, shown=repr)
        raise ScenarioError(f"{owner}: there is no {name!r} here\n  allowed: {', '.join(known)}{hint}")


def no_name(message: str, *, depth: int = 2) -> AttributeError | ImportError:
    """The error for a name that a module does not have; the caller is `depth` frames below.

    ``from MODULE import NAME`` replaces the message of an AttributeError. It therefore gets an ImportError with ours.
    """
    asking = sys._getframe(depth)
    imports = asking.f_code.co_code[asking.f_lasti] == opmap["IMPORT_FROM"]
    return ImportError(message) if imports else AttributeError(message)


class Component(Table):
    """A table with a kind: a queue, a transport, an application."""

    __slots__ = ()

    kind: ClassVar[str]

    def to_dict(self) -> dict[str, toml.Value]:
        """As in a scenario file."""
        content = super().to_dict()
        first: dict[str, toml.Value] = {"kind": self.kind}
        first |= {key: value for key, value in content.items() if key in ("preset", "profile")}
        return first | content


class Queue(Component):
    """A queue discipline with its parameters; see :mod:`sojourn.queues`."""

    __slots__ = ()


class _Chosen(Component):
    """An entry that is known only at run time, with some of its parameters set."""

    __slots__ = ("chosen", "settings")

    def __init__(self, kind: str, settings: Mapping[str, object]) -> None:
        self.chosen: str = kind
        self.settings: dict[str, object] = dict(settings)

    def to_dict(self) -> dict[str, toml.Value]:
        """As in a scenario file."""
        return {"kind": self.chosen, **{name: plain(value) for name, value in self.settings.items()}}

    def __repr__(self) -> str:
        return f"<{self.chosen}: {self.settings}>"


class ChosenQueue(_Chosen, Queue):
    """A queue of a user's own with its parameters."""

    __slots__ = ()


class Named:
    """Base of the classes of users, which are in scenarios under their names."""

    name: ClassVar[str]


class Transport(Component):
    """A sender and its receiver; see :mod:`sojourn.transports`."""

    __slots__ = ()


class Control(Component):
    """A congestion control law; see :mod:`sojourn.transports`."""

    __slots__ = ()


class ChosenControl(_Chosen, Control):
    """A window law of a user's own with its parameters."""

    __slots__ = ()


class App(Component):
    """The application of a sender; see :mod:`sojourn.apps`."""

    __slots__ = ()


class Loss(Component):
    """Which packets are corrupted on a link; see :mod:`sojourn.losses`."""

    __slots__ = ()


def plain(value: object) -> toml.Value:
    """Components as tables, everything else as it is."""
    if isinstance(value, Table):
        return value.to_dict()
    if isinstance(value, type) and issubclass(value, Named):
        return value.name
    if isinstance(value, dict):
        return {str(name): plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"a {type(value).__name__} cannot be in a scenario: {value!r}")


CARRIERS: list[Callable[[Mapping[str, Any]], Callable[[], None] | None]] = []
"""Carriers of users' classes that go to another process with a scenario. Each gets the resolved scenario, and returns a
function that registers its classes there, if there are any. :mod:`sojourn.own` enters itself."""
