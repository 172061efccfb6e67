"""Second implementations of senders, from their publications, against ours: when each packet comes to the queue."""

from __future__ import annotations

import pytest

from .rates import agreed
from .senders import Lda, LdaReceiver, Rap, RapReceiver, Tear, TearReceiver

QUEUE = 'kind = "fifo", limit = "20p"'

CASES = {
    "rap": (lambda: (Rap(), RapReceiver()), 'kind = "rap"', 44, 60),
    "rap, fine grain": (lambda: (Rap(fine=True), RapReceiver()), 'kind = "rap", fine_grain = true', 44, 60),
    "tear": (lambda: (Tear(), TearReceiver()), 'kind = "tear"', 40, 90),
    "lda": (lambda: (Lda(), LdaReceiver()), 'kind = "lda"', 80, 200),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_packet_leaves_when_the_publication_says(case):
    make, transport, report, seconds = case
    packets = agreed(make, transport, QUEUE, seconds, limit=20, report=report)
    assert sum(not kept for _, kept in packets) > 20
    assert len(packets) > 5_000
