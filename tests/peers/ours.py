"""Our side of the peer check: a setting of settings.toml as a scenario, and what it measures.

Topology, delays, starts and metrics are those that ns2_dumbbell.tcl describes; queues use the preset `ns2`, senders the
profile `ns2`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ns2 import Metrics, Setting

import sojourn


def scenario_text(setting: Setting, *, record: str = "") -> str:
    """The setting as a scenario file; `record` is what its table of that name shall hold."""
    rtt, spread = float(setting["rtt_ms"]), float(setting["rtt_spread"])
    return f"""
title = "{setting["name"]}"
duration = "{setting["duration"]}s"
warmup = "{setting["warmup"]}s"

[dumbbell]
rate = "{setting["rate_mbit"]}Mbit"
delay = "{rtt / 4:.9g}ms"
mean_packet = "{setting["packet"]}B"
queue = {queue(setting)}
reverse_queue = {{ kind = "fifo", preset = "ns2", limit = "100000p" }}

[dumbbell.access]
rate = "{setting["access_mbit"]}Mbit"
delay = ["{rtt * (0.5 - spread) / 4:.9g}ms", "{rtt * (0.5 + spread) / 4:.9g}ms"]

[[flow]]
name = "bulk"
count = {setting["flows"]}
app = "bulk"
start = {{ at = "0s", spread = "{setting["start_spread"]}s" }}

[flow.transport]
kind = "tcp"
profile = "ns2"
recovery = "{setting["tcp"]}"
window = "{setting["window"]}p"
packet = "{setting["packet"]}B"
ecn = {_toml(setting["ecn"])}
rto_min = "{setting.get("minrto", 0.2)}s"
ack_every = {2 if setting.get("delack") else 1}

[record]
{record}
"""


def queue(setting: Setting) -> str:
    """The queue under test as an inline table."""
    limit = f'limit = "{setting["limit"]}p"'
    match setting["queue"]:
        case "droptail":
            return f'{{ kind = "fifo", preset = "ns2", {limit} }}'
        case "red" | "ared" | "ared_feng" as kind:
            return (
                f'{{ kind = "{kind}", preset = "ns2", {limit}, min_th = "{setting["min"]}p", '
                f'max_th = "{setting["max"]}p", max_p = {setting["max_p"]}, w_q = {setting["w_q"]}, '
                f'above = "{"gentle" if setting["gentle"] else "strict"}", '
                f'count = "{"wait" if setting["wait"] else "on"}", ecn = {_toml(setting["ecn"])} }}'
            )
        case "pi":
            return (
                f'{{ kind = "pi", preset = "ns2", {limit}, a = {setting["a"]}, b = {setting["b"]}, '
                f'q_ref = "{setting["q_ref"]}p", w = {setting["w"]}, ecn = {_toml(setting["ecn"])} }}'
            )
        case other:
            raise ValueError(f"{setting['name']}: no queue of ours is called {other!r}")


def run_all(settings: Sequence[Setting], seeds: Sequence[int], workers: int = 2) -> list[list[Metrics]]:
    """Every setting with every seed: one list per setting, its entries in the order of `seeds`."""
    scenarios = {str(setting["name"]): sojourn.Scenario.from_toml(scenario_text(setting)) for setting in settings}
    done = sojourn.study(scenarios, seeds=seeds, workers=workers)
    return [[metrics(result) for result in done.of(name)] for name in scenarios]


def metrics(result: sojourn.Result) -> Metrics:
    """The compared metrics of a run; the first queue is the bottleneck's."""
    first = result.queue.row(0, named=True)
    return {
        "mean_queue": first["backlog_mean_packets"],
        "loss": first["loss_ratio"],
        "utilisation": first["utilisation"],
        "mark_ratio": first["mark_ratio"],
    }


def _toml(value: object) -> str:
    return str(value).lower()
