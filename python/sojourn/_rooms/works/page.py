"""The report of a reproduced paper: its proposal, the outcome, its claims, then each experiment's tables."""

from __future__ import annotations

import math
import os
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from markupsafe import Markup

from ... import _core
from .._base.spreadsheet import csv_text
from ..showing.plots.export import embedded_data, specification
from ..showing.report.page import Report
from ..showing.report.provenance import provenance
from ..showing.report.tables import number, of_texts
from ..showing.report.templates import render
from . import left_out, printed_tables, sentence_verdicts
from .claim_tables import add_claims
from .claims import VERDICTS, Claim, Verdict
from .exhibits import Chart, Grid, Numbers, Remark
from .figure_page import add_figures, listed_in
from .figures import Figure, Listed
from .front import front_html, headline
from .last_run import beside, last_full, verdicts
from .line_charts import METRICS
from .points import of_run
from .readings import CHANGES_NOTHING
from .sentence_page import add_sentences, outcomes
from .sentence_verdicts import Sentenced

if TYPE_CHECKING:
    import polars as pl

    from ..showing.plots.registry import Drawing
    from .reproduction import Reproduction
    from .scores import Score

__all__ = ["fits", "page", "sensitivity", "write"]

_VERDICTS: Final = (
    "A verdict follows from a 95 % interval and a bound that is written down beside the claim: it holds or fails if "
    "the whole interval lies on one side, and is undecided otherwise. Differences are taken seed by seed. A printed "
    "number of few runs is compared with the numbers that runs like ours would print: the claim holds if it is not "
    "unusual among these, and cannot tell if half or twice the printed number were not unusual either. If each of "
    "{among} claims were judged alone, chance would decide some. Therefore the claims of an experiment are a family, "
    "in which on average at most 5 % of the decisions are wrong (false discovery rate, Benjamini and Hochberg): of n "
    "claims the k smallest p-values decide if the largest of them is "
    "below 5 % k / n. A claim that would be decided alone, but is not decided in its family, is undecided; its "
    "verdict alone is shown below. A claim is contradicted by the source if it fails and the work says the opposite "
    "elsewhere. Claims that a full run leaves open get twice the seeds, and twice again, up to a limit, as long as "
    "more seeds may decide them. "
)
_READINGS: Final = (
    "If the work leaves a point open, other meanings are run as well: its readings. Only claims whose number a "
    "reading changes are judged under it; beside them are the same claims under the first reading, at the same "
    "points and with as many seeds. If the work prints a number, a claim's miss is the distance of ours from it, as "
    "a share of the printed number; for a printed table it is the miss of the cell that decides. With a miss of 100 "
    "% ours is twice as large, or zero. The table has the median of these misses, which a single number that is far "
    "off, such as a misprint, does not change."
)
_FOREST: Final = (
    "\n\nA difference has the sign of its sentence: above 0 it supports the claim. In the picture of a claim, the "
    "allowed range is filled, up to its dashed bound; the point is our number on its 95 % interval, and the cross "
    "is the number of the work. Each row has its own scale. If a work prints no number for a claim, but the numbers "
    "from which it is computed, the column of the work has the computed number.\n\n"
)
_SENTENCES: Final = (
    "The work consists of sentences, but a program judges claims: one metric, one order, one bound. The verdict of "
    "a sentence follows from the claims beneath it, {where}. A sentence is counted once, however many claims it "
    "needs."
)
_FIRST_ONLY: Final = (
    " Other readings of the work were not run (--full and --readings run them); under another reading a verdict may "
    "change."
)
_OPENINGS: Final = {
    "holds": "Statements of the work about these figures that hold here:",
    "fitted": "Claims that hold, but whose numbers took part in the choice of the setting:",
    "fails": "Claims that fail:",
    "contradicted": "Claims that fail here, and that the work contradicts elsewhere:",
    "undecided": "Undecided claims:",
    "cannot tell": "Claims that would hold with half or twice the printed number as well:",
    "equal": "Differences that are smaller than the stated size:",
    "not measured": "Claims about times that no run reached before its end:",
}
_MOST_SAID: Final = 6
"""Claims of one verdict that are above a chart."""
_UNSTATED: Final = "Settings that the experiments need and the work does not state, and how much depends on our choice."


def write(path: str | os.PathLike[str], done: Reproduction) -> None:
    """Write the report as one HTML file."""
    page(done).write(Path(path))


def page(done: Reproduction) -> Report:
    """The report as a page; that of figures alone begins with them, and says nothing about the rest of the work."""
    full, judged, listed = last_full(done), sentence_verdicts.of_run(done), listed_in(done)
    asked = listed.about(done.only)
    tally = outcomes(judged)
    counts = {outcome: many for outcome, many, _ in tally}
    holding, failing = (counts.get(one, 0) or "none" for one in ("holds", "fails"))
    counted = f"Of the {sum(counts.values())} sentences of the work {holding} hold and {failing} fail."
    report = Report(
        title=_title(done, asked),
        lead="" if asked else counted if tally else _in_short(done),
        about=(f"{done.key}: {done.paper.citation}", _runs(done).rstrip(".")),
        provenance=provenance(_core.version(), {seed for study in done.studies.values() for seed in study.seeds}),
    )
    if not asked:
        _add_front(report, done, tally)
    add_figures(report, done, judged, asked or listed.figures, () if done.only else listed.left)
    if not asked:
        _add_sentences(report, judged)
        _add_left_out(report, done)
        docs = {experiment.name: experiment.doc for experiment in done.paper.experiments}
        _add_board(report, done.claims, docs, " ".join(filter(None, (_in_short(done), beside(done, full)))))
        _add_printed(report, done)
        readings = fits(done)
        if readings:
            report.add_html("Which reading fits best", _READINGS, render("work.html", part="readings", rows=readings))
        if idle := _idle(done):
            report.add_text(idle, heading=CHANGES_NOTHING)
        _add_open_points(report, done)
    _add_claims(report, done, full)
    _add_exhibits(report, done, listed)
    _add_scenarios(report, done)
    return report


def _title(done: Reproduction, asked: Sequence[Figure]) -> str:
    """The title of the report: that of a figure, if it is about one, or the finding of the work."""
    if len(asked) == 1:
        return f"{done.key}, {asked[0].place}: {asked[0].caption}"
    return (not asked and headline(done.folder)) or f"{done.key}: {done.paper.title}"


def _add_front(report: Report, done: Reproduction, tally: Sequence[tuple[str, int, str]]) -> None:
    """The first page of the work; the proposal, if the work has no such page."""
    body = front_html(done.folder, done.paper, of_run(done), tally) if done.folder is not None else Markup("")
    if body:
        report.add_front(body, style="figures.css")
    elif done.paper.about.proposal:
        report.add_text(done.paper.about.proposal, heading="The proposal of the work")


def _add_open_points(report: Report, done: Reproduction) -> None:
    """The points that the work leaves open, and how much depends on each."""
    rows = [
        {"what": one.what, "taken": one.taken, "why": one.why, "sensitivity": sensitivity(done, one.readings)}
        for one in done.paper.about.unstated
    ]
    if rows:
        report.add_html("Open points of the work", _UNSTATED, render("work.html", part="unstated", rows=rows))


def _add_claims(report: Report, done: Reproduction, full: Score | None) -> None:
    """The claims of the run, and how they are judged."""
    claims = [claim for group in done.by_key() for claim in group]
    forest = any(math.isfinite(bound) for claim in claims for bound in claim.claimed)
    codes = "; ".join(f"{code}: {meaning}" for code, meaning in done.paper.about.codes.items())
    text = (
        _about_verdicts(done)
        + (_FOREST if forest else "")
        + _about_readings(done)
        + (f"\n\nClaims begin with a code. {codes}." if codes else "")
    )
    add_claims(report, claims, text=text, docs=_with_seeds(done), in_full=verdicts(full))


def _add_printed(report: Report, done: Reproduction) -> None:
    """A line for each printed table of the work, as last recorded."""
    lines = printed_tables.read(done.folder) if done.folder is not None else None
    if lines is None:
        return
    rows = list(printed_tables.cells(lines))
    frame = of_texts(printed_tables.HEAD, rows)
    text = (
        f"{printed_tables.ABOUT} The runs are those of version {lines.version}, {lines.date}; `sojourn reproduce "
        f"{done.key} --numbers` shows each number."
    )
    report.add_tables([("", frame)], "Printed numbers", text, file=frame)


def _add_sentences(report: Report, judged: Sentenced | None) -> None:
    """The statements of the work, before the claims that a program can judge."""
    if judged is None:
        return
    if judged.lacks:
        report.add_text(judged.lacks, heading="Sentences of the work")
        return
    if judged.headlines:
        text = f"Statements of the work in its abstract and its conclusion, judged {judged.where}."
        add_sentences(report, judged, "Abstract and conclusion", text, headlines=True)
    text = _SENTENCES.format(where=judged.where) + (_FIRST_ONLY if judged.first_only else "")
    add_sentences(report, judged, "Sentences of the work", text)


def _add_left_out(report: Report, done: Reproduction) -> None:
    """The statements that have no verdict, after those that have one."""
    if done.folder is not None and (found := left_out.read(done.folder)):
        text = f"{len(found)} statements of the work about its results are not counted among its sentences."
        report.add_table(of_texts(left_out.HEAD, left_out.cells(found)), left_out.HEADING, text)


def _add_exhibits(report: Report, done: Reproduction, listed: Listed) -> None:
    """Tables, charts and remarks in the order of the experiments; the figures of the work are above already."""
    charts = Counter(_charted(done))
    told: set[str] = set()
    seen = Seen()
    for experiment, exhibit in done.exhibits:
        if isinstance(exhibit, Grid) or (isinstance(exhibit, Chart) and listed.draws(experiment, exhibit.title)):
            continue
        heading = f"{experiment}: {exhibit.title}"
        if isinstance(exhibit, Numbers):
            _add_numbers(report, heading, exhibit, seen)
        elif isinstance(exhibit, Chart):
            said = ""
            if exhibit.title.startswith(METRICS) and experiment not in told:
                told.add(experiment)
                said = _said_of_figures(done, experiment)
            if said and charts[experiment] > 1:
                report.add_text(said, heading=f"{experiment}: statements of the work about its figures")
                said = ""
            _add_chart(report, heading, exhibit, said, seen)
        elif isinstance(exhibit, Remark) and exhibit.title != CHANGES_NOTHING:
            report.add_text(exhibit.text, heading=heading)


def _add_chart(report: Report, heading: str, exhibit: Chart, said: str, seen: Seen) -> None:
    """The chart with the work's statements about it; or a link to the heading that has it already."""
    if where := seen.chart(heading, exhibit.chart):
        report.add_text("\n\n".join(filter(None, (f"The figure is under {where}.", said))), heading=heading)
        return
    report.add_plot(exhibit.chart, heading, "\n\n".join(filter(None, (exhibit.text, said))), exhibit.data)


def _with_seeds(done: Reproduction) -> dict[str, str]:
    """The description of each experiment; for a full run, with its number of seeds and their limit."""
    return {
        one.name: f"{one.doc.rstrip('.')}; {one.seeds}" if one.seeds and not done.quick else one.doc
        for one in done.paper.experiments
    }


def _add_numbers(report: Report, heading: str, exhibit: Numbers, seen: Seen) -> None:
    """The tables; or links to the headings that have them already."""
    stacked = any(one.published is not None for one in exhibit.numbers)
    new, known = [], []
    for name, frame in exhibit.page_tables():
        where = "" if stacked else seen.table(heading, name, frame)
        if where:
            known.append(f"{name or 'the same numbers'}: under {where}")
        else:
            new.append((name, frame))
    again = f"Not shown again: {'; '.join(known)}." if known else ""
    if not new:
        report.add_text(again, heading=heading)
        return
    text = "\n\n".join(one for one in (exhibit.text, again) if one)
    keys = [column for _, frame in new for column in frame.columns]
    report.add_tables(new, heading, text, file=exhibit.frame(), stacked=stacked, keys=keys)


class Seen:
    """Parts that a report shows already: files that continue others are about the same runs."""

    def __init__(self) -> None:
        self._tables: dict[tuple[str, ...], str] = {}
        self._charts: list[tuple[str, str, frozenset[str]]] = []

    def table(self, heading: str, name: str, frame: pl.DataFrame) -> str:
        """The heading of the same table, if there is one; empty for a new table, which is kept."""
        return self._known(
            self._tables, (name.removesuffix(", further columns"), *frame.columns, csv_text(frame)), heading
        )

    def chart(self, heading: str, chart: Drawing) -> str:
        """The heading of a chart in which all that this one draws is drawn; empty for a new one, which is kept."""
        for text in embedded_data(specification(chart)).values():
            head, *rows = text.splitlines()
            for where, known_head, known in self._charts:
                if head == known_head and known.issuperset(rows):
                    return where
            self._charts.append((heading, head, frozenset(rows)))
        return ""

    @staticmethod
    def _known(known: dict[tuple[str, ...], str], key: tuple[str, ...], heading: str) -> str:
        where = known.setdefault(key, heading)
        return "" if where == heading else where


def _charted(done: Reproduction) -> list[str]:
    """The experiment of each chart of metrics."""
    return [name for name, one in done.exhibits if isinstance(one, Chart) and one.title.startswith(METRICS)]


def _said_of_figures(done: Reproduction, experiment: str) -> str:
    """Orders, knees and values that the work states of an experiment's figures, and which of them hold here.

    Claims about the same runs may be in files that continue the experiment's, such as `E4.3-AQS`, without a chart.
    """
    charts = set(_charted(done)) - {experiment}
    claims = [
        claim
        for claim in done.claims
        if not claim.reading
        and "figure" in claim.source
        and f"{claim.experiment}-".startswith(f"{experiment}-")
        and claim.experiment not in charts
    ]
    found = []
    for verdict, opening in _OPENINGS.items():
        judged = [claim for claim in claims if claim.verdict == verdict]
        if judged:
            found.append(f"{opening} {_by_source(judged[:_MOST_SAID])}{_more(len(judged) - _MOST_SAID)}.")
    return "\n\n".join(found)


def _by_source(claims: Sequence[Claim]) -> str:
    """Claims in words; those of one place in the work are together, and the place is named once."""
    places: dict[str, list[str]] = {}
    for claim in claims:
        places.setdefault(claim.source, []).append(claim.text)
    return "; ".join(f"{'; '.join(texts)} ({place})" for place, texts in places.items())


def _more(count: int) -> str:
    return f"; and {count} more, which are among the claims" if count > 0 else ""


def _add_scenarios(report: Report, done: Reproduction) -> None:
    """One scenario of each experiment as it is run; readings and variants change the keys in their tables."""
    seen: set[str] = set()
    shown: set[str] = set()
    for name, study in done.studies.items():
        experiment = name.partition("/")[0]
        label, scenario = next(iter(study.variants.items()))
        # Studies have names such as EXPERIMENT/NAME, the base first; an experiment may continue with the runs of
        # another.
        if experiment not in seen and scenario.resolved_json not in shown:
            heading = "" if shown else "Resolved scenarios"
            shown.add(scenario.resolved_json)
            report.add_scenario(scenario.to_toml(), heading, label=f"{name}, {label}")
        seen.add(experiment)


def _idle(done: Reproduction) -> str:
    """The readings that change no deciding number, for all experiments in a paragraph."""
    said = [(name, one.text) for name, one in done.exhibits if isinstance(one, Remark) and one.title == CHANGES_NOTHING]
    names: dict[str, list[str]] = {}
    for name, text in said:
        names.setdefault(text.partition(": ")[2].rstrip("."), []).append(name)
    if not said:
        return ""
    parts = [f"{', '.join(experiments)}: {readings}." for readings, experiments in names.items()]
    return " ".join([f"{said[0][1].partition(': ')[0]}.", *parts])


def _in_short(done: Reproduction) -> str:
    """One sentence: how many claims hold."""
    claims = [claim for claim in done.claims if not claim.reading and claim.verdict != "shown"]
    counts = {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS}
    parts = [f"{counts[verdict]} {words}" for verdict, words in VERDICTS.items() if counts[verdict]]
    if not claims:
        return ""
    alone = sum(claim.alone is not None for claim in claims)
    more = (
        f" {alone} of those that are undecided would be decided alone, but not among those of their experiment (below)."
    )
    return f"Of {len(claims)} claims {', '.join(parts)}.{more if alone else ''}"


def _among(claims: Sequence[Claim]) -> int:
    """How many claims are decided together, as the work is read first."""
    return sum(claim.p is not None and not claim.reading for claim in claims)


def _about_verdicts(done: Reproduction) -> str:
    return _VERDICTS.format(among=_among(done.claims))


def _add_board(report: Report, claims: Sequence[Claim], docs: Mapping[str, str], text: str) -> None:
    own = [claim for claim in claims if not claim.reading]
    order = [verdict for verdict in VERDICTS if any(claim.verdict == verdict for claim in own)]
    names = dict.fromkeys(claim.experiment for claim in own)
    rows = [
        {"name": name, "doc": docs.get(name, ""), "counts": _counts([one for one in own if one.experiment == name])}
        for name in names
    ]
    body = render("work.html", part="board", rows=rows, total={"counts": _counts(own)}, order=order, words=VERDICTS)
    report.add_html("Scoreboard", text, body)


def _counts(claims: Sequence[Claim]) -> dict[Verdict, int]:
    return {verdict: sum(claim.verdict == verdict for claim in claims) for verdict in VERDICTS}


def _judged(done: Reproduction) -> dict[str, list[tuple[Claim, Claim]]]:
    """The claims that each reading changes, with the same claims as run, of the same points and seeds."""
    found: dict[str, list[tuple[Claim, Claim]]] = {}
    for claim in done.claims:
        if claim.beside is not None:
            found.setdefault(claim.reading, []).append((claim, claim.beside))
    return found


def fits(done: Reproduction) -> list[dict[str, Any]]:
    """A row for each reading: how many claims hold under it and as run, and the distance from the printed numbers."""
    rows = []
    for name, pairs in _judged(done).items():
        holds, as_run = (sum(pair[side].verdict == "holds" for pair in pairs) for side in (0, 1))
        off, off_as_run = (_off([pair[side] for pair in pairs]) for side in (0, 1))
        rows.append(
            {
                "name": name,
                "claims": len(pairs),
                "holds": holds,
                "holds_as_run": as_run,
                "off": _share(off),
                "off_as_run": _share(off_as_run),
                "better": _better(holds - as_run, off, off_as_run),
            }
        )
    return sorted(rows, key=lambda row: int(row["holds_as_run"]) - int(row["holds"]))


def _off(claims: Sequence[Claim]) -> float:
    """Median distance from the printed numbers, as a part of them; NaN without any."""
    distances = [
        abs(claim.ours.mean - claim.published) / abs(claim.published)
        for claim in claims
        if claim.published and claim.ours is not None and math.isfinite(claim.ours.mean)
    ]
    return statistics.median(distances) if distances else math.nan


def _share(value: float) -> str:
    return f"{100 * value:.{0 if value >= 0.1 else 1}f} %" if math.isfinite(value) else "–"


def _better(more: int, off: float, off_as_run: float) -> str:
    """The better of the two, if claims and printed numbers do not contradict each other."""
    nearer = 0 if not math.isfinite(off - off_as_run) else (off < 0.95 * off_as_run) - (off > 1.05 * off_as_run)
    claims = (more > 0) - (more < 0)
    if claims * nearer < 0:
        return "neither"
    return {1: "this reading", -1: "as run", 0: "neither"}[claims or nearer]


def sensitivity(done: Reproduction, readings: Sequence[str]) -> str:
    """The effect of other choices, in words."""
    if not readings:
        return "not varied"
    if not done.readings:
        return "not run here"
    judged = _judged(done)
    parts = []
    for name in readings:
        pairs = judged.get(name, [])
        turned = sum(one.turned for one, _ in pairs)
        parts.append(f"{name}: {turned} of {number(float(len(pairs)))} verdicts turn" if pairs else f"{name}: nothing")
    return "; ".join(parts)


def _runs(done: Reproduction) -> str:
    seeds = sorted({len(study.seeds) for study in done.studies.values()})
    runs = " to ".join(str(number) for number in dict.fromkeys([seeds[0], seeds[-1]])) if seeds else "0"
    total = len({run for study in done.studies.values() for run in study.runs})
    return f"{total} runs, {runs} seeds for every queue and reading."


def _about_readings(done: Reproduction) -> str:
    groups = done.by_key()
    if all(len(group) == 1 for group in groups):
        return ""
    turned = sum(any(claim.turned for claim in group) for group in groups)
    return (
        "Verdicts under other readings are in the fold below a claim; only the first is "
        f"counted. {turned} of {len(groups)} claims depend on the reading."
    )
