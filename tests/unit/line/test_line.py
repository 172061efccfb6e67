"""``sojourn line``: the question, the queues, the lines of tc, the ranking, and refusals."""

from __future__ import annotations

import json
import time

import pytest

from helpers.shell import refused
from helpers.shell import sojourn as command
from sojourn._rooms.scenario.tc_line import tc_queue
from sojourn.line import CANDIDATES, LINKS, Line, ask

LINE = Line.read("20/100", rtt="30ms", link="docsis")


def test_a_line_is_read_with_units_or_in_mbit():
    assert (LINE.up_bps, LINE.down_bps, LINE.rtt_s, LINE.link) == (20_000_000, 100_000_000, 0.03, "docsis")
    other = Line.read("512kbit/1Gbit", rtt="5ms", buffer="1s")
    assert (other.up_bps, other.down_bps, other.buffer_s) == (512_000, 1_000_000_000, 1.0)
    small = Line.read("2.5mbit/1 GBIT", rtt="5ms")
    assert (small.up_bps, small.down_bps) == (2_500_000, 1_000_000_000)
    # Long enough for CUBIC up to 2 Gbit/s; beyond, five times 20 s of 20,000 packets a second, in 1500 bytes each.
    assert (other.window_s, Line.read("1000/1000").window_s) == (12.0, pytest.approx(12.0))
    assert Line.read("1250/1250").window_s == pytest.approx(5.0 * 20.0 * 20_000.0 / (2.5e9 / 12_000))
    assert Line.read("10000/10000").window_s == 4.0
    assert LINE.window_s == 20.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["20"], ["a rate is missing", "such as 20/100"]),
        (["20/x"], ["'x' is not a rate", "20Mbit"]),
        (["20/0"], ["'0' is not a rate"]),
        (["20/20bit"], ["'20bit' is not a rate"]),
        (
            ["0.1/0.1"],
            ["'0.1' is not a rate", "0.5 to 10000, in Mbit/s, of which a call, a game and the probes take 0.2"],
        ),
        (["٢٠/100"], ["'٢٠' is not a rate"]),
        (["20/100", "--link", "docsys"], ["no such link", "did you mean docsis?"]),
        (["20/100", "--link", "wifi6"], ["no such link", "the line behind it; Wi-Fi of today is not here"]),
        (["20/100", "--rtt", "30"], ["--rtt 30", "with a unit: 30ms"]),
        (["20/100", "--queue", "fq_codle,cake"], ["is not a candidate", "did you mean fq_codel?"]),
        (["20/100", "--queue", "cake"], ["cannot be ranked"]),
        (["20/100", "--queue", "cake,cake bandwidth 5mbit"], ["'bandwidth' is set by this command"]),
        (["20/100", "--queue", "cake,tc qdisc add dev eth0 root cake bandwidth 5mbit"], ["'bandwidth' is set by this"]),
        (["20/100", "--queue", "cake,netem delay 10ms"], ["netem is no queue here", "--rtt has the delay"]),
        (["20/100", "--queue", "drr,pie"], ["drops packets that no class of yours takes", "sfq and fq_codel"]),
        (["20/100", "--queue", "cake,fq_codel taget 5ms"], ["'taget' is not a word", "did you mean 'target'?"]),
        (["20/100", "--device", ";reboot"], ["--device ;reboot", "not the name of an interface", "such as eth0"]),
        (["20/100", "--seeds", "none"], ["not a number of seeds"]),
    ],
)
@pytest.mark.slow
def test_bad_input_is_one_message(words, said):
    message = refused("line", *words)
    assert [part for part in said if part not in message] == [], message


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("candidate", CANDIDATES)
def test_every_candidate_runs_on_every_link(candidate, link):
    line = Line.read("20/100", link=link)
    links = {one["name"]: one for one in line.scenario(candidate).resolved()["link"]}

    for way in ("up", "down"):
        assert links[way]["overhead"] == f"{LINKS[link].overhead}B"
        assert links[way]["cells"] == LINKS[link].cells
    kind = {"modem": "fifo"}.get(candidate, "cake" if "cake" in candidate else "htb")
    assert links["up"]["queue"]["kind"] == kind
    assert links["down" if candidate == "modem" else "router"]["queue"]["kind"] == kind


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_downloads_come_through_the_buffer_of_the_provider(candidate):
    links = {one["name"]: one for one in Line.read("20/100", buffer="60ms").links(candidate, "home")}

    # 60 ms at 100 Mbit/s.
    assert links["down"]["queue"] == {"kind": "fifo", "limit": "750000B"}
    assert ("router" in links) == (candidate != "modem")
    if candidate != "modem":
        assert (links["down"]["to"], links["router"]["from"], links["router"]["to"]) == ("router", "router", "home")


@pytest.mark.parametrize(
    "name", ["$(id)", "a'b", "-x", "", "eth0 root", "a/b", "sixteen_letters_", "eth0\nreboot", "."]
)
def test_a_text_that_is_no_name_of_an_interface_is_refused(name):
    with pytest.raises(ValueError, match="not the name of an interface"):
        LINE.lines("cake", name)


def test_names_of_interfaces_are_those_of_linux():
    assert " dev pppoe-wan.7 root " in LINE.lines("cake", "pppoe-wan.7")[0]
    assert "ip link add ifb4pppoe-wan.7 " in LINE.lines("cake", "pppoe-wan.7")[2], "15 letters at most"


@pytest.mark.parametrize("name", [name for name in CANDIDATES if name != "modem"])
@pytest.mark.filterwarnings("ignore:cake. nat changes nothing")
def test_the_lines_to_paste_are_lines_of_tc_with_the_same_queue(name):
    undo, up, *rest = LINE.lines(name)

    assert undo.startswith("tc qdisc del dev eth0 root ")
    if "cake" in name:
        queue = LINE.queues(name)[0]
        assert tc_queue(up) == queue
        assert up.endswith("docsis nat dual-srchost")
        assert rest[-1].endswith("docsis nat dual-dsthost ingress")
        assert tc_queue(rest[-1]) == LINE.queues(name)[1]
    else:
        assert "htb default 1" in up
        assert "overhead 4 " in up, "18 bytes of DOCSIS less 14 of Ethernet, which sizes have"
        assert any("rate 19mbit ceil 19mbit burst 2375 cburst 2375 " in line for line in rest), "a millisecond"
        leaf = next(line for line in rest if "parent 1:1 " in line)
        assert tc_queue(leaf) == LINE.queues(name)[0]["class"][0]["queue"]


@pytest.mark.parametrize("name", CANDIDATES)
def test_where_the_defaults_fit_they_stay(name):
    # RFC 8289 and RFC 8033 are for round trips up to 100 ms; one and a half packets take 5 ms at 3.6 Mbit/s.
    assert Line.read("5/20", rtt="100ms").words_for(name) == (CANDIDATES[name].words,) * 2


@pytest.mark.parametrize(
    ("name", "words"),
    [
        # The interval is the round trip, the target 5 % of it (RFC 8289 sections 4.2 and 4.3).
        ("codel", "codel interval 600ms target 30ms"),
        ("fq_codel", "fq_codel interval 600ms target 30ms"),
        ("pie", "pie target 30ms"),
        ("cake", "cake rtt 600ms"),
        ("cake ack-filter", "cake ack-filter rtt 600ms"),
        ("pfifo", "pfifo limit 1000"),
    ],
)
def test_candidates_follow_a_long_round_trip(name, words):
    assert Line.read("10/30", rtt="600ms").words_for(name) == (words, words)


def test_on_a_slow_line_the_target_is_the_time_of_packets_as_in_cake():
    # 12,000 bits at 0.95 Mbit/s are 12.6 ms, one and a half of them 18.9 ms; the interval has 14 ms more.
    up, down = Line.read("1/20").words_for("fq_codel")
    assert (up, down) == ("fq_codel interval 114ms target 19ms", "fq_codel")
    assert Line.read("1/20").words_for("cake") == ("cake", "cake"), "cake does so itself"


def test_any_line_of_tc_is_a_candidate_and_is_taken_as_it_is():
    line = Line.read("3/30", rtt="600ms")
    assert line.words_for("cake satellite") == ("cake satellite", "cake satellite")
    assert "root cake satellite bandwidth 2.85mbit ethernet nat dual-srchost" in line.lines("cake satellite")[1]
    assert line.lines("cake nonat flows")[1].endswith("cake nonat flows bandwidth 2.85mbit ethernet")
    assert (
        line.queues("fq_pie target 20ms")[0]["class"][0]["queue"]["target"] == tc_queue("fq_pie target 20ms")["target"]
    )


def test_sizes_at_a_device_of_ppp_have_no_ethernet():
    line = Line.read("5/20", link="vdsl")
    assert [" overhead 16 " in text for text in line.lines("codel")] == [0, 1, 0, 0, 0, 0, 1, 0, 0]
    assert [" overhead 30 " in text for text in line.lines("codel", "ppp0")] == [0, 1, 0, 0, 0, 0, 1, 0, 0]


def test_a_command_and_the_output_of_tc_are_candidates():
    line = Line.read("3/30")
    assert line.lines("tc qdisc replace dev wan root cake rtt 50ms") == line.lines("cake rtt 50ms")
    shown = "qdisc fq_codel 8001: root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms ecn"
    assert line.lines(shown)[3].endswith(" fq_codel limit 10240 flows 1024 quantum 1514 target 5ms interval 100ms ecn")


def test_the_modem_has_no_line_and_its_buffer():
    assert LINE.lines("modem") == []
    # 250 ms at 20 and at 100 Mbit/s.
    assert [queue["limit"] for queue in LINE.queues("modem")] == ["625000B", "3125000B"]


@pytest.fixture(scope="module")
def answer():
    return ask(Line.read("5/20", link="vdsl"), candidates=["modem", "codel", "fq_codel", "cake"], seeds=[1, 2, 3])


@pytest.mark.slow
def test_the_ranking_is_by_steps_and_equal_ones_share_a_place(answer):
    assert len({one.place for one in answer.found.equal}) == 1
    others = [one.behind.mean for one in answer.ranking[len(answer.found.equal) :]]
    assert others == sorted(others)
    assert [one.place for one in answer.ranking] == sorted(one.place for one in answer.ranking)
    assert answer.ranking[-1].name == "modem"
    assert answer.best.name in ("cake", "fq_codel")
    assert answer.best.grade in ("A+", "A")
    assert f"{answer.best.name} is " in answer.text.partition(". ")[0]


@pytest.mark.slow
def test_every_number_is_there(answer):
    for one in answer.ranking:
        assert all(interval.n == 3 for interval in one.values.values()), one
        # The shaper leaves 5 % of the line, and PTM and PPPoE take their part.
        assert one.values["up_bps"].mean < 5e6
        assert 0.0 < one.values["fairness_down"].mean <= 1.0
        assert 1.0 <= one.values["call_up_mos"].mean <= 4.5


@pytest.mark.slow
def test_the_command_answers_with_a_screen_and_with_json(tmp_path):
    begun = time.monotonic()
    words = ("line", "5/20", "--link", "vdsl", "--queue", "modem,cake", "--seeds", "2")
    done = command(*words, "--report", tmp_path / "line.html")
    assert done.returncode == 0, done.stderr
    assert time.monotonic() - begun < 60.0
    lines = done.stdout.splitlines()
    assert len(lines) <= 25
    assert lines[-1] == "tc qdisc add dev ifb4eth0 root cake bandwidth 19mbit pppoe-ptm nat dual-dsthost ingress"
    page = (tmp_path / "line.html").read_text(encoding="utf-8")
    parts = (">Put cake on this line: under load", "<figure", ">Price<", "root cake bandwidth 19mbit", ">All numbers<")
    places = [page.index(part) for part in parts]
    assert places == sorted(places), "the answer, the ranking, the price, the lines, and then the rest"
    assert page.rindex(">All numbers<") < page.rindex("Differences from modem")
    found = json.loads(command(*words, "--json").stdout)
    assert found["best"] == "cake"
    assert (
        found["ranking"][0]["tc"][1] == "tc qdisc add dev eth0 root cake bandwidth 4.75mbit pppoe-ptm nat dual-srchost"
    )
    assert {"rpm", "added_ms", "web_s"} <= set(found["ranking"][0]["values"])


@pytest.mark.slow
def test_a_rate_that_varies_is_said():
    done = command("line", "5/20", "--link", "starlink", "--queue", "modem,cake", "--seeds", "1")
    assert "its rate is taken as constant" in done.stderr


def test_a_line_is_a_verb_whose_answer_a_notebook_shows():
    import inspect

    import sojourn

    assert "candidates" in inspect.signature(sojourn.line).parameters
    found = sojourn.line("2/10", candidates=["modem", "fq_codel"], seeds=2)
    shown = found._repr_html_()
    assert found.best.name in shown
    assert "<svg" in shown
    assert found.to_polars().columns == ["queue", "seed", "metric", "value"]
    assert set(found.summary()["queue"]) == {"modem", "fq_codel"}
