"""What a stranger needs to make a report again."""

from __future__ import annotations

import platform
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

import polars as pl


def provenance(version: str, seeds: Iterable[int]) -> dict[str, str]:
    """The command if it was one, the seeds, the versions."""
    named = Path(sys.argv[0]).name if sys.argv else ""
    versions = [f"Sojourn {version}"] if version else []
    return {
        **({"Command": shlex.join(["sojourn", *sys.argv[1:]])} if named == "sojourn" else {}),
        "Seeds": _ranges(seeds),
        "Versions": ", ".join([*versions, f"Python {platform.python_version()}", f"polars {pl.__version__}"]),
    }


def _ranges(seeds: Iterable[int]) -> str:
    """Seeds in words: ``1 to 20``."""
    known = sorted(seeds)
    if len(known) > 2 and known == list(range(known[0], known[-1] + 1)):
        return f"{known[0]} to {known[-1]}"
    return ", ".join(map(str, known))
