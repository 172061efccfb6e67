"""Compares ours with ns-2 over the settings of settings.toml.

    python tests/peers/beside_ns2.py [--seeds 20] [--workers 2] [--only NAME ...] [--set KEY=VALUE ...]
                                  [--with SETTINGS] [--keep DIR] [--measured] [--write]

prints the table, and exits with 1 if a setting does not agree for which settings.toml has no `deviation`.
`--write` keeps the numbers in measured.toml, with `--only` those of these settings.
`--set` changes keys of the settings for both sides, such as rtt_spread=0.4.
`--with` adds settings to our first group's transport, such as 'loss_clock = "arrival"'.
`--keep` uses ns-2's runs of this folder again, while setting, script and seed are the same, and leaves new ones there.
`--measured` runs ours alone and takes ns-2's means and intervals from measured.toml: a seed gives the same run of ns-2
each time, so that they hold while ns2_dumbbell.tcl and the settings are as they were.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
MEASURED = Path(__file__).resolve().parents[2] / "evidence" / "ns2" / "measured.toml"
ABSENT = -1.0
"""The value on both sides of a metric that a setting does not have."""


@dataclass(frozen=True)
class Comparison:
    """One metric of one setting on both sides; `link` is the suffix of a further bottleneck."""

    setting: str
    link: str
    metric: str
    theirs: Interval
    ours: Interval
    apart: float | None = None
    """Our mean over theirs, less one, where it was kept: both means are rounded then."""

    @property
    def agrees(self) -> bool:
        """Our mean lies inside ns-2's interval or within the tolerance."""
        difference = abs(self.ours.mean - self.theirs.mean)
        whole = abs(self.theirs.mean)
        if self.metric == "share":
            # Values of the others must agree as well.
            whole = min(whole, abs(1.0 - whole))
        return difference <= max(self.theirs.half_width, TOLERANCE[self.metric] * whole)

    @property
    def relative(self) -> float:
        """Our mean over theirs, less one; 0 if both are zero."""
        if self.apart is not None:
            return self.apart
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


def compare_with_measured(
    settings: Sequence[Setting], seeds: Sequence[int] = SEEDS, workers: int = 2
) -> list[list[Comparison]]:
    """As :func:`compare`, with ns-2's side from measured.toml: our side alone is run."""
    kept = {(entry.setting, entry.link, entry.metric): entry.theirs for row in measured() for entry in row}
    return [
        [
            _beside(str(setting["name"]), link, metric, kept, _interval(link, metric, mine))
            for link in ("", *ns2.further(setting))
            for metric in COMPARED
        ]
        for setting, mine in zip(settings, ours.run_all(settings, seeds, workers), strict=True)
    ]


def _beside(
    setting: str, link: str, metric: str, kept: Mapping[tuple[str, str, str], Interval], mine: Interval
) -> Comparison:
    """Ours beside ns-2's interval; where both sides had nothing, ours is to have nothing again."""
    theirs = kept[setting, link, metric]
    if theirs.mean in (0.0, ABSENT):
        theirs = Interval(min(mine.mean, 0.0), 0.0, mine.n)
    return Comparison(setting, link, metric, theirs, mine)


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
"""The factor of a number in the table, and its digits, where they are not those of a percentage."""


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


def _is_nothing(entry: Comparison) -> bool:
    return entry.theirs.mean == entry.ours.mean and entry.theirs.mean in (0.0, ABSENT)


def _cell(entry: Comparison) -> str:
    if _is_nothing(entry):
        return "none"
    scale, digits = SCALES.get(entry.metric, (100.0, 3))
    text = (
        f"{scale * entry.theirs.mean:.{digits}f} ± {scale * entry.theirs.half_width:.{digits}f}, "
        f"{scale * entry.ours.mean:.{digits}f}, {entry.relative:+.2%}"
    )
    return text if entry.agrees else f"**{text}**"


def measured(file: Path = MEASURED) -> list[list[Comparison]]:
    """The kept results: a row for each bottleneck of each setting."""
    content = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return [[_kept(name, metric, row.get(metric)) for metric in COMPARED] for name, row in content.items()]


def _kept(name: str, metric: str, numbers: Mapping[str, float] | None) -> Comparison:
    setting, at, link = name.partition("@")
    if numbers is None:
        return Comparison(setting, at + link, metric, Interval(0.0, 0.0, 0), Interval(0.0, 0.0, 0))
    theirs = Interval(numbers["ns2"], numbers["half_width"], len(SEEDS))
    mine = Interval(numbers["ours"], 0.0, len(SEEDS))
    return Comparison(setting, at + link, metric, theirs, mine, numbers["apart"])


_HEAD = """# ns-2's means with their 99 % intervals, and ours over the same seeds. Written by
#     python tests/peers/beside_ns2.py --write
# `apart` is our mean over ns-2's, less one. What neither has is left out.
"""


def keep(rows: Sequence[Sequence[Comparison]], order: Sequence[str], file: Path = MEASURED) -> None:
    """Keeps the rows; others of `order` stay as they are."""
    new = {row[0].setting for row in rows}
    width = len(COMPARED)
    parts = [row for row in measured(file) if row[0].setting not in new]
    parts += [list(whole[start : start + width]) for whole in rows for start in range(0, len(whole), width)]
    sections = {name: [row for row in parts if row[0].setting == name] for name in order}
    text = "\n\n".join(_section(row) for of_one in sections.values() for row in of_one)
    file.write_text(f"{_HEAD}\n{text}\n", encoding="utf-8")


def _section(row: Sequence[Comparison]) -> str:
    name = f"{row[0].setting}{row[0].link}"
    lines = [
        f"{one.metric} = {{ ns2 = {_figure(one.theirs.mean)}, half_width = {_figure(one.theirs.half_width)}, "
        f"ours = {_figure(one.ours.mean)}, apart = {float(f'{one.relative:.4f}')!r} }}"
        for one in row
        if not _is_nothing(one)
    ]
    return "\n".join([f'["{name}"]' if row[0].link else f"[{name}]", *lines])


def _figure(value: float) -> str:
    return repr(float(f"{value:.7g}"))


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare ours with ns-2 over the settings of the peer check.")
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="seeds 1 to this number (default 20)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these settings only")
    parser.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", help="other values for both sides")
    parser.add_argument("--with", dest="more", metavar="SETTINGS", help="further settings of our first transport")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where ns-2's runs are kept")
    parser.add_argument("--measured", action="store_true", help="ns-2's side from measured.toml; ours is run")
    parser.add_argument("--write", action="store_true", help="keep the numbers in measured.toml")
    arguments = parser.parse_args()

    settings = ns2.load_settings()
    if (arguments.more or arguments.set) and (arguments.write or arguments.measured):
        parser.error("--set and --with change what is compared: leave out --write and --measured, which go by the file")
    names = arguments.only or list(settings)
    unknown = [name for name in names if name not in settings]
    if unknown:
        print(f"no setting {', '.join(unknown)}; known are {', '.join(settings)}", file=sys.stderr)
        return 2
    try:
        seeds = range(1, arguments.seeds + 1)
        chosen = [settings[name] | tomllib.loads("\n".join(arguments.set)) for name in names]
        if arguments.measured:
            rows = compare_with_measured(chosen, seeds, arguments.workers)
        else:
            rows = compare(chosen, seeds, arguments.workers, arguments.keep, arguments.more)
    except ns2.Ns2Error as error:
        print(error, file=sys.stderr)
        return 1
    print(table(rows))
    if arguments.write:
        keep(rows, list(settings))
    wrong = [entry for row in rows for entry in row if not entry.agrees]
    for entry in wrong:
        print(entry, "- known" if "deviation" in settings[entry.setting] else "", file=sys.stderr)
    return 1 if any("deviation" not in settings[entry.setting] for entry in wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
