"""Numbers of criteria against closed forms, and against the results that the documents state."""

from __future__ import annotations

import math

import pytest

from sojourn._rooms.evaluate.page import Evaluation
from sojourn._rooms.evaluate.synchrony import synchrony
from sojourn.evaluate import evaluate

# These are whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow


def means(page: Evaluation, measure: str, point: str = "") -> dict[str, float]:
    (row,) = (one for one in page.rows if (one.measure.name, one.point) == (measure, point))
    return {label: row.mean(label) for label in row.values}


@pytest.fixture(scope="module")
def congestion() -> Evaluation:
    return evaluate("codel", baselines=["pie", "fq_codel", "fifo"], quick=True, only=["8.2.2"], seeds=[1, 2, 3])


@pytest.mark.parametrize(("point", "share"), [("mild", 0.1), ("medium", 0.5), ("heavy", 1.0)])
def test_congestion_levels_lose_what_rfc_7928_means_them_to(congestion: Evaluation, point: str, share: float):
    # Section 8.2.1 has 0.1, 0.5 and 1 % of l = 0.76 (N / S)^2 for tail drop: S are on the way and in the buffer.
    # A buffer that losses empty holds fewer than that: with half of it on average S is 2/3, and l 9/4 times as much.
    lost = means(congestion, "loss", point)
    assert share / 2 < lost["fifo"] < 9 / 4 * share
    # The same formula for a queue that holds next to nothing: S is 83 instead of 250.
    for queue in ("codel", "pie", "fq_codel"):
        assert lost["fifo"] < lost[queue] < 9 * share


def test_a_full_buffer_is_what_a_fifo_lets_packets_wait_for(congestion: Evaluation):
    # Two bandwidth-delay products wait for two base round trips of 100 ms, but for the packet in transmission.
    assert means(congestion, "wait", "heavy")["fifo"] == pytest.approx(200.0, rel=0.02)
    assert means(congestion, "used", "heavy")["fifo"] == pytest.approx(100.0, abs=0.01)


def test_datagrams_beyond_the_link_lose_what_is_too_much():
    page = evaluate("fifo", baselines=["fq_codel"], quick=True, only=["5.3"], seeds=[1])

    tcp = means(page, "tcp", "more than the link")
    # A plain queue leaves nothing to TCP; a fair one leaves it half of the link but for its headers and its sawtooth.
    assert tcp["fifo"] < 2.0
    assert tcp["fq_codel"] > 70.0


def test_equal_round_trips_get_the_same():
    page = evaluate("fq_codel", baselines=["codel"], only=["6.2"], seeds=[1])

    assert means(page, "ratio", "100 ms")["fq_codel"] == pytest.approx(1.0, abs=0.05)
    assert means(page, "ratio", "500 ms")["codel"] < 0.5


def test_marks_take_the_place_of_losses():
    page = evaluate("codel", baselines=["fifo"], quick=True, only=["4.5"], seeds=[1])

    assert means(page, "loss")["codel"] == 0.0
    assert means(page, "marks")["codel"] > 0.1
    assert means(page, "loss")["fifo"] > 0.0


def test_round_trips_per_minute_are_what_the_way_and_the_buffer_leave():
    page = evaluate("fq_codel", baselines=["fifo"], quick=True, only=["rpm"], seeds=[1, 2])

    rpm, added = means(page, "rpm"), means(page, "added")
    # The way alone takes 30 ms, so that nobody gets more than 60000 / 30; a FIFO adds nearly its 300 ms of buffer.
    assert 1500.0 < rpm["fq_codel"] < 2000.0
    assert rpm["fifo"] == pytest.approx(60000.0 / (30.0 + added["fifo"]), rel=0.05)


def test_half_of_all_lost_makes_a_standard_sender_send_less_than_one_in_a_round_trip():
    page = evaluate("reno", kind="sender", baselines=["bbr"], quick=True, only=["5.1.1"], seeds=[1])

    sent = means(page, "sent")
    assert sent["reno"] < 0.5
    # BBR of 2016 takes no loss for congestion (RFC 9743 section 5.1.3).
    assert sent["bbr"] > sent["reno"]


def test_synchrony_is_one_where_all_lose_together_and_one_part_where_one_does():
    together = [(1.0, flow) for flow in range(4)]
    alone = [(float(time), time % 4) for time in range(20)]

    assert synchrony(together, 4, 0.1) == 1.0
    assert synchrony(alone, 4, 0.1) == 0.25
    assert math.isnan(synchrony([], 4, 0.1))


def test_an_evaluation_is_a_verb_whose_answer_a_notebook_shows():
    import sojourn

    page = sojourn.evaluate("codel", quick=True, baselines=["fifo"], only=["5.2"], seeds=2)
    assert "codel: an evaluation" in page._repr_html_()
    assert page.summary()["subject"].unique(maintain_order=True).to_list() == ["codel", "fifo"]
    with pytest.raises(ValueError, match="which was not asked"):
        page.plot()
