"""Alemu 2004, "Performance evaluation of quality of service mechanisms in the Internet": chapters 2 to 5.

README.md says what is stated, derived and ambiguous; expected.toml has tables 2.2, 2.3, 3.1, 3.3, 5.1 and 5.2. Claims
that no kind can express are here: by how much two queues differ, and where their curves cross.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from sojourn.claims import Claim, Paired, Sample, above, changed, every, inside, minus
from sojourn.papers import Context, Finding, NotRunError, Paper, Results, from_file

from . import decision, exhibits, law, model, single
from .crossing import crossing

PAPER = Paper()

Maker = Callable[[Results], Claim]


# ---- By how much.


def red_loses_more(key: str, text: str, published: float, source: str, *, metric: str, block: str) -> Maker:
    """With 100 flows RED loses a printed number of points more than drop tail, within a quarter."""
    return lambda results: _about(
        key, text, _difference(results, {"flows": "100", "block": block}, metric), published, source
    )


def recovered(key: str, text: str, published: float, queue: str) -> Maker:
    """With 100 flows correction takes off a printed number of points, within a quarter."""

    def judge(results: Results) -> Claim:
        point = _point(results, {"flows": "100", "block": "16+4", "queue": queue})
        before, after = (results.sample(metric, point) for metric in ("PLRBC", "PLR"))
        return _about(key, text, minus(before, after), published, "figure 5.7(b)")

    return judge


def _about(key: str, text: str, sample: Sample, published: float, source: str) -> Claim:
    return Claim.judged(
        text,
        inside(sample, 0.75 * published, 1.25 * published),
        id=key,
        rule="within a quarter, seed by seed",
        source=source,
        unit="points",
        published=published,
    )


def _difference(results: Results, at: Mapping[str, str], metric: str = "PLR") -> Sample:
    """How much more RED loses than drop tail."""
    red, tail = (results.sample(metric, _point(results, {**at, "queue": queue})) for queue in ("RED", "drop tail"))
    return minus(red, tail)


def _point(results: Results, at: Mapping[str, str]) -> Mapping[str, str]:
    if any(at[axis] not in names for axis, names in results.axes.items()):
        raise NotRunError
    return {axis: at[axis] for axis in results.design.axes}


# ---- The four cases of figure 3.5.


def closest_to_target(results: Results) -> Claim:
    """Row 3 of table 3.1 keeps its mean queue closer to the target than the other rows do."""
    nearest = "row 3 of table 3.1"
    off = {
        case: changed(results.sample("AQS", _point(results, {"law": "PSAND1", "case": case})), lambda x: abs(x - 10.0))
        for case in results.axes["case"]
    }
    return Claim.judged(
        "Case (a), row 3, keeps its mean queue closer to the target than each other case",
        every({case: minus(far, off[nearest]) for case, far in off.items() if case != nearest}, above),
        id="E3.4-row-3-closest",
        rule="the distance of the mean queue of each other row from 10 packets less that of row 3, seed by seed, is "
        "above 0",
        source="section 3.2.2, figure 3.5(a)",
        unit="packets",
        contradiction="table 3.1 has 12.13 packets in row 3, and 10.55, 10.87 and 10.83 in rows 1, 4 and 7",
    )


# ---- The lowest variance of figures 3.1 and 3.2.


def lowest_variance(results: Results) -> Claim:
    """For each lower threshold the lowest variance over all upper ones; it rises along the lower ones as a whole."""
    axes = results.axes
    curves = [
        [results.sample("VQS", _point(results, {**at, "max_th": high})) for high in axes["max_th"]]
        for at in ({"flows": "103", "law": "PSAND", "min_th": low} for low in axes["min_th"])
    ]
    lowest = [min(curve, key=lambda sample: sum(sample) / len(sample)) for curve in curves]
    # The rise of the straight line through the points, as of a claim of the kind trend.
    offsets = [place - (len(lowest) - 1) / 2.0 for place in range(len(lowest))]
    scale = (len(lowest) - 1) / sum(offset**2 for offset in offsets)
    rise: Sample = [0.0] * len(lowest[0])
    for offset, sample in zip(offsets, lowest, strict=True):
        rise = minus(rise, sample, -scale * offset)
    return Claim.judged(
        "With 103 flows the lowest variance over all max_th rises with min_th",
        above(rise),
        id="E3.2-lowest-variance-103",
        rule="the rise of the straight line through the lowest mean variances, seed by seed, is above 0",
        source="section 3.2.1",
    )


# ---- Marks of the thesis.


def marks(table: str, metric: str, given: Mapping[str, int]) -> Maker:
    """The better of two queues with different marks is the one with more, in the mean over the numbers of flows."""
    more_is_better = metric in ("LU", "F")

    def judge(results: Results) -> Claim:
        # Three flows are four for the index of fairness: the additional one that hardly runs is counted.
        only = {"flows": [n for n in results.axes["flows"] if n != "3"]} if metric == "F" else {}
        mean = {queue: results.matrix(metric, {"queue": queue}, only).mean() for queue in given}
        pairs = {
            f"{good} against {bad}": minus(mean[good], mean[bad]) if more_is_better else minus(mean[bad], mean[good])
            for good, better in given.items()
            for bad, worse in given.items()
            if better > worse
        }
        unit = results.design.metrics[metric].unit
        return Claim.judged(
            f"Queues with more marks for {metric} are better",
            every(pairs, above),
            id=f"{'E4.3' if table == '4.2' else 'E4.4'}-marks-{metric.lower()}",
            rule=f"in each of {len(pairs)} pairs with different marks, in the mean over the numbers of flows",
            source=f"table {table}",
            unit={"%": "points"}.get(unit, unit),
            number="better − worse" if more_is_better else "worse − better",
        )

    return judge


# ---- Where curves cross.


def of_flows(results: Results, at: Mapping[str, str]) -> Paired:
    """The number of TCP flows from which on drop tail leaves fewer losses than RED."""
    return crossing({float(n): _difference(results, {**at, "flows": n}) for n in results.axes["flows"]})


def of_blocks(results: Results, flows: str, parity: str) -> Paired:
    """The data packets of a block from which on drop tail leaves fewer losses than RED."""
    blocks = {float(block.split("+")[0]): block for block in results.axes["block"] if block.split("+")[1] == parity}
    return crossing({k: _difference(results, {"flows": flows, "block": blocks[k]}) for k in sorted(blocks)})


def cross_near(block: str, read: float, low: float, high: float) -> Maker:
    """The curves of figure 5.4 cross near a number of flows."""

    def judge(results: Results) -> Claim:
        return Claim.judged(
            f"The losses under RED and under drop tail cross near {read:g} flows (k+h = {block})",
            inside(of_flows(results, {"block": block}), low, high),
            id=f"E5.2-order-cross-{_in_id(block)}",
            rule=f"from where on the mean difference is positive lies between {low:g} and {high:g} flows",
            source="figure 5.4",
            unit="flows",
            published=read,
        )

    return judge


def _in_id(block: str) -> str:
    return block.replace("+", "-")


Crossing = Callable[[Results], Sample]


def _blocks(block: str, **at: str) -> Crossing:
    return lambda results: of_flows(results, {"block": block, **at})


def _fewer(key: str, text: str, source: str, unit: str, *, fewer: Crossing, than: Crossing) -> Maker:
    """One crossing, or step between crossings, is less than another."""
    return lambda results: Claim.judged(
        text,
        above(minus(than(results), fewer(results))),
        id=key,
        rule="the number that should be larger minus the other is above 0",
        source=source,
        unit=unit,
        number="should be larger − should be smaller",
    )


def later_with_parity(fewer: str, more: str) -> Maker:
    """With more parity the curves cross at more flows."""
    text = f"With k+h = {more} drop tail and RED cross at more flows than with {fewer}"
    key = f"E5.2-order-later-{_in_id(more)}"
    return _fewer(key, text, "section 5.4.1.2", "flows", fewer=_blocks(fewer), than=_blocks(more))


def later_by_less() -> Maker:
    """More parity moves the crossing by less and less, for each packet of it."""
    one, two, four = (_blocks(block) for block in ("16+1", "16+2", "16+4"))
    return _fewer(
        "E5.2-order-later-by-less",
        "From h = 2 to 4 the crossing moves by less for each packet of parity than from h = 1 to 2",
        "section 5.4.1.2",
        "flows",
        fewer=lambda results: changed(minus(four(results), two(results)), lambda moved: moved / 2.0),
        than=lambda results: minus(two(results), one(results)),
    )


def earlier_with_100(parity: str) -> Maker:
    """With 100 flows drop tail is better from smaller blocks on than with 50."""
    text = f"With h = {parity} drop tail is better from smaller blocks on with 100 flows than with 50"
    hundred, fifty = (partial(of_blocks, flows=flows, parity=parity) for flows in ("100", "50"))
    key = f"E5.6-earlier-with-100-h-{parity}"
    return _fewer(key, text, "figures 5.8 and 5.9", "packets", fewer=hundred, than=fifty)


def later_with_more_parity_of_block() -> Maker:
    """With more parity drop tail is better from larger blocks on only."""
    text = "With h = 4 drop tail is better from larger blocks on than with h = 1 (50 flows)"
    one, four = (partial(of_blocks, flows="50", parity=parity) for parity in ("1", "4"))
    return _fewer("E5.6-later-with-h-4", text, "section 5.4.2.2, figure 5.8", "packets", fewer=one, than=four)


def wider_apart(key: str, text: str, source: str, *, flows: str, small: str, large: str) -> Maker:
    """RED's losses lie further above drop tail's, or less far below, with one block than with another."""
    fewer, than = (
        lambda results, block=block: _difference(results, {"flows": flows, "block": block}) for block in (small, large)
    )
    return _fewer(key, text, source, "points", fewer=fewer, than=than)


def earlier_with_eight(block: str) -> Maker:
    """With eight sources the curves cross at fewer flows than with one."""
    text = f"With eight sources RED's advantage ends at fewer flows than with one (k+h = {block})"
    eight, one = (_blocks(block, sources=sources) for sources in ("8", "1"))
    key = f"E5.7-earlier-with-eight-{_in_id(block)}"
    return _fewer(key, text, "section 5.4.3, figure 5.10", "flows", fewer=eight, than=one)


FOLDER = Path(__file__).parents[1]
EXPECTED = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))

FURTHER: Mapping[str, Sequence[Maker]] = {
    "E3.2": [lowest_variance],
    "E3.4": [closest_to_target],
    **{
        name: [marks(table, metric, given) for metric, given in EXPECTED[name]["marks"].items()]
        for name, table in (("E4.3", "4.2"), ("E4.4", "4.3"))
    },
    "E5.2-order": [
        # Values read off the figure, or taken from tables where there are any (52 and 77), each give or take a tenth.
        cross_near("16+1", 45.0, 40.0, 57.0),
        cross_near("16+2", 65.0, 58.0, 72.0),
        cross_near("16+4", 80.0, 69.0, 88.0),
        later_with_parity("16+1", "16+2"),
        later_with_parity("16+2", "16+4"),
        later_by_less(),
        _fewer(
            "E5.2-order-later-8-2",
            "With k+h = 8+2 drop tail and RED cross at more flows than with 16+4",
            "section 5.4.2.1, figures 5.4(c) and (d)",
            "flows",
            fewer=_blocks("16+4"),
            than=_blocks("8+2"),
        ),
    ],
    "E5.5-size": [
        red_loses_more(
            f"E5.5-size-{_in_id(block)}",
            f"With 100 flows and {block} drop tail leaves about {points} points less",
            published,
            f"figure 5.7({part})",
            metric="PLR",
            block=block,
        )
        for block, points, published, part in (("16+4", "0.5", 0.005, "b"), ("20+2", "2.1", 0.021, "d"))
    ]
    + [
        wider_apart(
            f"E5.5-size-{key}",
            f"With {flows} flows RED is better by less, or worse by more, with {large} than with {small}",
            source,
            flows=flows,
            small=small,
            large=large,
        )
        for key, flows, small, large, source in (
            ("diminishes", "50", "8+2", "64+16", "section 5.4.2.1, figure 5.7(a)"),
            ("more-significant", "100", "16+4", "20+2", "section 5.4.2.1, figures 5.7(b) and (d)"),
            ("worse-by-more-0.25", "100", "8+2", "64+16", "section 5.6, figure 5.7(b)"),
            ("worse-by-more-0.1", "100", "10+1", "80+8", "section 5.6, figure 5.7(d)"),
        )
    ],
    "E5.5": [
        red_loses_more(
            "E5.5-before-correction",
            "With 100 flows and 16+4 RED loses 2.1 points more before correction",
            0.021,
            "figure 5.7(b)",
            metric="PLRBC",
            block="16+4",
        ),
        recovered(
            "E5.5-recovered-red", "With 100 flows and 16+4 correction takes 8.6 points off RED's losses", 0.086, "RED"
        ),
        recovered(
            "E5.5-recovered-drop-tail",
            "With 100 flows and 16+4 correction takes 7 points off drop tail's losses",
            0.07,
            "drop tail",
        ),
    ],
    "E5.6": [
        earlier_with_100("1"),
        earlier_with_100("4"),
        later_with_more_parity_of_block(),
        *(
            wider_apart(
                f"E5.6-small-blocks-{flows}-h-{h}",
                f"With {flows} flows and h = {h} RED is better by less, or worse by more, with k = 64 than with 8",
                "section 5.6, figures 5.8 and 5.9",
                flows=flows,
                small=f"8+{h}",
                large=f"64+{h}",
            )
            for flows in ("50", "100")
            for h in ("1", "4")
        ),
    ],
    "E5.7": [earlier_with_eight("16+1"), earlier_with_eight("16+2"), earlier_with_eight("16+4")],
}
"""Claims that no kind can express, by experiment."""


# ---- The model (section 5.5).


def claims_model() -> Iterator[Claim]:
    """Properties that the thesis reads off figure 5.12."""
    changes = {h: model.sign_changes(h, until=2.0 * h + 8.0, step=0.05) for h in (*range(1, 17), 20, 30, 40)}
    yield Claim.that(
        "The advantage of smaller groups of losses changes its sign once, at x_h",
        all(len(found) == 1 for found in changes.values()),
        id="E5.8-sign-changes-once",
        source="figure 5.12",
        note=f"h = 1 to 16, 20, 30 and 40; x_1 = {changes[1][0]:.4f}, x_8 = {changes[8][0]:.4f}",
    )
    beyond = [changes[h][0] - h for h in (20, 30, 40)]
    yield Claim.that(
        "x_h is h + C for large h, with C above 0",
        max(beyond) - min(beyond) < 0.01 and min(beyond) > 0.0,
        id="E5.8-x-h",
        source="section 5.5",
        note=f"x_h - h is {beyond[0]:.4f}, {beyond[1]:.4f} and {beyond[2]:.4f} for h = 20, 30 and 40",
    )


# ---- Experiments.


@PAPER.experiment("E2.0", "figure 2.1: the two ratios of PSAND's law, in a run of 10 s", before="E2.1")
def ratios(context: Context) -> Iterator[Finding]:
    """Algorithm 16, from the records of a run."""
    yield from law.claims(context)


for _name, _claims in FURTHER.items():
    PAPER.add_claims(_name, _claims)


@PAPER.experiment("E2.1-runs", "figures 2.4 to 2.6: the averages of single runs")
def runs(context: Context) -> Iterator[Finding]:
    """The runs of E2.1, one by one."""
    yield from single.findings(context, from_file(FOLDER / "experiments/E2.1.toml"))


@PAPER.experiment("E5.8", "figure 5.12: the model of groups of losses")
def groups(context: Context) -> Iterator[Finding]:
    """Section 5.5, without a simulation."""
    yield from claims_model()
    yield from decision.claims(context.expected)
    yield exhibits.advantages()
