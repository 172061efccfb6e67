"""Input beyond the limits of machines, file systems and terminals gets one message."""

import errno
import math
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import sojourn
from helpers.shell import sojourn as shell
from sojourn import Scenario, ScenarioError
from sojourn._rooms._base import checks, files, memory
from sojourn._rooms.runs import pool

ARRIVALS = "time_s,bytes,flow\n0,1250,a\n0.001,1250,a\n"


@pytest.fixture
def arrivals(tmp_path):
    path = tmp_path / "arrivals.csv"
    path.write_text(ARRIVALS)
    return path


def test_a_run_that_outgrows_the_memory_stops_with_what_takes_it(dumbbell, monkeypatch):
    monkeypatch.setattr(pool, "available_bytes", lambda: 3_000_000)
    greedy = dumbbell.set("duration", "100s").set("record.packets", value=True)

    with pytest.raises(MemoryError, match=r"0\.0 GB of 0\.0 GB at .* s of simulated time, of which .* record\.packets"):
        sojourn.run(greedy)
    # The same run without the rows takes little.
    assert sojourn.run(dumbbell.set("duration", "100s")).queue.height == 2


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc")
def test_what_a_run_is_said_to_take_is_what_it_takes():
    code = """
import sys, sojourn
from sojourn import _core
from sojourn._rooms.runs.tables import Tables

def most():
    return next(1024 * int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))

simulation = _core.Simulation(sys.argv[1], 1)
before = most()
simulation.advance(simulation.duration_s)
said = sum(size for _, size in simulation.footprint())
tables = simulation.tables()
took = most() - before
print(said, took, len(tables["drops"]["flow"][1]))
"""
    flood = Scenario(
        duration="240s",
        dumbbell=sojourn.Dumbbell(rate="1Mbit", delay="1ms", queue=sojourn.queues.Fifo(limit="2p")),
        flows=[
            sojourn.Flow(
                name="flood",
                transport=sojourn.transports.Udp(packet="1000B"),
                app=sojourn.apps.Cbr(rate="10Mbit"),
            )
        ],
        record=sojourn.Record(drops=True),
    )
    done = subprocess.run(
        [sys.executable, "-c", code, flood.resolved_json], capture_output=True, text=True, timeout=120, check=True
    )
    said, took, drops = map(int, done.stdout.split())

    # 1250 packets a second come over access links of 10 Mbit/s, and 125 leave.
    assert drops == pytest.approx(240 * 1125, rel=0.01)
    # A row took 450 bytes; now less than 200.
    assert took / drops < 200
    assert took / 2 < said < 2 * took


@pytest.mark.slow
def test_there_is_memory_and_a_limit_is_heeded():
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30));"
        "from sojourn._rooms._base.memory import available_bytes; print(available_bytes())"
    )
    limited = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)

    assert 0 < int(limited.stdout) <= min(0.7 * (1 << 30), memory.available_bytes() * 1.5)


@pytest.mark.parametrize("seed", [-1, 2**64, 10**30, 1.5, "7", None])
def test_a_seed_out_of_range_gets_a_message(dumbbell, arrivals, seed):
    for call in (lambda: sojourn.run(dumbbell, seed=seed), lambda: sojourn.replay(arrivals, rate="1Mbit", seed=seed)):
        with pytest.raises(
            ValueError, match=r"the seed .* is out of range; allowed are whole numbers from 0 to 2\*\*64"
        ):
            call()


def test_a_seed_out_of_range_is_wrong_input_in_the_shell(scenario_file, arrivals):
    for command in (("replay", arrivals, "--rate", "1Mbit"), ("run", scenario_file)):
        for seed in ("99999999999999999999", "-1"):
            done = shell(*command, "--seed", seed)
            assert done.returncode == 2, done
            assert f"the seed {seed} is out of range" in done.stderr


def test_the_greatest_seed_runs(dumbbell, arrivals):
    assert sojourn.run(dumbbell, seed=2**64 - 1).seed == 2**64 - 1
    assert sojourn.replay(arrivals, rate="1Mbit", seed=2**64 - 1).decisions.height == 2


def test_a_file_name_that_cannot_be_opened_is_named_in_print(dumbbell):
    text = dumbbell.to_toml().replace('rate = "5Mbit"', 'rate = { mahimahi = "a\\u0000b" }')
    with pytest.raises(
        ScenarioError, match=r"column \d+: dumbbell.rate.mahimahi: the file a\\x00b cannot be read: embedded"
    ):
        Scenario.from_toml(text)
    with pytest.raises(ScenarioError, match=r"the file a\\x1bb cannot be read"):
        Scenario.from_toml(text.replace("\\u0000", "\\u001b"))


def test_messages_hold_nothing_that_controls_a_terminal(tmp_path):
    done = shell("run", tmp_path / "a\x1b[31m\u202eb.toml")

    assert done.returncode == 2
    assert "\\x1b[31m\\u202eb.toml" in done.stderr
    assert checks.printable("é\n\x9b\u200b") == "é\n\\x9b\\u200b"


def test_long_texts_are_not_echoed_whole(dumbbell, tmp_path):
    long = "x" * 1_000_000
    (tmp_path / "cell.up").write_text(long)
    text = dumbbell.to_toml().replace('rate = "5Mbit"', 'rate = { mahimahi = "cell.up" }')
    frames = [
        lambda: Scenario.from_toml(text, file=str(tmp_path / "s.toml")),
        lambda: Scenario.from_toml(f'{long} = "1s"'),
        lambda: Scenario.from_toml(f'title = "{long}"'),
        lambda: sojourn.replay(pl.DataFrame({long: [1]}), rate="1Mbit"),
        lambda: sojourn.recorded_flows(pl.DataFrame({"time_s": [long], "bytes": ["1"]})),
        lambda: sojourn.recorded_flows(pl.DataFrame({"time_s": ["1"], "bytes": [long]})),
    ]
    for call in frames:
        with pytest.raises(ScenarioError) as caught:
            call()
        assert len(str(caught.value)) < 2000
        assert "xxx" in str(caught.value)


def test_a_report_or_output_that_cannot_be_written_is_said_before_anything_runs(scenario_file, arrivals):
    for place in ("/proc/report.html", "/sys/report.html"):
        done = shell("run", scenario_file, "--report", place, "--set", "duration=1000000s")
        assert done.returncode == 2, done
        assert f"--report {place}: it cannot be written" in done.stderr
    done = shell("replay", arrivals, "--rate", "1Mbit", "--out", "/proc/decisions.csv")
    assert done.returncode == 2
    assert "--out /proc/decisions.csv: it cannot be written" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_device_is_named(arrivals):
    done = shell("replay", arrivals, "--rate", "1Mbit", "--out", "/dev/full")

    assert done.returncode == 2
    assert done.stderr == "error: /dev/full: no space left on device\n"


def test_a_file_is_whole_or_as_it_was(tmp_path, monkeypatch):
    place = tmp_path / "table.csv"
    files.write_whole(place, "before")
    (tmp_path / "link.csv").symlink_to(place)
    files.write_whole(tmp_path / "link.csv", "through a link")
    assert (place.read_text(), (tmp_path / "link.csv").is_symlink()) == ("through a link", True)

    def half(path, data):
        with path.open("xb") as file:
            file.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files, "write_new", half)
    with pytest.raises(OSError, match="No space left"):
        files.write_whole(place, "after")

    assert place.read_text() == "through a link"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link.csv", "table.csv"]


def test_what_cannot_be_told_is_null_in_json_and_nan_in_tables():
    # Twenty flows over a link that no table shows.
    text = """
    duration = "5s"
    node = [{ name = "a" }, { name = "b" }]
    [[link]]
    from = "a"
    to = "b"
    rate = "100kbit"
    delay = "5ms"
    [[flow]]
    from = "a"
    to = "b"
    count = 20
    """
    flows = sojourn.run(Scenario.from_toml(text)).flow

    assert flows["drops_packets"].sum() > 0
    assert all(math.isnan(value) for value in flows["loss_run_mean_packets"])


def test_what_has_no_samples_has_no_spread():
    # Datagrams are not answered, and the queue is sampled at no moment that anyone asked for.
    text = """
    duration = "1s"
    dumbbell = { rate = "1Mbit", delay = "10ms" }
    [[flow]]
    transport = "udp"
    app = { kind = "cbr", rate = "100kbit" }
    """
    result = sojourn.run(Scenario.from_toml(text))

    assert math.isnan(result.flow["rtt_sd_ms"].item())
    assert all(math.isnan(value) for value in result.queue["backlog_sampled_sd_packets"])
