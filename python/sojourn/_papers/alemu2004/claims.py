"""Alemu 2004, "Performance evaluation of quality of service mechanisms in the Internet": chapters 2 to 5.

README.md says what is stated, derived and ambiguous; expected.toml has tables 2.2, 2.3, 3.1, 5.1 and 5.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from sojourn.claims import Claim, Sample, above, below, every, inside, minus, ratio, steps
from sojourn.papers import Context, Finding, Paper, Remark
from sojourn.reproduce import from_files, in_the_table, under_readings

from . import exhibits, model
from .runs import (
    CLASSIC,
    DROP_TAIL,
    FLOWS,
    RED,
    SHORT_TIMEOUTS,
    WHOLE,
    Block,
    Case,
    Reading,
    Runs,
    run,
)

PAPER = Paper(
    title="PSAND, and error correction under RED and under drop tail",
    citation="E. Alemu: PhD thesis, 2004, chapters 2 to 5",
)

FILES = """
    E2.1 E2.1-queue E2.1-share E2.2 E2.2-mean E2.3 E2.3-share E2.4 E2.5 E2.5-gamma E2.6 E2.6-share E2.6-order E2.7 E2.8
    E3.1 E3.1-best E3.1-VQS E3.2 E3.3 E3.4 E3.5 E3.6 E3.7 E3.7-rows
    E4.1 E4.1-more E4.2 E4.3 E4.3-AQS E4.3-VQS E4.3-PLR E4.3-F E4.4 E4.4-AQS E4.4-PLR E4.4-F E4.4-same
"""
PAPER.experiments += from_files(__file__, *(f"{name}.toml" for name in FILES.split()))


BLOCKS: Sequence[Block] = ((16, 1), (16, 2), (16, 4), (8, 2))
TENTH, QUARTER = 0.1, 0.25
"""How near a number is to be met that the text gives as "about": a share of the link, a difference of losses."""

Per = Mapping[str, Sample]


def flows_name(flows: int) -> str:
    """As the tables have it."""
    return f"{flows} flows"


def block_name(block: Block) -> str:
    """As the figures name it."""
    return f"k={block[0]}, h={block[1]}"


def per_flows(value: Callable[[int], Sample], flows: Sequence[int] = FLOWS) -> Per:
    """A number for each number of flows."""
    return {flows_name(n): value(n) for n in flows}


# ---- The number of TCP flows (section 5.4.1).


Printed = Mapping[str, Mapping[str, Mapping[str, Sequence[float]]]]


def claims_tables(runs: Runs, expected: Printed) -> Iterator[Claim]:
    """Tables 5.1 and 5.2."""
    for table, block in (("5.1", (16, 1)), ("5.2", (16, 4))):
        for queue in (DROP_TAIL, RED):
            printed = expected[f"{block[0]}+{block[1]}"][queue]
            for name, place, value in (("before", 0, runs.before), ("after", 2, runs.after)):
                yield in_the_table(
                    f"Losses {name} correction under {exhibits.NAMES[queue]} are those of table {table}",
                    {flows_name(n): value(queue, Case(n, block)) for n in FLOWS},
                    {flows_name(n): (printed[str(n)][place], printed[str(n)][place + 1]) for n in FLOWS},
                    source=f"table {table}",
                    unit="%",
                )


def claims_throughput(runs: Runs) -> Iterator[Claim]:
    """Figure 5.3."""

    def lost(n: int) -> Sample:
        tail, red = (runs.queue("throughput_bps", queue, Case(n)) for queue in (DROP_TAIL, RED))
        return minus(tail, red)

    yield Claim.judged(
        "Drop tail carries more than RED for every number of flows",
        every(per_flows(lost), above),
        rule="the paired difference of the total throughput is above 0",
        source="figure 5.3(a)",
        unit="kbit/s",
    )
    yield Claim.judged(
        "With 100 flows drop tail carries about 160 kbit/s (20 kbyte/s) more",
        inside(lost(100), 160e3 * (1.0 - QUARTER), 160e3 * (1.0 + QUARTER)),
        rule="within a quarter",
        source="section 5.4.1.1",
        unit="kbit/s",
        published=160e3,
    )
    redundancy = {
        f"{queue}, {flows_name(n)}": ratio(
            runs.queue("throughput_bps", queue, Case(n, (16, 4))), runs.queue("throughput_bps", queue, Case(n))
        )
        for queue in (DROP_TAIL, RED)
        for n in FLOWS
    }
    yield Claim.judged(
        "Redundancy hardly changes the total throughput",
        every(redundancy, inside, 0.99, 1.01),
        rule="with h = 4 within 1 % of that with h = 1",
        source="section 5.4.1.1",
    )
    udp = {
        exhibits.NAMES[queue]: ratio(
            runs.udp("throughput_bps", queue, Case(100)), runs.udp("throughput_bps", queue, Case(10))
        )
        for queue in (DROP_TAIL, RED)
    }
    yield Claim.judged(
        "The UDP flow's throughput hardly falls with more TCP flows",
        every(udp, above, 1.0 - TENTH),
        rule="with 100 flows at least nine tenths of that with 10",
        source="figure 5.3(b)",
    )
    each = {flows_name(n): runs.tcp("throughput_mean_bps", DROP_TAIL, Case(n)) for n in (10, 100)}
    for case, printed in ((flows_name(10), 1120e3), (flows_name(100), 160e3)):
        yield Claim.judged(
            f"A TCP flow carries about {printed / 8e3:g} kbyte/s among {case}",
            inside(each[case], printed * (1.0 - TENTH), printed * (1.0 + TENTH)),
            rule="within a tenth",
            source="section 5.4.1.1",
            unit="kbit/s",
            published=printed,
            contradiction=f"{case} of {printed / 8e3:g} kbyte/s are more than the link's 1250 kbyte/s",
        )


def claims_losses(runs: Runs) -> Iterator[Claim]:
    """Figure 5.4."""
    early = {
        f"{block_name(block)}, {flows_name(n)}": minus(
            runs.before(RED, Case(n, block)), runs.before(DROP_TAIL, Case(n, block))
        )
        for block in BLOCKS
        for n in FLOWS
    }
    yield Claim.judged(
        "Before correction RED loses more than drop tail",
        every(early, above),
        rule="the paired difference is above 0 for every block and number of flows",
        source="figure 5.4",
        unit="points",
    )
    for queue in (DROP_TAIL, RED):
        falls = {
            f"{flows_name(n)}, h={h} against {g}": minus(
                runs.after(queue, Case(n, (16, h))), runs.after(queue, Case(n, (16, g)))
            )
            for n in FLOWS
            for g, h in ((1, 2), (2, 4))
        }
        yield Claim.judged(
            f"Under {exhibits.NAMES[queue]} more parity leaves fewer losses",
            every(falls, below),
            rule="from h = 1 to 2 and from 2 to 4, for every number of flows",
            source="figure 5.4",
            unit="points",
        )
    for block, threshold, printed in (((16, 1), 45, 51.9), ((16, 2), 65, 0), ((16, 4), 80, 76.9), ((8, 2), 100, 0)):
        yield from claims_threshold(runs, block, threshold, printed)
    yield from claims_at_50(runs)


def claims_threshold(runs: Runs, block: Block, threshold: int, printed: float = 0.0) -> Iterator[Claim]:
    """Where the order of the queues changes, leaving out a tenth around it, and around where printed numbers cross."""

    def difference(n: int) -> Sample:
        return minus(runs.after(RED, Case(n, block)), runs.after(DROP_TAIL, Case(n, block)))

    few = [n for n in FLOWS if n <= 0.9 * threshold]
    yield Claim.judged(
        f"After correction RED is better below {threshold} flows ({block_name(block)})",
        every(per_flows(difference, few), below),
        rule=f"the paired difference is below 0 up to {few[-1]} flows",
        source="figure 5.4",
        unit="points",
    )
    crossing = max(threshold, printed)
    if many := [n for n in FLOWS if n >= 1.1 * crossing]:
        yield Claim.judged(
            f"After correction drop tail is better above {threshold} flows ({block_name(block)})",
            every(per_flows(difference, many), above),
            rule=f"the paired difference is above 0 from {many[0]} flows on"
            + (f", as the printed numbers cross near {printed:g}" if printed > threshold else ""),
            source="figure 5.4",
            unit="points",
        )


def claims_at_50(runs: Runs) -> Iterator[Claim]:
    """Where figure 5.4(a), as it is read, and table 5.1 differ."""
    yield Claim.judged(
        "After correction drop tail is better with 50 flows (k=16, h=1)",
        above(minus(runs.after(RED, Case(50)), runs.after(DROP_TAIL, Case(50)))),
        rule="the paired difference is above 0",
        source="section 5.4.1.2, figure 5.4(a)",
        unit="points",
        contradiction="table 5.1 has RED better with 50 flows, 3.074 against 3.167 %, and crosses near 52",
    )


def claims_factors(runs: Runs, expected: Printed) -> Iterator[Claim]:
    """By how much correction divides losses (section 5.4.1.2)."""
    for queue, block, n, factor in (
        (DROP_TAIL, (16, 1), 10, 1.9),
        (RED, (16, 1), 10, 3.4),
        (DROP_TAIL, (16, 4), 10, 33.4),
        (RED, (16, 4), 10, 66.5),
        (RED, (16, 4), 30, 79.6),
    ):
        before, before_error, after, after_error = expected[f"{block[0]}+{block[1]}"][queue][str(n)]
        error = math.hypot(before_error / before, after_error / after) / factor
        yield Claim.judged(
            f"Correction divides losses by {factor:g} under {exhibits.NAMES[queue]} ({block_name(block)}, {n} flows)",
            inside(runs.left(queue, Case(n, block)), 1.0 / factor - error, 1.0 / factor + error),
            rule=f"what is left of the losses is the inverse within {error:.2%}, by the half widths of the table",
            source="section 5.4.1.2",
            unit="%",
            published=1.0 / factor,
        )


def claims_queue(runs: Runs) -> Iterator[Claim]:
    """Figures 5.5 and 5.6."""

    def mean(n: int) -> Sample:
        return minus(
            runs.queue("backlog_mean_packets", RED, Case(n)), runs.queue("backlog_mean_packets", DROP_TAIL, Case(n))
        )

    def variance(n: int) -> Sample:
        red, tail = ([sd * sd for sd in runs.queue("backlog_sd_packets", queue, Case(n))] for queue in (RED, DROP_TAIL))
        return minus(red, tail)

    yield Claim.judged(
        "RED's mean queue is shorter than drop tail's",
        every(per_flows(mean), below),
        rule="the paired difference is below 0 for every number of flows",
        source="figure 5.5(a)",
        unit="packets",
    )
    yield Claim.judged(
        "RED's queue varies less than drop tail's with few flows",
        below(variance(10)),
        rule="the paired difference of the variances is below 0 with 10 flows",
        source="figure 5.5(b)",
    )
    yield Claim.judged(
        "RED's queue varies more than drop tail's with many flows",
        above(variance(100)),
        rule="the paired difference of the variances is above 0 with 100 flows",
        source="figure 5.5(b)",
    )
    for queue, printed in ((RED, model.BETA_RED), (DROP_TAIL, model.BETA_DROP_TAIL)):
        singles = {flows_name(n): runs.udp("loss_run_1_fraction", queue, Case(n)) for n in FLOWS}
        yield Claim.judged(
            f"Under {exhibits.NAMES[queue]} about {printed:.0%} of the UDP flow's losses come singly",
            every(singles, inside, printed - 0.05, printed + 0.05),
            rule="P(LRL=1) within 5 points for every number of flows",
            source="figure 5.6",
            unit="%",
            published=printed,
        )


# ---- Blocks (section 5.4.2).

SHARED: Mapping[str, Sequence[Block]] = {
    "0.25": ((8, 2), (16, 4), (24, 6), (32, 8), (48, 12), (64, 16)),
    "0.1": ((10, 1), (20, 2), (40, 4), (60, 6), (80, 8)),
}
FIXED: Mapping[int, Sequence[Block]] = {h: tuple((k, h) for k in (8, 16, 24, 32, 48, 64)) for h in (1, 4)}


def per_block(value: Callable[[Block], Sample], blocks: Sequence[Block]) -> Per:
    """A number for each block."""
    return {block_name(block): value(block) for block in blocks}


def claims_size(runs: Runs) -> Iterator[Claim]:
    """Figure 5.7."""

    def gap(value: Callable[[str, Case], Sample], n: int, block: Block) -> Sample:
        return minus(value(RED, Case(n, block)), value(DROP_TAIL, Case(n, block)))

    for share, blocks in SHARED.items():
        for n in (50, 100):
            same: dict[str, Sample] = {}
            falls: dict[str, Sample] = {}
            for queue in (DROP_TAIL, RED):
                first = runs.before(queue, Case(n, blocks[0]))
                for block in blocks[1:]:
                    same[f"{queue}, {block_name(block)}"] = ratio(runs.before(queue, Case(n, block)), first)
                after = {block_name(block): runs.after(queue, Case(n, block)) for block in blocks}
                falls |= {f"{queue}, {step}": change for step, change in steps(after).items()}
            where = f"h/k = {share}, {n} flows"
            twofold = (share, n) == ("0.1", 100)
            yield Claim.judged(
                f"Losses before correction do not depend on the size of the block ({where})",
                every(same, inside, 0.95, 1.05),
                rule="within 5 % of those with the smallest block",
                source="figure 5.7",
            )
            yield Claim.judged(
                f"At the same load larger blocks leave fewer losses ({where})",
                every(falls, below),
                rule="each step to a larger block is below 0 under both queues",
                source="section 5.4.2.1, figure 5.7",
                unit="points",
                contradiction='of figure 5.7(d) it says that their vulnerability "leads to worst performances"'
                * twofold,
            )
            if twofold:
                yield claim_vulnerable(runs, blocks)
    small = minus(runs.after(DROP_TAIL, Case(50, (8, 2))), runs.after(RED, Case(50, (8, 2))), 2.9)
    tolerated = [QUARTER * value for value in runs.after(DROP_TAIL, Case(50, (8, 2)))]
    yield Claim.judged(
        "With k = 8, h = 2 and 50 flows drop tail leaves 2.9 times the losses of RED",
        every(
            {
                "at most a quarter more": minus(small, tolerated),
                "at most a quarter less": minus([-v for v in small], tolerated),
            },
            below,
        ),
        rule="within a quarter of drop tail's losses",
        source="figure 5.7(a)",
        unit="points",
    )
    yield Claim.judged(
        "RED's advantage is larger with k = 8, h = 2 than with 16 and 4 (50 flows)",
        below(minus(gap(runs.after, 50, (8, 2)), gap(runs.after, 50, (16, 4)))),
        rule="the paired difference of the differences is below 0",
        source="figure 5.7(a)",
        unit="points",
    )
    yield Claim.judged(
        "With 100 flows and k = 16, h = 4 drop tail leaves about 0.5 points less",
        inside(gap(runs.after, 100, (16, 4)), 0.005 * (1 - QUARTER), 0.005 * (1 + QUARTER)),
        rule="within a quarter",
        source="figure 5.7(b)",
        unit="points",
        published=0.005,
    )
    yield Claim.judged(
        "There RED loses 2.1 points more before correction",
        inside(gap(runs.before, 100, (16, 4)), 0.021 * (1 - QUARTER), 0.021 * (1 + QUARTER)),
        rule="within a quarter",
        source="figure 5.7(b)",
        unit="points",
        published=0.021,
    )
    yield Claim.judged(
        "With 100 flows and k = 20, h = 2 drop tail leaves about 2.1 points less",
        inside(gap(runs.after, 100, (20, 2)), 0.021 * (1 - QUARTER), 0.021 * (1 + QUARTER)),
        rule="within a quarter",
        source="figure 5.7(d)",
        unit="points",
        published=0.021,
    )
    yield Claim.judged(
        "With h/k = 0.1 and 50 flows RED is better up to k = 20",
        every(per_block(lambda block: gap(runs.after, 50, block), ((10, 1), (20, 2))), below),
        rule="the paired difference is below 0; the curves are said to meet near k = 40",
        source="figure 5.7(c)",
        unit="points",
    )
    yield Claim.judged(
        "With h/k = 0.1 and 100 flows drop tail is better with every block",
        every(per_block(lambda block: gap(runs.after, 100, block), SHARED["0.1"]), above),
        rule="the paired difference is above 0",
        source="figure 5.7(d)",
        unit="points",
    )


def claim_vulnerable(runs: Runs, blocks: Sequence[Block]) -> Claim:
    """What is said of figure 5.7(d) itself, against the general sentence before it."""
    longest = {
        exhibits.NAMES[queue]: minus(
            runs.after(queue, Case(100, blocks[-1])),
            runs.after(queue, Case(100, blocks[0])),
        )
        for queue in (DROP_TAIL, RED)
    }
    return Claim.judged(
        "With h/k = 0.1 and 100 flows larger blocks leave more losses",
        every(longest, above),
        rule=f"from {block_name(blocks[0])} to {block_name(blocks[-1])} the losses rise under both queues",
        source="figure 5.7(d)",
        unit="points",
        contradiction="in general the PLR is said to decrease when k increases",
    )


def claims_fixed(runs: Runs) -> Iterator[Claim]:
    """Figures 5.8 and 5.9."""
    for h, blocks in FIXED.items():
        for n in (50, 100):
            rises: dict[str, Sample] = {}
            for queue in (DROP_TAIL, RED):
                after = {block_name(block): runs.after(queue, Case(n, block)) for block in blocks}
                rises |= {f"{queue}, {step}": change for step, change in steps(after).items()}
            yield Claim.judged(
                f"With h = {h} longer blocks leave more losses ({n} flows)",
                every(rises, above),
                rule="each step to a larger k is above 0 under both queues",
                source="figures 5.8 and 5.9",
                unit="points",
            )
    for h, better, worse in ((1, (8,), (24, 32, 48, 64)), (4, (8, 16, 24, 32), (48, 64))):
        for name, ks, test in (("RED", better, below), ("Drop tail", worse, above)):
            differences = {
                block_name((k, h)): minus(runs.after(RED, Case(50, (k, h))), runs.after(DROP_TAIL, Case(50, (k, h))))
                for k in ks
            }
            meet = {1: 16, 4: 40}[h]
            yield Claim.judged(
                f"With h = {h} and 50 flows {name} is better {'below' if test is below else 'above'} k = {meet}",
                every(differences, test),
                rule=f"the paired difference for k = {', '.join(map(str, ks))}",
                source="figure 5.8",
                unit="points",
            )


# ---- Eight sources (section 5.4.3).

MANY_FLOWS = (5, 10, 15, 20, 30, 40, 50, 60, 80, 100)


def claims_sources(runs: Runs) -> Iterator[Claim]:
    """Figure 5.10."""
    for h, threshold in ((1, 15), (2, 30), (4, 40)):

        def difference(n: int, h: int = h) -> Sample:
            case = Case(n, (16, h), 8)
            return minus(runs.after(RED, case), runs.after(DROP_TAIL, case))

        few = [n for n in MANY_FLOWS if n <= 0.9 * threshold]
        many = [n for n in MANY_FLOWS if n >= 1.1 * threshold]
        yield Claim.judged(
            f"With eight sources and h = {h} RED is better below {threshold} flows",
            every(per_flows(difference, few), below),
            rule=f"the paired difference is below 0 up to {few[-1]} flows",
            source="figure 5.10",
            unit="points",
        )
        yield Claim.judged(
            f"With eight sources and h = {h} drop tail is better above {threshold} flows",
            every(per_flows(difference, many), above),
            rule=f"the paired difference is above 0 from {many[0]} flows on",
            source="figure 5.10",
            unit="points",
        )


# ---- The model (section 5.5).


def claims_model() -> Iterator[Claim]:
    """Properties that the thesis reads off figure 5.12."""
    changes = {h: model.sign_changes(h, until=2.0 * h + 8.0, step=0.05) for h in (*range(1, 17), 20, 30, 40)}
    yield Claim.that(
        "The advantage of smaller groups of losses changes its sign once, at x_h",
        all(len(found) == 1 for found in changes.values()),
        source="figure 5.12",
        note=f"h = 1 to 16, 20, 30 and 40; x_1 = {changes[1][0]:.4f}, x_8 = {changes[8][0]:.4f}",
    )
    beyond = [changes[h][0] - h for h in (20, 30, 40)]
    yield Claim.that(
        "x_h is h + C for large h, with C above 0",
        max(beyond) - min(beyond) < 0.01 and min(beyond) > 0.0,
        source="section 5.5",
        note=f"x_h - h is {beyond[0]:.4f}, {beyond[1]:.4f} and {beyond[2]:.4f} for h = 20, 30 and 40",
    )


# ---- Experiments.


READINGS = Remark(
    title="How RED and the timeouts were chosen",
    text=(
        'The thesis has "the default values for RED parameters" of ns-2 and does not name its version. Of the two '
        "defaults that ns-2 had by then, the automatic ones came nearer to tables 5.1 and 5.2 after both had been run, "
        "and so did timeouts of at least 1 s, ns-2's until October 2004, against 0.2 s. All claims are judged under "
        "the other default too, those of this section also under the other timeouts."
    ),
)


def others(context: Context, key: str, cases: Sequence[Case], readings: Sequence[Reading]) -> Mapping[str, Runs]:
    """Runs under other readings, by their names."""
    return {reading.name: run(context, key, cases, reading) for reading in readings}


@PAPER.experiment("5.4.1", "10 to 100 TCP flows beside one source with error correction")
def flows(context: Context) -> Iterator[Finding]:
    """Figures 5.3 to 5.6, tables 5.1 and 5.2."""
    yield READINGS
    cases = [Case(n, block) for block in BLOCKS for n in FLOWS]
    base = run(context, "flows", cases)
    judges = (
        claims_throughput,
        claims_losses,
        lambda runs: claims_factors(runs, context.expected),
        claims_queue,
        lambda runs: claims_tables(runs, context.expected),
    )
    yield from under_readings(judges, base, others(context, "flows", cases, (CLASSIC, SHORT_TIMEOUTS, WHOLE)))
    yield exhibits.published(base, context.expected)
    yield exhibits.against_flows(base, BLOCKS)


@PAPER.experiment("5.4.2", "the size of blocks, at the same load and with the same parity")
def blocks(context: Context) -> Iterator[Finding]:
    """Figures 5.7 to 5.9."""
    sizes = dict.fromkeys(block for group in (*SHARED.values(), *FIXED.values()) for block in group)
    cases = [Case(n, block) for block in sizes for n in (50, 100)]
    base = run(context, "blocks", cases)
    yield from under_readings((claims_size, claims_fixed), base, others(context, "blocks", cases, (CLASSIC,)))
    yield exhibits.against_block(base, {**SHARED, **{f"h={h}": group for h, group in FIXED.items()}})


@PAPER.experiment("5.4.3", "eight sources with error correction")
def sources(context: Context) -> Iterator[Finding]:
    """Figure 5.10."""
    cases = [Case(n, (16, h), 8) for h in (1, 2, 4) for n in MANY_FLOWS]
    base = run(context, "sources", cases)
    yield from under_readings((claims_sources,), base, others(context, "sources", cases, (CLASSIC,)))
    yield exhibits.against_sources(base, MANY_FLOWS)


@PAPER.experiment("5.5", "the model of groups of losses")
def groups(_: Context) -> Iterator[Finding]:
    """Figure 5.12."""
    yield from claims_model()
    yield exhibits.advantages()
