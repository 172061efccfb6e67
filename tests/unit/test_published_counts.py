"""README says how many rows of the table of published numbers agree; the table in docs/validation.md has them."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def counts():
    """Rows of the table, those near a printed number, those that hold a property, and those that do not agree."""
    page = (ROOT / "docs/validation.md").read_text(encoding="utf-8")
    place = re.search(r"<!-- begin published/compare\.py -->\n(.*?)<!-- end", page, re.DOTALL)
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in place[1].strip().splitlines()[2:]]
    differences = [row[5] for row in rows]
    return (
        len(rows),
        sum(not difference.startswith("**") and difference != "within" for difference in differences),
        differences.count("within"),
        sum(difference.startswith("**") for difference in differences),
    )


def test_readme_counts_the_rows_of_the_table():
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    found = re.search(
        r"(\d+) of (\d+) rows agree within 10 %, (\d+) hold a property that was claimed, (\d+) do not agree", readme
    )
    near, rows, hold, differ = (int(number) for number in found.groups())

    assert (rows, near, hold, differ) == counts()
    assert near + hold + differ == rows
