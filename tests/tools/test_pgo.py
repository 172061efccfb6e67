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


def test_the_core_is_built_with_counters_run_and_built_with_what_was_counted(tmp_path: Path, monkeypatch):
    """With stand-ins for the compilers, and one short run: two builds and 19 runs take minutes."""
    names = runpy.run_path(str(TOOL))["main"].__globals__
    programs, library = tmp_path / "bin", tmp_path / "lib" / "x86_64" / "lib"
    programs.mkdir()
    library.mkdir(parents=True)
    kept, counted = tmp_path / "pgo", tmp_path / "counted"
    stand_in(programs / "rustc", f"echo {library}")
    # The build gives the core that is installed; a run of a core with counters leaves a file.
    stand_in(
        programs / "cargo",
        f'echo "cargo $* $RUSTFLAGS" >>{counted}; mkdir -p $CARGO_TARGET_DIR/release; '
        f'cp {sojourn._core.__file__} $CARGO_TARGET_DIR/release/lib_core.so; touch "${{RUSTFLAGS#*=}}/a.profraw"',
    )
    (library.parent / "bin").mkdir()
    stand_in(library.parent / "bin" / "llvm-profdata", f'echo "merge $*" >>{counted}; touch "$3"')
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    names |= {"KEPT": kept, "PROFILE": kept / "sojourn.profdata", "TRAINING": ("udp_blast --set duration=2s",)}

    command = ["sh", "-c", f'echo "command $RUSTFLAGS $CARGO_TARGET_DIR" >>{counted}']
    assert names["main"](command) == 0
    # The profile is kept until a source is newer.
    assert names["main"](command) == 0

    build, merge, *commands = counted.read_text(encoding="utf-8").splitlines()
    assert build == (f"cargo build --release --locked --package sojourn-python -Cprofile-generate={kept}/counts")
    # The counts of the build itself are thrown away.
    assert merge == f"merge merge --output {kept}/sojourn.new"
    assert commands == 2 * [f"command -Cprofile-use={kept}/sojourn.profdata {kept}/trained"]


def stand_in(program: Path, does: str) -> None:
    """A program that does this."""
    program.write_text(f"#!/bin/sh\n{does}\n", encoding="utf-8")
    program.chmod(0o755)
