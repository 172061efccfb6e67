"""Queues and window laws that users write in Python."""

import json
import multiprocessing
import pickle
import subprocess
import sys
import textwrap
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

import sojourn
from helpers.shell import refused
from sojourn._rooms.own import _classes
from sojourn._rooms.runs.store import run_key
from sojourn._rooms.sweeps.axes import Axis
from sojourn._rooms.sweeps.run import sweep
from sojourn.own import DROP, MARK, PASS, Bool, Choice, Fraction, HookError, Policy, Rate, Size, Time, WindowLaw

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = ROOT / "examples"

sojourn.own.load(EXAMPLES / "my_codel.py")
sojourn.own.load(EXAMPLES / "my_reno.py")


class Threshold(Policy):
    """Drops arrivals at random while the backlog exceeds a threshold."""

    threshold = Size("10p", "Packets above which it drops.", least=0, most=1e6)
    probability = Fraction("20%", "Probability of a drop above.")

    def on_arrival(self, now_ns, packet, queue, rng):
        return DROP if queue.packets > self.threshold and rng.uniform() < self.probability else None


class Everything(Policy):
    """Records its calls, and has a clock."""

    every = Time("7ms", "Of the clock.", least="1ms")
    rate = Rate("1Mbit", "Not used.")
    mark = Bool(True, "Mark each tenth packet.")
    way = Choice("tail", "head", doc="Which packet the clock drops.")
    probes = ("ticks", "dropped")

    def __init__(self):
        self.deadline_ns = self.every
        self.ticks = self.dropped = self.came = 0
        self.waiting = 0

    def on_arrival(self, now_ns, packet, queue, rng):
        self.came += 1
        queue.leave(self.came)
        return MARK("tenth") if self.mark and self.came % 10 == 0 else PASS

    def on_enqueued(self, now_ns, packet, queue):
        assert queue.tag == self.came
        assert queue.get(-1).seq == packet.seq
        self.waiting += 1

    def on_departure(self, now_ns, packet, queue, rng):
        assert 0 < queue.tag <= self.came
        assert packet.enqueued_ns <= now_ns
        self.waiting -= 1
        return DROP("unlucky") if rng.below(50) == 0 else None

    def on_drop(self, now_ns, packet, dropped, queue):
        self.dropped += 1
        self.waiting -= dropped.stage == "queue"
        assert dropped.is_overflow == (dropped.by != "policy")

    def on_deadline(self, now_ns, queue):
        assert now_ns == self.deadline_ns
        assert queue.packets == self.waiting
        self.ticks += 1
        self.deadline_ns = now_ns + self.every
        if queue.packets > 3:
            queue.drop_at(-1 if self.way == "tail" else 0, "clock")


LOADED = """
duration = "4s"
[dumbbell]
rate = "5Mbit"
delay = "10ms"
queue = { kind = "threshold", threshold = "5p" }
[[flow]]
name = "bulk"
count = 5
start = { spread = "0.2s" }
[record]
drops = true
"""


@pytest.fixture
def loaded():
    return sojourn.Scenario.from_toml(LOADED)


def test_a_class_is_a_queue_in_a_file_in_python_and_in_set(loaded):
    chosen = sojourn.Dumbbell(rate="5Mbit", delay="10ms", queue=Threshold.queue(threshold="5p"))
    flows = [sojourn.Flow(name="bulk", count=5, start=sojourn.Start(spread="0.2s"))]
    built = sojourn.Scenario(duration="4s", dumbbell=chosen, flows=flows, record=sojourn.Record(drops=True))

    assert built.resolved()["dumbbell"] == loaded.resolved()["dumbbell"]
    assert loaded.resolved()["dumbbell"]["queue"] == {
        "kind": "threshold",
        "limit": "100p",
        "threshold": "5p",
        "probability": 0.2,
    }
    assert loaded.set("dumbbell.queue.probability", 0.5).resolved()["dumbbell"]["queue"]["probability"] == 0.5
    assert loaded.with_queue(Threshold).resolved()["dumbbell"]["queue"]["threshold"] == "5p"
    assert sojourn.run(loaded).drops.height > 10


def test_a_wrong_parameter_gets_the_message_of_any_other(loaded):
    with pytest.raises(sojourn.ScenarioError, match='did you mean "threshold"'):
        loaded.with_queue("threshold:treshold=3p")
    with pytest.raises(sojourn.ScenarioError, match="out of range"):
        loaded.with_queue("threshold:probability=2")
    with pytest.raises(sojourn.ScenarioError, match='did you mean "threshold"'):
        loaded.with_queue("treshold")


def test_the_same_seed_gives_the_same_run_whatever_the_workers(loaded):
    one, three = (sojourn.replicate(loaded, seeds=range(1, 7), workers=workers) for workers in (1, 3))

    for (_, first), (_, second) in zip(one.results, three.results, strict=True):
        assert list(first.tables) == list(second.tables)
        for name in first.tables:
            assert_frame_equal(first.tables[name], second.tables[name])
    drops = [result.drops.height for _, result in one.results]
    assert len(set(drops)) > 1, "each seed has a stream of its own"


def test_it_runs_in_other_processes(loaded):
    over = {"threshold": Axis("dumbbell.queue.threshold", ["2p", "10p"])}
    here = sweep(loaded, over=over, metrics=["loss_ratio"], seeds=[1, 2], workers=1)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as executor:
        there = sweep(loaded, over=over, metrics=["loss_ratio"], seeds=[1, 2], executor=executor)

    assert there.values == here.values


def test_a_plugin_travels_with_a_scenario_to_a_process_that_has_not_loaded_it(tmp_path):
    scenario = sojourn.Scenario.from_toml(LOADED.replace('"threshold", threshold = "5p"', '"my_codel"'))
    (tmp_path / "scenario").write_bytes(pickle.dumps(scenario))
    code = "import pickle, sys, sojourn; print(sojourn.run(pickle.load(open(sys.argv[1], 'rb'))).drops.height)"
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "scenario"], capture_output=True, text=True)

    assert done.stderr == ""
    assert int(done.stdout) == sojourn.run(scenario).drops.height


def test_every_hook_is_called_with_what_it_is_about():
    text = LOADED.replace('"threshold", threshold = "5p"', '"everything", limit = "30p"') + 'probes = "100ms"\n'
    text = text.replace('name = "bulk"', 'name = "bulk"\ntransport = { kind = "tcp", ecn = true }')
    result = sojourn.run(sojourn.Scenario.from_toml(text))

    reasons = set(result.reasons["reason"])
    assert {"tenth", "unlucky", "clock"} <= reasons
    # The clock ticks every 7 ms from the start: 571 times in 4 s, at 4 s less than 7 ms ago.
    ticks = result.probe.filter(result.probe["probe"] == "ticks")["value"]
    assert ticks[-1] == 4000 // 7 or ticks[-1] == 4000 // 7 - 1


@pytest.mark.parametrize("policy", [Threshold, Everything, _classes.registered()["my_codel"]])
def test_the_conformance_suite_is_kept(policy):
    found = sojourn.check(policy)

    assert found, str(found)
    assert len(found.findings) >= 5
    assert "us" in str(found)
    if policy is Threshold:
        assert policy.check()


def test_what_breaks_a_promise_is_said():
    class Forgetful(Policy):
        """Fails with a short buffer, and is not repeatable."""

        seen = 0

        def on_arrival(self, now_ns, packet, queue, rng):
            Forgetful.seen += 1
            return DROP if Forgetful.seen % 7 == 0 else None

        def on_departure(self, now_ns, packet, queue, rng):
            1 // (packet.size_bytes - 1000)

    found = sojourn.check(Forgetful)

    assert not found
    assert "BROKEN" in str(found)
    assert any("ZeroDivisionError" in (finding.broken or "") for finding in found.broken)

    class Moody(Policy):
        """Keeps packets that it should not."""

        seen = 0

        def on_arrival(self, now_ns, packet, queue, rng):
            Moody.seen += 1
            return DROP if Moody.seen % 7 == 0 else None

    found = sojourn.check(Moody)
    assert [finding.promise for finding in found.broken] == ["random load"]
    assert "the same seed gave other events" in str(found)


@pytest.mark.parametrize("workers", [1, 3])
def test_an_error_in_a_hook_is_one_message_with_hook_time_and_line(loaded, workers):
    class Wrong(Policy):
        """Fails after a second."""

        def on_enqueued(self, now_ns, packet, queue):
            if now_ns > 1_000_000_000:
                raise KeyError("nowhere")

    with pytest.raises(HookError) as raised:
        sojourn.replicate(loaded.with_queue(Wrong), seeds=range(1, 4), workers=workers)

    message = str(raised.value)
    assert message.startswith("queue 'wrong': on_enqueued failed at 1.0")
    assert "KeyError: 'nowhere'" in message
    assert "own_classes.py, line" in message
    assert 'raise KeyError("nowhere")' in message
    assert isinstance(raised.value.__cause__, KeyError)
    assert raised.value.hook == "on_enqueued"
    assert raised.value.time_s > 1.0


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("def on_arrival(self, now_ns, packet, queue, rng): return True", "on_arrival answered True; allowed: PASS"),
        ("def on_arrival(self, now_ns, packet, queue): pass", "TypeError"),
        ("def on_arrival(self, now_ns, packet, queue, rng): return DROP('No Name')", "cannot be a reason"),
        ("deadline_ns = 5\n    def on_deadline(self, now_ns, queue): pass", "deadline_ns is 5 after on_deadline at 5"),
        (
            "deadline_ns = 'soon'\n    def on_deadline(self, now_ns, queue): pass",
            "allowed: a whole number of nanoseconds",
        ),
        (
            "kept = None\n"
            "    def on_arrival(self, now_ns, packet, queue, rng): self.kept = queue\n"
            "    def on_idle(self, now_ns): self.kept and self.kept.packets",
            "only in the hook that it was handed to",
        ),
        ("def on_arrival(self, now_ns, packet, queue, rng): rng.below(0)", "no whole number below 0"),
    ],
)
def test_wrong_answers_are_said(loaded, body, said):
    namespace = {"Policy": Policy, "DROP": DROP}
    exec(f"class Odd(Policy):\n    {body}\n", namespace)
    with pytest.raises((HookError, sojourn.ScenarioError)) as raised:
        sojourn.run(loaded.with_queue("odd"))
    assert said in str(raised.value)


@pytest.mark.filterwarnings("ignore::sojourn._rooms.catalogue.warnings.NoHookWarning")
def test_what_cannot_be_registered_is_refused():
    with pytest.raises(sojourn.ScenarioError, match='there is a queue of the name "red" already'):
        type("Mine", (Policy,), {"name": "red"})
    with pytest.raises(sojourn.ScenarioError, match="out of range"):
        type("Mine", (Policy,), {"level": Fraction(3)})
    with pytest.raises(sojourn.ScenarioError, match='"kind" cannot have this name'):
        type("Mine", (Policy,), {"kind": Fraction(0.5)})
    assert "mine" not in _classes.registered()


@pytest.mark.filterwarnings("ignore::sojourn._rooms.catalogue.warnings.NoHookWarning")
def test_what_init_refuses_is_said_where_the_queue_stands(loaded):
    class Contrary(Policy):
        """Its parameters contradict each other."""

        def __init__(self):
            raise ValueError("the lower threshold is above the upper one")

    with pytest.raises(sojourn.ScenarioError, match="the lower threshold is above the upper one"):
        loaded.with_queue(Contrary)


def test_a_class_that_is_defined_again_takes_the_place_of_the_first(loaded):
    for reason in ("first", "second"):
        why = DROP(reason)

        class Again(Policy):
            """Drops everything above ten packets."""

            def on_arrival(self, now_ns, packet, queue, rng, why=why):
                return why if queue.packets > 10 else None

        result = sojourn.run(loaded.with_queue(Again))
        assert reason in set(result.reasons["reason"])


PLUGIN = """
from sojourn.own import DROP, Policy, Size

class Cut(Policy):
    "Drops what comes while more than a threshold waits."

    threshold = Size("12p", "Packets above which it drops.")

    def on_arrival(self, now_ns, packet, queue, rng):
        return DROP if queue.packets > self.threshold else None
"""


def test_a_change_of_the_source_makes_a_run_another(tmp_path, loaded):
    plugin = tmp_path / "cut.py"
    keys, drops = [], []
    for text in (PLUGIN, PLUGIN, PLUGIN.replace("> self.threshold", ">= self.threshold")):
        plugin.write_text(text)
        assert sojourn.own.load(plugin) == ["cut"]
        scenario = loaded.with_queue("cut")
        keys.append(run_key(scenario, 1))
        drops.append(sojourn.run(scenario, out=tmp_path / "study").drops.height)

    assert keys[0] == keys[1] != keys[2]
    assert drops[0] == drops[1] != drops[2]
    assert len(list((tmp_path / "study/runs").iterdir())) == 2


@pytest.mark.parametrize("name", ["limits.py", "limits/deep.py"])
def test_a_change_of_a_module_beside_it_makes_a_run_another(tmp_path, loaded, name):
    plugin, helper = tmp_path / "cut.py", tmp_path / name
    helper.parent.mkdir(exist_ok=True)
    # The hook imports it, so that it is there when a packet comes, and not before.
    plugin.write_text(
        PLUGIN.replace(
            "        return DROP", f"        import {name.partition('/')[0].removesuffix('.py')}\n        return DROP"
        )
    )
    (tmp_path / "other.py").write_text("MORE = 0\n")
    keys = []
    for text in ("import other\n", "import other\n", "import other\nLESS = 1\n"):
        helper.write_text(text)
        sojourn.own.load(plugin)
        keys.append(run_key(loaded.with_queue("cut"), 1))
    (tmp_path / "other.py").write_text("MORE = 1\n")
    sojourn.own.load(plugin)
    keys.append(run_key(loaded.with_queue("cut"), 1))

    assert keys[0] == keys[1]
    assert len(set(keys)) == 3


def sojourn_command(*arguments):
    command = [sys.executable, "-c", "from sojourn._rooms.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_plugin_imports_a_module_beside_it(tmp_path):
    plugin = tmp_path / "cut.py"
    (tmp_path / "beside_cut.py").write_text("MORE = 0\n")
    plugin.write_text(f"from beside_cut import MORE\n{PLUGIN}")

    done = sojourn_command("explain", "cut", "--plugin", plugin)

    assert done.returncode == 0, done.stderr


def test_the_command_loads_a_plugin(tmp_path):
    plugin, file = tmp_path / "cut.py", tmp_path / "scenario.toml"
    plugin.write_text(PLUGIN)
    file.write_text(LOADED.replace('"threshold", threshold = "5p"', '"cut"'))

    run = sojourn_command("run", file, "--plugin", plugin, "--json", "--set", "dumbbell.queue.threshold=3p")
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["scenario"]["dumbbell"]["queue"]["threshold"] == "3p"

    explained = sojourn_command("explain", "cut", "--plugin", plugin)
    assert "Packets above which it drops" in explained.stdout
    assert "queue_cut" in sojourn_command("schema", "--plugin", plugin).stdout
    compared = sojourn_command("compare", file, "--queue", "cut,red", "--seeds", "2", "--plugin", plugin)
    assert compared.returncode == 0, compared.stderr
    checked = sojourn_command("check", plugin)
    assert checked.returncode == 0, checked.stderr
    assert "keeps 5 of 5 promises" in checked.stdout

    without = sojourn_command("run", file)
    assert (without.returncode, without.stdout) == (2, "")
    assert "there is no queue of this name" in without.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1\n", "it defines no queue, no window law and no column"),
        ("import nothing_of_this_name\n", "line 1\n           import nothing_of_this_name"),
        ("class Mine(:\n", "SyntaxError"),
    ],
)
def test_a_wrong_plugin_is_refused(tmp_path, text, said):
    (tmp_path / "mine.py").write_text(text)
    assert said in refused("run", "red_classic", "--plugin", tmp_path / "mine.py")


def test_a_hook_that_fails_ends_the_command_with_one_message(tmp_path):
    (tmp_path / "mine.py").write_text(PLUGIN.replace("queue.packets > self", "1 / 0 > self"))
    done = sojourn_command("run", "red_classic", "--plugin", tmp_path / "mine.py", "--set", "dumbbell.queue=cut")

    assert done.returncode == 1
    assert done.stderr.startswith("error: queue 'cut': on_arrival failed at ")
    assert "ZeroDivisionError" in done.stderr
    assert "mine.py, line 10, in on_arrival" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_law_that_fails_is_said(loaded):
    class Broken(WindowLaw):
        """Opens nothing."""

        def on_ack(self, acked):
            self.cwnd = -1

        def on_loss(self, event):
            pass

    scenario = loaded.set("flow.bulk.transport", "tcp").set("flow.bulk.transport.control", "broken")
    with pytest.raises(HookError, match=r"window law 'broken': on_ack failed at .* cwnd is -1"):
        sojourn.run(scenario)


def test_a_law_has_methods_of_one_kind():
    with pytest.raises(ValueError, match="Both writes kept and on_ack, which are of two kinds of laws"):
        type("Both", (WindowLaw,), {"kept": lambda self, event: 2.0, "on_ack": lambda self, acked: None})
    with pytest.raises(ValueError, match="Opens writes needed, and does not say how much a cut leaves"):
        type("Opens", (WindowLaw,), {"needed": lambda self, acked: 1.0})
    with pytest.raises(ValueError, match="Rated writes kept and paces"):
        type("Rated", (WindowLaw,), {"kept": lambda self, event: 2.0, "paces": True})


def test_an_answer_of_a_law_that_is_no_number_of_segments_is_said(loaded):
    class Backwards(WindowLaw):
        """Less than nothing is left."""

        def kept(self, event):
            return -1.0

    scenario = loaded.set("flow.bulk.transport", "tcp").set("flow.bulk.transport.control", "backwards")
    with pytest.raises(HookError, match=r"window law 'backwards': kept failed at .* the answer is -1; allowed: a num"):
        sojourn.run(scenario)


@pytest.mark.parametrize("profile", ["rfc", "linux"])
def test_a_law_that_measures_hears_of_arrivals_phases_and_the_beginning(profile):
    heard = []

    class Measures(WindowLaw):
        """Reno, which takes notes."""

        def kept(self, event):
            heard.append(event.cause)
            return self.cwnd / 2

        def on_arrival(self, arrival):
            heard.append("trip" if (arrival.rtt_ns or 0) > 40_000_000 and arrival.segments > 0 else "none")

        def on_phase(self, phase):
            heard.append(phase)

        def reset(self, setup):
            heard.append(f"window {setup.window:.0f}")

    text = f"""
    duration = "20s"
    [dumbbell]
    rate = "5Mbit"
    delay = "20ms"
    queue = {{ kind = "red", limit = "30p", ecn = true }}
    [[flow]]
    transport = {{ kind = "tcp", profile = "{profile}", ecn = true, control = "measures" }}
    [[flow]]
    transport = {{ kind = "tcp", profile = "{profile}", control = "measures" }}
    """
    sojourn.run(sojourn.Scenario.from_toml(textwrap.dedent(text)), seed=1)

    assert heard[0] == "window 10"
    assert {"loss", "echo", "trip"} <= set(heard)
    assert ({"open", "recovery", "reducing"} <= set(heard)) == (profile == "linux")


def test_a_window_of_ones_own_does_not_grow_while_the_application_is_the_limit():
    heard = []

    class Grows(sojourn.own.WindowLaw):
        """One segment more with each acknowledgement."""

        def on_ack(self, acked):
            heard.append(acked.limited)
            self.cwnd += acked.segments

        def on_loss(self, event):
            self.ssthresh = self.cwnd = 2.0

    class Hears(Grows):
        """The same, which asks to hear."""

        hears_limited = True

    text = """
    duration = "20s"
    [dumbbell]
    rate = "20Mbit"
    delay = "20ms"
    [[flow]]
    transport = { kind = "tcp", profile = "rfc", control = "LAW" }
    app = { kind = "cbr", rate = "1Mbit" }
    [record]
    cwnd = "100ms"
    """
    runs = [
        sojourn.run(sojourn.Scenario.from_toml(textwrap.dedent(text).replace("LAW", law)), seed=1)
        for law in ("grows", "hears")
    ]

    # 1 Mbit/s over 41 ms are 5 kB: four segments.
    assert runs[0].table("window")["cwnd_packets"].max() < 20
    assert runs[1].table("window")["cwnd_packets"].max() > 100
    assert set(heard) == {False, True}


def test_a_bottleneck_takes_a_queue_of_python():
    there = sojourn.Bottleneck(Threshold.queue(threshold="2p", probability="100%"), "10Mbit", "1ms")
    for number in range(5):
        there.send(0.0, 1000, number)

    # One is being sent and three wait when the fifth comes, which finds more than two.
    assert [lost.payload for lost in there.lost()] == [4]
    assert [got.payload for got in there.receive(1.0)] == [0, 1, 2, 3]
