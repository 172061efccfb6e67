"""Rooms of the Python package import only from those above them in the picture of docs/design.md; faces only import."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from . import design
from .python_imports import edges

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "sojourn"


@cache
def imports() -> dict[str, set[str]]:
    """Which module imports which."""
    return edges(PACKAGE)


ROOMS = design.picture()["python/sojourn"]
WHERE = {name: row for row, names in enumerate(ROOMS) for name in names}
KINDS = ("queues", "transports", "apps", "losses")
"""Faces that are rooms as well: their classes are made from the registry."""


def room(module: str) -> int | None:
    return WHERE.get(module.removeprefix("_rooms.").split(".")[0]) if _is_room(module) else None


def _is_room(module: str) -> bool:
    return module.startswith("_rooms.") or module in (*KINDS, "__main__")


def test_every_room_is_there():
    assert [name for name in WHERE if not {name, f"_rooms.{name}"} & set(imports())] == []
    assert [module for module in imports() if module.startswith("_rooms.") and room(module) is None] == []


def test_a_face_only_imports():
    faces = [module for module in imports() if module not in ("", "models", "_rooms") and not _is_room(module)]
    more = [
        f"{module}, line {node.lineno}"
        for module in faces
        for node in ast.parse((PACKAGE / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8")).body[1:]
        if not isinstance(node, ast.ImportFrom) and not ast.unparse(node).startswith("__all__ = ")
    ]

    assert more == []


def test_no_room_imports_from_one_below():
    climbing = {
        f"{module} imports {other or 'the package'}"
        for module, others in imports().items()
        for other in others
        if (here := room(module)) is not None and ((there := room(other)) is None or there > here)
    }

    assert climbing == set(), "import downwards, or ask a room above through _base/door.py"


def test_imports_are_found_wherever_they_are(tmp_path):
    texts = {
        "__init__.py": "",
        "hall/__init__.py": "from .door import Door",
        "hall/door.py": "def shut():\n    from ..shed import Tool\n",
        "shed.py": "if TYPE_CHECKING:\n    from .hall import door\nimport house.hall.door",
    }
    package = tmp_path / "house"
    for path, text in texts.items():
        (package / path).parent.mkdir(parents=True, exist_ok=True)
        (package / path).write_text(text, encoding="utf-8")

    assert edges(package) == {"": set(), "hall": {"hall.door"}, "hall.door": {"shed"}, "shed": {"hall.door"}}
