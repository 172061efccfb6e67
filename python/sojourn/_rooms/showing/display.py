"""How scenarios, results and studies look in a notebook."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table as RichTable

    from ..own._check import Conformance
    from ..runs.replay import ReplayResult
    from ..runs.result import Study
    from ..scenario.scenario import Scenario
    from ..sweeps.frontier import Frontier
    from ..sweeps.outcome import Swept

__all__ = [
    "block",
    "conformance_html",
    "frontier_html",
    "replay_html",
    "scenario_html",
    "study_html",
    "swept_html",
    "table",
]

_MOST_ROWS = 20

_NUMBER = "text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding: 0 0.6em"
_HEAD_OF_NUMBERS = "text-align: right; padding: 0 0.6em"
_TEXT = "text-align: left; padding: 0 0.6em"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], *, numbers: bool = False, note: str = "") -> str:
    """A table as HTML; with `numbers`, all columns but the first hold numbers."""

    def line(tag: str, cells: Sequence[str]) -> str:
        right = _NUMBER if tag == "td" else _HEAD_OF_NUMBERS
        styles = [right if numbers and place else _TEXT for place in range(len(cells))]
        return "".join(
            f'<{tag} style="{style}">{escape(cell)}</{tag}>' for style, cell in zip(styles, cells, strict=True)
        )

    shown = rows[:_MOST_ROWS]
    more = "" if len(rows) <= _MOST_ROWS else f"<p>and {len(rows) - _MOST_ROWS} more</p>"
    body = "".join(f"<tr>{line('td', row)}</tr>" for row in shown)
    caption = f'<caption style="text-align: left; caption-side: top">{escape(note)}</caption>' if note else ""
    whole = f"<table>{caption}<thead><tr>{line('th', heads)}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div style="overflow-x: auto; margin-bottom: 0.8em">{whole}{more}</div>'


def _of_rich(rich: RichTable, note: str = "") -> str:
    heads = [str(column.header).replace("\n", " ") for column in rich.columns]
    rows = list(zip(*([str(value).strip() for value in column.cells] for column in rich.columns), strict=True))
    return table(heads, rows, numbers=True, note=note)


def block(title: str, about: str, parts: Iterable[str]) -> str:
    """A title, a line about it, and the content below."""
    return f"<div><p><b>{escape(title)}</b><br>{escape(about)}</p>{''.join(parts)}</div>"


def picture(draw: Callable[[], Any]) -> str:
    """A chart as a picture in a page; nothing without the libraries that draw."""
    try:
        import vl_convert

        chart = draw()
    except ModuleNotFoundError:
        return ""
    return f'<div style="max-width: 760px">{vl_convert.vegalite_to_svg(chart.to_dict())}</div>'


def _named(table: Any) -> str:
    """A queue, a transport or an application in short: its kind."""
    kind = str(table["kind"])
    policy = table.get("policy")
    return f"{kind} ({policy['kind']})" if isinstance(policy, dict) else kind


def _rate(rate: Any) -> str:
    return str(rate) if isinstance(rate, str) else "a trace"


def scenario_html(scenario: Scenario) -> str:
    """Network and flows as tables, and everything else folded away."""
    content = scenario.resolved()
    about = f"{content['duration']}, of which {content['warmup']} warm-up"
    if "dumbbell" in content:
        dumbbell = content["dumbbell"]
        back = dumbbell.get("reverse_rate", dumbbell["rate"])
        rows = [
            (name, _rate(rate), dumbbell["delay"], _named(queue), str(queue.get("limit", "")))
            for name, rate, queue in (
                ("forward", dumbbell["rate"], dumbbell["queue"]),
                ("reverse", back, dumbbell["reverse_queue"]),
            )
        ]
    else:
        rows = [
            (
                link["name"],
                _rate(link["rate"]),
                link["delay"],
                _named(link["queue"]),
                str(link["queue"].get("limit", "")),
            )
            for link in content["link"]
        ]
    flows = [
        (
            str(flow["name"]),
            str(flow["count"]),
            " ".join(filter(None, (flow["transport"]["kind"], flow["transport"].get("control", {}).get("kind", "")))),
            _named(flow["app"]),
            str(flow["start"]["at"]),
        )
        for flow in content["flow"]
    ]
    whole = f"<details><summary>the whole file</summary><pre>{escape(scenario.to_toml())}</pre></details>"
    parts = [
        table(("link", "rate", "delay", "queue", "limit"), rows),
        table(("flows", "number", "sender", "source", "from"), flows),
        whole,
    ]
    return block(scenario.title, about, parts)


def study_html(study: Study) -> str:
    """The tables that ``sojourn run`` and ``sojourn compare`` print."""
    from ..runs import busy
    from ..runs.answer import answer
    from ..runs.comparison import Comparison
    from .text import comparisons, layout, single_runs, tables
    from .text.durations import goodput_table, waits_table

    if not study.results:
        return block("study", "no run is finished", ())
    scenario = next(iter(study.variants.values()))
    runs = len(study.seeds)
    parts = []
    if len(study.variants) == 1:
        shown = single_runs.run_tables(study)
        parts = [_of_rich(one) for one in shown]
    else:
        compared = (
            study
            if isinstance(study, Comparison)
            else Comparison(study.variants, study.seeds, study.results, next(iter(study.variants)))
        )
        means, differences = comparisons.comparison_tables(compared)
        shown = [means]
        parts = [_of_rich(means)]
        if runs > 1 and isinstance(study, Comparison):
            parts.append(_of_rich(differences, comparisons.difference_words(study, differences).rstrip(":")))
        for heading, by_group in (goodput_table(compared), waits_table(compared)):
            if by_group is not None:
                parts.append(_of_rich(by_group, heading.rstrip(":")))
        said_of_best = answer(compared)
        if said_of_best.text:
            parts.insert(0, f"<p>{escape(said_of_best.text)} {escape(said_of_best.about.why)}</p>")
    said = sorted(
        {f"{code} in {place}: {text}" for code, place, text in study.warnings[["code", "place", "text"]].rows()}
    )
    if said:
        lines = [escape(one) for one in said[:_MOST_ROWS]]
        if len(said) > _MOST_ROWS:
            lines.append(f"and {len(said) - _MOST_ROWS} more, in the table warnings")
        parts.append(f"<details><summary>{len(said)} warnings</summary>{'<br>'.join(lines)}</details>")
    alone = len(study.variants) == 1
    of_links = busy.busiest_links(study) if alone else ([], 0)
    groups = busy.busiest_groups(study, busy.IN_ROWS if alone else busy.SIDE_BY_SIDE)
    if left := busy.rest(of_links, groups, "the tables queue and group have all"):
        parts.append(f"<p>{escape(left)}</p>")
    words = tables.interval_words(layout.texts(shown))
    seeds = f"seed {study.seeds[0]}" if runs == 1 else f"{runs} seeds, {words}"
    return block(scenario.title, f"{scenario.duration_s:g} s, {seeds}", parts)


def swept_html(swept: Swept) -> str:
    """The table that ``sojourn sweep`` prints, and its sentences."""
    from .sweeps.words import best_in_words
    from .text import tables
    from .text.sweeps import sweep_rows

    heads, rows = sweep_rows(swept)
    words = tables.interval_words(cell for row in rows for cell in row)
    seeds = "1 seed" if len(swept.seeds) == 1 else f"{len(swept.seeds)} seeds, {words}"
    said = [text for metric in swept.metrics if (text := best_in_words(swept, metric.name))]
    sentences = f"<p>{'<br>'.join(map(escape, said))}</p>" if said else ""
    return block(swept.title or swept.scenario.title, seeds, [table(heads, rows, numbers=True), sentences])


def frontier_html(found: Frontier) -> str:
    """The answer and all settings."""
    from ..sweeps.frontier_words import said
    from .text.frontiers import frontier_rows

    told = said(found)
    heads, rows = frontier_rows(found)
    return block(told.headline, f"{told.detail} {told.price} {told.certainty}", [table(heads, rows)])


def replay_html(result: ReplayResult) -> str:
    """The table that ``sojourn replay`` prints."""
    from .text.replays import replay_table

    return block("replay", repr(result).strip("<>"), [_of_rich(replay_table({"": result}))])


def conformance_html(conformance: Conformance) -> str:
    """The promises that a queue keeps and breaks."""
    head, *_ = str(conformance).splitlines()
    rows = [
        (
            one.promise,
            "kept" if one.broken is None else "BROKEN",
            one.doc if one.broken is None else f"{one.doc}: {one.broken}",
        )
        for one in conformance.findings
    ]
    cost = [f"<p>a call of a hook takes {conformance.call_us:.2f} us</p>"] if conformance.call_us is not None else []
    return block(head, "", [table(("promise", "", "the rule"), rows), *cost])
