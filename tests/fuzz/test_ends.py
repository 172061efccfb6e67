"""Every parameter of the registry at both ends of its range and beyond them, under a limit of memory.

Each scenario is refused with a place, or runs for some thousand events and has possible numbers in all tables. Here
some of them, others whenever the registry changes; ``SOJOURN_FUZZ=all`` does all.
"""

import json
import os
import random
import subprocess
import sys

import pytest

import sojourn
from sojourn import _core

EVERYTHING = os.environ.get("SOJOURN_FUZZ") == "all"
# Scenarios of the short form, and of one process.
SOME = 150
BATCH = 75

# A child says the number of each scenario before it tries it, so that one that kills it is known.
CHILD = """
import json, math, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import sojourn
from sojourn import _core

def trouble(text):
    try:
        scenario = sojourn.Scenario.from_toml(text)
    except sojourn.ScenarioError as error:
        return "" if str(error).count("line ") or "flow" in str(error) else f"no place: {error}"
    simulation = _core.Simulation(scenario.resolved_json, 1)
    for _ in range(20):
        if simulation.advance(simulation.duration_s, events=1000):
            break
        if sum(size for _, size in simulation.footprint()) > 1 << 30:
            return "more than a gigabyte"
    if simulation.now_s <= 0.5:
        return ""  # Within the warm-up nothing is counted.
    for name, columns in simulation.tables().items():
        for column, (kind, values) in columns.items():
            if kind == "f64" and any(math.isinf(value) for value in values) and name != "window":
                return f"{name}.{column} is infinite"
            if column == "utilisation" and any(value > 1.0 for value in values):
                return f"{name}.{column} is above 1"
    return ""

for number, text in enumerate(json.load(sys.stdin)):
    print(number, flush=True)
    if (found := trouble(text)):
        print("!", found.replace(chr(10), " "), flush=True)
"""

FRAME = """
duration = "2s"
warmup = "0.5s"
[dumbbell]
rate = "5Mbit"
delay = "10ms"
queue = {queue}
{dumbbell}
[[flow]]
count = 3
transport = {transport}
app = {app}
start = {{ spread = "0.2s" }}
[[flow]]
name = "beside"
transport = "udp"
app = {{ kind = "cbr", rate = "300kbit" }}
"""


def written(parameter, number):
    """A number as the parameter is written."""
    unit = {"rate": "bit", "time": "s", "bytes": "B", "size": "p"}.get(parameter["type"])
    whole = f"{int(number)}" if float(number).is_integer() else repr(float(number))
    if unit is None:
        return whole
    return f'"{whole}{unit}"'


def values(parameter):
    """Both ends, values beyond them, and the middle of the scale."""
    if "choices" in parameter:
        return [f'"{choice}"' for choice in parameter["choices"]]
    if parameter["type"] == "bool":
        return ["true", "false"]
    if "min" not in parameter:
        return []
    low, high = parameter["min"], parameter["max"]
    numbers = [low, high, low - 1, high * 2 + 1, (max(low, 1e-6) * max(high, 1e-6)) ** 0.5]
    if parameter["type"] in ("integer", "bytes"):
        numbers = [int(number) for number in numbers]
    return [written(parameter, number) for number in numbers if number >= 0 or parameter["type"] != "size"]


def scenarios():
    """Texts of all scenarios."""
    registry = json.loads(_core.registry())
    plain = {
        "queue": '{ kind = "fifo", limit = "20p" }',
        "transport": '"tcp"',
        "app": '"bulk"',
        "dumbbell": "",
    }
    places = [
        ("queues", "queue", '{{ kind = "{name}", {setting} }}', {}),
        ("transports", "transport", '{{ kind = "{name}", {setting} }}', {"app": '{ kind = "cbr", rate = "2Mbit" }'}),
        ("controls", "transport", '{{ kind = "tcp", control = {{ kind = "{name}", {setting} }} }}', {}),
        ("apps", "app", '{{ kind = "{name}", {setting} }}', {}),
        ("apps", "app", '{{ kind = "{name}", {setting} }}', {"transport": '"udp"'}),
        ("losses", "dumbbell", 'loss = {{ kind = "{name}", {setting} }}', {}),
    ]
    for table, place, form, beside in places:
        for entry in registry[table]:
            for parameter in entry["params"]:
                for value in values(parameter):
                    text = form.format(name=entry["name"], setting=f"{parameter['name']} = {value}")
                    yield FRAME.format(**{**plain, **beside, place: text})


def chosen():
    """All scenarios in groups of one process each, or some."""
    every = list(scenarios())
    if not EVERYTHING:
        every = random.Random(len(every)).sample(every, SOME)
    return [every[start : start + BATCH] for start in range(0, len(every), BATCH)]


@pytest.mark.slow
@pytest.mark.parametrize("texts", chosen(), ids=lambda texts: f"{len(texts)} scenarios")
def test_every_value_at_the_ends_is_refused_or_runs(texts):
    troubles = []
    first = 0
    while first < len(texts):
        asked = json.dumps(texts[first:])
        command = [sys.executable, "-c", CHILD]
        done = subprocess.run(command, input=asked, capture_output=True, text=True, timeout=600)
        tried = first
        for line in done.stdout.splitlines():
            if line.startswith("!"):
                troubles.append(f"{line[2:]}\n{texts[tried]}")
            else:
                tried = first + int(line)
        if done.returncode == 0:
            break
        troubles.append(f"exit {done.returncode}: {done.stderr[-300:]}\n{texts[tried]}")
        first = tried + 1

    assert not troubles, "\n\n".join(troubles)


def test_the_scenarios_are_many_and_the_frame_runs():
    texts = list(scenarios())

    assert len(texts) > 1000
    frame = FRAME.format(queue='"fifo"', transport='"tcp"', app='"bulk"', dumbbell="")
    assert sojourn.run(sojourn.Scenario.from_toml(frame)).queue["departures_packets"][0] > 0
