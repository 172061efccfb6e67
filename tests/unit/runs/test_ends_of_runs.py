"""Ctrl-C at unusual moments, a scenario that is read from a pipe, and memory that one event would take."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time

import pytest

import sojourn
from sojourn import _core
from sojourn._rooms.runs.pool import Pool, _too_much

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow

SCENARIO = """
duration = "1s"
[dumbbell]
rate = "2Mbit"
delay = "5ms"
[[flow]]
"""
# It lasts longer than any machine takes until it is stopped.
MILLION = SCENARIO.replace('"1s"', '"1000s"') + "count = 1000000\n"

# Raises Ctrl-C where NumPy is imported: there it once was a panic.
WITHIN_NUMPY = """
import sys
class Finder:
    def find_spec(self, name, *rest):
        if name == "numpy":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Finder())
from sojourn.__main__ import main
main()
"""

# Sends Ctrl-C where a command imports its modules.
WITHIN_MODULES = """
import os, signal, sys, time
class Finder:
    def find_spec(self, name, *rest):
        if name == "sojourn._rooms.cli.study":
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
from sojourn.__main__ import main
main()
"""

# Sends Ctrl-C in a callback, in which Python swallows exceptions.
IN_CALLBACK = """
import os, signal, sys, weakref
from sojourn._rooms.cli import study
class Thing: pass
def run(*rest, **named):
    thing = Thing()
    kept = weakref.ref(thing, lambda _: (os.kill(os.getpid(), signal.SIGINT), sum(range(1000))))
    del thing
    while True:
        pass
study.run = run
from sojourn.__main__ import main
main()
"""

WINDOWS = """
duration = "1s"
node = [{ name = "a" }, { name = "b" }]
[[link]]
from = "a"
to = "b"
duplex = true
rate = "10Mbit"
delay = "5ms"
queue = { kind = "fifo", limit = "1000000000p" }
[[flow]]
from = "a"
to = "b"
count = 20
transport = { kind = "tcp", control = { kind = "none", window = 140000000 } }
"""


def command(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "sojourn", *words], capture_output=True, text=True, timeout=120, **options
    )


def test_ctrl_c_while_numpy_is_imported_is_one_line_and_130(tmp_path):
    (tmp_path / "a.csv").write_text("time_s,bytes,flow\n0,1000,a\n1,1000,a\n")
    words = ["replay", "a.csv", "--rate", "1Mbit", "--queue", "fifo"]
    done = subprocess.run(
        [sys.executable, "-c", WITHIN_NUMPY, *words], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")


def test_ctrl_c_while_modules_are_imported_waits_for_them_and_stops(tmp_path):
    (tmp_path / "s.toml").write_text(SCENARIO.replace("2Mbit", "20Gbit").replace('"1s"', '"100000s"'))
    words = [sys.executable, "-c", WITHIN_MODULES, "run", "s.toml"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (130, "", 1), done
    assert done.stderr.startswith("stopped"), done


def test_ctrl_c_that_python_swallows_in_a_callback_comes_again(tmp_path):
    (tmp_path / "s.toml").write_text(SCENARIO)
    done = subprocess.run(
        [sys.executable, "-c", IN_CALLBACK, "run", "s.toml"], capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "stopped\n")


def test_ctrl_c_ends_the_making_of_a_million_flows(tmp_path):
    (tmp_path / "million.toml").write_text(MILLION)
    for moment in (2.0, 4.0):
        child = subprocess.Popen(
            [sys.executable, "-m", "sojourn", "run", "million.toml"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        time.sleep(moment)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
        assert (child.returncode, said.count(b"\n")) == (130, 1), said
        assert said.startswith(b"stopped")


def test_the_making_of_a_large_network_is_stopped_by_whoever_waits_for_it():
    resolved = sojourn.Scenario.from_toml(SCENARIO + "count = 100000\n").resolved_json
    asked = []
    with pytest.raises(KeyboardInterrupt):
        _core.Simulation(resolved, 1, stop=lambda: asked.append(1) or len(asked) == 3)
    assert len(asked) == 3
    with pytest.raises(ZeroDivisionError):
        _core.Simulation(resolved, 1, stop=lambda: 1 / 0)


def test_an_interruption_in_the_handling_of_a_failure_is_silent(monkeypatch):
    """A thread that is interrupted while it keeps its own failure prints nothing: Python would print a traceback."""
    begun, said = threading.Event(), []

    class FailsSlowly(Pool):
        def _work(self):
            try:
                raise ValueError
            except ValueError:
                begun.set()
                # Longer than whoever gives up waits before it interrupts.
                time.sleep(1.5)
                sum(range(10))

    def progress(_):
        begun.wait(10.0)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading, "excepthook", said.append)
    pool = FailsSlowly({"": sojourn.Scenario.from_toml(SCENARIO)}, [1], None, {})
    with pytest.raises(KeyboardInterrupt):
        pool.work(1, progress)
    time.sleep(1.0)
    assert said == []


def test_many_ctrl_c_are_one_line(tmp_path):
    (tmp_path / "s.toml").write_text(SCENARIO.replace("2Mbit", "20Gbit").replace('"1s"', '"100000s"'))
    child = subprocess.Popen(
        [sys.executable, "-m", "sojourn", "run", "s.toml"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    time.sleep(3.0)
    for _ in range(8):
        child.send_signal(signal.SIGINT)
        time.sleep(0.02)
    _, said = child.communicate(timeout=60)
    assert (child.returncode, said.count(b"\n")) == (130, 1), said


def test_a_scenario_comes_from_a_pipe_and_is_read_once(tmp_path):
    (tmp_path / "s.toml").write_text(SCENARIO)
    plain = command("run", "s.toml", "--json", cwd=tmp_path)
    piped = command("run", "/dev/stdin", "--json", cwd=tmp_path, input=SCENARIO)
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text(SCENARIO), daemon=True)
    writer.start()
    named = command("run", "pipe.toml", "--json", cwd=tmp_path)
    for done in (piped, named):
        assert done.returncode == 0, done.stderr
        assert done.stdout.replace("stdin", "s").replace('"pipe', '"s') == plain.stdout
    reading, writing = os.pipe()
    os.write(writing, SCENARIO.encode())
    os.close(writing)
    over = ["--over", "dumbbell.rate=1Mbit,2Mbit", "--seeds", "1"]
    swept = command("sweep", f"/dev/fd/{reading}", *over, pass_fds=[reading])
    os.close(reading)
    assert swept.returncode == 0, swept.stderr


def test_a_study_comes_from_a_pipe(tmp_path):
    study = f'scenario = "red_classic"\nseeds = 1\nmetrics = ["loss_ratio"]\n[axes]\n{"p"} = '
    study += '{ key = "dumbbell.queue.max_p", values = [0.1] }\n'
    done = command("sweep", "/dev/stdin", "--set", "duration=2s", "--set", "warmup=1s", cwd=tmp_path, input=study)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("window", [140_000_000, 3_000_000])
def test_an_event_that_makes_more_packets_than_fit_into_memory_is_one_message(tmp_path, window):
    (tmp_path / "windows.toml").write_text(WINDOWS.replace("140000000", str(window)))
    limit = 1 << 30
    done = command(
        "run",
        "windows.toml",
        cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith("error: this takes more memory than there is: "), done.stderr
    assert "are for packets" in done.stderr
    assert done.stderr.count("\n") == 2


def test_memory_is_asked_for_by_the_event_too():
    resolved = sojourn.Scenario.from_toml(WINDOWS.replace("140000000", "100000")).resolved_json
    run = _core.Simulation(resolved, 1)
    with pytest.raises(_core.OutOfMemory) as full:
        run.advance(1.0, memory=50_000_000)
    what, held = full.value.args
    assert what in ("packets on their way", "packets that wait")
    assert held > 50_000_000
    assert issubclass(_core.OutOfMemory, MemoryError)
    # With enough of it, the same events happen.
    one, other = _core.Simulation(resolved, 1), _core.Simulation(resolved, 1)
    assert one.advance(0.1, memory=40 << 30)
    assert other.advance(0.1)
    assert one.now_s == other.now_s


# In a child, because the limit stays; above the memory that it has by then, so that a second is enough to reach it.
LIMITED = """
import resource, sys
from sojourn import Scenario, _core

simulation = _core.Simulation(Scenario.from_toml(sys.stdin.read()).resolved_json, 1)
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (48 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    simulation.advance(simulation.duration_s)
except _core.OutOfMemory as full:
    print(*full.args, sep=";")
"""
FLOOD = """
duration = "60s"
[dumbbell]
rate = "1Gbit"
delay = "1ms"
queue = { kind = "fifo", limit = "10p" }
[[flow]]
transport = { kind = "udp", packet = "100B" }
app = { kind = "cbr", rate = "2Gbit" }
[record]
"""


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
@pytest.mark.parametrize("key", ["drops", "packets", "pcap"])
def test_a_record_for_which_the_system_has_no_memory_ends_the_run_and_not_the_program(key):
    text = FLOOD + f"{key} = true\n"
    done = subprocess.run([sys.executable, "-c", LIMITED], input=text, capture_output=True, text=True, timeout=60)

    assert done.returncode == 0, done.stderr
    what, held = done.stdout.strip().split(";")
    assert what == f"record.{key}"
    assert int(held) > 8 << 20


def test_memory_that_the_system_refuses_is_named():
    said = str(_too_much(("record.drops", 1_400_000_000), 1_400_000_000, 3_000_000_000, 2.5))

    assert said.startswith(
        "this takes more memory than there is: "
        "the system has no more 1.4 GB for record.drops at 2.5 s of simulated time\n"
    )
