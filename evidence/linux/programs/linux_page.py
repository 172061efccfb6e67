"""Writes the numbers of docs/linux.md, between the marks that name them, and the package's rows.json.

    python evidence/linux/programs/linux_page.py

Nothing is run: counts of recordings are those of compared.json (`linux_counts.py`), and complete runs those of closed/.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import places

if __name__ == "__main__":
    sys.path.append(str(places.LINUX.parent))

import closed_again
import closed_page
import closed_plan
import closed_settings
import closed_tables
import closed_verdicts
import drawn_fates
import drawn_senders
import fates
import linux_counts
import linux_exact
import tables
from closed_tables import NAMES
from closed_verdicts import DIFFERS, Cell, Row
from recorded_edges import QUEUES, RECORDED
from recorded_senders import DIFFER as SAID
from same_fates import FOLDER

PAGE = places.ROOT / "docs" / "linux.md"
CAUSES = places.WORDS / "differ.toml"
# All queues have this one; the page says so.
HASHED = "flows are hashed by their numbers, not by addresses and ports"
# Names of verdicts on cells in rows.json.
CELLS = ("agree", "apart", "undecided")
Counts = Mapping[str, Any]


def decisions(counts: Mapping[str, Counts]) -> linux_exact.Counts:
    """By Sojourn's name of a queue: decisions compared, and those that differ. CAKE without flows is COBALT, too."""
    found: dict[str, tuple[int, int]] = {}
    for one in counts.values():
        for kind in (QUEUES[one["queue"]].name, *(["cobalt"] if one["queue"] == linux_exact.FLOWBLIND else [])):
            before = found.get(kind, (0, 0))
            found[kind] = (before[0] + one["compared"], before[1] + one["differ"])
    return found


def windows(counts: Mapping[str, Counts]) -> linux_exact.Counts:
    """By Sojourn's name of a law, and of all together: windows compared, and those that differ."""
    found: dict[str, tuple[int, int]] = {}
    for one in counts.values():
        for kind in (one["law"], linux_exact.SENDER):
            before = found.get(kind, (0, 0))
            found[kind] = (before[0] + one["compared"], before[1] + one["differ"])
    return found


@functools.cache
def sequences() -> int:
    """The number of different sequences of arrivals in the recordings of queues."""
    found = set()
    for name in RECORDED:
        columns = fates.read(FOLDER / f"{name}.xz").columns
        found.add(b"".join(columns[column].tobytes() for column in ("flow", "size", "ecn")))
    return len(found)


def rows(parts: closed_page.Parts) -> dict[str, Any]:
    """The content of the package's rows.json."""
    counts = linux_counts.read()
    queues = counts["queues"].values()
    everything = [row for of in parts.values() for row in of]
    kept = {what: sum(one[what] for one in queues) for what in ("compared", "differ", "dropped", "marked")}
    score = closed_verdicts.score(everything)
    return {
        **linux_exact.rows_of(decisions(counts["queues"]), windows(counts["senders"]), everything),
        "decisions": {**kept, "sequences": sequences()},
        "closed": dict(zip(CELLS, map(score.number, closed_verdicts.VERDICTS), strict=True)),
    }


# ---- The parts of the page, by the names of their marks.


def headline(parts: closed_page.Parts) -> str:
    """The result in one sentence."""
    found = rows(parts)
    kept, sent, cells = found["decisions"], found["senders"][linux_exact.SENDER], found["closed"]
    return tables.paragraph(
        f"**{kept['compared']:,} decisions of queues compared, {kept['differ']:,} differ. {sent['compared']:,} windows "
        f"of senders compared, {sent['differ']:,} differ. Of the means of complete runs {cells['agree']:,} agree, "
        f"{cells['apart']:,} differ, and {cells['undecided']:,} need more runs.**"
    )


def recordings(_: closed_page.Parts) -> str:
    """The number of recordings, and of what is in them."""
    counts = linux_counts.read()
    queues, senders = counts["queues"].values(), counts["senders"].values()
    sums = {what: sum(one[what] for one in queues) for what in ("dropped", "marked", "moments")}
    sent = {what: sum(one[what] for one in senders) for what in ("segments", "segments_differ")}
    same = sum(one["differ"] == 0 for one in senders)
    return tables.paragraph(
        f"Of the decisions {sums['dropped']:,} are drops and {sums['marked']:,} are marks. They are in {len(queues)} "
        f"recordings with {sequences()} different sequences of arrivals. In {sums['moments']:,} calls another number "
        f"of packets vanishes than in the kernel. The windows are in {len(senders)} recordings, and no window differs "
        f"in {same} of them. Of {sent['segments']:,} segments that these senders sent "
        f"{sent['segments_differ']:,} differ."
    )


def otherwise(parts: closed_page.Parts) -> str:
    """The parts that are not as in Linux."""
    found = rows(parts)
    named: dict[str, list[str]] = {}
    for name, row in (pair for group in ("queues", "senders") for pair in found[group].items()):
        if row["otherwise"] not in ("-", HASHED):
            named.setdefault(row["otherwise"], []).append(f"**{name}**")
    return "\n".join(f"- {', '.join(names)}: {text}." for text, names in named.items())


def queues(parts: closed_page.Parts) -> str:
    """Decisions and cells; a queue without complete runs has its decisions alone."""
    found = rows(parts)["queues"]
    alone = {name: row for name, row in found.items() if row["mean_queue"] is None}
    differ = sum(row["differ"] for row in alone.values())
    said = ", ".join(f"`{name}` {row['compared']:,}" for name, row in alone.items())
    table = linux_exact.table({name: row for name, row in found.items() if name not in alone})
    text = tables.paragraph(f"Without complete runs, {differ:,} decisions differ of {said}.")
    return f"{linux_exact.head('queue', 'decisions')}{table}\n\n{text}"


def answers(_: closed_page.Parts) -> str:
    """Acknowledgements of receivers that differ, by their causes."""
    counts = linux_counts.read()["senders"]
    differ, of = (sum(one[what] for one in counts.values()) for what in ("answers_differ", "answers"))
    named: dict[str, list[str]] = {}
    for name, one in counts.items():
        if one["answers_differ"]:
            named.setdefault(SAID[name][1], []).append(name)
    points = []
    for cause, names in named.items():
        recorded = f"{len(names)} recording" + "s" * (len(names) > 1)
        points.append(f"- {sum(counts[name]['answers_differ'] for name in names):,} in {recorded}: {cause}.")
    return (
        f"**Acknowledgements.** {differ:,} of {of:,} differ, and no window or segment because of them:\n\n"
        + "\n".join(points)
    )


def drawn(_: closed_page.Parts) -> str:
    """Queues and senders in settings drawn at random."""
    scores = json.loads(drawn_fates.SCORE.read_text())
    settings = [row for of in scores.values() for row in of.values()]
    same = sum(row["differ"] == row["moments"] == 0 for row in settings)
    packets, dropped, marked = (sum(row[what] for row in settings) for what in ("packets", "dropped", "marked"))
    kept = json.loads(drawn_senders.FILE.read_text())
    equal = sum(row["windows"][1] == 0 for row in kept)
    heard, differ, sent, segments = (
        sum(row[what][at] for row in kept) for what in ("windows", "segments") for at in (0, 1)
    )
    return (
        f"- {len(settings)} settings of queues (seeds {drawn_fates.seeds()}): nothing differs in {same} of them, with "
        f"{packets:,} packets, {dropped:,} drops and {marked:,} marks.\n"
        f"- {len(kept)} settings of senders (seeds {', '.join(map(str, drawn_senders.SEEDS))}): no window differs "
        f"in {equal} of them; {differ:,} of {heard:,} windows and {segments:,} of {sent:,} segments differ."
    )


def runs(parts: closed_page.Parts) -> str:
    """The runs of the kernel, the plan, and the draws of settings."""
    everything = [row for of in parts.values() for row in of]
    made = [row.runs[0] for row in everything]
    copies = len(closed_verdicts.near_copies(everything))
    draws = len(closed_settings.DRAWS)
    return tables.paragraph(
        f"Of {closed_page.planned():,} planned runs of the kernel {sum(made):,} have been made, {min(made)} to "
        f"{max(made)} of each setting. Sojourn has {closed_plan.LEAST_OURS} to {closed_plan.OURS}. {copies} of "
        f"{len(everything):,} settings are near-copies of others: they have the same senders, rate and round trip, and "
        f"means within the bounds of another one's. The earlier draws are {draws}, by seeds in `closed_settings.py`; "
        f"the fresh one has the seed {closed_settings.FRESH.seed}."
    )


def metrics(parts: closed_page.Parts) -> str:
    """How far means are apart, by metric."""
    return closed_tables.ratios([row for of in parts.values() for row in of])


def differing(parts: closed_page.Parts) -> str:
    """Each cell that differs: by chance, if new runs have 0 in their interval, or with its cause."""
    again = {(one.setting, one.metric): other for one, _, other in closed_again.pairs()}
    _, said = tables.read(CAUSES)
    causes = {(setting, metric): cause for setting, metric, cause in said}
    columns = ("part", "setting", "metric", "kernel, Sojourn, difference", "new runs", "cause")
    found, by_chance = [], []
    for part, row, one in _differing(parts):
        second = again.get((one.setting, one.metric))
        key = (one.setting.name, one.metric)
        if key not in causes and second is not None and second.equal:
            by_chance.append(f"`{key[0]}` ({NAMES[one.metric]})")
            continue
        shown = _shown(second) if second else "none yet"
        first = f"{_shown(one)} ({row.runs[0]}, {row.runs[1]} runs)"
        found.append([part, one.setting.name, NAMES[one.metric], first, shown, causes.get(key, "not known")])
    chance = tables.paragraph(
        f"{len(by_chance)} of {len(by_chance) + len(found)} are not there in the new runs, whose interval has 0 in it. "
        f"Chance is the likely cause: {', '.join(by_chance)}."
    )
    return f"{chance}\n\n{tables.markdown(columns, found, words=len(columns))}"


def _shown(cell: Cell) -> str:
    return cell.text.strip("*? ")


def _differing(parts: closed_page.Parts) -> Iterator[tuple[str, Row, Cell]]:
    for part, of in parts.items():
        for row in of:
            yield from ((part, row, one) for one in row.cells if one.counts and one.verdict == DIFFERS)


PARTS: dict[str, Callable[[closed_page.Parts], str]] = {
    "headline": headline,
    "recordings": recordings,
    "loops": closed_page.scores,
    "queues": queues,
    "senders": lambda parts: "\n".join(
        [
            linux_exact.head("sender", "windows") + linux_exact.table(rows(parts)["senders"]),
            linux_exact.two_laws(row for of in parts.values() for row in of),
        ]
    ),
    "otherwise": otherwise,
    "answers": answers,
    "drawn": drawn,
    "runs": runs,
    "metrics": metrics,
    "differing": differing,
}


def page(parts: closed_page.Parts) -> str:
    """The page with its numbers."""
    made = {name: make(parts) for name, make in PARTS.items()}
    return tables.filled(PAGE.read_text(encoding="utf-8"), made)


def main() -> None:
    """The command."""
    parts = closed_page.measured()
    linux_exact.write(rows(parts))
    PAGE.write_text(page(parts), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main()
