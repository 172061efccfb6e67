"""The throughput of a bulk TCP flow as a function of its losses, and the size of a sample.

All rates are in packets per second, times in seconds. `p` is the probability that a packet begins a loss event,
above 0 and below 1; a number or an array. `ack_every` is b, the packets that an acknowledgement stands for: 1, or 2
if they are delayed.

Sources: [Mat97] Mathis, Semke, Mahdavi and Ott, "The macroscopic behavior of the TCP congestion avoidance
algorithm", 1997; [Pad98] Padhye, Firoiu, Towsley and Kurose, "Modeling TCP throughput", SIGCOMM 1998; [Cha04]
Chatranon 2004; [Ale04] Alemu 2004.
"""

from __future__ import annotations

from .._rooms.models.tcp import (
    friendly_rate,
    friendly_rate_delayed,
    greatest_window,
    greatest_window_delayed,
    mathis,
    padhye,
    padhye_approximate,
    sample_size,
)

__all__ = [
    "friendly_rate",
    "friendly_rate_delayed",
    "greatest_window",
    "greatest_window_delayed",
    "mathis",
    "padhye",
    "padhye_approximate",
    "sample_size",
]
