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
from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import apps, estimate, losses, models, own, plots, queues, report, stats, transports
    from ._core import ScenarioError
    from .own import check
    from .runs.bottleneck import Bottleneck
    from .runs.comparison import Comparison
    from .runs.fates import Agreement
    from .runs.laws import Law, law, sender_law
    from .runs.pool import Progress
    from .runs.replay import Oversize, RecordingWarning, ReplayResult, recorded, recorded_flows, replay
    from .runs.result import Result, Study
    from .runs.runner import Interrupted, compare, replicate, run, study
    from .runs.store import StudyWarning, load_study
    from .scenario.network import (
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
    from .scenario.scenario import Scenario
    from .sweeps import Axis, Metric, StudyFile, Swept, load_sweep, sweep
    from .tuning import Range, Tuned, tune

__version__: str

__all__ = [
    "Access",
    "Agreement",
    "Axis",
    "Bottleneck",
    "Change",
    "Comparison",
    "DelayHint",
    "Dumbbell",
    "Flow",
    "Interrupted",
    "Jitter",
    "Law",
    "Link",
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
    "Study",
    "StudyFile",
    "StudyWarning",
    "Swept",
    "Tuned",
    "__version__",
    "apps",
    "check",
    "compare",
    "estimate",
    "exports",
    "law",
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
    "report",
    "run",
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
        "scenario.network",
    ),
    **dict.fromkeys(("Law", "law", "sender_law"), "runs.laws"),
    **dict.fromkeys(
        ("Oversize", "RecordingWarning", "ReplayResult", "recorded", "recorded_flows", "replay"), "runs.replay"
    ),
    "Agreement": "runs.fates",
    "Bottleneck": "runs.bottleneck",
    "Progress": "runs.pool",
    "Comparison": "runs.comparison",
    **dict.fromkeys(("Result", "Study"), "runs.result"),
    **dict.fromkeys(("Interrupted", "compare", "replicate", "run", "study"), "runs.runner"),
    "Scenario": "scenario.scenario",
    **dict.fromkeys(("Axis", "Metric", "StudyFile", "Swept", "load_sweep", "sweep"), "sweeps"),
    **dict.fromkeys(("Range", "Tuned", "tune"), "tuning"),
    "check": "own",
    "StudyWarning": "_base.files",
    "load_study": "runs.store",
}


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
    from ._base.nearest import nearest
    from .scenario.component import no_name

    homes = [home for home in ("queues", "transports", "apps", "losses", "own") if hasattr(__getattr__(home), name)]
    meant = f"{homes[0]}.{name}" if homes else nearest(name, __all__)
    return no_name(f"{message}\n  hint:    did you mean {__name__}.{meant}?" if meant else message, depth=3)


def __dir__() -> list[str]:
    return sorted(__all__)
