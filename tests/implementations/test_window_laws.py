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
