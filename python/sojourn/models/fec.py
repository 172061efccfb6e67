"""When parity repairs more under one queue than under another (Alemu 2004, section 5.5).

Losses are a compound Poisson process. Groups of losses come at a constant rate; a group has one packet with
probability beta, else two. Over a block of T packets (k of data and h of parity) with loss rate p the number N of
losses depends on ``x = p T`` alone: there are Poisson numbers of groups of one and of two, with means ``x beta / m``
and ``x (1 - beta) / m``, where ``m = 2 - beta`` is the mean group. A block of which at most h are lost is whole
again; of any other nothing is repaired.
"""

from __future__ import annotations

from .._rooms.models.fec import (
    BETA_DROP_TAIL,
    BETA_RED,
    advantage,
    at_most,
    crossing,
    exactly,
    independent_left,
    largest_data,
    least_parity,
    left,
    linear_largest_data,
    offset,
    red_is_better,
    sign_changes,
)

__all__ = [
    "BETA_DROP_TAIL",
    "BETA_RED",
    "advantage",
    "at_most",
    "crossing",
    "exactly",
    "independent_left",
    "largest_data",
    "least_parity",
    "left",
    "linear_largest_data",
    "offset",
    "red_is_better",
    "sign_changes",
]
