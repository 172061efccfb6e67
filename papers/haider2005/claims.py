"""Haider, Sirisena and Pawlikowski 2005, "Hybrid Random Early Detection", TR-COSC 02/05: experiments and claims.

README.md says what is stated, derived and ambiguous; expected.toml has the printed numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import altair as alt
import polars as pl

from sojourn.claims import Claim, Sample, above, below, every, inside
from sojourn.exhibits import Chart, Number, Numbers
from sojourn.papers import Context, Finding, Paper
from sojourn.plots.parts import inline, layout
from sojourn.result import Study
from sojourn.scenario import Scenario
from sojourn.stats import mean_interval

PAPER = Paper(
    title="Hybrid RED: gentle RED that also looks at the queue itself",
    citation="Haider, Sirisena, Pawlikowski: TR-COSC 02/05, University of Canterbury, 2005",
)

THETAS = (1, 2, 3, 4, 5)
XIS = (1.1, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
TRACED_XIS = (1.25, 2.0)
BASELINES = ("red", "ared", "lpf_oda")
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


@dataclass(frozen=True)
class Reading:
    """One way to read what the paper leaves open: settings laid over the experiment's."""

    label: str
    queue: str
    settings: Mapping[str, object] = field(default_factory=dict)
    transport: Mapping[str, object] = field(default_factory=dict)
    file: str = ""


@dataclass(frozen=True)
class Sweep:
    """Hybrid RED over theta and xi, under one reading of how often the memory is cut while the queue stays short."""

    thetas: Sequence[int]
    cut_once: bool

    @property
    def suffix(self) -> str:
        """What tells the second reading apart in claims and headings."""
        return "" if self.cut_once else " (cut at every short arrival)"

    def label(self, theta: int, xi: float) -> str:
        """Label of a cell, as in expected.toml."""
        return f"{theta}, {xi:g}" + ("" if self.cut_once else ", every")

    def cells(self) -> list[str]:
        """Labels of all cells."""
        return [self.label(theta, xi) for theta in self.thetas for xi in XIS]


ONCE = Sweep(THETAS, cut_once=True)
EVERY = Sweep((1, 2, 3), cut_once=False)
hybrid = ONCE.label


def queue_settings(label: str) -> dict[str, object]:
    """The queue that a label stands for."""
    if label in {"red", "ared"}:
        return {"kind": label, **RED}
    if label == "lpf_oda":
        return {"kind": label, "preset": "paper", "cut_once": True}
    theta, xi, *every = label.split(", ")
    return {"kind": "hybrid_red", "preset": "paper", "theta": int(theta), "xi": float(xi), "cut_once": not every}


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
    """The runs of an experiment: every queue of the paper with the same seeds."""

    study: Study

    @cached_property
    def loss(self) -> dict[str, list[float]]:
        """Dropped over enqueued packets (equation 6.1), by queue and in the order of the seeds."""
        dropped, arrived = self._column("drops_packets"), self._column("arrivals_packets")
        return {
            label: [lost / (came - lost) for lost, came in zip(dropped[label], arrived[label], strict=True)]
            for label in dropped
        }

    @cached_property
    def utilisation(self) -> dict[str, list[float]]:
        """Bits sent over bits that the link could have sent (equation 6.2)."""
        return self._column("utilisation")

    def _column(self, name: str) -> dict[str, list[float]]:
        return {label: rows[LINK] for label, rows in self.study.values(name).items()}

    @cached_property
    def averages(self) -> pl.DataFrame:
        """The traced averages: ``queue``, ``seed``, ``time_s``, ``value``."""
        traced = self.study.table("probe").filter((pl.col("link") == LINK) & (pl.col("probe") == "avg"))
        return traced.select("queue", "seed", "time_s", "value")

    def traced(self, label: str, what: pl.Expr, *, since_s: float = SETTLED_S) -> list[float]:
        """One number from the trace of each seed."""
        rows = self.averages.filter((pl.col("queue") == label) & (pl.col("time_s") >= since_s))
        by_seed = dict(rows.group_by("seed").agg(what.alias("found")).iter_rows())
        return [float(by_seed.get(seed, float("nan"))) for seed in self.study.seeds]


def minus(values: Sample, other: Sample, factor: float = 1.0) -> list[float]:
    """Differences seed by seed, `factor` times the second."""
    return [value - factor * base for value, base in zip(values, other, strict=True)]


def mean_over(cells: Mapping[str, Sample], labels: Sequence[str]) -> list[float]:
    """Mean of several queues, seed by seed."""
    return [sum(values) / len(labels) for values in zip(*(cells[label] for label in labels), strict=True)]


def run_all(context: Context, file: str) -> Runs:
    """RED, ARED, LPF/ODA and the sweeps of Hybrid RED."""
    labels = [*BASELINES, *ONCE.cells(), *EVERY.cells()]
    traced = {*BASELINES, *(hybrid(theta, xi) for theta in THETAS for xi in TRACED_XIS)}
    variants = {label: variant(context, file, queue_settings(label), trace=label in traced) for label in labels}
    return Runs(context.study("queues", variants, seeds=context.seeds(full=100, quick=10)))


# Tables.


def published_tables(context: Context, runs: Runs, experiment: str, sweep: Sweep) -> Numbers:
    """Tables 6.1 to 6.4 beside ours; for the second reading 6.2 to 6.4."""
    expected = context.expected[experiment]
    doubtful = expected.get("doubtful", {})
    queues = expected["queues"] if sweep.cut_once else {}
    numbers = []
    for cell, printed in {**queues, **expected["hybrid"]}.items():
        eta, eta_error, delta, delta_error = (value * POINT for value in printed)
        label = cell if cell in queues or sweep.cut_once else f"{cell}, every"
        row = cell if cell in queues else f"hybrid ({cell})"
        mark = "*" if cell in queues and cell in doubtful else ""
        payload = [value * PAYLOAD_SHARE for value in runs.utilisation[label]]
        numbers += [
            Number(
                row=row,
                column="utilisation",
                ours=runs.utilisation[label],
                published=eta,
                error=eta_error,
                unit="%",
                mark=mark,
            ),
            Number(row=row, column="its payload", ours=payload, unit="%"),
            Number(row=row, column="loss", ours=runs.loss[label], published=delta, error=delta_error, unit="%"),
        ]
    notes = [f"* {row}: {note}" for row, note in doubtful.items() if row in queues]
    text = (
        "Utilisation in bits (equation 6.2) and lost over enqueued packets (equation 6.1), over all 50 s. Payload is "
        "the utilisation without headers (1000 of 1040 B): a count of packets divided by the rate over 1000 B gives it."
    )
    title = f"Tables 6.{1 if sweep.cut_once else 2} to 6.4{sweep.suffix}"
    return Numbers(title=title, numbers=numbers, text="\n\n".join([text, *notes]))


def readings_table(context: Context, file: str, readings: Sequence[Reading]) -> Numbers:
    """What the paper leaves open, read in both ways."""
    variants = {
        reading.label: variant(context, reading.file or file, queue_settings_of(reading), transport=reading.transport)
        for reading in readings
    }
    runs = Runs(context.study("readings", variants, seeds=context.seeds(full=100, quick=10)))
    numbers = []
    for label in variants:
        numbers += [
            Number(row=label, column="utilisation", ours=runs.utilisation[label], unit="%"),
            Number(row=label, column="loss", ours=runs.loss[label], unit="%"),
        ]
    return Numbers(
        title="What the paper leaves open, read in both ways",
        numbers=numbers,
        rows_are="reading",
        text="Each row changes one thing against the reading above that it is compared with; same seeds.",
    )


def queue_settings_of(reading: Reading) -> dict[str, object]:
    """The queue of a reading."""
    if reading.queue == "fifo":
        return {"kind": "fifo", "limit": "50p"}
    return {**queue_settings(reading.queue), **reading.settings}


def readings(*, forward: str = "") -> list[Reading]:
    """TCP variant, regions without a test (and with none), restarted runs; with a second file where new flows go."""
    recommended = hybrid(1, 1.25)
    found = [
        Reading("red", "red"),
        Reading("red, newreno", "red", transport={"recovery": "newreno"}),
        Reading("red, reno", "red", transport={"recovery": "reno"}),
        Reading("red, delayed ACKs", "red", transport={"ack_every": 2}),
        Reading("red, 960 B of payload", "red", transport={"packet": "1000B"}),
        Reading("red, windows of 15", "red", transport={"window": "15p"}),
        Reading("red, not gentle", "red", {"above": "strict"}),
        Reading("red, no wait", "red", {"count": "on"}),
        Reading("red, max_p 0.02", "red", {"max_p": 0.02}),
        Reading("lpf_oda", "lpf_oda"),
        Reading("lpf_oda, newreno", "lpf_oda", transport={"recovery": "newreno"}),
        Reading("lpf_oda, cut again every 3 arrivals", "lpf_oda", {"cut_once": False}),
        Reading(f"hybrid ({recommended})", recommended),
        Reading(f"hybrid ({recommended}), newreno", recommended, transport={"recovery": "newreno"}),
        Reading(f"hybrid ({recommended}), region 10 only", recommended, {"untested": "10"}),
        Reading(f"hybrid ({recommended}), no region", recommended, {"untested": "none"}),
        Reading("hybrid (3, 2)", hybrid(3, 2.0)),
        Reading("hybrid (3, 2), cut at every short arrival", hybrid(3, 2.0), {"cut_once": False}),
        Reading("hybrid (3, 2), cut every 3 short arrivals", hybrid(3, 2.0), {"cut_once": False, "restart_run": True}),
        Reading("fifo (pseudo-code taken literally)", "fifo"),
    ]
    if forward:
        found += [
            Reading("red, new flows forward", "red", file=forward),
            Reading("ared, new flows forward", "ared", file=forward),
            Reading("lpf_oda, new flows forward", "lpf_oda", file=forward),
            Reading(f"hybrid ({recommended}), new flows forward", recommended, file=forward),
        ]
    return found


# Charts.


def against_xi(values: Mapping[str, Sample], what: str, experiment: str) -> Chart:
    """Figures 6.13, 6.20, 6.39 and 6.46: a metric against xi for each theta, with RED's and its interval."""
    rows = []
    for theta in THETAS:
        for xi in XIS:
            interval = mean_interval(values[hybrid(theta, xi)])
            rows.append((f"theta {theta}", xi * (1 + 0.004 * (theta - 3)), interval))
    frame = pl.DataFrame(
        [
            {"theta": theta, "xi": xi, "mean": 100 * i.mean, "low": 100 * i.low, "high": 100 * i.high}
            for theta, xi, i in rows
        ]
    )
    red = mean_interval(values["red"])
    level = pl.DataFrame([{"queue": "RED", "mean": 100 * red.mean, "low": 100 * red.low, "high": 100 * red.high}])
    x = alt.X("xi:Q", title="xi", scale=alt.Scale(zero=False))
    colour = alt.Color("theta:N", title=None)
    y_title = f"{what} (%)"
    lines = alt.Chart(inline(frame, "sweep")).encode(x=x, color=colour)
    band = alt.Chart(inline(level, "red"))
    chart = alt.layer(
        band.mark_rect(opacity=0.12).encode(y=alt.Y("low:Q", title=y_title, scale=alt.Scale(zero=False)), y2="high:Q"),
        band.mark_rule(strokeDash=[4, 3]).encode(y="mean:Q"),
        lines.mark_rule(strokeWidth=1.5).encode(y="low:Q", y2="high:Q"),
        lines.mark_line(strokeWidth=1.5).encode(y="mean:Q"),
        lines.mark_point(filled=True, size=40).encode(y="mean:Q", shape=alt.Shape("theta:N", title=None)),
    ).properties(height=260, width="container", usermeta=layout(), description=f"{what} against xi, {experiment}")
    return Chart(
        title=f"{what} against xi",
        chart=chart,
        text=f"Hybrid RED for each theta with 95 % intervals (points of equal xi stand side by side); dashed, with its "
        f"interval as a band: RED. Compare with figures {'6.13 and 6.20' if experiment == 'H1' else '6.39 and 6.46'}.",
    )


def traces(runs: Runs, experiment: str) -> Chart:
    """Figures 6.21 to 6.32 and 6.47 to 6.59: the average queue over time, one run each."""
    labels = [*BASELINES, *(hybrid(theta, xi) for xi in TRACED_XIS for theta in THETAS)]
    first = runs.study.seeds[0]
    names = {label: label if label in BASELINES else f"hybrid ({label})" for label in labels}
    frame = (
        runs.averages.filter((pl.col("seed") == first) & pl.col("queue").is_in(labels))
        .with_columns(pl.col("queue").replace(names), pl.col("value").round(2), pl.col("time_s").round(2))
        .select("queue", "time_s", "value")
    )
    line = (
        alt.Chart()
        .mark_line(strokeWidth=1)
        .encode(
            x=alt.X("time_s:Q", title="Time (s)"),
            y=alt.Y("value:Q", title="Average (packets)", scale=alt.Scale(domainMin=0)),
        )
    )
    bounds = [
        alt.Chart().mark_rule(strokeDash=[4, 3], opacity=0.6).encode(y=alt.datum(level)) for level in (MIN_TH, MAX_TH)
    ]
    chart = (
        alt.layer(line, *bounds)
        .properties(height=90, data=inline(frame, "averages"))
        .facet(facet=alt.Facet("queue:N", sort=list(names.values()), title=None), columns=2)
        .properties(
            usermeta=layout(columns=2),
            description=f"Average queue over time, {experiment}",
        )
    )
    figures = "6.21 to 6.32" if experiment == "H1" else "6.47 to 6.59"
    return Chart(
        title="The average queue over time",
        chart=chart,
        text=f"One run each (seed {first}), every 0.1 s; dashed: the thresholds. Compare with figures {figures}.",
    )


# Claims. The bounds come from the paper: 0.05 points is about half of the error that table 6.1 prints for the losses of
# topology 1 (0.06 to 0.18, read as the width from least to greatest) and a good third of what the text calls a gain.

MARGIN = 0.05 * POINT


def claims_b1(runs: Runs) -> Iterator[Claim]:
    """B1: the order of RED, ARED and LPF/ODA in topology 1."""
    loss, eta = runs.loss, runs.utilisation
    order = {
        "LPF/ODA against ARED": minus(loss["lpf_oda"], loss["ared"]),
        "ARED against RED": minus(loss["ared"], loss["red"]),
    }
    yield Claim.judged(
        "B1: loss of LPF/ODA < ARED < RED",
        every(order, below),
        rule="both paired differences of the loss are below 0",
        source="table 6.1",
        unit="points",
        note=_means(loss, *BASELINES),
    )
    for other in ("ared", "lpf_oda"):
        yield Claim.judged(
            f"B1: utilisation of RED > {other}",
            above(minus(eta["red"], eta[other])),
            rule="the paired difference of the utilisation is above 0",
            source="table 6.1",
            unit="points",
            note=f"{_means(eta, 'red', other)}; the printed value times 1040/1000 is "
            + ("99.20" if other == "ared" else "98.73")
            + ", as if only payload had been counted for this row",
        )


def claims_b2(runs: Runs, sweep: Sweep) -> Iterator[Claim]:
    """B2: Hybrid RED with theta 1 against RED."""
    cells = {f"xi {xi:g}": sweep.label(1, xi) for xi in XIS}
    less = {name: minus(runs.loss[label], runs.loss["red"]) for name, label in cells.items()}
    no_less = {name: minus(runs.utilisation[label], runs.utilisation["red"]) for name, label in cells.items()}
    yield Claim.judged(
        f"B2: Hybrid RED (theta 1) loses less than RED, for every xi{sweep.suffix}",
        every(less, below),
        rule="every paired difference of the loss from RED is below 0",
        source="tables 6.1, 6.2",
        unit="points",
    )
    yield Claim.judged(
        f"B2: Hybrid RED (theta 1) does not use less of the link than RED{sweep.suffix}",
        every(no_less, above, -MARGIN),
        rule="every paired difference of the utilisation from RED is above -0.05 points",
        source="tables 6.1, 6.2",
        unit="points",
    )


def claims_b3(runs: Runs, sweep: Sweep) -> Iterator[Claim]:
    """B3: the loss falls with xi and levels out."""
    pooled = {xi: mean_over(runs.loss, [sweep.label(theta, xi) for theta in sweep.thetas]) for xi in XIS}
    steps = {f"{low:g} to {high:g}": minus(pooled[high], pooled[low]) for low, high in pairwise(XIS)}
    yield Claim.judged(
        f"B3: loss does not rise with xi{sweep.suffix}",
        every(steps, below, MARGIN),
        rule="for each step of xi, the paired difference of the loss (mean over theta) is below 0.05 points",
        source="tables 6.2 to 6.4, figure 6.13",
        unit="points",
    )
    yield Claim.judged(
        f"B3: loss falls from xi 1.1 to 1.5{sweep.suffix}",
        above(minus(pooled[1.1], pooled[1.5])),
        rule="the paired difference of the loss (mean over theta) is above 0",
        source="tables 6.2 to 6.4",
        unit="points",
        published=0.11 * POINT,
    )
    fall, rest = minus(pooled[1.1], pooled[1.5]), minus(pooled[1.5], pooled[3.0])
    yield Claim.judged(
        f"B3: loss levels out beyond xi 1.5{sweep.suffix}",
        every({"fall": minus(rest, fall, 0.25), "rise": minus([-value for value in rest], fall, 0.25)}, below),
        rule="the change from xi 1.5 to 3, up or down, is less than a quarter of the fall from 1.1 to 1.5",
        source="tables 6.2 to 6.4",
        unit="points",
        note=f"fall from 1.5 to 3: {_percent(rest)}, from 1.1 to 1.5: {_percent(fall)}",
    )


def claims_b4(runs: Runs, sweep: Sweep) -> Iterator[Claim]:
    """B4: utilisation rises with xi in topology 2, loss hardly changes."""
    pooled = {xi: mean_over(runs.utilisation, [sweep.label(theta, xi) for theta in sweep.thetas]) for xi in XIS}
    yield Claim.judged(
        f"B4: utilisation rises from xi 1.1 to 3{sweep.suffix}",
        above(minus(pooled[3.0], pooled[1.1])),
        rule="the paired difference of the utilisation (mean over theta) is above 0",
        source="tables 6.2 to 6.4, figure 6.46",
        unit="points",
        published=1.17 * POINT,
    )
    cells = sweep.cells()
    middle = mean_over(runs.loss, cells)
    apart = {f"hybrid ({label})": minus(runs.loss[label], middle) for label in cells}
    yield Claim.judged(
        f"B4: loss differs by less than 0.2 points across the sweep{sweep.suffix}",
        every(apart, inside, -0.1 * POINT, 0.1 * POINT),
        rule="every cell's paired difference from the mean of the sweep lies within 0.1 points",
        source="tables 6.2 to 6.4, figure 6.39",
        unit="points",
        note=_extremes(runs.loss, cells),
    )


def claims_b5(runs: Runs) -> Iterator[Claim]:
    """B5: the traces of topology 1."""
    low, high = pl.col("value").quantile(0.01), pl.col("value").quantile(0.99)
    rule = f"from {SETTLED_S:g} s on; least and greatest are the 1 % and 99 % points of the trace of a run"
    source = "figures 6.21 to 6.32"
    ends = {"least, above 5": runs.traced("red", low - MIN_TH), "greatest, below 15": runs.traced("red", MAX_TH - high)}
    yield Claim.judged(
        "B5: RED's average stays between the thresholds",
        every(ends, above),
        rule=rule,
        source=source,
        unit="packets",
        note=_range(runs, "red"),
    )
    swing = {
        "least, from 1": [value - 1.0 for value in runs.traced("lpf_oda", low)],
        "greatest, from 12": [value - 12.0 for value in runs.traced("lpf_oda", high)],
    }
    yield Claim.judged(
        "B5: LPF/ODA's average swings between about 1 and 12",
        every(swing, inside, -2.0, 2.0),
        rule=f"{rule}; they are within 2 packets of 1 and of 12",
        source=source,
        unit="packets",
        note=_range(runs, "lpf_oda"),
    )
    width = high - low
    grows = {
        f"theta {theta}": minus(runs.traced(hybrid(theta, 2.0), width), runs.traced(hybrid(theta, 1.25), width))
        for theta in THETAS
    }
    yield Claim.judged(
        "B5: Hybrid RED's swing grows with xi",
        every(grows, above),
        rule=f"{rule}; for each theta greatest minus least is more with xi 2 than with 1.25 (paired)",
        source=source,
        unit="packets",
        note=f"{_range(runs, hybrid(1, 1.25))}; {_range(runs, hybrid(1, 2.0))}",
    )


def claims_b6(runs: Runs) -> Iterator[Claim]:
    """B6: after the load step ARED comes closer to its target."""
    off = (pl.col("value") - TARGET).abs().mean()
    distance = {label: runs.traced(label, off, since_s=STEP_S) for label in BASELINES}
    for other in ("red", "lpf_oda"):
        yield Claim.judged(
            f"B6: after the load step ARED's average is closer to its target than {other}'s",
            below(minus(distance["ared"], distance[other])),
            rule=f"from {STEP_S:g} s on the mean distance from {TARGET:g} packets is less than the other's (paired)",
            source="figures 6.47 to 6.49",
            unit="packets",
            note=", ".join(f"{label} {mean_interval(distance[label]).mean:.2f}" for label in BASELINES),
        )


def _means(values: Mapping[str, Sample], *labels: str) -> str:
    return ", ".join(f"{label} {100 * mean_interval(values[label]).mean:.3f} %" for label in labels)


def _percent(sample: Sample) -> str:
    return f"{100 * mean_interval(sample).mean:.3f} points"


def _extremes(values: Mapping[str, Sample], labels: Sequence[str]) -> str:
    means = {label: mean_interval(values[label]).mean for label in labels}
    least, most = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    return f"from {100 * means[least]:.3f} % at ({least}) to {100 * means[most]:.3f} % at ({most})"


def _range(runs: Runs, label: str) -> str:
    low = mean_interval(runs.traced(label, pl.col("value").quantile(0.01))).mean
    high = mean_interval(runs.traced(label, pl.col("value").quantile(0.99))).mean
    return f"{label if label in BASELINES else f'hybrid ({label})'} {low:.1f} to {high:.1f}"


@PAPER.experiment("H1", "topology 1: three long flows through 10 Mbit/s, nothing changes")
def static(context: Context) -> Iterator[Finding]:
    """Claims B1, B2, B3 and B5."""
    runs = run_all(context, "H1.toml")
    yield from claims_b1(runs)
    yield published_tables(context, runs, "H1", ONCE)
    yield published_tables(context, runs, "H1", EVERY)
    for sweep in (ONCE, EVERY):
        yield from claims_b2(runs, sweep)
        yield from claims_b3(runs, sweep)
    yield from claims_b5(runs)
    yield against_xi(runs.loss, "Loss", "H1")
    yield against_xi(runs.utilisation, "Utilisation", "H1")
    yield traces(runs, "H1")
    yield readings_table(context, "H1.toml", readings())


@PAPER.experiment("H2", "topology 2: two-way traffic through 1.5 Mbit/s, twenty more flows from 25 s on")
def dynamic(context: Context) -> Iterator[Finding]:
    """Claims B4 and B6."""
    runs = run_all(context, "H2.toml")
    yield published_tables(context, runs, "H2", ONCE)
    yield published_tables(context, runs, "H2", EVERY)
    for sweep in (ONCE, EVERY):
        yield from claims_b4(runs, sweep)
    yield from claims_b6(runs)
    yield against_xi(runs.loss, "Loss", "H2")
    yield against_xi(runs.utilisation, "Utilisation", "H2")
    yield traces(runs, "H2")
    yield readings_table(context, "H2.toml", readings(forward="H2-forward.toml"))
