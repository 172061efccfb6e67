"""The public names of the package, face by face; run alone it writes them to ``public-names.txt``."""

from __future__ import annotations

import ast
import importlib
import re
import types
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "sojourn"
LIST = Path(__file__).with_name("public-names.txt")
KINDS = ("sojourn.apps", "sojourn.losses", "sojourn.queues", "sojourn.transports")
"""Faces whose classes are made from the registry, which has a list of its own."""

REGISTERS = "sojourn.env"
"""Its import adds a queue and a law to the registry, which other tests would find: it is read as a text."""


def faces() -> list[str]:
    """All modules from which users import."""
    files = [*PACKAGE.glob("*.py"), *(PACKAGE / "models").glob("*.py")]
    parts = [path.relative_to(PACKAGE.parent).with_suffix("").parts for path in files if path.stem != "__main__"]
    return sorted(".".join(part for part in names if part != "__init__") for names in parts)


def public(face: str) -> dict[str, Any]:
    """The public names of a face with their values; the faces that it names are none of them."""
    if face == REGISTERS:
        (names,) = re.findall(r"__all__ = (\[.*?\])", (PACKAGE / "env.py").read_text(encoding="utf-8"), flags=re.S)
        return dict.fromkeys(ast.literal_eval(names))
    module = importlib.import_module(face)
    # A face is imported when it is asked for.
    own = [name for name in module.__all__ if f"{face}.{name}" not in faces()]
    named = {name: getattr(module, name) for name in own}
    return {name: value for name, value in named.items() if not isinstance(value, types.ModuleType)}


def listed() -> list[str]:
    """The paths of all public names, but for classes from the registry, in the order of the alphabet."""
    return sorted(f"{face}.{name}" for face in faces() if face not in KINDS for name in public(face))


if __name__ == "__main__":
    LIST.write_text("\n".join(listed()) + "\n", encoding="utf-8")
