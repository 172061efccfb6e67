"""``sojourn line --users``: households that share a line."""

from __future__ import annotations

import json

import pytest

from helpers.shell import refused
from helpers.shell import sojourn as command
from sojourn._rooms.line.shared import MOST, ask_shared, at_once
from sojourn.line import Line

LINE = Line.read("20/100")


def flows(homes):
    return homes.scenario("cake").resolved()["flow"]


def test_few_households_have_the_whole_line():
    homes = at_once(LINE, 3)
    assert (homes.line, homes.count, homes.words) == (LINE, 3, "3 households under load")
    bulk = [(flow["name"], flow["count"], flow["from"], flow["to"]) for flow in flows(homes) if "load" in flow["name"]]
    assert bulk == [
        ("upload", 4, "home1", "server"),
        ("download", 8, "server", "home1"),
        ("download_3", 1, "server", "home3"),
    ]
    assert {"probe", "web", "call_up", "game_down"} <= {flow["name"] for flow in flows(homes) if "home2" in str(flow)}


def test_of_many_households_some_are_simulated_on_their_part_of_the_line():
    homes = at_once(LINE, 64)
    assert homes.count == MOST == 16
    assert (homes.line.up_bps, homes.line.down_bps) == (5_000_000, 25_000_000)
    assert homes.words == "16 of 64 households under load, on their 5/25 Mbit/s of it"
    assert len({flow["from"] for flow in flows(homes)}) == 17, "and the server"


@pytest.mark.parametrize("users", ["0", "-3", "101"])
@pytest.mark.slow
def test_a_number_that_is_none_of_households_is_refused(users):
    message = refused("line", "20/100", "--users", users)
    assert "allowed: 2 to 100, so that each has 0.2 Mbit/s" in message


@pytest.fixture(scope="module")
def found():
    return ask_shared(LINE, users=4, candidates=["modem", "fq_codel", "cake"], seeds=[1])


@pytest.mark.slow
def test_goodputs_of_all_households_are_added_and_shares_are_those_of_hosts(found):
    values = {one.name: one.values for one in found.ranking}
    means = found.study.values("goodput_mean_bps", table="group")["cake"]
    # The first has eight downloads, the third one, the fourth two.
    shares = [8 * means["download"][0], means["download_3"][0], 2 * means["download_4"][0]]
    assert values["cake"]["down_bps"].mean == pytest.approx(sum(shares))
    jain = sum(shares) ** 2 / (3 * sum(share**2 for share in shares))
    assert values["cake"]["fairness_down"].mean == pytest.approx(jain)
    # Equal shares of flows, of 8, 1 and 2: 11 ** 2 / (3 * 69) = 0.58. CAKE divides among hosts.
    assert values["fq_codel"]["fairness_down"].mean == pytest.approx(11**2 / (3 * 69), abs=0.05)
    assert values["cake"]["fairness_down"].mean > 0.95


@pytest.mark.slow
def test_the_answer_says_who_gets_more_and_what_was_simulated(tmp_path):
    words = ("line", "20/100", "--users", "32", "--queue", "fq_codel,cake", "--seeds", "1")
    done = command(*words, "--report", tmp_path / "line.html")
    assert done.returncode == 0, done.stderr
    text = " ".join(done.stdout.split())
    assert "16 of 32 households under load, on their 10/50 Mbit/s of it" in text
    # The lines are for the whole line.
    assert "95mbit" in text
    assert "on their 10/50 Mbit/s" in (tmp_path / "line.html").read_text(encoding="utf-8")
    data = json.loads(command(*words, "--json").stdout)
    assert data["line"]["users"] == 32
    if data["best"] == "fq_codel":
        assert "Households with more connections get more with fq_codel" in text


@pytest.mark.slow
def test_twice_as_many_simulated_households_answer_the_same(monkeypatch):
    line, names = Line.read("1000/1000"), ["modem", "fq_codel", "cake"]
    some = ask_shared(line, users=300, candidates=names, seeds=[1])
    monkeypatch.setattr("sojourn._rooms.line.shared.MOST", 2 * MOST)
    more = ask_shared(line, users=300, candidates=names, seeds=[1])

    assert more.best.name == some.best.name
    others = {one.name: one for one in more.ranking}
    for one in some.ranking:
        other = others[one.name]
        # 5 %: differences that the ranking takes for none, and half of a loss that counts.
        assert one.shares == pytest.approx(other.shares, abs=0.05)
        # Five runs of the modem alone have an interval of 10 %.
        if one.name != "modem":
            assert one.rpm == pytest.approx(other.rpm, rel=0.05)
        assert one.values["fairness_down"].mean == pytest.approx(other.values["fairness_down"].mean, abs=0.05)
