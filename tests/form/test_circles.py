"""Files import in no circle; crates and rooms use those above them; the files that docs/design.md names exist."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

import pytest

from . import design
from .rust_imports import Imports, Module, circles

ROOT = Path(__file__).resolve().parents[2]
CRATES = sorted(path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml"))
PICTURE = design.picture()


@cache
def imports(crate: str) -> dict[Module, set[Module]]:
    """For each file of a crate, the files from which it imports."""
    return Imports(ROOT / "crates" / crate / "src").edges()


def name(module: Module) -> str:
    return "/".join(module) or "lib"


@pytest.mark.parametrize("crate", CRATES)
def test_files_import_in_no_circle(crate):
    assert [sorted(map(name, circle)) for circle in circles(imports(crate))] == []


def test_the_picture_has_each_crate_below_those_that_it_uses():
    order = [crate.removeprefix("crates/") for crate in PICTURE if crate.startswith("crates/")]
    tables = {
        crate: tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text(encoding="utf-8")) for crate in order
    }

    assert sorted(order) == CRATES
    for number, crate in enumerate(order):
        assert set(tables[crate]["dependencies"]) & set(CRATES) <= set(order[:number])


@pytest.mark.parametrize("crate", design.CORE)
def test_no_room_imports_from_one_below(crate):
    rooms = PICTURE[f"crates/{crate}"]
    where = {tuple(path.split("/")): row for row, paths in enumerate(rooms) for path in paths}

    def room(module: Module) -> int | None:
        return next((where[module[:n]] for n in range(len(module), 0, -1) if module[:n] in where), None)

    edges = imports(crate)
    below = [
        f"{name(module)} imports {name(other)}"
        for module, others in edges.items()
        for other in others
        if (here := room(module)) is not None and (there := room(other)) is not None and there > here
    ]

    assert [name(module) for module in edges if module and room(module) is None] == []
    assert ["/".join(path) for path in where if not any(module[: len(path)] == path for module in edges)] == []
    assert below == []


def test_the_files_that_the_design_names_are_there():
    core, rest = design.where_is()

    assert design.missing(core, *(ROOT / "crates" / crate / "src" for crate in design.CORE)) == []
    assert design.missing(rest, ROOT) == []


def test_a_file_that_is_not_there_is_found(tmp_path):
    (tmp_path / "hall").mkdir()
    (tmp_path / "hall" / "door.rs").touch()

    cells = [
        "`hall/door.rs`; the lock: `lock.rs` there",
        "`hall/`, `door.rs` there",
        "`shed/`",
        "`make shed` writes `out/shed.md`",
    ]

    assert design.missing(cells, tmp_path) == ["lock.rs", "shed/"]


def test_the_picture_is_read():
    lines = [
        "┌─ crates/a    the core",
        "│    units, net/ip    numbers",
        "│    sim/    engine",
        "├─ b    rest",
        "└    cli/    words",
    ]
    text = "\n".join(["```text", *lines, "```", ""])

    assert design.picture(text) == {"crates/a": [["units", "net/ip"], ["sim"]], "b": [["cli"]]}


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
