"""What is run: the queues, the sweeps of Hybrid RED, and the numbers that tables, charts and claims are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from sojourn.claims import Sample
from sojourn.papers import Context
from sojourn.result import Study
from sojourn.scenario import Scenario

from .readings import BASE, HYBRID, THETAS, Reading

XIS = (1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
TRACED_XIS = (1.25, 2.0)
BASELINES = ("red", "ared", "lpf_oda")
NAMES = {"red": "RED", "ared": "ARED", "lpf_oda": "LPF/ODA"}
LINK = "bottleneck"

# ns-2 adds 40 B of headers to the 1000 B; a count of packets that takes 1000 B for the size of all is short by this.
PAYLOAD_SHARE = 1000 / 1040

MIN_TH, MAX_TH = 5.0, 15.0
TARGET = (MIN_TH + MAX_TH) / 2
POINT = 0.01
"""A percentage point, in shares."""

# The first seconds of a trace are slow start from an empty average, which no claim is about.
SETTLED_S = 5.0
STEP_S = 25.0

RED = {"preset": "ns2", "min_th": "5p", "max_th": "15p", "w_q": 0.002, "limit": "50p"}


def hybrid(theta: int, xi: float) -> str:
    """Label of a cell of Hybrid RED's sweep, as in expected.toml."""
    return f"{theta}, {xi:g}"


def queue_settings(label: str) -> dict[str, object]:
    """The queue that a label stands for."""
    if label in {"red", "ared"}:
        return {"kind": label, **RED}
    if label == "lpf_oda":
        return {"kind": label, "preset": "paper", "cut_once": True}
    theta, xi = label.split(", ")
    return {"kind": HYBRID, "preset": "paper", "theta": int(theta), "xi": float(xi), "cut_once": True}


def queue_under(reading: Reading, label: str) -> dict[str, object]:
    """The queue that a label stands for under a reading."""
    queue = queue_settings(label)
    if queue["kind"] == HYBRID and not reading.xis_matter:
        return {"kind": "fifo", "limit": "50p"}
    return {**queue, **reading.queues.get(str(queue["kind"]), {})}


def variant(
    context: Context,
    file: str,
    queue: Mapping[str, object],
    *,
    transport: Mapping[str, object] | None = None,
    trace: bool = False,
) -> Scenario:
    """A scenario file with another queue and other settings of all transports, and with a trace of the average."""
    overrides = [f"link[0].queue={_inline(queue)}"]
    if transport:
        groups = len(context.scenario(file).resolved()["flow"])
        overrides += [
            f"flow[{group}].transport.{key}={_value(value)}"
            for group in range(groups)
            for key, value in transport.items()
        ]
    if trace:
        overrides.append("record.probes.every=100ms")
    return context.scenario(file, *overrides)


def _inline(table: Mapping[str, object]) -> str:
    return "{ " + ", ".join(f"{key} = {_value(value)}" for key, value in table.items()) + " }"


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


@dataclass
class Runs:
    """The runs of an experiment under one reading: every queue of the paper with the same seeds.

    What the reading does not touch is that of `rest`.
    """

    study: Study
    thetas: Sequence[int] = THETAS
    rest: Runs | None = None

    @cached_property
    def loss(self) -> dict[str, list[float]]:
        """Dropped over enqueued packets (equation 6.1), by queue and in the order of the seeds."""
        dropped, arrived = self._column("drops_packets"), self._column("arrivals_packets")
        own = {
            label: [lost / (came - lost) for lost, came in zip(dropped[label], arrived[label], strict=True)]
            for label in dropped
        }
        return (self.rest.loss if self.rest else {}) | own

    @cached_property
    def utilisation(self) -> dict[str, list[float]]:
        """Bits sent over bits that the link could have sent (equation 6.2)."""
        return (self.rest.utilisation if self.rest else {}) | self._column("utilisation")

    def _column(self, name: str) -> dict[str, list[float]]:
        return {label: rows[LINK] for label, rows in self.study.values(name).items()}

    @cached_property
    def averages(self) -> pl.DataFrame:
        """The traced averages: ``queue``, ``seed``, ``time_s``, ``value``."""
        traced = self.study.table("probe").filter((pl.col("link") == LINK) & (pl.col("probe") == "avg"))
        return traced.select("queue", "seed", "time_s", "value")

    def traced(self, label: str, what: pl.Expr, *, since_s: float = SETTLED_S) -> list[float]:
        """One number from the trace of each seed."""
        if self.rest and label not in self.study.variants:
            return self.rest.traced(label, what, since_s=since_s)
        rows = self.averages.filter((pl.col("queue") == label) & (pl.col("time_s") >= since_s))
        by_seed = dict(rows.group_by("seed").agg(what.alias("found")).iter_rows())
        return [float(by_seed.get(seed, float("nan"))) for seed in self.study.seeds]


def mean_over(cells: Mapping[str, Sample], labels: Sequence[str]) -> list[float]:
    """Mean of several queues, seed by seed."""
    return [sum(values) / len(labels) for values in zip(*(cells[label] for label in labels), strict=True)]


def run_all(context: Context, file: str, reading: Reading = BASE, rest: Runs | None = None) -> Runs:
    """RED, ARED, LPF/ODA and the sweep of Hybrid RED; of a reading with `rest`, what it touches."""
    labels = [*BASELINES, *(hybrid(theta, xi) for theta in reading.thetas for xi in XIS)]
    if rest:
        labels = [label for label in labels if queue_settings(label)["kind"] in reading.touches]
    traced = {*BASELINES, *(hybrid(theta, xi) for theta in THETAS for xi in TRACED_XIS)}
    variants = {
        label: variant(
            context,
            reading.file or file,
            queue_under(reading, label),
            transport=reading.transport,
            trace=label in traced and reading.xis_matter,
        )
        for label in labels
    }
    done = context.study(reading.key, variants, seeds=context.seeds(full=100, quick=10))
    return Runs(done, reading.thetas, rest)


def run_readings(context: Context, file: str, readings: Sequence[Reading], base: Runs) -> dict[str, Runs]:
    """The runs of readings by their keys; one that stands over another comes after it."""
    done: dict[str, Runs] = {}
    for reading in readings:
        rest = done[reading.over.key] if reading.over else base
        done[reading.key] = run_all(context, file, reading, rest)
    return done


def name(label: str) -> str:
    """A queue's label as people say it."""
    return NAMES.get(label, f"Hybrid RED ({label})")
