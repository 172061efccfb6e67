"""The best point of a sweep in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...catalogue.warnings import CURE, NO_CHANCE
from ...statistics.figures import figures
from .labels import is_named, metric_measure

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...sweeps.outcome import Swept

__all__ = ["best_in_words", "ending_in_words", "point_in_words", "suspect_in_words"]

_NAMED = 3


def best_in_words(swept: Swept, metric: str) -> str:
    """The best point for a metric, and those that runs cannot tell from it; empty where no direction is better."""
    one = next(known for known in swept.metrics if known.name == metric)
    if not one.better:
        return ""
    best = swept.best(metric)
    if best is None:
        return f"{metric}: no run has a value."
    said = metric_measure(one, [best.interval.mean])
    value = figures(best.interval, said.factor)
    unit = f" {said.unit}" if said.unit else ""
    where = f" at {one.row}" if one.row and not is_named(one) else ""
    direction = "highest" if one.better == "more" else "lowest"
    text = f"{said.label}{where}: {direction} at {point_in_words(best.point)}, {value}{unit}."
    others = len(swept.points) - 1
    if len(swept.seeds) == 1:
        return f"{text} One run at each point cannot show chance."
    if len(swept.without_chance()) == len(swept.points):
        return f"{text} All seeds give the same values, so chance has no part in it."
    if not best.ties or others == 0:
        return text
    if len(best.ties) == others:
        return f"{text} These runs cannot tell any other point from it."
    named = "; ".join(point_in_words(point) for point in best.ties[:_NAMED])
    more = f"; and {len(best.ties) - _NAMED} more" if len(best.ties) > _NAMED else ""
    return f"{text} These runs cannot tell it from {named}{more}."


def ending_in_words(swept: Swept) -> str:
    """After how many runs a sweep stopped, and whether its question was answered; empty with a fixed number."""
    ending = swept.ending
    if ending is None:
        return ""
    share = f"{100 * ending.question.share:g} %"
    least, most = min(ending.runs.values()), max(ending.runs.values())
    runs = f"{least}" if least == most else f"{least} to {most}"
    counted = f"after {runs} of at most {ending.most} runs at each point"
    if len(swept.without_chance()) == len(swept.points):
        return f"Stopped {counted}: all are one run, so that the seed has no effect."
    unseen = f"Behaviour in fewer than {100 * (1 - 0.05 ** (1 / least)):.0f} % of runs may not have been seen."
    if not ending.question.verdict:
        left = f", but not at {_few(list(ending.unanswered))}" if ending.unanswered else ""
        return f"{ending.metric} is known within {share} {counted}{left}. {unseen}"
    looks = len([look for look in ending.question.looks(ending.most) if look <= most])
    if ending.unanswered:
        return f"The best point for {ending.metric} is open {counted} (look {looks}). {unseen}"
    left = f", or no difference above {share} is left," if ending.question.share else ""
    wrong = "over all looks such a decision is wrong in at most 5 % of studies"
    return f"The best point for {ending.metric} is decided{left} {counted} (look {looks}): {wrong}. {unseen}"


def suspect_in_words(swept: Swept) -> list[str]:
    """Notes for a reader of the numbers: warnings of the runs, and points without chance."""
    runs: dict[str, list[str]] = {}
    # Runs end in any order; their warnings are in the order of the points.
    for label in (", ".join(point.values()) for point in swept.points):
        for seed in swept.seeds:
            for warning in swept.warnings.get((label, seed), ()):
                runs.setdefault(warning, []).append(label)
    said = [
        f"{warning}: {len(labels)} of {len(swept.values)} runs, at {_few(list(dict.fromkeys(labels)))}"
        for warning, labels in sorted(runs.items())
    ]
    same = swept.without_chance()
    if same:
        where = "every point" if len(same) == len(swept.points) else _few(same)
        alike = f"all seeds give the same values at {where}, so there is no interval"
        said.append(f"{NO_CHANCE['name']} in seeds: {alike}; {CURE}")
    return said


def _few(labels: list[str]) -> str:
    more = f" and {len(labels) - _NAMED} more points" if len(labels) > _NAMED else ""
    return "; ".join(labels[:_NAMED]) + more


def point_in_words(point: Mapping[str, str]) -> str:
    """The settings of a point."""
    return ", ".join(f"{name} = {label}" for name, label in point.items())
