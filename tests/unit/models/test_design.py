"""Rules for the parameters of queues, against numbers that were worked out beside them."""

import json
import math
import tomllib

import numpy as np
import pytest

import sojourn
from sojourn import _core
from sojourn._rooms._base.toml import inline
from sojourn._rooms.models.margins import margins
from sojourn.models import design
from sojourn.models.design import Load, NoRoot

C = 187.5
"""1.5 Mbit/s of 1000-byte packets, as in Alemu 2004, chapter 4."""

# Solutions of the printed equations by another program (bisection): flows, beta-bar at 0.252, 0.241 and 0.634 s,
# alpha as printed at the same, alpha with the lead of the zero at 0.252 and 0.634 s.
TABLE = """
3 0.003359 0.003676 0.0005243 none none none none none
8 0.009238 0.01012 0.001417 none none none none none
13 0.01543 0.01692 0.002332 none none none none none
18 0.02188 0.02401 0.003268 none none none 0.5199 none
23 0.02857 0.03137 0.004223 none none none 2.787 none
28 0.03545 0.03894 0.005198 none none none 4.201 none
33 0.04251 0.04671 0.00619 none none none 5.486 none
38 0.04973 0.05465 0.007199 none none none 6.807 none
43 0.05707 0.06272 0.008224 none none none 8.226 none
48 0.06453 0.07093 0.009263 none none none 9.778 0.4775
53 0.07209 0.07924 0.01032 1.392 2.229 none 11.48 0.8378
58 0.07974 0.08765 0.01138 2.801 3.597 none 13.34 1.115
63 0.08747 0.09615 0.01246 3.994 4.879 none 15.37 1.352
68 0.09527 0.1047 0.01355 5.166 6.176 none 17.58 1.568
73 0.1031 0.1134 0.01466 6.368 7.524 none 19.96 1.775
78 0.1111 0.122 0.01577 7.619 8.937 none 22.53 1.977
83 0.119 0.1308 0.01689 8.932 10.43 none 25.28 2.18
88 0.127 0.1396 0.01803 10.31 12 none 28.22 2.385
93 0.1351 0.1484 0.01917 11.77 13.66 none 31.35 2.594
98 0.1432 0.1573 0.02032 13.3 15.4 none 34.67 2.809
103 0.1513 0.1662 0.02148 14.9 17.24 none 38.19 3.032
"""


def load(flows, rtt_s, capacity=C):
    return Load(flows=flows, rtt_s=rtt_s, capacity=capacity)


def alpha(flows, rtt_s, reading="printed"):
    try:
        return f"{design.avq_alpha(load(flows, rtt_s), reading=reading):.4g}"
    except NoRoot:
        return "none"


@pytest.mark.parametrize("row", TABLE.strip().splitlines())
def test_beta_and_alpha_are_those_of_the_table_to_every_digit(row):
    flows, *expected = row.split()
    betas = [f"{design.lred_beta(load(int(flows), rtt)):.4g}" for rtt in (0.252, 0.241, 0.634)]
    printed = [alpha(int(flows), rtt) for rtt in (0.252, 0.241, 0.634)]
    lead = [alpha(int(flows), rtt, "lead") for rtt in (0.252, 0.634)]

    assert [*betas, *printed, *lead] == expected


@pytest.mark.parametrize(("rtt", "flows"), [(0.241, 49), (0.252, 51), (0.634, 129)])
def test_avq_has_a_root_from_so_many_flows_on(rtt, flows):
    assert design.least_flows(load(3, rtt)) == flows
    assert alpha(flows - 1, rtt) == "none"
    assert alpha(flows, rtt) != "none"


@pytest.mark.parametrize(
    ("rtt", "crossover", "gain", "a", "b"),
    [
        (0.241, "0.550955", "2.16850e-04", "3.94226e-04", "3.92951e-04"),
        (0.252, "0.503905", "1.73348e-04", "3.445195e-04", "3.434998e-04"),
        (0.634, None, None, "2.1463e-05", "2.1453e-05"),
    ],
)
def test_pi_gains_are_those_that_were_worked_out(rtt, crossover, gain, a, b):
    def same(value, text):
        # As many digits as the text has.
        return text is None or math.isclose(value, float(text), rel_tol=0.51 * 10.0 ** -(len(text.split("e")[0]) - 2))

    found = design.pi_gains(load(3, rtt))

    assert f"{found[0]:.{len(a) - 6}e}" == a
    assert f"{found[1]:.{len(b) - 6}e}" == b
    assert same(found[2], gain)
    assert crossover is None or f"{found[3]:.6f}" == crossover


def test_pi_gains_of_252_ms_are_the_printed_ones():
    # Alemu 2004, section 4.3: 0.000344519 and 0.000343499, the second cut off.
    a, b, _, _ = design.pi_gains(load(3, 0.252))

    assert (math.floor(a * 1e9), math.floor(b * 1e9)) == (344519, 343499)


def test_the_preset_of_the_thesis_has_the_gains_of_252_ms():
    entry = next(entry for entry in json.loads(_core.registry())["queues"] if entry["name"] == "pi")
    preset = next(preset["settings"] for preset in entry["presets"] if preset["name"] == "alemu2004")
    a, b, _, _ = design.pi_gains(load(3, 0.252))

    assert [float(preset[name]) for name in "ab"] == pytest.approx([a, b], abs=1e-9)
    # Section 4.3: 170 samples a second, 10 packets of 35.
    assert (preset["w"], preset["q_ref"], preset["limit"]) == ("170", "10p", "35p")


@pytest.mark.parametrize(("flows", "rtt", "span"), [(3, 0.241, "824.5"), (3, 0.252, "926.5"), (53, 0.241, "3.759")])
def test_the_p_controller_has_the_span_that_was_worked_out(flows, rtt, span):
    slope, _ = design.p_slope(load(flows, rtt))

    assert f"{1.0 / slope:.4g}" == span


@pytest.mark.parametrize(("rtt", "cap"), [(0.252, ".02128"), (0.241, ".02433"), (0.634, ".00134")])
def test_the_other_bound_of_beta_is_what_was_worked_out(rtt, cap):
    assert f"{design.lred_cap(load(3, rtt)):.5f}" == "0" + cap
    # From 8 flows on it is above 1, and the loop's is the least.
    assert f"{design.lred_cap(load(8, 0.252)):.2f}" == "1.08"


def test_automatic_values_are_those_that_were_worked_out():
    assert f"{design.automatic_weight(C):.7f}" == "0.0053191"
    # 500-byte packets make it 375 a second.
    assert f"{design.automatic_weight(375.0):.7f}" == "0.0026631"
    assert f"{design.psand_rest(10.0):.3f}" == "6.886"
    assert design.psand_rest(10.0, coef=1.0, gamma=1.0) == 10.0
    # Table 4.1, in ms: 186.67 + 54 and 186.67 + 448.
    assert [f"{1e3 * design.greatest_rtt(35, C, t):.2f}" for t in (0.054, 0.448)] == ["240.67", "634.67"]
    # 10 Mbit/s of 1000-byte packets: 5 ms are 6.25 packets, half of which are fewer than 5.
    assert design.floyd_thresholds(1250.0) == (5.0, 15.0)
    assert design.floyd_thresholds(12500.0) == (31.25, 93.75)
    assert design.symmetric_thresholds(10.0, 35.0) == (0.0, 20.0)
    assert design.symmetric_thresholds(20.0, 35.0) == (5.0, 35.0)


def test_psand_rests_where_its_law_leaves_max_p():
    # beta = coef (K^2 / (T K_prev))^gamma with K = K_prev.
    rest = design.psand_rest(10.0, coef=2.0, gamma=0.25)
    assert 2.0 * (rest / 10.0) ** 0.25 == pytest.approx(1.0)
    assert rest == pytest.approx(0.625)


def test_margins_of_an_integrator_with_delay_are_the_closed_ones():
    # L = k exp(-s T) / s: crossover k, phase pi/2 - k T, gain margin pi / (2 k T).
    k, delay = 3.0, 0.2
    found = margins(lambda s: k * np.exp(-s * delay) / s, low=1e-3, high=100.0)

    assert found.crossover == pytest.approx(k)
    assert math.radians(found.phase_deg) == pytest.approx(math.pi / 2 - k * delay)
    assert found.gain == pytest.approx(math.pi / (2 * k * delay))
    assert found.delay_s == pytest.approx((math.pi / 2 - k * delay) / k)
    assert found.stable


def test_pi_margins_are_those_of_the_cancelled_loop():
    # The zero cancels TCP's pole: L = w |1 + i w R| exp(-s R) / (s (1 + s R)), crossover w, phase pi/2 - w R -
    # atan(w R).
    one = load(60, 0.246, 3750.0)
    found = design.of_pi(one)
    w = one.tcp_pole

    assert found.margins.crossover == pytest.approx(w)
    assert math.radians(found.margins.phase_deg) == pytest.approx(math.pi / 2 - w * 0.246 - math.atan(w * 0.246))
    # Hollot et al. 2001, section V: 0.53 rad/s, a = 1.822e-5 and b = 1.816e-5 for this load, from rounded poles.
    assert found.queue["a"] == pytest.approx(1.822e-5, rel=0.02)
    assert found.queue["b"] == pytest.approx(1.816e-5, rel=0.02)


def test_red_obeys_its_proposition_and_is_stable():
    # The example's load, 60 flows, 246 ms and 3750 packets/s: crossover 0.053 rad/s; its slope is 1.86e-4 for a pole
    # of 0.005 rad/s.
    one = load(60, 0.246, 3750.0)
    slope, pole, crossover = design.red_line(one)
    found = design.of_red(one)

    assert (crossover, pole) == (pytest.approx(0.0529, abs=5e-5), pytest.approx(0.00529, abs=5e-6))
    assert slope == pytest.approx(1.86e-4, rel=0.02)
    assert slope * one.plant_gain == pytest.approx(math.sqrt((crossover / pole) ** 2 + 1))
    # The proposition keeps the crossover below w_g, where the poles of TCP and queue cost a tenth of a radian each
    # and the delay another.
    assert found.margins.crossover <= crossover
    assert found.margins.phase_deg > math.degrees(math.pi / 2 - 0.3)


def test_at_its_bound_a_loop_has_no_margin_left():
    for found in (design.of_lred(load(53, 0.252)), design.of_avq(load(53, 0.252), reading="lead")):
        assert found.margins.gain == pytest.approx(1.0, abs=1e-6)
        assert found.margins.phase_deg == pytest.approx(0.0, abs=1e-6)


def test_rules_give_what_the_queues_give_themselves_for_the_same_load():
    # The core designs, too ("auto"); the two know nothing of each other. The same
    # parameters make the same run.
    toml = """
    duration = "20s"
    [dumbbell]
    rate = "1.5Mbit"
    delay = "20ms"
    queue = {queue}
    [[flow]]
    count = 5
    """
    common = 'limit = "35p"'
    reasons = 'design_flows = 60, design_rtt = "252ms"'
    for kind, ours in (
        ("pi", design.of_pi(load(60, 0.252))),
        ("lred", design.of_lred(load(60, 0.252))),
        ("avq", design.of_avq(load(60, 0.252))),
    ):
        auto = {"pi": "", "lred": 'beta = "auto",', "avq": 'alpha = "auto", gamma = 1,'}[kind]
        theirs = f'{{ kind = "{kind}", {auto} {common}, {reasons} }}'
        runs = [
            sojourn.run(sojourn.Scenario.from_toml(toml.replace("{queue}", queue)), seed=1).queue
            for queue in (theirs, inline({**ours.queue, "limit": "35p"}))
        ]
        assert runs[0].equals(runs[1]), kind


@pytest.mark.parametrize(
    "arguments",
    [
        ("p", "--flows", "53", "--rtt", "241ms", "--rate", "1.5Mbit", "--limit", "35p"),
        ("pi", "--flows", "100", "--rtt", "200ms", "--rate", "10Mbit", "--target", "25p"),
        # With seven digits a and b would be one number.
        ("pi", "--flows", "1", "--rtt", "400ms", "--rate", "10Gbit"),
        ("red", "--flows", "100", "--rtt", "200ms", "--rate", "10Mbit"),
        ("avq", "--flows", "60", "--rtt", "252ms", "--rate", "1.5Mbit", "--reading", "lead"),
        ("lred", "--flows", "60", "--propagation", "54ms", "--limit", "35p", "--rate", "1.5Mbit"),
        ("ared", "--rate", "10Mbit", "--delay", "20ms"),
        ("psand", "--rate", "1.5Mbit", "--target", "10p", "--limit", "35p"),
        ("codel", "--rate", "20Mbit", "--rtt", "30ms"),
        ("codel", "--rate", "100Gbit", "--rtt", "80us", "--delay", "10us", "--packet", "9018B"),
        ("FQ-CoDel", "--rate", "20Mbit", "--rtt", "30ms"),
        ("pie", "--rate", "20Mbit", "--rtt", "30ms"),
    ],
)
def test_what_is_printed_is_a_queue_of_a_scenario(command, arguments):
    text = command("design", *arguments).stdout
    queue = tomllib.loads(text)["queue"]
    scenario = sojourn.Scenario.from_toml(
        'duration = "1s"\n[dumbbell]\nrate = "10Mbit"\ndelay = "1ms"\n' + text + "[[flow]]\n"
    )

    assert scenario.resolved()["dumbbell"]["queue"]["kind"] == queue["kind"]
    # Seven digits are there to be read, and of PI's a and b as many as their difference needs; all are in JSON.
    exact = json.loads(command("design", *arguments, "--json").stdout)["queue"]
    assert list(queue) == list(exact)
    for name, value in exact.items():
        of_pi = queue["kind"] == "pi" and name in "ab"
        assert queue[name] == (pytest.approx(value, rel=1e-7) if of_pi else _seven_digits(value))
    if queue["kind"] == "pi":
        assert queue["a"] - queue["b"] == pytest.approx(exact["a"] - exact["b"], rel=1e-6)


def _seven_digits(value):
    return float(f"{value:.7g}") if isinstance(value, float) else value


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pid",), ["there is no rule 'pid'", "did you mean pi?"]),
        (("codle",), ["there is no rule 'codle'", "allowed: codel, fq_codel, pie, p,", "did you mean codel?"]),
        (("cobalt",), ["cobalt is a queue without a rule", "sojourn explain cobalt"]),
        (("nonsense",), ["there is no rule 'nonsense'", "sojourn explain NAME"]),
        (("codel",), ["--rate is missing"]),
        (("codel", "--rate", "1Mbit", "--flows", "3"), ["--flows has no meaning", "--rtt, --rate, --limit, --delay"]),
        (("pie", "--rate", "1Mbit", "--delay", "5"), ["--delay", "the unit is missing"]),
        (("R+",), ["there is no rule 'R+'", "give --propagation and --limit to p, pi"]),
        (
            ("pi", "--flows", "1e300", "--rtt", "1000s", "--rate", "100Tbit"),
            ["too large or too small", "check the units"],
        ),
        (("lred", "--flows", "1e-300", "--rtt", "1us", "--rate", "1bit"), ["too large or too small"]),
        (("pi", "--flows", "3", "--rtt", "1s"), ["--rate is missing"]),
        (("pi", "--flows", "-3", "--rtt", "1s", "--rate", "1Mbit"), ["--flows -3", "above 0"]),
        (("pi", "--flows", "3", "--rtt", "1", "--rate", "1Mbit"), ["--rtt", "the unit is missing"]),
        (("pi", "--flows", "3", "--rtt", "1s", "--rate", "1mbps"), ["--rate", "is refused"]),
        (("ared", "--flows", "3", "--rate", "1Mbit"), ["--flows has no meaning", "--delay"]),
        (("lred", "--flows", "3", "--propagation", "54ms", "--rate", "1Mbit"), ["needs the buffer"]),
        (("psand", "--rate", "1Mbit", "--target", "40p", "--limit", "35p"), ["target", "at most 35"]),
        (("p", "--flows", "3", "--rtt", "1s", "--rate", "1Mbit", "--max-p", "2"), ["max_p is 2"]),
        (
            ("avq", "--flows", "3", "--rtt", "252ms", "--rate", "1.5Mbit"),
            ["no root for 3 flows", "at least 51 flows", "93.75 rad/s"],
        ),
    ],
)
def test_what_cannot_be_designed_is_one_message(refused, arguments, words):
    message = refused("design", *arguments)

    for word in words:
        assert word in message


def test_a_greatest_round_trip_time_that_is_not_given_is_a_step(command):
    load = ("--flows", "100", "--rate", "10Mbit", "--packet", "1000B")
    made = json.loads(command("design", "pi", *load, "--propagation", "100ms", "--limit", "100p", "--json").stdout)
    given = json.loads(command("design", "pi", *load, "--rtt", "180ms", "--json").stdout)

    # 100 packets at 1250 packets/s are 80 ms.
    assert (made["steps"][0]["name"], made["steps"][0]["value"]) == ("R+", pytest.approx(0.18))
    assert made["steps"][1:] == [{**step, "value": pytest.approx(step["value"])} for step in given["steps"]]


# Worked out by hand: rate in bit/s, round-trip time, packet in bytes, target delay, and then target, interval and
# CoDel's limit. One packet of 1514 bytes takes 12.112 ms at 1 Mbit/s, and 2.4224 Mbit/s is where it takes 5 ms. Twice
# 1 Gbit/s sends 200e6 / 12112 = 16512.5 packets in 100 ms.
BY_HAND = [
    (20e6, 0.030, 1514, None, "5ms", "50ms", "1000p"),
    (20e6, None, 1514, None, "5ms", "100ms", "1000p"),
    (20e6, 0.250, 1514, None, "5ms", "250ms", "1000p"),
    (1e6, 0.030, 1514, None, "12.112ms", "121.12ms", "1000p"),
    (2.4224e6, None, 1514, None, "5ms", "100ms", "1000p"),
    (1e9, None, 1514, None, "5ms", "100ms", "16513p"),
    (100e9, 80e-6, 9018, 10e-6, "10us", "100us", "1000p"),
]


@pytest.mark.parametrize("row", BY_HAND)
def test_codel_s_clock_is_that_of_the_rfc(row):
    rate, rtt, packet, delay, target, interval, limit = row

    queue = design.of_codel(rate, rtt_s=rtt, packet_bytes=packet, target_s=delay).queue
    fair = design.of_fq_codel(rate, rtt_s=rtt, packet_bytes=packet, target_s=delay).queue

    assert (queue["target"], queue["interval"], queue["limit"]) == (target, interval, limit)
    assert (fair["target"], fair["interval"], fair["limit"]) == (target, interval, "10240p")
    assert fair["quantum"] == queue["mtu"] == f"{packet}B"


def test_at_the_rfcs_own_link_the_rules_give_the_defaults_of_the_queues():
    for rule, kind in ((design.of_codel, "codel"), (design.of_fq_codel, "fq_codel"), (design.of_pie, "pie")):
        made = dict(rule(10e6).queue)
        made.pop("mtu", None)  # with the header of Ethernet, as in Linux
        ours = sojourn.Scenario.load("red_classic", overrides=[f"dumbbell.queue={kind}"]).resolved()["dumbbell"][
            "queue"
        ]

        assert made == {key: ours[key] for key in made}, kind


def test_pie_s_numbers_grow_with_a_packet_that_takes_long():
    # 1514 bytes at 200 kbit/s take 60.56 ms; ten targets are more than 150 ms of burst.
    slow = design.of_pie(2e5).queue

    assert (slow["target"], slow["max_burst"], slow["interval"]) == ("60.56ms", "605.6ms", "15ms")


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (design.of_codel(1e6), "takes 12.1 ms"),
        (design.of_codel(1e9, rtt_s=0.001), "5 ms is 5 round trips"),
        (design.of_pie(1e9, rtt_s=0.001), "15 ms is 15 round trips"),
        (design.of_codel(1e7, rtt_s=0.4), "10 to 300 ms"),
        # In 100 ms 20 Mbit/s send 165.1 packets.
        (design.of_codel(20e6, limit=10), "165.1 packets"),
        (design.of_fq_codel(40e9), "up to 10 Gbit/s"),
        # 50 packets at 20 Mbit/s are 30.3 ms, and a third of it 10.1.
        (design.of_pie(20e6, limit=50), "10.1 ms here"),
    ],
)
def test_where_the_usual_numbers_do_not_fit_it_is_said(found, words):
    assert words in " ".join(found.notes)


def test_an_ordinary_link_gets_no_warning():
    for rule in (design.of_codel, design.of_fq_codel, design.of_pie):
        assert rule(20e6, rtt_s=0.03).notes == ()
