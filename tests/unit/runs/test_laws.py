"""Laws as points, and as a plot of characters."""

from __future__ import annotations

import json

import pytest

import sojourn
from sojourn import Law, LawAxis, LawCurve, _core
from sojourn._rooms.showing.text.textplot import plot_lines

REGISTRY = json.loads(_core.registry())
WITH_LAW = [entry["name"] for entry in REGISTRY["queues"] if entry["has_law"]]
SENDERS = [
    (entry["name"], kind == "transports")
    for kind in ("controls", "transports")
    for entry in REGISTRY[kind]
    if entry["has_law"]
]


def value(law, x, curve=0):
    """The curve at a point that is drawn."""
    return next(y for at, y in law.curves[curve].points if at == pytest.approx(x, abs=1e-12))


def test_red_is_the_line_of_1993():
    law = sojourn.law("red", preset="paper")

    assert (str(law.x), str(law.y)) == ("average queue [packets]", "base drop probability")
    # max_p (avg - min) / (max - min) with 0.02, 5 and 15, and a step to 1 at 15.
    assert [value(law, at) for at in (0.0, 5.0, 10.0)] == pytest.approx([0, 0, 0.01])
    assert value(law, 15.0) == 1


def test_settings_and_the_link_change_the_law():
    # 80 Mbit/s are 10 packets in a millisecond: an automatic min_th is half of 5 ms of them.
    fast = sojourn.law("red:limit=100p", rate="80Mbit")
    set_ = sojourn.law("red:min_th=10p,max_th=20p,max_p=1")

    assert [value(fast, at) for at in (25.0, 75.0)] == pytest.approx([0, 0.1])
    assert value(set_, 15.0) == pytest.approx(0.5)
    assert sojourn.law(sojourn.queues.Red(min_th="10p", max_th="20p", max_p=1)) == set_


def test_a_queue_without_a_law_has_none():
    assert sojourn.law("fifo") is None


@pytest.mark.parametrize("wrong", [{"flows": 0}, {"flows": True}, {"rate": "10"}, {"settings": {"min_th": "x"}}])
def test_what_is_wrong_is_refused(wrong):
    with pytest.raises(ValueError, match=r"flows|rate|min_th"):
        sojourn.law("red", **wrong)


@pytest.mark.parametrize("name", WITH_LAW)
def test_each_law_fits_into_eighty_columns(name):
    lines = plot_lines(sojourn.law(name))

    assert max(map(len, lines[:16])) <= 80
    assert any("\u2801" <= mark <= "\u28ff" or mark == "*" for line in lines for mark in line)


@pytest.mark.parametrize(("name", "transport"), SENDERS)
def test_each_law_of_a_sender_fits_into_eighty_columns(name, transport):
    law = sojourn.sender_law(name, transport=transport)
    lines = plot_lines(law)

    assert max(map(len, lines[:16])) <= 80
    # Each curve's number is on it.
    assert all(
        any(str(number) in line[13:] for line in lines[1:14])
        for number in range(1, len(law.curves) + 1)
        if len(law.curves) > 1
    )


def test_a_preset_changes_the_law_of_a_sender():
    kept = {preset: sojourn.sender_law("cubic", preset=preset).curves[1].points[1][1] for preset in (None, "2005")}

    assert kept == pytest.approx({None: 0.7, "2005": 0.8})


def test_a_sender_that_follows_others_has_no_law():
    assert sojourn.sender_law("none") is None
    assert sojourn.sender_law("udp", transport=True) is None


@pytest.mark.parametrize("wrong", [("cubik", False, None), ("tcpp", True, None), ("cubic", False, "2006")])
def test_a_sender_that_is_not_known_is_refused(wrong):
    name, transport, preset = wrong
    with pytest.raises(sojourn.ScenarioError, match=r"cubi|tcp|2005"):
        sojourn.sender_law(name, transport=transport, preset=preset)


def test_the_rate_of_tfrc_is_that_of_the_equation():
    # RFC 5348 section 3.1 with R = 1, t_RTO = 4 R and b = 1.
    law = sojourn.sender_law("tfrc", transport=True)

    for percent in (0.1, 10.0):
        p = percent / 100
        expected = 1 / ((2 * p / 3) ** 0.5 + 12 * (3 * p / 8) ** 0.5 * p * (1 + 32 * p * p))
        assert value(law, percent) == pytest.approx(expected, rel=1e-4)


def test_a_curve_that_ends_has_its_number_where_it_is_drawn():
    short, long = LawCurve("short", ((0.0, 1.0), (1.0, 0.9))), LawCurve("long", ((0.0, 0.5), (10.0, 0.0)))
    lines = plot_lines(Law(LawAxis("time", "s"), LawAxis("window", ""), "", (short, long)))

    assert next(line.index("1", 13) for line in lines[1:14] if "1" in line[13:]) < 13 + 8


def test_a_step_is_a_vertical_line_between_its_levels():
    step = LawCurve("", ((0.0, 0.0), (1.0 - 1e-9, 0.0), (1.0, 1.0), (2.0, 1.0)))
    lines = plot_lines(Law(LawAxis("backlog", "packets"), LawAxis("drop probability", ""), "", (step,)))

    assert [lines[0].strip(), lines[1].split()[0], lines[13].split()[0]] == ["drop probability", "1", "0"]
    # Half of the range lies left of the step: the column in the middle is set in every row.
    drawn = [line[42:44].strip() for line in lines[1:14]]
    assert all(drawn), drawn


def test_curves_are_told_apart_by_numbers():
    flat = [LawCurve(f"level {level}", ((0.0, level), (1.0, level))) for level in (0.1, 0.5)]
    lines = plot_lines(Law(LawAxis("price", ""), LawAxis("drop probability", ""), "Two of them.", tuple(flat)))

    assert [line.strip() for line in lines[-3:]] == ["1 level 0.1", "2 level 0.5", "Two of them."]
    row = {number: next(at for at, line in enumerate(lines[1:14]) if number in line[13:]) for number in "12"}
    assert row["2"] < row["1"]
