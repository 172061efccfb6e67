"""The pages of evidence: one for each queue and sender, with all that is kept of it."""

from __future__ import annotations

import json
from pathlib import Path

import closed_page
import pytest
import tables
from generator import evidence
from generator.pages import REGISTRY

from sojourn._rooms.catalogue.beside_linux import row_of


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages") / "evidence"
    evidence.write(folder)
    return folder


# For the ends of lines, which `stage.unbroken` puts into tables.
SIGNS = str.maketrans(
    {"\N{NO-BREAK SPACE}": " ", "\N{NON-BREAKING HYPHEN}": "-", "\N{ZERO WIDTH SPACE}": "", "\N{WORD JOINER}": ""}
)


def read(pages: Path, name: str) -> str:
    return (pages / f"{name}.md").read_text(encoding="utf-8").translate(SIGNS)


def all_of(pages: Path, which: str) -> str:
    return "\n".join(read(pages, path.stem) for path in pages.glob(which))


def test_each_queue_and_sender_has_a_page(pages):
    names = [f"queue-{entry['name']}" for entry in REGISTRY["queues"]]
    names += [f"sender-{entry['name']}" for kind in ("transports", "controls") for entry in REGISTRY[kind]]
    names += ["index", "tables"]

    assert sorted(path.stem for path in pages.glob("*.md")) == sorted(names)
    index = read(pages, "index")
    assert [name for name in names[:-2] if f"({name}.md)" not in index] == []


def test_what_is_exact_is_on_the_page(pages):
    for group, kind in (("queues", "queues"), ("senders", "controls"), ("senders", "transports")):
        for entry in REGISTRY[kind]:
            if row := row_of(group, entry["name"]):
                text = read(pages, f"{group.removesuffix('s')}-{entry['name']}")
                assert f"Exact: {row.exact}." in text
                assert row.otherwise == "-" or f"Not as in Linux: {row.otherwise}." in text


def test_each_recording_and_each_setting_of_complete_runs_is_on_a_page(pages):
    text = all_of(pages, "queue-*.md")
    counts = json.loads((tables.EVIDENCE / "linux/recordings/compared.json").read_text(encoding="utf-8"))

    lines = set(text.splitlines())
    assert [row.setting.name for of in closed_page.measured().values() for row in of if row.text not in lines] == []
    assert [name for name in counts["queues"] if f"| {name} | `" not in text] == []
    senders = all_of(pages, "sender-*.md")
    assert [name for name in counts["senders"] if f"| {name} | " not in senders] == []


def plain(text: str) -> str:
    """A table of the site has spaces that do not break."""
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_each_published_row_and_each_kept_table_is_on_a_page(pages):
    text = plain(all_of(pages, "*.md"))
    published = evidence.collected.toml("publications/measured.toml")["rows"]
    assert [row["what"] for row in published if plain(row["what"]) not in text] == []
    files = [file for file in tables.EVIDENCE.rglob("*.toml") if "\ncolumns = " in file.read_text(encoding="utf-8")]

    assert len(files) > 15
    for file in files:
        if file.name == "differ.toml":
            continue  # On the page about Linux.
        _, rows = tables.read(file)
        missing = [row for row in rows if plain(max(row, key=len)) not in text]
        assert missing == [], file
