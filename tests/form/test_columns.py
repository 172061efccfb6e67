"""No Python of the package infers something about a column from how its name begins or ends."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from sojourn._rooms._base.registry import read_registry

PACKAGE = Path(__file__).parents[2] / "python" / "sojourn"
ASKS = {"startswith", "endswith", "removeprefix", "removesuffix", "partition", "rpartition", "split", "rsplit"}
OF_COLUMNS = ("column", "metric")
"""How variables end that hold the name of a column."""


def parts_of_names() -> frozenset[str]:
    """How the names of several columns begin or end, at an underscore: ``_ms``, ``sojourn_``; and words of shares."""
    names = {column["name"] for table in read_registry()["tables"] for column in table["metrics"]}
    found = Counter()
    for words in (name.split("_") for name in names):
        found.update("_".join(words[:place]) + "_" for place in range(1, len(words)))
        found.update("_" + "_".join(words[place:]) for place in range(1, len(words)))
    return frozenset(part for part, times in found.items() if times > 1) | {"ratio", "fraction", "index"}


def asked(tree: ast.Module) -> list[tuple[int, str]]:
    """Line and text of each question about the name of a column: by a part of one, or of a variable that holds one."""
    constants = {
        target.id: value
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and (value := node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    parts, found = parts_of_names(), []
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ASKS):
            continue
        given = [constants.get(one.id, one) if isinstance(one, ast.Name) else one for one in node.args]
        texts = {one.value for arg in given for one in ast.walk(arg) if isinstance(one, ast.Constant)}
        if texts & parts or ast.unparse(node.func.value).endswith(OF_COLUMNS):
            found.append((node.lineno, ast.unparse(node)))
    return found


def test_no_file_asks_how_the_name_of_a_column_begins_or_ends():
    files = sorted(PACKAGE.rglob("*.py"))
    assert len(files) > 200
    found = [
        f"{file.relative_to(PACKAGE)}:{line}: {text}"
        for file in files
        for line, text in asked(ast.parse(file.read_text()))
    ]
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        'name.endswith(("_ratio", "_fraction"))',
        'name.removesuffix("_ms")',
        'UNITS = {"_bps": 1e6}\nname.endswith(UNITS)',
        'SHARES = ("ratio", "utilisation")\nname.endswith(SHARES)',
        'name.startswith("sojourn_")',
        "self.metric.rpartition(mark)",
        'column.split("_")',
    ],
)
def test_such_questions_are_found(text):
    assert asked(ast.parse(text)) != []


def test_other_questions_are_not():
    assert asked(ast.parse('path.name.endswith(".toml") or kind.startswith("drop") or name.removeprefix("sch_")')) == []
