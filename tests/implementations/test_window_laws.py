"""Second implementations of window laws, from their publications, against ours as they are drawn."""

from __future__ import annotations

import math

import pytest

import sojourn

RTT = 0.1
ROUNDS = 100


def after_a_loss(window, kept, step):
    """The window after a loss, as part of that before, by round trips: each segment is acknowledged by itself.

    `step(cwnd, since)` is the increase by an acknowledgement, `since` seconds after the loss.
    """
    cwnd, now = window * kept, 0.0
    points = [(0.0, 1.0), (1e-9, kept)]
    for number in range(1, ROUNDS + 1):
        segments = max(math.floor(cwnd), 1)
        for _ in range(segments):
            now += RTT / segments
            cwnd += step(cwnd, now)
        points.append((float(number), cwnd / window))
        if cwnd >= 1.2 * window:
            break
    return points


def htcp(window):
    """Leith and Shorten 2004, section 3."""

    def step(cwnd, since):
        late = max(since - 1, 0)
        alpha = 2 * (1 - 0.5) * (1 + 10 * late + (late / 2) ** 2)
        return alpha / cwnd

    return after_a_loss(window, 0.5, step)


def bic(window):
    """Xu, Harfoush and Rhee 2004, section 3, with a step for each acknowledgement."""
    small = window <= 14

    def step(cwnd, _):
        if cwnd <= 14:
            return 1 / cwnd
        way = (window - cwnd) / 2 if cwnd < window else cwnd - window
        return min(max(way, 0.01), 32) / cwnd

    return after_a_loss(window, 0.5 if small else 0.875, step)


@pytest.mark.parametrize(("name", "second"), [("htcp", htcp), ("bic", bic)])
def test_a_window_comes_back_as_the_publication_says(name, second):
    law = sojourn.sender_law(name)

    for curve, window in zip(law.curves, (10, 100, 1000), strict=True):
        expected = second(window)
        assert len(curve.points) == len(expected)
        for (x, y), (at, part) in zip(curve.points, expected, strict=True):
            # Times are in whole nanoseconds there: H-TCP's increase has an error of a millionth.
            assert (x, y) == (pytest.approx(at), pytest.approx(part, rel=1e-5)), f"{name} at {window}"


def illinois_increase(percent):
    """Liu, Basar and Srikant 2008, equation 4: from 10 below 1 % of the longest delay to 0.3 at it."""
    da, knee = percent / 100, 0.01
    if da <= knee:
        return 10
    k1 = (1 - knee) * 0.3 * 10 / (10 - 0.3)
    k2 = (1 - knee) * 0.3 / (10 - 0.3) - knee
    return k1 / (k2 + da)


def illinois_decrease(percent):
    """Equation 5: an eighth up to 10 %, a half from 80 % on."""
    k4 = (1 / 2 - 1 / 8) / (0.8 - 0.1)
    k3 = 1 / 8 - k4 * 0.1
    return min(max(k3 + k4 * percent / 100, 1 / 8), 1 / 2)


def hybla(rtts):
    """Caini and Firrincieli 2004: in a round trip rho^2 segments are added, which takes rtts of those of reference."""
    return max(rtts, 1) ** 2 / rtts


def veno_increase(queued):
    """Fu and Liew 2003: an acknowledgement adds one over the window, or every other one does."""
    return 1 if queued < 3 else 1 / 2


def veno_kept(queued):
    """The same: a fifth or a half is lost."""
    return 4 / 5 if queued < 3 else 1 / 2


def yeah(queued):
    """Baiocchi, Castellani and Vacirca 2007, section 3.2, for 200 segments: the backlog, from an eighth to a half."""
    return min(max(queued / 200, 1 / 8), 1 / 2)


def yeah_beside_others(_):
    """The same for a flow that has been slow for long."""
    return 1 / 2


def cdg(gradient):
    """Hayes and Armitage 2011, equation 5, with G = 3 ms."""
    return 1 - math.exp(-gradient / 3)


CURVES = {
    "illinois": (illinois_increase, illinois_decrease),
    "hybla": (hybla, lambda rtts: 1 / rtts),
    "veno": (veno_increase, veno_kept),
    "yeah": (yeah, yeah_beside_others),
    "cdg": (cdg,),
}


@pytest.mark.parametrize("name", CURVES)
def test_each_point_of_a_law_is_the_publications(name):
    curves = sojourn.sender_law(name).curves

    assert len(curves) == len(CURVES[name])
    for curve, second in zip(curves, CURVES[name], strict=True):
        jumps = {x for (x, _), (after, _) in zip(curve.points, curve.points[1:], strict=False) if after - x < 1e-6}
        wrong = [
            (x, y, second(x)) for x, y in curve.points if x not in jumps and y != pytest.approx(second(x), rel=1e-4)
        ]
        assert wrong == [], name
        assert len(curve.points) > 20


def prague(share, rtt):
    """Packets in 25 ms: draft-briscoe-iccrg-prague-congestion-control-04 section 2.4, marks at even distances.

    A round trip is over when a packet is acknowledged that left after its beginning. Each packet without a mark opens
    the window by 1/W, or by (rtt/25 ms)^2 / W after 500 round trips. A mark takes alpha/2 if the last cut was a round
    trip ago, and 25 ms then. The sender paces by the fraction of the window.
    """
    span, fraction, alpha = 0.025, 20.0, 1.0
    now, marks, round_ends, rounds = 0.0, 0.0, 0, 0
    acked = marked = 0
    seen, estimated, cut, began = False, 0.0, -math.inf, 0.0
    settles, counted = 60_000, 20_000
    for total in range(1, settles + counted + 1):
        flight = max(math.floor(fraction), 1)
        now += rtt / max(fraction, 1)
        marks += share
        is_marked = marks >= 1
        independent = rounds >= 500
        if is_marked:
            marks -= 1
            if now - cut >= (max(rtt, span) if independent else rtt):
                cut = now
                fraction *= 1 - alpha / 2
        acked += 1
        marked += is_marked
        seen |= is_marked
        if not is_marked:
            step = min(rtt / span, 1) ** 2 if independent else 1
            fraction += step / fraction
        if max(total - flight, 0) >= round_ends and (not independent or now - estimated >= span):
            if seen:
                alpha += (marked / acked - alpha) / 16
                estimated = now
            acked = marked = 0
            round_ends = total
            rounds += 1
        if total == settles:
            began = now
    return counted / (now - began) * span


def test_prague_gets_the_packets_that_the_draft_gives_it():
    curves = sojourn.sender_law("prague").curves

    assert len(curves) == 2
    for curve, rtt in zip(curves, (0.01, 0.025), strict=True):
        for x, y in curve.points[::12]:
            # Times are whole nanoseconds there, so that 25 ms may end a packet later.
            assert y == pytest.approx(prague(x / 100, rtt), rel=0.03), f"{x} % at {rtt} s"
            # Growth of 1 - p in 25 ms and cuts of p/2 of the window, 25 ms after one another or up to a mark later, of
            # which there are two: 2 (1 - p)/p packets, or up to half as many more.
            assert 0.95 < y / (2 * (1 - x / 100) / (x / 100)) < 1.55, (x, y)
