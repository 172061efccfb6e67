"""Warnings of runs and studies, by codes: the checks of a run are in the core, those of several runs are here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["CURE", "NO_CHANCE", "SAME_RUN", "NoHookWarning", "WordWarning", "known_warnings"]


class NoHookWarning(UserWarning):
    """A class of the user's is registered and does nothing."""


class WordWarning(UserWarning):
    """A word of another tool is taken, and has less effect here than there."""


NO_CHANCE: Mapping[str, str] = {
    "name": "no_chance",
    "doc": "All seeds of a variant are one run, byte for byte, as nothing in its scenario is drawn at random. The "
    "intervals have no width, and mean nothing.",
    "advice": 'Let chance in: `start = { spread = "1s" }` in `[[flow]]`, or the random processing time of hosts, '
    "`jitter` of `access` or of a `[[link]]`, of half the bottleneck's time for a packet. Or run one seed.",
}


CURE = 'let chance in: start = { spread = "1s" } in [[flow]], or jitter of access (hosts) or of a [[link]]'
"""The advice if all seeds are one run."""


SAME_RUN = "all seeds are one run, so the intervals mean nothing"
"""Its text about a variant."""


def known_warnings(registry: Mapping[str, Any]) -> Sequence[Mapping[str, str]]:
    """Every warning with its code, its meaning and what to do; `registry` is the core's registry."""
    return [*registry["warnings"], NO_CHANCE]
