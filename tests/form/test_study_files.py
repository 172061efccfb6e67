"""A file of experiments has the name of its experiment, lines that fit on a screen, and claims of few keys."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

PAPERS = Path(__file__).resolve().parents[2] / "python" / "sojourn" / "_papers"
COLUMNS = 120
KEYS = 12
"""The greatest number of keys of a claim."""


def studies() -> list[Path]:
    """The study files of all works."""
    return sorted(PAPERS.glob("*/experiments/*.toml"))


def test_study_files_are_found():
    assert len(studies()) > 90


@pytest.mark.parametrize("path", studies(), ids=lambda path: f"{path.parents[1].name}/{path.name}")
def test_study_file_is_in_form(path):
    text = path.read_text(encoding="utf-8")
    content = tomllib.loads(text)
    parts = content.get("part", [])

    assert content["name"] == path.stem
    assert all(one["name"].startswith(path.stem.partition("-")[0]) for one in parts), (
        "a part is named by its experiment"
    )
    assert max(map(len, text.splitlines())) <= COLUMNS
    assert max(len(claim) for one in (content, *parts) for claim in [*one.get("claim", []), {}]) <= KEYS
