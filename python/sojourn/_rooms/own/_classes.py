"""Classes of users that are registered: how each declares itself, and its source."""

from __future__ import annotations

import hashlib
import inspect
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, ClassVar

from ... import _core
from .._base.nearest import nearest_hint
from ..catalogue.warnings import NoHookWarning
from ..scenario.component import CARRIERS, Named
from ._imports import texts_beside
from ._params import Param, Size

__all__ = ["LinkInfo", "Own", "carried", "registered", "restore", "sources"]

_CLASSES: dict[tuple[str, str], type[Own]] = {}
"""By ``"queue"`` or ``"control"``, and name."""

_SOURCES: dict[type, str] = {}
"""A hash of the source of each class when it was registered."""

FILES: dict[str, tuple[str, str]] = {}
"""Path and text of each file that was loaded as a plugin, by the name of its module."""


@dataclass(frozen=True, slots=True)
class LinkInfo:
    """The link behind a queue.

    Attributes
    ----------
    rate_bps
        Its rate.
    base_rtt_ns
        Mean round-trip time without queues of the flows through it.
    mean_packet_bytes
        Mean packet size, as the scenario says.
    flows
        Flows that cross it.
    """

    rate_bps: int
    base_rtt_ns: int
    mean_packet_bytes: int
    flows: int


class Own(Named):
    """Common parts of queues and window laws of users."""

    name: ClassVar[str]
    title: ClassVar[str] = ""
    """Its name in the literature."""
    reference: ClassVar[str] = "own"
    """Where it was published."""

    _place: ClassVar[str]
    _hooks: ClassVar[tuple[str, ...]] = ()
    _flags: ClassVar[tuple[str, ...]] = ()

    link: LinkInfo

    def __init_subclass__(cls, *, abstract: bool = False, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if "name" not in cls.__dict__:
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()
        if not abstract:
            register(cls)

    @classmethod
    def _made(cls, values: Mapping[str, Any], link: tuple[int, int, int, int] | None) -> Own:
        """Make an object with these parameters; the core calls it."""
        made = cls.__new__(cls)
        made.__dict__.update(values)
        if link is not None:
            made.link = LinkInfo(*link)
        made.__init__()  # type: ignore[misc]
        return made

    @classmethod
    def parameters(cls) -> dict[str, Param[Any]]:
        """The parameters by name, those of the bases first."""
        found: dict[str, Param[Any]] = {}
        for base in reversed(cls.__mro__):
            found |= {name: value for name, value in vars(base).items() if isinstance(value, Param)}
        return found


def _check_hooks(cls: type[Own], base: type[Own]) -> None:
    """Refuse a method that is meant as a hook and is not one: it would never be called.

    Raises
    ------
    ValueError
        With the hook that has the nearest name.
    """
    hooks = [name for name in dir(base) if name.startswith("on_")]
    plain = {name.replace("_", ""): name for name in hooks}
    for one in cls.__mro__[: cls.__mro__.index(base)]:
        for name, value in vars(one).items():
            flat = name.replace("_", "").lower()
            is_meant = name.lower().startswith("on_") or (flat in plain and not name.startswith("_"))
            if name in hooks or not is_meant or not (callable(value) or isinstance(value, staticmethod | classmethod)):
                continue
            hint = nearest_hint(flat, plain, shown=plain.__getitem__)
            raise ValueError(
                f"{one.__name__}: there is no hook {name}, and nobody would call it\n"
                f"  allowed: {', '.join(hooks)}; names that begin with on_ are for hooks{hint}"
            )


def _warn_of_nothing(cls: type[Own], base: type[Own]) -> None:
    """Warn that a queue has no hook."""
    hooks = [name for name in dir(base) if name.startswith("on_")]
    if base._place == "queue" and all(getattr(cls, hook) is getattr(base, hook) for hook in hooks):
        warnings.warn(
            f"{cls.__name__} writes no hook: it lets every packet pass, as fifo does\n"
            f"  hint:    write some of {', '.join(hooks)}, or say class {cls.__name__}(..., abstract=True)",
            NoHookWarning,
            stacklevel=4,
        )


def _check_names(cls: type[Own], base: type[Own], names: Iterable[str]) -> None:
    """Refuse a parameter whose name means something else in an instance.

    Raises
    ------
    ValueError
        With the name.
    """
    for name in names:
        if name == "link" or (hasattr(base, name) and not isinstance(getattr(base, name), Param)):
            raise ValueError(
                f"{cls.__name__}: a parameter cannot be called {name}: {base.__name__} has something else of this name"
            )


def register(cls: type[Own]) -> None:
    """Let scenarios name a class; one of the same name gives way."""
    about = inspect.cleandoc(cls.__doc__ or "") if "__doc__" in cls.__dict__ else ""
    parameters = cls.parameters()
    if cls._place == "control" and any(isinstance(value, Size) for value in parameters.values()):
        raise TypeError(f"{cls.__name__}: a window law has no link, so that it has no parameter of the kind Size")
    base: Any = next(base for base in cls.__mro__ if "_hooks" in vars(base))
    _check_names(cls, base, parameters)
    _check_hooks(cls, base)
    declared = {
        "name": cls.name,
        "title": cls.title or cls.__name__,
        "doc": " ".join(about.split("\n\n")[0].split()) or f"{cls.__name__}, written in Python.",
        "reference": cls.reference,
        "params": [value.declared(cls) for value in parameters.values()],
        "probes": list(getattr(cls, "probes", ())),
        "hooks": [hook for hook in base._hooks if getattr(cls, hook) is not getattr(base, hook)],
        "flags": [flag for flag in base._flags if getattr(cls, flag)],
    }
    _core.register(cls._place, cls, declared)
    _CLASSES[cls._place, cls.name] = cls
    _SOURCES[cls] = _hashed(cls)
    forget()
    _warn_of_nothing(cls, base)


def forget() -> None:
    """Clear caches that were computed from the earlier registry."""
    module = sys.modules.get("sojourn._rooms.scenario.scenario")
    if module is not None:
        module.default_queue.cache_clear()
        module.queue_parameters.cache_clear()


def registered() -> dict[str, type[Own]]:
    """The classes that are registered, by name."""
    return {name: cls for (_, name), cls in _CLASSES.items()}


def _named(value: Any) -> Iterator[type[Own]]:
    """The classes that a fully written scenario names."""
    if isinstance(value, dict):
        for place in ("queue", "control"):
            found = _CLASSES.get((place, str(value.get("kind"))))
            if found is not None:
                yield found
        for item in value.values():
            yield from _named(item)
    elif isinstance(value, list):
        for item in value:
            yield from _named(item)


def sources(resolved: Mapping[str, Any]) -> dict[str, str]:
    """A hash of the source of each class that a scenario names, by the name of the class."""
    if not _CLASSES:
        return {}
    return {cls.name: _SOURCES[cls] for cls in _named(resolved)}


Carried = tuple[tuple[str, str, str] | type[Own], ...]
"""Classes on their way to another process: as themselves, or as a plugin's module, path and text."""


def carried(resolved: Mapping[str, Any]) -> Carried:
    """The data that another process needs to read a scenario."""
    if not _CLASSES:
        return ()
    found = dict.fromkeys(_named(resolved))
    return tuple(
        dict.fromkeys((cls.__module__, *FILES[cls.__module__]) if cls.__module__ in FILES else cls for cls in found)
    )


def restore(things: Carried) -> None:
    """Register classes that have come from another process."""
    from ._files import load_text

    for thing in things:
        if isinstance(thing, tuple):
            module, path, text = thing
            if FILES.get(module) != (path, text):
                load_text(module, Path(path), text)
        elif _CLASSES.get((thing._place, thing.name)) is not thing:
            register(thing)


def _carrier(resolved: Mapping[str, Any]) -> Callable[[], None] | None:
    classes = carried(resolved)
    return partial(restore, classes) if classes else None


CARRIERS.append(_carrier)


def _hashed(cls: type) -> str:
    """A hash of the source of a class and its bases: whole files, and those beside them that they import."""
    texts = [_source(base) for base in cls.__mro__ if base.__module__.partition(".")[0] not in ("sojourn", "builtins")]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:20]


def _source(cls: type) -> str:
    if cls.__module__ in FILES:
        file, text = FILES[cls.__module__]
        return "\0".join([text, *texts_beside(Path(file), text)])
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None) or ""
    if file and Path(file).is_file():
        text = Path(file).read_text(encoding="utf-8", errors="replace")
        return "\0".join([text, *texts_beside(Path(file), text)])
    # A notebook, or a console: the code of the functions, and the rest of the class.
    return "\n".join(f"{name}: {_content(value)}" for name, value in sorted(vars(cls).items()))


def _content(value: Any) -> str:
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    if isinstance(value, property):
        return "; ".join(_content(part) for part in (value.fget, value.fset) if part)
    if isinstance(value, FunctionType):
        return f"{_code(value.__code__)} {value.__defaults__!r} {value.__kwdefaults__!r}"
    if isinstance(value, Param):
        return repr(sorted((name, repr(part)) for name, part in vars(value).items()))
    return (
        repr(value)
        if isinstance(value, str | int | float | bool | tuple | list | dict | None)
        else type(value).__name__
    )


def _code(code: CodeType) -> str:
    constants = [_code(part) if isinstance(part, CodeType) else repr(part) for part in code.co_consts]
    return f"{code.co_code.hex()} {constants} {code.co_names} {code.co_varnames}"
