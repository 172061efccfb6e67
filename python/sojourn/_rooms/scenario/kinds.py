"""Classes of the kinds of components: each is made from the compiled registry when it is first used.

:mod:`sojourn.queues`, :mod:`sojourn.transports`, :mod:`sojourn.apps` and :mod:`sojourn.losses` have their classes from
here. Importing such a module makes none, and reads nothing of the registry. Type checkers and editors read the same
descriptions as ``queues.pyi`` and so on, which ``make build`` writes.
"""

from __future__ import annotations

import json
import sys
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ... import _core
from .._base.nearest import nearest_hint
from .component import Component, no_name
from .descriptions import Description, class_name, describe, describe_group, group_name, shared

__all__ = ["Kinds"]


class Kinds:
    """The classes of a module.

    Parameters
    ----------
    module
        The module's name, under which pickles find its classes.
    bases
        The base of each list of the registry whose kinds the module has.
    """

    def __init__(self, module: str, **bases: type[Component]) -> None:
        self.module = module
        self.bases = bases

    @cached_property
    def _places(self) -> dict[str, tuple[str, str]]:
        """List and name in the registry of each class, in the registry's order; groups of shared parameters first."""
        groups = _core.names("groups") if "queues" in self.bases else []
        kinds = {
            class_name(base.__name__, name): (entries, name)
            for entries, base in self.bases.items()
            for name in _core.names(entries)
        }
        return {group_name(name): ("groups", name) for name in groups} | kinds

    def __dir__(self) -> list[str]:
        """All classes, those of shared parameters, too: the result of the module's ``__dir__``."""
        return sorted(self._places)

    @property
    def names(self) -> list[str]:
        """The classes of kinds in the order of the alphabet: the module's ``__all__``."""
        return sorted(name for name, (entries, _) in self._places.items() if entries != "groups")

    @property
    def descriptions(self) -> list[Description]:
        """All classes, each behind its bases."""
        return [self._description(name) for name in self._places]

    def _description(self, name: str) -> Description:
        entries, place = self._places[name]
        entry = _entry(entries, place)
        if entries == "groups":
            return describe_group(self.bases["queues"].__name__, entry)
        groups = {group: _entry("groups", group) for group in shared(entry)}
        return describe(self.bases[entries].__name__, entry, groups)

    def attribute(self, name: str) -> Any:
        """The class of this name, or ``__all__``: the result of the module's ``__getattr__``.

        Raises
        ------
        AttributeError, ImportError
            If there is no such class, with the nearest one.
        """
        if name == "__all__":
            return self.names
        if name not in self._places:
            raise _no_class(self.module, name, self.names)
        # If two threads make the class at once, both get the one that the module has first.
        return vars(sys.modules[self.module]).setdefault(name, self._class(self._description(name)))

    def _class(self, described: Description) -> type[Component]:
        known = {base.__name__: base for base in self.bases.values()}
        bases = tuple(known[name] if name in known else self._known(name) for name in described.bases)
        body: dict[str, Any] = {
            "__module__": self.module,
            "__qualname__": described.name,
            "__doc__": described.doc,
            "__annotations__": {name: f"{kind} | None" for name, kind in described.fields.items()},
            **dict.fromkeys(described.fields),
        }
        if described.kind is not None:
            body["__annotations__"] = {"kind": "ClassVar[str]", **body["__annotations__"]}
            body["kind"] = described.kind
        made = types.new_class(described.name, bases, exec_body=lambda namespace: namespace.update(body))
        return dataclass(frozen=True, kw_only=True, repr=False)(made)

    def _known(self, name: str) -> type[Component]:
        found: type[Component] = getattr(sys.modules[self.module], name)
        return found


def _entry(entries: str, name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads(_core.entry(entries, name))
    return found


def _no_class(module: str, name: str, classes: Sequence[str]) -> AttributeError | ImportError:
    """The error for a class that a module of components does not have: the classes that it has, and the nearest name.

    Called by :meth:`Kinds.attribute`, which the module's ``__getattr__`` calls.
    """
    if name.startswith("__"):
        return AttributeError(f"module {module!r} has no attribute {name!r}")
    from ..catalogue.names import canonical, plain_name

    spelt = {plain_name(one): one for one in classes}
    meant = [spelt[plain] for one in (name, *canonical(name)) if (plain := plain_name(one)) in spelt]
    spelling = plain_name(meant[0]) if meant else plain_name(name)
    hint = nearest_hint(spelling, spelt, shown=lambda plain: repr(spelt[plain]))
    return no_name(f"{module}: there is no class {name!r} here\n  allowed: {', '.join(classes)}{hint}", depth=4)
