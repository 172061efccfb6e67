"""A metric is less at one point than at another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from ...claims import Evidence, Matrix
from ...rules import Above
from ..design import (
    Point,
    Results,
)
from .kind import Kind

__all__ = ["Order"]


@dataclass(frozen=True, kw_only=True)
class Order(Kind):
    """A metric is less at one point than at another, in every case of the other axes.

    `by` is at least how much less, in the units of the tables; below 0 it is how much more is allowed. With `mean` the
    mean over the cases is judged instead of each case. With `change_from` what is compared is by how much, up or down,
    the metric differs from that at another point of an axis.
    """

    own_bounds: ClassVar[Sequence[str]] = ("by",)

    less: Point
    than: Point
    by: float = 0.0
    mean: bool = False
    change_from: Point = field(default_factory=dict)

    def words(self, unit: str) -> str:
        """As :class:`Kind` has it."""
        over, bound = "the mean over all cases of " if self.mean else "", Above(self.by).words(unit)
        over += f"the change from {self._at(self.change_from)}, up or down, of " if self.change_from else ""
        return (
            f"{over}{self.named} of {self._at(self.than)} less that of {self._at(self.less)}, seed by seed, is {bound}"
        )

    def number(self, case: str) -> str:  # noqa: ARG002
        """As :class:`Kind` has it."""
        than, less = self._apart(self.than, self.less)
        change = "the change of " if self.change_from else ""
        return f"{change}{than} − {change}{less}"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """As :class:`Kind` has it."""
        found = self._of(results, self.than) - self._of(results, self.less)
        samples = {"": found.mean()} if self.mean else found
        return {case: Above(self.by).of(sample) for case, sample in samples.items()}

    def _of(self, results: Results, at: Point) -> Matrix:
        here = self.numbers(results, at)
        if not self.change_from:
            return here
        return (here - self.numbers(results, {**at, **self.change_from})).each(abs)
