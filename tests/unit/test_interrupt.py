"""Ctrl-C acts within a second, whatever the simulated network does at that moment, and nothing goes on behind it."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import sojourn

# Quiet for half a day, then ten million packets in each simulated minute.
QUIET_THEN_LOUD = """
duration = "100000s"
[dumbbell]
rate = "1Gbit"
delay = "10ms"
[[flow]]
start = "50000s"
"""

# The child stops itself from within the callback's thread; it says how long that took and what went on afterwards.
CHILD = """
import os, signal, sys, threading, time
import sojourn

scenario = sojourn.Scenario.from_toml(sys.argv[1])
asked = [0.0]

def progress(state):
    if state.simulated_s > float(sys.argv[2]) and not asked[0]:
        def interrupt():
            time.sleep(0.5)
            asked[0] = time.monotonic()
            os.kill(os.getpid(), signal.SIGINT)
        asked[0] = float("inf")
        threading.Thread(target=interrupt, daemon=True).start()

try:
    sojourn.run(scenario, progress=progress)
except sojourn.Interrupted:
    took = time.monotonic() - asked[0]
before = time.process_time()
time.sleep(1.0)
print(took, time.process_time() - before)
"""


def pythons():
    """This Python and those of other supported versions that are on the path: the core's library serves all."""
    found = {}
    for minor in range(11, 15):
        place = sys.executable if sys.version_info[:2] == (3, minor) else shutil.which(f"python3.{minor}")
        if place and subprocess.run([place, "-c", "import ctypes"], capture_output=True).returncode == 0:
            found[f"3.{minor}"] = place
    return [pytest.param(place, id=version) for version, place in found.items()]


@pytest.mark.parametrize("python", pythons())
def test_ctrl_c_acts_within_a_second_while_the_load_is_high(python):
    environment = {**os.environ, "PYTHONPATH": str(Path(sojourn.__file__).parents[1])}
    arguments = [python, "-c", CHILD, QUIET_THEN_LOUD, "50000"]

    # A busy machine may be late by chance, but not three times.
    for _ in range(3):
        done = subprocess.run(arguments, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        took, afterwards = map(float, done.stdout.split())
        if took < 1.0:
            break

    assert took < 1.0
    # A worker that lived on would have used most of a second.
    assert afterwards < 0.2


def test_the_command_stops_within_a_second_while_the_load_is_high(tmp_path):
    (tmp_path / "loud.toml").write_text(QUIET_THEN_LOUD)
    command = [sys.executable, "-c", "from sojourn.cli import main; main()", "run", str(tmp_path / "loud.toml")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    # Half a day of silence takes no time; from then on each minute takes seconds.
    time.sleep(4.0)
    asked = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)

    # Where it has nothing else to do, Python needs some of this time to end.
    assert time.monotonic() - asked < 2.0
    assert process.returncode == 130
    assert "stopped: 0 of 1 runs" in stderr
