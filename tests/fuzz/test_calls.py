"""Random calls of a bottleneck over every queue, with numbers that no program should send.

No packet comes twice, and nothing ends the program.

Here each queue once, the same calls each time. ``python tests/fuzz/test_calls.py --seconds 3600`` goes on with others.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from tries import Try, fault, go_on

import sojourn
from sojourn import _core

FLOWS = [0, 1, 2, 7, 1000, 65_535, 65_536, 2**31 - 1, 2**31, 2**32 - 2, 2**32 - 1]
SIZES = [1, 40, 1000, 1500, 9000, 65_535, 2**31 - 1]
PAUSES = [0.0, 1e-9, 1e-6, 0.0005, 0.0012, 0.05, 2.0]
# Beyond what is allowed: each is a ValueError, or a TypeError for what is no number.
ODD = [-1, -(2**63), 2**32, 2**64, 10**400, float("nan"), float("inf"), -1e-9, 1e6, 1e300, 1.5, None, "x"]


def odd_call(dice: random.Random, link: sojourn.Bottleneck, now: float) -> None:
    """One that is refused, and changes nothing."""
    odd = dice.choice(ODD)
    calls: list[Callable[[], object]] = [
        lambda: link.send(now, odd, "odd"),
        lambda: link.send(now, 1500, "odd", flow=odd),
        lambda: link.send(now, 1500, "odd", ecn=odd),
        lambda: link.send(now, 1500, "odd", dscp=odd),
        lambda: link.send(odd if odd != 1.5 else -1.0, 1500, "odd"),
    ]
    with pytest.raises((ValueError, TypeError)) as refused:
        dice.choice(calls)()
    assert len(str(refused.value)) < 200, str(refused.value)


def try_queue(queue: str, number: int, _folder: Path) -> None:
    """Send, wait and take, in any order; then wait until nothing is under way."""
    dice = random.Random(f"{queue} {number}")
    rate = dice.choice(["10Mbit", "1kbit", "100Gbit"]) if number else "10Mbit"
    link = sojourn.Bottleneck(queue, rate, dice.choice(["0s", "20ms"]), seed=number)
    now, sent, back = 0.0, 0, []
    for _ in range(300):
        what = dice.random()
        if what < 0.6:
            link.send(
                now,
                dice.choice(SIZES[:5]),
                sent,
                flow=dice.choice(FLOWS),
                ecn=dice.randrange(4),
                dscp=dice.randrange(64),
            )
            sent += 1
        elif what < 0.62:
            odd_call(dice, link, now)
        elif what < 0.8:
            back += [packet.payload for packet in link.receive(now)] + [packet.payload for packet in link.lost()]
        else:
            coming = link.next_time()
            now += dice.choice(PAUSES)
            now = coming if coming is not None and dice.random() < 0.5 and coming >= now else now
        packets, size = link.backlog()
        assert 0 <= packets <= sent
        assert size >= packets
    assert len(back) == len(set(back)), "a packet came twice"
    assert set(back) <= set(range(sent)), "a packet came that was not sent"


TRIES: dict[str, Try] = {queue: partial(try_queue, queue) for queue in _core.names("queues")}


@pytest.mark.parametrize("queue", list(TRIES))
def test_every_queue_bears_any_calls(queue, tmp_path):
    assert fault(TRIES, queue, 0, tmp_path) == ""


@pytest.mark.parametrize("queue", list(TRIES))
def test_every_queue_bears_a_flow_of_any_number(queue):
    """One packet of the greatest flow once asked green for 160 GB."""
    link = sojourn.Bottleneck(queue, "10Mbit", "20ms")
    for flow in (2**32 - 1, 4_000_000_000, 0):
        link.send(0.0, 1500, flow, flow=flow)
    back = [packet.payload for packet in [*link.receive(1.0), *link.lost()]]
    assert sorted(back) == [0, 4_000_000_000, 2**32 - 1]


if __name__ == "__main__":
    go_on(TRIES, "Random calls of a bottleneck.")
