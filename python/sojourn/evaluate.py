"""``sojourn evaluate``: RFC 7928's questions to a queue, and RFC 9743's to a sender, beside named others."""

from __future__ import annotations

from ._rooms.evaluate import Evaluation, Runs, StoppedEvaluation, evaluate, run_all

__all__ = ["Evaluation", "Runs", "StoppedEvaluation", "evaluate", "run_all"]
