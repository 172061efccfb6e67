"""A bottleneck for another program's packets: the engine's own links, with any payload and any clock."""

from __future__ import annotations

import pytest

import sojourn
from sojourn import Arrived
from sojourn.queues import Red


def test_a_packet_takes_its_transmission_and_the_delay():
    there = sojourn.Bottleneck("codel", "10Mbit", "20ms")
    payload = object()
    there.send(1.0, 1500, payload, flow=3, ecn=2)

    assert there.next_time() == pytest.approx(1.0012, abs=1e-9)
    assert there.receive(1.0211) == []
    assert there.receive(1.03) == [Arrived(at=1.0212, payload=payload, size=1500, flow=3, ecn=2, waited=0.0)]
    assert there.next_time() is None


def test_next_time_leads_to_every_packet():
    there = sojourn.Bottleneck("fq_codel", "3Mbit", "7ms")
    for number in range(100):
        there.send(0.0, 1500, number, flow=number % 4)
    got = []
    while (now := there.next_time()) is not None:
        got += there.receive(now)

    assert [packet.at for packet in got] == sorted(packet.at for packet in got)
    assert {packet.payload for packet in got} | {lost.payload for lost in there.lost()} == set(range(100))


def test_what_is_lost_is_given_back_with_its_reason():
    there = sojourn.Bottleneck("fifo:limit=10p", "1Mbit", "1ms")
    for number in range(12):
        there.send(0.0, 1000, number)

    # One is being sent and ten wait.
    assert there.backlog() == (10, 10_000)
    assert [(lost.payload, lost.reason, lost.link) for lost in there.lost()] == [(11, "overflow", 0)]
    assert list(there.lost()) == []


def test_links_in_a_row():
    links = [
        {"rate": "10Mbit", "delay": "1ms", "queue": Red(min_th="5p", max_th="15p")},
        {"rate": "1Mbit", "delay": "2ms", "queue": "fifo:limit=2p"},
    ]
    there = sojourn.Bottleneck(links=links)
    for number in range(4):
        there.send(0.0, 1000, number)

    # 0.8 ms and 1 ms, then 8 ms and 2 ms; the fourth finds two waiting behind the first.
    assert [(round(got.at, 7), got.payload) for got in there.receive(1.0)] == [(0.0118, 0), (0.0198, 1), (0.0278, 2)]
    assert [(lost.payload, lost.link) for lost in there.lost()] == [(3, 1)]


def test_what_was_waited_is_said():
    there = sojourn.Bottleneck("fifo", "12Mbit", "5ms")
    for number in range(3):
        there.send(0.0, 1500, number)

    assert [round(got.waited, 9) for got in there.receive(1.0)] == [0.0, 0.001, 0.002]


@pytest.mark.parametrize(("given", "least", "most"), [(True, 490, 500), (False, 240, 330)])
def test_cake_shares_among_the_hosts_that_are_given(given, least, most):
    # Ten flows of 2 Mbit/s for 2 s, one of a host and nine of another, on 10 Mbit/s: two hosts may have 5 Mbit/s each,
    # so that the first has all it asks for, 500 packets. Ten flows with hosts of their own have 1 Mbit/s each, 250
    # packets, and those that wait at the end.
    cake = sojourn.Bottleneck("cake:tins=besteffort,isolation=dual-srchost", "10Mbit", "1ms")
    for number in range(5000):
        flow = number % 10
        cake.send(number * 0.0004, 1000, flow, flow=flow, hosts=(min(flow, 1), 9) if given else None)
    got = [packet.payload for packet in cake.receive(100.0)]

    assert least <= got.count(0) <= most


def test_the_seed_decides():
    def lost(seed):
        links = [{"rate": "10Mbit", "delay": "1ms", "loss": {"kind": "uniform", "probability": 0.1}}]
        there = sojourn.Bottleneck(links=links, seed=seed)
        for number in range(100):
            there.send(number / 100, 1000, number)
        there.receive(2.0)
        return [one.payload for one in there.lost()]

    assert lost(1) == lost(1) != lost(2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: sojourn.Bottleneck("codl"), 'did you mean "codel"'),
        (lambda: sojourn.Bottleneck("codel", "10Mbps"), "Mbps"),
        (lambda: sojourn.Bottleneck(links=[]), "a path has no link"),
        (lambda: sojourn.Bottleneck(links=[{"rate": "1Mbit", "delay": "1ms", "from": "a"}]), "in a row"),
        (lambda: sojourn.Bottleneck().send(0.0, 0), "size"),
        (lambda: sojourn.Bottleneck().send(float("nan"), 10), "now"),
        (lambda: sojourn.Bottleneck().send(0.0, 10, ecn=4), "ecn"),
        (lambda: sojourn.Bottleneck().send(0.0, 10, dscp=64), "dscp"),
        (lambda: sojourn.Bottleneck().send(0.0, -1), "size: -1 is not between 1 and"),
        (lambda: sojourn.Bottleneck().send(0.0, 10**400), "size: a number of 401 digits is not between 1 and"),
        (lambda: sojourn.Bottleneck().send(0.0, 10, flow=-1), "flow: -1 is not between 0 and"),
        (lambda: sojourn.Bottleneck().send(0.0, 10, flow=2**32), "flow: 4294967296 is not"),
        (lambda: sojourn.Bottleneck().send(0.0, 10, ecn=-1), "ecn: -1 is not between 0 and 3"),
        (lambda: sojourn.Bottleneck().send(1e6, 10), "now: 1000000.0 is not at least 0 and below"),
        (lambda: sojourn.Bottleneck().send(1e300, 10), "now: 1e300 is not"),
        (lambda: sojourn.Bottleneck().receive(10**400), "now: inf is not"),
        (lambda: sojourn.Bottleneck().backlog(1), "link: 1 is not"),
        (lambda: sojourn.Bottleneck().backlog(-1), "link: -1 is not"),
    ],
)
def test_what_is_wrong_is_said(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_what_is_no_number_is_a_type_error():
    with pytest.raises(TypeError):
        sojourn.Bottleneck().send(0.0, 1.5)


def test_time_does_not_go_back():
    there = sojourn.Bottleneck()
    there.receive(2.0)
    with pytest.raises(ValueError, match="time goes back from 2 to 1"):
        there.send(1.0, 100)
