"""The script that compiles the laboratory finds its compiler, or names the missing part."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "site" / "build-wasm"


def parts(**environment: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, **environment}
    return subprocess.run([SCRIPT, "--parts"], env=env, capture_output=True, text=True, check=False)


def test_debian_s_compiler_is_found_with_its_linker_and_sources():
    if shutil.which("dpkg") is None or subprocess.run(["dpkg", "-s", "rustc-web"], capture_output=True).returncode:
        pytest.skip("Debian's compiler is not installed: apt install rustc-web rust-web-src lld-19")

    found = parts(SOJOURN_WASM="debian")

    assert found.returncode == 0, found.stderr
    named = dict(line.split(": ") for line in found.stdout.splitlines())
    assert set(named) == {"debian", "linker", "sources"}
    assert all(Path(path).exists() for path in named.values())
    version = subprocess.run([named["debian"], "--version"], capture_output=True, text=True, check=True).stdout
    assert version.startswith("rustc ")


def test_without_a_compiler_it_says_what_to_install(tmp_path: Path):
    for tool in ("bash", "dirname", "grep"):
        (tmp_path / tool).symlink_to(shutil.which(tool))

    found = parts(PATH=str(tmp_path))

    assert found.returncode == 3
    assert "apt install rustc-web rust-web-src lld-19" in found.stderr
