"""Second implementations of laws that look at senders' signals, beside ours in a closed loop."""

from __future__ import annotations

import polars as pl
import pytest

import sojourn

from .closed_loop import Lost, arrivals, decisions, differences, follow
from .fair_share_laws import Green
from .link import Numbers
from .red_laws import Settings
from .sender_laws import CbtRed, GreenByHandshake, RedBoston
from .test_routers import KINDS, LINK, MIXED

SEED = 3
CLOCKED = 'min_th = "5p", max_th = "15p", max_p = 0.1, w_q = 0.01, above = "strict", count = "on", idle_decay = "paper"'


def numbers(link: str) -> Numbers:
    """The random numbers of the queue before a link."""
    return Numbers(f"queue/{link}", SEED)


def run(text: str) -> sojourn.Result:
    return sojourn.run(sojourn.Scenario.from_toml(text), seed=SEED)


def reasons(lost: list[Lost]) -> set[str]:
    """Events that happened more than fifty times."""
    return {why for why in {why for *_, why in lost} if sum(other == why for *_, other in lost) > 50}


def test_cbt_red_drops_by_the_averages_of_three_classes():
    queue = (
        f'kind = "cbt_red", limit = "40p", {CLOCKED}, spare_short = false, spare_first = false, '
        'tagged_flows = [5, 6], tagged_th = "1.5p", other_th = "3p"'
    )
    result = run(MIXED.replace("[[", LINK.format(queue=queue) + "[[", 1))
    law = CbtRed(Settings(gentle=False), {"tagged": 1.5, "other": 3.0}, dict(enumerate(KINDS)), 40, numbers("forward"))

    expected = follow(law, arrivals(result, "forward", 24))

    assert not differences(decisions(result, "forward"), expected)
    assert len(expected[0]) > 10_000
    assert reasons(expected[1]) >= {"early", "unfair"}


HINTED = """
duration = "12s"

[[flow]]
name = "tcp"
count = 4
transport = { kind = "tcp", packet = "500B" }
app = "bulk"
delay_hint = "20ms"
start = { spread = "1s" }

[[flow]]
name = "urgent"
count = 2
transport = { kind = "udp", packet = "300B" }
app = { kind = "poisson", rate = "1Mbit" }
delay_hint = "2ms"

[[flow]]
name = "silent"
count = 2
transport = { kind = "udp", packet = "700B" }
app = { kind = "on_off", rate = "4Mbit" }

[record]
packets = true
drops = true
"""


@pytest.mark.parametrize("above", ["strict", "gentle"])
def test_red_boston_drops_by_the_hint_and_serves_by_what_was_asked_for(above):
    queue = (
        f'kind = "red_boston", limit = "60p", {CLOCKED.replace("strict", above)}, spare_short = false, '
        'spare_first = false, w_t = 0.02, default_hint = "6ms", band = 0.1, interval = "20ms"'
    )
    result = run(HINTED.replace("[[", LINK.format(queue=queue) + "[[", 1))
    hints = {**dict.fromkeys(range(4), 20_000.0), 4: 2_000.0, 5: 2_000.0}
    law = RedBoston(Settings(gentle=above == "gentle"), hints, 6_000, 60, numbers("forward"))

    expected = follow(law, arrivals(result, "forward", 11))

    assert not differences(decisions(result, "forward"), expected)
    assert len(expected[0]) > 10_000
    assert "early" in reasons(expected[1])
    waited = result.packets.filter(pl.col("link") == "forward")["sojourn_ms"].to_list()
    assert waited != sorted(waited)
    assert law.max_p != 0.1


@pytest.mark.parametrize("wait", [False, True], ids=["round trips of the path", "with what waits"])
def test_green_drops_by_the_round_trip_of_each_connection(wait):
    queue = (
        'kind = "green", limit = "40p", rtt = "handshake", window = "0.5s", c = 2, adaptive = true, '
        f"add_wait = {str(wait).lower()}"
    )
    result = run(MIXED.replace("[[", LINK.format(queue=queue) + 'base_rtt = "70ms"\n\n[[', 1))
    green = Green(rtt_us=70_000, window_us=500_000, adaptive=True, add_wait=wait)
    green.c, green.numbers = 2, numbers("forward")
    law = GreenByHandshake(green, {flow for flow, kind in enumerate(KINDS) if kind == "tcp"}, 40)
    green.queue = law.line

    expected = follow(law, arrivals(result, "forward", 24))

    assert not differences(decisions(result, "forward"), expected)
    assert len(expected[0]) > 10_000
    assert "early" in reasons(expected[1])
    assert len(set(law.known.values())) == 5
