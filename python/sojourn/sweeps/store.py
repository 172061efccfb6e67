"""The finished runs of a sweep on disk: one SQLite file with a row for each run, of a few hundred bytes.

A row is written when its run ends, so that whatever stops a sweep loses at most the runs in flight. Rows are found by
the key of the run (:func:`sojourn.store.run_key`): points and seeds that are added later repeat nothing.
"""

from __future__ import annotations

import json
import math
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .. import _core
from .._files import write_whole

if TYPE_CHECKING:
    from _typeshed import StrPath

    from ..scenario import Scenario
    from .swept import Swept

__all__ = ["RunStore", "load_sweep"]

_FILE = "runs.sqlite"
_ABOUT = "sweep.json"
_SPENT = "spent.json"
"""What the runs of a work leave beside them (`sojourn.reproduce.scoreboard`)."""
_WARNINGS = "#warnings"
"""Beside the values of a run: what it warns of."""


Job = tuple[str, int]
"""Label of the point, and seed."""


class RunStore:
    """Values of finished runs by their keys. May be used from several threads.

    Parameters
    ----------
    folder
        Made if it is not there. It must be empty or hold a sweep.
    to_read
        Nothing is written: the folder may be one that cannot be.

    Raises
    ------
    FileExistsError
        If the folder holds something else.
    OSError
        If its file cannot be read or written, here and by the methods.
    ValueError
        If its file is damaged, or another process works on it.
    """

    def __init__(self, folder: Path, *, to_read: bool = False) -> None:
        if folder.exists() and not folder.is_dir():
            raise FileExistsError(f"{folder} is a file; a sweep is written to a directory")
        if folder.is_dir() and not (folder / _FILE).exists() and any(folder.iterdir()):
            raise FileExistsError(f"{folder} has other files in it and is not a sweep; name a new directory")
        self.path = folder / _FILE
        self._lock = threading.Lock()
        if not to_read:
            folder.mkdir(parents=True, exist_ok=True)
        with self._named():
            address = f"{self.path.resolve().as_uri()}?mode={'ro' if to_read else 'rwc'}"
            self._database = sqlite3.connect(address, uri=True, check_same_thread=False, timeout=0.5)
            try:
                if to_read:
                    self._database.execute("SELECT key FROM run LIMIT 1")
                else:
                    self._hold()
            except sqlite3.DatabaseError:
                self._database.close()
                raise

    def _hold(self) -> None:
        """Until the end: a second process gets a message instead of runs made twice."""
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._database.execute("PRAGMA journal_mode = TRUNCATE")
        # A killed process loses nothing by this; only a machine that loses its power may.
        self._database.execute("PRAGMA synchronous = OFF")
        self._database.execute("CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, found TEXT) WITHOUT ROWID")
        self._database.execute("BEGIN IMMEDIATE")
        self._database.commit()

    @contextmanager
    def _named(self) -> Iterator[None]:
        """What the database says of its file, as anything else says it of a file."""
        try:
            yield
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                raise ValueError(f"{self.path.parent} is in use by another process") from None
            raise OSError(None, str(error), str(self.path)) from None
        except sqlite3.DatabaseError:
            raise ValueError(f"{self.path} is damaged\n  hint:    delete it; its runs are made again") from None

    def __enter__(self) -> RunStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._database.close()

    def save(self, key: str, found: dict[str, float], warnings: Sequence[str] = ()) -> None:
        """Keep the values of a run and what it warns of, besides the values of other metrics that are there."""
        with self._lock, self._named(), self._database:
            known = self._read([key]).get(key, {})
            warned = {_WARNINGS: list(warnings)} if warnings else {}
            text = json.dumps({**known, **{name: _written(value) for name, value in found.items()}, **warned})
            self._database.execute("INSERT OR REPLACE INTO run VALUES (?, ?)", (key, text))

    def load(self, keys: Sequence[str], metrics: Sequence[str]) -> dict[str, dict[str, float]]:
        """The runs among these that have all the metrics."""
        with self._lock:
            found = self._read(keys)
        wanted = set(metrics)
        return {
            key: {name: _read(values[name]) for name in metrics}
            for key, values in found.items()
            if wanted <= set(values)
        }

    def warnings(self, keys: Mapping[Job, str]) -> dict[Job, tuple[str, ...]]:
        """What the runs with these keys warn of, where there is something."""
        with self._lock:
            found = self._read(keys.values())
        return {job: tuple(found[key][_WARNINGS]) for job, key in keys.items() if _WARNINGS in found.get(key, ())}

    def describe(self, asked: Swept) -> None:
        """Write down what is asked for, so that ``sojourn report`` knows it; see :func:`load_sweep`."""
        content = {
            "sojourn": _core.build(),
            "title": asked.title,
            "scenario": json.loads(asked.scenario.resolved_json),
            "written": asked.scenario.written,
            "axes": {name: axis.points for name, axis in asked.axes.items()},
            "metrics": [asdict(metric) for metric in asked.metrics],
            "seeds": list(asked.seeds),
        }
        write_whole(self.path.parent / _ABOUT, json.dumps(content))

    def save_parts(self, key: str, found: Mapping[str, Sequence[float]]) -> None:
        """As :meth:`save`, for metrics of which several numbers are kept."""
        self.save(key, {f"{name}#{place}": part for name, parts in found.items() for place, part in enumerate(parts)})

    def load_parts(self, keys: Sequence[str]) -> dict[str, dict[str, tuple[float, ...]]]:
        """Everything that is kept of these runs."""
        with self._lock:
            rows = self._read(keys)
        found: dict[str, dict[str, tuple[float, ...]]] = {}
        for key, values in rows.items():
            parts = found.setdefault(key, {})
            for name, value in sorted(values.items()):
                metric = name.rpartition("#")[0]
                parts[metric] = (*parts.get(metric, ()), _read(value))
        return found

    def _read(self, keys: Iterable[str]) -> dict[str, dict[str, Any]]:
        found = {}
        with self._named():
            for key in keys:
                row = self._database.execute("SELECT found FROM run WHERE key = ?", (key,)).fetchone()
                if row is not None:
                    found[key] = json.loads(row[0])
        return found


def _opened(folder: Path) -> RunStore:
    """The runs of a folder, which may be one that cannot be written."""
    try:
        return RunStore(folder)
    except OSError:
        return RunStore(folder, to_read=True)


def _written(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _read(value: float | None) -> float:
    return math.nan if value is None else value


def load_sweep(path: StrPath) -> Swept:
    """What a directory has of the sweep that was asked for last, finished or not; nothing is run.

    Raises
    ------
    FileNotFoundError
        If it is no sweep.
    ValueError
        If what describes it is damaged.
    """
    from ..metrics import Metric
    from ..store import run_key
    from .axes import Axis, scenarios
    from .swept import Swept

    folder = Path(path)
    if not (folder / _ABOUT).exists():
        text = f"{folder} holds neither a study nor a sweep: it has no manifest.json and no {_ABOUT}"
        hint = "\n  hint:    these are a work's runs: sojourn reproduce KEY --out DIR --report FILE.html repeats none"
        raise FileNotFoundError(text + hint * (folder / _SPENT).exists())
    try:
        content = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
        scenario = _scenario(content)
        over = {name: Axis(points=points) for name, points in content["axes"].items()}
        metrics = tuple(Metric(**metric) for metric in content["metrics"])
        names = [metric.name for metric in metrics]
        keys = {
            (label, seed): run_key(one, seed, release=content["sojourn"])
            for label, one in scenarios(scenario, over).items()
            for seed in content["seeds"]
        }
    except (AttributeError, KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError):
        again = "the command that made the sweep makes it again"
        raise ValueError(f"{folder / _ABOUT} is not what Sojourn writes\n  hint:    {again}") from None
    with _opened(folder) as store:
        known = store.load(list(keys.values()), names)
        warnings = store.warnings(keys)
    values = {job: tuple(known[key].values()) for job, key in keys.items() if key in known}
    return Swept(over, metrics, tuple(content["seeds"]), values, scenario, warnings, content.get("title", ""))


def _scenario(content: Mapping[str, Any]) -> Scenario:
    """The scenario as it was written, for axes may touch what was left out in it; or as it was run, if that is gone."""
    from ..scenario import Scenario

    as_run = Scenario.from_resolved(json.dumps(content["scenario"]))
    if "written" not in content:
        return as_run
    text, file, overrides = content["written"]
    try:
        found = Scenario.from_toml(text, file=file, overrides=overrides)
    except (OSError, ValueError):
        return as_run
    # A file that it names may say something else by now.
    return found if found == as_run else as_run
