"""The effect on RED's mean queue of how idle times of whole packets are counted.

    python tests/peers/red_idle.py [red-ecn-5] [--seeds 20]

RED lets its average decay for int(idle time / time of a packet) packets. Two packets of one flow come whole
packet times apart, so that a link is often idle for exactly so many. ns-2 computes the quotient in floating-
point seconds, where most of these come out a little short: one packet less counts. Ours counts exactly, or
with `idle_decay = "ns2_short"` one less for each of these.
"""

from __future__ import annotations

import argparse
import sys

import ns2
import ours

import sojourn
from sojourn.stats import mean_interval


def main() -> int:
    parser = argparse.ArgumentParser(description="RED's mean queue with idle times counted exactly and a packet short.")
    parser.add_argument("setting", nargs="?", default="red-ecn-5")
    parser.add_argument("--seeds", type=int, default=20)
    options = parser.parse_args()
    text = ours.scenario_text(ns2.load_settings()[options.setting])
    queue = 'kind = "red"'
    if queue not in text:
        parser.error(f"{options.setting} has no queue with {queue}")
    texts = {"exact": text, "a packet short": text.replace(queue, f'{queue}, idle_decay = "ns2_short"')}
    scenarios = {name: sojourn.Scenario.from_toml(each) for name, each in texts.items()}
    done = sojourn.study(scenarios, seeds=range(1, options.seeds + 1), workers=1)
    queues = {name: [run.queue["backlog_mean_packets"][0] for run in done.of(name)] for name in texts}
    for name, values in queues.items():
        print(f"{name}: {mean_interval(values, level=0.99)}")
    differences = [short - exact for exact, short in zip(*queues.values(), strict=True)]
    print(f"difference: {mean_interval(differences, level=0.99)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
