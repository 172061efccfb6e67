"""OPNsense: pipes, queues and rules of its shaper, by its interface for programs.

The fields and their ranges are those of its model `TrafficShaper` 1.0.3. The names of the actions are written as old
and new versions take them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from ..question import Line
from .pasted import Pasted
from .spelling import Spellings, spelled

__all__ = ["QUEUES", "opnsense"]

QUEUES: dict[str, Spellings] = {
    "fq_codel": {
        "target": "codel_target {ms}",
        "interval": "codel_interval {ms}",
        "quantum": "fqcodel_quantum {}",
        "limit": "fqcodel_limit {}",
        "flows": "fqcodel_flows {}",
        "ecn": "",
        "noecn": "codel_ecn_enable 0",
    },
}
"""FQ-CoDel alone: CoDel and PIE are there, too, but their queue holds 100 packets at most."""

_API = [
    "# HOST is the router, KEY and SECRET are those of System > Access > Users > API keys:",
    "HOST=192.168.1.1 KEY=... SECRET=...",
    'api() { curl -sk -u "$KEY:$SECRET" -H "Content-Type: application/json" -d "$2" '
    '"https://$HOST/api/trafficshaper/$1"; }',
    'uuid() { sed -n \'s/.*"uuid": *"\\([^"]*\\)".*/\\1/p\'; }',
]
_REMOVE = [
    "for kind in Rule Queue Pipe; do",
    '  api settings/search${kind}s \'{"current":1,"rowCount":-1,"searchPhrase":"sojourn-queue"}\' |',
    "    tr '{' '\\n' | uuid | while read -r one; do api settings/del$kind/$one '{}'; done",
    "done",
]


def opnsense(line: Line, name: str, device: str) -> Pasted:
    """A pipe, a queue and a rule for each direction."""
    lines = [*_API, *_REMOVE]
    for number, (way, rate, words, direction) in enumerate(
        zip(("up", "down"), line.shaped, line.words_for(name), ("out", "in"), strict=True), start=1
    ):
        text = f"sojourn-queue {way}"
        pipe = {
            "enabled": "1",
            "bandwidth": str(rate // 1000),
            "bandwidthMetric": "Kbit",
            "scheduler": "fq_codel",
            "codel_ecn_enable": "1",
            **dict(setting.split() for setting in spelled(words, QUEUES)),
            "description": text,
        }
        queue = {"enabled": "1", "pipe": "$pipe", "weight": "100", "description": text}
        rule = {
            "enabled": "1",
            "sequence": str(number),
            "interface": device,
            "proto": "ip",
            "direction": direction,
            "target": "$queue",
            "description": text,
        }
        lines += [
            f"pipe=$(api settings/addPipe {_body('pipe', pipe)} | uuid)",
            f"queue=$(api settings/addQueue {_body('queue', queue)} | uuid)",
            f"api settings/addRule {_body('rule', rule)}",
        ]
    reconfigure = "api service/reconfigure '{}'"
    return Pasted(
        where=f"OPNsense of 2026, in a shell of a computer in the home; {device} is its interface to the modem",
        lines=[*lines, reconfigure],
        undo=[*_API, *_REMOVE, reconfigure],
        notes=("It divides the line among flows, not among hosts. Firewall > Shaper > Status shows the packets.",),
    )


def _body(kind: str, fields: Mapping[str, str]) -> str:
    """A text of JSON in quotes, in which the shell writes variables."""
    text = json.dumps({kind: fields}, separators=(",", ":")).replace('"', '\\"')
    return f'"{text}"'
