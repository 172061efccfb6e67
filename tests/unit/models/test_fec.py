"""Losses as a compound Poisson process, against sums and draws that know nothing of the closed form."""

import math
import random

import pytest

from sojourn.models import fec


def test_the_number_of_losses_is_that_of_groups_drawn_one_by_one():
    # 20,000 blocks: a probability is known to 0.5 / sqrt(20000) = 0.0035; four of them.
    rng = random.Random(1)
    x, beta = 3.0, 0.6
    counts = []
    for _ in range(20_000):
        lost, at = 0, rng.expovariate(1.0)
        while at < x / (2.0 - beta):
            lost += 1 if rng.random() < beta else 2
            at += rng.expovariate(1.0)
        counts.append(lost)

    for h in range(8):
        drawn = sum(count <= h for count in counts) / len(counts)
        assert fec.at_most(h, x, beta) == pytest.approx(drawn, abs=0.014)


def test_groups_of_one_are_poisson():
    assert fec.exactly(3, 2.0, 1.0) == pytest.approx(math.exp(-2.0) * 8.0 / 6.0)
    # Groups of two only: an odd number cannot be, and four losses are two groups with mean 1.
    assert fec.exactly(3, 2.0, 0.0) == 0.0
    assert fec.exactly(4, 2.0, 0.0) == pytest.approx(math.exp(-1.0) / 2.0)


@pytest.mark.parametrize(
    ("h", "x"),
    [
        (1, "1.6311"),
        (2, "2.1576"),
        (3, "3.3274"),
        (4, "4.2652"),
        (5, "5.2803"),
        (6, "6.2719"),
        (7, "7.2721"),
        (8, "8.2701"),
        (16, "16.2657"),
        (40, "40.2630"),
    ],
)
def test_crossings_are_those_that_were_worked_out(h, x):
    assert f"{fec.crossing(h):.4f}" == x


def test_the_offset_and_the_extremes_are_those_that_were_worked_out():
    assert f"{fec.offset():.3f}" == "0.262"
    for h, x, value in ((1, 0.57, "+0.0452"), (1, 3.53, "-0.0448"), (8, 5.55, "+0.0298"), (8, 12.33, "-0.0399")):
        assert f"{fec.advantage(h, x):+.4f}" == value
        # They are extremes: to either side it is nearer to 0.
        assert abs(fec.advantage(h, x)) > max(abs(fec.advantage(h, x - 0.1)), abs(fec.advantage(h, x + 0.1)))


def test_the_sign_changes_once():
    for h in (1, 2, 5, 12):
        assert fec.sign_changes(h, until=2.0 * h + 8.0, step=0.05) == [pytest.approx(fec.crossing(h))]


@pytest.mark.parametrize(
    ("h", "beta", "numbers"),
    [
        (1, 0.9, [(0.00613, ".00157"), (0.05291, ".03380"), (0.1018, ".08453")]),
        (1, 0.6, [(0.00587, ".00353"), (0.04593, ".03466"), (0.08125, ".06827")]),
        (4, 0.9, [(0.00645, ".00000"), (0.05327, ".00255"), (0.10267, ".02041")]),
        (4, 0.6, [(0.00608, ".00001"), (0.04622, ".00352"), (0.08177, ".01620")]),
    ],
)
def test_losses_after_correction_are_those_that_were_worked_out(h, beta, numbers, printed):
    for p, expected in numbers:
        assert p in printed
        assert f"{fec.left(p, 16, h, beta):.5f}" == "0" + expected


@pytest.fixture(scope="module")
def printed():
    """All losses before correction of tables 5.1 and 5.2."""
    import tomllib
    from pathlib import Path

    from sojourn import papers

    tables = tomllib.loads((Path(papers.find()["alemu2004"]) / "expected.toml").read_text())
    return {value for row in tables["E5.2-table"]["PLRBC"].values() for value in row}


def test_losses_one_by_one_are_binomial():
    # h = 1: a loss stays if any of the other 16 is lost.
    assert fec.independent_left(0.0532, 16, 1) == pytest.approx(0.0532 * (1 - (1 - 0.0532) ** 16))
    direct = sum(lost * math.comb(20, lost) * 0.05**lost * 0.95 ** (20 - lost) for lost in range(5, 21)) / 20
    assert fec.independent_left(0.05, 16, 4) == pytest.approx(direct)


def test_what_is_left_without_parity_is_everything():
    assert fec.left(0.03, 16, 0, 0.9) == pytest.approx(0.03)


def test_the_rule_turns_where_the_block_holds_x_h_losses():
    p, h = 0.05, 4
    most = math.floor(fec.largest_data(p, h))

    assert fec.red_is_better(p, most, h)
    assert not fec.red_is_better(p, most + 1, h)
    assert fec.least_parity(p, most) == h
    assert fec.least_parity(0.9, 100, most=3) is None
    # x_4 = 4.2652 against 4.2623 by the line.
    assert fec.linear_largest_data(p, h) == pytest.approx(fec.largest_data(p, h), abs=0.06)


@pytest.mark.parametrize(
    "call", [lambda: fec.left(0.0, 16, 1, 0.9), lambda: fec.exactly(1, -1.0, 0.5), lambda: fec.crossing(0)]
)
def test_what_means_nothing_is_refused(call):
    with pytest.raises(ValueError, match="allowed"):
        call()
