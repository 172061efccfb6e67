"""The tests that a header's table of deviations names are there."""

from __future__ import annotations

import re
from pathlib import Path

CRATES = Path(__file__).resolve().parents[2] / "crates"
# At least two underscores: other words in backquotes are parameters and files.
TEST = re.compile(r"`([a-z0-9]+(?:_[a-z0-9]+){2,})`")


def test_each_deviation_s_test_is_there():
    texts = {path: path.read_text(encoding="utf-8") for path in CRATES.rglob("*.rs")}
    functions = {name for text in texts.values() for name in re.findall(r"\bfn (\w+)", text)}
    named = {
        (path.relative_to(CRATES).as_posix(), name)
        for path, text in texts.items()
        for line in text.splitlines()
        if line.startswith("//! |")
        for name in TEST.findall(line.rstrip(" |").rpartition(" | ")[2])
    }

    assert len(named) > 200
    assert {(path, name) for path, name in named if name not in functions} == set()
