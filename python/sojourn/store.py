"""A study on disk: ``manifest.json`` and, for each finished run, a directory of Parquet tables.

::

    study/
      manifest.json             what was asked for: variants, seeds, version, and the key of each run
      runs/<key>/run.json       what this run is: resolved scenario, seed, version
      runs/<key>/queue.parquet  its tables
  runs/<key>/pcap/          its capture files, if it has any

The key is a hash of (resolved scenario, seed, build). A run's directory is written beside its place and renamed into
it, so it is there whole or not at all: a study that is killed half way goes on where it stopped, and no finished run is
repeated.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ._core import build
from .result import Comparison, Result, Study
from .scenario import Scenario

__all__ = ["StudyDirectory", "load_study", "run_key"]

_FORMAT = 1


def run_key(scenario: Scenario, seed: int, *, release: str | None = None) -> str:
    """Name of a run: the same for the same resolved scenario, seed and build of Sojourn."""
    content = json.dumps(
        {"scenario": json.loads(scenario.resolved_json), "seed": seed, "version": release or build()},
        sort_keys=True,
        separators=(",", ":"),
    )
    return hashlib.sha256(content.encode()).hexdigest()[:20]


def _write_atomically(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


@dataclass(frozen=True)
class StudyDirectory:
    """Finished runs in a directory.

    Parameters
    ----------
    path
        The directory; made when the first thing is written.
    """

    path: Path

    def check(self) -> None:
        """Refuse a place that holds something else than a study."""
        if self.path.exists() and not self.path.is_dir():
            raise NotADirectoryError(f"{self.path} is a file; a study is written to a directory")
        if self.path.is_dir() and any(self.path.iterdir()) and not (self.path / "manifest.json").exists():
            raise FileExistsError(f"{self.path} has other files in it and is not a study; name a new directory")

    def begin(self, variants: Mapping[str, Scenario], seeds: Sequence[int], *, baseline: str | None = None) -> None:
        """Write down what is to be run."""
        (self.path / "runs").mkdir(parents=True, exist_ok=True)
        manifest = {
            "format": _FORMAT,
            "sojourn": build(),
            "seeds": list(seeds),
            "baseline": baseline,
            "variants": {label: json.loads(scenario.resolved_json) for label, scenario in variants.items()},
            "runs": [
                {"variant": label, "seed": seed, "key": run_key(scenario, seed)}
                for label, scenario in variants.items()
                for seed in seeds
            ],
        }
        _write_atomically(self.path / "manifest.json", json.dumps(manifest, indent=1) + "\n")

    def save(self, result: Result) -> None:
        """Keep a finished run."""
        key = run_key(result.scenario, result.seed, release=result.version)
        place = self.path / "runs" / key
        if place.exists():
            return
        temporary = self.path / "runs" / f".{key}.{uuid.uuid4().hex}"
        temporary.mkdir(parents=True)
        try:
            about = {
                "format": _FORMAT,
                "sojourn": result.version,
                "seed": result.seed,
                "scenario": json.loads(result.scenario.resolved_json),
                "tables": list(result.tables),
            }
            (temporary / "run.json").write_text(json.dumps(about) + "\n", encoding="utf-8")
            for name, frame in result.tables.items():
                frame.write_parquet(temporary / f"{name}.parquet")
            if result.captures:
                result.write_pcap(temporary / "pcap")
            try:
                temporary.rename(place)
            except OSError:
                if not place.exists():
                    raise
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def load(self, scenario: Scenario, seed: int) -> Result | None:
        """A finished run, or None if it is not here."""
        return self._read(run_key(scenario, seed))

    def _read(self, key: str) -> Result | None:
        place = self.path / "runs" / key
        about = place / "run.json"
        if not about.exists():
            return None
        import polars as pl

        content = json.loads(about.read_text(encoding="utf-8"))
        captures = {file.name: file for file in sorted((place / "pcap").glob("*.pcapng"))}
        return Result(
            scenario=Scenario.from_resolved(json.dumps(content["scenario"])),
            seed=content["seed"],
            version=content["sojourn"],
            tables={name: pl.read_parquet(place / f"{name}.parquet") for name in content["tables"]},
            captures=captures,
        )

    def light(self, result: Result) -> Result:
        """Let go of capture files that are kept here: the result says where they are."""
        place = self.path / "runs" / run_key(result.scenario, result.seed, release=result.version) / "pcap"
        return replace(result, captures={name: place / name for name in result.captures})

    def study(self) -> Study:
        """What is finished of the study that the manifest describes."""
        manifest_path = self.path / "manifest.json"
        if not manifest_path.exists():
            raise FileNotFoundError(f"{self.path} is not a study: it has no manifest.json")
        manifest = json.loads(manifest_path.read_text(encoding="utf-8"))
        if manifest.get("format") != _FORMAT:
            raise ValueError(f"{manifest_path} has format {manifest.get('format')!r}; this version reads {_FORMAT}")
        variants = {
            label: Scenario.from_resolved(json.dumps(resolved)) for label, resolved in manifest["variants"].items()
        }
        found = ((run["variant"], self._read(run["key"])) for run in manifest["runs"])
        results = tuple((label, result) for label, result in found if result is not None)
        seeds = tuple(manifest["seeds"])
        if manifest["baseline"] is not None:
            return Comparison(variants, seeds, results, manifest["baseline"])
        return Study(variants, seeds, results)


def load_study(path: str | os.PathLike[str]) -> Study:
    """The finished runs of a study directory, as a :class:`~sojourn.result.Study` or ``Comparison``."""
    return StudyDirectory(Path(path)).study()
