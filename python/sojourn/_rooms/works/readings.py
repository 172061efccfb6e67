"""Where a source is ambiguous: claims under each reading of it, without those that a reading cannot change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, Self, TypeVar

from ..runs.numbers import MetricStudy
from ..runs.result import Study
from .claims import Claim
from .exhibits import Remark

__all__ = ["CHANGES_NOTHING", "Judge", "same", "under_readings"]


CHANGES_NOTHING = "Readings that change nothing"
"""Title of the remark about them; a report gathers those of all experiments."""


class _Runs(Protocol):
    """Runs of an experiment under one reading, from which claims take their samples."""

    @property
    def study(self) -> Study | MetricStudy: ...

    def with_seeds(self, seeds: Sequence[int]) -> Self: ...


R = TypeVar("R", bound=_Runs)
Judge = Callable[[R], Iterable[Claim]]
"""A function from runs to claims: the same ones for all runs."""


def _same_seeds(base: R, other: R) -> R:
    return base if other.study.seeds == base.study.seeds else base.with_seeds(other.study.seeds)


def under_readings(
    judges: Sequence[Judge[R]], base: R, others: Mapping[str, R], *, beside: Callable[[R, R], R] = _same_seeds
) -> Iterator[Claim | Remark]:
    """The claims about the base runs, then under each other reading, by its name, those that it changes.

    A reading does not touch a claim if the number that decides is the same to the last digit as in the base runs with
    the same seeds; `beside` selects these base runs. Such a verdict is the base's own and is not given again. Each
    claim under a reading has that of the base runs beside it, and is never fitted: printed numbers chose the base. A
    remark names the readings that change no claim.
    """
    idle = []
    for judge in judges:
        yield from judge(base)
    for name, runs in others.items():
        plain = beside(base, runs)
        known = {claim.key: claim for judge in judges for claim in judge(plain)}
        judged = [claim for judge in judges for claim in judge(runs)]
        touched = [claim for claim in judged if not same(claim, known.get(claim.key))]
        for claim in touched:
            verdict = "holds" if claim.verdict == "fitted" else claim.verdict
            yield replace(claim, verdict=verdict, reading=name, beside=known.get(claim.key))
        if judged and not touched:
            idle.append(name)
    if idle:
        yield Remark(
            title=CHANGES_NOTHING,
            text=f"With these every number that decides is the same to the last digit as without: {'; '.join(idle)}.",
        )


def same(claim: Claim, other: Claim | None) -> bool:
    """Whether the number that decides is the same to the last digit."""
    return other is not None and (claim.ours, claim.p, claim.verdict) == (other.ours, other.p, other.verdict)
