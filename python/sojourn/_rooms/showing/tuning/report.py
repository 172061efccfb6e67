"""The report of a search: the answer, the settings beside the default, and all settings that were tried."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from .... import _core
from ...tuning.outcome import Found, Tuned, interval_text, number_text, word_of
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
_SLICES = (
    "Each point is a setting. Its mean is the default's plus the difference from the default over the seeds that it "
    "had: settings that fell behind had fewer. If the points make no shape along a parameter, it does not matter here."
)


def write_report(tuned: Tuned, path: StrPath) -> None:
    """Write it as one HTML file."""
    title = tuned.scenario.title or "a scenario"
    page = Report(
        title=f"{title}: a search for {' and '.join(tuned.default)}",
        lead=f"{_sentence(tuned)} {tuned.trials} settings with {tuned.runs} runs.",
        provenance=provenance(_core.build(), (*tuned.seeds, *tuned.fresh)),
    )
    for number, place in enumerate(tuned.places):
        heading = "The decision on other seeds" if not place else f"The decision in {place}"
        about = _LAST + _BOUNDS * bool(tuned.constraints)
        frame = _table(tuned, number)
        page.add_table(frame, heading, about, keys=frame.columns)
    if tuned.tried:
        if len(tuned.objectives) > 1:
            page.add_plot(
                draw_frontier(tuned), "The frontier", "Settings that no other setting beats in all objectives."
            )
        page.add_text(_SLICES + _BOUNDED * bool(tuned.constraints), heading="The settings that were tried")
        measured = [*(one.name for one in tuned.objectives), *(one.name for one in tuned.constraints)]
        for what in measured:
            for name in tuned.default:
                page.add_plot(draw_slice(tuned, what, name))
        frame = _all(tuned)
        page.add_table(frame, "All settings", "In the order of the search.", keys=frame.columns)
    page.add_scenario(tuned.scenario.to_toml())
    page.write(Path(path))


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
