"""Standard output has JSON and nothing else, whatever a class of the user's prints."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow

LOUD = '''
import sys

import sojourn
from sojourn.own import Policy

print("loaded")
print("to the old stream", file=sys.__stdout__)


class Loud(Policy):
    """Says what comes."""

    def on_arrival(self, now_ns, packet, queue, rng):
        print("a packet")
'''
SHORT = ["--set", "duration=2s", "--set", "warmup=1s", "--set", "dumbbell.queue=loud"]


@pytest.mark.parametrize("more", [[], ["--seeds", "2", "--workers", "2"]])
def test_what_a_plugin_prints_does_not_mix_with_json(tmp_path: Path, more: list[str]):
    plugin = tmp_path / "loud.py"
    plugin.write_text(LOUD)
    command = [sys.executable, "-m", "sojourn", "run", "red_classic", "--plugin", str(plugin), *SHORT, *more, "--json"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)
    assert {"loaded", "to the old stream", "a packet"} <= set(done.stderr.splitlines())
