"""Builds with a profile of runs: without the tool the build goes on, and each scenario of the training is valid."""

from __future__ import annotations

import os
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import sojourn

ROOT = Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "pgo.py"
TRAINING = runpy.run_path(str(TOOL))["TRAINING"]


@pytest.mark.parametrize("line", TRAINING)
def test_each_scenario_of_the_training_can_be_run(line: str):
    name, *rest = shlex.split(line, posix=False)
    overrides = [one for one in rest if one != "--set"]
    sojourn.Scenario.load(name, overrides=[*overrides, "warmup=1s"])


def test_without_the_tool_the_command_runs_as_it_is_and_says_so(tmp_path: Path):
    compiler = tmp_path / "rustc"
    compiler.write_text(f"#!/bin/sh\necho {tmp_path}/lib\n", encoding="utf-8")
    compiler.chmod(0o755)
    path = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        [sys.executable, TOOL, "sh", "-c", "echo built; exit 3"], env=path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (3, "built\n")
    assert "rustup component add llvm-tools" in done.stderr


def test_no_command_is_refused_with_the_use():
    done = subprocess.run([sys.executable, TOOL], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "python tools/pgo.py maturin build" in done.stderr
