"""Which registered queues have a second implementation, and which have none: a new one is added to one of both."""

from __future__ import annotations

import json

import test_schedulers
import test_second

from sojourn import _core

TESTS_OF_THEIR_OWN = {
    "abe": "test_second.py",
    "diffserv": "test_second.py",
    "dualpi2": "test_second.py",
    "cobalt": "test_second.py",
    "tcp_model": "test_second.py",
    "drr": "test_second.py",
    "decbit": "test_second.py",
    "cbq": "test_schedulers.py",
    "dcbt": "test_routers.py",
    "rcp": "test_routers.py, without the header that senders write",
    "red": "tests/replay/test_red_peer.py",
}
WITHOUT = {
    # Held to another implementation instead, packet by packet or in the mean.
    "fifo": "ns-2, packet by packet",
    "pi": "ns-2, packet by packet",
    "xcp": "ns-2, packet by packet",
    "sfq": "ns-2 in the mean; its turns are those of drr",
    "rio": "ns-2 in the mean",
    "ared_feng": "ns-2 in the mean",
    "fq_codel": "its turns are those in cbfq, its law is that of codel",
    "codel": "docs/own-queue.md has it in Python, drop by drop",
    # Worked examples of their specifications alone.
    "bred": "",
    "cbt_red": "",
    "flow_queue": "its turns are those in cbfq",
    "green": "",
    "hop_by_hop": "",
    "lqd": "",
    "red_boston": "",
    "source_quench": "",
    "sred": "",
}


def test_each_registered_queue_has_a_second_implementation_or_is_said_to_have_none():
    registered = {entry["name"] for entry in json.loads(_core.registry())["queues"]}
    cases = [*test_second.CASES.values(), *test_schedulers.CASES.values()]
    second = {queue for _, queue, _ in cases} | set(TESTS_OF_THEIR_OWN)

    assert second - registered == set()
    assert registered - second == set(WITHOUT) - second
    assert not second & set(WITHOUT), "those have one"
