"""The page of a figure: its drawings, the statements of the work about it with their verdicts, and its command."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_uppercase
from typing import Any

from markupsafe import Markup

from ..showing.report.page import Report
from ..showing.report.tables import of_texts
from ..showing.report.templates import render
from ..statistics.figures import figures as in_figures
from ..statistics.intervals import Interval
from ..statistics.samples import factor, with_unit
from . import references, scores
from .claims import Claim
from .figure_cells import Cell, cells_of
from .figures import Figure, Left, Listed, anchor, kinds_at, planes, read
from .kinds import Bound, Kind, Knee, Near, Table
from .planes import drawn
from .points import Drawn, of_run
from .reproduction import Reproduction
from .sentence_page import class_of
from .sentence_verdicts import Sentenced
from .sentences import Verdict
from .studies import StudyExperiment
from .work import Paper

__all__ = ["LEFT", "Judged", "Work", "add_figures", "figure_html", "listed_in", "of_claims", "of_score"]

LEFT = ("figures and tables", "why they are not drawn")
_TALL, _LOW = 300, 190
_BESIDE = 2
"""Columns of a table that has room beside statements."""
_SAID = 4
"""Claims of a sentence whose numbers are said."""


@dataclass(frozen=True)
class Judged:
    """The result of a claim: its verdict, our number, the printed one, and its rule, if these are known."""

    text: str
    verdict: str
    ours: Interval | None = None
    published: float | None = None
    unit: str = ""
    rule: str = ""

    @property
    def words(self) -> str:
        """Our number beside the printed one."""
        if self.ours is None or not math.isfinite(self.ours.mean):
            return ""
        scale = factor(self.unit)
        ours = f"here {with_unit(in_figures(self.ours, scale), self.unit)}".replace("-", "\u2212")
        return ours if self.published is None else f"{ours}, printed {self.published * scale:.4g}"


Results = Mapping[tuple[str, str], Judged]
"""By experiment and the claim's key."""


@dataclass(frozen=True)
class Work:
    """All that the pages of a work's figures need.

    Attributes
    ----------
    key, paper, points
        The work, and the points that its figures are drawn from.
    verdicts
        Its sentences with their verdicts.
    results
        Its claims.
    in_full
        Beside verdicts of a run with few seeds, those of the last full run, by the text of the sentence.
    lacks
        The reason why there are no points.
    """

    key: str
    paper: Paper
    points: Drawn
    verdicts: Sequence[Verdict] = ()
    results: Results = field(default_factory=dict)
    in_full: Mapping[str, str] = field(default_factory=dict)
    lacks: str = ""


def of_claims(claims: Sequence[Claim]) -> Results:
    """The results of a run."""
    return {
        (one.experiment, one.key): Judged(one.text, one.verdict, one.ours, one.in_the_work, one.unit, one.rule)
        for one in claims
        if not one.reading
    }


def of_score(found: scores.Score | None, paper: Paper) -> Results:
    """The results of the last full run, with the rules of today."""
    rules = {(one.name, key): rule for one in paper.experiments for key, rule in one.rules.items()}
    return {
        (one["experiment"], one["key"]): Judged(
            one["text"],
            one["verdict"],
            scores.interval_of(one) if "ours" in one else None,
            one.get("published"),
            one.get("unit", ""),
            rules.get((one["experiment"], one["key"]), ""),
        )
        for one in (found.claims if found else ())
    }


def figure_html(figure: Figure, work: Work) -> Markup:
    """The page's part for one figure; its heading is the reader's."""
    about = [one for one in work.verdicts if not one.sentence.headline and _is_about(one, figure)]
    letters = _letters(figure, work, about)
    shown = planes(figure, work.paper, work.points, letters)
    cells = list(cells_of(figure, work.paper, work.points))
    tables = list(_tables(cells, work.paper))
    rules = {
        (claim.experiment, claim.key): work.results[claim.experiment, claim.key]
        for one in about
        for claim in one.claims
        if (claim.experiment, claim.key) in work.results
    }
    return render(
        "figure.html",
        note=figure.note,
        planes=[drawn(one, _TALL if len(shown) == 1 else _LOW) for one in shown],
        lacks=work.lacks if figure.experiment and not shown and not cells else "",
        tables=tables,
        wide=any(len(one["columns"]) > _BESIDE for one in tables) and not shown,
        is_judged=bool(work.verdicts),
        statements=[_statement(one, letters, work) for one in about],
        how=_how(figure, work, bool(shown or cells), bool(letters)),
        rules=[
            (one.text, one.rule, f"{one.verdict}: {one.words}" if one.words else one.verdict)
            for one in rules.values()
            if one.rule
        ],
        setting=list(_setting(figure, work)),
        command=f'sojourn reproduce {work.key} --only "{figure.place}" --report figure.html',
    )


def _tables(cells: Sequence[Cell], paper: Paper) -> Iterator[Mapping[str, Any]]:
    """The cells by row and column: a table for each experiment, with its subject if there are several."""
    names = list(dict.fromkeys(cell.experiment for cell in cells))
    docs = {one.name: one.doc for one in paper.experiments}
    for name in names:
        own = [cell for cell in cells if cell.experiment == name]
        rows: dict[str, dict[str, Cell]] = {}
        for cell in own:
            rows.setdefault(cell.row, {}).setdefault(cell.column, cell)
        columns = list(dict.fromkeys(cell.column for cell in own))
        yield {"title": docs.get(name, "") if len(names) > 1 else "", "rows": rows, "columns": columns}


def _is_about(one: Verdict, figure: Figure) -> bool:
    return figure.named in references.named(one.sentence.source)


def _letters(figure: Figure, work: Work, about: Sequence[Verdict]) -> dict[tuple[str, str], str]:
    """A letter for each sentence that the drawing shows, as a band or a line."""
    if figure.chart:
        return {}
    drawable = {
        (experiment, kind.key)
        for name, metric in figure.quantities
        for experiment, kind in kinds_at(name, work.paper)
        if isinstance(kind, Bound | Knee) and metric in ("", kind.metric) and not kind.relative_to
    }
    found: dict[tuple[str, str], str] = {}
    letters = iter(ascii_uppercase)
    for one in about:
        keys = [(claim.experiment, claim.key) for claim in one.claims if (claim.experiment, claim.key) in drawable]
        if keys and (letter := next(letters, "")):
            found |= dict.fromkeys(keys, letter)
    return found


def _statement(one: Verdict, letters: Mapping[tuple[str, str], str], work: Work) -> Mapping[str, Any]:
    """A sentence with its verdict and the numbers beneath it."""
    keys = [(claim.experiment, claim.key) for claim in one.claims]
    values = _values(work)
    said = [words for key in keys if key in values and key in work.results and (words := work.results[key].words)]
    more = f" and {len(said) - _SAID} more" if len(said) > _SAID else ""
    full = work.in_full.get(one.sentence.text, "")
    return {
        "letter": next((letters[key] for key in keys if key in letters), ""),
        "text": one.sentence.text,
        "source": one.sentence.source,
        "outcome": class_of(one.outcome),
        "short": "depends on the reading" if one.outcome == "depends" else one.short,
        "more": f"{one.more}." if one.more else "",
        "numbers": f"{'; '.join(said[:_SAID])}{more}." if said else "",
        "in_full": full if full != one.words else "",
    }


def _values(work: Work) -> set[tuple[str, str]]:
    """The claims whose number is the quantity itself, and no difference of two."""
    studies = [(one.name, one.study) for one in work.paper.experiments if isinstance(one.study, StudyExperiment)]
    return {
        (name, kind.key)
        for name, study in studies
        for kind in study.claims
        if isinstance(kind, Kind) and (isinstance(kind, Bound | Near | Table) or kind.published is not None)
    }


def _how(figure: Figure, work: Work, is_drawn: bool, has_letters: bool) -> str:
    """The signs of the drawing, and the runs behind it."""
    if not is_drawn:
        return ""
    when = f"Version {work.points.version}, {work.points.date}. " if work.points.version else ""
    if figure.chart:
        return f"{when}One run each. Dashed: thresholds, targets or levels that the work names."
    runs = work.points.runs.get(figure.experiment, 0)
    many = f"Means of {runs} runs or more with 95 % intervals. " if runs > 1 else ""
    signs = "Bands with a letter are bounds of statements. " if has_letters else ""
    return f"{many}{signs}{when}".strip()


def _setting(figure: Figure, work: Work) -> Iterator[str]:
    """The experiment in words, and its scenario."""
    for one in work.paper.experiments:
        if one.name == figure.experiment or (not figure.experiment and figure.named in one.places):
            yield f"{one.name}: {one.doc[:1].upper()}{one.doc[1:].rstrip('.')}. {f'{one.seeds}.' if one.seeds else ''}"
            if isinstance(one.study, StudyExperiment):
                if one.study.about:
                    yield one.study.about
                yield f"Scenario: papers/{work.key}/scenarios/{one.study.design.scenario}"


def listed_in(done: Reproduction) -> Listed:
    """The figures of the work of a run."""
    return read(done.folder) if done.folder is not None else Listed()


def add_figures(
    report: Report, done: Reproduction, judged: Sentenced | None, listed: Sequence[Figure], left: Sequence[Left]
) -> None:
    """A section for each figure whose runs were made, and a table of those that are not drawn again."""
    work = Work(
        done.key,
        done.paper,
        of_run(done),
        judged.verdicts if judged else (),
        of_claims(done.claims),
        judged.in_full if judged else {},
    )
    ran = {name for name, _ in done.findings}
    for figure in listed:
        # Without the others of a work a run has the figures of its experiments alone.
        if not done.only or _was_run(figure, work, ran):
            report.add_html(figure.heading, "", figure_html(figure, work), style="figures.css", anchor=anchor(figure))
    if left:
        frame = of_texts(LEFT, [(one.places, one.why) for one in left])
        report.add_tables([("", frame)], "Figures and tables that are not drawn again", file=frame)


def _was_run(figure: Figure, work: Work, ran: Collection[str]) -> bool:
    """Whether a run has the experiment of a figure, or one about a table."""
    if figure.experiment:
        return bool(planes(figure, work.paper, work.points, {}))
    return any(one.name in ran and figure.named in one.places for one in work.paper.experiments)
