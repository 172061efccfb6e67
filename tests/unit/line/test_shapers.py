"""Rates of shapers that do not count all bytes of a line: the modem behind the router has no queue."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sojourn import Scenario
from sojourn._rooms._base.toml import document
from sojourn._rooms.line.question import household
from sojourn._rooms.line.shapers import EXACT, Shaper
from sojourn._rooms.runs.runner import study
from sojourn.line import Line

BYTES_OF_IP = Shaper(exact=False, ingress=False)


@pytest.mark.parametrize("shaper", [EXACT, BYTES_OF_IP])
@pytest.mark.parametrize("link", ["ethernet", "docsis", "vdsl", "adsl"])
def test_packets_and_acknowledgements_fill_95_percent_of_the_line(link, shaper):
    line = replace(Line.read("1/8", link=link), shaper=shaper)
    full = {"ethernet": 1538, "docsis": 1518, "vdsl": 1530 * 65 / 64, "adsl": 33 * 53}[link]
    ack = {"ethernet": 90, "docsis": 70, "vdsl": 82 * 65 / 64, "adsl": 2 * 53}[link]
    up = line.shaped[0]
    if shaper is EXACT:
        assert up == 950_000
        return
    # Acknowledgements of 52 bytes for each packet of a full download, at 95 % of their rate; packets of 1500 bytes.
    acks = 0.95 * 8e6 / full * ack
    packets = (up - acks / ack * 52) / 1500 * full
    assert acks + packets == pytest.approx(0.95e6, rel=0.005), "three digits"


def behind_a_router(line: Line, queue: str) -> Scenario:
    """The household, with the shapers in a router and the line's own buffers of 250 ms beside them."""
    up, down = line.queues(queue)
    wire = {"overhead": f"{line.kind.overhead}B", "mpu": f"{line.kind.mpu}B", "cells": line.kind.cells}

    def link(name, ends, rate, queue=None, **more):
        here, there = ends
        queued = {"queue": queue} if queue else {}
        return {
            "name": name,
            "from": here,
            "to": there,
            "rate": rate,
            "delay": "1ms",
            "duplex": False,
            **queued,
            **more,
        }

    def modem(name, ends, bps):
        return link(name, ends, f"{bps}bit", {"kind": "fifo", "limit": f"{bps // 32}B"}, **wire)

    flows = []
    for flow in household():
        ends = {"from": "server", "to": "home"} if flow.get("direction") else {"from": "home", "to": "server"}
        flows.append({name: value for name, value in flow.items() if name != "direction"} | ends)
    content = {
        "title": "A household, its router and its modem",
        "duration": "20s",
        "warmup": "8s",
        "node": [{"name": name} for name in ("home", "router", "modem", "isp", "server")],
        "link": [
            link("lan_up", ("home", "router"), "10Gbit"),
            link("lan_down", ("router", "home"), "10Gbit"),
            link("shaped_up", ("router", "modem"), "10Gbit", up),
            link("shaped_down", ("modem", "router"), "10Gbit", down),
            modem("modem_up", ("modem", "isp"), line.up_bps),
            modem("modem_down", ("isp", "modem"), line.down_bps),
            link("net_up", ("isp", "server"), "10Gbit", delay="12ms"),
            link("net_down", ("server", "isp"), "10Gbit", delay="12ms"),
        ],
        "flow": flows,
    }
    return Scenario.from_toml(document(content), file="household.toml")


def wait_ms(line: Line, queue: str) -> float:
    """The mean wait in the modem."""
    done = study({queue: behind_a_router(line, queue)}, seeds=[1])
    return float(done.values("sojourn_mean_ms", table="queue")[queue]["modem_up"][0])


@pytest.mark.slow
@pytest.mark.parametrize("queue", ["fq_codel", "cake"])
@pytest.mark.parametrize(("rates", "link"), [("1/20", "adsl"), ("1/8", "adsl"), ("5/20", "vdsl"), ("20/100", "docsis")])
def test_in_the_mean_less_than_a_packet_waits_in_the_modem(rates, link, queue):
    line = replace(Line.read(rates, link=link), shaper=BYTES_OF_IP)
    assert wait_ms(line, queue) < 12_000_000 / line.up_bps


@pytest.mark.slow
def test_without_the_lower_rate_it_would_be_full():
    line = Line.read("1/20", link="adsl")

    class Told(Shaper):
        def rates(self, up_bps, down_bps, link):
            return EXACT.rates(up_bps, down_bps, link)

    assert wait_ms(replace(line, shaper=Told(exact=False, ingress=False)), "fq_codel") > 100.0


@pytest.mark.slow
@pytest.mark.parametrize(("rates", "link"), [("1/8", "adsl"), ("10/50", "vdsl"), ("20/100", "docsis")])
def test_packets_of_downloads_wait_before_they_reach_the_router_too(rates, link):
    # In the network of the ranking; docs/latency-under-load.md has the numbers.
    line = Line.read(rates, link=link)
    done = study({queue: line.scenario(queue) for queue in ("fq_codel", "cake")}, seeds=[1])
    found = done.values("sojourn_mean_ms", table="queue")
    waits = {queue: float(rows["down"][0]) for queue, rows in found.items()}
    print(line.words, waits)

    # Dropped packets crossed the line: CAKE counts them, and leaves it more room.
    assert 0.0 < waits["cake"] < waits["fq_codel"] < 1e3 * line.buffer_s
