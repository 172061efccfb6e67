"""Ctrl-C acts within a second, whatever the simulated network does at that moment, and nothing goes on behind it."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import sojourn

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow

# Quiet for half a day, then ten million packets in each simulated minute.
QUIET_THEN_LOUD = """
duration = "100000s"
[dumbbell]
rate = "1Gbit"
delay = "10ms"
[[flow]]
start = "50000s"
"""

# The child stops itself from within the callback's thread; it prints how long that took and what still ran afterwards.
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


# A command that stops itself after a time. The last line of its error output has how long that took, the threads that
# still ran afterwards, and how it ended.
COMMAND = """
import os, signal, sys, threading, time
from sojourn._rooms.cli import main

asked = 0.0

def interrupt():
    global asked
    asked = time.monotonic()
    os.kill(os.getpid(), signal.SIGINT)

timer = threading.Timer(float(sys.argv.pop(1)), interrupt)
timer.start()
try:
    main()
    code = 0
except SystemExit as ended:
    code = ended.code
took = time.monotonic() - asked
timer.cancel()
before = time.process_time()
time.sleep(1.0)
print(f"\\n{took} {time.process_time() - before} {code}", file=sys.stderr)
"""

COMMANDS = {
    "run": ("run", "loud.toml"),
    "compare": ("compare", "loud.toml", "--queue", "fifo,red"),
    "sweep": ("sweep", "loud.toml", "--over", "dumbbell.rate=500Mbit,1Gbit"),
    # Between its two packets lie a hundred days, in which PI looks at its queue a thousand million times.
    "replay": ("replay", "pause.csv", "--rate", "1Gbit", "--queue", "pi2"),
    "reproduce": ("reproduce", "phirke2002", "--full"),
}

NEEDED = {"run": "ctypes", "command": "numpy, polars, rich, scipy, typer"}
"""Modules that a Python must have: one run needs only the core, the commands need the package's dependencies."""


@cache
def found(minor, need):
    """A Python 3.`minor` with what is needed: this one, one on the path or one of pyenv's. One core serves all."""
    name = f"python3.{minor}"
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    places = [sys.executable] if sys.version_info[:2] == (3, minor) else []
    places += filter(None, [shutil.which(name), *map(str, sorted(pyenv.glob(f"3.{minor}.*/bin/{name}")))])
    able = (
        place
        for place in places
        if subprocess.run([place, "-c", f"import {need}"], capture_output=True).returncode == 0
    )
    return next(able, None)


def python(minor, need):
    """The same, without which a test is skipped."""
    if place := found(minor, need):
        return place
    pytest.skip(f"no python3.{minor} that can import {need} is on the path or among pyenv's")


def child(place, *arguments, **options):
    """The report of a child: how long it took to stop, CPU seconds of the second after, and more."""
    environment = {**os.environ, "PYTHONPATH": str(Path(sojourn.__file__).parents[1])}
    done = subprocess.run(
        [place, "-c", *arguments], env=environment, capture_output=True, text=True, timeout=120, **options
    )
    assert done.returncode == 0, done.stderr
    return done


def stopped(attempt):
    """The message. A busy machine may be late by chance, but not three times."""
    for _ in range(3):
        took, *others = attempt()
        if float(took) < 1.0:
            break
    assert float(took) < 1.0
    # A worker that lived on would have used most of a second.
    assert float(others[0]) < 0.2
    return others[1:]


@pytest.mark.parametrize("minor", range(11, 15))
def test_ctrl_c_acts_within_a_second_while_the_load_is_high(minor):
    place = python(minor, NEEDED["run"])

    stopped(lambda: child(place, CHILD, QUIET_THEN_LOUD, "50000").stdout.split())


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("minor", range(11, 15))
def test_every_command_stops_within_a_second(minor, name, tmp_path):
    place = python(minor, NEEDED["command"])
    (tmp_path / "loud.toml").write_text(QUIET_THEN_LOUD)
    (tmp_path / "pause.csv").write_text("time_s,bytes,flow\n0,1000,a\n8640000,1000,a\n")

    def attempt():
        # Half a day of silence takes no time; from then on each minute takes seconds.
        done = child(place, COMMAND, "3.0", *COMMANDS[name], cwd=tmp_path)
        assert done.stdout == ""
        assert "Traceback" not in done.stderr
        return done.stderr.splitlines()[-1].split()

    assert stopped(attempt) == ["130"]
