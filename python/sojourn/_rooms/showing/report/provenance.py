"""The data that a stranger needs to make a report again."""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

__all__ = ["command", "provenance", "ranges"]


def provenance(version: str, seeds: Iterable[int]) -> dict[str, str]:
    """The command if it was one, the seeds, the versions."""
    named = Path(sys.argv[0]).name if sys.argv else ""
    versions = [f"Sojourn {version}"] if version else []
    return {
        **({"Command": command(sys.argv[1:])} if named == "sojourn" else {}),
        "Seeds": ranges(seeds),
        "Versions": ", ".join([*versions, f"Python {platform.python_version()}", f"polars {pl.__version__}"]),
    }


def command(arguments: Sequence[str]) -> str:
    """A command that a reader can repeat: folders outside of the working directory are those of one machine.

    >>> command(["run", "red.toml", "--out", "/home/ann/out", "--report=../ann/red.html", "--set", "duration=5s"])
    'sojourn run red.toml --out out --report=red.html --set duration=5s'
    """
    return shlex.join(["sojourn", *map(_without_folder, arguments)])


def _without_folder(argument: str) -> str:
    name, sign, value = argument.rpartition("=")
    path = Path(value)
    return f"{name}{sign}{path.name}" if path.is_absolute() or ".." in path.parts else argument


def ranges(seeds: Iterable[int]) -> str:
    """Seeds in words: ``1 to 20``."""
    known = sorted(seeds)
    if len(known) > 2 and known == list(range(known[0], known[-1] + 1)):
        return f"{known[0]} to {known[-1]}"
    return ", ".join(map(str, known))
