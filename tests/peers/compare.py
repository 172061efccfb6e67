"""Compares ours with ns-2 over the settings of settings.toml.

    python tests/peers/compare.py [--seeds 20] [--workers 2] [--only NAME ...] [--set KEY=VALUE ...] [--with SETTINGS]
                                  [--keep DIR] [--printed] [--write docs/validation.md]

prints the table, and exits with 1 if a setting does not agree for which settings.toml has no `deviation`.
`--write` puts the table into a page, between the two comments that name this file; with `--only`, these rows of it.
`--set` changes keys of the settings for both sides, such as rtt_spread=0.4.
`--with` adds settings to our first group's transport, such as 'loss_clock = "arrival"'.
`--keep` uses ns-2's runs of this folder again, while setting, script and seed are the same, and leaves new ones there.
`--printed` runs ours alone and takes ns-2's means and intervals from the table of docs/validation.md: a seed gives the
same run of ns-2 each time, so that they hold while ns2_dumbbell.tcl and the settings are as they were.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import ns2
import ours
from ns2 import COMPARED, OF_QUEUES, Metrics, Setting

from sojourn.stats import Interval, mean_interval

SEEDS = range(1, 21)
LEVEL = 0.99
"""Confidence of ns-2's interval of the mean."""
TOLERANCE = {
    "mean_queue": 0.05,
    "loss": 0.10,
    "utilisation": 0.05,
    "mark_ratio": 0.10,
    "share": 0.05,
    "transfer": 0.05,
    "nearest": 0.05,
    "cuts": 0.10,
}
"""A difference within this share of ns-2's mean agrees in any case."""
PAGE = Path(__file__).resolve().parents[2] / "docs" / "validation.md"
ABSENT = -1.0
"""What both sides give for a metric that a setting does not have."""


@dataclass(frozen=True)
class Comparison:
    """One metric of one setting on both sides; `link` is the suffix of a further bottleneck."""

    setting: str
    link: str
    metric: str
    theirs: Interval
    ours: Interval

    @property
    def agrees(self) -> bool:
        """Our mean lies inside ns-2's interval or within the tolerance."""
        difference = abs(self.ours.mean - self.theirs.mean)
        whole = abs(self.theirs.mean)
        if self.metric == "share":
            # What the others have must agree as well.
            whole = min(whole, abs(1.0 - whole))
        return difference <= max(self.theirs.half_width, TOLERANCE[self.metric] * whole)

    @property
    def relative(self) -> float:
        """Our mean over theirs, less one; 0 if both are zero."""
        if self.theirs.mean == 0.0:
            return 0.0 if self.ours.mean == 0.0 else float("inf")
        return self.ours.mean / self.theirs.mean - 1.0

    def __str__(self) -> str:
        verdict = "agrees" if self.agrees else "DIFFERS"
        return (
            f"{self.setting}{self.link} {self.metric} {verdict}: "
            f"ns-2 {self.theirs.mean:.5g} +- {self.theirs.half_width:.2g}, "
            f"ours {self.ours.mean:.5g} +- {self.ours.half_width:.2g} ({self.relative:+.2%})"
        )


def compare(
    settings: Sequence[Setting],
    seeds: Sequence[int] = SEEDS,
    workers: int = 2,
    keep: Path | None = None,
    more: str | None = None,
) -> list[list[Comparison]]:
    """Runs both sides: one list for each setting, with one entry for each metric of each bottleneck."""
    theirs = ns2.run_all(settings, seeds, workers, keep)
    mine = ours.run_all([setting | {"with": more} for setting in settings] if more else settings, seeds, workers)
    return [
        [_compared(setting, link, metric, a, b) for link in ("", *ns2.further(setting)) for metric in COMPARED]
        for setting, a, b in zip(settings, theirs, mine, strict=True)
    ]


def _compared(
    setting: Setting, link: str, metric: str, theirs: Sequence[Metrics], mine: Sequence[Metrics]
) -> Comparison:
    return Comparison(
        str(setting["name"]), link, metric, _interval(link, metric, theirs), _interval(link, metric, mine)
    )


def _interval(link: str, metric: str, runs: Sequence[Metrics]) -> Interval:
    present = not link or metric in OF_QUEUES
    return mean_interval([run[metric + link] if present else ABSENT for run in runs], level=LEVEL)


def compare_with_printed(
    settings: Sequence[Setting], seeds: Sequence[int], workers: int, page: Path
) -> list[list[Comparison]]:
    """As :func:`compare`, with ns-2's side as the table of a page has it."""
    lines = [line.split("|") for line in _table_of(page).splitlines() if "|" in line]
    printed = {line[1].strip(): line[2:-1] for line in lines}
    return [
        [
            _beside(str(setting["name"]), link, metric, cell, _interval(link, metric, mine))
            for link in ("", *ns2.further(setting))
            for metric, cell in zip(COMPARED, printed[f"{setting['name']}{link}"], strict=True)
        ]
        for setting, mine in zip(settings, ours.run_all(settings, seeds, workers), strict=True)
    ]


def _beside(name: str, link: str, metric: str, cell: str, mine: Interval) -> Comparison:
    """Ours beside ns-2's interval of a cell, which is `none` where both sides had nothing."""
    if cell.strip() == "none":
        return Comparison(name, link, metric, Interval(min(mine.mean, 0.0), 0.0, mine.n), mine)
    scale = SCALES.get(metric, (100.0, 3))[0]
    mean, half = (float(number) / scale for number in cell.strip(" *").split(",")[0].split("±"))
    return Comparison(name, link, metric, Interval(mean, half, mine.n), mine)


TITLES = {
    "mean_queue": "mean queue (packets)",
    "loss": "loss (%)",
    "utilisation": "utilisation (%)",
    "mark_ratio": "marks (%)",
    "share": "share of the first group (%)",
    "transfer": "transfer time (s)",
    "nearest": "part of the nearest flow",
    "cuts": "windows cut by marks",
}
SCALES = {"mean_queue": (1.0, 2), "transfer": (1.0, 3), "nearest": (1.0, 3), "cuts": (1.0, 1)}
"""By what a number of the table is multiplied, and its digits, where they are not those of a percentage."""


HEAD = [
    "| setting | " + " | ".join(TITLES[metric] for metric in COMPARED) + " |",
    "|---" * (1 + len(COMPARED)) + "|",
]


def table(rows: Sequence[Sequence[Comparison]]) -> str:
    """The comparison as a Markdown table: in each cell ns-2's mean and half-width, ours, and the difference."""
    return "\n".join([*HEAD, *lines(rows)])


def lines(rows: Sequence[Sequence[Comparison]]) -> list[str]:
    """A line of the table for each bottleneck of each setting."""
    width = len(COMPARED)
    return [
        f"| {row[0].setting}{row[0].link} | " + " | ".join(_cell(entry) for entry in row) + " |"
        for whole in rows
        for row in (whole[start : start + width] for start in range(0, len(whole), width))
    ]


def _cell(entry: Comparison) -> str:
    if entry.theirs.mean == entry.ours.mean and entry.theirs.mean in (0.0, ABSENT):
        return "none"
    scale, digits = SCALES.get(entry.metric, (100.0, 3))
    text = (
        f"{scale * entry.theirs.mean:.{digits}f} ± {scale * entry.theirs.half_width:.{digits}f}, "
        f"{scale * entry.ours.mean:.{digits}f}, {entry.relative:+.2%}"
    )
    return text if entry.agrees else f"**{text}**"


PLACE = re.compile(r"(<!-- begin compare\.py -->\n)(.*?)(<!-- end compare\.py -->)", re.DOTALL)


def _table_of(page: Path) -> str:
    found = PLACE.search(page.read_text(encoding="utf-8"))
    return found[2] if found else ""


def write(path: Path, rows: Sequence[Sequence[Comparison]], order: Sequence[str]) -> None:
    """Puts the rows into the table between the comments that mark its place; others of `order` stay as they are."""
    page = path.read_text(encoding="utf-8")
    found = PLACE.search(page)
    if not found:
        raise ValueError(
            f"{path}: there is no place for the table, <!-- begin compare.py --> to <!-- end compare.py -->"
        )
    of_setting: dict[str, list[str]] = {}
    if HEAD[0] in found[2]:
        for line in found[2].strip().splitlines()[len(HEAD) :]:
            of_setting.setdefault(_setting_of(line), []).append(line)
    of_setting |= {row[0].setting: lines([row]) for row in rows}
    text = "\n".join([*HEAD, *(line for name in order for line in of_setting.get(name, []))])
    path.write_text(page[: found.start(2)] + f"\n{text}\n\n" + page[found.end(2) :], encoding="utf-8")


def printed(path: Path) -> dict[str, list[Interval]]:
    """ns-2's intervals in the page's table by setting, in the order of `compare`; NaN where a cell has none."""
    place = re.search(r"<!-- begin compare\.py -->\n(.*?)<!-- end compare\.py -->", path.read_text("utf-8"), re.DOTALL)
    found: dict[str, list[Interval]] = {}
    for line in place[1].strip().splitlines()[len(HEAD) :] if place else []:
        cells = line.strip("|").split("|")[1:]
        found.setdefault(_setting_of(line), []).extend(map(_read_cell, COMPARED, cells))
    return found


def _read_cell(metric: str, cell: str) -> Interval:
    number = re.match(r"[ *]*(-?[\d.]+) ± ([\d.]+),", cell)
    scale, _ = SCALES.get(metric, (100.0, 3))
    mean, half_width = (float(part) / scale for part in number.groups()) if number else (float("nan"),) * 2
    return Interval(mean, half_width, len(SEEDS))


def beside_printed(settings: Sequence[Setting], path: Path, workers: int = 2) -> list[list[Comparison]]:
    """Runs our side alone, beside what the page's table says of ns-2: as `compare`, without what neither side has."""
    theirs, mine = printed(path), ours.run_all(settings, SEEDS, workers)
    rows = []
    for setting, runs in zip(settings, mine, strict=True):
        kept = iter(theirs[str(setting["name"])])
        found = [
            _compared(setting, link, metric, runs, runs) for link in ("", *ns2.further(setting)) for metric in COMPARED
        ]
        pairs = [(entry, next(kept)) for entry in found]
        rows.append(
            [
                replace(entry, theirs=Interval(0.0, 0.0, 0) if isnan(cell.mean) else cell)
                for entry, cell in pairs
                if not (isnan(cell.mean) and entry.ours.mean in (0.0, ABSENT))
            ]
        )
    return rows


def _setting_of(line: str) -> str:
    return line.split("|")[1].strip().split("@")[0]


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare ours with ns-2 over the settings of the peer check.")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="seeds 1 to this number (default 20)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these settings only")
    parser.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", help="other values for both sides")
    parser.add_argument("--with", dest="more", metavar="SETTINGS", help="further settings of our first transport")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where ns-2's runs are kept")
    parser.add_argument("--printed", action="store_true", help="ns-2's side from the page's table; ours is run")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into this page too")
    arguments = parser.parse_args()

    settings = ns2.load_settings()
    if (arguments.more or arguments.set) and (arguments.write or arguments.printed):
        parser.error(
            "--set and --with change what is compared: leave out --write and --printed, which go by the page's table"
        )
    names = arguments.only or list(settings)
    unknown = [name for name in names if name not in settings]
    if unknown:
        print(f"no setting {', '.join(unknown)}; known are {', '.join(settings)}", file=sys.stderr)
        return 2
    try:
        seeds = range(1, arguments.seeds + 1)
        chosen = [settings[name] | tomllib.loads("\n".join(arguments.set)) for name in names]
        if arguments.printed:
            rows = compare_with_printed(chosen, seeds, arguments.workers, arguments.write or PAGE)
        else:
            rows = compare(chosen, seeds, arguments.workers, arguments.keep, arguments.more)
    except ns2.Ns2Error as error:
        print(error, file=sys.stderr)
        return 1
    print(table(rows))
    if arguments.write:
        write(arguments.write, rows, list(settings))
    wrong = [entry for row in rows for entry in row if not entry.agrees]
    for entry in wrong:
        print(entry, "- known" if "deviation" in settings[entry.setting] else "", file=sys.stderr)
    return 1 if any("deviation" not in settings[entry.setting] for entry in wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
