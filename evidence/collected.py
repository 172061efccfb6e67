"""What is known of a queue or a sender, from all files of this folder: for the site, and for the package's file that
`sojourn explain NAME --evidence` reads.

    python evidence/collected.py        writes python/sojourn/_rooms/catalogue/evidence/facts.json
"""

from __future__ import annotations

import functools
import json
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parent / "linux" / "programs"))

import linux_counts
import linux_exact
import tables
from recorded_edges import QUEUES

from sojourn import _core

EVIDENCE = tables.EVIDENCE
ROOT = EVIDENCE.parent
FACTS = ROOT / "python" / "sojourn" / "_rooms" / "catalogue" / "evidence" / "facts.json"
# ns-2's queues by our names; a setting's other keys tell which of RED's it is.
OF_NS2 = {"droptail": "fifo"}
# How the names of settings begin that have a sender of their own.
SENDERS_OF_NS2 = {
    "gaimd": "gaimd",
    "sqrt": "binomial",
    "iiad": "binomial",
    "hstcp": "hstcp",
    "highspeed": "hstcp",
    "vegas": "vegas",
    "linux-reno": "reno",
    "cubic": "cubic",
    "westwood": "westwood",
    "scalable": "scalable",
    "tfrc": "tfrc",
}
# The same of the settings of queues by class.
CLASSES_OF_NS2 = {
    "wrr": "cbq",
    "agencies": "cbq",
    "ranks": "cbq",
    "no-borrowing": "cbq",
    "cbq": "cbq",
    "fq-no-loss": "fq",
    "fq": "wfq",
    "bucket": "diffserv",
    "srtcm": "diffserv",
    "trtcm": "diffserv",
    "core": "diffserv",
    "window": "diffserv",
}
Row = Mapping[str, Any]


@dataclass
class Facts:
    """Everything about one queue or sender.

    Attributes
    ----------
    group, name
        ``queues`` or ``senders``, and Sojourn's name.
    recordings
        The counts of its recordings of Linux, by name.
    linux
        Its row of the package's rows.json, or None.
    ns2
        ns-2's means beside ours, by setting.
    explicit
        Rows of XCP, TFRC and RAP beside ns-2.
    classes
        Rows of queues by class beside ns-2.
    second
        The test with its second implementation, or "".
    program
        The program that it is held to in place of one, or "".
    published
        Published numbers and properties beside ours.
    cost
        Nanoseconds of a packet and allocations, by variant: the queue, and its preset `linux`.
    """

    group: str
    name: str
    recordings: Mapping[str, Row] = field(default_factory=dict)
    linux: Row | None = None
    ns2: Mapping[str, Row] = field(default_factory=dict)
    explicit: list[list[str]] = field(default_factory=list)
    classes: list[list[str]] = field(default_factory=list)
    second: str = ""
    program: str = ""
    published: list[Row] = field(default_factory=list)
    cost: Mapping[str, Row] = field(default_factory=dict)


def toml(path: str) -> dict[str, Any]:
    """A file of this folder."""
    return tomllib.loads((EVIDENCE / path).read_text(encoding="utf-8"))


@functools.cache
def _settings() -> dict[str, Row]:
    """The settings beside ns-2 by name."""
    listed = tomllib.loads((ROOT / "tests" / "peers" / "settings.toml").read_text(encoding="utf-8"))["setting"]
    return {setting["name"]: setting for setting in listed}


def measured_of_ns2() -> dict[str, Row]:
    """ns-2's means beside ours, of all settings."""
    return toml("ns2/measured.toml")


def _of_ns2(group: str, name: str) -> dict[str, Row]:
    """Settings in which it is; those of several bottlenecks are a row for each."""
    found = {}
    for row, means in measured_of_ns2().items():
        setting = row.partition("@")[0]
        if group == "queues":
            queue = _settings()[setting]["queue"]
            concerned = OF_NS2.get(queue, queue) == name
        else:
            senders = [ours for begin, ours in SENDERS_OF_NS2.items() if setting.startswith(f"{begin}-")]
            concerned = name in senders or (name == "tcp" and senders != ["tfrc"])
        if concerned:
            found[row] = means
    return found


def _of_classes(name: str) -> Iterator[list[str]]:
    """Rows of its settings; the first cell of a further group of a setting is empty."""
    _, rows = tables.read(EVIDENCE / "ns2" / "classes.toml")
    concerned = False
    for row in rows:
        if row[0]:
            concerned = next(ours for begin, ours in CLASSES_OF_NS2.items() if row[0].startswith(begin)) == name
        if concerned:
            yield row


def _recordings(group: str, name: str) -> dict[str, Row]:
    kept = linux_counts.read()[group]
    if group == "senders":
        return {one: row for one, row in kept.items() if name in (row["law"], linux_exact.SENDER)}
    flowblind = [linux_exact.FLOWBLIND] if name == "cobalt" else []
    return {one: row for one, row in kept.items() if QUEUES[row["queue"]].name == name or row["queue"] in flowblind}


def facts(group: str, name: str) -> Facts:
    """Everything about one name."""
    second = toml("second.toml")
    linux = json.loads(linux_exact.ROWS.read_text(encoding="utf-8"))[group].get(name)
    found = Facts(group, name, _recordings(group, name), linux, _of_ns2(group, name))
    if name in ("xcp", "tfrc", "rap") and group == "senders":
        _, rows = tables.read(EVIDENCE / "ns2" / "explicit.toml")
        found.explicit = [row for row in rows if row[0].startswith(f"`{name}")]
    found.second = second[group].get(name, "")
    if group == "queues":
        found.classes = list(_of_classes(name))
        found.program = second["programs"].get(name, "")
        found.published = [row for row in toml("publications/measured.toml")["rows"] if row["queue"] == name]
        costs = toml("speed/queues.toml")
        found.cost = {one: costs[one] for one in (name, f"{name}:linux") if one in costs}
    else:
        found.published = [
            {"source": "", "what": promise, "printed": "", "ours": ours, "difference": "", "comment": ""}
            for sender, promise, ours in toml("publications/senders.toml")["rows"]
            if sender.partition(" ")[0].lower().rstrip("+") == name
        ]
    return found


def everything() -> Iterator[Facts]:
    """That of all queues and senders of the registry."""
    registry = json.loads(_core.registry())
    for group, kinds in {"queues": ["queues"], "senders": ["transports", "controls"]}.items():
        names = [entry["name"] for kind in kinds for entry in registry[kind]]
        yield from (facts(group, name) for name in names)


def short(one: Facts) -> dict[str, Any]:
    """The part that the package has. Complete runs of Linux are in rows.json."""
    shown: dict[str, Any] = {}
    if one.recordings and one.group == "queues":
        sums = {what: sum(row[what] for row in one.recordings.values()) for what in ("dropped", "marked")}
        shown["recordings"] = {"number": len(one.recordings), **sums}
    elif one.recordings:
        sums = {
            what: sum(row[what] for row in one.recordings.values())
            for what in ("segments", "segments_differ", "answers", "answers_differ")
        }
        shown["recordings"] = {"number": len(one.recordings), **sums}
    rows = [*(row[0].split("`")[1] for row in one.explicit), *(row[0] for row in one.classes if row[0])]
    if one.ns2 or rows:
        shown["ns2"] = [*one.ns2, *rows]
    shown |= {what: getattr(one, what) for what in ("second", "program") if getattr(one, what)}
    if one.published:
        kept = ("source", "what", "printed", "ours", "difference", "comment")
        shown["published"] = [{key: row[key] for key in kept if row[key]} for row in one.published]
    if one.cost:
        shown["cost"] = {name: [row["alone_1000"], row["full_1000"]] for name, row in one.cost.items()}
    return shown


def package() -> str:
    """The text of the package's file: a line for each name."""
    parts: dict[str, list[str]] = {"queues": [], "senders": []}
    for one in everything():
        parts[one.group].append(f"  {json.dumps(one.name)}: {json.dumps(short(one), ensure_ascii=False)}")
    groups = (f" {json.dumps(group)}: {{\n" + ",\n".join(lines) + "\n }" for group, lines in parts.items())
    return "{\n" + ",\n".join(groups) + "\n}\n"


if __name__ == "__main__":
    FACTS.write_text(package(), encoding="utf-8")
