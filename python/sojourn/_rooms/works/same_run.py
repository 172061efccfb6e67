"""Whether the files of a work's record are of the same runs: a mark that both of them have."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..runs.store import run_key
from .context import Context
from .studies import StudyExperiment
from .work import Paper

__all__ = ["mark"]


def mark(paper: Paper, folder: Path) -> str:
    """Twelve letters of all scenarios that a full run of a work has under the first reading, and of the build.

    Another setting, point or build gives another mark; texts, claims and seeds do not.
    """
    context = Context(folder, quick=False)
    keys = {
        run_key(scenario, 1)
        for one in paper.experiments
        if isinstance(one.study, StudyExperiment)
        for scenario in one.study.design.variants(context).values()
    }
    return hashlib.sha256("\n".join(sorted(keys)).encode()).hexdigest()[:12]
