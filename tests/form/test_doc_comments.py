"""Doc comments of Rust, and docstrings of programs beside the package, have no habits that hide the subject."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOC = re.compile(r"\s*//[/!](?P<text>.*)")
HABITS = {
    "begin with the thing itself, not with 'What ...'": r"^ What\b",
    "name the number, such as the argument, not 'so many'": r"\b[Ss]o (?:many|much)\b",
    "write 'reports' or 'reported', not 'tells of'": r"\b(?:[Tt]ells?|[Tt]old) of\b",
    "write 'is', not 'stands'": r"\bstands?\b(?! for| still)",
    "write 'as in X', not 'as X has it'": r"\bas [\w`' -]{1,40} (?:has|have) it\b",
    "write 'uses', not 'heeds'": r"\bheed",
    "write 'not necessary', 'without success'": r"\bin vain\b|\bmade for nothing\b",
    "say the normal state itself, not 'nothing is amiss'": r"\bamiss\b",
    "write 'The time at which ...', not 'When.'": r"^ When\.$",
    "write 'Returns whether ...', not 'says whether'": r"\b[Ss]ays whether\b",
}


def found(text: str) -> list[str]:
    """The habits in the doc comments of a file: line and advice."""
    lines = ((number, DOC.fullmatch(line)) for number, line in enumerate(text.splitlines(), 1))
    return [
        f"line {number}: {advice}"
        for number, doc in lines
        if doc
        for advice, habit in HABITS.items()
        if re.search(habit, doc["text"])
    ]


def test_old_habits_stay_away_from_rust():
    paths = sorted((ROOT / "crates").rglob("*.rs")) + sorted((ROOT / "examples").rglob("*.rs"))
    wrong = [
        f"{path.relative_to(ROOT)}, {habit}" for path in paths for habit in found(path.read_text(encoding="utf-8"))
    ]

    assert wrong == []


def docstrings(text: str) -> str:
    """The docstrings of a module as doc comments, each in a line."""
    nodes = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    texts = (ast.get_docstring(node) for node in ast.walk(ast.parse(text)) if isinstance(node, nodes))
    return "\n".join(f"/// {' '.join(text.split())}" for text in texts if text)


@pytest.mark.parametrize("folder", ["benchmarks", "site", "tools"])
def test_old_habits_stay_away_from_programs(folder):
    wrong = {
        f"{path.relative_to(ROOT)}: {habit.partition(': ')[2]}"
        for path in (ROOT / folder).rglob("*.py")
        for habit in found(docstrings(path.read_text(encoding="utf-8")))
    }

    assert wrong == set()


@pytest.mark.parametrize(
    "old",
    [
        "/// What is remembered.",
        "    //! A window of so many segments.",
        "/// Marks that it tells of.",
        "/// Where a class stands.",
        "/// RED as Linux has it.",
        "/// Whether `delta_b` is heeded.",
        "/// It was sent in vain.",
        "/// Nothing is amiss.",
        "    /// When.",
        "/// Says whether it may.",
    ],
)
def test_the_habits_are_found(old):
    assert len(found(old)) == 1


def test_the_habits_are_found_in_docstrings():
    text = '"""What it costs."""\ndef thin():\n    """Every so many\n    of them."""\n'

    assert len(found(docstrings(text))) == 2


def test_code_and_other_uses_of_the_words_are_no_habits():
    assert (
        found(
            "// What follows is a remark.\n/// It is known what Ce stands for. The clock stands still.\nlet heed = 1;"
        )
        == []
    )
