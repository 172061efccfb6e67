"""Doc comments of Rust are written in plain sentences: some habits that hide the subject do not come back."""

from __future__ import annotations

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


def test_old_habits_stay_away():
    paths = sorted((ROOT / "crates").rglob("*.rs")) + sorted((ROOT / "examples").rglob("*.rs"))
    wrong = [
        f"{path.relative_to(ROOT)}, {habit}" for path in paths for habit in found(path.read_text(encoding="utf-8"))
    ]

    assert wrong == []


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


def test_code_and_other_uses_of_the_words_are_no_habits():
    assert (
        found(
            "// What follows is a remark.\n/// It is known what Ce stands for. The clock stands still.\nlet heed = 1;"
        )
        == []
    )
