"""Measurements of known lines: a test of a tool, simulated, as the file that the tool would write."""

from __future__ import annotations

import gzip
import json
import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sojourn
from sojourn._rooms._base.toml import document
from sojourn._rooms.line.links import LINKS
from sojourn._rooms.line.question import Line
from sojourn._rooms.line.shapers import on_wire
from sojourn._rooms.scenario.scenario import Scenario

STARTS_S, LASTS_S, REST_S = 6, 20, 2
_TCP = {"kind": "tcp", "profile": "linux", "packet": "1500B", "control": "cubic"}
_MSS = 1448


@dataclass(frozen=True)
class Known:
    """A line, and the test of it."""

    line: Line
    flows: int
    seed: int


def known_lines(count: int, of: int = 49) -> list[Known]:
    """Lines of all kinds: 1 to 40 Mbit/s up, 1 to 5 times as much down, 5 to 120 ms, buffers of 40 to 600 ms."""
    draw = random.Random(of)
    found = []
    for seed in range(1, count + 1):
        up = 10 ** draw.uniform(6.0, 7.6)
        line = Line(
            int(up),
            int(up * draw.uniform(1.0, 5.0)),
            round(draw.uniform(0.005, 0.12), 4),
            draw.choice(["ethernet", "docsis", "vdsl", "adsl"]),
            round(10 ** draw.uniform(-1.4, -0.22), 4),
            down_buffer_s=round(10 ** draw.uniform(-1.4, -0.22), 4),
        )
        found.append(Known(line, draw.choice([4, 6, 8]), seed))
    return found


def tested(known: Known, *ways: str) -> Any:
    """A run with transfers in these directions from 6 s to 26 s, and pings of 20 a second from the start to the end."""
    line, kind = known.line, LINKS[known.line.link]
    (up, down), ends = line.queues("modem"), {"up": "forward", "down": "backward"}
    flows: list[Mapping[str, Any]] = []
    for way in ways:
        start = {"at": f"{STARTS_S}s", "spread": "100ms"}
        stop = f"{STARTS_S + LASTS_S}s"
        flow = {"name": f"{way}load", "direction": ends[way], "count": known.flows, "transport": _TCP}
        flows.append({**flow, "start": start, "stop": stop})
    for way, direction in ends.items():
        app = {"kind": "cbr", "rate": "8960bit"}
        udp = {"kind": "udp", "packet": "56B"}
        flows.append({"name": f"ping_{way}", "direction": direction, "transport": udp, "app": app})
    content = {
        "title": "A test of a known line",
        "duration": f"{STARTS_S + LASTS_S + REST_S}s",
        "warmup": "1s",
        "dumbbell": {
            "rate": f"{line.up_bps}bit",
            "reverse_rate": f"{line.down_bps}bit",
            "delay": f"{line.rtt_s / 2.0 * 1e9:.0f}ns",
            "queue": up,
            "reverse_queue": down,
            "overhead": f"{kind.overhead}B",
            "mpu": f"{kind.mpu}B",
            "cells": kind.cells,
            "access": {"rate": "10Gbit"},
        },
        "flow": flows,
        "record": {"throughput": "200ms", "cwnd": "200ms"},
    }
    return sojourn.run(Scenario.from_toml(document(content), file="known.toml"), seed=known.seed)


def flent_file(known: Known, folder: Path, *ways: str) -> Path:
    """As Sojourn exports it, with the payload of TCP as Flent counts it."""
    data = sojourn.exports.flent(tested(known, *ways), filename="x.flent.gz")
    data["metadata"]["NOTE"] = ""
    for name, values in data["results"].items():
        if name.startswith("TCP "):
            data["results"][name] = [None if one is None else one * _MSS / 1500 for one in values]
    path = folder / f"{'_'.join(ways)}.flent.gz"
    path.write_bytes(gzip.compress(json.dumps(data).encode()))
    return path


def iperf3_file(known: Known, folder: Path, way: str) -> Path:
    """As iperf3 of the user's end writes it: round trips for uploads alone, receiver's rates for downloads."""
    run = tested(known, way)
    rates = run.table("rate")
    groups = dict(run.table("flow").select("flow", "group").iter_rows())
    own = [flow for flow, group in groups.items() if group == f"{way}load"]
    windows = run.table("window")
    intervals = []
    received = 0.0
    for second in range(LASTS_S):
        first, last = STARTS_S + second, STARTS_S + second + 1
        rows = rates.filter((rates["time_s"] > first + 1e-6) & (rates["time_s"] <= last + 1e-6))
        rows = rows.filter(rows["flow"].is_in(own))
        bps = float(rows["throughput_bps"].sum()) / 5.0 * _MSS / 1500
        received += bps
        streams = []
        for flow in own:
            near = windows.filter((windows["flow"] == flow) & (windows["time_s"] <= last + 1e-6))
            stream: dict[str, Any] = {"start": second, "end": second + 1, "sender": way == "up"}
            if way == "up" and len(near) and math.isfinite(near["srtt_ms"][-1]):
                stream["rtt"] = int(1e3 * near["srtt_ms"][-1])
            streams.append(stream)
        intervals.append({"streams": streams, "sum": {"start": second, "end": second + 1, "bits_per_second": bps}})
    test = {
        "protocol": "TCP",
        "num_streams": known.flows,
        "reverse": int(way == "down"),
        "duration": LASTS_S,
        "omit": 0,
    }
    data = {
        "start": {"test_start": test, "tcp_mss_default": _MSS},
        "intervals": intervals,
        "end": {
            "sum_received": {"bits_per_second": received / LASTS_S, "seconds": LASTS_S},
            "sum_sent": {"retransmits": 1},
            "sender_tcp_congestion": "cubic",
        },
    }
    path = folder / f"{way}.json"
    path.write_text(json.dumps(data))
    return path


def truth(line: Line) -> dict[str, float]:
    """The numbers of a line as estimates name them; a buffer of bytes of IP makes a packet wait longer on the line."""
    longer = on_wire(1500, LINKS[line.link]) / 1500
    return {
        "up_bps": line.up_bps,
        "down_bps": line.down_bps,
        "rtt_s": line.rtt_s,
        "buffer_up_s": line.buffer_s * longer,
        "buffer_down_s": (line.down_buffer_s or line.buffer_s) * longer,
    }
