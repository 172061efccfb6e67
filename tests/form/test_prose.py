"""Pages and texts for readers are written in plain sentences: some habits that hide the subject do not come back."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sojourn import _core

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "sojourn"
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "site/pages/**/*.md", "examples/*/*.md", "python/sojourn/_papers/*/README.md")
    for path in ROOT.glob(pattern)
)

HABITS = {
    "begin with the thing itself, not with 'What ...'": r"(?:^|(?<=[.;:] )|(?<=\| ))What [^.?!|]*[.:]",
    "begin with the thing, not with 'Not counted is what ...'": r"(?:^|(?<=[.;:] ))Not \w+ (?:is|are) what\b",
    "write 'is', not 'stands'": r"\bstands?\b(?! for| still)",
    "write 'as in X', not 'as X has it'": r"\bas [\w`' -]{1,40} (?:has|have) it\b",
    "write 'is not available', not 'could not be had'": r"\b(?:to be|be) had\b",
    "give the number a name, not 'so many'": r"\b(?:[Oo]f|one in) so (?:many|much)\b",
}


def sentences(path: Path) -> str:
    """The prose of a page: without code, commands and comments; each paragraph and each cell in a line."""
    text = re.sub(r"```.*?```|<!--.*?-->", "", path.read_text(encoding="utf-8"), flags=re.S)
    text = re.sub(r"`[^`\n]*`", "code", text)
    lines = [line for line in text.splitlines() if not line.startswith(("#", "    ", "%"))]
    return "\n".join(" ".join(block.split()) for block in "\n".join(lines).split("\n\n"))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_old_habits_stay_away(path):
    prose = sentences(path)

    found = [f"{advice}: {match[0][:80]}" for advice, habit in HABITS.items() for match in re.finditer(habit, prose)]

    assert found == []


def test_pages_are_for_reading():
    words = {path.name: len(path.read_text(encoding="utf-8").split()) for path in (ROOT / "docs").glob("*.md")}

    assert sum(words.values()) <= 45_000, "tables that a command writes are for evidence/"
    assert {name: count for name, count in words.items() if count > 5_000} == {}, "a page has one reader and one job"


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Docstrings, messages and help texts of a module, each with its line."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, " ".join(re.sub(r"`[^`]*`", "code", node.value).split())


ROOMS = sorted(
    {f"python/sojourn/{path.relative_to(PACKAGE).parts[0]}" for path in PACKAGE.rglob("*.py")}
    | {f"python/sojourn/_rooms/{path.name}" for path in (PACKAGE / "_rooms").iterdir() if path.is_dir()}
    | {"site"}
)
ROOMS.remove("python/sojourn/_rooms")


@pytest.mark.parametrize("room", ROOMS)
def test_old_habits_stay_away_from_texts_of_modules(room):
    files = [ROOT / room] if room.endswith(".py") else sorted((ROOT / room).rglob("*.py"))

    found = [
        f"{path.relative_to(ROOT)}:{line}: {advice}: {match[0][:80]}"
        for path in files
        for line, text in texts(path)
        for advice, habit in HABITS.items()
        for match in re.finditer(habit, text)
    ]

    assert found == []


def words(value: object) -> Iterator[str]:
    """All texts in a value that was JSON."""
    if isinstance(value, str):
        yield " ".join(re.sub(r"`[^`]*`", "code", value).split())
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from words(one)


def test_old_habits_stay_away_from_descriptions_of_parameters():
    found = {
        f"{advice}: {text}"
        for text in words(json.loads(_core.registry()))
        for advice, habit in HABITS.items()
        if re.search(habit, text)
    }

    assert found == set()


def test_old_habits_stay_away_from_texts_of_works():
    found = [
        f"{path.relative_to(PACKAGE)}: {advice}: {match[0][:80]}"
        for path in sorted((PACKAGE / "_papers").rglob("*.toml"))
        for text in words(tomllib.loads(path.read_text(encoding="utf-8")))
        for advice, habit in HABITS.items()
        for match in re.finditer(habit, text)
    ]

    assert found == []


@pytest.mark.parametrize(
    "old",
    [
        "What is kept stays whole.",
        "Not counted is what cannot differ.",
        "The law stands in a file.",
        "a clock, as Linux has it",
        "it could not be had",
    ],
)
def test_the_habits_are_found(old, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"A page. {old}\n", encoding="utf-8")

    assert any(re.search(habit, sentences(page)) for habit in HABITS.values())


def test_questions_and_other_uses_of_the_words_are_no_habits(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("What does it cost? CE stands for congestion experienced. The clock stands still.\n")

    assert not any(re.search(habit, sentences(page)) for habit in HABITS.values())
