"""A metric: one number of a run, or a share that is counted. Sweeps and reproductions have the same.

The kind of a table decides which numbers it can give:

- counters (``queue``, ``reasons``, ``flow``, ``group``, ``medium``) have one value for each link, group or flow;
- distributions (``occupancy``, ``sojourn``, ``latency``) have weighted values, of which `within` or a `statistic` makes
  one;
- series (``over_time``, ``backlog``, ``probe``, ``window``, ``rate``, ``drops``, ``packets``, ``completion``) have
  values at times, of which `within` or a `statistic` makes one, over a part of the time if `from_s` or `to_s` say so.

In a study file::

    [metrics]
    near = { within = [5, 15], row = "bottleneck", unit = "%" }             # P(5 < X <= 15), exact: record.occupancy
    sampled = { within = [5, 15], sampled = true, row = "bottleneck" }      # the same of the samples of record.queue
    VQS = { column = "backlog_sd_packets", row = "bottleneck", power = 2 }  # a variance
    after = { column = "backlog_packets", table = "backlog", statistic = "mean", from_s = 50 }
    ratio = { column = "throughput_mean_bps", table = "group", row = "udp", against = "tcp" }
    share = { column = "throughput_mean_bps", table = "group", row = "udp", fair = "forward" }

    [metrics.prompt]                                                        # the part of the call's packets that took
    table = "latency"                                                       # 50 ms one way at most
    column = "duration_ms"
    row = "call"
    where = { measure = "delay" }
    within = [0, 50]

    [metrics.settling]                                                      # of RED's average, after a step at 25 s
    table = "probe"
    column = "value"
    where = { probe = "avg" }
    statistic = "settling"
    within = [9, 11]
    from_s = 25
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Annotated, Any, Literal, NoReturn

import numpy as np
from numpy.typing import NDArray

from ... import _core
from .._base.registry import read_registry
from .._base.schema import Least, More, Unbounded, Wrong, check, keys, known, table, under
from ..catalogue.columns import described
from ..scenario.scenario import Scenario
from ..statistics.censoring import Censored
from ..statistics.samples import Bounded, Counts, Sample, bounds_of_column
from ..statistics.series import STATISTICS, Series, approach, distance, fraction_within, settling
from .metric_sums import divided, of_rows, raised, summed
from .readout import Readout, Table, labels
from .result import Result
from .tables import Tables

__all__ = ["Metric", "checked", "not_begun", "record_key"]

_FORWARD = "forward"
"""The link of a dumbbell that the first flow's data cross."""
_ALL = "all"
"""The row of ``group`` for all flows."""

_WEIGHTS = {"occupancy": "time_fraction", "sojourn": "packets", "latency": "count"}
"""Distributions: how much each value counts."""
_TIMES = {"completion": "started_s"} | dict.fromkeys(
    ("over_time", "backlog", "probe", "window", "rate", "drops", "packets"), "time_s"
)
"""Series: when each value was."""
_MEASURES = ("delay", "queueing", "rtt", "completion")
"""The times in the table ``latency``."""
_OF_A_WHOLE = ("utilisation", "jain_index")
"""Shares of a whole that are mostly near it."""
_SPREADS = ("sd", "variance", "range", "swing", "period", "settling", "approach", "distance", "count")
"""Statistics that are not below zero whatever they measure, such as a queue's internals."""
_LAST = 0.005
"""Share of a run within which the last sample of a series lies from its end."""
_OVER = ("one", "sum", "mean", "sd", "min", "max", "spread", "jain", "pooled", "total")
_Places = NDArray[np.intp]
"""Numbers of rows of a table."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """A number of a run.

    Attributes
    ----------
    column, table
        The table; ``sojourn list metrics`` shows all. With `within` alone: the backlog in the table ``occupancy``.
    row
        Link, group or flow. A group's name in a table of flows stands for its flows. Without one: the only row, the
        link ``forward`` of a dumbbell, the row ``all`` of ``group``; all rows if `over` is given.
    rows
        Several such names instead of one, for `over`: ``["first", "second"]``.
    where
        Columns that must have a value: ``{"probe": "avg"}``.
    over
        The operation on the numbers of several rows: ``one`` (there must be one), ``sum``, ``mean``, ``sd`` (n - 1),
        ``min``, ``max``, ``spread`` (the largest over the least), ``jain`` (Jain's index). With their values:
        ``pooled``, as if of one row; ``total``, the sum at each time of a series.
    per
        Another column of the table, of which `column` is a share that is counted: lost packets of packets, say. Such a
        share has exact bounds where it is rare.
    together
        How many of the counted things may come together.
    within
        Two bounds: the share of the time, of the samples or of the packets with a < X <= b; for ``settling`` the band.
    sampled
        Whether `within` and `statistic` take the samples of ``record.queue`` in ``occupancy`` instead of the time.
    statistic
        The statistic of a distribution or a series: ``mean``, ``sd``, ``variance``, ``cov`` (sd over mean), ``min``,
        ``max``, ``range``, ``median``, ``last`` or ``count``; ``p1`` and ``p99``, the 1 % and 99 % points, and
        ``swing``, the distance between them; of a series ``period``, that of the strongest part of its spectrum,
        ``settling``, ``distance``, or ``approach``, when it first is within a tenth of the mean that it has from
        `from_s` on.
    hold_s
        ``settling`` is how long after `from_s` the series is outside the band `within` for the last time; with
        `hold_s`, when it begins to stay inside for so long. A series that never settles counts to its end.
    mean_from_s
        The band `within` of ``settling`` is in parts of the mean that the series has from this time on.
    from_s, to_s
        Part of the time of a series, in seconds: times of more than `from_s` up to `to_s`.
    against
        The number is divided by that of another row, or of this metric with other attributes: ``"tcp"``,
        ``{"to_s": 50}``.
    fair, among
        A link: the number is divided by the fair share of its capacity, of one of all flows or of those of some groups.
    target
        ``distance`` is the mean distance of a series from it.
    less
        A number that is subtracted, such as the delay of the empty path.
    times
        A factor of the rest.
    odds
        Whether a share x becomes x / (1 - x): dropped over enqueued, of dropped over arrived.
    power
        The power of each run's number: 2 makes a variance of a standard deviation.
    never
        Times of this length or more were never reached: the run ended first. For ``settling`` the run gives it.
    unit
        To show it in; see :func:`sojourn.claims.factor`.
    absent
        Whether a run may lack the row; its number is NaN then.
    name
        The metric as the user wrote it, where metrics have no other names.
    """

    column: str = ""
    table: str = ""
    row: str | None = None
    rows: Sequence[str] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    over: str = "one"
    per: str = ""
    together: Annotated[float, More(0.0)] = 1.0
    within: Sequence[Annotated[float, Unbounded()]] = ()
    sampled: bool = False
    statistic: str = ""
    hold_s: Annotated[float, Least(0.0)] | None = None
    mean_from_s: Annotated[float, Least(0.0)] | None = None
    from_s: Annotated[float, Least(0.0)] | None = None
    to_s: Annotated[float, More(0.0)] | None = None
    against: str | Mapping[str, Any] = ""
    fair: str = ""
    among: Sequence[str] = ()
    target: float | None = None
    less: float = 0.0
    times: float = 1.0
    odds: bool = False
    power: float = 1.0
    never: float | None = None
    unit: str = ""
    absent: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        with under(place=self._place):
            check(type(self), vars(self))
            if not self.column and self.within and self.table in ("", "occupancy"):
                object.__setattr__(self, "column", "backlog_packets")
                object.__setattr__(self, "table", "occupancy")
            object.__setattr__(self, "table", self.table or "queue")
            if not self.column and self.statistic == "count":
                object.__setattr__(self, "column", _TIMES.get(self.table, ""))
            _check(self)

    @property
    def better(self) -> Literal["more", "less", ""]:
        """Which direction is better; empty where that depends on the purpose."""
        if self.within or self.against or self.fair or self.statistic not in ("", "mean", "median", "max"):
            return ""
        wanted = described(self.column).wanted
        return "" if wanted == "neither" else wanted

    def of(self, result: Result) -> float:
        """Its value in a run; NaN where the run has none.

        Raises
        ------
        ValueError
            If there is no such row or table, or several and none is named.
        """
        return self.sample([self.parts(result)])[0]

    @property
    def is_recorded(self) -> bool:
        """Whether its table is there only where ``[record]`` of a scenario asks for it."""
        return bool(record_key(self.table))

    def try_on(self, run: Readout) -> None:
        """Refuse a table or a row that runs of a scenario do not have, by one that was not begun (:func:`not_begun`).

        Raises
        ------
        ValueError
            With the names that there are.
        """
        self.parts(run)
        # A distribution or a series has no rows yet: its links and groups are those of the counters.
        counters = {"link": "queue", "group": "group"}.get(" ".join(labels(self.table)))
        if self.row is not None and counters and not self.absent and self.row != _ALL:
            names = [" ".join(label) for label in run.table(counters).rows]
            with under(place=self._place):
                known(self.row, names, f"row of {self.table}", "row")

    def parts(self, run: Result | Readout) -> tuple[float, ...]:
        """The kept part of a run: its value, or two counts."""
        result = run if isinstance(run, Readout) else Readout(run)
        if self.per:
            return self._combined(result, self.column), self._combined(result, self.per)
        value = (self._combined(result, self.column) - self.less) * self.times
        if self.odds:
            value = divided(value, 1.0 - value)
        if self.against:
            value = divided(value, self._other._combined(result, self._other.column))
        if self.fair:
            value = divided(value, self._fair_share(result))
        return (value if self.power == 1.0 else raised(value, self.power),)

    def sample(self, runs: Sequence[tuple[float, ...]], *, duration_s: float = math.inf) -> Sample:
        """The sample of runs of some length, of each of which the parts are given."""
        limit = self.limit(duration_s)
        if math.isfinite(limit):
            return Censored([run[0] for run in runs], limit, self.bounds)
        if self.per:
            return Counts([run[0] for run in runs], [run[1] for run in runs], together=self.together)
        return Bounded([run[0] for run in runs], self.bounds)

    def limit(self, duration_s: float) -> float:
        """From where on a time was never reached in a run of that length; infinite where it is no such time."""
        if self.never is not None:
            return self.never
        plain = not (self.against or self.fair or self.odds) and self.times > 0.0 and self.power == 1.0
        if self.statistic != "settling" or self.over not in ("one", "pooled", "total") or not plain:
            return math.inf
        span = min(duration_s, math.inf if self.to_s is None else self.to_s) - (self.from_s or 0.0)
        # A series that enters the band later than `hold_s` before the end cannot stay in it for long enough; the last
        # sample of a series may be somewhat before the end of the run.
        return (span - max(self.hold_s or 0.0, _LAST * span) / 2.0 - self.less) * self.times

    @property
    def bounds(self) -> tuple[float, float]:
        """Bounds of its value in any run: a share from 0 to 1, an amount from 0 on."""
        spread = self.statistic in _SPREADS
        if self.less or (self.table == "probe" and not spread and not self.within):
            return (-math.inf, math.inf)
        if self._is_index:
            return (0.0, 1.0)
        plain = not (self.against or self.fair or self.odds) and (self.times, self.power) == (1.0, 1.0)
        within = bool(self.within) and self.statistic != "settling"
        plain_share = bounds_of_column(self.column) == (0.0, 1.0) and not spread and self.statistic != "count"
        share = within or plain_share
        return (0.0, 1.0) if share and plain and self.over not in ("sum", "total", "spread") else (0.0, math.inf)

    @property
    def whole(self) -> float | None:
        """The value of a full link, or of flows that share evenly (Jain's index); None for any other number.

        Queues differ by how much is missing: most links are nearly full, and most indices are near 1.
        """
        plain = not (self.less or self.against or self.fair or self.odds or self.within) and self.power == 1.0
        return self.times if self._is_index or (self.column in _OF_A_WHOLE and plain and not self.statistic) else None

    @property
    def _is_index(self) -> bool:
        """Whether it is Jain's index of several rows."""
        changed = self.against or self.fair or self.odds or self.per or (self.times, self.power) != (1.0, 1.0)
        return self.over == "jain" and not changed and not self.less

    @cached_property
    def _other(self) -> Metric:
        """The metric by whose number its own is divided."""
        changed = {"row": self.against} if isinstance(self.against, str) else dict(self.against)
        return replace(self, **{"against": "", **changed})

    def _fair_share(self, result: Readout) -> float:
        capacity = Metric(column="capacity_bps", row=self.fair).parts(result)[0]
        groups = result.raw.column("flow", "group")
        return capacity / sum(not self.among or group in self.among for group in groups)

    def _combined(self, result: Readout, column: str) -> float:
        if self.table not in result.raw:
            self.refuse_table()
        table = result.table(self.table)
        chosen = list(self._rows(table).values())
        if self.over in ("pooled", "total"):
            chosen = [np.concatenate(chosen)] if chosen else [np.array([], np.intp)]
        if self._is_plain:
            numbers = table.numbers(column)[[rows[0] for rows in chosen if len(rows)]].tolist() if chosen else []
        else:
            weight = "sampled_fraction" if self.sampled else _WEIGHTS.get(self.table, "")
            every = [table.series(rows, column, _TIMES.get(self.table, ""), weight) for rows in chosen]
            numbers = [self._number(summed(rows) if self.over == "total" else rows) for rows in every]
        if not numbers:
            # An event that never happened has no row.
            return 0.0 if self.table == "reasons" or self.statistic == "count" else math.nan
        return numbers[0] if self.over in ("one", "pooled", "total") else of_rows(self.over, numbers)

    @property
    def _is_plain(self) -> bool:
        """Whether it is simply the first value of a row."""
        return not (self.statistic or self.within or self.over == "total")

    def _number(self, rows: Series) -> float:
        """One number of a link's, a group's or a flow's values."""
        if self.statistic == "settling":
            low, high = self.within
            if self.mean_from_s is not None:
                mean = STATISTICS["mean"](rows.since(self.mean_from_s))
                low, high = sorted((low * mean, high * mean))
            return settling(rows, low, high, since=self.from_s or 0.0, hold=self.hold_s)
        if self.statistic == "approach":
            return approach(rows, since=self.from_s or 0.0)
        if self.statistic == "distance" and self.target is not None:
            return distance(rows, self.target)
        if self.within:
            low, high = self.within
            return fraction_within(rows, low, high)
        return STATISTICS[self.statistic](rows) if self.statistic else float(rows.values[0])

    def _rows(self, table: Table) -> Mapping[str, NDArray[np.intp]]:
        """The numbers of the requested rows, by label."""
        keep = self._kept(table)
        return self._chosen(
            dict(table.rows) if keep is None else {label: rows[keep[rows]] for label, rows in table.rows.items()}
        )

    def refuse_table(self) -> NoReturn:
        """Report that the runs lack the table, with the key that would record it."""
        key = record_key(self.table)
        hint = f"set record.{key} in the scenario" if key else ""
        raise Wrong(f"the runs have no table {self.table!r}", "table", place=self._place, hint=hint)

    def _kept(self, table: Table) -> NDArray[np.bool_] | None:
        """The rows that are selected by `where`, `from_s` and `to_s`; None for all."""
        keep = [table.has(key, wanted) for key, wanted in self.where.items()]
        if (self.from_s is not None or self.to_s is not None) and self.statistic != "approach":
            times = table.numbers(_TIMES[self.table]) if self.table in _TIMES else np.zeros(len(table))
            keep.append((self.from_s or 0.0) < times)
            keep.append(times <= (math.inf if self.to_s is None else self.to_s))
        return np.logical_and.reduce(keep) if keep else None

    def _chosen(self, found: Mapping[tuple[str, ...], _Places]) -> Mapping[str, _Places]:
        """The rows that are meant; an error that names them if it is not clear."""
        rows = {" ".join(label): values for label, values in found.items() if len(values) or not self.where}
        if self.row is not None or self.rows:
            names = self.rows if self.row is None else [self.row]
            rows = {label: places for name in names for label, places in self._named(name, found, rows).items()}
        elif self.over == "one":
            link = {
                name: rows[name] for name in rows if name.split(" ")[0] == _FORWARD and "link" in labels(self.table)
            }
            rows = {_ALL: rows[_ALL]} if self.table == "group" and _ALL in rows else link or rows
        if self.over == "one" and len(rows) > 1:
            raise Wrong("say which row, or how they combine", "row", place=self._place, allowed=", ".join(rows))
        return {name: values for name, values in rows.items() if len(values)}

    def _named(
        self, name: str, found: Mapping[tuple[str, ...], _Places], rows: Mapping[str, _Places]
    ) -> Mapping[str, _Places]:
        """The row of this name, or all rows that have it as a part of theirs."""
        parts = {" ".join(label): values for label, values in found.items() if name in label and len(values)}
        chosen = {name: rows[name]} if name in rows else parts
        if not chosen and rows and not self.absent:
            with under(place=self._place):
                known(name, rows, f"row of {self.table}", "rows" if self.rows else "row")
        return chosen

    @property
    def _place(self) -> str:
        return f"metric {self.name or self.column}"


# ---- Checks that the requested values exist.


def record_key(table: str) -> str:
    """The key of ``[record]`` that asks for a table; empty if it is there without."""
    return next((one["record"] or "" for one in read_registry()["tables"] if one["name"] == table), "")


def not_begun(scenario: Scenario) -> Readout:
    """A run of a scenario before its first event: its counters have all rows, its series none."""
    tables = Tables(_core.Simulation(scenario.resolved_json, 1).tables())
    return Readout(Result(scenario=scenario, seed=1, version="", tables=tables, captures={}))


def checked(content: Any, name: str) -> Metric:
    """A metric of the table ``metrics`` of a file, by its name there; an error has the path."""
    with under("metrics", name):
        keys(table(content), [one.name for one in fields(Metric) if one.name != "name"])
        try:
            return Metric(**content, name=name)
        except Wrong as wrong:
            # The path says the name.
            wrong.place = wrong.place.removeprefix(f"metric {name}").removeprefix(": ")
            raise


def _check(metric: Metric) -> None:
    found = {one["name"]: [column["name"] for column in one["metrics"]] for one in read_registry()["tables"]}
    known(metric.table, found, "table", "table")
    columns = found[metric.table]
    for key in ("column", *(["per"] if metric.per else [])):
        known(getattr(metric, key), columns, f"column of the table {metric.table}", key)
    for key in metric.where:
        known(key, [*columns, "group"], f"column of the table {metric.table}", "where", key)
    if metric.table == "latency" and "measure" in metric.where:
        known(metric.where["measure"], _MEASURES, "measure of the table latency", "where", "measure")
    known(metric.over, _OVER, "way to take several rows together", "over")
    if metric.statistic:
        known(metric.statistic, [*STATISTICS, "settling", "distance", "approach"], "statistic", "statistic")
    if metric.within and (len(metric.within) != 2 or not metric.within[0] < metric.within[1]):
        raise Wrong("`within` is two numbers, the lower one first", "within", found=list(metric.within))
    _check_statistic(metric)
    _check_rest(metric)


def _check_statistic(metric: Metric) -> None:
    """Keys that go together for a table with many values, and for one with one."""
    if metric.statistic == "settling" and not metric.within:
        raise Wrong("`settling` needs the band that is not left: within = [low, high]", "statistic")
    for key in ("mean_from_s", "hold_s"):
        if getattr(metric, key) is not None and metric.statistic != "settling":
            raise Wrong(f"`{key}` is for `settling`", key)
    if (metric.statistic == "distance") != (metric.target is not None):
        raise Wrong("`distance` and `target` go together", "target" if metric.target is not None else "statistic")
    many = metric.table in _WEIGHTS or metric.table in _TIMES
    if many and not metric.statistic and not metric.within:
        raise Wrong(f"{metric.table} has many values", hint="say how they become one value: `statistic` or `within`")
    if not many and (metric.statistic or metric.within):
        key = "statistic" if metric.statistic else "within"
        raise Wrong(f"{metric.table} has one value for each row: no `statistic`, no `within`", key)
    if metric.table not in _TIMES and (metric.from_s is not None or metric.to_s is not None):
        raise Wrong(
            f"{metric.table} has no times; a part of the time is asked of a series, such as backlog",
            "from_s" if metric.from_s is not None else "to_s",
        )
    if metric.to_s is not None and not (metric.from_s or 0.0) < metric.to_s:
        raise Wrong("a part of the time ends after it begins", "to_s", allowed=f"numbers above {metric.from_s:g}")


def _check_rest(metric: Metric) -> None:
    """Check the use of the number, and that no key is without effect."""
    if metric.sampled and metric.table != "occupancy":
        raise Wrong("`sampled` is for the table occupancy", "sampled")
    if metric.rows and (metric.row is not None or metric.over == "one"):
        raise Wrong("`rows` are taken together by `over`, without `row`", "rows")
    changed = metric.less or metric.odds or (metric.times, metric.power) != (1.0, 1.0)
    if metric.per and (metric.against or metric.fair or changed):
        raise Wrong("a share that is counted (`per`) is taken as it is: no `against`, `fair` or `power`", "per")
    if metric.together != 1.0 and not metric.per:
        raise Wrong("`together` is for a share that is counted, which `per` makes", "together")
    if metric.among and not metric.fair:
        raise Wrong("`among` is for `fair`", "among")
    if metric.odds and replace(metric, odds=False, against="", fair="").bounds != (0.0, 1.0):
        raise Wrong("only a share such as loss_ratio has odds; this is not a share", "odds")
    if isinstance(metric.against, Mapping):
        keys_of_metric = [one.name for one in fields(Metric) if one.name not in ("name", "against")]
        with under("against"):
            keys(metric.against, keys_of_metric)
    if metric.against:
        try:
            _ = metric._other
        except Wrong as wrong:
            raise Wrong(f"the metric that it is divided by: {wrong.what}", "against", *wrong.path) from None
