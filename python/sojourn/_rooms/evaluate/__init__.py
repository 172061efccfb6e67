"""``sojourn evaluate``: RFC 7928's questions to a queue, and RFC 9743's to a sender, beside named others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..own._classes import registered
from ..runs.runner import MOST
from ..scenario.texts import seeds_of
from ..statistics.questions import Question
from .criteria import documents
from .page import Evaluation, page_of
from .runs import Runs, StoppedEvaluation, run
from .subjects import named

if TYPE_CHECKING:
    from ..runs.pool import ProgressCallback
    from ..scenario.texts import Seeds
    from .cost import Cost

__all__ = ["Evaluation", "Runs", "StoppedEvaluation", "evaluate", "run_all"]

QUICK_SEEDS, FULL_SEEDS = 6, 20
USUAL = ("fq_codel", "codel", "pie")
"""The queues that users of a new one would take else: it is never compared with a FIFO alone."""


def evaluate(
    subject: str,
    *,
    kind: Literal["queue", "sender"] = "queue",
    baselines: Sequence[str] | None = None,
    quick: bool = False,
    only: Sequence[str] = (),
    seeds: Seeds | None = None,
    until: str | None = None,
    workers: int | None = None,
    out: Path | None = None,
    on: str = "local",
    progress: ProgressCallback | None = None,
) -> Evaluation:
    """Evaluate a queue, or the law of a sender.

    Parameters
    ----------
    subject
        ``codel``, ``codel:target=10ms``, a line of tc, ``my.py:MyQueue``; of a sender ``cubic`` or ``my.py:MyLaw``.
    baselines
        The baselines; by default those of each document. Beside a FIFO alone a queue of yours has fq_codel, codel and
        pie, too: the queues that its users would take.
    quick
        Whether runs are short and few.
    only
        Criteria or sections, such as ``5.2``; all without any.
    seeds
        As in :func:`sojourn.compare`; by default 6 where it is quick, else 20, and with `until` at most 40.
    until
        ``"decided"``: each criterion stops when the subject is better than each baseline, worse, or differs by less
        than counts; judged at several looks, as in :func:`sojourn.compare`.
    out
        Directory for finished runs: they are read and not repeated.

    Raises
    ------
    ValueError
        If there is no such subject, baseline or criterion; nothing has been run then.
    StoppedEvaluation
        On Ctrl-C.
    """
    asked = documents(kind, quick=quick)
    beside = list(baselines) if baselines is not None else list(_baselines(asked))
    subjects = named([subject])
    label = next(iter(subjects))
    if kind == "queue" and subjects[label]["kind"] in registered() and set(beside) <= {"fifo"}:
        beside += USUAL
    subjects |= {other: one for other, one in named(beside).items() if other != label}
    question = None if until is None else Question.parse(until)
    if question and not (question.verdict and question.share == 0.0):
        raise ValueError(f"until {until}: an evaluation stops when it is decided\n  allowed: decided")
    usual = MOST if question else QUICK_SEEDS if quick else FULL_SEEDS
    chosen = seeds_of(usual if seeds is None else seeds)
    runs = run(
        asked,
        subjects,
        seeds=chosen,
        question=question,
        wanted=(label,) if baselines is None else tuple(subjects),
        only=only,
        workers=workers,
        out=out,
        on=on,
        progress=progress,
    )
    costs = _costs(subjects) if kind == "queue" and not only else {}
    return page_of(runs, label, [one for one in subjects if one != label], kind=kind, quick=quick, costs=costs)


def run_all(
    *,
    seeds: Seeds | None = None,
    workers: int | None = None,
    out: Path | None = None,
    on: str = "local",
    progress: ProgressCallback | None = None,
    quick: bool = True,
    only: Sequence[str] = (),
) -> tuple[Runs, Mapping[str, Cost]]:
    """Every queue of the registry through all criteria, and the cost of each.

    Raises
    ------
    StoppedEvaluation
        On Ctrl-C.
    """
    from .subjects import of_registry

    subjects = named(of_registry("queues"))
    asked = documents("queue", quick=quick)
    chosen = seeds_of((QUICK_SEEDS if quick else FULL_SEEDS) if seeds is None else seeds)
    runs = run(asked, subjects, seeds=chosen, only=only, workers=workers, out=out, on=on, progress=progress)
    return runs, _costs({label: subjects[label] for label in runs.labels})


def _baselines(asked: Sequence[object]) -> dict[str, None]:
    return dict.fromkeys(one for document in asked for one in document.baselines)  # type: ignore[attr-defined]


def _costs(subjects: Mapping[str, Mapping[str, object]]) -> dict[str, Cost]:
    from .cost import cost

    found = {label: cost(subject) for label, subject in subjects.items()}  # type: ignore[arg-type]
    return {label: one for label, one in found.items() if one is not None}
