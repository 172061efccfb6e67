"""Phirke 2002, "Traffic Sensitive Active Queue Management for Improved Quality of Service": experiments and claims.

README.md says what is stated, derived and ambiguous. The thesis's figures are not at hand: its prose is judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from sojourn.claims import Claim, Matrix, Sample, above, below, every, inside, minus, ratio, steps
from sojourn.papers import Context, Finding, Paper
from sojourn.reproduce import under_readings

from . import exhibits
from .runs import (
    ALONE,
    ALPHAS,
    ARED,
    BASE,
    BEFORE,
    BOSTON,
    CLASS_ALPHAS,
    DELAY,
    DELAYED,
    FLOWS,
    GENTLE,
    HINTS,
    MIXES,
    STANDARD,
    STEEP,
    THROUGHPUT,
    WORCESTER,
    Reading,
    Runs,
    from_both_ends,
    groups,
    mixes,
)

PAPER = Paper(
    title="RED-Worcester and RED-Boston: queues that heed delay hints",
    citation="V. Phirke: MSc thesis, Worcester Polytechnic Institute, 2002",
)

# Bounds where the prose has none. "Around 48 packets": as far as a bar chart of 0 to 60 can be read.
READ_OFF = 2.0
# "Half way between the thresholds": within the band that Adaptive RED aims at, a tenth of their distance.
BAND = 0.1 * (80 - 20)
# "Linearly": as straight as bars of a chart can be told from a line, a tenth of the rise.
STRAIGHT = 0.1
# "Close", "near", "about": within a quarter.
NEAR = 0.25

Per = Mapping[str, Sample]


def mix_name(tcp: int) -> str:
    """A mix as people say it."""
    return f"{tcp} TCP, {20 - tcp} TFRC"


def each(value: Callable[[int], Sample], cases: Sequence[int] = MIXES, name: Callable[[int], str] = mix_name) -> Per:
    """A number in each case."""
    return {name(case): value(case) for case in cases}


def ends(per: Per) -> Sample:
    """The last case less the first."""
    first, *_, last = per
    return minus(per[last], per[first])


def scaled(sample: Sample, by: float) -> list[float]:
    """Each value as a multiple."""
    return [value / by for value in sample]


# ---- P1: RED-Worcester.


def claims_target(runs: Runs) -> Iterator[Claim]:
    """A1."""
    target = each(lambda tcp: runs.traced("moving_target", WORCESTER, tcp))
    first, last = mix_name(MIXES[0]), mix_name(MIXES[-1])
    for case, printed in ((first, 48.0), (last, 22.0)):
        yield Claim.judged(
            f"RED-Worcester's moving target is about {printed:g} packets with {case}",
            inside(target[case], printed - READ_OFF, printed + READ_OFF),
            rule=f"the mean target is within {READ_OFF:g} packets",
            source="figure 3.4",
            unit="packets",
            published=printed,
        )
    line = {}
    for tcp in MIXES[1:-1]:
        share = (MIXES[0] - tcp) / (MIXES[0] - MIXES[-1])
        straight = [a + share * (b - a) for a, b in zip(target[first], target[last], strict=True)]
        line[mix_name(tcp)] = minus(target[mix_name(tcp)], straight)
    yield Claim.judged(
        "The moving target falls linearly as TCP flows become TFRC flows",
        every(line, inside, -READ_OFF, READ_OFF),
        rule=f"each mix between is within {READ_OFF:g} packets of the line between the outermost",
        source="figure 3.4",
        unit="packets",
    )


def claims_follow(queue: str, source: str) -> Callable[[Runs], Iterator[Claim]]:
    """A2, A6."""

    def claims(runs: Runs) -> Iterator[Claim]:
        mean = each(lambda tcp: runs.queue("backlog_mean_packets", queue, tcp))
        yield Claim.judged(
            f"{exhibits.NAMES[queue]}'s mean queue is the lower the more flows are delay-sensitive",
            every(steps(mean), below),
            rule="each step from mix to mix towards delay-sensitive flows is below 0",
            source=source,
            unit="packets",
        )

    return claims


def claims_ared_queue(runs: Runs) -> Iterator[Claim]:
    """A2, A6: ARED's own queue; the runs of P1 and P2 are the same."""
    fixed = each(lambda tcp: runs.queue("backlog_mean_packets", ARED, tcp))
    yield Claim.judged(
        "ARED's mean queue stays half way between the thresholds whatever the mix",
        every(fixed, inside, 50.0 - BAND, 50.0 + BAND),
        rule=f"within {BAND:g} packets of 50 in every mix, the half width of the band that ARED aims at",
        source="figures 3.7 and 4.4",
        unit="packets",
        published=50.0,
    )


def claims_drops(runs: Runs) -> Iterator[Claim]:
    """A3."""
    worcester = each(lambda tcp: runs.queue("loss_ratio", WORCESTER, tcp))
    ared = each(lambda tcp: runs.queue("loss_ratio", ARED, tcp))
    shares = {mix_name(tcp): (FLOWS - tcp) / FLOWS for tcp in MIXES}
    yield Claim.judged(
        "RED-Worcester's drops increase linearly from mostly TCP to mostly TFRC",
        every(Matrix(worcester).off_line(shares), inside, -STRAIGHT, STRAIGHT),
        rule=f"each mix between lies within {STRAIGHT:.0%} of the rise of the line through the outermost mixes",
        source="figure 3.8",
        unit="%",
        note="as a share of the rise",
    )
    yield Claim.judged(
        "RED-Worcester drops more with TFRC than with TCP",
        above(ends(worcester)),
        rule="from the first mix to the last the loss rises",
        source="figure 3.8",
        unit="points",
    )
    yield Claim.judged(
        "ARED too drops more with TFRC than with TCP",
        above(ends(ared)),
        rule="from the first mix to the last the loss rises",
        source="figure 3.8",
        unit="points",
    )
    yield Claim.judged(
        "RED-Worcester's drops rise by more than ARED's",
        above(minus(ends(worcester), ends(ared))),
        rule="the difference of the rises is above 0",
        source="figure 3.8",
        unit="points",
    )


def claims_max_p(runs: Runs) -> Iterator[Claim]:
    """A4."""
    assert runs.from_one is not None
    from_one = runs.from_one
    steady = each(lambda tcp: runs.traced("max_p", WORCESTER, tcp))
    yield Claim.judged(
        "max_p settles at a higher value the more flows are delay-sensitive",
        every(steps(steady), above),
        rule="each step of the mean after the warm-up is above 0",
        source="figure 3.5",
    )

    def rise_less_fall(tcp: int) -> Sample:
        rise_to, fall_to = (run.traced("max_p", WORCESTER, tcp) for run in (runs, from_one))
        rise = runs.time_to(scaled(rise_to, 1 / 0.9), "max_p", WORCESTER, tcp, rising=True)
        fall = from_one.time_to(scaled(fall_to, 1 / 1.1), "max_p", WORCESTER, tcp, rising=False)
        return minus(rise, fall)

    yield Claim.judged(
        "max_p comes down from 1 faster than it rises from its default",
        every(each(rise_less_fall, MIXES[2:]), above),
        rule=(
            "in the mixes where it has to rise (ten TFRC flows and more), the time until it is within a tenth of its "
            "mean after the warm-up is longer from 0.1 than from 1"
        ),
        source="figures 3.5 and 3.6",
        unit="s",
    )


def claims_qos_worcester(runs: Runs) -> Iterator[Claim]:
    """A5."""
    tcp = each(lambda mix: runs.normalised_qos(WORCESTER, mix, THROUGHPUT, CLASS_ALPHAS[THROUGHPUT]))
    tfrc = each(lambda mix: runs.normalised_qos(WORCESTER, mix, DELAY, CLASS_ALPHAS[DELAY]))
    yield Claim.judged(
        "RED-Worcester costs throughput-sensitive flows a little in every mix",
        every(tcp, inside, 0.9, 1.0),
        rule='normalised QoS between 0.9 and 1 in every mix; "slightly" is printed',
        source="figure 3.9",
    )
    yield Claim.judged(
        "RED-Worcester is better than ARED for delay-sensitive flows in every mix",
        every(tfrc, above, 1.0),
        rule="normalised QoS above 1 in every mix",
        source="figure 3.10",
    )
    yield Claim.judged(
        "What delay-sensitive flows gain by RED-Worcester grows with their share",
        every(steps(tfrc), above),
        rule="each step is above 0",
        source="figure 3.10",
    )


# ---- P2: RED-Boston in the same mixes.


def claims_delays(runs: Runs) -> Iterator[Claim]:
    """A7."""
    tcp = each(lambda mix: runs.delay(BOSTON, mix, THROUGHPUT))
    tfrc = each(lambda mix: runs.delay(BOSTON, mix, DELAY))
    few, many = mix_name(MIXES[0]), mix_name(MIXES[-1])
    for name, sample, hint in (("delay", tfrc[few], 0.032), ("throughput", tcp[few], 0.080)):
        yield Claim.judged(
            f"With {few}, {name}-sensitive packets wait about as long as they ask",
            inside(scaled(sample, hint), 1.0 - NEAR, 1.0 + NEAR),
            rule=f"within a quarter of {hint * 1e3:g} ms",
            source="figure 4.5",
            published=1.0,
            note="mean queuing delay over the hint",
        )
    for name, per in (("Delay", tfrc), ("Throughput", tcp)):
        yield Claim.judged(
            f"{name}-sensitive packets wait longer the more flows are delay-sensitive",
            above(ends(per)),
            rule=f"longer with {many} than with {few}",
            source="figure 4.5",
            unit="s",
        )
    classes = {
        f"{mix_name(mix)}: {group}": scaled(runs.delay(ARED, mix, group), 0.080)
        for mix in MIXES
        for group in (THROUGHPUT, DELAY)
    }
    yield Claim.judged(
        "Under ARED both classes wait about 80 ms",
        every(classes, inside, 1.0 - NEAR, 1.0 + NEAR),
        rule="within a quarter of 80 ms in every mix",
        source="figure 4.5",
        published=1.0,
        note="mean queuing delay over 80 ms",
    )


def claims_class_drops(runs: Runs) -> Iterator[Claim]:
    """A8."""
    tcp = each(lambda mix: runs.of("loss_ratio", BOSTON, mix, THROUGHPUT))
    tfrc = each(lambda mix: runs.of("loss_ratio", BOSTON, mix, DELAY))
    yield Claim.judged(
        "The share of delay-sensitive packets that is dropped falls as their flows become more",
        every(steps(tfrc), below),
        rule="each step is below 0",
        source="figure 4.6",
        unit="points",
    )
    less = each(lambda mix: minus(tcp[mix_name(mix)], runs.of("loss_ratio", ARED, mix, THROUGHPUT)))
    yield Claim.judged(
        "Throughput-sensitive flows lose less than under ARED in every mix",
        every(less, below),
        rule="the paired difference is below 0 in every mix",
        source="figure 4.6",
        unit="points",
    )
    middle = [sum(values) / len(MIXES) for values in zip(*tcp.values(), strict=True)]
    off = {case: minus(ratio(sample, middle), [1.0] * len(middle)) for case, sample in tcp.items()}
    yield Claim.judged(
        "Throughput-sensitive flows lose about the same share in every mix",
        every(off, inside, -NEAR, NEAR),
        rule="within a quarter of the mean over the mixes",
        source="figure 4.6",
        unit="%",
    )


def claims_throughput(runs: Runs) -> Iterator[Claim]:
    """A9."""

    def against_ared(group: str) -> Per:
        return each(lambda mix: ratio(runs.throughput(BOSTON, mix, group), runs.throughput(ARED, mix, group)))

    tfrc = against_ared(DELAY)
    yield Claim.judged(
        "Delay-sensitive flows carry less under RED-Boston than under ARED in every mix",
        every(tfrc, below, 1.0),
        rule="the paired ratio is below 1 in every mix",
        source="figure 4.7",
    )
    yield Claim.judged(
        "What they give up becomes less the more they are",
        every(steps(tfrc), above),
        rule="each step of the ratio is above 0",
        source="figure 4.7",
    )


def claims_qos_boston(runs: Runs) -> Iterator[Claim]:
    """A10."""
    tcp = each(lambda mix: runs.normalised_qos(BOSTON, mix, THROUGHPUT, CLASS_ALPHAS[THROUGHPUT]))
    tfrc = each(lambda mix: runs.normalised_qos(BOSTON, mix, DELAY, CLASS_ALPHAS[DELAY]))
    # With alpha = 1 their QoS is their throughput.
    yield Claim.judged(
        "Throughput-sensitive flows carry more under RED-Boston than under ARED in every mix: their QoS",
        every(tcp, above, 1.0),
        rule="normalised QoS, which is the ratio of the throughputs, is above 1 in every mix",
        source="figures 4.7 and 4.8",
    )
    yield Claim.judged(
        "What throughput-sensitive flows gain grows with the share of delay-sensitive ones",
        every(steps(tcp), above),
        rule="each step is above 0",
        source="figure 4.8",
    )
    mean = [sum(values) / len(MIXES) for values in zip(*tfrc.values(), strict=True)]
    yield Claim.judged(
        "Delay-sensitive flows gain more than 50 % on average",
        above(mean, 1.5),
        rule="the mean of normalised QoS over the mixes is above 1.5",
        source="figure 4.9",
        published=1.5,
    )
    yield Claim.judged(
        "What delay-sensitive flows gain falls as they become more",
        every(steps(tfrc), below),
        rule="each step is below 0",
        source="figure 4.9",
    )


# ---- P3: seven groups.


def hint_name(hint: int) -> str:
    """A group of hints.toml."""
    return f"{hint} ms"


def claims_ared_groups(runs: Runs) -> Iterator[Claim]:
    """A11."""
    names = [hint_name(hint) for hint in HINTS]
    for does, about, values, printed in (
        ("waits", "80 ms", [runs.delay(ARED, "", name) for name in names], 0.080),
        ("loses", "5 %", [runs.of("loss_ratio", ARED, "", name) for name in names], 0.05),
        ("carries", "140 kbit/s", [runs.throughput(ARED, "", name) for name in names], 140e3),
    ):
        shares = {name: scaled(value, printed) for name, value in zip(names, values, strict=True)}
        yield Claim.judged(
            f"Under ARED each group {does} about {about}",
            every(shares, inside, 1.0 - NEAR, 1.0 + NEAR),
            rule="within a quarter of the printed value in every group",
            source="section 4.4.2, figures 4.11 to 4.13",
            published=1.0,
            note=f"as a multiple of {about}",
        )


def claims_groups(runs: Runs) -> Iterator[Claim]:
    """A12 and A13."""
    delay = each(lambda hint: runs.delay(BOSTON, "", hint_name(hint)), HINTS, hint_name)
    near = {hint_name(hint): scaled(delay[hint_name(hint)], hint / 1e3) for hint in HINTS}
    yield Claim.judged(
        "RED-Boston's groups wait about as long as they ask",
        every(near, inside, 1.0 - NEAR, 1.0 + NEAR),
        rule="the mean delay is within a quarter of the hint in every group",
        source="figure 4.11",
        published=1.0,
        note="mean queuing delay over the hint",
    )
    first, last = delay[hint_name(HINTS[0])], delay[hint_name(HINTS[-1])]
    line = {}
    for place, hint in enumerate(HINTS[1:-1], start=1):
        share = place / (len(HINTS) - 1)
        straight = [a + share * (b - a) for a, b in zip(first, last, strict=True)]
        line[hint_name(hint)] = minus(delay[hint_name(hint)], straight)
    yield Claim.judged(
        "RED-Boston's delays fall linearly with the hint",
        every(line, inside, -0.005, 0.005),
        rule="each group between is within 5 ms of the line between the outermost",
        source="figure 4.11",
        unit="s",
    )
    loss = each(lambda hint: runs.of("loss_ratio", BOSTON, "", hint_name(hint)), HINTS, hint_name)
    yield Claim.judged(
        "The less delay a group asks for, the more it loses",
        every(steps(loss), above),
        rule="each step to a smaller hint is above 0",
        source="figure 4.12",
        unit="points",
    )
    carried = each(lambda hint: runs.throughput(BOSTON, "", hint_name(hint)), HINTS, hint_name)
    yield Claim.judged(
        "The less delay a group asks for, the less it carries",
        every(steps(carried), below),
        rule="each step to a smaller hint is below 0",
        source="figure 4.13",
        unit="kbit/s",
    )
    qos = each(lambda hint: runs.normalised_qos(BOSTON, "", hint_name(hint), ALPHAS[hint]), HINTS, hint_name)
    yield Claim.judged(
        "RED-Boston is better than ARED for every group",
        every(qos, above, 1.0),
        rule="normalised QoS, with the exponents of table 4.1, above 1 in every group",
        source="figure 4.14",
    )


# ---- Experiments.


def named(
    context: Context, make: Callable[[Context, Reading], Runs], readings: Sequence[Reading]
) -> Mapping[str, Runs]:
    """Runs under readings, by their names."""
    return {reading.name: make(context, reading) for reading in readings}


@PAPER.experiment("P1", "RED-Worcester and ARED: 20 flows from nearly all TCP to nearly all TFRC")
def worcester(context: Context) -> Iterator[Finding]:
    """Figures 3.4 to 3.10."""
    yield exhibits.SCOPE
    base = from_both_ends(context, BASE)
    others = named(context, from_both_ends, (STEEP, STANDARD))
    judges = (
        claims_target,
        claims_follow(WORCESTER, "figure 3.7"),
        claims_ared_queue,
        claims_drops,
        claims_qos_worcester,
        claims_max_p,
    )
    yield from under_readings(judges, base, others)
    for name, runs in {"": base, **others}.items():
        yield exhibits.mix_table(runs, WORCESTER, name)
    assert base.from_one is not None
    yield exhibits.traces(base, base.from_one)


@PAPER.experiment("P2", "RED-Boston and ARED: the same mixes")
def boston(context: Context) -> Iterator[Finding]:
    """Figures 4.4 to 4.9."""
    yield exhibits.SCOPE
    base = mixes(context, BASE, BOSTON)
    others = named(
        context, lambda where, reading: mixes(where, reading, BOSTON), (ALONE, BEFORE, STEEP, GENTLE, STANDARD)
    )
    judges = (
        claims_follow(BOSTON, "figure 4.4"),
        claims_delays,
        claims_class_drops,
        claims_throughput,
        claims_qos_boston,
    )
    yield from under_readings(judges, base, others)
    for name, runs in {"": base, **others}.items():
        yield exhibits.mix_table(runs, BOSTON, name)
    yield exhibits.against_mix(base)


@PAPER.experiment("P3", "RED-Boston and ARED: 35 TCP flows with seven delay hints")
def seven(context: Context) -> Iterator[Finding]:
    """Figures 4.11 to 4.14."""
    yield exhibits.SCOPE
    base = groups(context, BASE)
    others = named(context, groups, (ALONE, BEFORE, STEEP, GENTLE, DELAYED))
    yield from under_readings((claims_ared_groups, claims_groups), base, others)
    for name, runs in {"": base, **others}.items():
        yield exhibits.group_table(runs, name)
    yield exhibits.against_hint(base)
