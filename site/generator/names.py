"""Tables of names for those who come from other tools: the presets of the registry for ns-2, Linux and others."""

from __future__ import annotations

from pathlib import Path

from .pages import REGISTRY, table

TOOLS = {"ns2": ("ns-2", "ns2"), "ns3": ("ns-3", "ns3"), "linux": ("Linux (tc)", "linux")}


def write(pages: Path) -> None:
    """Append the registry's presets to the written pages."""
    for prefix, (title, file) in TOOLS.items():
        rows = []
        for kind, key, entries in (
            ("queue", "preset", REGISTRY["queues"]),
            ("transport", "profile", REGISTRY["transports"]),
            ("control", "preset", REGISTRY["controls"]),
        ):
            for entry in entries:
                named = entry.get("presets") or entry.get("profiles") or []
                rows += [
                    (f'`{kind} = {{ kind = "{entry["name"]}", {key} = "{one["name"]}" }}`', one["doc"])
                    for one in named
                    if one["name"].startswith(prefix)
                ]
        page = pages / "coming-from" / f"{file}-presets.md"
        page.write_text(
            f"# Presets and profiles named after {title}\n\nA preset or profile sets all parameters to the values of {title}. Each parameter can still be set by itself.\n\n:::{{container}} things\n{table(['in a scenario', 'meaning'], rows)}\n:::\n",
            encoding="utf-8",
        )
