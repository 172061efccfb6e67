"""A study on disk: ``manifest.json`` and, for each finished run, a directory of Parquet tables.

::

    study/
      .lock                     held while a process works on the study
      manifest.json             the request: variants, seeds, version, and the key of each run
      runs/<key>/run.json       the run's identity: resolved scenario, seed, version, and a hash of each of its files
      runs/<key>/queue.parquet  its tables
      runs/<key>/pcap/          its capture files, if it has any

The key is a hash of (resolved scenario, seed, build), and of the source of users' own queues and window laws in it. A
run's directory is written beside its place and renamed into it, so it is there whole or not at all: a study that is
killed half way goes on where it stopped, and no finished run is repeated. Files that have been damaged since are found
by the hashes, named, and made again.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._core import build
from .._base.files import StudyWarning, aside, naming, sync_folder, write_new, write_whole
from .._base.lock import LOCK, locked
from .._base.seal import is_whole, sealed
from ..own._classes import sources
from ..scenario.scenario import Scenario
from .comparison import Comparison
from .result import Result, Study
from .tables import Stored, Tables
from .until import Until

if TYPE_CHECKING:
    import polars as pl

__all__ = ["StudyDirectory", "StudyWarning", "check_same_scenario", "load_study", "run_key", "warn_of_damages"]

_FORMAT = 1

# Files that a killed process leaves; `aside` gives them these names.
_LEFT = re.compile(r"\.(?:[0-9a-f]{20}|manifest\.json)\.[0-9a-f]{32}")

_ELSEWHERE = "\n  hint:    name another directory"

# Bytes of a file, or of the table in it, from which on the table stays there until somebody asks for it.
_LARGE = 1 << 14

# Damaged runs that a message names; the others are counted.
_NAMED = 5


class _DamagedError(Exception):
    """A file of a study cannot be used: its name, and the reason."""


def run_key(scenario: Scenario, seed: int, *, release: str | None = None) -> str:
    """Name of a run: the same for the same resolved scenario, seed, build, and source of users' own classes in it."""
    resolved, text = _canonical(scenario.resolved_json)
    rest = {"seed": seed, "version": release or build()}
    # A run is also a function of the source of the user's own classes in it.
    own = sources(resolved)
    first = f'"own":{_dumped(own)},' if own else ""
    content = f'{{{first}"scenario":{text},{_dumped(rest)[1:]}'
    return hashlib.sha256(content.encode()).hexdigest()[:20]


@lru_cache(maxsize=1024)
def _canonical(resolved_json: str) -> tuple[dict[str, Any], str]:
    """A resolved scenario, and its text with keys in order; cached, because every seed needs them."""
    resolved = json.loads(resolved_json)
    return resolved, _dumped(resolved)


def _dumped(content: Any) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True)
class StudyDirectory:
    """Finished runs in a directory.

    Parameters
    ----------
    path
        The directory; made when it is held.
    """

    path: Path

    @property
    def _manifest(self) -> Path:
        return self.path / "manifest.json"

    def check(self) -> None:
        """Refuse a place that holds something other than a study, before anything is written."""
        if self.path.exists() and not self.path.is_dir():
            raise NotADirectoryError(f"{self.path} is a file; a study is written to a directory")
        if not self.path.is_dir():
            return
        names = {entry.name for entry in self.path.iterdir()} - {LOCK}
        names = {name for name in names if not _LEFT.fullmatch(name)}
        if "manifest.json" in names and "runs" not in names:
            try:
                self._read_manifest()
            except (_DamagedError, ValueError):
                raise FileExistsError(
                    f"{self.path} has a manifest.json of something else; name a new directory"
                ) from None
        # A process that was killed early has written no manifest.
        if "manifest.json" not in names and names - {"runs"}:
            raise FileExistsError(f"{self.path} has other files in it and is not a study; name a new directory")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes out, and remove files that killed ones have left.

        Raises
        ------
        ValueError
            If another process works on the study.
        """
        runs = self.path / "runs"
        with naming(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        with locked(self.path):
            with naming(self.path):
                runs.mkdir(exist_ok=True)
                sync_folder(self.path)
            for left in [*self.path.iterdir(), *runs.iterdir()]:
                if _LEFT.fullmatch(left.name):
                    _remove(left)
            yield

    def begin(
        self,
        variants: Mapping[str, Scenario],
        seeds: Sequence[int],
        *,
        baseline: str | None = None,
        until: Until | None = None,
    ) -> None:
        """Write down the runs to do, in addition to those requested before.

        With `until` they are those to the next look. If others were requested before, the study in the directory is
        of all these, and no look stopped it.

        Raises
        ------
        ValueError
            If the directory holds a study of something else.
        """
        wanted = {label: json.loads(scenario.resolved_json) for label, scenario in variants.items()}
        all_seeds = set(seeds)
        before = self._what_was_asked_for()
        if before is not None:
            self._check_same(before["variants"], wanted)
            wanted = {**wanted, **before["variants"]}
            all_seeds |= set(before["seeds"])
        keys = {label: Scenario.from_resolved(json.dumps(resolved)) for label, resolved in wanted.items()}
        keys.update(variants)
        manifest = {
            "format": _FORMAT,
            "sojourn": build(),
            "seeds": sorted(all_seeds),
            "baseline": baseline,
            "variants": wanted,
            "runs": [
                {"variant": label, "seed": seed, "key": run_key(keys[label], seed)}
                for label in wanted
                for seed in sorted(all_seeds)
            ],
        }
        if until is not None and all_seeds == set(seeds) and wanted.keys() == variants.keys():
            manifest["until"] = until.as_json()
        write_whole(self._manifest, sealed(manifest, indent=1), follow=False)

    def _what_was_asked_for(self) -> dict[str, Any] | None:
        """The manifest if it is one of this build; None, and a warning if something is lost, if it is not."""
        if not self._manifest.exists():
            return None
        try:
            manifest = self._read_manifest()
        except _DamagedError as damage:
            _warn(f"{damage}; it is made again")
            return None
        if manifest["sojourn"] != build():
            _warn(
                f"the runs in {self.path} were made by Sojourn {manifest['sojourn']}, and this is {build()}: "
                "they are made again; the old ones stay in its folder runs and belong to no study"
            )
            return None
        return manifest

    def _check_same(self, before: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
        """Refuse to put runs of another scenario beside those that are here."""
        both = [label for label in wanted if label in before]
        for label in both:
            of = f", variant {label!r}" if len(wanted) > 1 else ""
            check_same_scenario(self.path, before[label], wanted[label], of)
        if not both:
            names = (", ".join(map(repr, labels)) for labels in (before, wanted))
            there, here = (_cut(text) for text in names)
            raise ValueError(f"{self.path} holds runs of another scenario: of {there}, not of {here}{_ELSEWHERE}")

    def save(self, result: Result) -> Result:
        """Keep a finished run; when this returns, it survives a loss of power.

        Returns
        -------
        The run with little memory: its large tables and its captures are in the directory.
        """
        key = run_key(result.scenario, result.seed, release=result.version)
        place = self.path / "runs" / key
        if place.exists():
            return self._as_saved(key, result)
        temporary = aside(place)
        files: dict[str, list[Any]] = {}

        def keep(name: str, content: bytes) -> None:
            write_new(temporary / name, content)
            files[name] = [len(content), hashlib.sha256(content).hexdigest()]

        try:
            with naming(place):
                temporary.mkdir(parents=True)
                for name in result.tables:
                    keep(f"{name}.parquet", result.raw.parquet(name))
                if result.captures:
                    (temporary / "pcap").mkdir()
                for name, capture in result.captures.items():
                    keep(f"pcap/{name}", capture if isinstance(capture, bytes) else capture.read_bytes())
                about = {
                    "format": _FORMAT,
                    "sojourn": result.version,
                    "seed": result.seed,
                    "scenario": json.loads(result.scenario.resolved_json),
                    "tables": list(result.tables),
                    "files": files,
                }
                write_new(temporary / "run.json", sealed(about).encode())
                if result.captures:
                    sync_folder(temporary / "pcap")
                sync_folder(temporary)
                try:
                    temporary.rename(place)
                    sync_folder(place.parent)
                except OSError:
                    # Two variants have the same scenario: the other's run is equal to this one to the last byte.
                    if not place.exists():
                        raise
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        return _light(place, result, files)

    def load(self, scenario: Scenario, seed: int) -> Result | None:
        """A finished run, or None if it is not here or is damaged."""
        try:
            return self._read(run_key(scenario, seed))
        except _DamagedError:
            return None

    def finished(self, variants: Mapping[str, Scenario], seeds: Sequence[int]) -> dict[tuple[str, int], Result]:
        """The finished runs among these; damaged ones are removed, with one warning, and are then run again."""
        found, damages = {}, []
        for label, scenario in variants.items():
            for seed in seeds:
                key = run_key(scenario, seed)
                try:
                    result = self._read(key)
                except _DamagedError as damage:
                    damages.append(str(damage))
                    _remove(self.path / "runs" / key)
                    continue
                if result is not None:
                    found[label, seed] = result
        warn_of_damages(damages, "made again")
        return found

    def _read(self, key: str) -> Result | None:
        place = self.path / "runs" / key
        if not place.exists():
            return None
        about = place / "run.json"
        content = _read_json(about)
        try:
            scenario = Scenario.from_resolved(json.dumps(content["scenario"]))
            if run_key(scenario, content["seed"], release=content["sojourn"]) != key:
                raise _DamagedError(f"{about} is of another run")
            # Older versions wrote no hashes.
            files = content.get("files") or {}
            for name in files:
                if name.startswith("pcap/"):
                    _checked(place / name, *files[name])
            tables = Tables({name: _table(place / f"{name}.parquet", files) for name in content["tables"]})
            return Result(
                scenario=scenario,
                seed=content["seed"],
                version=content["sojourn"],
                tables=tables,
                captures={file.name: file for file in sorted((place / "pcap").glob("*.pcapng"))},
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise _DamagedError(f"{about} is not a file as Sojourn writes it") from None

    def _as_saved(self, key: str, result: Result) -> Result:
        """The run with little memory, if another variant of the same scenario has saved it."""
        try:
            saved = self._read(key)
        except _DamagedError:
            return result
        return result if saved is None else replace(result, tables=saved.tables, captures=saved.captures)

    def study(self) -> Study:
        """The finished runs of the study that the manifest describes; damaged ones are left out with a warning."""
        if not self._manifest.exists():
            text = f"{self.path} is not a study: it has no manifest.json"
            is_sweep = (self.path / "sweep.json").exists()
            raise FileNotFoundError(
                text + "\n  hint:    it is a sweep: sojourn.load_sweep, or sojourn report" * is_sweep
            )
        try:
            manifest = self._read_manifest()
        except _DamagedError as damage:
            raise ValueError(f"{damage}\n  hint:    the command that made the study makes it again") from None
        variants = {label: self._variant(label, resolved) for label, resolved in manifest["variants"].items()}
        results, damages = [], []
        for run in manifest["runs"]:
            try:
                result = self._read(run["key"])
            except _DamagedError as damage:
                damages.append(str(damage))
                continue
            if result is not None:
                results.append((run["variant"], result))
        warn_of_damages(damages, "left out; the command that made the study makes them again")
        seeds = tuple(manifest["seeds"])
        if manifest["baseline"] is not None:
            asked = manifest.get("until")
            until = Until.of_json(asked) if asked else None
            return Comparison(variants, seeds, tuple(results), manifest["baseline"], until)
        return Study(variants, seeds, tuple(results))

    def _variant(self, label: str, resolved: Any) -> Scenario:
        try:
            return Scenario.from_resolved(json.dumps(resolved))
        except ValueError as error:
            raise ValueError(f"{self._manifest}: variant {label!r} cannot be read by this version: {error}") from None

    def _read_manifest(self) -> dict[str, Any]:
        manifest = _read_json(self._manifest)
        if manifest.get("format") != _FORMAT:
            raise ValueError(f"{self._manifest} has format {manifest.get('format')!r}; this version reads {_FORMAT}")
        try:
            entries = [(run["variant"], run["seed"], run["key"]) for run in manifest["runs"]]
            # A key is the name of a folder, and of nothing else.
            keys = all(re.fullmatch("[0-9a-f]{20}", key) for *_, key in entries)
            known = {label for label, *_ in entries} <= set(manifest["variants"])
            seeds = all(isinstance(seed, int) for seed in manifest["seeds"])
            rest = isinstance(manifest["sojourn"], str) and (manifest["baseline"] or "") in {"", *manifest["variants"]}
            if keys and known and seeds and rest:
                return manifest
        except (KeyError, TypeError, ValueError):
            pass
        raise _DamagedError(f"{self._manifest} is not a file as Sojourn writes it")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_bytes())
    except FileNotFoundError:
        raise _DamagedError(f"{path} is missing") from None
    except OSError as error:
        raise _DamagedError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    except (ValueError, RecursionError):
        raise _DamagedError(f"{path} is cut off or damaged") from None
    if not isinstance(content, dict):
        raise _DamagedError(f"{path} is not a file as Sojourn writes it")
    whole = is_whole(content)
    # Older versions wrote no hash.
    if whole is False or (whole is None and content.get("sojourn") == build()):
        raise _DamagedError(f"{path} has changed since it was written")
    return content


def _checked(path: Path, size: int, digest: str) -> bytes:
    """The content of a file, if it is as it was written."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise _DamagedError(f"{path} is missing") from None
    except OSError as error:
        raise _DamagedError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}") from None
    if len(content) != size:
        raise _DamagedError(f"{path} has {len(content)} bytes instead of {size}")
    if hashlib.sha256(content).hexdigest() != digest:
        raise _DamagedError(f"{path} has changed since it was written")
    return content


def _light(place: Path, result: Result, files: Mapping[str, Sequence[Any]]) -> Result:
    """A saved run with little memory: its large tables and its captures are read from its files."""
    tables = result.raw.stored({name: _content(place / f"{name}.parquet", files) for name in result.raw.large()})
    return replace(result, tables=tables, captures={name: place / "pcap" / name for name in result.captures})


def _content(path: Path, files: Mapping[str, Sequence[Any]]) -> Callable[[], bytes]:
    """Access to a file of a run, which must still be as it was written."""

    def read() -> bytes:
        try:
            return _checked(path, *files[path.name])
        except _DamagedError as damage:
            raise ValueError(f"{damage}\n  hint:    the command that made the study makes it again") from None

    return read


def _table(path: Path, files: Mapping[str, Sequence[Any]]) -> pl.DataFrame | Stored:
    """A table of a run; a large one is only checked, and read when somebody asks for it."""
    import polars as pl

    source = _checked(path, *files[path.name]) if path.name in files else path
    try:
        if not isinstance(source, bytes):
            return pl.read_parquet(source)
        frame = pl.read_parquet(source) if len(source) < _LARGE else None
        if frame is not None and frame.estimated_size() < _LARGE:
            return frame
        schema = pl.read_parquet_schema(io.BytesIO(source)) if frame is None else frame.schema
        return Stored({name: kind.is_numeric() for name, kind in schema.items()}, _content(path, files))
    except (OSError, pl.exceptions.PolarsError):
        raise _DamagedError(f"{path} is cut off or damaged") from None


def _remove(path: Path) -> None:
    """Take away a file or a folder that is Sojourn's own."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def check_same_scenario(folder: Path, there: Mapping[str, Any], here: Mapping[str, Any], of: str = "") -> None:
    """Refuse a folder that holds runs of another scenario, both written in full.

    Raises
    ------
    ValueError
        With the first place at which they differ.
    """
    difference = _difference("", there, here)
    if difference is not None:
        place, before, now = difference
        raise ValueError(
            f"{folder} holds runs of another scenario{of}: {place} is {before} there and {now} here{_ELSEWHERE}"
        )


def _difference(place: str, there: Any, here: Any) -> tuple[str, str, str] | None:
    """The first place at which two resolved scenarios differ, and the values there."""
    if isinstance(there, dict) and isinstance(here, dict):
        for key in [*there, *(key for key in here if key not in there)]:
            found = _difference(f"{place}.{key}".lstrip("."), there.get(key), here.get(key))
            if found is not None:
                return found
        return None
    if isinstance(there, list) and isinstance(here, list) and len(there) == len(here):
        pairs = enumerate(zip(there, here, strict=True))
        differences = (_difference(f"{place}[{number}]", *pair) for number, pair in pairs)
        return next((found for found in differences if found is not None), None)
    return None if there == here else (place, _text(there), _text(here))


def _text(value: Any) -> str:
    return "not set" if value is None else _cut(json.dumps(value, ensure_ascii=False))


def _cut(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


def warn_of_damages(damages: Sequence[str], fate: str, *, what: str = "run") -> None:
    """One warning about damages, each in words, and the treatment of the damaged files."""
    if damages:
        count = f"1 {what} is" if len(damages) == 1 else f"{len(damages)} {what}s are"
        shown = list(damages[:_NAMED])
        if len(damages) > _NAMED:
            shown.append(f"and {len(damages) - _NAMED} more")
        _warn("".join([f"{count} damaged and {fate}", *(f"\n  {line}" for line in shown)]))


def _warn(message: str) -> None:
    warnings.warn(message, StudyWarning, stacklevel=2)


def load_study(path: str | os.PathLike[str]) -> Study:
    """The finished runs of a study directory, as a :class:`~sojourn.Study` or ``Comparison``.

    Damaged runs are left out with a :class:`StudyWarning`.
    """
    return StudyDirectory(Path(path)).study()
