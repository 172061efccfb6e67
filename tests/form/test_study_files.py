"""An experiment is a study file and its claims in at most 60 lines: what several share is in ``parts.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

PAPERS = Path(__file__).resolve().parents[2] / "python" / "sojourn" / "_papers"
MOST = 60


def studies() -> list[Path]:
    """The files of experiments: others are scenarios, printed numbers, verdicts and texts."""
    contents = {path: tomllib.loads(path.read_text(encoding="utf-8")) for path in sorted(PAPERS.glob("*/*.toml"))}
    return [path for path, content in contents.items() if "name" in content and {"seeds", "continues"} & set(content)]


def test_study_files_are_found():
    assert len(studies()) > 140


@pytest.mark.parametrize("path", studies(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_study_file_is_short(path):
    lines = path.read_text(encoding="utf-8").count("\n")

    assert lines <= MOST, f"{lines} lines: put what other files have too into {path.parent.name}/parts.toml"
