"""Each registered queue has a second implementation, or is held to another program; a new one joins one of both."""

from __future__ import annotations

import json

from sojourn import _core

from . import test_policies, test_schedulers

TESTS_OF_THEIR_OWN = {
    "abe": "test_disciplines.py",
    "diffserv": "test_policies.py",
    "dualpi2": "test_disciplines.py",
    "cobalt": "test_policies.py",
    "tcp_model": "test_policies.py",
    "drr": "test_disciplines.py",
    "sfq": "test_disciplines.py",
    "rio": "test_policies.py",
    "decbit": "test_policies.py",
    "cbq": "test_schedulers.py",
    "fq_codel": "test_schedulers.py",
    "flow_queue": "test_schedulers.py",
    "dcbt": "test_routers.py",
    "rcp": "test_routers.py",
    "cbt_red": "test_closed_loops.py",
    "red_boston": "test_closed_loops.py",
    "source_quench": "test_choke_packets.py",
    "hop_by_hop": "test_choke_packets.py",
    "codel": "docs/own-queue.md and tests/unit/own: in Python, drop by drop",
    "red": "tests/replay/test_second_red.py",
}
OTHER_PROGRAMS = {
    "cake": "Linux 6.12, packet by packet: tests/peers/linux/kernel",
    "fifo": "ns-2, packet by packet",
    "fq_pie": "Linux 6.12, packet by packet: tests/peers/linux/kernel",
    "htb": "Linux 6.12, packet by packet: tests/peers/linux/kernel",
    "xcp": "ns-2, packet by packet",
}


def test_each_registered_queue_has_a_second_implementation_or_is_held_to_another_program():
    registered = {entry["name"] for entry in json.loads(_core.registry())["queues"]}
    cases = [*test_policies.CASES.values(), *test_schedulers.CASES.values()]
    second = {queue for _, queue, _ in cases} | set(TESTS_OF_THEIR_OWN)

    assert registered - second - set(OTHER_PROGRAMS) == set()
    assert (second | set(OTHER_PROGRAMS)) - registered == set()
    assert not second & set(OTHER_PROGRAMS), "those have a second implementation"
