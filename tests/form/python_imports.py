"""Which file of the Python package imports from which: at the top, in functions and for hints alike."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def modules(package: Path) -> dict[str, Path]:
    """The files of a package by module, ``_rooms.runs.result`` and so on; data files do not count."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        if parts[0] not in ("_papers", "_work"):
            found[".".join(part for part in parts if part != "__init__")] = path
    return found


def edges(package: Path) -> dict[str, set[str]]:
    """The modules of the package that each of its modules imports, wherever in the file that is."""
    known = modules(package)
    return {
        module: {other for other in _imports(package.name, module, path, known) if other != module}
        for module, path in known.items()
    }


def _imports(package: str, module: str, path: Path, known: dict[str, Path]) -> Iterator[str]:
    here = [package, *module.split(".")] if module else [package]
    folder = here if path.name == "__init__.py" else here[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            start = folder[: len(folder) - node.level + 1] if node.level else []
            origin = ".".join([*start, *([node.module] if node.module else [])])
            names = [f"{origin}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            if name.split(".")[0] == package and not name.startswith(f"{package}._core"):
                inside = name[len(package) + 1 :]
                # The name is a module, or it is defined in one.
                yield inside if inside in known else inside.rpartition(".")[0]
