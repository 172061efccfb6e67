"""An environment with the wheel alone, and a folder to work in."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.search(r'^version = "(.+)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.M)[1]


def wheel() -> Path | None:
    """The newest wheel of this version that `make test` or `make wheel` left."""
    wheels = [path for folder in ("target/wheels", "dist") for path in (ROOT / folder).glob(f"sojourn-{VERSION}-*.whl")]
    return max(wheels, key=lambda path: path.stat().st_mtime, default=None)


class Installed:
    """An environment with the wheel alone, or with nothing yet."""

    def __init__(self, folder: Path, what: object = None, *, compiled: bool = True) -> None:
        self.compiled = compiled
        self.work = folder / "work"
        self.work.mkdir()
        self.wheel = what
        self.bin = folder / "venv" / "bin"
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        if what is not None:
            self.install(what)

    def install(self, what: object) -> None:
        pip = [self.bin / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        # A reader's pip compiles every module; a test spares that where it measures no time.
        pip += [] if self.compiled else ["--no-compile"]
        subprocess.run([*pip, "--constraint", ROOT / "requirements.txt", str(what)], check=True)

    def run(self, command: str, *, code: int = 0) -> subprocess.CompletedProcess[str]:
        path = {**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"}
        path.pop("PYTHONPATH", None)
        done = subprocess.run(
            shlex.split(command), cwd=self.work, env=path, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, f"{command}\n{done.stdout}{done.stderr}"
        return done
