"""Files of the core import in no circle, and rooms from those above them; the files that docs/design.md names exist."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from .rust_imports import Imports, Module, circles

ROOT = Path(__file__).resolve().parents[2]


@cache
def imports() -> dict[Module, set[Module]]:
    """Of each file of the core those from which it imports."""
    return Imports(ROOT / "crates" / "sojourn" / "src").edges()


def name(module: Module) -> str:
    return "/".join(module) or "lib"


def test_files_import_in_no_circle():
    assert [sorted(map(name, circle)) for circle in circles(imports())] == []


def rooms() -> list[list[str]]:
    """The rooms by the table of docs/design.md, from top to bottom: what is in each, as paths."""
    design = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    table = design.split("| room | what is in it |\n")[1].split("\n\n")[0]
    cells = [row.split("|")[1] for row in table.splitlines()[1:]]
    return [[path.removesuffix(".rs").strip("/") for path in re.findall(r"`([a-z_/.]+)`", cell)] for cell in cells]


def test_no_room_imports_from_one_below():
    where = {tuple(path.split("/")): row for row, paths in enumerate(rooms()) for path in paths}

    def room(module: Module) -> int | None:
        return next((where[module[:n]] for n in range(len(module), 0, -1) if module[:n] in where), None)

    edges = imports()
    below = [
        f"{name(module)} imports {name(other)}"
        for module, others in edges.items()
        for other in others
        if (here := room(module)) is not None and (there := room(other)) is not None and there > here
    ]

    assert [name(module) for module in edges if module and room(module) is None] == []
    assert below == []


def test_the_files_that_the_design_names_are_there():
    design = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    table = design.split("| where is ... | file |\n")[1].split("\n\n")[0]
    source = ROOT / "crates" / "sojourn" / "src"
    missing = []
    for row in table.splitlines()[1:]:
        paths = re.findall(r"`([a-z0-9_/]+(?:/|\.rs))`", row.split("|")[2])
        # What follows the first path of a row may stand in that one's folder.
        folder = source / (paths[0] if paths[0].endswith("/") else paths[0].rpartition("/")[0])
        missing += [path for path in paths if not (source / path).exists() and not (folder / path).exists()]

    assert missing == []


def test_a_circle_is_found_through_names_that_a_module_passes_on(tmp_path):
    texts = {
        "lib.rs": "pub mod hall; pub mod shed;",
        "hall/mod.rs": "pub mod door;\npub use door::Door;\n#[cfg(test)]\nmod tests { use crate::shed::Tool; }",
        "hall/door.rs": "// crate::lock::Key\nuse crate::shed::Tool as Key;\npub struct Door(Key);",
        "shed.rs": "use crate::hall::{self, Door};\npub struct Tool;\nfn of(_: Door) { hall::door::close() }",
    }
    for path, text in texts.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")

    assert circles(Imports(tmp_path).edges()) == [{("hall", "door"), ("shed",)}]
