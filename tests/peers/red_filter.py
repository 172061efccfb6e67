"""The filter before RED against ns-2's (`Queue/RED/PD` with `monitor-flow`), on one dumbbell.

    python tests/peers/red_filter.py [--seeds 20]

prints the means of both sides with their 99 % intervals. Topology and metrics are those of ns2_red_filter.tcl.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import ours
from ns2 import Metrics, Ns2Error, Setting, available

import sojourn
from sojourn.stats import Interval, mean_interval

SCRIPT = Path(__file__).resolve().parent / "ns2_red_filter.tcl"
METRICS = ("loss", "share", "own_loss")

COMMON: Setting = {
    "flows": 8,
    "blasts": 0,
    "blast_kbit": 800,
    "filtered": "tcp",
    "p": 0.05,
    "unresponsive": 0,
    "noidle": 0,
    "rate_mbit": 4,
    "access_mbit": 100,
    "rtt_ms": 60,
    "rtt_spread": 0.2,
    "limit": 100,
    "min": 10,
    "max": 30,
    "max_p": 0.1,
    "w_q": 0.002,
    "wait": 1,
    "packet": 1000,
    "start_spread": 1,
    "duration": 100,
    "warmup": 20,
}

SETTINGS: dict[str, Setting] = {
    "a tcp flow": {},
    "a tcp flow, hard": {"p": 0.2},
    "a blast": {"blasts": 1, "filtered": "udp", "p": 0.1},
    "a blast that does not respond": {"blasts": 1, "filtered": "udp", "p": 0.1, "unresponsive": 1},
    "a blast on an idle link": {"flows": 1, "blasts": 1, "filtered": "udp", "p": 0.3, "unresponsive": 1, "noidle": 1},
}


def theirs(setting: Setting, seed: int) -> Metrics:
    """A run of ns-2."""
    if not available():
        raise Ns2Error("ns-2 is not installed: no program `ns` found (Debian and Ubuntu: apt install ns2)")
    command = ["ns", str(SCRIPT), *(f"{key}={value}" for key, value in setting.items()), f"seed={seed}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return json.loads(next(line for line in done.stdout.splitlines() if line.startswith("{")))
    except (StopIteration, json.JSONDecodeError):
        raise Ns2Error(f"seed {seed}: ns exit {done.returncode}: {(done.stderr or done.stdout).strip()}") from None


def scenario_text(setting: Setting) -> str:
    """The same as a scenario file."""
    named = 0 if setting["filtered"] == "tcp" else setting["flows"]
    spares = ("idle" if setting["noidle"] else "never") if setting["unresponsive"] else "short"
    red = f'limit = "{setting["limit"]}p", min_th = "{setting["min"]}p", max_th = "{setting["max"]}p", '
    red += f"max_p = {setting['max_p']}, w_q = {setting['w_q']}"
    own = f'flows = [{named}], probability = {setting["p"]}, from = "{setting["warmup"]}s", until = "auto"'
    soon = f'{{ at = "0s", spread = "{setting["start_spread"]}s" }}'
    tcp = f'{{ kind = "tcp", profile = "ns2", recovery = "sack", window = "1000p", packet = "{setting["packet"]}B" }}'
    blast = f'{{ kind = "cbr", rate = "{setting["blast_kbit"]}kbit", jitter = 0.5 }}'
    datagrams = f'{{ kind = "udp", packet = "{setting["packet"]}B" }}'
    groups = ours.flow("tcp", 1, '"bulk"', soon, tcp).replace("count = 1", f"count = {setting['flows']}")
    if setting["blasts"]:
        groups += ours.flow("udp", setting["blasts"], blast, soon, datagrams)
    return f"""
title = "The filter before RED"
duration = "{setting["duration"]}s"
warmup = "{setting["warmup"]}s"

[dumbbell]
rate = "{setting["rate_mbit"]}Mbit"
delay = "{float(setting["rtt_ms"]) / 4:.9g}ms"
mean_packet = "{setting["packet"]}B"
queue = {{ kind = "red_filter", preset = "ns2", mode = "packets", {red}, {own}, spares = "{spares}" }}
reverse_queue = {{ kind = "fifo", preset = "ns2", limit = "100000p" }}
access = {ours.access(setting)}
{groups}"""


def measured(setting: Setting, result: sojourn.Result) -> Metrics:
    """The measurements of ns2_red_filter.tcl."""
    named = 0 if setting["filtered"] == "tcp" else int(setting["flows"])
    flows = result.flow
    return {
        "loss": float(result.queue["loss_ratio"][0]),
        "share": float(flows["throughput_bps"][named] / flows["throughput_bps"].sum()),
        "own_loss": float(flows["loss_ratio"][named]),
    }


def compare(name: str, seeds: Sequence[int]) -> dict[str, tuple[Interval, Interval]]:
    """Means of both sides with 99 % intervals, ns-2's first, by metric."""
    return beside(name, [theirs(COMMON | SETTINGS[name], seed) for seed in seeds], seeds)


def beside(name: str, peer: Sequence[Metrics], seeds: Sequence[int]) -> dict[str, tuple[Interval, Interval]]:
    """The same for runs of ns-2 that are there."""
    setting = COMMON | SETTINGS[name]
    scenario = sojourn.Scenario.from_toml(scenario_text(setting))
    mine = [measured(setting, result) for _, result in sojourn.replicate(scenario, seeds=seeds).results]
    return {
        metric: (
            mean_interval([run[metric] for run in peer], level=0.99),
            mean_interval([run[metric] for run in mine], level=0.99),
        )
        for metric in METRICS
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare the filter before RED with ns-2's.")
    parser.add_argument("--seeds", type=int, default=20, help="seeds 1 to this number (default 20)")
    for name in SETTINGS:
        for metric, (peer, mine) in compare(name, range(1, parser.parse_args().seeds + 1)).items():
            apart = mine.mean / peer.mean - 1.0
            print(
                f"{name:30} {metric:9} ns-2 {peer.mean:.5f} +- {peer.half_width:.5f}, "
                f"ours {mine.mean:.5f} +- {mine.half_width:.5f} ({apart:+.2%})"
            )


if __name__ == "__main__":
    main()
