"""Haider 2005: claims that no kind can express. README.md says what the report states and how we read the rest.

Single runs are not smooth (figures 6.5 and 6.6); losses and use of the link depend on theta and xi, without a
direction; some xi is better than LPF/ODA in both.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise

from sojourn.claims import Claim, Judgement, Matrix, Sample, Verdict, above, minus
from sojourn.papers import Paper, Results

PAPER = Paper()

HALF = 0.5
"""The share of single curves that turn: written down before it was measured."""
WRONG = 0.05
"""Probability of a wrong decision."""


def _turns(metric: str, figure: str, name: str) -> Callable[[Results], Claim]:
    """Most curves of single runs along xi turn more than once."""

    def judge(results: Results) -> Claim:
        lines = [
            [results.sample(metric, {"theta": theta, "xi": xi}) for xi in results.axes["xi"]]
            for theta in results.axes["theta"]
        ]
        share: Sample = [
            sum(_turning([sample[seed] for sample in line]) > 1 for line in lines) / len(lines)
            for seed in range(len(lines[0][0]))
        ]
        return Claim.judged(
            f"Section 6.3: most curves of single runs are not smooth: {name} turns more than once along xi",
            above(share, HALF),
            id=f"H1-sweep-single-{metric}",
            rule="the share of the five curves of a run (theta 1 to 5) with two turns or more is above a half",
            source=f"section 6.3, figure 6.{figure}",
            unit="%",
        )

    return judge


def _turning(values: list[float]) -> int:
    """How often a line changes between rising and falling.

    >>> _turning([3.0, 2.0, 2.5, 2.5, 1.0]), _turning([3.0, 2.0, 1.0])
    (2, 0)
    """
    steps = [after - before for before, after in pairwise(values) if after != before]
    return sum((before > 0.0) != (after > 0.0) for before, after in pairwise(steps))


def _depends(part: str, axis: str, metric: str, name: str) -> Callable[[Results], Claim]:
    """A metric differs between the ends of an axis, in the mean over the other one: up or down."""

    def judge(results: Results) -> Claim:
        ends = [_mean(results, metric, axis, point) for point in _ends(results, axis)]
        rise = minus(ends[1], ends[0])
        sign = 1.0 if sum(rise) >= 0.0 else -1.0
        return Claim.judged(
            f"Section 6.3: {name} depends on {axis}",
            # The test has both sides: its p-value is that of a difference in either direction.
            _some({"": {"": [sign * value for value in rise]}}, results.looks),
            id=f"{part}-depends-{axis}-{'loss' if metric == 'loss' else 'use'}",
            rule=f"{name} differs between the least and the greatest {axis}, seed by seed, in the mean over "
            f"{'xi from 1.1 on' if axis == 'theta' else 'theta'}; the sign is that of the difference",
            source="section 6.3, tables 6.2 to 6.4",
            unit="points",
        )

    return judge


def _points(results: Results, axis: str) -> list[str]:
    return [point for point in results.axes[axis] if (axis, point) != ("xi", "1")]


def _ends(results: Results, axis: str) -> tuple[str, str]:
    points = list(results.axes[axis])
    return points[0], points[-1]


def _mean(results: Results, metric: str, axis: str, point: str) -> Sample:
    other = "xi" if axis == "theta" else "theta"
    cells = {name: _at(results, metric, {axis: point, other: name}) for name in _points(results, other)}
    return Matrix(cells).mean()


def some_xi(results: Results) -> Claim:
    """At some xi Hybrid RED is better than LPF/ODA in both numbers; each xi that is tried pays for the others."""
    every = _points(results, "xi")
    cases = {
        f"xi {xi}": {
            "less is lost": minus(_of(results, "loss", "LPF/ODA", xi), _of(results, "loss", "Hybrid RED", xi)),
            "more is used": minus(
                _of(results, "utilisation", "Hybrid RED", xi), _of(results, "utilisation", "LPF/ODA", xi)
            ),
        }
        for xi in every
    }
    return Claim.judged(
        "Section 6.3: for some xi Hybrid RED (theta 1) loses less than LPF/ODA and uses more of the link",
        _some(cases, results.looks),
        id="H1-lpf-some-xi",
        rule="at one xi at least both differences are above 0, seed by seed (by Bonferroni among all xi)",
        source="section 6.3, experiment 1, tables 6.1, 6.2",
        unit="points",
    )


def _of(results: Results, metric: str, queue: str, xi: str) -> Sample:
    return _at(results, metric, {"queue": queue, "xi": xi})


def _at(results: Results, metric: str, point: Mapping[str, str]) -> Sample:
    """A metric at a point, whose axes may have any order."""
    return results.sample(metric, {axis: point[axis] for axis in results.axes})


def _some(cases: Mapping[str, Mapping[str, Sample]], looks: int) -> Judgement:
    """Whether in some case all differences are above 0; the case that is best for the claim is shown.

    >>> up, down = [1.0, 1.1, 0.9, 1.05], [-1.0, -1.1, -0.9, -1.05]
    >>> _some({"1": {"a": down, "b": up}, "2": {"a": up, "b": up}}, 1).verdict
    'holds'
    >>> _some({"1": {"a": down, "b": up}, "2": {"a": up, "b": down}}, 1).verdict
    'fails'
    """
    sides = {case: {name: _sides(sample) for name, sample in own.items()} for case, own in cases.items()}
    best = min(sides, key=lambda case: max(hold for hold, _ in sides[case].values()))
    worst = max(sides[best], key=lambda name: sides[best][name][0])
    hold = min(1.0, looks * len(sides) * sides[best][worst][0])
    fail = min(1.0, looks * max(len(own) * min(fail for _, fail in own.values()) for own in sides.values()))
    shown = above(cases[best][worst])
    p = hold if hold < WRONG else fail if fail < WRONG else min(hold, fail)
    verdict: Verdict = "holds" if hold < WRONG else "fails" if fail < WRONG else "undecided"
    return Judgement(verdict, shown.interval, f"{best}: {worst}".strip(": "), p, shown.claimed)


def _sides(sample: Sample) -> tuple[float, float]:
    """The p-values that the mean is above 0, and that it is below."""
    found = above(sample)
    p = 1.0 if found.p is None else found.p
    return (p, 1.0) if found.interval.mean > 0.0 else (1.0, p)


PAPER.add_claims("H1-lpf", [some_xi])
PAPER.add_claims(
    "H1-sweep",
    [
        _turns("loss", "5", "the loss rate"),
        _turns("utilisation", "6", "the use of the link"),
        *(
            _depends("H1-sweep", axis, metric, name)
            for axis in ("theta", "xi")
            for metric, name in (("loss", "the loss rate"), ("utilisation", "the use of the link"))
        ),
    ],
)
PAPER.add_claims(
    "H2-sweep",
    [
        _depends("H2-sweep", axis, metric, name)
        for axis in ("theta", "xi")
        for metric, name in (("loss", "the loss rate"), ("payload", "the use of the link"))
    ],
)
