"""The number of active flows in a sequence of packets, by the estimators that queues use themselves.

>>> import numpy as np, sojourn
>>> flows = np.random.default_rng(1).integers(0, 60, size=9000)
>>> sojourn.models.estimate.active_flows(flows, "direct_bitmap", every=3000)["estimate"].round(0).to_list()
[62.0, 62.0, 62.0]

The estimators are the core's own, from which BLACK, AFC, CARE and SRED take a fair share. Specification: Chatranon
2004, chapter 4; Ott, Lakshman and Wong 1999 for SRED.
"""

from __future__ import annotations

from .._rooms.models.estimate import active_flows

__all__ = ["active_flows"]
