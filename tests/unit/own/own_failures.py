"""Classes of users that are wrong: the message names the mistake, and a hook that would never be called is refused."""

import subprocess
import sys
import time
import warnings

import pytest
from typer.testing import CliRunner

import sojourn
from helpers.networks import ONE_FLOW as SCENARIO
from sojourn._rooms.catalogue.warnings import NoHookWarning
from sojourn._rooms.cli import app
from sojourn.own import DROP, HookError, Number, Policy, WindowLaw


class StrangeError(BaseException):
    """No Exception."""


class MuteError(Exception):
    """Even its text fails."""

    def __str__(self):
        raise ValueError("no text")


def noted():
    error = ValueError("the real thing")
    error.add_note("beside it")
    raise error


def strange():
    raise StrangeError("from far away")


def mute():
    raise MuteError


FAILURES = {
    "a negative tag": (lambda queue, rng: queue.leave(-1), "OverflowError: out of range"),
    "a number as a reason": (lambda queue, rng: DROP(5), "TypeError: 'int' object is not"),
    "below a fraction": (lambda queue, rng: rng.below(1.5), "TypeError: 'float' object cannot be"),
    "a place beyond all": (lambda queue, rng: queue.drop_at(2**70, "x"), "OverflowError: Python int too large"),
    "no packet": (lambda queue, rng: queue.choke(None), "TypeError: 'None' is not an instance of 'Packet'"),
    "a note": (lambda queue, rng: noted(), "ValueError: the real thing (beside it)"),
    "no Exception": (lambda queue, rng: strange(), "StrangeError: from far away"),
    "no text": (lambda queue, rng: mute(), "MuteError: its text is not available: ValueError"),
    "the end of Python": (lambda queue, rng: sys.exit(9), "it ended Python (exit code 9)"),
    "a negative mean": (lambda queue, rng: rng.exponential(-1), "exponential(-1): the mean must be a number from 0 on"),
    "no mean": (lambda queue, rng: rng.exponential(float("nan")), "exponential(NaN): the mean must be"),
    "no shape": (lambda queue, rng: rng.pareto(0, 0), "pareto(0, 0): shape and least value must be numbers above 0"),
}


@pytest.mark.parametrize("what", FAILURES)
def test_the_message_of_a_hook_that_failed_says_what_was_wrong(what):
    fails, words = FAILURES[what]

    class Failing(Policy):
        def on_arrival(self, now_ns, packet, queue, rng):
            fails(queue, rng)

    scenario = sojourn.Scenario.from_toml(SCENARIO).with_queue("failing")
    with pytest.raises(HookError, match="queue 'failing': on_arrival failed at") as raised:
        sojourn.run(scenario)
    assert words in str(raised.value)
    assert raised.value.hook == "on_arrival"
    assert raised.value.__cause__ is not None


def test_a_class_that_ends_python_when_it_is_made_is_told():
    class Ending(Policy):
        def __init__(self):
            sys.exit(9)

        def on_idle(self, now_ns):
            pass

    with pytest.raises(sojourn.ScenarioError, match=r"__init__ failed: it ended Python \(exit code 9\)"):
        sojourn.Scenario.from_toml(SCENARIO).with_queue("ending").resolved()


MISSPELT = {
    "on_arival": ("queue", "on_arrival"),
    "onArrival": ("queue", "on_arrival"),
    "On_Drop": ("queue", "on_drop"),
    "on_enqueue": ("queue", "on_enqueued"),
    "on_dequeue": ("queue", "on_enqueued"),
    "on_ak": ("control", "on_ack"),
    "on_lost": ("control", "on_loss"),
    "on_time_out": ("control", "on_timeout"),
}


@pytest.mark.parametrize("name", MISSPELT)
def test_a_misspelt_hook_is_refused_with_the_nearest_one(name):
    place, near = MISSPELT[name]
    with pytest.raises(ValueError, match=f"there is no hook {name}, and nobody would call it") as refused:
        type("Misspelt", (Policy if place == "queue" else WindowLaw,), {name: lambda self, *rest: DROP})
    assert f"did you mean {near}?" in str(refused.value)
    assert "misspelt" not in sojourn.own.registered()


def test_a_misspelt_hook_of_a_base_is_refused_too():
    class Base:
        def on_arival(self, *rest):
            return DROP

    with pytest.raises(ValueError, match="Base: there is no hook on_arival"):
        type("Derived", (Base, Policy), {})


def test_what_is_no_method_or_is_private_may_have_any_name():
    with warnings.catch_warnings():
        warnings.simplefilter("error")

        class Fine(Policy):
            on_time = 3
            probes = ("on_time",)

            def on_arrival(self, now_ns, packet, queue, rng):
                return self._on_arival()

            def _on_arival(self):
                return None

    assert Fine.check()


def test_a_policy_without_any_hook_is_warned_of(tmp_path):
    with pytest.warns(NoHookWarning, match="Idle writes no hook: it lets every packet pass, as fifo does"):

        class Idle(Policy):
            pass

    (tmp_path / "none.py").write_text("from sojourn.own import Policy\nclass Nothing(Policy):\n    pass\n")
    told = CliRunner().invoke(app, ["check", str(tmp_path / "none.py")])
    assert told.exit_code == 0
    assert told.stderr.startswith("warning: Nothing writes no hook")


@pytest.mark.parametrize("name", ["link", "deadline_ns", "name", "probes", "on_arrival"])
def test_a_parameter_cannot_have_a_name_that_means_something_else(name):
    with pytest.raises(ValueError, match=f"a parameter cannot be called {name}"):
        type("Taken", (Policy,), {name: Number(1.0)})


PLUGIN = """
import pathlib, time
from sojourn.own import Policy

class Slow(Policy):
    def on_arrival(self, now_ns, packet, queue, rng):
        pathlib.Path("begun").touch()
        until = time.perf_counter() + 0.005
        while time.perf_counter() < until:
            pass

class Never(Policy):
    def on_arrival(self, now_ns, packet, queue, rng):
        pathlib.Path("begun").touch()
        while True:
            pass

class Sleeping(Policy):
    def on_arrival(self, now_ns, packet, queue, rng):
        pathlib.Path("begun").touch()
        time.sleep(1000)

class Stubborn(Policy):
    def on_arrival(self, now_ns, packet, queue, rng):
        pathlib.Path("begun").touch()
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
"""


@pytest.mark.parametrize("queue", ["slow", "never", "sleeping", "stubborn"])
@pytest.mark.parametrize("command", ["run", "sweep"])
def test_ctrl_c_in_a_hook_that_takes_long_is_one_line_and_130(tmp_path, command, queue):
    (tmp_path / "s.toml").write_text(SCENARIO.replace('"1s"', '"1000s"'))
    (tmp_path / "own.py").write_text(PLUGIN)
    words = [command, "s.toml", "--plugin", "own.py"]
    words += ["--set", f"dumbbell.queue={{kind='{queue}'}}"]
    words += ["--over", "dumbbell.rate=1Mbit,2Mbit"] if command == "sweep" else []
    child = subprocess.Popen(
        [sys.executable, "-m", "sojourn", *words], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    until = time.monotonic() + 60.0
    while not (tmp_path / "begun").exists() and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)
    child.send_signal(2)
    asked = time.monotonic()
    _, said = child.communicate(timeout=30)
    # A busy machine may be late; a run of a thousand seconds, or one that never ends, would be much later.
    assert time.monotonic() - asked < 10.0
    assert (child.returncode, said.count(b"\n")) == (130, 1), said
    assert said.startswith(b"stopped: 0 of ")


def test_ctrl_c_in_python_ends_a_hook_and_python_goes_on(tmp_path):
    """In a script and not in the command: the exception comes, and the end of Python aborts nothing."""
    code = PLUGIN + (
        "import os, signal, threading, sojourn\n"
        "threading.Timer(2.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        f"scenario = sojourn.Scenario.from_toml({SCENARIO!r}).with_queue('never')\n"
        "try:\n    sojourn.run(scenario)\nexcept sojourn.Interrupted as stopped:\n    print(stopped)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped after 0 of 1 runs\n", "")
