"""The first screen of a line's report: the answer, its picture, the price, how sure it is, and the lines to paste."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from ..catalogue.grades import GRADES
from ..showing.report.first import Action, Dot, Fact, Panel, Row, first_screen, rows_picture, ticks
from ..showing.text.tables import cell, decimals_of
from ..statistics.intervals import Interval
from .answer import Answered
from .candidates import candidate
from .paste import system
from .ranking import LOST, RULE, WAYS, Ranked
from .sentences import equals, joined, losses, no_lines, undecided

__all__ = ["about", "headline", "screen", "standfirst"]

_PASTE = (
    "{device} is its port to the modem. The lines may be pasted again; the first alone undoes them, as a restart does."
)
_DECADES = range(-3, 7)
_MANY = 4
"""Queues that are counted in a title, and not named."""
_SEEN, _SEEN_CALL = 0.02, 0.1
"""Differences of a rate, and of a MOS, that are worth a word."""


def about(found: Answered, words: str, window_s: float) -> tuple[str, str]:
    """The line, and the load and the runs, in a few words."""
    runs = len(found.study.seeds)
    counted = f"{runs} runs of each queue" if runs > 1 else "one run of each queue"
    return found.line.words, f"{words}; {counted}, {window_s:.3g}\u00a0s measured"


def headline(found: Answered) -> str:
    """The advice with its size; a loss of more than a tenth comes first."""
    best, base = found.best, _base(found)
    cost = f"At the cost of {losses(best.loses)}, " if best.loses else ""
    if not candidate(best.name).words:
        better = [one for one in found.ranking if one.worth < best.worth]
        other = min(better, key=lambda one: one.behind.mean, default=None)
        text = f"{cost}{'leave' if cost else 'Leave'} this line as it is: under load it adds {_delay(best)}"
        if other is None:
            return f"{text}, and no queue here has a better grade"
        costs = other.costs(best)
        return f"{text}; {other.name} adds {_delay(other)}" + (f", but loses {losses(costs)}" if costs else "")
    adds = (
        f"{best.name} adds {_delay(best)} of delay under load"
        if cost
        else f"under load it adds {_delay(best)} of delay"
    )
    begins = cost or f"Put {best.name} on this line: "
    if not cost and (found.found.undecided or len(found.study.seeds) == 1):
        begins, adds = f"{best.name} comes first: ", adds
    return f"{begins}{adds}, where {_alone(base)} adds {_delay(base)}" if base is not best else f"{begins}{adds}"


def standfirst(found: Answered, more: str = "") -> str:
    """The gain for calls and pages, and the price; then the queues that are equal, and those that are open."""
    best, base = found.best, _base(found)
    gains, prices = [], []
    if base is not best:
        if abs(best.call - base.call) > _SEEN_CALL:
            verb = "improve" if best.call > base.call else "fall"
            gains.append(f"calls {verb} from {base.call:.1f} to {best.call:.1f} of at most 4.4 MOS")
        pages, before = best.values["web_s"].mean, base.values["web_s"].mean
        if math.isfinite(pages) and math.isfinite(before) and abs(pages / before - 1.0) > LOST:
            gains.append(f"web pages open in {pages:.2g}\u00a0s instead of {before:.2g}")
        for way, key in WAYS.items():
            if best.values[key].mean < (1.0 - _SEEN) * base.values[key].mean:
                prices.append(f"{_rate(best, key)}\u00a0Mbit/s of {way} instead of {_rate(base, key)}")
    said = [_sentence(joined(gains))] if gains else []
    if prices:
        said.append(f"The price is {joined(prices)}.")
    runs = len(found.study.seeds)
    said += [text for text in (equals(found.found, runs), *undecided(found.found, runs), more) if text]
    return " ".join(said)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def screen(found: Answered, device: str, router: str | None) -> Markup:
    """The picture, the facts and the lines."""
    ranking, runs = found.ranking, len(found.study.seeds)
    bars = f"means of {runs} runs; bars: 95\u00a0% intervals" if runs > 1 else "one run of each"
    picture = rows_picture(
        _finding(ranking),
        f"Uploads and downloads fill the line both ways. Marks: {bars}. Letters: the grade of the delay.",
        [Row(one.name, one is found.best, str(one.place)) for one in ranking],
        _panels(found),
    )
    facts = [Fact("Price", _price(found)), Fact("Certainty", _certainty(found)), Fact("Assumed", _assumed(found))]
    fold = Fact("The rule of the ranking", RULE)
    return first_screen(picture, facts, action=_action(found, device, router), fold=fold)


def _base(found: Answered) -> Ranked:
    """The line without a queue of yours; if that was not asked, the queue with the most steps."""
    bare = [one for one in found.ranking if not candidate(one.name).words]
    return bare[0] if bare else max(found.ranking, key=lambda one: one.behind.mean)


def _alone(one: Ranked) -> str:
    return "the modem alone" if one.name == "modem" else one.name


def _delay(one: Ranked) -> str:
    """The added delay in two or three digits."""
    value = one.values["added_ms"].mean
    if not math.isfinite(value):
        return "an unknown delay"
    return f"{value / 1e3:.2g}\u00a0s" if value >= 1000.0 else f"{value:.{0 if value >= 10.0 else 1}f}\u00a0ms"


def _rate(one: Ranked, key: str) -> str:
    return cell(one.values[key], 1e-6, min(decimals_of([one.values[key]], 1e-6, 2), 1)).partition(" ±")[0]


def _finding(ranking: Sequence[Ranked]) -> str:
    """The picture's finding: how many have the best grade, and the grades of the others."""
    letters: dict[str, list[str]] = {}
    for one in sorted(ranking, key=lambda one: one.worth):
        letters.setdefault(one.grade or "no grade", []).append(one.name)
    bounds = {letter: f"less than {bound:g}\u00a0ms" for bound, letter in GRADES}
    (best, names), *others = letters.items()
    first = joined(names) if len(names) < _MANY else f"{len(names)} queues"
    added = bounds.get(best, "more than 400\u00a0ms")
    text = f"{first} {'adds' if len(names) == 1 else 'add'} {added} (grade {best})"
    rest = [f"{joined(names) if len(names) < _MANY else f'{len(names)} queues'} {letter}" for letter, names in others]
    return f"{text}; {', '.join(rest)}" if rest else text


def _panels(found: Answered) -> list[Panel]:
    ranking = found.ranking
    delays = [one.values["added_ms"] for one in ranking]
    known = [value.mean for value in delays if value.mean > 0.0]
    low, high = min(known, default=1.0), max(known, default=1.0)
    decades = [10.0**power for power in _DECADES if low / 3.0 <= 10.0**power <= high * 3.0]
    calls = [
        min((one.values["call_up_mos"], one.values["call_down_mos"]), key=lambda call: call.mean) for one in ranking
    ]
    steps = [one.behind for one in ranking]
    unit = 1e-6
    return [
        Panel(
            "Delay that the load adds",
            "ms, log scale; less is better",
            [
                Dot(value.mean, value.low, value.high, (_digits(value), one.grade))
                for one, value in zip(ranking, delays, strict=True)
            ],
            decades,
            "log",
        ),
        _linear("Download", "Mbit/s; more is better", [one.values["down_bps"] for one in ranking], unit, 1),
        _linear("Upload", "Mbit/s; more is better", [one.values["up_bps"] for one in ranking], unit, 1),
        _linear("Call", "MOS; 4.4 is the best", calls, 1.0, 1, (1.0, 3.0, 5.0)),
        _linear("Steps behind", "all losses; less is better", steps, 1.0, 1),
    ]


def _linear(
    title: str, note: str, values: Sequence[Interval], unit: float, finest: int, marks: Sequence[float] = ()
) -> Panel:
    most = max((unit * value.mean for value in values if math.isfinite(value.mean)), default=1.0)
    # Numbers below one need a digit more.
    places = finest + 1 if most < 1.0 else 0 if most >= 100.0 else finest
    dots = []
    for value in values:
        text = f"{unit * value.mean:.{places}f}" if math.isfinite(value.mean) else "–"
        dots.append(Dot(unit * value.mean, max(unit * value.low, 0.0), max(unit * value.high, 0.0), (text,)))
    return Panel(title, note, dots, marks or ticks(most))


def _digits(value: Interval) -> str:
    if not math.isfinite(value.mean):
        return "–"
    return f"{value.mean:.{0 if value.mean >= 10.0 else 1}f}"


def _action(found: Answered, device: str, router: str | None) -> Action | None:
    best, line = found.best.name, found.line
    lines = line.lines(best, device)
    if not lines:
        return None
    if line.unsure:
        return Action("No lines yet", no_lines(line.unsure), [])
    if router is None:
        return Action(f"Lines of {best} for Linux, as root", _PASTE.format(device=device), lines)
    pasted = system(router).text(line, best, device)
    first, *behind = system(router).sentences(line, pasted)
    return Action(f"Lines of {best} for {router}", first, pasted.lines, behind, [("To undo", pasted.undo)])


def _price(found: Answered) -> str:
    """Both ways against the line without a queue, and who has the most."""
    best, base = found.best, _base(found)
    parts = []
    for way, key in WAYS.items():
        now = _mbit(best.values[key])
        most = max(found.ranking, key=lambda one: one.values[key].mean)
        text = f"{way.capitalize()} {now}"
        text += f" instead of {_mbit(base.values[key])} Mbit/s" if base is not best else " Mbit/s"
        if most is not best and most is not base and way in best.loses:
            text += f" ({most.name}, grade {most.grade}: {_mbit(most.values[key])})"
        parts.append(f"{text}.")
    return " ".join(parts)


def _mbit(value: Interval) -> str:
    return cell(value, 1e-6, min(decimals_of([value], 1e-6, 2), 1 if value.mean >= 1e6 else 2))


def _certainty(found: Answered) -> str:
    runs = len(found.study.seeds)
    if runs == 1:
        return "One run of each does not tell merit from luck; --seeds 5 has intervals."
    ranked, equal = found.found, found.found.equal
    parts = []
    if near := [f"{one.name} {_steps(one)}" for one in equal if one.behind.mean > 0.0]:
        parts.append(f"Steps behind the fewest, and so equal: {joined(near)}.")
    after = next(iter(ranked.all[len(equal) :]), None)
    if after is not None:
        verdict = "not decided" if after in ranked.undecided else "decided"
        parts.append(f"{after.name} is {_steps(after)} steps behind: {verdict}.")
    if others := [one.name for one in ranked.undecided if one is not after]:
        parts.append(f"Open too: {joined(others)}.")
    return " ".join(parts)


def _steps(one: Ranked) -> str:
    return cell(one.behind, 1.0, 1)


def _assumed(found: Answered) -> str:
    line = found.line
    share = "of which the queue gets 95\u00a0%" if line.shaper.exact else "of which the queue gets a part"
    return (
        f"Steady rates, {share}; {line.rtt_s * 1e3:g}\u00a0ms to the servers (--rtt); {line.link} (--link); buffers of "
        f"{line.buffer_s * 1e3:g}\u00a0ms at both ends (--buffer)."
    )
