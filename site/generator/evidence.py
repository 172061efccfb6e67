"""A page of evidence for each queue and sender, and the tables that are about several of them.

The data is in ``evidence/``; ``evidence/collected.py`` finds that of a name.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import closed_again
import closed_page
import closed_pairs
import closed_phase
import closed_tables
import collected
import drawn_fates
import drawn_senders
import linux_constants
import linux_exact
import tables
from closed_verdicts import Row
from recorded_edges import QUEUES as RECORDED_QUEUES
from recorded_senders import DIFFER

from . import stage
from .pages import REGISTRY

EVIDENCE = tables.EVIDENCE

INDEX = """Each page has all comparisons of a queue or a sender: with Linux packet by packet and in complete runs, with ns-2, with publications and with a
second implementation. [Linux](../linux.md) and [validation](../validation.md) explain the methods, and `sojourn explain NAME --evidence` prints the
same in short. The data is in the folder `evidence/` of the repository. Tables that are about several queues are on [a page](tables.md) of
their own."""
LOOP = """A row is a setting: queue, control laws, flows, rate and round trip. A cell has the kernel's mean, Sojourn's mean, and the difference with half of
its 95 % interval. A cell in bold differs, and one with a question mark needs more runs ([the bounds](../linux.md#complete-runs))."""
NS2 = """A row is a setting of `tests/peers/settings.toml`. A cell has the mean of ns-2 over 20 seeds ± half of its 99 % interval, Sojourn's mean, and the relative difference."""
PAIRS = """A run of Sojourn has the starts of flows and the random numbers of the kernel's run with the same number. The oracle's clock has steps of 256 ns,
so that in most settings the two runs soon are like any two. A *twin* of a run is the same run of Sojourn on a path that is 256 ns shorter. Twins are apart by the
scatter of their differences, as a part of the scatter of the runs. A cell is compared in pairs if its twins are apart by less than 0.15. The kernel's results have no
part in this choice. BBR, NV and CDG draw numbers of their own, and of several flows another one soon comes first: these settings have no twins. The table
has the interval of the mean difference of pairs, divided by that of Welch."""
AGAIN = """Each setting in which a cell differed on November 27 has 20 new runs of the kernel and 32 of Sojourn, with other seeds. They are not added to the
first ones, whose chance made the cell differ."""
MOMENTS = """At 100 Mbit/s a round trip of 40 ms is 329.01 packets long: while the link is busy, a packet comes 1.5 us after a departure. In Sojourn this is so each
time. The departures of the oracle wander by about a microsecond, so that some packets come before a departure there, and find one packet more in the queue. Columns: the kernel, Sojourn, Sojourn on a path that is 3 us
shorter, and the difference where the round trip is 41 ms. Behind a mean is half of its 95 % interval. Below the table are new runs of both
sides where a cell differs with the longer path."""
METRICS = {
    "mean_queue": ("mean queue (packets)", 1, 2),
    "loss": ("loss (%)", 100, 3),
    "utilisation": ("utilisation (%)", 100, 2),
    "mark_ratio": ("marks (%)", 100, 3),
    "share": ("share of the first group (%)", 100, 2),
    "transfer": ("transfer time (s)", 1, 3),
    "nearest": ("part of the nearest flow", 1, 3),
    "cuts": ("windows cut by marks", 1, 0),
}
COSTS = ("with 100 flows", "with 1,000", "with 100,000", "in a full buffer", "allocations")


def write(folder: Path) -> None:
    """All pages."""
    folder.mkdir(parents=True)
    entries = {
        "queues": REGISTRY["queues"],
        "senders": [*REGISTRY["transports"], *REGISTRY["controls"]],
    }
    named, lines = [], []
    for group, of in entries.items():
        for entry in of:
            name = f"{group.removesuffix('s')}-{entry['name']}"
            facts = collected.facts(group, entry["name"])
            (folder / f"{name}.md").write_text(stage.stacked(page(entry, facts)), encoding="utf-8")
            named.append(name)
            lines.append(_indexed(entry, name, facts))
    (folder / "tables.md").write_text(stage.stacked(several()), encoding="utf-8")
    columns = ("queue or sender", "compared with Linux", "cells: agree, differ, open", "ns-2", "publications", "second")
    listing = tables.markdown(columns, lines, words=len(columns))
    toctree = "\n".join(["tables", *named])
    (folder / "index.md").write_text(
        f"# Evidence by name\n\n{INDEX}\n\n{listing}\n\n:::{{toctree}}\n:hidden:\n:maxdepth: 1\n\n{toctree}\n:::\n",
        encoding="utf-8",
    )


def _indexed(entry: Mapping[str, Any], name: str, facts: collected.Facts) -> list[str]:
    linux = facts.linux or {}
    cells = ", ".join(f"{linux[what]:,}" for what in ("agree", "apart", "undecided")) if linux else "-"
    return [
        f"[{entry['title']}]({name}.md)",
        f"{linux['compared']:,}, {linux['differ']:,} differ" if linux.get("compared") else "-",
        cells,
        str(len([*facts.ns2, *facts.explicit, *(row for row in facts.classes if row[0])]) or "-"),
        str(len(facts.published) or "-"),
        "yes" if facts.second else facts.program or "-",
    ]


def page(entry: Mapping[str, Any], facts: collected.Facts) -> str:
    """The page of one queue or sender."""
    of = "sender" if facts.group == "senders" else "queue"
    parts = [
        f"# Evidence: {entry['title']}\n",
        f"[{entry['title']}](../../{of}s/{facts.name}.md) is the {of} `{facts.name}`.\n",
        *_linux(facts),
        *_ns2(facts),
        *_published(facts),
    ]
    if facts.second:
        parts.append(f"## Second implementation\n\n`{facts.second}` has one, and compares both.\n")
    elif facts.program:
        parts.append(f"## In place of a second implementation\n\nIt is compared with {facts.program}.\n")
    if facts.cost:
        rows = [
            [
                f"`{name}`",
                *(f"{row[what]:g}" for what in ("alone_100", "alone_1000", "alone_100000", "full_1000", "allocations")),
            ]
            for name, row in facts.cost.items()
        ]
        parts.append(
            f"## Cost\n\nNanoseconds of one processor for a packet ([method](../../performance.md)).\n\n{tables.markdown(('queue', *COSTS), rows)}\n"
        )
    if len(parts) == 2:
        parts.append("It is compared with no other program. It passes the tests of all senders, and its own.\n")
    return "\n".join(parts)


def _linux(facts: collected.Facts) -> Iterable[str]:
    """The comparison with Linux."""
    if facts.linux is None:
        return
    row = facts.linux
    missing = "" if row["otherwise"] == "-" else f"\n\nNot as in Linux: {row['otherwise']}."
    yield f"## Linux, packet by packet\n\nExact: {row['exact']}.{missing}\n"
    if facts.recordings:
        yield (_queues if facts.group == "queues" else _senders)(facts) + "\n"
    for file, head in (("arithmetic", 1), ("laws", 1), ("ticks", 0)):
        columns, rows = tables.read(EVIDENCE / "linux" / "words" / f"{file}.toml")
        name = facts.name.removeprefix("sch_")  # The files name a queue as tc does.
        rows = [one for one in rows if name in one[0].replace(",", " ").replace("`", " ").split()]
        if rows and not (file == "laws" and facts.group == "queues"):
            yield tables.markdown(columns, rows, words=len(columns) if head else 1) + "\n"
    closed = _closed(facts)
    if closed:
        mean = "{:.3f} ± {:.3f}".format(*row["mean_queue"]) if row["mean_queue"] else "-"
        counts = f"{row['agree']:,} cells agree, {row['apart']:,} differ, and {row['undecided']:,} need more runs. The mean queue is {mean} of Linux's."
        yield f"## Linux, complete runs\n\n{counts} {LOOP}\n\n{closed_page.rows_text(closed)}\n"
    constants = _constants(facts)
    if constants:
        columns = ("constant of Linux", "value", "in Sojourn")
        yield f"## Linux's constants\n\n{tables.markdown(columns, constants, words=3)}\n"


def _queues(facts: collected.Facts) -> str:
    columns = ("recording", "tc", "packets", "dropped", "marked", "differ")
    rows = [
        [
            name,
            f"`{RECORDED_QUEUES[row['queue']].tc}`",
            *(f"{row[what]:,}" for what in ("compared", "dropped", "marked", "differ")),
        ]
        for name, row in facts.recordings.items()
    ]
    return tables.markdown(columns, rows, words=2)


def _senders(facts: collected.Facts) -> str:
    columns = ("recording", "windows", "differ", "segments", "differ", "answers", "differ", "cause")
    whats = ("compared", "differ", "segments", "segments_differ", "answers", "answers_differ")
    rows = [
        [name, *(f"{row[what]:,}" for what in whats), DIFFER[name][1] or "-"] for name, row in facts.recordings.items()
    ]
    return tables.markdown(columns, rows)


@functools.cache
def _measured() -> dict[str, list[Row]]:
    return closed_page.measured()


def _closed(facts: collected.Facts) -> list[Row]:
    """Its settings of the closed loop; the sender itself is in all of them, which the pages of queues have."""
    if facts.name == linux_exact.SENDER:
        return []
    kernel = linux_exact.called(facts.group, facts.name)
    every = [row for rows in _measured().values() for row in rows]
    return [row for row in every if linux_exact.concerns(row, facts.group, kernel)]


def _constants(facts: collected.Facts) -> list[list[str]]:
    of = [group for group in linux_constants.groups(facts.group) if group.name == facts.name]
    return [
        [one.name, one.value, linux_constants.in_sojourn(facts.group, group.name, one.parameter)]
        for group in of
        for one in group.constants
    ]


def _ns2(facts: collected.Facts) -> Iterable[str]:
    """The comparison with ns-2."""
    if facts.ns2:
        yield f"## ns-2, in the mean\n\n{NS2}\n\n{means(facts.ns2)}\n"
    for rows, file in ((facts.explicit, "explicit"), (facts.classes, "classes")):
        if rows:
            columns, _ = tables.read(EVIDENCE / "ns2" / f"{file}.toml")
            yield f"## ns-2, in the mean\n\n{tables.markdown(columns, rows, words=2)}\n"


def means(settings: Mapping[str, Mapping[str, Any]]) -> str:
    """Means of ns-2 beside ours: the columns that some setting has."""
    having = [metric for metric in METRICS if any(metric in row for row in settings.values())]
    unknown = {metric for row in settings.values() for metric in row} - set(METRICS)
    assert not unknown, unknown  # noqa: S101 - a metric without a column
    rows = [
        [name, *(_mean(row[metric], *METRICS[metric][1:]) if metric in row else "none" for metric in having)]
        for name, row in settings.items()
    ]
    return tables.markdown(("setting", *(METRICS[metric][0] for metric in having)), rows)


def _mean(one: Mapping[str, float], scale: float, digits: int) -> str:
    theirs, half, ours = (scale * one[what] for what in ("ns2", "half_width", "ours"))
    return f"{theirs:.{digits}f} ± {half:.{digits}f}, {ours:.{digits}f}, {one['apart']:+.2%}"


def _published(facts: collected.Facts) -> Iterable[str]:
    """Published numbers and claims."""
    if not facts.published:
        return
    whats = ("source", "what", "printed", "ours", "difference", "comment")
    rows = [[*(row[what] for what in whats)] for row in facts.published]
    yield f"## Publications\n\nOurs is the mean of ten runs ± half of its 95 % interval; of senders it is one run.\n\n:::{{container}} published\n{tables.markdown(whats, rows, words=len(whats))}\n:::\n"
    _, changes = tables.read(EVIDENCE / "publications" / "behaviours.toml")
    near, found = "", []
    for row in changes:
        if "`" in row[0]:
            near = row[0].split("`")[1]
        if near == facts.name and facts.group == "queues":
            found.append(row)
    if found:
        yield f"Single behaviours have these effects (two seeds):\n\n{tables.markdown(('setting', 'what', 'change', 'ours'), found, words=3)}\n"


def several() -> str:
    """The page of the tables that are about several names."""

    def kept(file: str, words: int = 1) -> str:
        columns, rows = tables.read(EVIDENCE / file)
        return tables.markdown(columns, rows, words=min(words, len(columns)))

    closed = _measured()
    everything = [row for rows in closed.values() for row in rows]
    sections = [
        ("Linux: settings drawn at random", drawn_fates.table()),
        ("Linux: senders in settings drawn at random", f"{SENT}\n{drawn_senders.table()}"),
        ("Linux: senders", kept("linux/words/senders.toml", 9)),
        ("Linux: sizes", kept("linux/words/sizes.toml", 9)),
        ("Linux: ticks", kept("linux/words/ticks.toml")),
        ("Linux: hosts behind CAKE", kept("linux/closed/hosts.toml")),
        ("Linux: tins behind CAKE", kept("linux/closed/tins.toml", 2)),
        ("Linux: behind a policer", kept("linux/closed/policer.toml")),
        ("Linux: short transfers", kept("linux/closed/transfers.toml")),
        ("Linux: scores of complete runs", closed_tables.scores(closed)),
        ("Linux: complete runs by metric", closed_tables.ratios(everything)),
        ("Linux: complete runs by rate and flows", closed_tables.by_rate(everything)),
        ("Linux: runs in pairs", f"{PAIRS}\n\n{closed_pairs.table()}"),
        ("Linux: new runs where a cell differed", f"{AGAIN}\n\n{closed_again.table()}"),
        ("Linux: moments of arrival", f"{MOMENTS}\n\n{closed_phase.table()}\n\n{closed_phase.later()}"),
        ("Linux: moments of arrival with many flows of BBR", kept("linux/closed/arrivals.toml")),
        ("Linux: causes that were found and removed", kept("linux/words/causes.toml", 9)),
        ("Linux: faults of the oracle that were removed", kept("linux/words/oracle_faults.toml", 9)),
        ("Linux between network namespaces", _namespaces()),
        ("Linux between network namespaces: single behaviours", kept("linux/namespaces/switches.toml")),
        ("Linux between network namespaces: a busy machine", kept("linux/namespaces/held_up.toml")),
        ("Linux between network namespaces: parts of BBR", kept("linux/namespaces/bbr.toml")),
        ("ns-2: packet by packet", kept("ns2/traces.toml", 9)),
        ("ns-2: in the mean", means(collected.measured_of_ns2())),
        ("ns-2: XCP, TFRC and RAP", kept("ns2/explicit.toml")),
        ("ns-2: parts of XCP", kept("ns2/xcp_parts.toml")),
        ("ns-2: queues by class", kept("ns2/classes.toml", 2)),
        ("ns-2: parts of assured forwarding", kept("ns2/dsred.toml")),
        ("ns-2: ties in time", kept("ns2/ties.toml")),
        ("ns-2: known differences", kept("ns2/differences.toml", 9)),
        ("Publications: single behaviours", kept("publications/behaviours.toml", 3)),
        ("Deliberate faults that tests find", kept("mutation.toml", 2)),
    ]
    text = "\n\n".join(f"## {title}\n\n{table}" for title, table in sections)
    about = "These tables are about several queues and senders. [Linux](../linux.md) and [validation](../validation.md) say how they were made."
    return f"# Tables of evidence\n\n{about}\n\n{text}\n"


SENT = "| settings | number | no window differs | windows | differ | segments | differ | answers | differ |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|"


def _namespaces() -> str:
    """Means of the kernel of a machine beside ours."""
    kept = collected.toml("linux/namespaces/compared.toml")
    metrics = list(dict.fromkeys(metric for row in kept.values() for metric in row))
    rows = []
    for name, row in kept.items():
        cells = []
        for metric in metrics:
            one = row[metric]
            text = f"{one['linux']:g} ± {one['half_width']:g}, {one['ours']:g}"
            cells.append(text if one["agrees"] else f"**{text}**")
        rows.append([name, *cells])
    return tables.markdown(("setting", *metrics), rows)
