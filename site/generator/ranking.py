"""The page that compares every queue with all others, from the table that ``sojourn evaluate --all`` wrote."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import altair as alt
import polars as pl

from sojourn import plots
from sojourn._rooms.evaluate.page import Row
from sojourn._rooms.evaluate.table import read_table, rows_of
from sojourn._rooms.evaluate.words import figures, sentence
from sojourn._rooms.showing.plots.palette import THEMES

from . import standard
from .pages import REGISTRY, SHAPES, themed

SITE = Path(__file__).resolve().parents[1]
TABLE = SITE / "data" / "queues.json"
SCRIPT = SITE / "ranking.js"
WIDTHS = {"wide": 700, "narrow": 350}

TEXT = """This page asks the same questions of every queue of Sojourn that can work alone at a bottleneck: the questions of RFC 7928, and some of RFC 8033,
RFC 8289 and L4S. All queues have their default parameters, the same traffic, the same buffer and the same {seeds} seeds. Each number is a mean; its 95 %
interval is shown under the pointer and below *all numbers*.

A queue of yours gets the same page beside baselines that you name: `sojourn evaluate my.py:MyQueue --report mine.html`
([how](../guide/evaluate.md)). This command makes the table:

```console
$ sojourn evaluate --all --quick --seeds {seeds} --table site/data/queues.json
```
"""

FRONTIER = """Up and to the left is better: the link carries more, and packets wait less. The line joins the queues that no other one beats in both. Seven
Reno flows share 10 Mbit/s at a round trip of 100 ms (medium congestion, RFC 7928 section 8.2.3). A point may hide others. Queues that use
less than 75 % of the link are not drawn."""

HOW = """Each question is a scenario that comes with Sojourn. To run one again for a queue, name its section; `--report` shows the scenario with
every default filled in:

```console
$ sojourn evaluate codel --quick --only 8.2.2
```

*Less* and *more* say which direction is better. Each question has a smallest difference that counts; a smaller one counts as none.
"""

WORDS = """The words *good for* and *bad for* follow from ranks: a queue in the first quarter of all queues is good, and a queue in the last quarter is
bad. A difference that is too small to count does not put one queue before another. If a question has several points (such as
mild, medium and heavy congestion), the mean of the ranks counts, and the number is that of the point nearest to it.
A rank that more than half of the queues share is named last.

Press a column's head to sort by it. Its arrow says which direction is better: ↓ less, ↑ more. *How* explains how a number was made."""

# Sets of columns: criterion, point and measure of each.
SETS: Mapping[str, Sequence[tuple[str, str, str]]] = {
    "Overview": [
        ("rfc7928/8.2.2", "heavy", "wait"),
        ("rfc7928/8.2.2", "heavy", "used"),
        ("rfc7928/9.1", "", "call"),
        ("rfc7928/6.2", "500 ms", "fairness"),
        ("rfc7928/5.3", "more than the link", "tcp"),
    ],
    "Waits": [
        ("rfc7928/5.1.1", "", "wait"),
        ("rfc7928/8.2.2", "heavy", "wait"),
        ("rfc7928/8.2.5", "", "wait"),
        ("rfc7928/8.2.6-slow", "", "wait"),
        ("rfc8033/4.2", "heavy", "tail"),
    ],
    "The link": [
        ("rfc7928/5.1.1", "", "goodput"),
        ("rfc7928/8.2.2", "mild", "used"),
        ("rfc7928/9.2", "", "goodput"),
        ("rfc7928/8.2.6-slow", "", "used"),
        ("rfc7928/12.2", "10 Mbit/s, 300 ms", "used"),
    ],
    "Losses": [
        ("rfc7928/8.2.2", "heavy", "loss"),
        ("rfc7928/7.2", "", "burst"),
        ("rfc7928/9.1", "", "call_loss"),
        ("rfc7928/4.5", "", "loss"),
        ("rfc7928/4.5", "", "marks"),
    ],
    "Sharing": [
        ("rfc7928/6.2", "5 ms", "fairness"),
        ("rfc7928/6.2", "500 ms", "fairness"),
        ("rfc7928/5.3", "half the link", "tcp"),
        ("rfc7928/10.2", "", "share"),
        ("l4s/coexistence", "20 ms", "fairness"),
    ],
    "Transfers": [
        ("rfc7928/5.1.2", "", "iw10"),
        ("rfc7928/7.2", "", "web"),
        ("rfc7928/9.1", "", "web"),
        ("rfc7928/9.2", "", "web"),
    ],
}


def write(folder: Path) -> None:
    """The page and its pictures; nothing where there is no table."""
    folder.mkdir(parents=True)
    table = read_table(TABLE)
    rows = rows_of(table)
    draw(rows, folder)
    parts = [
        "---\nhide-toc: true\n---",
        "# All queues, measured",
        TEXT.format(seeds=len(table["seeds"])),
        "## The frontier",
        FRONTIER,
        themed("frontier", "Link used against the wait of all queues, with the frontier"),
        "## Every queue",
        WORDS,
        raw(controls(rows) + listing(table, rows)),
        "## How each number was made",
        HOW,
        *questions(table),
        left_out(table),
        newer(table),
        raw(data(table, rows)),
    ]
    (folder / "index.md").write_text("\n\n".join(part for part in parts if part) + "\n", encoding="utf-8")


def newer(table: Mapping[str, Any]) -> str:
    """The queues that came after the table was made."""
    names = {one["name"] for one in REGISTRY["queues"]} - {*table["queues"], *table["refused"]}
    listed = ", ".join(f"`{name}`" for name in sorted(names))
    return f"These queues are newer than the table, and the next one has them: {listed}." if names else ""


def raw(html: str) -> str:
    """HTML as it is."""
    return f"```{{raw}} html\n{html}\n```"


def draw(rows: Sequence[Row], folder: Path) -> None:
    """One picture for each theme and shape."""
    chart = {shape: frontier(rows, narrow=shape == "narrow") for shape in SHAPES}
    for theme in THEMES:
        for shape in SHAPES:
            plots.save(chart[shape], folder / f"frontier-{theme}-{shape}.svg", theme=theme, width=WIDTHS[shape])


def points(rows: Sequence[Row]) -> pl.DataFrame:
    """Wait and use of each queue under medium congestion, and whether another beats it in both."""
    known = {row.measure.name: row for row in rows if (row.criterion.key, row.point) == ("rfc7928/8.2.2", "medium")}
    wait, used = known["wait"], known["used"]
    found = [(one, wait.mean(one), used.mean(one)) for one in wait.values]
    found = [(one, *both) for one, *both in found if all(map(math.isfinite, both)) and both[0] > 0.0]
    return pl.DataFrame(
        [
            {
                "queue": one,
                "wait": x,
                "used": y,
                "first": not any(a <= x and b >= y and (a, b) != (x, y) for _, a, b in found),
            }
            for one, x, y in found
        ]
    ).sort("wait", "used")


LEAST_USED = 75.0
"""In percent: queues with a lower utilisation are not drawn."""
NAMED = ("fifo", "red", "codel", "fq_codel", "pie", "cake")
WAITS = (5, 10, 20, 50, 100, 200, 500, 1000)
USES = (75, 80, 85, 90, 95, 100)
PLACES: Sequence[Mapping[str, Any]] = ({"align": "right", "dx": -6, "dy": -8}, {"align": "left", "dx": 6, "dy": 9})


def frontier(rows: Sequence[Row], *, narrow: bool) -> alt.LayerChart:
    """The chart."""
    frame = points(rows).filter(pl.col("used") >= LEAST_USED)
    first = frame.filter("first")
    waits = alt.Scale(type="log", nice=False, padding=14)
    x = alt.X("wait:Q", scale=waits, title="wait, p95 (ms)").axis(grid=False, values=WAITS, tickCount=len(WAITS))
    # Above a full link there is room for names.
    y = alt.Y("used:Q", scale=alt.Scale(domain=[LEAST_USED, 103.0]), title="link used (%)").axis(
        values=USES, tickCount=len(USES)
    )
    dots = alt.Chart(frame).mark_point(filled=True, size=36, opacity=0.45).encode(x=x, y=y)
    line = alt.Chart(first).mark_line(interpolate="step-after", strokeWidth=2).encode(x=x, y=y)
    edge = alt.Chart(first).mark_point(filled=True, size=60, opacity=1.0).encode(x=x, y=y)
    named = alt.Chart(frame.filter(pl.col("queue").is_in(NAMED) & ~pl.col("first")))
    usual = named.mark_point(filled=True, size=60, opacity=1.0).encode(x=x, y=y)
    # Nothing is above the frontier, so its names are there; those of the others are below.
    texts = [
        alt.Chart(pl.DataFrame(shown))
        .mark_text(style="ink", strokeWidth=0, fontSize=11, **where)
        .encode(x=x, y=y, text="queue:N")
        for shown, where in zip(_apart(frame, narrow=narrow), PLACES, strict=True)
        if shown
    ]
    title = "Link used against the wait, medium congestion"
    return alt.layer(line, dots, edge, usual, *texts).properties(title=title, height=300 if narrow else 340)


def _apart(frame: pl.DataFrame, *, narrow: bool) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The points that get a name, on the frontier and below it: names side by side would cover each other."""
    sides: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    # The least ratio of the waits of two points that carry about the same.
    least = math.log(2.6 if narrow else 1.55)
    for one in sorted(
        frame.iter_rows(named=True), key=lambda row: NAMED.index(row["queue"]) if row["queue"] in NAMED else len(NAMED)
    ):
        side = sides[not one["first"]]
        if (one["first"] or one["queue"] in NAMED) and all(
            abs(math.log(one["wait"] / other["wait"])) > least or abs(one["used"] - other["used"]) > 1.3
            for other in side
        ):
            side.append(one)
    return sides


def controls(rows: Sequence[Row]) -> str:
    """The controls that choose columns and rows."""
    sets = "".join(f'<option value="{escape(name)}">{escape(name)}</option>' for name in (*SETS, "Cost"))
    every: dict[str, str] = {}
    for row in rows:
        every.setdefault(row.criterion.key, f"{row.document.document} {row.criterion.section}: {row.criterion.title}")
    questions = "".join(f'<option value="{escape(key)}">{escape(name)}</option>' for key, name in every.items())
    goods = "".join(
        f'<option value="{escape(good)}">{escape(good)}</option>'
        for good in dict.fromkeys(row.measure.good for row in rows if row.measure.good)
    )
    return f"""<form class="ranking-tools" hidden>
<label>Columns <select name="columns"><optgroup label="Sets">{sets}</optgroup><optgroup label="Questions">{questions}</optgroup></select></label>
<label>Good for <select name="good"><option value="">anything</option>{goods}</select></label>
<label>Name <input name="name" type="search" placeholder="red, codel ..." size="12"></label>
<output class="ranking-count"></output>
</form>"""


def listing(table: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """The table without a script: the first set of columns."""
    titles = {entry["name"]: entry["title"] for entry in REGISTRY["queues"]}
    chosen = [row for wanted in SETS["Overview"] for row in rows if _place(row) == wanted]
    heads = "".join(f'<th scope="col" class="n">{escape(head(row))}</th>' for row in chosen)
    body = []
    for label in table["queues"]:
        cells = "".join(
            f'<td class="n" data-head="{escape(head(row))}">{figures(row.mean(label))}</td>' for row in chosen
        )
        title = titles.get(label, label)
        body.append(
            f'<tr id="q-{label}"><th scope="row"><a href="../queues/{label}.html" title="{escape(title)}">{_broken(label)}</a>'
            f'<a class="headerlink" href="#q-{label}" title="Link to this row">#</a></th>'
            f'{cells}<td class="words">{escape(_words(rows, label))}</td></tr>'
        )
    return (
        '<div class="ranking-scroll"><table class="ranking"><thead><tr><th scope="col">queue</th>'
        f'{heads}<th scope="col">what it is good and bad for</th></tr></thead><tbody>{"".join(body)}</tbody></table></div>'
    )


def _broken(label: str) -> str:
    return escape(label).replace("_", "_<wbr>")


def _words(rows: Sequence[Row], label: str) -> str:
    text = sentence(rows, label)
    own = (
        f" It is made for senders of its own ({standard.SENDERS[label]}), which are not here."
        if label in standard.SENDERS
        else ""
    )
    return f"{text[0].upper()}{text[1:]}.{own}"


def head(row: Row) -> str:
    """A column's head: the number, its point and its unit."""
    unit = f" ({row.measure.unit})" if row.measure.unit else ""
    point = f", {row.point}" if row.point else ""
    return f"{row.measure.label}{point}{unit}"


def _place(row: Row) -> tuple[str, str, str]:
    return row.criterion.key, row.point, row.measure.name


def questions(table: Mapping[str, Any]) -> list[str]:
    """Every question with its numbers."""
    found = []
    for document in table["documents"]:
        found.append(f"### {document['document']}: {document['title']}")
        for one in document["criteria"]:
            points = f" Points: {'; '.join(one['points'])}." if one["points"] != [""] else ""
            numbers = "; ".join(
                f"{measure['label']}{_in(measure['unit'])} (section {measure['section']}{_better(measure)})"
                for measure in one["measures"]
            )
            anchor = "how-" + one["key"].replace("/", "-").replace(".", "-")
            found.append(f"({anchor})=\n**{one['section']} {one['title']}.** {one['asks']}{points} Numbers: {numbers}.")
        if document["left"]:
            left = "; ".join(f"{section}, {reason}" for section, reason in document["left"].items())
            found.append(f"Not asked: {left}.")
    return found


def _in(unit: str) -> str:
    return f" in {unit}" if unit else ""


def _better(measure: Mapping[str, Any]) -> str:
    if not measure["better"]:
        return ""
    return f", {measure['better']} is better, least difference {measure['least']:g}"


def left_out(table: Mapping[str, Any]) -> str:
    """Queues that cannot work alone at a bottleneck."""
    if not table["refused"]:
        return ""
    rows = "\n".join(f"- `{label}`: {reason}" for label, reason in table["refused"].items())
    return f"### Queues that are not here\n\nWith their default parameters they cannot work at the bottleneck of a question:\n\n{rows}"


def data(table: Mapping[str, Any], rows: Sequence[Row]) -> str:
    """The data of the script, and the script."""
    content = {
        "sets": {name: [list(one) for one in chosen] for name, chosen in SETS.items()},
        "rows": [
            {
                "key": row.criterion.key,
                "place": list(_place(row)),
                "head": head(row),
                "question": f"{row.document.document} {row.criterion.section}: {row.criterion.title}",
                "section": row.measure.section,
                "better": row.measure.better,
                "least": row.measure.least,
                "good": row.measure.good,
            }
            for row in rows
        ],
        "queues": table["queues"],
        "costs": table["costs"],
    }
    packed = json.dumps(content, separators=(",", ":")).replace("</", "<\\/")
    script = SCRIPT.read_text(encoding="utf-8")
    return f'<script type="application/json" id="ranking-data">{packed}</script>\n<script>\n{script}</script>'
