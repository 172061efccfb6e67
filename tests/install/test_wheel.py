"""The wheel in an empty environment: what is in it, how large it is, and the README's own commands."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
VERSION = re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.M)[1]

# What takes minutes is walked in short: the same commands with fewer runs.
SHORTER = {
    "sojourn lab": "sojourn lab --help",
    "--seeds 20": "--seeds 2",
    "haider2005 --quick": "haider2005 --quick --only H1",
    "--over dumbbell.queue.max_p=0.02,0.1": "--over dumbbell.queue.max_p=0.02,0.1 --seeds 2",
}
# Its file is the reader's own.
OWN = "arrivals.pcap"


class Installed:
    """An environment with the wheel alone."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.work = folder / "work"
        self.work.mkdir()
        self.wheel = wheel
        self.bin = folder / "venv" / "bin"
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        self.install(wheel)

    def install(self, what: object) -> None:
        pip = [self.bin / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--constraint", ROOT / "requirements.txt", str(what)], check=True)

    def run(self, command: str, *, code: int = 0) -> subprocess.CompletedProcess[str]:
        path = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"}
        path.pop("PYTHONPATH", None)
        done = subprocess.run(
            shlex.split(command), cwd=self.work, env=path, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, f"{command}\n{done.stdout}{done.stderr}"
        return done

    def megabytes(self) -> float:
        """Of all packages besides pip and setuptools, which every environment has."""
        packages = next((self.bin.parent / "lib").glob("python3*/site-packages"))
        own = [
            path
            for path in packages.iterdir()
            if not path.name.startswith(("pip", "setuptools", "pkg_resources", "_distutils"))
        ]
        files = [file for path in own for file in ([path] if path.is_file() else path.rglob("*"))]
        return sum(file.stat().st_size for file in files if file.is_file() and file.suffix != ".pyc") / 1e6


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Without extras."""
    wheels = sorted((ROOT / "dist").glob(f"sojourn-{VERSION}-*.whl"), key=lambda path: path.stat().st_mtime)
    if not wheels:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("there is no wheel: make wheel")
    return Installed(tmp_path_factory.mktemp("install"), wheels[-1])


def said_megabytes(what: str) -> float:
    return float(re.search(rf"{what}[^.|]*?(\d+) MB", README)[1])


def test_the_wheel_is_for_every_python_and_has_all_that_belongs_to_it(bare: Installed):
    assert "-cp311-abi3-" in bare.wheel.name
    assert bare.run("sojourn --version").stdout.strip() == f"sojourn {VERSION}"
    json.loads(bare.run("sojourn schema").stdout)
    assert "red_classic" in bare.run("sojourn list scenarios").stdout
    bare.run("sojourn run red_classic --set duration=5s --set warmup=1s")
    page = bare.run("python -c 'from sojourn.cli.lab import PAGE; print(PAGE.stat().st_size)'").stdout
    assert int(page) > 500_000


def test_the_extra_is_asked_for_where_it_is_needed(bare: Installed):
    assert "sojourn[report]" in bare.run("sojourn run red_classic --report red.html", code=2).stderr
    assert list(bare.work.iterdir()) == []


def test_the_readme_says_how_large_it_is_and_its_commands_work(bare: Installed):
    assert bare.megabytes() == pytest.approx(said_megabytes("alone takes"), rel=0.15)
    bare.install(f"{bare.wheel}[report]")
    assert bare.megabytes() == pytest.approx(said_megabytes("with reports"), rel=0.15)

    assert "haider2005" in bare.run("sojourn list papers").stdout
    (bare.work / "out").mkdir()
    commands = [line.partition("  #")[0].strip() for line in README.splitlines() if line.strip().startswith("sojourn ")]
    assert len(commands) >= 10
    for command in commands:
        if OWN in command:
            continue
        for long, shorter in SHORTER.items():
            command = command.replace(long, shorter)
        bare.run(command)
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", README, re.S)):
        (bare.work / f"{number}.py").write_text(code, encoding="utf-8")
        bare.run(f"python {number}.py")
    written = {path.name for path in bare.work.rglob("*.html")}
    assert {"home.html", "compare.html", "sweep.html", "comparison.html"} <= written
