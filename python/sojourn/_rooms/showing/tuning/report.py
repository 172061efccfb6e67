"""The report of a search: the answer, the settings beside the default, and all settings that were tried."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from markupsafe import Markup

from .... import _core
from ...tuning.outcome import Found, Tuned, interval_text, number_text, word_of
from ..report.first import Action, Fact, first_screen, picture
from ..report.page import Report
from ..report.provenance import provenance
from .charts import draw_frontier, draw_slice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from _typeshed import StrPath

    from ...statistics.intervals import Interval

__all__ = ["write_report"]

_LAST = (
    "Mean and 95 % interval on seeds that the search has not seen. A setting is better than the default if it is "
    "surely better in an objective and surely worse in none, by differences that are formed seed by seed."
)
_BOUNDS = " It must also surely keep every bound. If the default breaks one, keeping it is enough, at any cost."
_BOUNDED = " Numbers with a bound, which is the dashed line, are means over the seeds that a setting had."
_DOTS = "A point is a setting, by its mean over the seeds that it had."
_FEWER = "Settings that fell behind had fewer seeds."
_SLICES = (
    "Each point is a setting. Its mean is the default's plus the difference from the default over the seeds that it "
    "had: settings that fell behind had fewer. If the points make no shape along a parameter, it does not matter here."
)


def write_report(tuned: Tuned, path: StrPath) -> None:
    """Write it as one HTML file."""
    heading = _headline(tuned)
    # The sentence goes on where the title ends.
    rest = _sentence(tuned).partition(heading.rpartition(": ")[2])[2].lstrip(":;, .")
    page = Report(
        title=heading,
        lead=f"{rest[:1].upper()}{rest[1:]}",
        about=(
            tuned.scenario.title or "a scenario",
            f"a search for {' and '.join(tuned.default)}: {tuned.trials} settings, {tuned.runs} runs",
        ),
        provenance=provenance(_core.build(), (*tuned.seeds, *tuned.fresh)),
    )
    if tuned.tried:
        page.add_front(_screen(page, tuned))
    for number, place in enumerate(tuned.places):
        heading = "The decision on other seeds" if not place else f"The decision in {place}"
        about = _LAST + _BOUNDS * bool(tuned.constraints)
        frame = _table(tuned, number)
        page.add_table(frame, heading, about, keys=frame.columns)
    if tuned.tried:
        page.add_text(_SLICES + _BOUNDED * bool(tuned.constraints), heading="The settings that were tried")
        measured = [*(one.name for one in tuned.objectives), *(one.name for one in tuned.constraints)]
        for what in measured:
            for name in tuned.default:
                page.add_plot(draw_slice(tuned, what, name))
        frame = _all(tuned)
        page.add_table(frame, "All settings", "In the order of the search.", keys=frame.columns)
    page.add_scenario(tuned.scenario.to_toml())
    page.write(Path(path))


def _headline(tuned: Tuned) -> str:
    """The best setting with its number; without one, or with several objectives, the sentence as far as it goes."""
    best, objective = tuned.best, tuned.objectives[0].name
    if best is None or len(tuned.objectives) > 1:
        return _sentence(tuned).partition(";")[0].partition(": none is better in")[0].rstrip(".")
    one = best.verdicts[0]
    does = (
        "is better than the default"
        if best.improves
        else f"keeps {' and '.join(each.name for each in tuned.constraints)}"
    )
    numbers = f"{number_text(one.means[objective].mean)} instead of {number_text(one.defaults[objective].mean)}"
    return f"{_settings(best.settings)} {does}: {objective} is {numbers}"


def _settings(settings: Mapping[str, str]) -> str:
    return ", ".join(f"{name}\u00a0=\u00a0{value}" for name, value in settings.items())


def _screen(page: Report, tuned: Tuned) -> Markup:
    """The objectives against each other, or the objective along the first parameter; the facts, and the setting."""
    several = len(tuned.objectives) > 1
    first = next(iter(tuned.default))
    drawn = draw_frontier(tuned) if several else draw_slice(tuned, tuned.objectives[0].name, first)
    about = "Settings that no other one beats in all objectives are the frontier." if several else _DOTS
    body = page.figure(drawn, "The settings that were tried")
    number = f"{len(tuned.tried)} settings that were tried"
    shown = picture(f"{number}, by {' and '.join(one.name for one in tuned.objectives)}", about, body)
    chosen = tuned.best or next(iter(tuned.frontier), None)
    facts = [
        Fact("Price", "There is no setting to take." if chosen is None else _price(chosen)),
        Fact("Certainty", f"{_seeds(tuned)} {_FEWER if tuned.dropped else ''}".rstrip()),
        Fact("Assumed", f"The default is {_settings(tuned.default)}; all else is as in the scenario."),
    ]
    return first_screen(shown, facts, action=_action(tuned.best))


def _price(chosen: Found) -> str:
    """Every number of the setting beside the default's."""
    one = chosen.verdicts[0]
    means, defaults = {**one.means, **one.bounded}, {**one.defaults, **one.default_bounded}
    parts = [f"{name} {interval_text(means[name])} instead of {interval_text(defaults[name])}" for name in means]
    return f"With {_settings(chosen.settings)}: {'; '.join(parts)}."


def _seeds(tuned: Tuned) -> str:
    return (
        f"{len(tuned.seeds)} seeds in the search, and {len(tuned.fresh)} others for the comparison of "
        f"{len(tuned.frontier)} settings with the default, seed by seed."
    )


def _action(best: Found | None) -> Action | None:
    """The queue as a text for --queue, if all settings are of the queue of a dumbbell."""
    queue = best.scenario.outline.get("dumbbell", {}).get("queue") if best is not None else None
    if best is None or not isinstance(queue, dict) or not set(best.settings) <= set(queue):
        return None
    values = ",".join(f"{name}={value}" for name, value in best.settings.items())
    return Action(
        "The queue to paste", "As a value of --queue, and of queue in a scenario.", [f"{queue['kind']}:{values}"]
    )


def _sentence(tuned: Tuned) -> str:
    """The answer; the name of a parameter keeps its small letter."""
    text = tuned.words()
    begun = text if text.startswith(tuple(tuned.default)) else f"{text[0].upper()}{text[1:]}"
    return f"{begun}."


def _table(tuned: Tuned, number: int) -> pl.DataFrame:
    """The default and the frontier by their final comparisons."""
    first = tuned.frontier[0].verdicts[number]
    rows: list[dict[str, str]] = [
        {
            **(tuned.default if number == 0 else dict.fromkeys(tuned.default, "as written")),
            **{name: interval_text(one) for name, one in first.defaults.items()},
            **{name: interval_text(one) for name, one in _others(tuned, first.default_bounded).items()},
            "verdict": "default",
        }
    ]
    return pl.DataFrame([*rows, *(_row(tuned, found, number) for found in tuned.frontier)])


def _row(tuned: Tuned, found: Found, number: int) -> dict[str, str]:
    one = found.verdicts[number]
    other = "not told apart" if len(tuned.objectives) == 1 else "a trade"
    verdict = f"may break {', '.join(one.broken)}" if one.broken and not one.better else word_of(one) or other
    return {
        **found.settings,
        **{name: interval_text(mean) for name, mean in one.means.items()},
        **{name: interval_text(mean) for name, mean in _others(tuned, one.bounded).items()},
        "verdict": verdict,
    }


def _others(tuned: Tuned, bounded: Mapping[str, Interval]) -> dict[str, Interval]:
    """The numbers that the constraints bound, by the text of the constraint."""
    return {one.name: bounded[one.name] for one in tuned.constraints}


def _all(tuned: Tuned) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {
                **one.settings,
                **{name: number_text(mean) for name, mean in one.means.items()},
                **{name: number_text(mean) for name, mean in one.bounded.items()},
                "seeds": one.seeds,
                **({"keeps the bounds": "yes" if one.kept else "no"} if tuned.constraints else {}),
            }
            for one in tuned.tried
        ]
    )
