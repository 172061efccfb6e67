"""Counts the lines of the queues' algorithms by kind, and checks the lengths of lines of Rust: ``make lint``.

A line of ``aqm`` and ``discipline`` in ``sojourn-queues`` and ``sojourn-archive`` outside of tests is one of these:

- *header*: the text at the head of a file, with its purpose, its sources and its deviations;
- *comment*: a doc comment of an item;
- *declaration*: imports, the registry's entry with its presets, parameters and choices, how they are built, probes;
- *blank*: nothing, or a brace alone;
- *law*: everything else, that is the state and the functions that are the algorithm itself.

An algorithm is worth reading for its law. ``LEAST_LAW`` is the least share of law in law and declarations, of all files
together.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "crates"
ROOMS = ("aqm", "discipline")
LEAST_LAW = 0.50
LONGEST = 140

# How a declaration begins; it ends with its last bracket.
DECLARATION = re.compile(
    r"\s*(?:pub(?:\(\w+\))? )?(?:"
    r"use |mod |static ENTRY|const \w+: (?:Preset|&\[Setting\]|&\[&str\]|&\[\(&str)"
    r"|params! |choices! |probes! |macro_rules! |red_hooks!|(?:red|adaptive|hinted|hbf)_params! "
    r"|impl (?:\w+ for )?Params |impl Settings |fn build\()"
)


def main() -> int:
    """Print the counts and the faults."""
    total: Counter[str] = Counter()
    for path in sources():
        total += count(path)
    lines, counted = sum(total.values()), total["law"] + total["declaration"]
    shares = ", ".join(
        f"{kind} {total[kind]} ({total[kind] / lines:.0%})"
        for kind in ("law", "declaration", "comment", "header", "blank")
    )
    share = total["law"] / counted
    print(f"queues: {lines} lines: {shares}; law is {share:.1%} of law and declarations")
    long = [place for path in SOURCES.rglob("*.rs") for place in too_long(path)]
    for place in long:
        print(f"{place}: more than {LONGEST} columns")
    if share < LEAST_LAW:
        print(f"law is less than {LEAST_LAW:.0%}: declare in groups what several queues share")
    return int(bool(long) or share < LEAST_LAW)


def sources() -> list[Path]:
    """The files of algorithms."""
    rooms = [SOURCES / crate / "src" / room for crate in ("sojourn-queues", "sojourn-archive") for room in ROOMS]
    return sorted(path for room in rooms for path in room.rglob("*.rs") if path.name != "tests.rs")


def count(path: Path) -> Counter[str]:
    """Lines of a file by kind."""
    text = re.split(r"#\[cfg\(test\)\]\n(?:pub\(crate\) )?mod ", path.read_text(encoding="utf-8"), maxsplit=1)[0]
    kinds: list[str] = []
    depth, declared = 0, False
    for line in text.splitlines():
        code = re.sub(r'"(?:[^"\\]|\\.)*"|//.*', "", line)
        if not declared and DECLARATION.match(line):
            declared = True
            take_attributes(kinds)
            depth = 0
        if re.match(r"\s*///", line):
            kinds.append("comment")
        elif declared:
            kinds.append("declaration" if line.strip(" {}();,") else "blank")
            depth += sum(code.count(bracket) for bracket in "({[") - sum(code.count(bracket) for bracket in ")}]")
            declared = depth > 0 or not code.rstrip().endswith((";", "}"))
        elif line.startswith("//!"):
            kinds.append("header")
        elif line.strip(" {}();,"):
            kinds.append("attribute" if re.match(r"\s*#\[", line) else "law")
        else:
            kinds.append("blank")
    return Counter("law" if kind == "attribute" else kind for kind in kinds)


def take_attributes(kinds: list[str]) -> None:
    """Attributes directly above a declaration belong to it."""
    for index in reversed(range(len(kinds))):
        if kinds[index] == "attribute":
            kinds[index] = "declaration"
        elif kinds[index] != "comment":
            return


def too_long(path: Path) -> list[str]:
    """Where a file has lines that are too long; the rows of tables in headers cannot be broken."""
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
    long = [number for number, line in lines if len(line) > LONGEST and not line.startswith("//! |")]
    return [f"{path.relative_to(SOURCES.parent)}:{number}" for number in long]


if __name__ == "__main__":
    sys.exit(main())
