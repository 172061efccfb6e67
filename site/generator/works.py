"""A page for each reproduced work: its subject, its experiments, and the results of its last full run."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from sojourn._rooms.works import left_out, markdown, scoreboard, scores

from . import figures, stage

ROOT = Path(__file__).resolve().parents[2]
WORKS = ROOT / "python" / "sojourn" / "_papers"

TEXT = """Five works compare queues. Sojourn repeats their experiments and judges each claim: it *holds*, it *fails*, or the runs leave it
*undecided*. A claim that fails is a result. Each page says what the work compares, where it is silent and what was taken instead, and what
the last full run found. The [scoreboard](scoreboard.md) counts all of it and says why each claim fails.

A report of your own, with all tables and plots, takes minutes:

```console
$ sojourn reproduce haider2005 --quick --report haider2005.html
```"""

EMPTY = "An empty cell means that the reading leaves the number as it is, or that the claim has no meaning under it."


def write(folder: Path, reports: Path, *, quick: bool = False) -> None:
    """The page of each work, and the one that leads to them. The works' reports that are in `reports` come along.

    With `quick` each work has the pages of a few of its figures.
    """
    folder.mkdir(parents=True, exist_ok=True)
    keys = sorted(path.parent.name for path in WORKS.glob("*/work.toml"))
    titles, names = {}, ["scoreboard", *keys]
    stage.write(scoreboard.page(), ROOT / "docs" / "reproduction.md", folder.parent, "works/scoreboard.md")
    for key in keys:
        readme = WORKS / key / "README.md"
        text = readme.read_text(encoding="utf-8")
        if found := scores.last(WORKS / key):
            text += f"\n## Each claim with its verdicts\n\n{EMPTY}\n\n{markdown.verdicts(found)}"
        if without := left_out.read(WORKS / key):
            text += f"\n## {left_out.HEADING}\n\n{left_out.markdown(without)}\n"
        stage.write(text, readme, folder.parent, f"works/{key}.md")
        for kind in ("witness", "search"):
            record = WORKS / key / "record" / f"{kind}.md"
            if record.exists():
                stage.put(record, folder.parent, f"works/{key}-{kind}.md")
                names.append(f"{key}-{kind}")
        laid = folder / f"{key}.md"
        # A claim is a sentence: its column is not to be the narrowest. See site.css.
        tables = re.sub(
            r"^(\| claim .*\n(?:\|.*\n?)+)", r":::{container} claims\n\1:::\n", laid.read_text("utf-8"), flags=re.M
        )
        match = re.search(r"^# (.+)$", text, re.M)
        titles[key] = match[1] if match else key
        tables = figures.with_front(tables, WORKS / key)
        if drawn := figures.write(folder, WORKS / key, titles[key].partition(":")[0], quick=quick):
            tables = tables.replace("\n## ", f"\n## Figures and tables\n\n{drawn}\n\n## ", 1)
        laid.write_text(tables, encoding="utf-8")
        report = reports / f"{key}.html"
        if report.exists():
            add(report, laid)
    listed = "\n".join(names)
    listing = "\n".join(f"- [{titles[key]}]({key}.md)" for key in keys)
    (folder / "index.md").write_text(
        f"# Reproduced works\n\n{TEXT}\n\n{listing}\n\n:::{{toctree}}\n:hidden:\n\n{listed}\n:::\n", encoding="utf-8"
    )


def add(report: Path, page: Path) -> None:
    """Take a report along, and put a link to it below the heading of a page."""
    kept = page.parent.parent / "_extra" / "reports"
    kept.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(report, kept / report.name)
    size = report.stat().st_size / 1e6
    link = f'<a class="button" href="../reports/{report.name}">Open the report</a>'
    note = (
        f"\n{link}\n\nThe report has all tables, plots and claims with their evidence, in one page of {size:.1f} MB.\n"
    )
    head, _, rest = page.read_text(encoding="utf-8").partition("\n")
    page.write_text(f"{head}\n{note}{rest}", encoding="utf-8")
