"""Files beside a file of a user's that it imports: they decide, too, so that they count for the hash of its classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib.machinery import PathFinder
from pathlib import Path

__all__ = ["texts_beside"]


def texts_beside(file: Path, text: str) -> list[str]:
    """The texts of the modules in the folder of `file` that it imports, and of those that they import, by path.

    Modules that are imported by a name in a string are not found. Installed packages do not count: their folder has
    those of everybody.
    """
    folder = file.resolve().parent
    if {"site-packages", "dist-packages"} & set(folder.parts):
        return []
    found: dict[Path, str] = {file.resolve(): text}
    waiting = [text]
    while waiting:
        for place in _imported(waiting.pop(), folder):
            if place not in found:
                found[place] = place.read_text(encoding="utf-8", errors="replace")
                waiting.append(found[place])
    del found[file.resolve()]
    return [found[place] for place in sorted(found)]


def _imported(text: str, folder: Path) -> Iterator[Path]:
    """The files in the folder that a text imports; of a package all that are in it."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level:
            names |= {(node.module or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    for name in sorted(names):
        spec = PathFinder.find_spec(name, [str(folder)])
        for package in (spec.submodule_search_locations or ()) if spec else ():
            yield from sorted(Path(package).rglob("*.py"))
        if spec and spec.has_location and spec.origin and spec.origin.endswith(".py"):
            yield Path(spec.origin)
