"""Second implementations of senders of media against ours: when each packet comes to the queue, and how large it is."""

from __future__ import annotations

import pytest

from .media import Gcc, GccReceiver, Scream, ScreamReceiver
from .rates import agreed

SHALLOW = 'kind = "fifo", limit = "5p"'
DEEP = 'kind = "fifo", limit = "200p"'
# CoDel that only marks: it is late after 5 ms, and its own target is never reached.
MARKS = 'kind = "codel", limit = "200p", target = "9s", interval = "10s", ecn = true, ce_threshold = "5ms"'

CASES = {
    "gcc, deep": (lambda: (Gcc(), GccReceiver()), 'kind = "gcc"', DEEP, {"limit": 200}),
    "gcc, shallow": (lambda: (Gcc(), GccReceiver()), 'kind = "gcc"', SHALLOW, {"limit": 5}),
    "scream, deep": (lambda: (Scream(), ScreamReceiver()), 'kind = "scream"', DEEP, {"limit": 200}),
    "scream, shallow": (lambda: (Scream(), ScreamReceiver()), 'kind = "scream"', SHALLOW, {"limit": 5}),
    "scream, less jitter": (
        lambda: (Scream(reduce_jitter=True), ScreamReceiver()),
        'kind = "scream", reduce_jitter = true',
        DEEP,
        {"limit": 200},
    ),
    "scream, classic marks": (
        lambda: (Scream(ecn="classic"), ScreamReceiver()),
        'kind = "scream", ecn = "classic"',
        MARKS,
        {"limit": 200, "marks_after": 5_000_000},
    ),
    "scream, L4S": (
        lambda: (Scream(ecn="l4s"), ScreamReceiver()),
        'kind = "scream", ecn = "l4s"',
        MARKS,
        {"limit": 200, "marks_after": 5_000_000},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_packet_leaves_when_the_draft_says(case):
    make, transport, queue, path = case
    assert len(agreed(make, transport, queue, 40, report=80, **path)) > 3_000
