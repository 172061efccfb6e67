"""A release sets version and date wherever they are, and begins only where it can."""

from __future__ import annotations

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "release.py"
FILES = ("Cargo.toml", "CITATION.cff", "CHANGELOG.md", "docs/results-changed.md")


def pending() -> str:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    return text.partition("\n## ")[2].partition(", in preparation")[0]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_the_version_and_the_date_are_set_in_every_file_and_the_next_is_opened(copy: Path):
    tool = runpy.run_path(str(TOOL))
    version = pending()

    tool["write_version"](copy, version, "2027-01-31")
    tool["edit"](copy / "CITATION.cff", "2027-01-31", "2027-02-01")
    tool["open_next"](copy, version)

    texts = {name: (copy / name).read_text(encoding="utf-8") for name in FILES}
    major, minor, _ = version.split(".")
    for page in ("CHANGELOG.md", "docs/results-changed.md"):
        headings = [line for line in texts[page].splitlines() if line.startswith("## ")]
        assert headings[:2] == [f"## {major}.{int(minor) + 1}.0, in preparation", f"## {version}, 2027-01-31"]
    assert f'\nversion = "{version}"\n' in texts["Cargo.toml"]
    assert set(re.findall(r'version = "=(.*?)"', texts["Cargo.toml"])) == {version}
    assert f"\nversion: {version}\ndate-released: 2027-02-01\n" in texts["CITATION.cff"]


def test_a_second_release_replaces_the_date(copy: Path):
    tool = runpy.run_path(str(TOOL))
    tool["write_version"](copy, pending(), "2027-01-31")
    for page in ("CHANGELOG.md", "docs/results-changed.md"):
        tool["edit"](copy / page, "(?m)^## ", "## 7.0.0, in preparation\n\n## ")
    tool["write_version"](copy, "7.0.0", "2028-01-31")

    cited = (copy / "CITATION.cff").read_text(encoding="utf-8")
    assert "version: 7.0.0\ndate-released: 2028-01-31\n" in cited
    assert cited.count("date-released") == 1


def test_the_notes_are_the_entries_of_the_version():
    section = runpy.run_path(str(TOOL))["section"]
    text = (
        "# Changelog\n\n## 0.3.0, in preparation\n\n## 0.2.0, 2027-01-31\n\n### Added\n\n- a\n\n## 0.1.0, 2026\n\n- b\n"
    )

    assert section(text, "0.2.0") == "### Added\n\n- a\n"
    assert section(text, "0.1.0") == "- b\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("0.2", "three numbers are expected"),
        ("", "three numbers are expected"),
        ("99.0.0", '"## 99.0.0, in preparation" is expected'),
    ],
)
def test_what_is_missing_is_one_line_and_nothing_is_begun(copy: Path, version: str, said: str):
    tools = copy / "tools"
    tools.mkdir()
    shutil.copy(TOOL, tools)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
        subprocess.run([*git, *command], cwd=copy, check=True)

    done = subprocess.run([sys.executable, tools / "release.py", version], capture_output=True, text=True, check=False)

    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert subprocess.run(["git", "status", "--short"], cwd=copy, capture_output=True, check=True).stdout == b""
