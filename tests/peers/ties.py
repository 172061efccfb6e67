"""Arrivals and departures at one moment: three Tahoe flows over a drop tail, in ns-2 and here, over several seeds.

    python tests/peers/ties.py [--seeds 12]

prints kbit/s of each flow, and how many standard errors of the difference both are apart.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from collections.abc import Sequence
from pathlib import Path

import sojourn

SCRIPT = Path(__file__).resolve().parent / "ns2_ties.tcl"
CASES = {
    # In slow start each acknowledgement comes one packet time after the one before, so that the packets it releases
    # reach the queue at the moment at which it sends one. Access delays decide which of the two was scheduled first.
    "near 2, 24, 46 ms": {"near": (2, 24, 46), "far": (5, 5, 5), "middle": 31},
    "far 5, 27, 49 ms": {"near": (2, 2, 2), "far": (5, 27, 49), "middle": 31},
    "near 17 ms": {"near": (17, 17, 17), "far": (5, 27, 49), "middle": 16},
}
"""One-way delays in ms: of the access links at the senders and at the receivers, and of the bottleneck."""

Case = dict[str, object]


def ns2(case: Case, seed: int) -> list[float]:
    """kbit/s of each flow in one run of ns-2."""
    delays = [f"{key}={','.join(map(str, case[key]))}" for key in ("near", "far")]
    done = subprocess.run(
        ["ns", str(SCRIPT), *delays, f"middle={case['middle']}", f"seed={seed}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def scenario(case: Case, queue: str) -> sojourn.Scenario:
    """The same network here."""
    link = 'rate = "11Mbit", delay = "{}ms", queue = {{ kind = "fifo", limit = "100000p" }}'
    hosts, links, flows = [], [], []
    for i, (near, far) in enumerate(zip(case["near"], case["far"], strict=True)):
        hosts += [f'{{ name = "s{i}" }}', f'{{ name = "d{i}" }}']
        for a, b, delay in ((f"s{i}", "l", near), ("r", f"d{i}", far)):
            links.append(f'{{ from = "{a}", to = "{b}", {link.format(delay)} }}')
        flows.append(
            f'[[flow]]\nname = "f{i}"\nfrom = "s{i}"\nto = "d{i}"\nstart = {{ at = "0s", spread = "7s" }}\n'
            'transport = { kind = "tcp", profile = "ns2", recovery = "tahoe", control = "reno", window = "60p", '
            'packet = "700B", rto_min = "0.2s" }'
        )
    for a, b, kind in (("l", "r", queue), ("r", "l", '{ kind = "fifo", limit = "100000p" }')):
        more = f'rate = "1.1Mbit", delay = "{case["middle"]}ms", queue = {kind}, mean_packet = "700B"'
        name = ', name = "middle"' if a == "l" else ""
        links.append(f'{{ from = "{a}", to = "{b}"{name}, {more}, duplex = false }}')
    hosts += ['{ name = "l" }', '{ name = "r" }']
    return sojourn.Scenario.from_toml(
        f'duration = "300s"\nwarmup = "50s"\nnode = [{", ".join(hosts)}]\nlink = [{", ".join(links)}]\n'
        + "\n".join(flows)
    )


def ours(case: Case, seeds: Sequence[int], ties: str = "scheduled") -> list[list[float]]:
    """kbit/s of each flow, with headers, of runs with these seeds."""
    queue = f'{{ kind = "fifo", preset = "ns2", limit = "9p", ties = "{ties}" }}'
    study = sojourn.replicate(scenario(case, queue), seeds=seeds)
    return [[value / 1e3 for value in result.flow.sort("flow")["throughput_bps"]] for _, result in study.results]


def apart(theirs: Sequence[float], own: Sequence[float]) -> float:
    """The difference of two means in standard errors."""
    error = (statistics.variance(theirs) / len(theirs) + statistics.variance(own) / len(own)) ** 0.5
    return (statistics.fmean(own) - statistics.fmean(theirs)) / error


def main() -> None:
    """Print all cases."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=12)
    seeds = range(1, parser.parse_args().seeds + 1)
    for name, case in CASES.items():
        theirs = [ns2(case, seed) for seed in seeds]
        print(f"{name}: ns-2", *(f"{statistics.fmean(flow):.0f}" for flow in zip(*theirs, strict=True)))
        for ties in ("scheduled", "clock"):
            own = ours(case, seeds, ties)
            means = [f"{statistics.fmean(flow):.0f}" for flow in zip(*own, strict=True)]
            errors = [
                f"{apart(a, b):+.1f}" for a, b in zip(zip(*theirs, strict=True), zip(*own, strict=True), strict=True)
            ]
            print(f"  {ties}:", *means, "standard errors", *errors)


if __name__ == "__main__":
    main()
