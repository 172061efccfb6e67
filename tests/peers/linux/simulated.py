"""Our side of the comparison with the kernel: a setting as a scenario, and its measurements."""

from __future__ import annotations

from collections.abc import Sequence

from seen import episodes_of
from settings import Setting

import sojourn

CONTROLS = {
    "cubic": '{ kind = "cubic", preset = "linux" }',
    "reno": '{ kind = "reno" }',
    "bbr": '{ kind = "bbr", preset = "linux" }',
}
"""The kernel's controls that we have, as inline tables."""
RECORDS = "drops = true\npackets = true"


def scenario_text(setting: Setting, switches: str = "", *, record: str = RECORDS) -> str:
    """The setting as a scenario file. `switches` are settings of `tcp` that replace the profile's, each on a line."""
    table = {"control": CONTROLS[setting.control]}
    table |= {"ecn": "true" if setting.marks else "false", "pacing": "true" if setting.pacing else "false"}
    # The forwarder marks or drops data alone: no request for a connection is lost there, and ECN is not given up.
    table |= {"ecn_fallback": "false"} if setting.marks else {}
    for line in filter(None, switches.splitlines()):
        key, _, value = line.partition("=")
        table[key.strip()] = value.replace("KIND", setting.control)
    settings = "\n".join(f"{key} = {value}" for key, value in table.items())
    return f"""
title = "{setting.name}"
duration = "{setting.duration}s"
warmup = "{setting.warmup}s"

[dumbbell]
rate = "{setting.rate_mbit}Mbit"
delay = "{setting.delay_ms}ms"
mean_packet = "{setting.packet}B"
queue = {queue(setting)}
reverse_queue = {{ kind = "fifo", limit = "100000p" }}
# As good as none: the device takes what the kernel sends at once.
access = {{ rate = "100Gbit" }}

[[flow]]
name = "bulk"
count = {setting.flows}
start = {{ at = "0s", spread = "{setting.start_spread}s" }}

[flow.transport]
kind = "tcp"
profile = "linux"
packet = "{setting.packet}B"
header = "{setting.header}B"
ack_size = "{setting.header}B"
{settings}

[record]
{record}
"""


def queue(setting: Setting) -> str:
    """The queue as an inline table."""
    limit = f'limit = "{setting.limit}p"'
    if not setting.marks:
        return f'{{ kind = "fifo", {limit} }}'
    least, greatest, most = setting.marks
    # RED without its average: the backlog decides. A step is a slope that is narrower than a packet. Above the second
    # threshold, where RED would drop all, `gentle` goes on marking.
    least = min(least, greatest - 0.5)
    return (
        f'{{ kind = "red", {limit}, w_q = 1, min_th = "{least}p", max_th = "{greatest}p", '
        f'max_p = {most}, above = "gentle", count = "off", ecn = true, mark_max_p = 2 }}'
    )


def run_all(
    settings: Sequence[Setting], seeds: Sequence[int], switches: str = "", workers: int = 1
) -> list[list[dict[str, float]]]:
    """Every setting with every seed: one list per setting, its entries in the order of `seeds`."""
    scenarios = {each.name: sojourn.Scenario.from_toml(scenario_text(each, switches)) for each in settings}
    done = sojourn.study(scenarios, seeds=seeds, workers=workers)
    return [[metrics(result, each) for result in done.of(each.name)] for each in settings]


def metrics(result: sojourn.Result, setting: Setting) -> dict[str, float]:
    """The compared metrics, as `seen.Trace.metrics` has them."""
    forth = result.queue.row(0, named=True)
    back = result.queue.row(1, named=True)
    goodput = result.flow["goodput_bps"]
    lost = result.drops.filter((result.drops["event"] == "drop") & (result.drops["time_s"] >= setting.warmup))
    drops = list(zip(lost["time_s"].to_list(), lost["flow"].to_list(), strict=True))
    episodes = episodes_of(drops, setting)
    return {
        "mean_queue": forth["backlog_mean_packets"],
        "loss": forth["loss_ratio"],
        "mark_ratio": forth["mark_ratio"],
        "goodput": goodput.sum() / (setting.rate_mbit * 1e6),
        "jain": goodput.sum() ** 2 / (len(goodput) * (goodput**2).sum()),
        "acks": back["arrivals_packets"] / forth["departures_packets"],
        "episodes": float(len(episodes)),
        "drops_per_episode": len(drops) / len(episodes) if episodes else 0.0,
        "flows_per_episode": sum(len({flow for _, flow in each}) for each in episodes) / max(1, len(episodes)),
    }
