"""The times of quick runs: ``benchmarks/works.py`` writes ``quick.toml`` into the folder of each work."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from .._base import toml
from .._base.files import write_whole
from .._base.schema import Wrong, made, told_of
from .folders import own_folders, record_of
from .work import find

__all__ = ["MOST_SECONDS", "QUICK_FILE", "Took", "keep", "read", "table"]

QUICK_FILE = "quick.toml"
MOST_SECONDS = 90
"""Greatest wall time of a quick run."""


@dataclass(frozen=True, kw_only=True)
class Took:
    """The time of a quick run of a work, and the number of its decisions.

    Attributes
    ----------
    version, date
        Of Sojourn, and of the run.
    wall_seconds, cpu_seconds, cores
        Of the whole command, and of the machine.
    claims, decided
        Under the first reading of the work.
    """

    version: str
    date: str
    wall_seconds: float
    cpu_seconds: float
    cores: int
    claims: int
    decided: int


def keep(folder: Path, took: Took) -> None:
    """Write the time of a quick run into the folder of its work."""
    file = record_of(folder, QUICK_FILE)
    file.parent.mkdir(exist_ok=True)
    write_whole(file, "# Made by `benchmarks/works.py`.\n" + toml.document(asdict(took)))


def read(folder: Path) -> Took | None:
    """The time of the last measured quick run."""
    file = record_of(folder, QUICK_FILE)
    if not file.exists():
        return None
    try:
        return made(Took, toml.read(file))
    except Wrong as wrong:
        raise told_of(wrong, [(file, ())]) from None


def table(up: str) -> str:
    """A line for each work that was measured; `up` leads from the page to the repository's folder."""
    lines = [
        "| work | time | CPU time | cores | claims | decided | version, date |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for folder in (own_folders() or find()).values():
        if took := read(folder):
            name = f"[{folder.name}]({up}python/sojourn/_papers/{folder.name}/README.md)"
            cells = [name, f"{took.wall_seconds:.0f} s", f"{took.cpu_seconds:.0f} s", str(took.cores)]
            cells += [str(took.claims), str(took.decided), f"{took.version}, {took.date}"]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""
