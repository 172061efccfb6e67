"""Where a source is ambiguous: claims under each reading of it, without those that a reading cannot change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol, Self, TypeVar

from ..claims import Claim
from ..result import Study

__all__ = ["Judge", "under_readings"]


class _Runs(Protocol):
    """Runs of an experiment under one reading, from which claims take their samples."""

    @property
    def study(self) -> Study: ...

    def with_seeds(self, seeds: Sequence[int]) -> Self: ...


R = TypeVar("R", bound=_Runs)
Judge = Callable[[R], Iterable[Claim]]
"""Claims about runs: the same texts for whatever runs."""


def under_readings(judges: Sequence[Judge[R]], base: R, others: Mapping[str, R]) -> Iterator[Claim]:
    """The claims about the base runs, then under each other reading, by its name, those that it changes.

    A reading does not touch a claim if the number that decides is the same to the last digit as in the base runs with
    the same seeds. Such a verdict is the base's own and is not given again.
    """
    for judge in judges:
        yield from judge(base)
    for name, runs in others.items():
        plain = base if runs.study.seeds == base.study.seeds else base.with_seeds(runs.study.seeds)
        for judge in judges:
            known = {claim.text: claim for claim in judge(plain)}
            for claim in judge(runs):
                if not _same(claim, known.get(claim.text)):
                    yield replace(claim, reading=name)


def _same(claim: Claim, other: Claim | None) -> bool:
    return other is not None and (claim.ours, claim.p, claim.verdict) == (other.ours, other.p, other.verdict)
