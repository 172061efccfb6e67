"""Twenty scenarios that have among them every queue, transport, window law and source of the registry."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from typing import Any

import sojourn
from sojourn import _core

COUNT = 20
REGISTRY: Mapping[str, Any] = json.loads(_core.registry())
QUEUES = [entry["name"] for entry in REGISTRY["queues"]]
APPS = [entry["name"] for entry in REGISTRY["apps"]]
SENDERS = [
    *(f'kind = "tcp", control = "{entry["name"]}", ecn = true' for entry in REGISTRY["controls"]),
    *(f'kind = "{entry["name"]}"' for entry in REGISTRY["transports"]),
]
# Entries without defaults.
APP_SETTINGS = {"trace": ", times_s = [0.5, 1.0, 1.5], sizes_bytes = [3000, 20000, 500]"}

LINK = """
[[link]]
name = "link{number}"
from = "n{number}"
to = "n{next}"
rate = "{rate}Mbit"
delay = "5ms"
queue = {{ kind = "{queue}" }}
"""
FLOW = """
[[flow]]
name = "flow{number}"
count = 3
from = "n0"
to = "n{last}"
transport = {{ {sender} }}
app = {{ kind = "{app}"{settings} }}
start = {{ spread = "1s" }}
"""


def scenarios() -> list[str]:
    """Chains of links, each with queues of its own, and three groups of senders."""
    links = -(-len(QUEUES) // COUNT)
    queues, senders, apps = itertools.cycle(QUEUES), itertools.cycle(SENDERS), itertools.cycle(APPS)
    return [_scenario([next(queues) for _ in range(links)], senders, apps) for _ in range(COUNT)]


def _scenario(queues: list[str], senders: Iterator[str], apps: Iterator[str]) -> str:
    nodes = ", ".join(f'{{ name = "n{number}" }}' for number in range(len(queues) + 1))
    text = f'duration = "30s"\nwarmup = "1s"\nnode = [{nodes}]\n'
    for number, queue in enumerate(queues):
        text += LINK.format(number=number, next=number + 1, rate=10 - number, queue=queue)
    for number in range(len(queues)):
        text += f'\n[[link]]\nfrom = "n{number + 1}"\nto = "n{number}"\nrate = "10Mbit"\ndelay = "5ms"\n'
    for number in range(3):
        text += _flow(text, number, len(queues), next(senders), apps)
    return text + '\n[record]\nqueue = "100ms"\nprobes = "100ms"\ncwnd = "100ms"\nthroughput = "100ms"\n'


def _flow(text: str, number: int, last: int, sender: str, apps: Iterator[str]) -> str:
    """A group with the next source that can drive the sender, under the default profile where that is allowed."""
    profiles = ("", ', profile = "linux"')
    for app, profile in itertools.islice(((app, profile) for app in apps for profile in profiles), 2 * len(APPS)):
        settings = APP_SETTINGS.get(app, "")
        flow = FLOW.format(number=number, last=last, sender=sender + profile, app=app, settings=settings)
        try:
            sojourn.Scenario.from_toml(text + flow)
        except sojourn.ScenarioError:
            continue
        return flow
    raise AssertionError(f"no source drives {sender}")
