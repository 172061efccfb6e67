"""A page for each queue."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sojourn
from sojourn._rooms.showing.plots.palette import colour_places

from . import standard
from .pages import REGISTRY, index, parameters, presets, table, themed

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "evidence" / "publications" / "measured.toml"
WORKS = ROOT / "python" / "sojourn" / "_papers"

TEXT = """A queue decides which packets wait, which are dropped or marked, and which leaves next. Each page says what a queue does, draws the
same four plots for all of them, puts a published number beside ours, and lists the parameters."""

PLOTS = """{senders} They share a link of 10 Mbit/s, with round trips of 44 to 76 ms, packets of 1000 bytes, and room for 100 packets in the
queue. {grey}Plot 1 is one run: eight senders begin, and 24 more join at 20 s. Plot 2 shows how long the packets of that run waited.
Plots 3 and 4 are means of three runs for each number of senders."""
USUAL = "Every queue gets the same traffic: CUBIC senders."
OWN = """This queue works with senders of its own, `{own}`, and gets them here (profile `rfc`). Other queues get CUBIC senders."""
GREY = {"usual": "The grey line is a plain FIFO. ", "own": "The grey line is a plain FIFO with CUBIC senders. "}
SAME = "Under this traffic the queue does what a FIFO does{reason}, and its line covers the grey one. "

LAW = "All parameters have their defaults here, on a link of 10 Mbit/s with ten flows and round trips of 100 ms."


def write(folder: Path, *, only: set[str] | None, has_lab: bool) -> None:
    """All pages; plots and laws of `only` these, or of all."""
    folder.mkdir(parents=True)
    entries = REGISTRY["queues"]
    index(folder, "Queues", TEXT, entries, "queue")
    drawn = [entry["name"] for entry in entries if only is None or entry["name"] in only]
    measured = standard.measure(drawn, quick=only is not None) if drawn else {}
    rows, works = published(), used_in()
    for entry in entries:
        name = entry["name"]
        if name in measured:
            standard.draw(name, measured, folder)
        parts = [
            heading(entry),
            how_to(entry, has_lab=has_lab),
            law(entry, folder) if name in drawn else "",
            plots(entry, measured),
            numbers(name, rows.get(name, []), works.get(name, [])),
            f"## Parameters\n\n{parameters(entry)}\n",
            presets(entry, "preset"),
            probes(entry),
        ]
        (folder / f"{name}.md").write_text("\n".join(part for part in parts if part), encoding="utf-8")


def heading(entry: Mapping[str, Any]) -> str:
    """The description of a queue and its source."""
    order = " Packets of one flow may overtake each other." if entry["reorders"] else ""
    guard = (
        " Its `limit` guards memory: in a comparison no other queue takes it over, and it takes over none."
        if entry["guards"]
        else ""
    )
    return f"# {entry['title']}\n\n{entry['doc']}{order}{guard}\n\nSource: {entry['reference']}.\n"


def how_to(entry: Mapping[str, Any], *, has_lab: bool) -> str:
    """How to choose the queue."""
    name = entry["name"]
    other = "fifo" if name != "fifo" else "codel"
    address = "&".join(f"queue={quote(kind)}" for kind in (other, name))
    if name in standard.SENDERS:
        address += f"&flow=downloads,count=4,how=tcp/{standard.SENDERS[name]}"
    watch = (
        f'\n<a href="../laboratory.html#{address}">Watch it in the laboratory</a>, beside {"a plain FIFO" if name != "fifo" else "CoDel"}.\n'
        if has_lab
        else ""
    )
    # The ranking has Linux's form of a law at most as its preset `linux`.
    ranked = (
        ""
        if name.startswith("sch_")
        else f'<a href="../ranking/index.html#q-{name}">Its numbers beside those of all queues</a>\n'
    )
    return f"""```toml
queue = {{ kind = "{name}" }}
```

```console
$ sojourn compare home_uplink --queue {other},{name} --seeds 5
```

{ranked}{watch}"""


def law(entry: Mapping[str, Any], folder: Path) -> str:
    """Its law as a curve, where it is a function that can be drawn; else the quantities that it decides by."""
    if not entry["has_law"] or (shown := sojourn.law(entry["name"])) is None:
        return f"## How it decides\n\n{entry['decides']}\n"
    name, title = entry["name"], entry["title"]
    standard.draw_law(name, shown, folder, colour_places([name])[0])
    picture = themed(f"{name}-law", f"{title}: {shown.y.name} against {shown.x.name}")
    return f"## Its law\n\n{LAW} {shown.about}\n\n{picture}"


def plots(entry: Mapping[str, Any], measured: Mapping[str, Any]) -> str:
    """The four standard plots."""
    name = entry["name"]
    if name not in measured:
        return ""
    own = standard.SENDERS.get(name)
    senders = OWN.format(own=own) if own else USUAL
    grey = "" if name == standard.BASE else GREY["own" if own else "usual"]
    if grey and measured[name] == measured[standard.BASE]:
        classes = any(param["name"] == "class" for param in entry["params"])
        grey += SAME.format(reason=", because all packets are of one class" if classes else "")
    picture = themed(
        name,
        f"Four plots of {entry['title']}: queue over time, waiting times, wait and losses by the number of senders",
    )
    return f"## Four standard plots\n\n{PLOTS.format(senders=senders, grey=grey)}\n\n{picture}"


def numbers(name: str, rows: list[list[str]], works: list[str]) -> str:
    """Published numbers and properties beside ours, and the works in which it is compared."""
    text = ""
    if rows:
        listing = table(["source", "what", "printed or claimed", "ours", "difference", "comment"], rows)
        text = f"## Published numbers, and ours\n\n:::{{container}} published\n{listing}\n:::\n\nOurs is the mean of ten runs ± half of its 95 % interval. [All evidence](../trust/evidence/queue-{name}.md).\n"
    if works:
        links = ", ".join(f"[{key}](../works/{key}.md)" for key in works)
        text += f"\nCompared in the reproduced works {links}.\n"
    return text


def probes(entry: Mapping[str, Any]) -> str:
    """The parts of its state that can be recorded."""
    if not entry["probes"]:
        return ""
    rows = [(f"`{one['name']}`", one["doc"], one["unit"] or "none", one["range"]) for one in entry["probes"]]
    listing = table(["probe", "meaning", "unit", "range"], rows)
    return (
        f'\n## What can be watched\n\nWith `record.probes = "100ms"` in a scenario, these are recorded over time.\n\n'
        f":::{{container}} probes\n{listing}\n:::\n"
    )


def published() -> dict[str, list[list[str]]]:
    """Published numbers and properties beside ours, by queue."""
    rows: dict[str, list[list[str]]] = {}
    for row in tomllib.loads(PUBLISHED.read_text(encoding="utf-8"))["rows"]:
        off = row["difference"] if row["agrees"] else f"**{row['difference']}**"
        cells = [row["source"], row["what"], row["printed"], row["ours"], off, row["comment"]]
        rows.setdefault(row["queue"], []).append(cells)
    return rows


def used_in() -> dict[str, list[str]]:
    """Keys of the works whose experiments have a queue."""
    found: dict[str, list[str]] = {}
    for folder in sorted(path for path in WORKS.iterdir() if (path / "work.toml").exists()):
        text = "\n".join(path.read_text(encoding="utf-8") for path in [*folder.rglob("*.toml"), *folder.rglob("*.py")])
        for name in {match[1] for match in re.finditer(r'kind = "(\w+)"', text)}:
            found.setdefault(name, []).append(folder.name)
    return found
