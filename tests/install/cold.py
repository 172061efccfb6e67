"""How long the wheel takes from the sources: ``python tests/install/cold.py --write evidence/newcomer/README.md``.

A fresh clone of this repository, without anything that was downloaded or compiled before, makes its wheel step by step;
then pip installs the wheel into an empty environment. Needs Rust, make and a network.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BEGIN, END = "<!-- begin cold -->", "<!-- end cold -->"
STEPS = {
    "`make .venv/.installed`: Python packages": ["make", ".venv/.installed"],
    "`make build`: compile the core": ["make", "build"],
    "`make lab`: compile the laboratory": ["make", "lab"],
    "`make wheel`: pack them": ["make", "wheel"],
}
INSTALL = "install the wheel with reports into an empty environment"


@dataclass(frozen=True)
class Step:
    """The time of a step by the clock, and of all processors; the number of runnable programs at its end."""

    what: str
    wall_s: float
    cpu_s: float
    load: float


def step(what: str, command: list[str], folder: Path, environment: dict[str, str]) -> Step:
    """Runs a command, and fails with it."""
    print(f"{what} ...", flush=True)
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment, check=True)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"{what}: {wall:.0f} s, {cpu:.0f} s of CPU time", flush=True)
    return Step(what, wall, cpu, os.getloadavg()[0])


def walk(folder: Path) -> list[Step]:
    """All steps in a fresh clone."""
    clone = folder / "sojourn"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, clone], check=True)
    # Nothing that was downloaded before is used: neither pip's files nor Cargo's.
    environment = {**os.environ, "CARGO_HOME": str(folder / "cargo"), "PIP_NO_CACHE_DIR": "1"}
    for name in ("CARGO_TARGET_DIR", "PYTHONPATH", "VIRTUAL_ENV"):
        environment.pop(name, None)
    done = [step(what, command, clone, environment) for what, command in STEPS.items()]
    wheel = next((clone / "dist").glob("*.whl"))
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pip = [str(folder / "venv" / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return [*done, step(INSTALL, [*pip, f"{wheel}[report]"], folder, environment)]


def table(done: list[Step]) -> str:
    """The steps as Markdown."""
    made = [one for one in done if one.what != INSTALL]
    lines = ["| step | by the clock | CPU time | load average at its end |", "|---|---:|---:|---:|"]
    lines += [f"| {one.what} | {one.wall_s:.0f} s | {one.cpu_s:.0f} s | {one.load:.1f} |" for one in made]
    lines += [f"| all of it | {sum(one.wall_s for one in made):.0f} s | {sum(one.cpu_s for one in made):.0f} s | |"]
    lines += [f"| {one.what} | {one.wall_s:.0f} s | {one.cpu_s:.0f} s | {one.load:.1f} |" for one in done[len(made) :]]
    date = time.strftime("%Y-%m-%d", time.gmtime())
    return f"Measured on {date} on {os.cpu_count()} cores, Python {sys.version.split()[0]}.\n\n" + "\n".join(lines)


def main() -> None:
    options = argparse.ArgumentParser(description="Make the wheel from nothing, with a clock.")
    options.add_argument("--write", type=Path, help="a page, between whose marks the table goes")
    options.add_argument("--in", dest="folder", type=Path, help="an empty folder to work in, which stays")
    chosen = options.parse_args()
    if chosen.folder:
        chosen.folder.mkdir(parents=True)
        done = walk(chosen.folder.resolve())
    else:
        with tempfile.TemporaryDirectory() as folder:
            done = walk(Path(folder))
    print(table(done))
    if chosen.write:
        head, rest = chosen.write.read_text(encoding="utf-8").split(BEGIN)
        tail = rest.split(END)[1]
        chosen.write.write_text(f"{head}{BEGIN}\n\n{table(done)}\n\n{END}{tail}", encoding="utf-8")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error}")
