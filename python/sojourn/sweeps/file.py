"""Study files: a scenario, its axes, the metrics that are wanted and the seeds, in TOML.

::

    title = "RED's weight"               # for the report
    scenario = "red_classic.toml"        # a file beside this one, or one that comes with Sojourn; or a table
    metrics = ["utilisation", "sojourn_mean_ms"]
    seeds = 20

    [axes]
    w_q = { key = "dumbbell.queue.w_q", values = [0.001, 0.002, 0.004] }
    queue = { key = "queue", values = ["red", "codel"] }

    [[reading]]                          # an axis `reading`: as written, and with these settings
    name = "delayed acknowledgements"
    settings = { "flow[*].transport.ack_every" = 2 }

Metrics may also be tables by name, as :mod:`sojourn.metrics` has them. docs/studies.md shows all of it.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import _toml, scenarios
from .._toml import is_study_file
from ..metrics import Metric, checked
from ..scenario import Scenario
from .axes import Axis, read_axis
from .metrics import DEFAULT_METRICS

__all__ = ["StudyFile", "is_study_file", "load_study_file"]

_KEYS = ("title", "scenario", "axes", "metrics", "seeds", "reading")
_AS_WRITTEN = "as written"
"""The point without any reading."""


@dataclass(frozen=True)
class StudyFile:
    """What a study file says, as an object; :func:`sojourn.sweep` runs it.

    Attributes
    ----------
    scenario
        What is run at each point, but for what the axes set.
    over
        The axes by name, or values by key.
    metrics
        Columns as texts, and metrics with names.
    seeds
        Those of every point.
    title
        For the report; empty for the scenario's.
    """

    scenario: Scenario
    over: Mapping[str, Axis | Iterable[Any]]
    metrics: Sequence[str | Metric] = DEFAULT_METRICS
    seeds: Sequence[int] = tuple(range(1, 21))
    title: str = ""

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, overrides: Sequence[str] = ()) -> StudyFile:
        """Read a study file; `overrides` change its scenario, as ``--set`` does."""
        return load_study_file(Path(path), overrides=tuple(overrides))


def load_study_file(path: Path, *, overrides: tuple[str, ...] = ()) -> StudyFile:
    """Read a study file; `overrides` change its scenario, as ``--set`` does.

    Raises
    ------
    ValueError
        With the file, the place and what is allowed.
    """
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: this is not TOML: {error}") from None
    try:
        _only(content, _KEYS, "the file")
        for key in ("scenario", "axes"):
            if key not in content:
                raise ValueError(f"{key} is missing")
        return StudyFile(
            scenario=_scenario(path, content["scenario"], overrides),
            over=_axes(content),
            metrics=_metrics(content.get("metrics", list(DEFAULT_METRICS))),
            seeds=_seeds(content.get("seeds", 20)),
            title=_title(content.get("title", "")),
        )
    except (TypeError, ValueError) as error:
        text = str(error)
        raise ValueError(text if text.startswith(str(path)) else f"{path}: {text}") from None


def _scenario(path: Path, written: Any, overrides: tuple[str, ...]) -> Scenario:
    if isinstance(written, dict):
        return Scenario.from_toml(_toml.document(written), file=f"{path}: scenario", overrides=overrides)
    if not isinstance(written, str):
        raise ValueError("scenario: name a file, or write the scenario as a table")
    place = path.parent / written
    if place.is_file():
        return Scenario.load(place, overrides=overrides)
    if written in scenarios.names():
        return Scenario.load(scenarios.path(written), overrides=overrides)
    near = difflib.get_close_matches(written, scenarios.names(), n=1)
    hint = f"\n  hint:    did you mean {near[0]!r}, which comes with Sojourn?" if near else ""
    raise ValueError(f"scenario: there is no file {place}{hint}")


def _title(written: Any) -> str:
    if not isinstance(written, str):
        raise ValueError('title: write a text, such as "RED\'s weight"')
    return written


def _axes(content: Mapping[str, Any]) -> dict[str, Axis]:
    """The axes, and one over the readings, which are laid over all the others."""
    found = {name: read_axis(name, axis) for name, axis in _table(content["axes"], "axes").items()}
    readings = content.get("reading", [])
    if not isinstance(readings, list):
        raise ValueError("reading: write tables, each as [[reading]]")
    if not readings:
        return found
    if "reading" in found:
        raise ValueError("axes.reading: the readings have this name")
    settings: dict[str, Mapping[str, Any]] = {_AS_WRITTEN: {}}
    for reading in readings:
        _only(_table(reading, "reading"), ("name", "settings"), "reading")
        if "name" not in reading or reading["name"] in settings:
            raise ValueError("reading: each has a name of its own")
        settings[reading["name"]] = _table(reading.get("settings"), f"reading {reading['name']!r}: settings")
    return {**found, "reading": Axis(points=settings)}


def _metrics(written: Any) -> tuple[str | Metric, ...]:
    """Columns as texts, or tables of :class:`sojourn.metrics.Metric` by name."""
    if isinstance(written, dict):
        return tuple(checked(_table(metric, f"metrics.{name}"), f"metrics.{name}") for name, metric in written.items())
    if not isinstance(written, list) or not all(isinstance(name, str) for name in written):
        raise ValueError('metrics: write a list of columns, such as ["utilisation", "loss_ratio"], or tables by name')
    return tuple(written)


def _seeds(written: Any) -> tuple[int, ...]:
    from ..cli.study import parse_seeds

    if isinstance(written, bool) or not isinstance(written, int | str):
        raise ValueError('seeds: write how many, such as 20, or which, such as "5-9"')
    try:
        return tuple(parse_seeds(str(written)))
    except ValueError as error:
        raise ValueError(str(error).replace("--seeds", "seeds")) from None


def _table(written: Any, place: str) -> Mapping[str, Any]:
    if not isinstance(written, dict) or not written:
        raise ValueError(f"{place}: write a table")
    return written


def _only(table: Mapping[str, Any], known: tuple[str, ...], place: str) -> None:
    wrong = [key for key in table if key not in known]
    if wrong:
        raise ValueError(f"{place}: there is no key {wrong[0]!r}\n  allowed: {', '.join(known)}")
