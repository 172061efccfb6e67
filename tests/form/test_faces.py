"""Public names of Python: they are in a list, each has one path and one meaning, and others import nothing else."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from .faces import KINDS, LIST, PACKAGE, ROOT, faces, listed, public

TWO_MEANINGS = {
    **dict.fromkeys(("Avq", "Pi", "Red", "Rem"), "a queue, and the same queue in the fluid model"),
    **dict.fromkeys(("Decbit", "Rcp", "Xcp"), "the queue and the sender of one scheme"),
    "load": "a file of classes, and a work: the verb of its face",
}
"""Names of two things, and the reason."""


def test_public_names_are_those_of_the_list():
    assert listed() == LIST.read_text(encoding="utf-8").split(), "`python tests/form/faces.py` writes the list"


def test_a_public_name_has_one_path():
    paths = defaultdict(list)
    for face in faces():
        for name, value in public(face).items():
            if isinstance(value, type) or callable(value):
                paths[id(value)].append(f"{face}.{name}")

    assert [found for found in paths.values() if len(found) > 1] == []


def test_a_name_has_one_meaning():
    homes = defaultdict(list)
    for face in faces():
        for name in public(face):
            homes[name].append(face)

    assert {name: found for name, found in homes.items() if len(found) > 1 and name not in TWO_MEANINGS} == {}
    assert [name for name in TWO_MEANINGS if len(homes[name]) < 2] == []


@pytest.mark.parametrize("place", ["README.md", "docs", "site/pages", "examples", "papers", "python/sojourn/_work"])
def test_pages_examples_and_works_import_from_faces_alone(place):
    files = [ROOT / place] if place.endswith(".md") else [*(ROOT / place).rglob("*.py"), *(ROOT / place).rglob("*.md")]
    known = {*faces(), "sojourn"}
    found = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in files
        for module in re.findall(r"^\s*(?:from|import) (sojourn[\w.]*)", path.read_text(encoding="utf-8"), flags=re.M)
        if module not in known
    ]

    assert found == []


def test_only_faces_and_data_are_beside_the_rooms():
    data = {"_evaluate", "_lab", "_papers", "_rooms", "_scenarios", "_work", "__pycache__"}

    # Folders that a checkout of other commits has left are empty, or have what Python compiled.
    assert {path.parent.name for path in PACKAGE.glob("*/*.py")} - data == {"models"}
    assert set(KINDS) < set(faces())
