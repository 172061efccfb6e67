"""Short runs in which a change of a parameter shows: settings, other values, and networks."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache

from sojourn import ScenarioError, _core

REGISTRY = json.loads(_core.registry())
TABLES = ("queues", "controls", "transports", "apps", "losses")

LINUX = '{ kind = "tcp", profile = "linux" }'
LINUX_ECN = '{ kind = "tcp", profile = "linux", ecn = true }'
L4S = '{ kind = "tcp", profile = "linux", control = "dctcp", ecn_codepoint = "ect1", packet = "1500B" }'
SMALL = '{ kind = "udp", packet = "300B" }'
LARGE = '{ kind = "udp", packet = "1000B" }'
BURSTS = '{ kind = "on_off", rate = "8Mbit", on = "200ms", off = "600ms" }'


def group(name, count=1, transport='"tcp"', app='"bulk"', **more):
    """A group of flows as TOML."""
    keys = {"name": f'"{name}"', "count": count, "transport": transport, "app": app, **more}
    return "[[flow]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items())


BLOCKS = '{ kind = "transfers", packets = 60, think = "2s" }'
PULSES = '{ kind = "on_off", rate = "3Mbit", on = "100ms", off = "3s" }'


def cbr(rate):
    return f'{{ kind = "cbr", rate = "{rate}" }}'


def explicit(control):
    """Senders that ask routers."""
    transport = f'{{ kind = "tcp", control = "{control}" }}'
    return [group("few", 3, transport), group("late", 2, transport, start='"2s"')]


# Duration, rate, and flows of a bottleneck with the queue that is tried, and more about it. The first shows most.
QUEUES = {
    "mixed": ("4s", "4Mbit", [
        group("plain", 4, LINUX), group("ecn", 2, LINUX_ECN), group("l4s", 1, L4S), group("bursts", 1, SMALL, BURSTS),
    ]),
    "flood": ("5s", "4Mbit", [
        group("flood", 1, LARGE, cbr("3Mbit")), group("plain", 3, LINUX_ECN),
        group("bursts", 2, SMALL, '{ kind = "on_off", rate = "6Mbit", on = "300ms", off = "700ms" }'),
    ]),
    "classes": ("5s", "3Mbit", [
        group("call", 1, SMALL, cbr("500kbit"), dscp='"EF"'), group("video", 1, SMALL, BURSTS, dscp='"AF41"'),
        group("af11", 1, LINUX, dscp='"AF11"'), group("af12", dscp='"AF12"', priority=1),
        group("af13", 1, LINUX_ECN, dscp='"AF13"', priority=2), group("cs1", dscp='"CS1"', priority=3),
        group("af21", 1, L4S, dscp='"AF21"', priority=4), group("in", service='"in"'), group("out", service='"out"'),
        group("rest", 3, LINUX_ECN), group("back", 2, direction='"backward"'),
    ]),
    "calm": ("10s", "400kbit", [
        group("short", 2, LINUX_ECN, '"mice"'), group("keys", 2, '{ kind = "tcp", packet = "1500B" }', '"telnet"'),
        group("waits", 2, LARGE, '{ kind = "on_off", rate = "300kbit", on = "300ms", off = "900ms" }'),
        group("one", stop='"6s"'),
    ]),
    "hints": ("5s", "4Mbit", [
        group("hint", 2, delay_hint='"20ms"'), group("call", 1, SMALL, cbr("200kbit"), delay_hint='"10ms"'),
        group("web", 6, app='"http"'), group("decbit", 2, '{ kind = "tcp", control = "decbit" }'),
    ]),
    "xcp": ("5s", "4Mbit", explicit("xcp")),
    "rcp": ("5s", "4Mbit", explicit("rcp")),
    "many": (
        "8s", "6Mbit", [
            group("plain", 30, start='{ spread = "2s" }'), group("ecn", 10, LINUX_ECN, start='{ spread = "2s" }'),
            group("l4s", 3, L4S), group("flood", 2, LARGE, cbr("1Mbit")),
        ],
        'changes = [{ at = "3s", rate = "1Mbit" }, { at = "5s", rate = "8Mbit" }]',
    ),
    "long": ("60s", "2Mbit", [
        group("plain", 5, LINUX), group("ecn", 2, LINUX_ECN), group("comes", start='"20s"', stop='"30s"'),
        group("bursts", 1, SMALL, BURSTS),
    ]),
}  # fmt: skip

IT = group("it", 3, "%T", "%A")
BESIDE_IT = group("bursts", 1, SMALL, BURSTS)
LOST = '{ kind = "uniform", probability = %s }'
# Duration, rate, queue, and flows of a bottleneck with the sender or source that is tried, and more about it.
SENDERS = {
    "alone": ("6s", "4Mbit", '{ kind = "fifo", limit = "25p" }', [IT]),
    "marks": ("6s", "4Mbit", '{ kind = "red", ecn = true }', [IT, BESIDE_IT]),
    "beside": ("8s", "2Mbit", '{ kind = "fifo", limit = "12p" }', [
        IT, group("back", direction='"backward"'),
        group("flood", 1, SMALL, '{ kind = "on_off", rate = "6Mbit", on = "400ms", off = "600ms" }'),
    ]),
    "pauses": ("12s", "4Mbit", '{ kind = "fifo", limit = "20p" }', [group("it", 2, "%T", BLOCKS), BESIDE_IT]),
    "lossy": ("15s", "4Mbit", '{ kind = "red", ecn = true }', [IT], f"loss = {LOST % 0.02}"),
    "disorder": (
        "10s", "8Mbit", '{ kind = "codel", ecn = true }', [IT],
        f'loss = {LOST % 0.002}\njitter = {{ mean = "8ms", reorder = true }}',
    ),
    "ends": ("15s", "8Mbit", '{ kind = "fifo", limit = "20p" }', [
        group("it", 2, "%T", "%A", start='"1s"', stop='"6s"'),
    ]),
    "limited": ("12s", "4Mbit", '{ kind = "fifo", limit = "20p" }', [group("it", 3, "%T", PULSES)]),
    "flooded": ("8s", "1Mbit", '{ kind = "red", ecn = true, limit = "5p" }', [
        group("it", 6, "%T", "%A", start='{ spread = "1s" }'), group("flood", 2, SMALL, cbr("700kbit")),
    ]),
    "l4s": ("6s", "4Mbit", '"dualpi2"', [IT, group("plain", 2)]),
    "fast": ("2s", "200Mbit", '{ kind = "fifo", limit = "100p" }', [IT]),
    "quench": ("8s", "4Mbit", '"source_quench"', [IT]),
    "outage": (
        "15s", "10Mbit", '{ kind = "fifo", limit = "300p" }', [IT],
        'changes = [{ at = "4s", delay = "400ms" }, { at = "8s", delay = "20ms", rate = "1Mbit" }]',
    ),
    "long": ("40s", "5Mbit", '{ kind = "fifo", limit = "60p" }', [IT, BESIDE_IT]),
}  # fmt: skip


def table(kind, settings):
    """An entry with settings as TOML."""
    return "{ " + ", ".join([f'kind = "{kind}"', *(f"{key} = {value}" for key, value in settings.items())]) + " }"


def scenario(of, name, settings, load):
    """The network of a load with the entry `name` of the table `of` in it."""
    it = table(name, settings)
    if of == "queues":
        duration, rate, flows, *more = QUEUES[load]
        queue = it
    else:
        duration, rate, queue, flows, *more = SENDERS[load]
        transport, app = '"tcp"', '"bulk"'
        if of == "controls":
            transport = table("tcp", {"control": it})
            if name in ("xcp", "rcp", "decbit"):
                queue = f'"{name}"'
            elif name in ("dctcp", "prague") or load not in ("alone", "ends"):
                transport = table("tcp", {"profile": '"linux"', "ecn": "true", "control": it})
        elif of == "transports":
            transport = it
            app = '{ kind = "cbr", rate = "2Mbit" }' if name in ("udp", "fec") else app
        elif of == "apps":
            transport, app = '"udp"' if load in ("marks", "beside", "ends") else transport, it
        else:
            more = [f"loss = {it}"]
        flows = [flow.replace("%T", transport).replace("%A", app) for flow in flows]
    head = f'duration = "{duration}"\n[dumbbell]\nrate = "{rate}"\ndelay = "20ms"\nqueue = {queue}\n'
    return "\n".join([head, 'access = { rate = "50Mbit", delay = ["2ms", "9ms"] }', *more, *flows])


@lru_cache(4096)
def outcome(text):
    """A hash of all tables of a run, or the message of a refusal."""
    try:
        resolved, _ = _core.resolve_toml(text, "s.toml", [], [])
        simulation = _core.Simulation(resolved, 1)
    except (ScenarioError, ValueError) as error:
        return "refused", str(error)
    simulation.advance(simulation.duration_s)
    digest = hashlib.blake2b(digest_size=12)
    for columns in simulation.tables().values():
        for column, (_, values) in columns.items():
            digest.update(f"{column}{values if isinstance(values, list) else values.tolist()}".encode())
    return "ran", digest.hexdigest()


NUMBERS = {
    "time": (0.005, 0.02, 0.1, 0.0005, 1.0, 0.00005, 5.0, 0.3),
    "integer": (1, 2, 0, 5, 40, 1000, 3),
    "number": (0.5, 2, 0.1, 1, 10, 0.01, 60),
    "fraction": (0.02, 0.3, 0.9, 0.0005, 0.5, 1, 0),
    "size": (5, 12, 2, 40, 300, 1),
    "bytes": (100, 1500, 400, 3000, 20000, 1),
    "rate": (1e6, 2e5, 5e6, 1e8),
}
UNITS = {"time": "s", "size": "p", "bytes": "B", "rate": "bit"}
WORDS = {
    "queue": ['"fifo:limit=2p"', '"codel"'],
    "several": ["[0, 0, 0, 0, 2]", '["60000B", "300B", "20000B"]', '["20000B", "60000B", "20000B"]'],
    "numbers": ["[1]", "[0, 1]", "[0.5, 0.5]", "[3]", "[20, 20, 20]"],
    "policy": ['"red"', '"pie"'],
    "dscp": ['"CS1"', '"EF"'],
}


def others(parameter, now):
    """Other values of a parameter as TOML, where `now` is its value as a text."""
    kind = parameter["type"]
    if kind == "bool":
        return [value for value in ("true", "false") if value != now]
    if kind == "choice":
        return [json.dumps(value) for value in parameter["choices"] if value != now]
    if kind not in NUMBERS:
        return WORDS.get(kind, [])
    present = float(now) if now.replace(".", "", 1).replace("e-", "", 1).isdigit() else None
    near = [present * factor for factor in (2, 0.5, 1.2, 10, 0.1)] if present else []
    whole = int if kind in ("integer", "bytes") else float
    numbers = dict.fromkeys(min(max(whole(n), parameter["min"]), parameter["max"]) for n in (*near, *NUMBERS[kind]))
    texts = [f"{number:.15g}" for number in numbers if number != present]
    unit = UNITS.get(kind)
    return [f'"{text}{unit}"' for text in texts] if unit else texts
