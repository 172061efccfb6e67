"""``sojourn list`` and ``sojourn explain``: what the registry knows."""

from __future__ import annotations

import difflib
import json
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from .. import _core
from .guard import print_json

__all__ = ["explain", "show_list"]

_LISTS = {"queues": "queues", "transports": "transports", "controls": "controls", "traffic": "apps", "losses": "losses"}
# What one of them is called, and how a scenario file names it.
_KINDS = {
    "queues": ("queue", 'queue = { kind = "%s" }'),
    "transports": ("transport", 'transport = { kind = "%s" }'),
    "controls": ("congestion control", 'transport = { kind = "tcp", control = "%s" }'),
    "apps": ("application", 'app = { kind = "%s" }'),
    "losses": ("loss model", 'loss = { kind = "%s" }'),
}

_Entry = Mapping[str, Any]


def show_list(what: str, *, as_json: bool) -> None:
    """List the entries of one kind, one line each."""
    registry = json.loads(_core.registry())
    if what == "metrics":
        _show_metrics(registry["tables"], as_json=as_json)
        return
    if what not in _LISTS:
        allowed = [*_LISTS, "metrics", "papers"]
        near = difflib.get_close_matches(what, allowed, n=1)
        hint = f"\n  hint:    did you mean {near[0]}?" if near else ""
        raise ValueError(f"{what!r} cannot be listed\n  allowed: {', '.join(allowed)}{hint}")
    entries = registry[_LISTS[what]]
    if as_json:
        print_json(entries)
        return
    names = max(len(entry["name"]) for entry in entries) + 2
    for entry in entries:
        _print_wrapped(f"{entry['name']:<{names}}{entry['title']}. {_first_sentence(entry['doc'])}", names)


def _show_metrics(tables: list[_Entry], *, as_json: bool) -> None:
    if as_json:
        print_json(tables)
        return
    for place, table in enumerate(tables):
        recorded = f" Recorded with record.{table['record']}." if table["record"] else ""
        print(("\n" if place else "") + f"{table['name']}")
        _print_wrapped(f"  {table['doc']}{recorded}", 2)
        for metric in table["metrics"]:
            _print_wrapped(f"    {metric['name']:<30}{metric['doc']}", 34)


def explain(name: str, *, as_json: bool) -> None:
    """Explain what is called `name`: one entry, or each if several kinds have the name."""
    registry = json.loads(_core.registry())
    found = [(kind, entry) for kind in _KINDS for entry in registry[kind] if entry["name"] == name]
    metrics = [
        (table["name"], metric)
        for table in registry["tables"]
        for metric in table["metrics"]
        if name in (metric["name"], f"{table['name']}.{metric['name']}")
    ]
    if not found and not metrics:
        raise ValueError(_unknown(name, registry))
    if as_json:
        entries = [{"kind": _KINDS[kind][0], **entry} for kind, entry in found]
        entries += [{"kind": "metric", "table": table, **metric} for table, metric in metrics]
        print_json(entries[0] if len(entries) == 1 else entries)
        return
    blocks = [_entry_lines(kind, entry) for kind, entry in found]
    blocks += [_metric_lines(table, metric) for table, metric in metrics]
    print("\n\n".join("\n".join(block) for block in blocks))


def _unknown(name: str, registry: Mapping[str, list[_Entry]]) -> str:
    known = [entry["name"] for kind in _KINDS for entry in registry[kind]]
    known += [metric["name"] for table in registry["tables"] for metric in table["metrics"]]
    near = difflib.get_close_matches(name.lower(), dict.fromkeys(known), n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "sojourn list queues shows the queues"
    return f"nothing here is called {name!r}\n  hint:    {hint}"


def _entry_lines(kind: str, entry: _Entry) -> list[str]:
    what, example = _KINDS[kind]
    lines = [f"{entry['name']} ({what}): {entry['title']}", ""]
    lines += _wrapped(entry["doc"], "  ")
    if entry.get("reorders"):
        lines += _wrapped("Packets of one flow may overtake each other.", "  ")
    lines += [
        "",
        *_wrapped(f"Reference: {entry['reference']}.", "  "),
        "",
        f"  In a scenario: {example % entry['name']}",
    ]
    if entry.get("control"):
        lines.append(f"  Congestion control unless another is said: {entry['control']}")
    lines += _preset_lines(entry)
    if entry["params"]:
        lines += ["", "Parameters"]
    for param in entry["params"]:
        lines += _param_lines(param)
    return lines


def _preset_lines(entry: _Entry) -> Iterator[str]:
    for key in ("preset", "profile"):
        groups = entry.get(f"{key}s", [])
        if groups:
            yield from ("", f"{key.capitalize()}s ({key} = ...)")
        for group in groups:
            settings = ", ".join(f"{name} = {value}" for name, value in group["settings"].items())
            yield f'  {key} = "{group["name"]}"'
            yield from _wrapped(group["doc"], "      ")
            yield from _wrapped(f"Sets {settings}." if settings else "The defaults.", "      ")


def _param_lines(param: _Entry) -> list[str]:
    number = param["type"] in ("bool", "integer", "number", "fraction") and param["default"] != "auto"
    default = param["default"] if number else f'"{param["default"]}"'
    lines = [f"  {param['name']} = {default}", *_wrapped(param["doc"], "      ")]
    return lines + _wrapped(f"Takes {param['allowed']}. Default from: {param['source'].rstrip('.')}.", "      ")


def _metric_lines(table: str, metric: _Entry) -> list[str]:
    lines = [f"{metric['name']} (column of the table {table})", "", *_wrapped(metric["doc"], "  "), ""]
    if metric["formula"]:
        lines += _wrapped(f"Formula: {metric['formula']}", "  ")
    return [*lines, f"  Unit: {metric['unit'] or 'none'}"]


def _first_sentence(text: str) -> str:
    head, stop, _ = " ".join(text.split()).partition(". ")
    return head + ("." if stop else "")


def _width() -> int:
    """Of the terminal, but no wider than reads well; 100 where there is none."""
    return min(shutil.get_terminal_size((80, 24)).columns, 100) if sys.stdout.isatty() else 100


def _wrapped(text: str, indent: str) -> list[str]:
    joined = " ".join(text.split())
    return textwrap.wrap(
        joined,
        _width(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _print_wrapped(line: str, hanging: int) -> None:
    print(
        textwrap.fill(
            line,
            _width(),
            subsequent_indent=" " * hanging,
            replace_whitespace=False,
            drop_whitespace=True,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )
