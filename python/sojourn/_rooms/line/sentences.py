"""The answer in sentences. The first has the trade: the losses of the named queue, and the price of a better grade."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from .candidates import candidate
from .ranking import Ranked, Ranking

__all__ = ["count", "equals", "joined", "losses", "named", "no_lines", "percent", "sentences", "undecided"]

_USUAL = 5
"""Runs of each, unless the user says otherwise."""
_FASTER = 1.05
"""As many round trips as those of the named queue, for which one that loses too much is told of."""


def sentences(ranking: Ranking, runs: int) -> list[str]:
    """The answer, from this number of runs of each queue."""
    best = ranking.all[0]
    beside = _beside(ranking)
    return [
        _first(ranking, beside, runs),
        *undecided(ranking, runs),
        *(f"{one.name} loses {losses(costs)} against it." for one in ranking.equal[1:] if (costs := one.costs(best))),
        *_traps(ranking, beside),
    ]


def named(one: Ranked) -> str:
    """A candidate in a sentence."""
    return one.name if candidate(one.name).words else f"the line as it is ({one.name})"


def _first(ranking: Ranking, beside: Ranked | None, runs: int) -> str:
    best, others = ranking.all[0], ranking.equal[1:]
    name = named(best)
    before, verb = "", "is best"
    if others:
        before = f"{equals(ranking, runs)[:-1]}; "
        reasons = dict.fromkeys(_reason(best, one) for one in reversed(others))
        verb = f"is named for its {' or '.join(reasons)}"
    elif runs == 1 or ranking.undecided:
        verb = "comes first"
    cost = f"at the cost of {losses(best.loses)}, " if best.loses else ""
    shares = " and ".join(f"{percent(share)} of the best {way}" for way, share in best.shares.items())
    trips = f"{count(best.rpm)} round trips per minute under load"
    text = f"{before}{cost}{name} {verb}: grade {best.grade}, {trips}, {shares}"
    if beside is not None:
        has = f"has {beside.grade} and {count(beside.rpm)}" if math.isfinite(beside.rpm) else "lets no probe return"
        text += f"; {beside.name} {has}"
        costs = beside.costs(best)
        if beside.worth < best.worth:
            text += f", but loses {losses(costs)}" if costs else f", but is {beside.behind.mean:.1f} steps behind"
    # The name of a queue keeps its small letter.
    return f"{text}." if text.startswith(best.name) else f"{text[:1].upper()}{text[1:]}."


def _reason(best: Ranked, other: Ranked) -> str:
    """The property by which it comes before an equal one."""
    if best.worth < other.worth:
        return "better grade"
    if candidate(best.name).length < candidate(other.name).length:
        return "simpler lines" if candidate(best.name).words else "lack of lines"
    return "lower p99"


def _beside(ranking: Ranking) -> Ranked | None:
    """The nearest one with a better grade; or else the line without a queue, or the one with the most steps."""
    best, *others = ranking.all
    better = [one for one in others if one.worth < best.worth]
    bare = [one for one in others if not candidate(one.name).words]
    if better:
        return min(better, key=lambda one: one.behind.mean)
    return max(bare or others, key=lambda one: one.behind.mean, default=None)


def equals(ranking: Ranking, runs: int) -> str:
    """The equal queues; empty if the named one has none."""
    if len(ranking.equal) == 1:
        return ""
    told = any(one.behind.excludes_zero for one in ranking.equal)
    words = "equal within the runs" if runs > 1 and not told else "about equal"
    return f"{joined([named(one) for one in ranking.equal])} are {words}."


def undecided(ranking: Ranking, runs: int) -> list[str]:
    """The queues that the runs do not tell from the one with the fewest steps."""
    if runs == 1:
        return ["One run of each does not tell merit from luck."]
    names = [one.name for one in ranking.undecided]
    if len(names) > 3:
        names[2:] = [f"{len(names) - 2} others"]
    verb = "is" if len(names) == 1 else "are"
    more = "; --seeds 5 tells more" if runs < _USUAL else ""
    return [f"{runs} runs of each leave open whether {joined(names)} {verb} as good{more}."] if names else []


def _traps(ranking: Ranking, beside: Ranked | None) -> list[str]:
    """The candidate with the most round trips, if it loses too much for them."""
    best = ranking.all[0]
    told = {_kind(one) for one in (*ranking.equal, *ranking.undecided, *([beside] if beside else []))}
    faster = [one for one in ranking.all if _kind(one) not in told and one.rpm > _FASTER * best.rpm]
    most = max(faster, key=lambda one: one.rpm, default=best)
    costs = most.costs(best)
    return [f"{most.name} has {count(most.rpm)}, but loses {losses(costs)}."] if costs else []


def _kind(one: Ranked) -> str:
    return one.name.partition(" ")[0]


def losses(loses: Mapping[str, float]) -> str:
    r"""Losses in words.

    >>> losses({"upload": 0.31, "call": 0.62})
    "31\u202f% of the upload and 0.6 of the call's MOS"
    """
    parts = [f"{percent(loss)} of the {way}" for way, loss in loses.items() if way != "call"]
    parts += [f"{loses['call']:.1f} of the call's MOS"] if "call" in loses else []
    return joined(parts)


def percent(share: float) -> str:
    """A share in whole per cent."""
    return f"{100.0 * share:.0f}\u202f%"


def count(value: float) -> str:
    """A whole number, with thin spaces between thousands."""
    return f"{value:,.0f}".replace(",", "\u202f")


def joined(parts: Sequence[str]) -> str:
    """The parts with commas, and *and* before the last."""
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def no_lines(ways: Sequence[str]) -> str:
    """Why there are no lines to paste: a shaper below the line's rate throws the rest of the line away."""
    return (
        f"There are no lines to paste: the rate of the {' and the '.join(ways)} is only known to be at least this. "
        "Measure each way alone, or give the rates as UP/DOWN."
    )
