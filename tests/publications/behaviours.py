"""Finds the behaviours on which a number depends: the same setting with one behaviour changed at a time.

    python tests/publications/behaviours.py [--seeds 2] [--workers 2] [--write]

prints a table of each study below; `--write` keeps them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[2] / "evidence"))

import tables
from metrics import BACKLOG, SOJOURN, Metric, queue
from scenes import bulk

import sojourn

KEPT = tables.EVIDENCE / "publications" / "behaviours.toml"
COLUMNS = ["setting", "what", "change", "ours"]
ABOUT = [
    "How some published numbers depend on single behaviours (two seeds).",
    "Written by",
    "    python tests/publications/behaviours.py --write",
]
RAP = """
[[flow]]
name = "rap"
count = 10
transport = "rap"
start = { spread = "1s" }
"""


@dataclass(frozen=True)
class Study:
    """One number under a queue that is told something else each time."""

    title: str
    what: str
    base: str
    metric: Metric
    scenario: Callable[[str], str]
    changes: tuple[str, ...]

    def scenarios(self) -> Mapping[str, sojourn.Scenario]:
        """By the change; without any first."""
        return {
            f"{self.title}: {change}": sojourn.Scenario.from_toml(
                self.scenario(changed(self.base, change) if change else self.base)
            )
            for change in ("", *self.changes)
        }


def rap(text: str) -> str:
    """Ten RAP flows alone."""
    scenario = bulk(text, flows=10, more=RAP)
    before, after = scenario.split('[[flow]]\nname = "tcp"')
    return before + after[after.index("[[flow]]") :]


LETTER = 'kind = "red", count = "on", spare_short = false, spare_first = false'
"""The laws of 1993 with the automatic thresholds and the greater `max_p` of today."""
RED_CHANGES = (
    "spare_short = true",
    'count = "wait"',
    "spare_first = true",
    'count = "wait", spare_short = true',
    'count = "wait", spare_short = true, spare_first = true',
    "w_q = 0.002",
    "max_p = 0.02",
    'above = "strict"',
)


def four(text: str) -> str:
    """Four SACK flows over a bandwidth-delay product of 225 packets."""
    return bulk(text, flows=4, rate="45Mbit", access="5ms")


def changed(base: str, change: str) -> str:
    """The settings with some of them changed."""
    names = [setting.split(" = ")[0] for setting in change.split(", ")]
    kept = [setting for setting in base.split(", ") if setting.split(" = ")[0] not in names]
    return ", ".join([*kept, change])


STUDIES = (
    Study(
        "`wq_max_p`",
        "mean queue, packets",
        'kind = "wq_max_p", preset = "paper", limit = "100p"',
        BACKLOG,
        lambda text: bulk(text, flows=20),
        ("faster = 1", "faster = 3", "significant = 1", "alpha = 0.005", "beta = 0.86", 'count = "wait"'),
    ),
    Study(
        "the same",
        "utilisation, %",
        'kind = "wq_max_p", preset = "paper", limit = "100p"',
        queue("utilisation", 100.0),
        lambda text: bulk(text, flows=20),
        ("faster = 1", "faster = 3", "significant = 1", 'count = "wait"'),
    ),
    Study(
        "`pie`, preset `docsis`",
        "mean sojourn time, ms",
        'kind = "pie", preset = "docsis"',
        SOJOURN,
        lambda text: bulk(text, flows=20, delay="30ms"),
        (
            'calm = "empty"',
            'rest = "0s"',
            'high_delay = "auto"',
            "active_from = 0",
            "derandomize = false",
            "by_size = false",
            'mean_packet = "auto"',
            "cap_steps = false",
            "hold_in_burst = false",
            'bursts = "after_calm"',
            'scaling = "rfc8033"',
            'delay_from = "timestamps"',
            "alpha = 0.125, beta = 1.25",
        ),
    ),
    Study(
        "`red` by the letter of 1993 under ten SACK flows",
        "utilisation, %",
        LETTER,
        queue("utilisation", 100.0),
        lambda text: bulk(text, flows=10),
        RED_CHANGES,
    ),
    Study(
        "the same under ten RAP flows",
        "utilisation, %",
        LETTER,
        queue("utilisation", 100.0),
        rap,
        RED_CHANGES,
    ),
    Study(
        "`fifo` under four SACK flows, 45 Mbit/s, 40 ms",
        "utilisation, %",
        'kind = "fifo", limit = "100p"',
        queue("utilisation", 100.0),
        four,
        ('limit = "50p"', 'limit = "1BDP"'),
    ),
    Study(
        "`blue` there",
        "utilisation, %",
        'kind = "blue"',
        queue("utilisation", 100.0),
        four,
        (
            "d1 = 0.0005, d2 = 0.00005",
            'limit = "1BDP"',
            'd1 = 0.0005, d2 = 0.00005, limit = "1BDP"',
            'preset = "paper"',
        ),
    ),
    Study(
        "`dsred` there",
        "utilisation, %",
        'kind = "dsred"',
        queue("utilisation", 100.0),
        four,
        ('count = "wait"', "gamma = 0.99", 'k_l = "30p", k_h = "150p", limit = "1BDP"'),
    ),
    Study(
        "`e_red` there",
        "utilisation, %",
        'kind = "e_red"',
        queue("utilisation", 100.0),
        four,
        ("gamma = 1", 'min_th = "20p", max_th = "100p"', 'gamma = 1, min_th = "20p", max_th = "100p"'),
    ),
)


def rows(seeds: int, workers: int) -> list[list[str]]:
    """All studies: the setting, what is measured, the change, and the mean over the seeds."""
    every = {name: scenario for study in STUDIES for name, scenario in study.scenarios().items()}
    done = sojourn.study(every, seeds=range(1, seeds + 1), workers=workers)
    found = []
    for study in STUDIES:
        for name in study.scenarios():
            values = [study.metric(result) for result in done.of(name)]
            change = name.removeprefix(f"{study.title}: ")
            shown = f"`{change}`" if change else "unchanged"
            found.append([study.title, study.what, shown, f"{sum(values) / len(values):.4g}"])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description="One behaviour changed at a time.")
    parser.add_argument("--seeds", type=int, default=2, help="seeds 1 to this number (default 2)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--write", action="store_true", help=f"keep the rows in {KEPT.name}")
    arguments = parser.parse_args()

    found = rows(arguments.seeds, arguments.workers)
    print(tables.markdown(COLUMNS, found, words=3))
    if arguments.write:
        tables.write(KEPT, ABOUT, COLUMNS, found)


if __name__ == "__main__":
    main()
