"""The results of an evaluation, as plain data: for JSON, the report, the summary on a screen and the site."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ... import _core
from ..statistics.intervals import Interval
from .cost import Cost
from .criteria import Criterion, Document, Question, Shown
from .judge import numbers, standings
from .runs import Runs, point_labels

if TYPE_CHECKING:
    import polars as pl
    from _typeshed import StrPath

    from .._base.door import Drawing

__all__ = ["Evaluation", "Row", "page_of"]


@dataclass(frozen=True)
class Row:
    """One number of the page, of every subject.

    Attributes
    ----------
    document, criterion, point, measure
        The question, its point, and the measure that the number is a value of.
    values
        Mean and interval by subject.
    better, alike, worse
        Baselines that the evaluated one is better than, not told from, worse than.
    """

    document: Document
    criterion: Question
    point: str
    measure: Shown
    values: Mapping[str, Interval]
    better: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()

    def mean(self, subject: str) -> float:
        """The mean of a subject; NaN where it has none."""
        return self.values[subject].mean if subject in self.values else math.nan


@dataclass(frozen=True)
class Evaluation:
    """An evaluation of one subject beside baselines.

    Attributes
    ----------
    subject, baselines
        Labels.
    kind
        ``queue`` or ``sender``.
    quick
        Whether runs were short and few.
    seeds, documents
        The seeds and the documents that were run.
    rows
        Every number, in the order of the documents.
    costs
        By label; of queues alone.
    refused
        Queues that could not be used where they should be, with the reason.
    looks
        By criterion: the numbers of runs at which it was judged, if it stopped when it was decided.
    """

    subject: str
    baselines: Sequence[str]
    kind: str
    quick: bool
    seeds: Sequence[int]
    documents: Sequence[Document]
    rows: Sequence[Row]
    costs: Mapping[str, Cost] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    looks: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @property
    def seeds_in_words(self) -> str:
        """How many seeds the criteria had."""
        counts = {at[-1] for at in self.looks.values()} or {len(self.seeds)}
        least, most = min(counts), max(counts)
        return f"{most} seeds" if least == most else f"{least} to {most} seeds"

    @property
    def labels(self) -> list[str]:
        """The evaluated one first, then the baselines."""
        return [self.subject, *(one for one in self.baselines if one != self.subject)]

    @property
    def questions(self) -> list[list[Row]]:
        """The rows of each criterion."""
        return [self.of(criterion) for document in self.documents for criterion in document.criteria]

    def of(self, criterion: Question) -> list[Row]:
        """The rows of a criterion."""
        return [row for row in self.rows if row.criterion is criterion]

    def summary(self) -> pl.DataFrame:
        """A row for each number of each subject: question, point, number, ``mean``, ``low`` and ``high``."""
        import polars as pl

        return pl.DataFrame(
            [
                {
                    "document": row.document.document,
                    "section": row.criterion.section,
                    "question": row.criterion.title,
                    "point": row.point,
                    "number": row.measure.label,
                    "unit": row.measure.unit,
                    "answers": row.measure.section,
                    "subject": label,
                    "mean": one.mean,
                    "low": one.low,
                    "high": one.high,
                }
                for row in self.rows
                for label, one in row.values.items()
            ]
        )

    def plot(self) -> Drawing:
        """Wait against use of the link from mild to heavy congestion.

        Raises
        ------
        ValueError
            If the question of congestion was not asked.
        """
        from ..showing.plots.export import notebook_chart
        from .picture import CRITERION, trade_off

        if (chart := trade_off(self)) is None:
            raise ValueError(f"the picture is about {CRITERION}, which was not asked")
        return notebook_chart(chart)

    def report(self, path: StrPath) -> None:
        """Write the report as one HTML file."""
        from .report import write_report

        write_report(self, path)

    def _repr_html_(self) -> str:
        from ..showing.display import block, picture, table
        from .picture import trade_off
        from .table_rows import summary_rows
        from .words import rivals, sentence

        heads, rows = summary_rows(self)
        about = f"{self.subject} is {sentence(self.rows, self.subject)}. {rivals(self.questions, self.subject)}"
        drawn = picture(self.plot) if trade_off(self) is not None else ""
        return block(f"{self.subject}: an evaluation", about, [table(heads, rows), drawn])

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "version": _core.version(),
            "kind": self.kind,
            "set": "quick" if self.quick else "full",
            "subject": self.subject,
            "baselines": list(self.baselines),
            "seeds": list(self.seeds),
            "looks": {key: list(at) for key, at in self.looks.items()},
            "documents": [_document(document) for document in self.documents],
            "numbers": [_row(row) for row in self.rows],
            "costs": {label: asdict(cost) for label, cost in self.costs.items()},
            "refused": dict(self.refused),
        }


def page_of(
    runs: Runs, subject: str, baselines: Sequence[str], *, kind: str, quick: bool, costs: Mapping[str, Cost]
) -> Evaluation:
    """The page of one subject."""
    documents = {one.key: document for document in runs.documents for one in document.criteria}
    labels = [subject, *(one for one in baselines if one != subject and one in runs.labels)]
    values = {label: {_of(one): one.interval for one in numbers(runs, label)} for label in labels}
    rows = [
        Row(
            documents[one.number.criterion.key],
            one.number.criterion,
            one.number.point,
            one.number.measure,
            {label: known[_of(one.number)] for label, known in values.items() if _of(one.number) in known},
            one.better,
            one.alike,
            one.worse,
        )
        for one in standings(runs, subject, [label for label in labels if label != subject])
    ]
    others = tuple(labels[1:])
    return Evaluation(subject, others, kind, quick, runs.seeds, runs.documents, rows, costs, runs.refused, runs.looks)


def _of(number: Any) -> tuple[str, str, str]:
    return number.criterion.key, number.point, number.measure.name


def document_data(document: Document) -> dict[str, Any]:
    """A document and its questions, as plain data."""
    return _document(document)


def _document(document: Document) -> dict[str, Any]:
    return {
        "key": document.key,
        "document": document.document,
        "title": document.title,
        "criteria": [_criterion(criterion) for criterion in document.criteria],
        "answered": dict(document.answered),
        "left": dict(document.left),
    }


def _criterion(criterion: Criterion) -> dict[str, Any]:
    return {
        "key": criterion.key,
        "section": criterion.section,
        "title": criterion.title,
        "asks": criterion.asks,
        "points": point_labels(criterion),
        "measures": [
            {name: getattr(measure, name) for name in ("name", "label", "section", "unit", "better", "least", "good")}
            for measure in criterion.measures
        ],
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "criterion": row.criterion.key,
        "point": row.point,
        "measure": row.measure.name,
        "section": row.measure.section,
        "values": {label: dict(_interval(one)) for label, one in row.values.items()},
        "better": list(row.better),
        "alike": list(row.alike),
        "worse": list(row.worse),
    }


def _interval(one: Interval) -> Iterator[tuple[str, float]]:
    yield from (("n", one.n), ("mean", one.mean), ("low", one.low), ("high", one.high))
