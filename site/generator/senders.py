"""Pages for senders (transports and their window laws) and sources."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import sojourn

from . import standard
from .pages import REGISTRY, index, parameters, presets, themed

SCENARIO = """
duration = "1s"
[dumbbell]
rate = "10Mbit"
delay = "10ms"
[[flow]]
{flow}
"""

# Laws that need marks: the other settings that are chosen with them.
MARKED = dict.fromkeys(("dctcp", "decbit", "surathkal"), ', ecn = true, ecn_feedback = "dctcp"')

SENDERS = """A sender decides when packets leave. A *transport* says how data and acknowledgements travel, and how losses are repaired. A *window law*
(congestion control) says how much TCP may have on its way."""

SOURCES = (
    """A source decides what there is to send, and when: a file without end, a call, a person who reads web pages."""
)


def write(pages: Path) -> None:
    """All pages of senders and sources."""
    senders, sources = pages / "senders", pages / "sources"
    senders.mkdir(parents=True)
    sources.mkdir(parents=True)
    # Names are unique within each kind only, so a page names its kind.
    entries = [
        *({**one, "kind": "transport"} for one in REGISTRY["transports"]),
        *({**one, "kind": "control"} for one in REGISTRY["controls"]),
    ]
    index(senders, "Senders", SENDERS, entries, "sender")
    for entry in entries:
        (senders / f"{entry['name']}.md").write_text(_sender(entry, senders), encoding="utf-8")
    index(sources, "Sources", SOURCES, REGISTRY["apps"], "source")
    for entry in REGISTRY["apps"]:
        (sources / f"{entry['name']}.md").write_text(_source(entry), encoding="utf-8")


def _sender(entry: Mapping[str, Any], folder: Path) -> str:
    name = entry["name"]
    if entry["kind"] == "transport":
        how = _first_read(
            f'transport = {{ kind = "{name}" }}',
            # Datagrams leave at the source's times, so the source must have a rate.
            f'transport = {{ kind = "{name}" }}\napp = {{ kind = "cbr", rate = "1Mbit" }}',
        )
        kind = "A transport." + (f" Its default window law is `{entry['control']}`." if entry.get("control") else "")
    else:
        how = _first_read(
            f'transport = {{ kind = "tcp", control = "{name}"{MARKED.get(name, "")} }}',
            # A law that needs a current sender.
            f'transport = {{ kind = "tcp", control = "{name}", profile = "linux" }}',
        )
        kind = "A window law of TCP."
    named = presets(entry, "profile" if entry["kind"] == "transport" else "preset")
    return f"""# {entry["title"]}

{entry["doc"]} {kind}

Source: {entry["reference"]}.

```toml
{how}
```
{_law(entry, folder)}
## Parameters

{parameters(entry)}
{named}
[Its comparisons with other programs and publications](../trust/evidence/sender-{name}.md)
"""


def _law(entry: Mapping[str, Any], folder: Path) -> str:
    """Its law as curves, where it is a function that can be drawn."""
    shown = sojourn.sender_law(entry["name"], transport=entry["kind"] == "transport") if entry["has_law"] else None
    if shown is None:
        return ""
    standard.draw_law(entry["name"], shown, folder)
    picture = themed(f"{entry['name']}-law", f"{entry['title']}: {shown.y.name} against {shown.x.name}")
    return f"\n## Its law\n\nAll parameters have their defaults here. {shown.about}\n\n{picture}\n"


def _first_read(*lines: str) -> str:
    """The first line that a scenario can have without a change."""
    problem: Exception = AssertionError("no line")
    for line in lines:
        try:
            sojourn.Scenario.from_toml(SCENARIO.format(flow=line))
        except sojourn.ScenarioError as error:
            problem = error
        else:
            return line
    raise problem


def _source(entry: Mapping[str, Any]) -> str:
    app = f'app = {{ kind = "{entry["name"]}" }}'
    how = _first_read(app, f'transport = "udp"\n{app}')
    return f"""# {entry["title"]}

{entry["doc"]}

Source: {entry["reference"]}.

```toml
{how}
```

## Parameters

{parameters(entry)}
{presets(entry, "preset")}"""
