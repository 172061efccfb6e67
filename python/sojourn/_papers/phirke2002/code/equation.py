"""The throughput by TFRC's own equation for the losses and delays of a single TFRC flow beside 19 of TCP (P2).

    python papers/phirke2002/code/equation.py [SEEDS]

runs P2's first mix under RED-Boston and under Adaptive RED. It prints the flow's losses, round-trip time and throughput
under either queue. It also prints the ratio of the two throughputs, beside the same ratio by TFRC's equation (RFC 5348
section 3.1) for these losses and round-trip times.
"""

from __future__ import annotations

import statistics
import sys
from pathlib import Path

from sojourn.models import tcp
from sojourn.papers import Context, Results, StudyExperiment, label, load

BACK_S = 0.0501
"""One way of an acknowledgement, which finds no queue: 50 ms of links, and little for its 40 B."""
BASE_MS = 52.4
"""The empty way, which P2 subtracts from delays."""


def main(seeds: int) -> None:
    """Runs both queues and prints a line for each, and the ratios."""
    paper = load("phirke2002")
    studies = {one.name: one.study for one in paper.experiments if isinstance(one.study, StudyExperiment)}
    design = studies["P2"].design
    context = Context(directory=Path(__file__).resolve().parents[1], quick=False)
    carried, expected = [], []
    for queue in ("RED-Boston", "ARED"):
        point = {"class": "delay", "tfrc": "1", "queue": queue}
        scenarios = {label(point): design.scenario_at(context, point)}
        results = Results(
            design, context.metric_study("equation", scenarios, design.run_metrics, seeds=range(1, 1 + seeds))
        )
        means = {name: statistics.fmean(results.sample(name, point)) for name in ("drops", "delay", "throughput")}
        rtt = (means["delay"] + BASE_MS) / 1e3 + BACK_S
        rate = float(tcp.padhye_approximate(means["drops"], rtt, timeout_s=4.0 * rtt)) * 8000.0
        carried.append(means["throughput"])
        expected.append(rate)
        print(
            f"{queue}: loses {100 * means['drops']:.2f} %, round trip {1e3 * rtt:.0f} ms, "
            f"carries {means['throughput'] / 1e3:.0f} kbit/s, by the equation {rate / 1e3:.0f}"
        )
    ours, theirs = (values[0] / values[1] for values in (carried, expected))
    print(f"RED-Boston over Adaptive RED: {ours:.2f}, by the equation {theirs:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
