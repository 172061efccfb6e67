"""Samples, one value for each seed, and quantities computed from them seed by seed.

A sample in which all runs are equal says little about how far the next run may lie from them. Two kinds say more and
are told apart here: differences and ratios of runs that do vary (:class:`Paired`; if they are equal all the same, the
runs are the same), and shares of things that were counted (:class:`Counts`), for which there are exact bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import overload

from ..catalogue.columns import described
from .censoring import Apart, Censored
from .intervals import Interval, mean_interval, share_interval
from .modes import median_interval, two_modes

__all__ = [
    "Bounded",
    "Counts",
    "Matrix",
    "Paired",
    "Sample",
    "bounds_of",
    "bounds_of_column",
    "changed",
    "chosen",
    "column_interval",
    "factor",
    "first",
    "interval_of",
    "minus",
    "one_of",
    "ratio",
    "seen",
    "some_cut",
    "steps",
    "times",
    "varies",
    "with_unit",
]

Sample = Sequence[float]
"""One value for each seed; NaN where a run has none."""


Bounds = tuple[float, float]
"""The bounds of a number in any run."""

ANYTHING: Bounds = (-math.inf, math.inf)


class Bounded(list[float]):
    """Values of something that cannot lie outside of `bounds`: a rate is not below zero, a share not above one.

    Its interval ends there, too. An interval holds the true mean in 95 of 100 cases; without the part of it where no
    mean can be, it still does.
    """

    def __init__(self, values: Iterable[float], bounds: Bounds) -> None:
        super().__init__(values)
        self.bounds = bounds


class Paired(list[float]):
    """A quantity that is computed from samples seed by seed.

    Attributes
    ----------
    varied
        Whether each sample that it was computed from differs from seed to seed.
    seen
        Whether none of these is zero in every run.
    bounds
        The bounds of the result in any run; see :class:`Bounded`.
    apart
        For times that some runs never reached: the samples that are compared, for a test by ranks.
    cut
        Whether times that were never reached are in it in another way, such as in a mean: then it has no value.
    """

    def __init__(
        self, values: Iterable[float], *, of: Iterable[Sample], bounds: Bounds = ANYTHING, apart: Apart | None = None
    ) -> None:
        super().__init__(values)
        parts = list(of)
        self.varied: bool = all(varies(sample) for sample in parts)
        self.seen: bool = all(seen(sample) for sample in parts)
        self.bounds: Bounds = bounds
        self.cut: bool = apart is None and any(map(some_cut, parts))
        self.apart: Apart | None = None if self.cut else apart


def some_cut(sample: Sample) -> bool:
    """Whether times that were never reached are in a sample: it has their limit in their place."""
    return bool(getattr(sample, "never", 0) or getattr(sample, "apart", None) or getattr(sample, "cut", False))


class Counts(Sequence[float]):
    """Shares of things that were counted in each run, such as packets lost of packets sent.

    Attributes
    ----------
    events, trials
        The number of events and of trials, for each seed.
    together
        How many may come together, such as the packets of a block that cannot be repaired: the bounds take a group of
        this size for one event.
    """

    def __init__(self, events: Sample, trials: Sample, *, together: float = 1.0) -> None:
        self.events: list[float] = list(events)
        self.trials: list[float] = list(trials)
        self.together: float = together
        self._shares = [
            event / trial if trial else math.nan for event, trial in zip(self.events, self.trials, strict=True)
        ]

    @overload
    def __getitem__(self, place: int) -> float: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[float]: ...
    def __getitem__(self, place: int | slice) -> float | Sequence[float]:
        return self._shares[place]

    def __len__(self) -> int:
        return len(self._shares)

    def interval(self, level: float) -> Interval:
        """See :func:`sojourn.stats.share_interval`."""
        return share_interval(self.events, self.trials, together=self.together, level=level)


def varies(sample: Sample) -> bool:
    """Whether the runs differ, or the samples that it was computed from."""
    finite = [value for value in sample if math.isfinite(value)]
    return getattr(sample, "varied", False) or any(value != finite[0] for value in finite)


def seen(sample: Sample) -> bool:
    """Whether a run has a value other than zero, in the sample and in those that it was computed from."""
    return bool(getattr(sample, "seen", any(value != 0.0 for value in sample if math.isfinite(value))))


def bounds_of(sample: Sample) -> Bounds:
    """The bounds of its values in any run."""
    found: Bounds = (0.0, 1.0) if isinstance(sample, Counts) else getattr(sample, "bounds", ANYTHING)
    return found


def bounds_of_column(column: str) -> Bounds:
    """The bounds of the values of a column, as the registry says: a share is from 0 to 1, an amount from 0 on.

    >>> bounds_of_column("loss_ratio"), bounds_of_column("sojourn_mean_ms"), bounds_of_column("value")
    ((0.0, 1.0), (0.0, inf), (-inf, inf))
    """
    return described(column).bounds


def column_interval(column: str, values: Iterable[float]) -> Interval:
    """Mean and 95 % interval of a column's values, one for each run; it is cut at the bounds of the column."""
    return interval_of(Bounded(values, bounds_of_column(column)))


def first(sample: Sample, runs: int) -> Sample:
    """The first runs of a sample.

    >>> first([3.0, 4.0, 5.0], 2)
    [3.0, 4.0]
    """
    if len(sample) <= runs:
        return sample
    if isinstance(sample, Counts):
        return Counts(sample.events[:runs], sample.trials[:runs], together=sample.together)
    if isinstance(sample, Censored):
        return Censored(sample[:runs], sample.limit, sample.bounds)
    return Bounded(sample[:runs], bounds_of(sample))


def chosen(sample: Sample, places: Sequence[int]) -> Sample:
    """The runs of a sample at some places, of which one may be named twice.

    >>> chosen([3.0, 4.0, 5.0], [2, 0, 2])
    [5.0, 3.0, 5.0]
    """
    if isinstance(sample, Counts):
        events, trials = ([side[place] for place in places] for side in (sample.events, sample.trials))
        return Counts(events, trials, together=sample.together)
    values = [sample[place] for place in places]
    if isinstance(sample, Censored):
        return Censored(values, sample.limit, sample.bounds)
    return Bounded(values, bounds_of(sample))


def interval_of(sample: Sample, *, level: float = 0.95) -> Interval:
    """Mean and interval, exact bounds for :class:`Counts`; it is cut at :func:`bounds_of`.

    For a sample with two modes it is the median's (:mod:`statistics.modes`), with the mean in it.

    >>> interval_of(Bounded([0.0, 1.0, 5.0], (0.0, math.inf))).low
    0.0
    """
    found = sample.interval(level) if isinstance(sample, Counts) else mean_interval(sample, level=level)
    if two_modes(sample):
        low, high = median_interval(sample, level=level)
        ends = min(low, found.mean), max(high, found.mean)
        found = replace(found, half_width=(ends[1] - ends[0]) / 2.0, ends=ends)
    least, most = bounds_of(sample)
    if math.isnan(found.half_width) or (found.low >= least and found.high <= most):
        return found
    # A mean of runs is in its interval, whatever the bounds.
    return replace(found, ends=(max(found.low, min(least, found.mean)), min(found.high, max(most, found.mean))))


def minus(values: Sample, other: Sample, factor: float = 1.0) -> Paired:
    """Differences seed by seed, `factor` times the second.

    >>> minus([3.0, 5.0], [1.0, 2.0], 2.0)
    [1.0, 1.0]
    """
    form = (value - factor * base for value, base in zip(values, other, strict=True))
    return Paired(form, of=(values, other), apart=_comparison(values, other, factor=factor))


def _comparison(values: Sample, other: Sample, *, is_ratio: bool = False, factor: float = 1.0) -> Apart | None:
    """Two samples of times themselves can be compared by ranks; quantities computed from such times cannot."""
    formed = any(some_cut(side) and not getattr(side, "never", 0) for side in (values, other))
    return None if formed else Apart.of(values, other, is_ratio=is_ratio, factor=factor)


def opposite(sample: Sample) -> Paired:
    """Every value with the other sign.

    >>> opposite([3.0, -5.0])
    [-3.0, 5.0]
    """
    least, most = bounds_of(sample)
    return Paired((-value for value in sample), of=(sample,), bounds=(-most, -least), apart=_changed(sample, -1.0))


def changed(sample: Sample, change: Callable[[float], float]) -> Paired:
    """Every value changed alike.

    >>> changed([3.0, -5.0], abs)
    [3.0, 5.0]
    """
    return Paired(map(change, sample), of=(sample,))


def _changed(sample: Sample, scale: float, shift: float = 0.0) -> Apart | None:
    apart: Apart | None = getattr(sample, "apart", None)
    return apart and apart.changed(scale, shift)


def ratio(values: Sample, other: Sample) -> Paired:
    """Ratios seed by seed; NaN where the second is zero.

    >>> ratio([3.0, 5.0], [2.0, 5.0])
    [1.5, 1.0]
    """
    pairs = zip(values, other, strict=True)
    form = (value / base if base else math.nan for value, base in pairs)
    apart = _comparison(values, other, is_ratio=True)
    return Paired(form, of=(values, other), bounds=_not_below_zero(values, other), apart=apart)


def times(values: Sample, other: Sample) -> Paired:
    """Products seed by seed.

    >>> times([3.0, 5.0], [1.0, 2.0])
    [3.0, 10.0]
    """
    form = (value * other_one for value, other_one in zip(values, other, strict=True))
    return Paired(form, of=(values, other), bounds=_not_below_zero(values, other))


def _not_below_zero(*samples: Sample) -> Bounds:
    """Bounds of ratios and products: they are not below zero if the factors are not."""
    return (0.0, math.inf) if all(bounds_of(sample)[0] >= 0.0 for sample in samples) else ANYTHING


def steps(cases: Mapping[str, Sample]) -> dict[str, Sample]:
    """How much each case differs from the one before, seed by seed.

    >>> steps({"ten": [1.0, 2.0], "twenty": [4.0, 3.0]})
    {'twenty against ten': [3.0, 1.0]}
    """
    return {f"{after} against {before}": minus(cases[after], cases[before]) for before, after in pairwise(cases)}


_FACTORS = {"%": 100.0, "points": 100.0, "us": 1e3, "kbit/s": 1e-3, "Mbit/s": 1e-6, "Gbit/s": 1e-9}


def factor(unit: str) -> float:
    """The factor by which a number of the tables is multiplied to be shown in `unit`.

    Shares are 0 to 1 in the tables; their differences are shown in points.

    >>> factor("%"), factor("packets")
    (100.0, 1.0)
    """
    return _FACTORS.get(unit, 1.0)


def with_unit(text: str, unit: str) -> str:
    """A number as it is shown with its unit, of which there may be one.

    >>> with_unit("1", "packets"), with_unit("12.5", "packets"), with_unit("1", "ms"), with_unit("3", "")
    ('1 packet', '12.5 packets', '1 ms', '3')
    """
    return one_of(f"{text} {unit}".rstrip()) if text == "1" else f"{text} {unit}".rstrip()


def one_of(text: str) -> str:
    """The singular of a word for several: the last word without its plural, if it is a word and no unit.

    >>> one_of("1 UDP flows"), one_of("1 entries"), one_of("1 ms"), one_of("1 Mbit/s")
    ('1 UDP flow', '1 entry', '1 ms', '1 Mbit/s')
    """
    head, _, word = text.rpartition(" ")
    if len(word) < 4 or not word.isalpha() or not word.endswith("s") or word.endswith("ss"):
        return text
    return f"{head} {word[:-3]}y" if word.endswith("ies") else f"{head} {word[:-1]}"


class Matrix(Mapping[str, Sample]):
    """A metric by case and seed; the cases are in an order.

    Arithmetic goes case by case and seed by seed: ``red - drop_tail`` is the matrix of paired differences.

    Examples
    --------
    >>> loss = Matrix({"10 flows": [0.01, 0.02], "20 flows": [0.04, 0.05]})
    >>> dict((loss - Matrix({"10 flows": [0.0, 0.01], "20 flows": [0.0, 0.0]})).steps())
    {'20 flows against 10 flows': [0.03, 0.04]}
    """

    def __init__(self, cells: Mapping[str, Sample]) -> None:
        self._cells = dict(cells)

    def __getitem__(self, case: str) -> Sample:
        return self._cells[case]

    def __iter__(self) -> Iterator[str]:
        return iter(self._cells)

    def __len__(self) -> int:
        return len(self._cells)

    def _with(self, other: Mapping[str, Sample], form: Callable[[Sample, Sample], Sample]) -> Matrix:
        if set(other) != set(self):
            raise ValueError(f"the cases differ: {', '.join(self)} and {', '.join(other)}")
        return Matrix({case: form(sample, other[case]) for case, sample in self.items()})

    def __sub__(self, other: Mapping[str, Sample]) -> Matrix:
        return self._with(other, minus)

    def __truediv__(self, other: Mapping[str, Sample]) -> Matrix:
        return self._with(other, ratio)

    def __or__(self, other: Mapping[str, Sample]) -> Matrix:
        return Matrix({**self, **other})

    def each(self, change: Callable[[float], float]) -> Matrix:
        """Every value changed alike, such as into another unit."""
        return Matrix({case: changed(sample, change) for case, sample in self.items()})

    def linear(self, scale: float, shift: float) -> Matrix:
        """``scale * x + shift`` in place of every value x."""
        return Matrix(
            {
                case: Paired(
                    (scale * value + shift for value in sample), of=(sample,), apart=_changed(sample, scale, shift)
                )
                for case, sample in self.items()
            }
        )

    def only(self, wanted: Iterable[str]) -> Matrix:
        """Some of the cases, in the order in which they are named."""
        return Matrix({case: self[case] for case in wanted})

    def steps(self) -> Matrix:
        """How much each case differs from the one before."""
        return Matrix(steps(self))

    def ends(self) -> Matrix:
        """The last case less the first."""
        first, *_, last = self
        return Matrix({f"{last} against {first}": minus(self[last], self[first])})

    def off_line(self, places: Mapping[str, float]) -> Matrix:
        """How far the cases between lie from the straight line through the outermost, as shares of its rise.

        `places` says where each case lies on the other axis.
        """
        first, *between, last = self
        rise = minus(self[last], self[first])
        found: dict[str, Sample] = {}
        for case in between:
            share = (places[case] - places[first]) / (places[last] - places[first])
            found[case] = ratio(minus(minus(self[case], self[first]), rise, share), changed(rise, abs))
        return Matrix(found)

    def mean(self) -> Sample:
        """The mean over the cases, seed by seed."""
        columns = zip(*self.values(), strict=True)
        ends = [bounds_of(sample) for sample in self.values()]
        bounds = (min(least for least, _ in ends), max(most for _, most in ends)) if ends else ANYTHING
        return Paired((math.fsum(values) / len(self) for values in columns), of=self.values(), bounds=bounds)
