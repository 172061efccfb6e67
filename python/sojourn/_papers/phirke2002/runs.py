"""What is run: mixes and hints under each queue and reading, and the numbers of a class of flows, seed by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import polars as pl

from sojourn.claims import Sample, ratio
from sojourn.papers import Context
from sojourn.result import Study

MIXES = (19, 15, 10, 5, 1)
"""Throughput-sensitive flows among 20; the bar chart of the mixes is lost, its text names the ends."""
FLOWS = 20
THROUGHPUT, DELAY = "throughput", "delay"
"""The two classes: groups of mix.toml."""
HINTS = (112, 96, 80, 64, 48, 32, 16)
"""Of the groups of hints.toml, in ms."""
ALPHAS = dict(zip(HINTS, (1.0, 0.917, 0.834, 0.75, 0.67, 0.584, 0.5), strict=True))
"""Table 4.1."""
CLASS_ALPHAS = {THROUGHPUT: 1.0, DELAY: 0.5}

ARED, WORCESTER, BOSTON = "ared", "red_worcester", "red_boston"
NAMES = {ARED: "ARED", WORCESTER: "RED-Worcester", BOSTON: "RED-Boston"}
QUEUES: Mapping[str, Mapping[str, object]] = {
    ARED: {"preset": "ns2", "min_th": "20p", "max_th": "80p", "limit": "120p"},
    WORCESTER: {"preset": "paper"},
    BOSTON: {"preset": "paper"},
}
LINK = "forward"
WARMUP_S, END_S = 20.0, 80.0

PACKET_S = 1.6e-3
"""Transmission of a packet by the router: 1000 B at 5 Mbit/s."""
EMPTY_WAY_S = 50e-3 + PACKET_S + 2 * 0.4e-3
"""One way without waiting: 15, 20 and 15 ms and a transmission at each of the three links."""


@dataclass(frozen=True)
class Reading:
    """What is laid over the queues and over the scenario where the thesis leaves a choice."""

    key: str
    name: str
    queues: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    overrides: Sequence[str] = ()


BASE = Reading("base", "")
STEEP = Reading(
    "steep",
    "max_p rises by 0.1; the target is one value",
    {queue: {"alpha": 0.1, "band": 0.0} for queue in (WORCESTER, BOSTON)},
)
BEFORE = Reading("before", "hints act before RED's spacing", {BOSTON: {"hint_acts": "before_spacing"}})
ALONE = Reading("alone", "hints act without RED's spacing", {BOSTON: {"hint_acts": "alone"}})
GENTLE = Reading("gentle", "RED-Boston is gentle above max_th", {BOSTON: {"preset": "gentle"}})
DELAYED = Reading(
    "delayed",
    "TCP acknowledges every second packet",
    overrides=[f"flow[{group}].transport.ack_every=2" for group in range(len(HINTS))],
)
STANDARD = Reading("rfc", "TFRC by RFC 5348", overrides=('flow[1].transport={ kind = "tfrc", packet = "1000B" }',))


@dataclass
class Runs:
    """One scenario under several queues: each variant is a queue and a case (a mix, say).

    `from_one` has the same with a `max_p` that starts from 1, where that was run.
    """

    study: Study
    from_one: Runs | None = None

    def with_seeds(self, seeds: Sequence[int]) -> Runs:
        """Those of some of the seeds."""
        return Runs(self.study.with_seeds(seeds), self.from_one and self.from_one.with_seeds(seeds))

    def of(self, metric: str, queue: str, case: object, group: str) -> list[float]:
        """A column of the table of groups."""
        return self.study.values(metric, table="group")[_label(queue, case)][group]

    def queue(self, metric: str, queue: str, case: object) -> list[float]:
        """A column of the bottleneck's row of the table of queues."""
        return self.study.values(metric)[_label(queue, case)][LINK]

    def delay(self, queue: str, case: object, group: str) -> list[float]:
        """D: mean time in the router's queue in s, as the one-way delay without the empty way."""
        return [value / 1e3 - EMPTY_WAY_S for value in self.of("delay_mean_ms", queue, case, group)]

    def throughput(self, queue: str, case: object, group: str) -> list[float]:
        """T: of a flow of the group in bit/s."""
        return self.of("throughput_mean_bps", queue, case, group)

    def qos(self, queue: str, case: object, group: str, alpha: float) -> list[float]:
        """Equation 3.3, ``T^alpha / D^beta`` with alpha + beta = 1."""
        pairs = zip(self.throughput(queue, case, group), self.delay(queue, case, group), strict=True)
        return [t**alpha / d ** (1.0 - alpha) for t, d in pairs]

    def normalised_qos(self, queue: str, case: object, group: str, alpha: float) -> list[float]:
        """QoS over that of the same group under ARED, seed by seed."""
        return ratio(self.qos(queue, case, group, alpha), self.qos(ARED, case, group, alpha))

    @cached_property
    def probes(self) -> pl.DataFrame:
        """Traces at the bottleneck: ``queue`` (a variant's label), ``seed``, ``time_s``, ``probe``, ``value``."""
        return self.study.table("probe").filter(pl.col("link") == LINK)

    def traced(self, probe: str, queue: str, case: object) -> list[float]:
        """Mean of a probe over the measured window, seed by seed."""
        rows = self.probes.filter(
            (pl.col("queue") == _label(queue, case)) & (pl.col("probe") == probe) & (pl.col("time_s") >= WARMUP_S)
        )
        means = dict(rows.group_by("seed").agg(pl.col("value").mean()).iter_rows())
        return [float(means.get(seed, float("nan"))) for seed in self.study.seeds]

    def time_to(self, level: Sample, probe: str, queue: str, case: object, *, rising: bool) -> list[float]:
        """When a probe first reaches a level of each seed, in s; NaN if it never does."""
        rows = self.probes.filter((pl.col("queue") == _label(queue, case)) & (pl.col("probe") == probe))
        found = []
        for seed, bound in zip(self.study.seeds, level, strict=True):
            there = pl.col("value") >= bound if rising else pl.col("value") <= bound
            first = rows.filter((pl.col("seed") == seed) & there)["time_s"].min()
            found.append(float(first) if isinstance(first, float) else float("nan"))
        return found


def mixes(context: Context, reading: Reading, queue: str, **settings: object) -> Runs:
    """Both classes in every mix, under a queue and under ARED."""
    cases: dict[object, Sequence[str]] = {
        tcp: [f"flow[0].count={tcp}", f"flow[1].count={FLOWS - tcp}", 'record.probes.every="500ms"'] for tcp in MIXES
    }
    return _run(context, "mix.toml", reading, queue, cases, settings)


def groups(context: Context, reading: Reading) -> Runs:
    """The seven groups under RED-Boston and under ARED."""
    return _run(context, "hints.toml", reading, BOSTON, {"": []}, {})


def _run(
    context: Context,
    file: str,
    reading: Reading,
    queue: str,
    cases: Mapping[object, Sequence[str]],
    settings: Mapping[str, object],
) -> Runs:
    variants = {}
    for kind in (ARED, queue):
        table = {"kind": kind, **QUEUES[kind], **reading.queues.get(kind, {}), **(settings if kind == queue else {})}
        for case, overrides in cases.items():
            own = [f"dumbbell.queue={_inline(table)}", *overrides, *reading.overrides]
            variants[_label(kind, case)] = context.scenario(file, *own)
    key = "-".join([reading.key, *(f"{name}-{value}" for name, value in settings.items())])
    return Runs(context.study(key, variants, seeds=context.seeds(full=50, quick=5)))


def from_both_ends(context: Context, reading: Reading) -> Runs:
    """RED-Worcester in every mix, with a `max_p` that starts from its default, and from 1."""
    return replace(mixes(context, reading, WORCESTER), from_one=mixes(context, reading, WORCESTER, max_p=1.0))


def _label(queue: str, case: object) -> str:
    return f"{queue} {case}".strip()


def _inline(table: Mapping[str, object]) -> str:
    return "{ " + ", ".join(f"{key} = {_value(value)}" for key, value in table.items()) + " }"


def _value(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
