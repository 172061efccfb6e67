"""Writes the stubs of the classes that the package makes from the registry: ``make build``.

Editors and type checkers read ``queues.pyi``, ``transports.pyi``, ``apps.pyi`` and ``losses.pyi``, beside the modules.
They are in the wheel and not kept with the sources.
"""

from __future__ import annotations

import importlib
import textwrap
from pathlib import Path

from sojourn._rooms.scenario.descriptions import Description
from sojourn._rooms.scenario.kinds import Kinds

__all__ = ["MODULES", "main", "stub"]

MODULES = ("queues", "transports", "apps", "losses")

_PACKAGE = Path(__file__).resolve().parents[1] / "python" / "sojourn"

_HEAD = '''"""{doc}"""

# Made from the registry by `make build`; do not edit.

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from ._rooms.scenario.component import {bases}

__all__ = {names}
'''


def main() -> None:
    """Write the stubs."""
    for name in MODULES:
        (_PACKAGE / f"{name}.pyi").write_text(stub(name), encoding="utf-8")


def stub(name: str) -> str:
    """The stub of a module."""
    module = importlib.import_module(f"sojourn.{name}")
    kinds: Kinds = module._KINDS
    bases = [base.__name__ for base in kinds.bases.values()]
    head = _HEAD.format(doc=(module.__doc__ or "").partition("\n")[0], bases=", ".join(bases), names=kinds.names)
    return "\n\n".join([head, *map(_class, kinds.descriptions)])


def _class(described: Description) -> str:
    kind = ['kind: ClassVar[str] = "' + described.kind + '"'] if described.kind else []
    fields = [f"{name}: {kind} | None = None" for name, kind in described.fields.items()]
    body = "\n".join([f'r"""{described.doc}\n"""', *kind, *fields])
    head = "@dataclass(frozen=True, kw_only=True, repr=False)\n"
    return f"{head}class {described.name}({', '.join(described.bases)}):\n{textwrap.indent(body, '    ')}\n"


if __name__ == "__main__":
    main()
