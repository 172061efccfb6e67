"""Haider, Sirisena and Pawlikowski 2005, "Hybrid Random Early Detection", TR-COSC 02/05: experiments and claims.

README.md says what is stated, derived and ambiguous; expected.toml has the printed numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import polars as pl

from sojourn.claims import Claim, Sample, above, below, every, inside, minus
from sojourn.papers import Context, Finding, Paper, Remark
from sojourn.reproduce import same
from sojourn.stats import mean_interval

from . import charts, tables
from .readings import BASE, EVERY, HYBRID, OF_PATHS, OF_QUEUES, Reading
from .runs import (
    BASELINES,
    MAX_TH,
    MIN_TH,
    POINT,
    SETTLED_S,
    STEP_S,
    TARGET,
    XIS,
    Runs,
    hybrid,
    mean_over,
    name,
    run_all,
    run_readings,
)

PAPER = Paper(
    title="Hybrid RED: gentle RED that also looks at the queue itself",
    citation="Haider, Sirisena, Pawlikowski: TR-COSC 02/05, University of Canterbury, 2005",
)

Judge = Callable[[Runs], Iterator[Claim]]

# Claims. The bounds come from the paper: 0.05 points is about half of the error that table 6.1 prints for the losses of
# topology 1 (0.06 to 0.18, read as the width from least to greatest) and a good third of what the text calls a gain.

MARGIN = 0.05 * POINT


def claims_b1_loss(runs: Runs) -> Iterator[Claim]:
    """B1: the order of RED, ARED and LPF/ODA in topology 1."""
    loss = runs.loss
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


def claims_b1_utilisation(other: str) -> Judge:
    """B1: RED uses more of the link than another queue in topology 1."""

    def judge(runs: Runs) -> Iterator[Claim]:
        eta = runs.utilisation
        yield Claim.judged(
            f"B1: utilisation of RED > {name(other)}",
            above(minus(eta["red"], eta[other])),
            rule="the paired difference of the utilisation is above 0",
            source="table 6.1",
            unit="points",
            note=f"{_means(eta, 'red', other)}; the printed value times 1040/1000 is "
            + ("99.20" if other == "ared" else "98.73")
            + ", as if only payload had been counted for this row",
        )

    return judge


def claims_b2(runs: Runs) -> Iterator[Claim]:
    """B2: Hybrid RED with theta 1 against RED."""
    cells = {f"xi {xi:g}": hybrid(1, xi) for xi in XIS}
    less = {name: minus(runs.loss[label], runs.loss["red"]) for name, label in cells.items()}
    no_less = {name: minus(runs.utilisation[label], runs.utilisation["red"]) for name, label in cells.items()}
    yield Claim.judged(
        "B2: Hybrid RED (theta 1) loses less than RED, for every xi",
        every(less, below),
        rule="every paired difference of the loss from RED is below 0",
        source="tables 6.1, 6.2",
        unit="points",
    )
    yield Claim.judged(
        "B2: Hybrid RED (theta 1) does not use less of the link than RED",
        every(no_less, above, -MARGIN),
        rule="every paired difference of the utilisation from RED is above -0.05 points",
        source="tables 6.1, 6.2",
        unit="points",
    )


def claims_b3(runs: Runs) -> Iterator[Claim]:
    """B3: the loss falls with xi and levels out."""
    pooled = {xi: mean_over(runs.loss, [hybrid(theta, xi) for theta in runs.thetas]) for xi in XIS}
    steps = {f"{low:g} to {high:g}": minus(pooled[high], pooled[low]) for low, high in pairwise(XIS)}
    yield Claim.judged(
        "B3: loss does not rise with xi",
        every(steps, below, MARGIN),
        rule="for each step of xi, the paired difference of the loss (mean over theta) is below 0.05 points",
        source="tables 6.2 to 6.4, figure 6.13",
        unit="points",
    )
    yield Claim.judged(
        "B3: loss falls from xi 1.1 to 1.5",
        above(minus(pooled[1.1], pooled[1.5])),
        rule="the paired difference of the loss (mean over theta) is above 0",
        source="tables 6.2 to 6.4",
        unit="points",
        published=0.11 * POINT,
    )
    fall, rest = minus(pooled[1.1], pooled[1.5]), minus(pooled[1.5], pooled[3.0])
    yield Claim.judged(
        "B3: loss levels out beyond xi 1.5",
        every({"fall": minus(rest, fall, 0.25), "rise": minus([-value for value in rest], fall, 0.25)}, below),
        rule="the change from xi 1.5 to 3, up or down, is less than a quarter of the fall from 1.1 to 1.5",
        source="tables 6.2 to 6.4",
        unit="points",
        note=f"fall from 1.5 to 3: {_percent(rest)}, from 1.1 to 1.5: {_percent(fall)}",
    )


def claims_b4(runs: Runs) -> Iterator[Claim]:
    """B4: utilisation rises with xi in topology 2, loss hardly changes."""
    pooled = {xi: mean_over(runs.utilisation, [hybrid(theta, xi) for theta in runs.thetas]) for xi in XIS}
    yield Claim.judged(
        "B4: utilisation rises from xi 1.1 to 3",
        above(minus(pooled[3.0], pooled[1.1])),
        rule="the paired difference of the utilisation (mean over theta) is above 0",
        source="tables 6.2 to 6.4, figure 6.46",
        unit="points",
        published=1.17 * POINT,
    )
    cells = [hybrid(theta, xi) for theta in runs.thetas for xi in XIS]
    middle = mean_over(runs.loss, cells)
    apart = {name(label): minus(runs.loss[label], middle) for label in cells}
    yield Claim.judged(
        "B4: loss differs by less than 0.2 points across the sweep",
        every(apart, inside, -0.1 * POINT, 0.1 * POINT),
        rule="every cell's paired difference from the mean of the sweep lies within 0.1 points",
        source="tables 6.2 to 6.4, figure 6.39",
        unit="points",
        note=_extremes(runs.loss, cells),
    )


LEAST, GREATEST = pl.col("value").quantile(0.01), pl.col("value").quantile(0.99)
TRACE = f"from {SETTLED_S:g} s on; least and greatest are the 1 % and 99 % points of the trace of a run"
TRACES = "figures 6.21 to 6.32"


def claims_b5_red(runs: Runs) -> Iterator[Claim]:
    """B5: RED's trace in topology 1."""
    ends = {
        "least, above 5": runs.traced("red", LEAST - MIN_TH),
        "greatest, below 15": runs.traced("red", MAX_TH - GREATEST),
    }
    yield Claim.judged(
        "B5: RED's average stays between the thresholds",
        every(ends, above),
        rule=TRACE,
        source=TRACES,
        unit="packets",
        note=_range(runs, "red"),
    )


def claims_b5_lpf_oda(runs: Runs) -> Iterator[Claim]:
    """B5: LPF/ODA's trace in topology 1."""
    swing = {
        "least, from 1": [value - 1.0 for value in runs.traced("lpf_oda", LEAST)],
        "greatest, from 12": [value - 12.0 for value in runs.traced("lpf_oda", GREATEST)],
    }
    yield Claim.judged(
        "B5: LPF/ODA's average swings between about 1 and 12",
        every(swing, inside, -2.0, 2.0),
        rule=f"{TRACE}; they are within 2 packets of 1 and of 12",
        source=TRACES,
        unit="packets",
        note=_range(runs, "lpf_oda"),
    )


def claims_b5_hybrid(runs: Runs) -> Iterator[Claim]:
    """B5: Hybrid RED's traces in topology 1."""
    width = GREATEST - LEAST
    grows = {
        f"theta {theta}": minus(runs.traced(hybrid(theta, 2.0), width), runs.traced(hybrid(theta, 1.25), width))
        for theta in runs.thetas
    }
    yield Claim.judged(
        "B5: Hybrid RED's swing grows with xi",
        every(grows, above),
        rule=f"{TRACE}; for each theta greatest minus least is more with xi 2 than with 1.25 (paired)",
        source=TRACES,
        unit="packets",
        note=f"{_range(runs, hybrid(1, 1.25))}; {_range(runs, hybrid(1, 2.0))}",
    )


def claims_b6(other: str) -> Judge:
    """B6: after the load step ARED comes closer to its target than another queue."""

    def judge(runs: Runs) -> Iterator[Claim]:
        off = (pl.col("value") - TARGET).abs().mean()
        distance = {label: runs.traced(label, off, since_s=STEP_S) for label in ("ared", other)}
        yield Claim.judged(
            f"B6: after the load step ARED's average is closer to its target than {name(other)}'s",
            below(minus(distance["ared"], distance[other])),
            rule=f"from {STEP_S:g} s on the mean distance from {TARGET:g} packets is less than the other's (paired)",
            source="figures 6.47 to 6.49",
            unit="packets",
            note=", ".join(f"{name(label)} {mean_interval(distance[label]).mean:.2f}" for label in distance),
        )

    return judge


def _means(values: Mapping[str, Sample], *labels: str) -> str:
    return ", ".join(f"{name(label)} {100 * mean_interval(values[label]).mean:.3f} %" for label in labels)


def _percent(sample: Sample) -> str:
    return f"{100 * mean_interval(sample).mean:.3f} points"


def _extremes(values: Mapping[str, Sample], labels: Sequence[str]) -> str:
    means = {label: mean_interval(values[label]).mean for label in labels}
    least, most = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    return f"from {100 * means[least]:.3f} % at ({least}) to {100 * means[most]:.3f} % at ({most})"


def _range(runs: Runs, label: str) -> str:
    low = mean_interval(runs.traced(label, pl.col("value").quantile(0.01))).mean
    high = mean_interval(runs.traced(label, pl.col("value").quantile(0.99))).mean
    return f"{name(label)} {low:.1f} to {high:.1f}"


# Each claim with the kinds of queues that it is about: a reading that touches one of them gives it another verdict.


@dataclass(frozen=True)
class Judged:
    """A claim, whom it is about, and whether it compares columns of the sweep."""

    judge: Judge
    about: frozenset[str]
    across_xi: bool = False

    def touched(self, reading: Reading) -> bool:
        """Whether the verdict may be another under this reading."""
        return bool(self.about & reading.touches) and (reading.xis_matter or not self.across_xi)


H1_CLAIMS = (
    Judged(claims_b1_loss, frozenset({"red", "ared", "lpf_oda"})),
    Judged(claims_b1_utilisation("ared"), frozenset({"red", "ared"})),
    Judged(claims_b1_utilisation("lpf_oda"), frozenset({"red", "lpf_oda"})),
    Judged(claims_b2, frozenset({"red", HYBRID})),
    Judged(claims_b3, frozenset({HYBRID}), across_xi=True),
    Judged(claims_b5_red, frozenset({"red"})),
    Judged(claims_b5_lpf_oda, frozenset({"lpf_oda"})),
    Judged(claims_b5_hybrid, frozenset({HYBRID}), across_xi=True),
)
H2_CLAIMS = (
    Judged(claims_b4, frozenset({HYBRID}), across_xi=True),
    Judged(claims_b6("red"), frozenset({"ared", "red"})),
    Judged(claims_b6("lpf_oda"), frozenset({"ared", "lpf_oda"})),
)
H1_READINGS = OF_QUEUES
H2_READINGS = tuple(reading for reading in OF_QUEUES if reading.xis_matter) + OF_PATHS


def verdicts(
    claims: Sequence[Judged], base: Runs, readings: Sequence[Reading], runs: Mapping[str, Runs]
) -> Iterator[Claim]:
    """Each claim under the base reading and under those that touch it and change its number."""
    for claim in claims:
        plain = list(claim.judge(base))
        yield from plain
        for reading in filter(claim.touched, readings):
            for judged, own in zip(claim.judge(runs[reading.key]), plain, strict=True):
                if not same(judged, own):
                    yield replace(judged, reading=reading.name)


READINGS = Remark(
    title="How the readings were chosen",
    text=(
        "Where the report is ambiguous, three readings of the base runs were chosen after comparing both with "
        "its printed numbers: Hybrid RED and LPF/ODA cut once while the queue stays short, and the new flows "
        "of H2 take three paths. A claim whose verdict depends on one of them is not confirmed by it. Each claim "
        "is judged again by the same rule under every other reading that touches it, with theta 1 to 3; only the "
        "verdicts of the base runs are counted. By its pseudo-code taken literally Hybrid RED is a FIFO, whatever "
        "xi is: B3 to B5 say nothing about that."
    ),
)


@PAPER.experiment("H1", "topology 1: three long flows through 10 Mbit/s, nothing changes")
def static(context: Context) -> Iterator[Finding]:
    """Claims B1, B2, B3 and B5."""
    yield READINGS
    base = run_all(context, "H1.toml")
    runs = run_readings(context, "H1.toml", H1_READINGS, base)
    yield from verdicts(H1_CLAIMS, base, H1_READINGS, runs)
    yield tables.published(context, base, "H1", BASE)
    yield tables.published(context, runs[EVERY.key], "H1", EVERY)
    yield charts.against_xi(base.loss, "Loss", "H1")
    yield charts.against_xi(base.utilisation, "Utilisation", "H1")
    yield charts.traces(base, "H1")
    yield tables.read_both_ways(context, "H1.toml", tables.readings())


@PAPER.experiment("H2", "topology 2: two-way traffic through 1.5 Mbit/s, twenty more flows from 25 s on")
def dynamic(context: Context) -> Iterator[Finding]:
    """Claims B4 and B6."""
    yield READINGS
    base = run_all(context, "H2.toml")
    runs = run_readings(context, "H2.toml", H2_READINGS, base)
    yield from verdicts(H2_CLAIMS, base, H2_READINGS, runs)
    yield tables.published(context, base, "H2", BASE)
    yield tables.published(context, runs[EVERY.key], "H2", EVERY)
    yield charts.against_xi(base.loss, "Loss", "H2")
    yield charts.against_xi(base.utilisation, "Utilisation", "H2")
    yield charts.traces(base, "H2")
    yield tables.read_both_ways(context, "H2.toml", tables.readings(forward="H2-forward.toml"))
