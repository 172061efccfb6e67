"""What a user is told of a standard output that takes nothing."""

import subprocess
import sys
from pathlib import Path

import pytest


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


def test_a_reader_that_has_enough_hears_nothing():
    assert sojourn("list metrics | head -1").stderr == ""
