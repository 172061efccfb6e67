"""Sojourn's reading of a line of tc, in the numbers that `tc qdisc show` would print.

The kernel keeps times in units of its own, and prints what follows from them: CoDel in units of 1024 ns, PIE in ticks
of 64 ns, of which 32 bits are shown. Here the resolved parameters of a queue get the same units.

    python evidence/linux/programs/words_here.py        counts answers; lists all lines that differ
"""

from __future__ import annotations

import collections
import functools
import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from words import FILE

from sojourn import _core
from sojourn._rooms._base.toml import inline
from sojourn._rooms.scenario import ScenarioError
from sojourn._rooms.scenario.tc_line import tc_queue
from sojourn._rooms.scenario.tc_rules import ETHERNET, weight

Shown = dict[str, Any]
# Keys that say nothing about the queue here: words that Sojourn refuses, takes without effect, or does not need.
UNSAID = {
    "pie": {"bytemode", "dq_rate_estimator"},
    "fq_pie": {"memory_limit", "ecn_prob", "bytemode", "dq_rate_estimator"},
    "red": {"adaptive", "nodrop"},
    "choke": {"adaptive", "nodrop", "harddrop"},
    "sfq": {"adaptive", "nodrop"},
    "cake": {"nat", "fwmark", "split_gso"},
    "tbf": {"mtu"},
    "prio": {"multiqueue"},
    "fq": {"buckets", "timer_slack", "horizon", "horizon_drop", "horizon_cap", "pacing", "low_rate_threshold"},
}
# The oracle's kernel has no connection tracking, so that it refuses even `nonat`.
NO_ANSWER = "Error: No conntrack support in kernel."
# A digit more than tc prints.
PRINTED = 1e-5


def resolved(line: str) -> dict[str, Any]:
    """The parameters of the queue of this line, as a scenario gets them."""
    settings = ", ".join(f"{key} = {inline(value)}" for key, value in tc_queue(line).items())
    text = (
        'duration = "10s"\nnode = [{ name = "a" }, { name = "b" }]\nflow = [{ from = "a", to = "b" }]\n'
        'link = [{ from = "a", to = "b", rate = "10Mbit", delay = "1ms", duplex = true, queue = '
        f"{{ {settings} }} }}]\n"
    )
    found: dict[str, Any] = json.loads(_core.resolve_toml(text, "words.toml", [], [])[0])["link"][0]["queue"]
    return found


def us(value: Any) -> int:
    """A time in whole microseconds."""
    return int(round(_core.seconds(str(value)) * 1e9) // 1000)


def packets(value: Any) -> int:
    """A number of packets."""
    return int(str(value).removesuffix("p"))


def size(value: Any) -> int:
    """A number of bytes."""
    return int(_core.byte_count(str(value)))


def codel_us(value: Any) -> int:
    """A time of CoDel."""
    return ((us(value) * 1000 >> 10) << 10) // 1000


def pie_us(value: Any) -> int:
    """PIE's target: 64-ns ticks, of whose nanoseconds 32 bits are shown."""
    return (us(value) * 1000 >> 6 << 6) % 2**32 // 1000


def quantum(queue: Shown) -> int:
    """Bytes of a turn: with the numbers of the kernel the law takes at least 256."""
    return max(size(queue["quantum"]), 256)


def on(value: Any) -> bool | None:
    """A flag that is shown if it is set."""
    return True if value else None


def codel(queue: Shown) -> Shown:
    """Of codel and fq_codel."""
    threshold = queue["ce_threshold"]
    return {
        "limit": packets(queue["limit"]),
        "target": codel_us(queue["target"]),
        "interval": codel_us(queue["interval"]),
        "ce_threshold": None if threshold == "auto" else codel_us(threshold),
        "ecn": on(queue["ecn"]),
    }


def selector(queue: Shown) -> Shown:
    """Of `ce_threshold`, with which alone it is shown, unless both are 0."""
    if queue["ce_threshold"] == "auto" or not (queue["ce_selector"] or queue["ce_mask"]):
        return {}
    return {"ce_threshold_selector": queue["ce_selector"], "ce_threshold_mask": queue["ce_mask"]}


def fq_codel(queue: Shown) -> Shown:
    """With its queues."""
    return codel(queue) | {
        "flows": queue["flows"],
        "quantum": quantum(queue),
        "memory_limit": size(queue["memory_limit"]),
        "drop_batch": queue["drop_batch"],
        **selector(queue),
    }


def pie(queue: Shown) -> Shown:
    """A tick of the kernel is 1 ms."""
    return {
        "limit": packets(queue["limit"]),
        "target": pie_us(queue["target"]),
        "tupdate": -(-us(queue["tupdate"]) // 1000) * 1000,
        "alpha": queue["alpha"],
        "beta": queue["beta"],
        "ecn": on(queue["ecn"]),
    }


def fq_pie(queue: Shown) -> Shown:
    """With its queues."""
    gains = {name: queue[name] * 16 for name in ("alpha", "beta")}
    numbers = {**queue, **gains, "tupdate": queue["interval"]}
    return pie(numbers) | {"flows": queue["flows"], "quantum": quantum(queue)}


def red(queue: Shown) -> Shown:
    """Thresholds in bytes or in packets."""
    in_bytes = str(queue["min"]).endswith("B")
    unit = size if in_bytes else packets
    least, most, mean = unit(queue["min"]), unit(queue["max"]), size(queue["avpkt"]) if in_bytes else 1
    burst = (2 * least + most) // (3 * mean) if queue["burst"] == "auto" else queue["burst"]
    w_q = weight(burst, least, mean)
    return {
        "limit": unit(queue["limit"]),
        "min": least,
        "max": most,
        "ecn": queue["ecn"],
        "harddrop": queue.get("harddrop", False),
        "ewma": -math.log2(w_q),
        "probability": queue["probability"],
        "Scell_log": cell_log(queue, w_q),
    }


def cell_log(queue: Shown, w_q: float) -> int:
    """The unit of RED's table of idle times, which reaches 31 halves of the average in less than 512 of them."""
    rate = _core.bits_per_second(str(queue["bandwidth"])) // 8
    # tc 6.1 computes with whole microseconds and whole ticks.
    ticks = int(15.625 * int(1e6 * size(queue["avpkt"]) / rate))
    longest = -31 * ticks / math.log(1 - w_q)
    return min(max(math.floor(math.log2(longest / 512)) + 1, 0), 31) if ticks else 0


def sfb(queue: Shown) -> Shown:
    """Probabilities have 16 bits."""
    steps = {word: int(queue[word] * 65535 + 0.5) / 65535 for word in ("increment", "decrement")}
    return {
        "rehash": us(queue["rehash"]),
        "db": us(queue["db"]),
        "limit": packets(queue["limit"]),
        **steps,
        **{word: queue[word] for word in ("target", "max", "penalty_rate", "penalty_burst")},
    }


def sfq(queue: Shown) -> Shown:
    """With RED in each queue. The law has Linux's bounds: 127 packets in each of at most 128 queues."""
    depth, flows = min(queue["depth"], 127), min(queue["flows"], queue["queues"])
    limit = min(packets(queue["limit"]), depth * flows)
    found = {
        "limit": limit,
        "quantum": quantum(queue),
        "depth": depth,
        "divisor": queue["queues"],
        # As many packets have no more flows.
        "flows": min(flows, limit),
        "perturb": us(queue["perturb"]) // 10**6 or None,
        "headdrop": on(queue["drop_from"] == "front"),
    }
    if queue["red_min"] == "auto":
        return found
    return found | {
        "min": size(queue["red_min"]),
        "max": size(queue["red_max"]),
        "probability": queue["red_max_p"],
        "ewma": -math.log2(queue["red_w_q"]),
        "ecn": queue["ecn"],
        "harddrop": queue["hard_drop"],
    }


PATHS = {
    "datacentre": 100, "lan": 1000, "metro": 10_000, "regional": 30_000, "internet": 100_000, "oceanic": 300_000,
    "satellite": 1_000_000, "interplanetary": 1_000_000_000,
}  # fmt: skip
FILTERS = {"off": "disabled", "filter": "enabled", "aggressive": "aggressive"}


def bits(value: Any) -> int:
    """A rate in bit/s."""
    return int(_core.bits_per_second(str(value)))


def cake(queue: Shown) -> Shown:
    """Rates in bytes per second."""
    rate = queue["bandwidth"]
    return {
        "bandwidth": "unlimited" if rate == "auto" else bits(rate) // 8 or "unlimited",
        "diffserv": queue["tins"],
        "flowmode": queue["isolation"],
        "wash": queue["wash"],
        "ingress": queue["ingress"],
        "autorate": "autorate-ingress" if queue["autorate_ingress"] else None,
        "ack-filter": FILTERS[queue["ack_filter"]],
        "rtt": PATHS[queue["path"]] if queue["rtt"] == "auto" else us(queue["rtt"]),
        "memlimit": None if queue["memory_limit"] == "auto" else size(queue["memory_limit"]),
        **link_layer(queue),
    }


def link_layer(queue: Shown) -> Shown:
    """Bytes that are added; a keyword of the link layer has them, or the line says each."""
    keyword = queue["link_layer"]
    adds, least, framing = LAYERS[keyword]
    given = queue["overhead"], queue["mpu"], queue["framing"]
    overhead, mpu, framing = (
        of if own == "auto" else own for own, of in zip(given, (adds, least, framing), strict=True)
    )
    return {"overhead": overhead, "mpu": mpu or None, "atm": framing or "noatm"}


# As tc's manual page has them.
LAYERS: dict[str, tuple[int, int, str]] = {
    "raw": (0, 0, ""), "conservative": (48, 0, "atm"), "ethernet": (38, 84, ""), "docsis": (18, 64, ""),
    "pppoe-ptm": (30, 0, "ptm"), "bridged-ptm": (22, 0, "ptm"), "ipoa-vcmux": (8, 0, "atm"),
    "ipoa-llcsnap": (16, 0, "atm"), "bridged-vcmux": (24, 0, "atm"), "bridged-llcsnap": (32, 0, "atm"),
    "pppoa-vcmux": (10, 0, "atm"), "pppoa-llc": (14, 0, "atm"), "pppoe-vcmux": (32, 0, "atm"),
    "pppoe-llcsnap": (40, 0, "atm"),
}  # fmt: skip


# Longer bursts have more than 32 bits of ticks, and tc shows the remainder; the kernel has the bytes.
LONGEST_BURST_S = 2**32 * 64e-9


def tbf(queue: Shown) -> Shown:
    """tc sends the limit in bytes, and shows the time that the rate takes for what exceeds the burst."""
    rate, limit, overhead = bits(queue["rate"]), size(queue["queue"]["limit"]), size(queue["overhead"]) - ETHERNET
    layer, burst = queue["cells"].replace("none", "ethernet"), size(queue["burst"]) - overhead
    shown = {"rate": rate // 8, "mpu": size(queue["mpu"]), "overhead": overhead, "linklayer": layer}
    if burst * 8 / rate > LONGEST_BURST_S or overhead or layer != "ethernet":
        # tc shows a burst with some overhead of its own.
        return shown
    # tc keeps the time of a burst in whole microseconds, and rounds twice.
    near = burst, 2 * rate / 8e6 + 2
    return {**shown, "burst": near} | ({"limit": limit} if limit < burst else {"lat": (limit - burst) * 8e6 / rate})


def priomap(queue: Shown, rest: list[int]) -> list[int]:
    """The bands of all 16 priorities."""
    said: list[int] = queue["priomap"]
    return said + rest[len(said) :]


def prio(queue: Shown) -> Shown:
    """Its own map has three bands."""
    return {"bands": queue["bands"], "priomap": priomap(queue, [1, 2, 2, 2, 1, 2, 0, 0] + [1] * 8)}


def ets(queue: Shown) -> Shown:
    """Bands without a quantum have the MTU."""
    bands, strict, quanta = queue["bands"], queue["strict"], [size(value) for value in queue["quanta"]]
    turns = [min(max(value, 256), 1 << 20) for value in quanta] + [1514] * (bands - strict - len(quanta))
    return {"bands": bands, "strict": strict, "quanta": turns or None, "priomap": priomap(queue, [bands - 1] * 16)}


def ticks_us(value: Any) -> int:
    """A time in whole ticks of 1 ms."""
    return -(-us(value) // 1000) * 1000


def fq(queue: Shown) -> Shown:
    """Rates are in bytes per second."""
    rate, threshold = queue["maxrate"], queue["ce_threshold"]
    return {
        "limit": packets(queue["limit"]),
        "flow_limit": queue["flow_limit"],
        "orphan_mask": queue["orphan_mask"],
        "quantum": min(quantum(queue), 1 << 20),
        "initial_quantum": size(queue["initial_quantum"]),
        "maxrate": None if rate == "auto" else bits(rate) // 8,
        "refill_delay": ticks_us(queue["refill_delay"]),
        "ce_threshold": None if threshold == "auto" else us(threshold),
    }


def hhf(queue: Shown) -> Shown:
    """Times are in whole ticks."""
    return {
        "limit": packets(queue["limit"]),
        "quantum": quantum(queue),
        "admit_bytes": size(queue["admit_bytes"]),
        **{name: queue[name] for name in ("hh_limit", "non_hh_weight")},
        **{name: ticks_us(queue[name]) for name in ("reset_timeout", "evict_timeout")},
    }


CONVERTED: Mapping[str, Callable[[Shown], Shown]] = {
    "pfifo": lambda queue: {"limit": packets(queue["limit"])},
    "pfifo_head_drop": lambda queue: {"limit": packets(queue["limit"])} if queue["overflow"] == "drop_front" else {},
    "bfifo": lambda queue: {"limit": size(queue["limit"])},
    "codel": codel,
    "fq_codel": fq_codel,
    "pie": pie,
    "fq_pie": fq_pie,
    "red": red,
    "choke": red,
    "sfb": sfb,
    "sfq": sfq,
    "cake": cake,
    "tbf": tbf,
    "prio": prio,
    "ets": ets,
    "fq": fq,
    "hhf": hhf,
    "skbprio": lambda queue: {"limit": packets(queue["limit"])},
}


def here(line: str) -> Shown | str:
    """The numbers here, or the message of a refusal."""
    try:
        return CONVERTED[line.split()[0]](resolved(line))
    except ScenarioError as error:
        return str(error)


@functools.cache
def answers() -> dict[str, tuple[str, Shown | str]]:
    """For each line the queue, and tc's answer with all that is shown."""
    found: dict[str, tuple[str, Shown | str]] = {}
    for kind, of in json.loads(FILE.read_text()).items():
        for line, said in of["lines"].items():
            if said != NO_ANSWER:
                found[line] = kind, said if isinstance(said, str) else {**of["shown"], **said}
    return found


def bytes_of_tbf(text: str) -> tuple[float, float]:
    """A size as tc prints it, and half of its last digit."""
    found = re.match(r"(\d+)(Kb|Mb|b)", text)
    assert found, text
    unit = {"b": 1, "Kb": 1024, "Mb": 1024**2}[found[2]]
    return float(found[1]) * unit, unit / 2


def same(kind: str, key: str, shown: Any, ours: Any) -> bool:
    """Whether two shown values are the same."""
    if kind == "tbf" and key == "burst":
        value, half = bytes_of_tbf(shown)
        return bool(abs(value - ours[0]) <= half + ours[1])
    if kind == "tbf" and key == "lat" and None not in (shown, ours):
        return bool(abs(shown - ours) <= 3)
    if isinstance(shown, float):
        return ours is not None and bool(abs(shown - ours) <= PRINTED * shown)
    nothing = (None, 0, False, "noatm")
    return bool(shown == ours or (shown in nothing and ours in nothing))


def difference(line: str) -> str:
    """In words; nothing if both read the line alike, or refuse it."""
    kind, said = answers()[line]
    try:
        ours = here(line)
    except (ArithmeticError, ValueError, OverflowError) as error:
        return f"fails here: {type(error).__name__}"
    if isinstance(said, str):
        return "" if isinstance(ours, str) else f"taken here, and tc says: {said}"
    if isinstance(ours, str):
        return f"refused here: {ours.partition(': ')[2].splitlines()[0]}"
    if kind == "cake":
        # Where it shows raw, the kernel counts frames: the IP packets of Sojourn, and the header of Ethernet.
        frames = {"overhead": said["overhead"] + ETHERNET} if said["raw"] else {}
        said = {key: value for key, value in {**said, **frames}.items() if key != "raw"}
    if kind == "sfq":
        said = {**said, "flows": min(said["flows"], said["limit"])}
    keys = [key for key in {**said, **ours} if key not in UNSAID.get(kind, ())]
    if kind == "tbf":
        keys = [key for key in keys if key in ours or key not in {"burst", "lat"}]
    apart = [(key, said.get(key), ours.get(key)) for key in keys if not same(kind, key, said.get(key), ours.get(key))]
    return "; ".join(f"{key} {theirs}, here {own}" for key, theirs, own in apart)


def main() -> None:
    """The command."""
    found = {line: difference(line) for line in answers()}
    for line, text in found.items():
        if text:
            print(f"{line}    {text}")
    kinds = collections.Counter(text.split(":")[0][:12] if text else "same" for text in found.values())
    print(len(found), "lines", dict(kinds.most_common(4)))


if __name__ == "__main__":
    main()
