"""PSAND (Alemu 2004) against its law stepped over ns-2's own RED, in the thesis's topology, with the printed numbers.

    python tests/peers/psand.py [--seeds 10]

prints mean, variance and empty share of the queue and the losses of both sides, of the queue that arrivals find in
ns-2, and of tables 2.2 and 2.3.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ns2 import Metrics

import sojourn
from sojourn.papers import find

SCRIPT = Path(__file__).resolve().parent / "ns2_psand.tcl"
SCENARIO = find()["alemu2004"] / "scenarios" / "topo_same.toml"
PRESETS = {(1.75, 1.5): "paper", (1.0, 1.0): "psand1"}
PRINTED = {
    (0, 1.75): (7.43, 18.65, 0.0593, 0.0101),
    (25, 1.75): (7.87, 33.54, 0.0147, 0.1390),
    (0, 1.0): (10.34, 22.31, 0.0255, 0.0069),
    (25, 1.0): (10.89, 60.00, 0.0188, 0.1357),
}
"""By additional flows and coef: AQS, VQS, P(X = 0) and PLR."""

Run = tuple[float, float, float, float]
"""Mean and variance in packets, empty share, loss."""


def ns2(setting: Mapping[str, float], seed: int) -> tuple[Run, Run]:
    """A run in ns-2: in time, and as arrivals find it (with the losses again)."""
    with tempfile.NamedTemporaryFile() as trace:
        asked = [f"{key}={value:g}" for key, value in setting.items()]
        command = ["ns", str(SCRIPT), *asked, f"seed={seed}", f"trace={trace.name}"]
        done = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout)
        found = [float(line.split()[2]) for line in Path(trace.name).read_text().splitlines()]
    arrivals = (statistics.fmean(found), statistics.pvariance(found), found.count(0.0) / len(found), done["loss"])
    return (done["mean"], done["variance"], done["empty"], done["loss"]), arrivals


NUMBERS = ("mean", "variance", "empty", "loss")


def theirs(setting: Mapping[str, float], seed: int) -> Metrics:
    """The run in time, by the names of its numbers."""
    return dict(zip(NUMBERS, ns2(setting, seed)[0], strict=True))


def name(setting: Mapping[str, float]) -> str:
    """The name of a setting."""
    return f"psand-{'-'.join(map(str, setting.values()))}"


def ours(setting: Mapping[str, float], seed: int) -> Run:
    """The same here."""
    preset = PRESETS[setting["coef"], setting["gamma"]]
    more = int(setting["more"])
    settings = [f'link[0].queue={{ kind = "psand", preset = "{preset}", w_q = 0.0053191 }}']
    settings += [f"flow[3].count={more or 1}"] + ([] if more else ['flow[3].start.at="99.9s"'])
    settings += [f"flow[{group}].transport.ack_every={1 + int(setting['delayed'])}" for group in range(4)]
    settings += [f'flow[{group}].transport.packet="{int(setting["packet"]) + 40}B"' for group in range(3)]
    settings += ['flow[3].transport.packet="1040B"']
    queue = sojourn.run(sojourn.Scenario.load(SCENARIO, overrides=settings), seed=seed).queue.row(0, named=True)
    mean, deviation = queue["backlog_mean_packets"], queue["backlog_sd_packets"]
    return mean, deviation**2, queue["empty_fraction"], queue["loss_ratio"]


def settings() -> Iterator[dict[str, float]]:
    """PSAND and PSAND1 with 3 and 28 flows, each with and without delayed acknowledgements."""
    for coef, gamma in PRESETS:
        for more in (0, 25):
            for delayed in (0, 1):
                yield {"more": more, "coef": coef, "gamma": gamma, "delayed": delayed, "packet": 1600}


def means(runs: Sequence[Run]) -> Run:
    """The mean of each number."""
    first, second, third, fourth = (statistics.fmean(column) for column in zip(*runs, strict=True))
    return first, second, third, fourth


def _text(run: Run) -> str:
    return f"{run[0]:6.2f}{run[1]:8.2f}{100 * run[2]:8.2f} %{100 * run[3]:7.2f} %"


def main() -> None:
    """Print all settings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=10)
    seeds = range(1, 1 + parser.parse_args().seeds)
    print("             AQS     VQS   P(X=0)     PLR")
    for setting in settings():
        theirs = [ns2(setting, seed) for seed in seeds]
        print(", ".join(f"{key} {value:g}" for key, value in setting.items()))
        print("  ours     ", _text(means([ours(setting, seed) for seed in seeds])))
        print("  ns-2     ", _text(means([run for run, _ in theirs])))
        print("  arrivals ", _text(means([run for _, run in theirs])))
        print("  printed  ", _text(PRINTED[int(setting["more"]), setting["coef"]]))


if __name__ == "__main__":
    main()
