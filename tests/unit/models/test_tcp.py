"""Formulas for the throughput of TCP: the papers' own numbers, each against the others in its limits."""

import math

import numpy as np
import pytest

from sojourn.models import tcp

SMALL = np.array([1e-5, 1e-4, 1e-3])


def test_the_sample_sizes_are_those_of_table_8():
    assert [round(float(m)) for m in tcp.sample_size([0.02, 0.03, 0.04, 0.05])] == [2401, 1067, 600, 384]


def test_the_square_root_laws_are_one():
    # 1.5 sqrt(2/3) = sqrt(3/2) = 1.22, as Chatranon and Mathis quote it.
    assert f"{float(tcp.friendly_rate(0.01, 0.1)) * 0.1 * 0.1:.2f}" == "1.22"
    np.testing.assert_allclose(tcp.friendly_rate(SMALL, 0.2), tcp.mathis(SMALL, 0.2))
    # Three quarters of the greatest window in each round-trip time; p = 1 / (3/4 W^2) with delayed acknowledgements.
    np.testing.assert_allclose(tcp.friendly_rate(SMALL, 0.2), 0.75 * tcp.greatest_window(SMALL) / 0.2)
    np.testing.assert_allclose(tcp.friendly_rate_delayed(SMALL, 0.2), 0.75 * tcp.greatest_window_delayed(SMALL) / 0.2)
    np.testing.assert_allclose(1.0 / (0.75 * tcp.greatest_window_delayed(SMALL) ** 2), SMALL)


def test_a_sawtooth_between_half_and_the_whole_window_has_that_rate():
    # From W/2 to W packets, one more in each round trip, then one loss: 3/8 W^2 packets in W/2 round trips.
    window = 400.0
    packets = sum(window / 2 + i for i in range(int(window / 2)))
    p = 1.0 / packets

    assert float(tcp.greatest_window(p)) == pytest.approx(window, rel=1e-2)
    assert float(tcp.friendly_rate(p, 0.1)) == pytest.approx(packets / (window / 2 * 0.1), rel=1e-2)


def test_without_timeouts_padhye_is_the_square_root_law():
    for b in (1, 2):
        law = tcp.mathis(SMALL, 0.1, constant=math.sqrt(1.5 / b))
        np.testing.assert_allclose(tcp.padhye_approximate(SMALL, 0.1, timeout_s=1e-9, ack_every=b), law, rtol=1e-6)
        # The full model counts the rounds of the loss, too: the rest falls with 1 / W, and W is 52 at 1e-3.
        np.testing.assert_allclose(tcp.padhye(SMALL, 0.1, timeout_s=1e-9, ack_every=b), law, rtol=0.03)


def test_the_two_of_padhye_agree_for_few_losses_and_at_the_window():
    loss = np.array([1e-6, 1e-5, 1e-4, 1e-3, 1e-2])
    full, short = (f(loss, 0.1, timeout_s=0.5) for f in (tcp.padhye, tcp.padhye_approximate))
    np.testing.assert_allclose(full, short, rtol=0.03)
    # A window of 8 packets: 80 packets/s are the most. The full model spends a round on each loss.
    for f in (tcp.padhye, tcp.padhye_approximate):
        assert float(f(1e-7, 0.1, timeout_s=0.5, window=8)) == pytest.approx(80.0, rel=1e-3)


def test_padhye_falls_with_loss_and_time():
    loss = np.geomspace(1e-5, 0.5, 200)
    for f in (tcp.padhye, tcp.padhye_approximate):
        rate = f(loss, 0.1, timeout_s=1.0)
        assert np.all(np.diff(rate) < 0.0)
        assert np.all(f(loss, 0.2, timeout_s=1.0) < rate)
        assert np.all(f(loss, 0.1, timeout_s=2.0) < rate)


def test_full_padhye_is_its_formula_worked_by_hand():
    # p = 0.25, b = 1, R = T0 = 1: E[W] = 1 + sqrt(8 0.75 / (3 0.25) + 1) = 4; Q = min(1, (1 - .421875)(1 + .421875
    # (1 - .75)) / (1 - .31640625)) = 0.578125 * 1.10546875 / 0.68359375 = 0.93491; f = 1 + .25 + .125 + .0625 +
    # .03125 + .015625 + .0078125 = 1.4921875; rate = (3 + 4 + 0.93491 / 0.75) / (1 (4/2 + 1) + 0.93491 * 1.4921875 /
    # 0.75) = 8.246547 / 4.860082.
    assert float(tcp.padhye(0.25, 1.0, timeout_s=1.0)) == pytest.approx(8.246547 / 4.860082, rel=1e-5)


@pytest.mark.parametrize(
    "call",
    [
        lambda: tcp.mathis(0.0, 0.1),
        lambda: tcp.mathis([0.1, 1.0], 0.1),
        lambda: tcp.padhye(0.1, 0.0, timeout_s=1.0),
        lambda: tcp.padhye(0.1, 0.1, timeout_s=-1.0),
        lambda: tcp.sample_size(0.0),
        lambda: tcp.sample_size(math.nan),
    ],
)
def test_what_means_nothing_is_refused(call):
    with pytest.raises(ValueError, match="allowed"):
        call()
