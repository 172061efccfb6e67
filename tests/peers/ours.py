"""Our side of the peer check: a setting of settings.toml as a scenario, and its measurements.

Topology, delays, starts and metrics are those that ns2_dumbbell.tcl describes; queues use the preset `ns2`, senders the
profile `ns2`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl
import row
from ns2 import OF_QUEUES, Metrics, Setting, further, transfers

import sojourn


def scenario_text(setting: Setting, *, record: str = "") -> str:
    """The setting as a scenario file; `record` is the content of its table of that name."""
    hops = int(setting.get("hops", 1))
    return f"""
title = "{setting["name"]}"
duration = "{setting["duration"]}s"
warmup = "{setting["warmup"]}s"
{dumbbell(setting) if hops == 1 else row.network(setting, queue(setting))}
{"".join(flows(setting) if hops == 1 else row.flows(setting, transport))}
[record]
{record}
"""


def dumbbell(setting: Setting) -> str:
    """Two routers; with flows `back` both directions have the queue under test."""
    back = queue(setting) if setting.get("back") else '{ kind = "fifo", preset = "ns2", limit = "100000p" }'
    return f"""
[dumbbell]
rate = "{setting["rate_mbit"]}Mbit"
delay = "{float(setting["rtt_ms"]) / 4:.9g}ms"
mean_packet = "{setting["packet"]}B"
queue = {queue(setting)}
reverse_queue = {back}

access = {access(setting)}
"""


def access(setting: Setting, part: float = 1.0) -> str:
    """The access links of a group as an inline table, with this part of the setting's spread."""
    rtt, spread = float(setting["rtt_ms"]), part * float(setting["rtt_spread"])
    least, greatest = rtt * (0.5 - spread) / 4, rtt * (0.5 + spread) / 4
    return f'{{ rate = "{setting["access_mbit"]}Mbit", delay = ["{least:.9g}ms", "{greatest:.9g}ms"] }}'


def flows(setting: Setting) -> Iterator[str]:
    """The groups: bulk senders of the law under test, rivals, flows back, sources, transfers, readers."""
    tested = transport(setting, str(setting["tcp"]), str(setting.get("control", "reno")))
    soon = f'{{ at = "0s", spread = "{setting["start_spread"]}s" }}'
    if setting["flows"]:
        yield flow("bulk", setting["flows"], '"bulk"', soon, tested)
    if setting.get("rivals"):
        rival = transport(setting, str(setting.get("rival_tcp", "sack")), "reno")
        spread_of = access(setting, float(setting.get("rival_spread", 0.7)))
        yield flow("rivals", setting["rivals"], '"bulk"', soon, rival) + f"access = {spread_of}\n"
    if setting.get("back"):
        other_way = f'direction = "backward"\naccess = {access(setting, 0.6)}\n'
        yield flow("back", setting["back"], '"bulk"', soon, tested) + other_way
    if setting.get("udp_flows"):
        datagrams = f'{{ kind = "udp", packet = "{setting.get("udp_packet", 1000)}B" }}'
        yield flow("udp", setting["udp_flows"], source(setting), soon, datagrams)
    if setting.get("transfers"):
        for number, (start, packets) in enumerate(transfers(setting)):
            app = f'{{ kind = "bulk", packets = {packets} }}'
            yield flow(f"transfer-{number}", 1, app, f'"{start}s"', tested)
    if setting.get("sessions"):
        spread = f'{{ at = "0s", spread = "{setting["think"]}s" }}'
        # As transfers, all have the round-trip time of a single flow.
        yield flow("web", setting["sessions"], reader(setting), spread, tested) + f"access = {access(setting, 0.0)}\n"


def reader(setting: Setting) -> str:
    """A session of ns-2's web traffic as an inline table: pages of one object, counted in whole packets."""
    payload = int(setting["packet"]) - 40
    return (
        f'{{ kind = "http", version = "1.0", objects = 1, objects_law = "fixed", think = "{setting["think"]}s", '
        f'size = "{float(setting["object_packets"]) * payload:.9g}B", size_law = "pareto", '
        f'size_shape = {setting["object_shape"]}, size_step = "{payload}B" }}'
    )


def flow(name: str, count: object, app: str, start: str, transport: str) -> str:
    """A group of flows."""
    return f"""
[[flow]]
name = "{name}"
count = {count}
app = {app}
start = {start}
transport = {transport}
"""


def transport(setting: Setting, tcp: str, control: str) -> str:
    """A sender of ns-2 as an inline table; `with` has further settings of the first group's."""
    more = f", {setting['with']}" if "with" in setting and tcp == setting["tcp"] else ""
    match tcp:
        case "tfrc":
            return f'{{ kind = "tfrc", profile = "ns2", packet = "{setting["packet"]}B"{more} }}'
        case _:
            profile = "ns2_2004" if "tick" in setting else "ns2"
            own = f'profile = "{profile}", recovery = "{tcp}", control = {control_of_ns2(setting, control)}'
    return (
        f'{{ kind = "tcp", {own}, window = "{setting["window"]}p", packet = "{setting["packet"]}B", '
        f'ecn = {_toml(setting["ecn"])}, rto_min = "{setting.get("minrto", 0.2)}s", '
        f"ack_every = {2 if setting.get('delack') else 1}{more} }}"
    )


def control_of_ns2(setting: Setting, control: str) -> str:
    """A window law of ns-2's one-way senders as an inline table."""
    kept = "cut" if control == "binomial" else "decrease"
    steps = f"increase = {setting.get('increase')}, {kept} = {setting.get('decrease')}, halve_at_start = true"
    match control:
        case "reno":
            return '{ kind = "reno" }'
        case "gaimd":
            return f'{{ kind = "gaimd", {steps} }}'
        case "binomial":
            return f'{{ kind = "binomial", k = {setting["k"]}, l = {setting["l"]}, {steps} }}'
        case "hstcp":
            return '{ kind = "hstcp", preset = "ns2" }'
        case other:
            raise ValueError(f"{setting['name']}: no control of ours is called {other!r}")


def source(setting: Setting) -> str:
    """A source without control as an inline table."""
    rate = f'rate = "{setting["udp_kbit"]}kbit"'
    match setting["udp"]:
        case "cbr":
            return f'{{ kind = "cbr", {rate}, jitter = {0.5 if setting.get("jitter") else 0} }}'
        case "exponential" | "pareto" as law:
            return (
                f'{{ kind = "on_off", preset = "ns2", {rate}, packet = "auto", law = "{law}", '
                f'on = "{setting["on_ms"]}ms", off = "{setting["off_ms"]}ms", shape = {setting.get("shape", 1.5)} }}'
            )
        case other:
            raise ValueError(f"{setting['name']}: no source of ours is called {other!r}")


def queue(setting: Setting) -> str:
    """The queue under test as an inline table."""
    limit = f'limit = "{setting["limit"]}p"'
    match setting["queue"]:
        case "droptail":
            return f'{{ kind = "fifo", preset = "ns2", {limit} }}'
        case "red" | "ared" | "ared_feng" as kind:
            return (
                f'{{ kind = "{kind}", preset = "ns2", mode = "packets", mean_packet = "auto", {limit}, '
                f'min_th = "{setting["min"]}p", '
                f'max_th = "{setting["max"]}p", max_p = {setting["max_p"]}, w_q = {setting["w_q"]}, '
                f'above = "{"gentle" if setting["gentle"] else "strict"}", '
                f'count = "{"wait" if setting["wait"] else "on"}", ecn = {_toml(setting["ecn"])} }}'
            )
        case "pi":
            return (
                f'{{ kind = "pi", preset = "ns2", {limit}, a = {setting["a"]}, b = {setting["b"]}, '
                f'q_ref = "{setting["q_ref"]}p", w = {setting["w"]}, ecn = {_toml(setting["ecn"])} }}'
            )
        case "rem":
            return (
                f'{{ kind = "rem", preset = "ns2", {limit}, gamma = {setting["gamma"]}, phi = {setting["phi"]}, '
                f'q_ref = "{setting["q_ref"]}p", interval = "{setting["interval"]}s", '
                f"rate_weight = {setting.get('rate_weight', 1)}, ecn = {_toml(setting['ecn'])} }}"
            )
        case "avq":
            virtual = float(setting.get("virtual", 1)) * float(setting["limit"])
            # ns-2 counts bytes in both queues.
            in_bytes = f'limit = "{1000 * int(setting["limit"])}B"'
            return (
                f'{{ kind = "avq", preset = "ns2", {in_bytes}, virtual_limit = "{virtual:.9g}p", '
                f"gamma = {setting['gamma']}, ecn = {_toml(setting['ecn'])} }}"
            )
        case "drr":
            # ns-2 counts bytes; its hash puts no two of these flows into one queue.
            limit = f'limit = "{int(setting["limit"]) * int(setting["packet"])}B"'
            return f'{{ kind = "drr", preset = "ns2", {limit}, quantum = "{setting["quantum"]}B", queues = 65536 }}'
        case "sfq":
            return f'{{ kind = "sfq", preset = "ns2", {limit}, queues = {setting["buckets"]} }}'
        case other:
            raise ValueError(f"{setting['name']}: no queue of ours is called {other!r}")


def run_all(settings: Sequence[Setting], seeds: Sequence[int], workers: int = 2) -> list[list[Metrics]]:
    """Every setting with every seed: one list per setting, its entries in the order of `seeds`."""
    scenarios = {str(setting["name"]): sojourn.Scenario.from_toml(scenario_text(setting)) for setting in settings}
    done = sojourn.study(scenarios, seeds=seeds, workers=workers)
    return [
        [metrics(result, setting) for result in done.of(name)]
        for name, setting in zip(scenarios, settings, strict=True)
    ]


def metrics(result: sojourn.Result, setting: Setting) -> Metrics:
    """The compared metrics of a run; the first queues are the bottlenecks'."""
    found = {
        "share": share(result),
        "transfer": transfer(result),
        "nearest": nearest(result) if setting["tcp"] == "tfrc" else -1.0,
        "cuts": float(result.flow["ecn_reductions"].sum()) if counts_cuts(setting) else -1.0,
    }
    for number, suffix in enumerate(("", *further(setting))):
        queue = result.queue.row(number, named=True)
        found |= {metric + suffix: queue[column] for metric, column in zip(OF_QUEUES, COLUMNS, strict=True)}
    return found


COLUMNS = ("backlog_mean_packets", "loss_ratio", "utilisation", "mark_ratio")
"""Those of the table of queues, in the order of `OF_QUEUES`."""


def counts_cuts(setting: Setting) -> bool:
    """Where ns2_dumbbell.tcl counts them."""
    one_way = setting["tcp"] in ("tahoe", "reno", "newreno", "sack")
    return bool(setting["ecn"]) and bool(setting.get("transfers")) and one_way


def share(result: sojourn.Result) -> float:
    """Bytes of the first group over those of all, without those that go back; -1 if there is one group."""
    kind = pl.col("group").str.split("-").list.first()
    there = result.flow.filter(kind != "back")
    bytes_of = there.group_by(kind, maintain_order=True).agg(pl.col("throughput_bps").sum())["throughput_bps"]
    return -1.0 if len(bytes_of) < 2 else bytes_of[0] / bytes_of.sum()


def nearest(result: sojourn.Result) -> float:
    """Bytes of the first flow over the mean of its group."""
    group = result.flow.filter(pl.col("group") == result.flow["group"][0])["throughput_bps"]
    return float(group[0] / group.to_numpy().mean())


def transfer(result: sojourn.Result) -> float:
    """Mean time of the transfers that ended; -1 if there are none."""
    mean = result.completion["duration_s"].mean()
    return -1.0 if mean is None else float(mean)


def _toml(value: object) -> str:
    return str(value).lower()
