"""Processes and what they used."""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SETUP_SECONDS = 0.001


@dataclass(frozen=True)
class Run:
    cpu_seconds: float
    peak_mib: float
    output: dict[str, float]


def execute(command: Sequence[str], cpu: int) -> Run:
    """One process on one CPU, with what it used."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen(
            command, stdout=out, stderr=err, cwd=ROOT, preexec_fn=lambda: os.sched_setaffinity(0, {cpu})
        )
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        text, message = out.read().decode(), err.read().decode()
    if child.returncode != 0:
        raise SystemExit(f"{shlex.join(command)}: exit {child.returncode}: {message.strip()}")
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, json.loads(text))


def has_valgrind() -> bool:
    return shutil.which("valgrind") is not None


def instructions(command: Sequence[str], kept: str = "/dev/null") -> tuple[int, dict[str, float]]:
    """Instructions that a process executes, and its output. The count is the same on a busy machine. Which lines they
    belong to is kept in a file."""
    counter = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={kept}"]
    done = subprocess.run([*counter, *command], check=True, capture_output=True, text=True, cwd=ROOT)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if found is None:
        raise SystemExit(f"{shlex.join(command)}: valgrind counted nothing: {done.stderr.strip()}")
    return int(found[1]), json.loads(done.stdout)


def spread(values: Sequence[float], digits: int = 3) -> str:
    """Median (lowest to highest)."""
    middle, low, high = statistics.median(values), min(values), max(values)
    return f"{middle:.{digits}g} ({low:.{digits}g}–{high:.{digits}g})"


def spread_of_ratios(values: Sequence[float]) -> str:
    """The same of ratios: two decimals, so that a row of seven fits on a page."""
    return f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


def machine() -> str:
    """Processor, cores, memory, system."""
    processor = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        processor = names[0].split(":", 1)[1].strip() if names else processor
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{processor}, {os.cpu_count()} CPUs, {memory:.0f} GiB, {platform.system()} {platform.release()}"
