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

Metrics may also be tables by name, as in :mod:`runs.metrics`. docs/studies.md shows all of it.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .._base import toml
from .._base.files import read_text
from .._base.schema import Wrong, keys, made, tables, told_of, under
from .._base.toml import is_study_file
from ..runs.metrics import Metric, checked
from ..scenario.scenario import Scenario
from ..scenario.texts import parse_seeds
from .axes import Axis, read_axis
from .metrics import DEFAULT_METRICS, parse_metric

__all__ = ["StudyFile", "is_study_file", "load_study_file"]

_KEYS = ("title", "scenario", "axes", "metrics", "seeds", "reading")
_AS_WRITTEN = "as written"
"""The point without any reading."""
_READING = "reading"
"""The axis over the readings."""


@dataclass(frozen=True)
class StudyFile:
    """A study file as an object; :func:`sojourn.sweep` runs it.

    Attributes
    ----------
    scenario
        The scenario of each point, without the values that the axes set.
    over
        The axes by name, or values by key.
    metrics
        Columns as texts, and metrics with names.
    seeds
        Those of every point.
    title
        For the report; empty for the scenario's.
    file
        Where it was read from, for messages.
    """

    scenario: Scenario
    over: Mapping[str, Axis | Iterable[Any]]
    metrics: Sequence[str | Metric] = DEFAULT_METRICS
    seeds: Sequence[int] = tuple(range(1, 21))
    title: str = ""
    file: Path | None = None

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, overrides: Sequence[str] = ()) -> StudyFile:
        """Read a study file; `overrides` change its scenario, as ``--set`` does."""
        return load_study_file(Path(path), overrides=tuple(overrides))


def load_study_file(path: Path, *, overrides: tuple[str, ...] = ()) -> StudyFile:
    """Read a study file; `overrides` change its scenario, as ``--set`` does.

    Raises
    ------
    ValueError
        With the file, the place and the allowed values.
    """
    try:
        content = tomllib.loads(read_text(path))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path}: this is not TOML: {error}") from None
    try:
        keys(content, _KEYS, ("scenario", "axes"))
        return StudyFile(
            scenario=_scenario(path, content["scenario"], overrides),
            over=_axes(content),
            metrics=_metrics(content.get("metrics", list(DEFAULT_METRICS))),
            seeds=_seeds(content.get("seeds", 20)),
            title=_title(content.get("title", "")),
            file=path,
        )
    except Wrong as wrong:
        raise told_of(wrong, [(path, ())]) from None
    except (TypeError, ValueError) as error:
        text = str(error)
        raise ValueError(text if text.startswith(str(path)) else f"{path}: {text}") from None


def _scenario(path: Path, written: Any, overrides: tuple[str, ...]) -> Scenario:
    if isinstance(written, dict):
        return Scenario.from_toml(toml.document(written), file=f"{path}: scenario", overrides=overrides)
    if not isinstance(written, str):
        raise Wrong("name a file, or write the scenario as a table", "scenario", found=written)
    return Scenario.load_beside(path.parent, written, within=path.parent, overrides=overrides)


def _title(written: Any) -> str:
    if not isinstance(written, str):
        raise Wrong('write a text, such as "RED\'s weight"', "title", found=written)
    return written


def _axes(content: Mapping[str, Any]) -> dict[str, Axis]:
    """The axes, and one over the readings, which are laid over all the others."""
    found = {}
    for name, axis in _table(content["axes"], "axes").items():
        with under("axes", name):
            found[name] = read_axis(axis)
    with under("reading"):
        readings = tables(content.get("reading", []))
        if not readings:
            return found
        if _READING in found:
            raise Wrong("the readings have this name; call the axis otherwise", place="axes.reading")
        settings: dict[str, Mapping[str, Any]] = {_AS_WRITTEN: {}}
        for place, reading in enumerate(readings):
            with under(str(place)):
                one = made(_Reading, reading)
                if not one.name or one.name in settings:
                    raise Wrong("each reading has a name of its own", "name", found=one.name)
                if not one.settings:
                    raise Wrong("a reading sets something", "settings", found={})
                settings[one.name] = one.settings
    return {**found, _READING: Axis(points=settings)}


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """A reading in a file."""

    name: str
    settings: Mapping[str, Any]


def _metrics(written: Any) -> tuple[str | Metric, ...]:
    """Columns as texts, or tables of :class:`sojourn.Metric` by name."""
    if not written:
        raise Wrong("name a metric", "metrics", found=written, hint="without this key there are four metrics")
    if isinstance(written, dict):
        return tuple(checked(metric, name) for name, metric in written.items())
    if not isinstance(written, list) or not all(isinstance(name, str) for name in written):
        raise Wrong(
            'write a list of columns, such as ["utilisation", "loss_ratio"], or tables by name',
            "metrics",
            found=written,
        )
    for place, name in enumerate(written):
        with under("metrics", str(place)):
            if name in written[:place]:
                raise Wrong("this metric is there twice", found=name)
            try:
                parse_metric(name)
            except ValueError as error:
                raise Wrong(str(error)) from None
    return tuple(written)


def _seeds(written: Any) -> tuple[int, ...]:
    if isinstance(written, bool) or not isinstance(written, int | str):
        raise Wrong('write how many, such as 20, or which, such as "5-9"', "seeds", found=written)
    try:
        return tuple(parse_seeds(str(written), "seeds"))
    except ValueError as error:
        raise Wrong(str(error), "seeds", place="") from None


def _table(written: Any, key: str) -> Mapping[str, Any]:
    if not isinstance(written, dict) or not written:
        raise Wrong("write a table", key, found=written)
    return written
