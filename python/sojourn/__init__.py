"""Sojourn: a laboratory for queue management.

>>> import sojourn
>>> scenario = sojourn.Scenario.from_toml('''
... duration = "2s"
... [dumbbell]
... rate = "10Mbit"
... delay = "10ms"
... [[flow]]
... count = 2
... ''')
>>> result = sojourn.run(scenario, seed=1)
>>> result.queue.height
2
"""

from __future__ import annotations

import importlib
import inspect
import sys
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import (
        apps,
        claims,
        env,
        exports,
        losses,
        models,
        own,
        papers,
        plots,
        queues,
        scenarios,
        stats,
        transports,
    )
    from ._core import ScenarioError
    from ._rooms._base.files import StudyWarning
    from ._rooms.evaluate import evaluate
    from ._rooms.line.question import ask as line
    from ._rooms.live.gateway import Gateway
    from ._rooms.own._check import check
    from ._rooms.runs.about import Yardstick
    from ._rooms.runs.answer import Answer, answer
    from ._rooms.runs.bottleneck import Arrived, Bottleneck, Lost
    from ._rooms.runs.comparison import Comparison
    from ._rooms.runs.fates import Agreement
    from ._rooms.runs.laws import Law, LawAxis, LawCurve, law, sender_law
    from ._rooms.runs.metrics import Metric
    from ._rooms.runs.pool import Progress
    from ._rooms.runs.replay import Oversize, RecordingWarning, ReplayResult, recorded, recorded_flows, replay
    from ._rooms.runs.result import Result, Study
    from ._rooms.runs.runner import Interrupted, compare, replicate, run, study
    from ._rooms.runs.store import load_study
    from ._rooms.scenario.network import (
        Access,
        Change,
        DelayHint,
        Dumbbell,
        Flow,
        Jitter,
        Link,
        Medium,
        Node,
        RateTrace,
        Record,
        Start,
    )
    from ._rooms.scenario.scenario import Scenario
    from ._rooms.sweeps.axes import Axis
    from ._rooms.sweeps.file import StudyFile
    from ._rooms.sweeps.frontier import Frontier, frontier
    from ._rooms.sweeps.outcome import Swept
    from ._rooms.sweeps.run import StoppedSweep, sweep
    from ._rooms.sweeps.store import load_sweep
    from ._rooms.tuning.outcome import Tuned
    from ._rooms.tuning.ranges import Range
    from ._rooms.tuning.search import StoppedTuning, tune

__version__: str

__all__ = [
    "Access",
    "Agreement",
    "Answer",
    "Arrived",
    "Axis",
    "Bottleneck",
    "Change",
    "Comparison",
    "DelayHint",
    "Dumbbell",
    "Flow",
    "Frontier",
    "Gateway",
    "Interrupted",
    "Jitter",
    "Law",
    "LawAxis",
    "LawCurve",
    "Link",
    "Lost",
    "Medium",
    "Metric",
    "Node",
    "Oversize",
    "Progress",
    "Range",
    "RateTrace",
    "Record",
    "RecordingWarning",
    "ReplayResult",
    "Result",
    "Scenario",
    "ScenarioError",
    "Start",
    "StoppedSweep",
    "StoppedTuning",
    "Study",
    "StudyFile",
    "StudyWarning",
    "Swept",
    "Tuned",
    "Yardstick",
    "__version__",
    "answer",
    "apps",
    "check",
    "claims",
    "compare",
    "env",
    "evaluate",
    "exports",
    "frontier",
    "law",
    "line",
    "load_study",
    "load_sweep",
    "losses",
    "models",
    "own",
    "papers",
    "plots",
    "queues",
    "recorded",
    "recorded_flows",
    "replay",
    "replicate",
    "run",
    "scenarios",
    "sender_law",
    "stats",
    "study",
    "sweep",
    "transports",
    "tune",
]

# Where each name is defined. Modules are imported when a name of theirs is first used, so that
# `sojourn --help` does not wait for tables and plots.
_HOME = {
    "ScenarioError": "_core",
    "StudyWarning": "_rooms._base.files",
    "Gateway": "_rooms.live.gateway",
    "check": "_rooms.own._check",
    "Yardstick": "_rooms.runs.about",
    **dict.fromkeys(("Answer", "answer"), "_rooms.runs.answer"),
    **dict.fromkeys(("Arrived", "Bottleneck", "Lost"), "_rooms.runs.bottleneck"),
    "Comparison": "_rooms.runs.comparison",
    "Agreement": "_rooms.runs.fates",
    **dict.fromkeys(("Law", "LawAxis", "LawCurve", "law", "sender_law"), "_rooms.runs.laws"),
    "Metric": "_rooms.runs.metrics",
    "Progress": "_rooms.runs.pool",
    **dict.fromkeys(
        ("Oversize", "RecordingWarning", "ReplayResult", "recorded", "recorded_flows", "replay"), "_rooms.runs.replay"
    ),
    **dict.fromkeys(("Result", "Study"), "_rooms.runs.result"),
    **dict.fromkeys(("Interrupted", "compare", "replicate", "run", "study"), "_rooms.runs.runner"),
    "load_study": "_rooms.runs.store",
    **dict.fromkeys(
        (
            "Access",
            "Change",
            "DelayHint",
            "Dumbbell",
            "Flow",
            "Jitter",
            "Link",
            "Medium",
            "Node",
            "RateTrace",
            "Record",
            "Start",
        ),
        "_rooms.scenario.network",
    ),
    "Scenario": "_rooms.scenario.scenario",
    "Axis": "_rooms.sweeps.axes",
    "StudyFile": "_rooms.sweeps.file",
    **dict.fromkeys(("Frontier", "frontier"), "_rooms.sweeps.frontier"),
    "Swept": "_rooms.sweeps.outcome",
    **dict.fromkeys(("StoppedSweep", "sweep"), "_rooms.sweeps.run"),
    "load_sweep": "_rooms.sweeps.store",
    "Tuned": "_rooms.tuning.outcome",
    "Range": "_rooms.tuning.ranges",
    **dict.fromkeys(("StoppedTuning", "tune"), "_rooms.tuning.search"),
}


_VERBS = {"evaluate": "evaluate", "line": "ask"}
"""Faces that can be called, `sojourn.evaluate("codel")`, and the function of each that is meant."""


class _Verb(ModuleType):
    """A face that can be called like a function."""

    def __call__(self, *values: Any, **named: Any) -> Any:
        return self._function(*values, **named)

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._function)

    @property
    def _function(self) -> Any:
        return getattr(self, _VERBS[self.__name__.rpartition(".")[2]])


class _Package(ModuleType):
    """The package: a face among the verbs becomes callable when it is imported, whoever imports it."""

    def __setattr__(self, name: str, value: object) -> None:
        if name in _VERBS and isinstance(value, ModuleType):
            value.__class__ = _Verb
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> object:
    if name == "__version__":
        return importlib.import_module("._core", __name__).version()
    if name not in _HOME:
        if find_spec(f"{__name__}.{name}") is None:
            raise _no_attribute(name)
        return importlib.import_module(f".{name}", __name__)
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def _no_attribute(name: str) -> Exception:
    message = f"module {__name__!r} has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(message)
    from ._rooms._base.nearest import nearest
    from ._rooms.scenario.component import no_name

    homes = [home for home in ("queues", "transports", "apps", "losses", "own") if hasattr(__getattr__(home), name)]
    meant = f"{homes[0]}.{name}" if homes else nearest(name, __all__)
    return no_name(f"{message}\n  hint:    did you mean {__name__}.{meant}?" if meant else message, depth=3)


def __dir__() -> list[str]:
    return sorted(__all__)
