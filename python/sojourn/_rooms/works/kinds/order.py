"""A metric is less at one point than at another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, ClassVar

from ..._base.schema import More, Wrong
from ...statistics.rules import Above, Judgement
from ..claims import Evidence, Inside, Matrix, Sample, combine
from ..design import Design, Point, Results
from .kind import Kind

__all__ = ["Order"]


@dataclass(frozen=True, kw_only=True)
class Order(Kind):
    """A metric is less at one point than at another, in every case of the other axes.

    `by` is at least how much less, in the units of the tables; below 0 it is how much more is allowed. With `mean` the
    mean over the cases is judged instead of each case. With `change_from` the compared number is the change, up or
    down, of the metric from another point of an axis. A difference of less than `equal_within`, up or down, is none:
    where it is shown that there is no larger one, and the order is not, the verdict is *equal*.
    """

    own_bounds: ClassVar[Sequence[str]] = ("by",)

    less: Point
    than: Point
    by: float = 0.0
    mean: bool = False
    change_from: Point = field(default_factory=dict)
    equal_within: Annotated[float, More(0.0)] | None = None

    def check_own(self, design: Design) -> None:
        """See :class:`Kind`."""
        super().check_own(design)
        if self.equal_within is not None and self.by:
            raise Wrong("`by` says already which difference counts", "equal_within")

    def words(self, unit: str) -> str:
        """See :class:`Kind`."""
        over, bound = "the mean over all cases of " if self.mean else "", Above(self.by).words(unit)
        over += f"the change from {self._at(self.change_from)}, up or down, of " if self.change_from else ""
        return (
            f"{over}{self.named} of {self._at(self.than)} less that of {self._at(self.less)}, seed by seed, is {bound}"
        )

    def number(self, case: str) -> str:  # noqa: ARG002
        """See :class:`Kind`."""
        than, less = self._apart(self.than, self.less)
        change = "the change of " if self.change_from else ""
        return f"{change}{than} − {change}{less}"

    def cases(self, results: Results) -> Mapping[str, Evidence]:
        """See :class:`Kind`."""
        return {case: Above(self.by).of(sample) for case, sample in self._apart_by(results).items()}

    @property
    def cases_stand_alone(self) -> bool:
        """See :class:`Kind`: a mean over the cases needs all of them."""
        return super().cases_stand_alone and not self.mean

    def differences(self, results: Results) -> Mapping[str, Sample]:
        """See :class:`Kind`."""
        return {} if self.by or self.equal_within else self._apart_by(results)

    def _apart_by(self, results: Results) -> Mapping[str, Sample]:
        found = self._of(results, self.than) - self._of(results, self.less)
        return {"": found.mean()} if self.mean else found

    def judgement(self, cases: Mapping[str, Evidence], results: Results) -> Judgement:
        """See :class:`Kind`."""
        found = super().judgement(cases, results)
        if self.equal_within is None or found.verdict not in ("undecided", "fails"):
            return found
        rule = Inside(-self.equal_within, self.equal_within)
        same = {case: rule.of(sample) for case, sample in self._apart_by(results).items()}
        equal = combine(same, looks=results.looks)
        if equal.verdict != "holds":
            return found
        words = rule.words(self.unit(results.design))
        note = f"no difference of more than that: the whole interval is {words}"
        return replace(equal, verdict="equal", note=note, holding=found.holding)

    def _of(self, results: Results, at: Point) -> Matrix:
        here = self.numbers(results, at)
        if not self.change_from:
            return here
        return (here - self.numbers(results, {**at, **self.change_from})).each(abs)
