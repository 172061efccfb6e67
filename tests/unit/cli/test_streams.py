"""The message about a standard output that takes nothing."""

import subprocess
import sys
from pathlib import Path

import pytest

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow


def sojourn(rest):
    command = f"{sys.executable} -m sojourn {rest}"
    return subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "command", ["list queues", "list queues --json", "explain red", "run red_classic --set duration=2s --set warmup=1s"]
)
def test_an_output_that_is_full_is_named(command):
    done = sojourn(f"{command} > /dev/full")
    assert done.returncode == 1
    assert "error: standard output: no space left on device" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


SHORT = "--set duration=4s --set warmup=1s"


@pytest.mark.parametrize("reader", ["true", "head -1"])
@pytest.mark.parametrize(
    "command",
    [
        "list metrics",
        "explain red",
        "schema",
        "fluid red_classic",
        f"run home_uplink {SHORT}",
        f"compare home_uplink --queue fifo,codel --seeds 2 {SHORT}",
        f"compare home_uplink --queue fifo,codel --seeds 2 {SHORT} --json",
        f"sweep home_uplink --over dumbbell.rate=1Mbit,2Mbit --seeds 2 {SHORT}",
    ],
)
def test_a_reader_that_has_enough_hears_nothing(command, reader):
    """`| head` and `| true` are not errors; a command prints its warnings before its output."""
    said = [line for line in sojourn(f"{command} | {reader}").stderr.splitlines() if line]
    assert [line for line in said if not line.startswith(("note: ", "warning: ", "  hint: "))] == []


def test_a_report_is_written_although_nobody_reads_the_table(tmp_path):
    words = f"compare home_uplink --queue fifo,codel --seeds 2 {SHORT} --report {tmp_path / 'r.html'}"
    sojourn(f"{words} | true")
    assert (tmp_path / "r.html").exists()
