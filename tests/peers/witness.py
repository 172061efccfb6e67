"""ns-2 as a witness for a work's sentences: the numbers of plain ns-2, of Sojourn, and the printed ones.

    python tests/peers/witness.py KEY ... [--seeds 20] [--only WORDS ...] [--workers 2] [--write]

reads papers/KEY/ns2/witness.toml. Each `[[group]]` of it is a group of numbers that fail, or depend on the reading, and
that ns-2 can express:

    seeds = 20                                 # of either simulator

    [[group]]
    title = "Table 3.1, lower thresholds above 0"
    about = "What the table is to show, in a sentence."
    study = "E3.3"                             # an experiment of the work; `reading` names one of its readings
    metrics = ["AQS", "PLR"]                   # its metrics, in the units of its tables
    script = "dumbbell.tcl"                    # beside the file; run as `ns dumbbell.tcl key=value ... seed=1`
    arguments = { law = "psand" }              # of all cases
    made = 100                                 # of how many runs the printed numbers are means (1)

    [[group.case]]
    name = "5 and 35"
    at = { law = "PSAND1", max_th = "35", min_th = "5" }     # a point of each axis of the study
    arguments = { min = 5, max = 35 }
    printed = { AQS = 16.87, PLR = 0.1277 }    # what is printed of it, which may be nothing

`settings` of a case or a group are laid over our scenario. A script prints one line of JSON with a number for each
metric, in the same units. Numbers are means with 95 % intervals; `made` runs predict a printed number. `--write` writes
them to record/witness.md in the folder of the work, whose first line has what ns-2 `lacks` of it.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ns2 import Metrics, Ns2Error, available

from sojourn import papers
from sojourn._rooms._base import toml
from sojourn._rooms._base.files import write_whole
from sojourn._rooms._base.schema import Wrong, known, made, tables, told_of, under
from sojourn._rooms.scenario import Scenario
from sojourn._rooms.sweeps.axes import keys_of
from sojourn._rooms.works.design import Design, label
from sojourn._rooms.works.exhibits import figures
from sojourn._rooms.works.studies import StudyExperiment
from sojourn.claims import factor
from sojourn.papers import Context, Paper, Reading, Results
from sojourn.stats import Interval, mean_interval

PAGE = "record/witness.md"
"""The page in the folder of a work that has the tables."""
ALIKE = 0.05
"""Share by which both may differ and are still called alike, where the runs tell them apart: that of the peer check."""

Runs = Mapping[str, Sequence[float]]
"""A number for each run, by metric."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One setting of both simulators."""

    name: str
    at: Mapping[str, str] = field(default_factory=dict)
    arguments: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    printed: Mapping[str, float] = field(default_factory=dict)
    metrics: Sequence[str] = ()
    study: str = ""
    reading: str = ""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Cases that tell of the same sentences."""

    title: str
    script: str
    metrics: Sequence[str]
    study: str
    about: str = ""
    reading: str = ""
    made: int = 1
    arguments: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    case: Sequence[Case] = ()


@dataclass(frozen=True)
class Row:
    """A number of a case: of ns-2's runs, of ours, and as it is printed."""

    case: str
    title: str
    unit: str
    theirs: Sequence[float]
    ours: Sequence[float]
    printed: float | None
    made: int

    @property
    def apart(self) -> Interval:
        """Ours less ns-2's, with Welch's interval."""
        off = statistics.fmean(self.ours) - statistics.fmean(self.theirs)
        parts = [statistics.variance(side) / len(side) for side in (self.ours, self.theirs)]
        if not sum(parts):
            return Interval(off, 0.0, len(self.ours))
        runs = [len(side) - 1 for side in (self.ours, self.theirs)]
        freedom = sum(parts) ** 2 / sum(part**2 / n for part, n in zip(parts, runs, strict=True))
        return Interval(off, _quantile(freedom) * math.sqrt(sum(parts)), len(self.ours))

    @property
    def agree(self) -> bool:
        """Whether the difference may be none, or is less than :data:`ALIKE`."""
        return self.apart.low <= 0.0 <= self.apart.high or abs(self.apart.mean) <= ALIKE * abs(
            statistics.fmean(self.theirs)
        )

    def foretells(self, runs: Sequence[float]) -> bool | None:
        """Whether the printed number lies where the mean of as many runs as the work made does, at 95 %."""
        if self.printed is None:
            return None
        spread = statistics.variance(runs) * (1.0 / self.made + 1.0 / len(runs))
        return abs(self.printed - statistics.fmean(runs)) <= _quantile(len(runs) - 1) * math.sqrt(spread)


def _quantile(freedom: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, 0.975))


# ---- The file.


def load(path: Path) -> tuple[list[Group], int]:
    """The groups of a file, and how many seeds they are run with."""
    content = dict(toml.read(path))
    try:
        groups = []
        with under("group"):
            for place, row in enumerate(tables(content.pop("group", []))):
                with under(str(place)):
                    groups.append(_group(row))
        seeds = content.pop("seeds", 20)
        content.pop("lacks", "")
        known(next(iter(content), "seeds"), ("seeds", "lacks", "group"), "key")
        if not isinstance(seeds, int) or seeds < 2:
            raise Wrong("how many seeds?", "seeds", found=seeds, allowed="a whole number from 2 on")
    except Wrong as wrong:
        raise told_of(wrong, [(path, ())]) from None
    return groups, seeds


def _group(row: Mapping[str, Any]) -> Group:
    cases = []
    with under("case"):
        for place, one in enumerate(tables(row.get("case", []))):
            with under(str(place)):
                cases.append(made(Case, one))
    rest = {key: value for key, value in row.items() if key != "case"}
    return made(Group, rest, hidden=("case",), more={"case": tuple(cases)})


def check(paper: Paper, context: Context, folder: Path, groups: Sequence[Group]) -> None:
    """Refuses scripts, experiments, readings, points and metrics that there are not, before anything is run."""
    for group in groups:
        with under(place=f"group {group.title!r}"):
            if not (folder / group.script).is_file():
                raise Wrong("there is no such script", "script", found=group.script)
            for case in group.case:
                with under(place=f"case {case.name!r}"):
                    design = design_of(paper, case.study or group.study)
                    scenario_of(context, design, group, case)
                    for metric in (*_metrics(group, case), *case.printed):
                        known(metric, design.metrics, "metric")
                    for metric in case.printed:
                        known(metric, _metrics(group, case), "metric of this case", "printed", metric)


def _point(design: Design, case: Case) -> dict[str, str]:
    """A point of each axis; an axis with one point needs none."""
    for axis, name in case.at.items():
        known(axis, design.axes, "axis", "at")
        known(name, design.axes[axis], f"point of {axis}", "at", axis)
    for axis, points in design.axes.items():
        if axis not in case.at and len(points) > 1:
            raise Wrong(f"the case names no point of the axis {axis}", "at", allowed=", ".join(points))
    return {axis: case.at.get(axis) or next(iter(points)) for axis, points in design.axes.items()}


def _reading(design: Design, group: Group, case: Case) -> Reading | None:
    name = case.reading or group.reading
    if name:
        known(name, [one.name for one in design.readings], "reading", "reading")
    return next((one for one in design.readings if one.name == name), None)


# ---- Both sides.


def theirs(script: Path, arguments: Mapping[str, Any], seed: int) -> Metrics:
    """A run of ns-2."""
    asked = [f"{key}={int(value) if isinstance(value, bool) else value}" for key, value in arguments.items()]
    with tempfile.TemporaryDirectory(prefix="ns2-") as directory:
        command = ["ns", str(script), *asked, f"seed={seed}"]
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    try:
        return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    except (StopIteration, json.JSONDecodeError):
        message = (done.stderr or done.stdout).strip()
        raise Ns2Error(f"{script.name} {' '.join(asked)}, seed {seed}: ns exit {done.returncode}: {message}") from None


def ours(paper: Paper, context: Context, group: Group, seeds: Sequence[int]) -> list[Runs]:
    """Our runs of each case of a group."""
    found: list[Runs] = []
    for case in group.case:
        design = design_of(paper, case.study or group.study)
        point, scenario = _point(design, case), scenario_of(context, design, group, case)
        done = context.metric_study("witness", {label(point): scenario}, design.run_metrics, seeds=seeds)
        results = Results(design, done)
        found.append({metric: list(results.sample(metric, point)) for metric in _metrics(group, case)})
    return found


def scenario_of(context: Context, design: Design, group: Group, case: Case) -> Scenario:
    """Our scenario of a case."""
    scenario = design.scenario_at(context, _point(design, case), _reading(design, group, case))
    return _laid_over(scenario, {**group.settings, **case.settings})


def _laid_over(scenario: Scenario, settings: Mapping[str, Any]) -> Scenario:
    """A scenario with further settings, of which a key may name all groups of flows: ``flow[*].count``."""
    groups = len(scenario.resolved()["flow"])
    over = [f"{one}={toml.inline(value)}" for key, value in settings.items() for one in keys_of(key, groups)]
    text, place, present = scenario.written
    return Scenario.from_toml(text, file=place, overrides=[*present, *over]) if over else scenario


def _metrics(group: Group, case: Case) -> Sequence[str]:
    return case.metrics or group.metrics


def design_of(paper: Paper, name: str) -> Design:
    """The scenarios of an experiment of a work."""
    studies = {one.name: one.study for one in paper.experiments if isinstance(one.study, StudyExperiment)}
    known(name, studies, "experiment", "study")
    return studies[name].design


def rows_of(
    paper: Paper, context: Context, folder: Path, group: Group, seeds: Sequence[int], workers: int
) -> list[Row]:
    """Runs a group in both simulators; ns-2's runs each in a process of their own."""
    with ThreadPoolExecutor(workers) as pool:
        asked = [
            [pool.submit(theirs, folder / group.script, {**group.arguments, **case.arguments}, seed) for seed in seeds]
            for case in group.case
        ]
        # Ours take as many processors as there are: they are made when ns-2 has run.
        runs = [[one.result() for one in case] for case in asked]
    found = []
    for case, of_ns2, mine in zip(group.case, runs, ours(paper, context, group, seeds), strict=True):
        design = design_of(paper, case.study or group.study)
        for metric in _metrics(group, case):
            if any(metric not in run for run in of_ns2):
                raise Ns2Error(f"{group.script} prints no {metric}; it prints {', '.join(of_ns2[0])}")
            title, unit = design.titles.get(metric, metric), getattr(design.metrics[metric], "unit", "")
            values = [run[metric] for run in of_ns2]
            found.append(Row(case.name, title, unit, values, mine[metric], case.printed.get(metric), group.made))
    return found


# ---- The tables.


def table(group: Group, rows: Sequence[Row]) -> str:
    """A group as Markdown: a row for each number, and a line that counts."""
    lines = [f"**{group.title}.**" + (f" {group.about}" if group.about else ""), ""]
    head = ["case", "number", "ns-2", "Sojourn", "Sojourn less ns-2", "printed"]
    lines += [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    before = ""
    for row in rows:
        scale = factor(row.unit)
        cells = [figures(mean_interval(side), scale) for side in (row.theirs, row.ours)]
        apart = figures(row.apart, scale) + ("" if row.agree else " **apart**")
        printed = "" if row.printed is None else f"{row.printed * scale:.5g}"
        number = f"{row.title}, {row.unit}" if row.unit else row.title
        cells = [row.case if row.case != before else "", number, *cells, apart, printed]
        lines.append(f"| {' | '.join(cells)} |")
        before = row.case
    return "\n".join([*lines, "", counted(rows)])


def counted(rows: Sequence[Row]) -> str:
    """In how many numbers both agree, and how many printed ones each foretells."""
    said = f"Both simulators agree in {sum(row.agree for row in rows)} of {len(rows)} numbers."
    printed = [row for row in rows if row.printed is not None]
    if printed:
        near = [sum(bool(row.foretells(side(row))) for row in printed) for side in (_theirs, _ours)]
        said += (
            f" Of {len(printed)} printed numbers {near[0]} lie in the 95 % prediction interval of ns-2's runs, "
            f"{near[1]} in that of ours."
        )
    return said


def _theirs(row: Row) -> Sequence[float]:
    return row.theirs


def _ours(row: Row) -> Sequence[float]:
    return row.ours


def page(groups: Sequence[tuple[Group, Sequence[Row]]], seeds: int) -> str:
    """All tables of a work."""
    every = [row for _, rows in groups for row in rows]
    head = (
        f"Means of {seeds} runs of Debian's ns-2 (2.35), and of as many of ours under the same setting, each with its "
        f"95 % interval. Numbers that differ by more than chance and by more than {100 * ALIKE:g} % are marked "
        f"*apart*. {counted(every)}"
    )
    return "\n\n".join([head, *(table(group, rows) for group, rows in groups)]) + "\n"


def write(folder: Path, text: str) -> None:
    """Writes the page of a work."""
    page = folder / PAGE
    page.parent.mkdir(exist_ok=True)
    made = f"`python tests/peers/witness.py {folder.name} --write` makes this page."
    opening = "\n\n".join(filter(None, (lacking(folder), made)))
    write_whole(page, f"# ns-2 as a witness for {folder.name}\n\n{opening}\n\n{text.strip()}\n".encode())


def lacking(folder: Path) -> str:
    """What of a work ns-2 does not have, as the first line of the page; empty if it has all."""
    lacks = toml.read(folder / "ns2" / "witness.toml").get("lacks", "")
    return f"ns-2 lacks {lacks}: the numbers of this page are of other queues and senders." if lacks else ""


def witness(key: str, *, seeds: int | None, only: Sequence[str], workers: int) -> str:
    """Runs a work's witness, and gives its tables."""
    folder = papers.folder(key).resolve()
    groups, usual = load(folder / "ns2" / "witness.toml")
    wanted = [one for one in groups if not only or any(word.lower() in one.title.lower() for word in only)]
    if not wanted:
        raise ValueError(f"{key}: no group of this name; there are {', '.join(repr(one.title) for one in groups)}")
    paper, context = papers.load(key), Context(directory=folder, quick=False, workers=workers)
    check(paper, context, folder / "ns2", groups)
    runs = seeds or usual
    done = []
    for group in wanted:
        print(f"{key}: {group.title}, {len(group.case)} cases, {runs} runs of either", file=sys.stderr, flush=True)
        rows = rows_of(paper, context, folder / "ns2", group, range(1, 1 + runs), workers)
        print(table(group, rows), flush=True)
        done.append((group, rows))
    return page(done, runs)


def main() -> int:
    parser = argparse.ArgumentParser(description="Put ns-2 beside a work's numbers and ours.")
    parser.add_argument("keys", nargs="*", metavar="KEY", help="works; without one all that have a witness")
    parser.add_argument("--seeds", type=int, help="seeds 1 to this number (as each file says)")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORDS", help="groups with these words in their title")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--write", action="store_true", help="write the page of each work too: record/witness.md")
    arguments = parser.parse_args()
    if not available():
        print("ns-2 is not installed: no program `ns` found (Debian and Ubuntu: apt install ns2)", file=sys.stderr)
        return 2
    every = [key for key, place in papers.find().items() if (place / "ns2" / "witness.toml").is_file()]
    try:
        if arguments.write and arguments.only:
            raise ValueError("--write writes all groups: leave out --only")
        for key in arguments.keys or every:
            text = witness(key, seeds=arguments.seeds, only=arguments.only, workers=arguments.workers)
            print(text.split("\n")[0])
            if arguments.write:
                write(papers.folder(key).resolve(), text)
    except (ValueError, Ns2Error, Wrong) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
