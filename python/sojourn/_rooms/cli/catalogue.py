"""``sojourn list``: the kinds of things, and the entries of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._base.nearest import nearest_hint
from .._base.registry import read_registry
from ..scenario import shipped
from ..showing.text.prose import first_sentence, print_wrapped
from ..works.folders import paper_folders
from .guard import print_json

__all__ = ["show_kinds", "show_list"]

_LISTS = {"queues": "queues", "transports": "transports", "controls": "controls", "traffic": "apps", "losses": "losses"}
_KINDS = {
    "queues": "queue disciplines",
    "transports": "senders and their receivers",
    "controls": "congestion control laws of the sender tcp",
    "traffic": "sources, which drive senders",
    "losses": "loss models of links",
    "metrics": "columns of the tables of results",
    "papers": "published comparisons that can be run again",
    "scenarios": "scenarios that come with Sojourn",
}
_ALSO = {"senders": "transports", "sources": "traffic", "works": "papers", "aqms": "queues"}
"""Other words for the kinds of things that can be listed."""
_Entry = Mapping[str, Any]


def show_kinds(*, as_json: bool) -> None:
    """Print the kinds of things that can be listed, with the number of each."""
    counts = {what: len(read_registry()[key]) for what, key in _LISTS.items()}
    counts["metrics"] = sum(len(table["metrics"]) for table in read_registry()["tables"])
    counts |= {"papers": len(paper_folders()), "scenarios": len(shipped.names())}
    if as_json:
        print_json(counts)
        return
    for what, about in _KINDS.items():
        print(f"sojourn list {what:<12}{counts[what]:>4} {about}")


def show_list(what: str, *, as_json: bool) -> None:
    """List the entries of one kind, one line each."""
    what = _ALSO.get(what, what)
    if what == "metrics":
        _show_metrics(read_registry()["tables"], as_json=as_json)
        return
    if what == "scenarios":
        _show_scenarios(as_json=as_json)
        return
    if what not in _LISTS:
        allowed = [*_LISTS, "metrics", "papers", "scenarios"]
        hint = nearest_hint(what, allowed)
        raise ValueError(f"{what!r} cannot be listed\n  allowed: {', '.join(allowed)}{hint}")
    entries = read_registry()[_LISTS[what]]
    if as_json:
        print_json(entries)
        return
    names = max(len(entry["name"]) for entry in entries) + 2
    for entry in entries:
        print_wrapped(f"{entry['name']:<{names}}{entry['title']}. {first_sentence(entry['doc'])}", names)
    print("\nsojourn explain NAME shows the parameters and presets of one.")


def _show_scenarios(*, as_json: bool) -> None:
    found = [(name, *shipped.about(name), str(shipped.path(name))) for name in shipped.names()]
    if as_json:
        print_json([dict(zip(("name", "title", "doc", "file"), row, strict=True)) for row in found])
        return
    names = max(len(name) for name, *_ in found) + 2
    for name, title, *_ in found:
        print_wrapped(f"{name:<{names}}{title}", names)
    print("\nRun one with sojourn run NAME; sojourn explain NAME shows its file.")


def _show_metrics(tables: list[_Entry], *, as_json: bool) -> None:
    if as_json:
        print_json(tables)
        return
    for place, table in enumerate(tables):
        recorded = f" Recorded with record.{table['record']}." if table["record"] else ""
        print(("\n" if place else "") + f"{table['name']}")
        print_wrapped(f"  {table['doc']}{recorded}", 2)
        for metric in table["metrics"]:
            print_wrapped(f"    {metric['name']:<30}{metric['doc']}", 34)
