"""The time that commands spend on a reproduction: kept beside finished runs, so that it outlives a killed command."""

from __future__ import annotations

import json
import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ... import _core
from .._base.files import StudyWarning, write_whole
from .._base.seal import is_whole, sealed

__all__ = ["Spent", "spending"]

_SPENT = "spent.json"
_MEASURED = "measured"
"""The part of a directory of finished runs that has the runs."""


@dataclass(frozen=True, kw_only=True)
class Spent:
    """Time that a reproduction took: by the clock, and of all cores together; `partial` if some of it is not known."""

    wall_seconds: float
    cpu_seconds: float
    partial: bool = False


@contextmanager
def spending(out: Path | None) -> Iterator[Callable[[], Spent]]:
    """Keep the time that a command takes, with the time that this build spent before, in the directory of runs.

    While the command works the record is partial, so that it stays so if the command is killed. The function gives the
    time spent until now.
    """
    there = out is not None and (out / _MEASURED).exists()
    before = _before(out, there=there)
    started, begun = time.monotonic(), _cpu_seconds()

    def until_now() -> Spent:
        return Spent(
            wall_seconds=before.wall_seconds + time.monotonic() - started,
            cpu_seconds=before.cpu_seconds + _cpu_seconds() - begun,
            partial=before.partial,
        )

    if out is not None and out.is_dir():
        _keep_spent(out, replace(before, partial=True))
    try:
        yield until_now
    finally:
        if out is not None and out.is_dir():
            _keep_spent(out, until_now())


def _cpu_seconds() -> float:
    """CPU seconds of this process, its threads and its children that have ended."""
    found = os.times()
    return found.user + found.system + found.children_user + found.children_system


def _before(out: Path | None, *, there: bool) -> Spent:
    """The time that this build spent in a directory; for runs without a record it is not known."""
    kept = {} if out is None else _spent_times(out / _SPENT)
    if kept.get("sojourn") != _core.build():
        return Spent(wall_seconds=0.0, cpu_seconds=0.0, partial=there and not kept)
    return Spent(**{name: kept[name] for name in Spent.__dataclass_fields__ if name in kept})


def _keep_spent(out: Path, now: Spent) -> None:
    write_whole(out / _SPENT, sealed({"sojourn": _core.build(), **asdict(now)}), follow=False)


def _spent_times(file: Path) -> dict[str, Any]:
    """The time that was spent before; zero, with a warning, if the record is damaged."""
    if not file.exists():
        return {}
    try:
        kept = json.loads(file.read_bytes())
        if isinstance(kept, dict) and is_whole(kept):
            return kept
    except (ValueError, RecursionError):
        pass
    message = f"{file} is damaged: the time that is shown is that of this command alone"
    warnings.warn(message, StudyWarning, stacklevel=3)
    return {}
