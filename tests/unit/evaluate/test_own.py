"""A queue of one's own gets the same page as any other: it fits into every question."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# It starts a process: `make check` leaves it out.
pytestmark = pytest.mark.slow

QUEUE = """
from sojourn.own import DROP, Fraction, Policy


class Coin(Policy):
    probability = Fraction("1%", "Probability of a drop.")

    def on_arrival(self, now_ns, packet, queue, rng):
        return DROP if rng.uniform() < self.probability else None
"""
# Every scenario is made with it, and none is run.
EVERY_QUESTION = """
from sojourn import _core
from sojourn._rooms.evaluate.criteria import documents
from sojourn._rooms.evaluate.subjects import named, scenario_of
from sojourn._rooms.sweeps.axes import scenarios

(subject,) = named(["mine.py:Coin"]).values()
for document in documents("queue", quick=False):
    for criterion in document.criteria:
        bases = scenarios(criterion.scenario, criterion.axes) if criterion.axes else {"": criterion.scenario}
        for base in bases.values():
            _core.Simulation(scenario_of(criterion, base, subject).resolved_json, 1)
            print(criterion.section)
"""


def test_a_queue_of_ones_own_fits_into_every_question(tmp_path: Path):
    (tmp_path / "mine.py").write_text(QUEUE)

    # A class that is registered stays for the tests behind this one: another process has it.
    command = [sys.executable, "-c", EVERY_QUESTION]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    assert {"4.3", "5.3.1", "8.2.2-8.2.4", "9.1"} <= set(done.stdout.split())
