"""Probes of a queue stay within the ranges in the reference."""

import json
import math

import pytest

import sojourn
from sojourn import _core

WATCHED = [entry for entry in json.loads(_core.registry())["queues"] if entry["probes"]]
SCENARIO = """
duration = "6s"
[dumbbell]
rate = "2Mbit"
delay = "10ms"
queue = {{ kind = "{kind}"{preset} }}
[[flow]]
count = 6
transport = {{ kind = "tcp", control = "reno" }}
[[flow]]
count = 2
transport = "udp"
app = {{ kind = "cbr", rate = "500kbit" }}
[record]
probes = "50ms"
"""
RANGES = {
    "any": (-math.inf, math.inf),
    "at most the depth": (-math.inf, math.inf),
    "0 or more": (0.0, math.inf),
    "0 to 1": (0.0, 1.0),
    "0 or 1": (0.0, 1.0),
    "0.000001 to 1000000": (1e-6, 1e6),
}


@pytest.mark.parametrize("queue", WATCHED, ids=lambda entry: entry["name"])
def test_what_is_recorded_is_within_its_range(queue):
    # Some probes exist in the kernel's arithmetic alone, and some go further in it.
    forms = [""] + [
        ', preset = "linux"' for preset in queue["presets"] if preset["name"] == "linux" and "queue" not in preset
    ]
    texts = [SCENARIO.format(kind=queue["name"], preset=form) for form in forms]
    recorded = [sojourn.run(sojourn.Scenario.from_toml(text)).probe.filter(link="forward") for text in texts]

    for probe in queue["probes"]:
        least, most = RANGES[probe["range"]]
        values = [value for one in recorded for value in one.filter(probe=probe["name"])["value"].to_list()]
        assert values, probe["name"]
        assert least <= min(values) <= max(values) <= most, probe["name"]
