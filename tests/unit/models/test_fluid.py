"""The fluid model: its solver against exact solutions, rest and loop against closed forms, maps against each other."""

import math

import numpy as np
import pytest
from scipy.special import lambertw

from sojourn._rooms.models.fluid.linear import Linear
from sojourn.models import design, fluid


def of(queue, *, flows=60, rtt=0.2, capacity=3750.0, law="reno", **options):
    return fluid.Fluid(
        classes=(fluid.Class(flows=flows, rtt_s=rtt, law=law),), queue=queue, capacity=capacity, **options
    )


def pi(**load):
    a, b, _, _ = design.pi_gains(design.Load(**{"flows": 60, "rtt_s": 0.246, "capacity": 3750.0, **load}))
    return fluid.Pi(q_ref=200.0, a=a, b=b, frequency_hz=160.0)


RED = fluid.Red(min_th=150, max_th=700, max_p=0.1, w_q=2.66e-5)

# ---- The solver.


def test_a_delayed_decay_is_its_exact_polynomials():
    # y' = -y(t - 1), y = 1 until 0: y = sum over k <= t + 1 of (-1)^k (t - k + 1)^k / k!.
    found = fluid.solve(
        lambda t, _y, past: -past(t - 1.0), [1.0], until=6.0, least_delay=1.0, echoes=[1.0], relative=1e-9
    )
    for time in (0.3, 1.0, 1.5, 2.7, 4.2, 5.99):
        exact = sum((-1) ** k * (time - k + 1) ** k / math.factorial(k) for k in range(int(time) + 2))
        assert found.at(time)[0] == pytest.approx(exact, abs=1e-8)


def test_tolerances_bound_the_error():
    # Hutchinson's equation near its Hopf point turns slowly, so errors add up; the finest run is the measure.
    def run(relative):
        return fluid.solve(
            lambda t, y, past: 1.5 * y * (1.0 - past(t - 1.0)),
            [0.5],
            until=30.0,
            least_delay=1.0,
            echoes=[1.0],
            relative=relative,
            absolute=relative,
        ).at(30.0)[0]

    finest = run(1e-11)
    errors = [abs(run(relative) - finest) for relative in (1e-4, 1e-6, 1e-8)]
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 1e-6


def test_a_delay_may_follow_the_state():
    # y' = past(t - 1 - y)[0] with y = 1 until 0 and the delay at least 1: as long as t - 1 - y < 0, y = 1 + t; then
    # never more.
    found = fluid.solve(lambda t, y, past: past(t - 1.0 - y[0]), [1.0], until=20.0, least_delay=1.0)
    assert found.at(15.0)[0] == pytest.approx(16.0, rel=1e-9)


def test_a_jump_happens_at_its_time():
    found = fluid.solve(
        lambda _t, _y, _past: np.array([1.0]), [0.0], until=3.0, least_delay=1.0, jumps=[(2.0, lambda y: y - 5.0)]
    )
    assert (found.at(2.0)[0], found.at(2.5)[0]) == (pytest.approx(2.0), pytest.approx(-2.5))


# ---- Rest.


def test_windows_rest_at_their_square_roots():
    # PI: q = 200, R = 0.2 + 200/3750, W = R C / N, p = 2 / W^2 and sqrt(2) / W.
    window = (0.2 + 200 / 3750) * 3750 / 60
    for law, p in (("reno", 2 / window**2), ("surathkal", math.sqrt(2) / window)):
        found = fluid.rest(of(pi(), law=law))
        assert found.windows == (pytest.approx(window),)
        assert found.probability == pytest.approx(p)
        assert found.queue == 200.0


def test_red_rests_where_its_line_meets_the_windows():
    found = fluid.rest(of(RED))
    p = 0.1 * (found.queue - 150) / 550
    assert math.sqrt(2 / p) == pytest.approx((0.2 + found.queue / 3750) * 3750 / 60)


def test_every_discipline_rests_where_it_is_said_to():
    for queue in (pi(), fluid.Rem(q_ref=50.0, phi=1.005), fluid.Avq(gamma=0.95), RED):
        model = of(queue)
        found = fluid.rest(model)
        on = [True]
        still = model.rates(found.state, [found.state], [found.probability], on, on)
        # AVQ's queue is empty and stays so.
        assert still == pytest.approx(np.zeros(len(still)), abs=1e-6)
        assert model.probability(found.state, on) == pytest.approx(found.probability)


def test_acknowledging_every_other_packet_halves_the_losses():
    window = (0.2 + 200 / 3750) * 3750 / 60
    model = fluid.Fluid(classes=(fluid.Class(flows=60, rtt_s=0.2, ack_every=2),), queue=pi(), capacity=3750.0)
    assert fluid.rest(model).probability == pytest.approx(1 / window**2)


def test_surathkal_has_no_rest_where_the_line_jumps():
    # Tahiliani 2013, chapter 5: 40 flows, 1250 packets/s, 200 ms: W p = sqrt(2) with W = 11.25 asks for p = 0.126,
    # and the line has no value between 0.1 and 1. Gentle has.
    for above, rests in (("one", False), ("gentle", True), ("line", True)):
        red = fluid.Red(min_th=150, max_th=200, max_p=0.1, w_q=1e-4, above=above)
        model = of(red, flows=40, capacity=1250.0, law="surathkal", lag_s=0.2)
        if rests:
            assert fluid.rest(model).queue > 200
        else:
            with pytest.raises(ValueError, match=r"jumps from 0.1 to 1, and 0.12\d+ would be needed"):
                fluid.rest(model)


def test_bounded_windows_that_leave_the_link_idle_have_no_rest():
    model = fluid.Fluid(classes=(fluid.Class(flows=1, rtt_s=0.2, window=10),), queue=RED, capacity=3750.0)
    with pytest.raises(ValueError, match="do not fill the link"):
        fluid.rest(model)


# ---- Near rest.


def test_the_linear_model_is_hollots():
    # Misra and Hollot's linearisation before it is simplified (INFOCOM 2001, section II and appendix):
    # dW' = -N/(R^2 C) (dW + dW_R) - (dq - dq_R)/(R^2 C) - R C^2/(2 N^2) dp_R; dq' = N/R dW - dq/R.
    linear = fluid.linearise(of(pi()))
    n, c, r = 60.0, 3750.0, 0.2 + 200 / 3750
    now = linear.now[:2, :2]
    np.testing.assert_allclose(now, [[-n / (r * r * c), -1 / (r * r * c)], [n / r, -1 / r]], rtol=1e-5)
    np.testing.assert_allclose(
        linear.before[0][:2, :2], [[-n / (r * r * c), 1 / (r * r * c)], [0, 0]], rtol=1e-5, atol=1e-9
    )
    assert linear.marks[0][0] == pytest.approx(-r * c * c / (2 * n * n), rel=1e-6)
    assert linear.lags == (pytest.approx(r),)


@pytest.mark.parametrize("rtt", [0.1, 0.2, 0.4])
def test_margins_tend_to_those_of_the_simplified_loop(rtt):
    # Hollot et al. leave out terms of 1 / W; here W is 100 to 200 packets. The controller is slow, so the crossover
    # is far below 1 / R.
    load = design.Load(flows=20, rtt_s=rtt + 200 / 10000, capacity=10000.0)
    a, b, _, _ = design.pi_gains(load)
    model = of(fluid.Pi(q_ref=200.0, a=a, b=b), flows=20, rtt=rtt, capacity=10000.0)
    found, expected = fluid.linearise(model).margins(), design.of_pi(load).margins

    assert found.crossover == pytest.approx(expected.crossover, rel=0.02)
    assert found.phase_deg == pytest.approx(expected.phase_deg, abs=2.0)
    assert found.gain == pytest.approx(expected.gain, rel=0.05)


def test_the_rightmost_root_of_a_delayed_decay_is_lamberts():
    # x' = -a x(t - tau): s = W(-a tau) / tau. It turns unstable at a tau = pi / 2.
    for a, tau in ((0.2, 1.0), (1.0, 1.0), (1.56, 1.0), (1.58, 1.0), (3.0, 2.0)):
        linear = Linear(
            rest=None,
            now=np.zeros((1, 1)),
            before=(np.array([[-a]]),),
            marks=(np.zeros(1),),
            reads=np.zeros(1),
            lags=(tau,),
        )
        exact = complex(lambertw(-a * tau)) / tau
        found = fluid.rightmost_root(linear)
        assert found == pytest.approx(complex(exact.real, abs(exact.imag)), abs=1e-9)
        assert (found.real > 0) == (a * tau > math.pi / 2)


def test_roots_and_margins_agree():
    for flows in (20, 60, 120):
        for queue in (pi(), RED):
            linear = fluid.linearise(of(queue, flows=flows, rtt=0.3))
            assert (fluid.rightmost_root(linear).real < 0) == linear.margins().stable


@pytest.mark.slow
def test_maps_by_linearisation_and_by_integration_agree():
    for queue in (pi(), RED):
        found = fluid.stability_map(
            lambda flows, rtt, queue=queue: of(queue, flows=flows, rtt=rtt),
            {"flows": [20, 60, 120], "rtt": [0.05, 0.2, 0.8]},
            followed=True,
        )
        assert found["why"].null_count() == 9
        assert found["stable"].to_list() == [not grows for grows in found["grows"].to_list()]
        # Both kinds are there: more flows and shorter times are stable.
        assert {True, False} == set(found["stable"].to_list())


def test_a_map_says_why_a_point_has_no_rest():
    found = fluid.stability_map(
        lambda law: of(
            fluid.Red(min_th=150, max_th=200, max_p=0.1, w_q=1e-4, above="one"), flows=40, capacity=1250.0, law=law
        ),
        {"law": ["reno", "surathkal"]},
    )
    assert found["why"][0] is None
    assert "jumps" in found["why"][1]


# ---- Courses.


WINDOWS = ((60, 75), (250, 300), (350, 380))


def thesis(capacity, law="reno", above="gentle", lag=0.2):
    common = {"flows": 20, "rtt_s": 0.2, "law": law}
    red = fluid.Red(min_th=150, max_th=200, max_p=0.1, w_q=1e-4, above=above)
    classes = (fluid.Class(**common), fluid.Class(**common, on=((0.0, 75.0), (300.0, 380.0))))
    return fluid.Fluid(classes=classes, queue=red, capacity=capacity, lag_s=lag)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        # Mean and standard deviation over 60-75, 250-300 and 350-380 s by another program, Euler steps of 5 ms.
        (thesis(1250.0, "surathkal"), [(205, 4.3), (183, 0), (205, 2.3)]),
        (thesis(1250.0, "surathkal", "line"), [(211, 0), (183, 0), (211, 0)]),
        (thesis(1000.0), [(162, 0.2), (149, 79), (162, 0.1)]),
        (thesis(625.0, lag=None), [(169, 0), (154, 56), (169, 0)]),
    ],
    ids=["surathkal", "surathkal on the line", "reno at 1000", "reno at 625"],
)
def test_the_thesis_scenarios_are_those_of_another_program(model, expected):
    course = model.run(380.0)
    for (begin, end), (mean, spread) in zip(WINDOWS, expected, strict=True):
        # Of a slow swing a window of 15 to 50 s has part of a period, where Euler's phase counts: 3 % and a tenth of
        # the spread. Near rest, the rest of the start depends on the step: 1 packet.
        assert course.mean("queue", begin, end) == pytest.approx(mean, abs=1.0 + 0.03 * spread)
        assert course.spread("queue", begin, end) == pytest.approx(spread, abs=1.0 + 0.12 * spread)


def euler(step):
    """Reno's course of `thesis(1250.0)` by Euler's method: mean and deviation of the queue over the three windows."""
    steps, back, follow = round(380 / step), round(0.2 / step), -math.log1p(-1e-4) * 1250
    first, second, queue, average = ([value] * (steps + 1) for value in (1.0, 1.0, 0.0, 0.0))

    def line(x):
        return 0.0 if x < 150 else 0.002 * (x - 150) if x < 200 else min(1.0, 0.1 + 0.9 * (x - 200) / 200)

    def on(time):
        return 0 <= time < 75 or time >= 300

    for i in range(steps):
        rtt, now, then = 0.2 + queue[i] / 1250, i * step, i - back
        heard = line(average[then]) / (0.2 + queue[then] / 1250) if then >= 0 else 0.0
        first[i + 1] = max(1.0, first[i] + step * (1 / rtt - first[i] / 2 * first[then] * heard))
        if on(now):
            told = second[then] * heard if on(now - 0.2) else 0.0
            second[i + 1] = max(1.0, second[i] + step * (1 / rtt - second[i] / 2 * told))
        arrivals = 20 * (first[i] + second[i] * on(now)) / rtt
        queue[i + 1] = max(0.0, queue[i] + step * (arrivals - 1250))
        average[i + 1] = average[i] + step * follow * (queue[i] - average[i])
    windows = [np.array(queue[round(begin / step) : round(end / step)]) for begin, end in WINDOWS]
    return np.array([(values.mean(), values.std()) for values in windows])


@pytest.mark.slow
def test_a_swing_is_that_of_euler_as_its_step_goes_to_0():
    # The error of Euler's method is proportional to the step: 2 f(h) - f(2 h) has none of the first order. At 5 ms
    # the last window still has (162.5, 38.1).
    expected = 2 * euler(0.001) - euler(0.002)
    course = thesis(1250.0).run(380.0)
    ours = [(course.mean("queue", *window), course.spread("queue", *window)) for window in WINDOWS]
    # The rest is of second order, and a window holds 100 of our samples: a percent.
    np.testing.assert_allclose(ours, expected, rtol=0.01)


def test_a_course_goes_to_the_rest():
    model = of(pi(), flows=120)
    found, about = model.run(200.0).at(200.0), fluid.rest(model)
    assert found["queue"] == pytest.approx(about.queue, rel=1e-3)
    assert found["window 1"] == pytest.approx(about.windows[0], rel=1e-3)


def test_a_queue_is_neither_below_zero_nor_beyond_its_buffer():
    red = fluid.Red(min_th=5, max_th=15, max_p=0.02, w_q=1e-3)
    model = of(red, flows=4, rtt=0.05, capacity=1250.0, limit=30.0, marks=False)
    queue = model.run(60.0).frame()["queue"].to_numpy()
    # A step may end past the bound by its tolerance, and a little more where the bound is met between two stages.
    assert queue.min() > -0.1
    assert queue.max() < 30.5


def test_dropped_packets_do_not_join():
    model = of(pi(), marks=False)
    about = fluid.rest(model)
    arrivals = model.arrivals(about.state, [True])
    assert arrivals * (1 - about.probability) == pytest.approx(3750.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: fluid.Class(flows=0, rtt_s=0.1),
        lambda: fluid.Class(flows=1, rtt_s=0.0),
        lambda: fluid.Class(flows=1, rtt_s=0.1, law="cubic"),
        lambda: fluid.Fluid(classes=(), queue=RED, capacity=1.0),
        lambda: of(RED, capacity=0.0),
        lambda: of(RED, lag_s=0.0),
        lambda: fluid.solve(lambda _t, y, _p: y, [1.0], until=1.0, least_delay=0.0),
    ],
)
def test_what_means_nothing_is_refused(call):
    with pytest.raises(ValueError, match="allowed"):
        call()
