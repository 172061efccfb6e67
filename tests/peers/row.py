"""Several bottlenecks in a row as a graph of ours; ns2_dumbbell.tcl describes the topology."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ns2 import Setting

PLAIN = 'queue = { kind = "fifo", preset = "ns2", limit = "100000p" }, observed = false'


def network(setting: Setting, queue: str) -> str:
    """The routers, with this queue on each link forward, and the hosts of each flow."""
    hops = int(setting["hops"])
    delay = f"{float(setting['rtt_ms']) / 4 / hops:.9g}ms"
    links = [
        _link(
            f"r{hop}",
            f"r{hop + 1}",
            setting["rate_mbit"],
            delay,
            setting,
            f'name = "bottleneck-{hop + 1}", queue = {queue}',
        )
        for hop in range(hops)
    ]
    links += [_link(f"r{hop + 1}", f"r{hop}", setting["rate_mbit"], delay, setting, PLAIN) for hop in range(hops)]
    nodes = [f"r{hop}" for hop in range(hops + 1)]
    for name, own, first, last in _flows(setting):
        nodes += [f"{name}-from", f"{name}-to"]
        for host, router in ((f"{name}-from", f"r{first}"), (f"{name}-to", f"r{last}")):
            links += [
                _link(a, b, setting["access_mbit"], own, setting, PLAIN) for a, b in ((host, router), (router, host))
            ]
    listed = "\n".join(f'    {{ name = "{node}" }},' for node in nodes)
    return f"node = [\n{listed}\n]\nlink = [\n" + "\n".join(links) + "\n]\n"


def _link(a: str, b: str, rate: object, delay: str, setting: Setting, rest: str) -> str:
    return (
        f'    {{ from = "{a}", to = "{b}", rate = "{rate}Mbit", delay = "{delay}", duplex = false, '
        f'mean_packet = "{setting["packet"]}B", {rest} }},'
    )


def flows(setting: Setting, transport: Callable[[Setting, str, str], str]) -> Iterator[str]:
    """Each flow between hosts of its own: those that cross all bottlenecks, and SACK across one each."""
    for name, _, _, _ in _flows(setting):
        law = str(setting["tcp"]) if name.startswith("bulk") else "sack"
        yield f"""
[[flow]]
name = "{name}"
from = "{name}-from"
to = "{name}-to"
app = "bulk"
start = {{ at = "0s", spread = "{setting["start_spread"]}s" }}
transport = {transport(setting, law, "reno")}
"""


def _flows(setting: Setting) -> Iterator[tuple[str, str, int, int]]:
    """Name, delay of an access link, first and last router of each flow."""
    hops = int(setting["hops"])
    groups = [("bulk", setting["flows"], 1.0, 0, hops)]
    groups += [(f"cross-{hop + 1}", setting["cross"], 0.85, hop, hop + 1) for hop in range(hops)]
    for group, count, part, first, last in groups:
        for i in range(int(count)):
            share = 2.0 * i / (int(count) - 1) - 1.0 if int(count) > 1 else 0.0
            delay = float(setting["rtt_ms"]) * (0.5 + part * float(setting["rtt_spread"]) * share) / 4
            yield f"{group}-{i}", f"{delay:.9g}ms", first, last
