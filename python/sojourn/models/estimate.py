"""The number of active flows in a sequence of packets, by the estimators that queues use themselves.

>>> import numpy as np, sojourn
>>> flows = np.random.default_rng(1).integers(0, 60, size=9000)
>>> sojourn.models.estimate.direct_bitmap(flows, every=3000)["estimate"].round(0).to_list()
[62.0, 62.0, 62.0]

All take the flows of the packets in the order in which they came (numbers or names, in any sequence, array or polars
series) and give a frame with a row for each period: ``packets`` (how many had come when it ended), ``time_s`` (where
times were given) and ``estimate``, null before there is one. A period is `every` packets, or `every_s` seconds of
the times; without either it is all of them.

The estimators are the core's own, from which BLACK, AFC, CARE and SRED take a fair share. Specification: Chatranon
2004, chapter 4; Ott, Lakshman and Wong 1999 for SRED.
"""

from __future__ import annotations

from .._rooms.models.estimate import (
    coverage_1,
    coverage_2,
    direct_bitmap,
    jackknife,
    low_pass,
    match,
    removals,
    sred_hits,
    virtual_buffer,
)

__all__ = [
    "coverage_1",
    "coverage_2",
    "direct_bitmap",
    "jackknife",
    "low_pass",
    "match",
    "removals",
    "sred_hits",
    "virtual_buffer",
]
