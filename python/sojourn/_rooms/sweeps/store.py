"""The finished runs of a sweep, or of a work, on disk: one file with a line for each run, of a few hundred bytes.

A line is written when its run ends, so that a sweep that is stopped loses at most the runs in progress. Lines are found
by the key of the run (:func:`runs.store.run_key`): points and seeds that are added later repeat nothing. Each
line has a check of its own: a damaged one is named, and its run is made again (:mod:`sweeps.rows`).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ... import _core
from .._base.files import write_whole
from .._base.lock import LOCK, is_ours_lock, locked
from .._base.seal import is_whole, sealed
from .rows import LENGTH, ROWS, Rows, has_rows, rows_of

if TYPE_CHECKING:
    from _typeshed import StrPath

    from ..scenario.scenario import Scenario
    from .outcome import Swept

__all__ = ["RunStore", "load_sweep"]

_ABOUT = "sweep.json"
_OLD = "runs.sqlite"
"""The file of runs of versions before 0.3."""
_SPENT = "spent.json"
"""The records that the runs of a work leave beside them (`sojourn._rooms.works.scoreboard`)."""
_WARNINGS = "#warnings"
"""The name of a run's warnings among its values."""
_OURS = frozenset({ROWS, LENGTH, LOCK, _ABOUT})


Job = tuple[str, int]
"""Label of the point, and seed."""


class RunStore:
    """Values of finished runs by their keys. May be used from several threads.

    Parameters
    ----------
    folder
        Made if it is not there. It must be empty or hold a sweep.
    to_read
        Nothing is written and no lock is taken: the sweep may be running, and the folder one that cannot be written.

    Raises
    ------
    FileExistsError
        If the folder holds something else.
    OSError
        If its file cannot be read or written, here and by the methods.
    ValueError
        If another process works on it.
    """

    def __init__(self, folder: Path, *, to_read: bool = False) -> None:
        if folder.exists() and not folder.is_dir():
            raise FileExistsError(f"{folder} is a file; a sweep is written to a directory")
        self.folder = folder
        self._path = folder / ROWS
        self._rows: Rows | None = None
        self._warned = False
        self._held = ExitStack()
        if to_read:
            return
        self._check()
        folder.mkdir(parents=True, exist_ok=True)
        with ExitStack() as held:
            held.enter_context(locked(folder))
            self._rows = Rows(folder)
            _warn(self._rows.damages, "made again")
            self._held = held.pop_all()

    def _check(self) -> None:
        """Refuse a folder of something else, before anything is written."""
        if not self.folder.is_dir():
            return
        names = {entry.name for entry in self.folder.iterdir()} - {LOCK}
        # Files that a killed process leaves beside ours are hidden.
        names = {name for name in names if not name.startswith(tuple(f".{own}." for own in _OURS))}
        is_ours = (
            (ROWS in names and _is_of_rows(self._path))
            or _OLD in names
            or _is_described(self.folder / _ABOUT)
            or (is_ours_lock(self.folder) and names <= _OURS)
        )
        if names and not is_ours:
            raise FileExistsError(f"{self.folder} has other files in it and is not a sweep; name a new directory")

    def __enter__(self) -> RunStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._held:
            if self._rows is not None:
                self._rows.close()

    def save(self, key: str, found: dict[str, float], warnings: Sequence[str] = ()) -> None:
        """Keep the values of a run and its warnings, besides the values of other metrics that are there."""
        if self._rows is None:
            raise ValueError(f"{self.folder} was opened to be read")
        warned = {_WARNINGS: list(warnings)} if warnings else {}
        self._rows.append(key, {**{name: _written(value) for name, value in found.items()}, **warned})

    def load(self, keys: Sequence[str], metrics: Sequence[str]) -> dict[str, dict[str, float]]:
        """The runs among these that have all the metrics."""
        wanted = set(metrics)
        return {
            key: {name: _read(values[name]) for name in metrics}
            for key, values in self._read(keys).items()
            if wanted <= set(values)
        }

    def warnings(self, keys: Mapping[Job, str]) -> dict[Job, tuple[str, ...]]:
        """The warnings of the runs with these keys, if there are any."""
        found = self._read(keys.values())
        return {job: tuple(found[key][_WARNINGS]) for job, key in keys.items() if _WARNINGS in found.get(key, ())}

    def describe(self, asked: Swept) -> None:
        """Write down the request, so that ``sojourn report`` knows it; see :func:`load_sweep`.

        Raises
        ------
        ValueError
            If the folder holds a sweep of another scenario.
        """
        content = {
            "sojourn": _core.build(),
            "title": asked.title,
            "scenario": json.loads(asked.scenario.resolved_json),
            "written": asked.scenario.written,
            "axes": {name: axis.points for name, axis in asked.axes.items()},
            "metrics": [asdict(metric) for metric in asked.metrics],
            "seeds": list(asked.seeds),
            **({"until": asked.ending.as_json()} if asked.ending else {}),
        }
        self._check_same(content["scenario"])
        write_whole(self.folder / _ABOUT, sealed(content), follow=False)

    def _check_same(self, scenario: Mapping[str, Any]) -> None:
        """Refuse to describe a scenario other than that of the runs here."""
        from ..runs.store import check_same_scenario

        path = self.folder / _ABOUT
        if not path.exists():
            return
        try:
            before = _about(path)
        except _DamagedError as damage:
            _warn([str(damage)], "made again")
            return
        if before["sojourn"] == _core.build():
            check_same_scenario(self.folder, before["scenario"], scenario)

    def save_parts(self, key: str, found: Mapping[str, Sequence[float]]) -> None:
        """As :meth:`save`, for metrics of which several numbers are kept."""
        self.save(key, {f"{name}#{place}": part for name, parts in found.items() for place, part in enumerate(parts)})

    def load_parts(self, keys: Sequence[str]) -> dict[str, dict[str, tuple[float, ...]]]:
        """All kept values of these runs."""
        found: dict[str, dict[str, tuple[float, ...]]] = {}
        for key, values in self._read(keys).items():
            parts = found.setdefault(key, {})
            # Sorted by the number behind the name: with ten parts or more, alphabetical order would differ.
            for name, value in sorted(values.items(), key=_place):
                if name == _WARNINGS:
                    continue
                metric = name.rpartition("#")[0]
                parts[metric] = (*parts.get(metric, ()), _read(value))
        return found

    def _read(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        if not self._path.exists():
            return {}
        found, damages = rows_of(self._path, set(keys))
        if not self._warned:
            _warn(damages, "left out")
            self._warned = bool(damages)
        return found


def _place(part: tuple[str, Any]) -> tuple[str, int]:
    metric, _, place = part[0].rpartition("#")
    return metric, int(place) if place.isdecimal() else 0


class _DamagedError(Exception):
    """The description of a sweep cannot be used: the file, and the mistake in it."""


def _about(path: Path) -> dict[str, Any]:
    """The request of a sweep."""
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        raise _DamagedError(f"{path} is cut off or damaged") from None
    wanted = {"sojourn": str, "scenario": dict, "axes": dict, "metrics": list, "seeds": list}
    if not isinstance(content, dict) or not all(isinstance(content.get(key), kind) for key, kind in wanted.items()):
        raise _DamagedError(f"{path} is not a file as Sojourn writes it")
    whole = is_whole(content)
    # Older versions wrote no hash.
    if whole is False or (whole is None and content["sojourn"] == _core.build()):
        raise _DamagedError(f"{path} has changed since it was written")
    return content


def _is_described(path: Path) -> bool:
    """Whether a file describes a sweep, damaged or not, rather than something else of this name."""
    try:
        return path.is_file() and b'"sojourn"' in path.read_bytes()[:100]
    except OSError:
        return False


def _is_of_rows(path: Path) -> bool:
    """Whether a file of this name is ours: it is empty, or some row of it is whole."""
    return path.is_file() and (path.stat().st_size == 0 or has_rows(path))


def _warn(damages: Sequence[str], fate: str) -> None:
    from ..runs.store import warn_of_damages

    warn_of_damages(damages, fate, what="part")


def _written(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _read(value: float | None) -> float:
    return math.nan if value is None else value


def load_sweep(path: StrPath) -> Swept:
    """The results in a directory of the latest sweep, finished, running or not; nothing is run.

    Raises
    ------
    FileNotFoundError
        If it is not a sweep.
    ValueError
        If its description is damaged.
    """
    from ..runs.metrics import Metric
    from ..runs.store import run_key
    from .axes import Axis, scenarios
    from .ending import Ending
    from .outcome import Swept

    folder = Path(path)
    if not (folder / _ABOUT).exists():
        text = f"{folder} holds neither a study nor a sweep: it has no manifest.json and no {_ABOUT}"
        hint = "\n  hint:    these are a work's runs: sojourn reproduce KEY --out DIR --report FILE.html repeats none"
        raise FileNotFoundError(text + hint * (folder / _SPENT).exists())
    if (folder / _OLD).exists() and not (folder / ROWS).exists():
        raise ValueError(
            f"{folder / _OLD} was written by an older version, which kept no checks of its rows\n"
            "  hint:    the command that made the sweep makes its runs again"
        )
    try:
        content = _about(folder / _ABOUT)
        scenario = _scenario(content)
        over = {name: Axis(points=points) for name, points in content["axes"].items()}
        metrics = tuple(Metric(**metric) for metric in content["metrics"])
        names = [metric.name for metric in metrics]
        keys = {
            (label, seed): run_key(one, seed, release=content["sojourn"])
            for label, one in scenarios(scenario, over).items()
            for seed in content["seeds"]
        }
    except _DamagedError as damage:
        raise _not_read(str(damage)) from None
    except (AttributeError, KeyError, TypeError):
        raise _not_read(f"{folder / _ABOUT} is not a file as Sojourn writes it") from None
    with RunStore(folder, to_read=True) as store:
        known = store.load(list(keys.values()), names)
        warnings = store.warnings(keys)
    ending = Ending.of_json(content["until"]) if "until" in content else None
    seeds = tuple(content["seeds"])
    if ending:
        # More runs may be there, of a sweep that asked for more.
        seen = {(label, seed) for label, runs in ending.runs.items() for seed in seeds[:runs]}
        keys = {job: key for job, key in keys.items() if job in seen}
        warnings = {job: said for job, said in warnings.items() if job in seen}
    values = {job: tuple(known[key].values()) for job, key in keys.items() if key in known}
    return Swept(over, metrics, seeds, values, scenario, warnings, content.get("title", ""), ending)


def _not_read(damage: str) -> ValueError:
    return ValueError(f"{damage}\n  hint:    the command that made the sweep makes it again")


def _scenario(content: Mapping[str, Any]) -> Scenario:
    """The scenario as it was written, for axes may set keys that it leaves out; or as it was run, if that is gone."""
    from ..scenario.scenario import Scenario

    as_run = Scenario.from_resolved(json.dumps(content["scenario"]))
    if "written" not in content:
        return as_run
    text, file, overrides = content["written"]
    try:
        found = Scenario.from_toml(text, file=file, overrides=overrides)
    except (OSError, ValueError):
        return as_run
    # A file that it names may have changed since.
    return found if found == as_run else as_run
