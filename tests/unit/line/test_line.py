"""``sojourn line``: the question, the queues, the lines of tc, the ranking, and refusals."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass

import pytest

from helpers.shell import refused
from helpers.shell import sojourn as command
from sojourn.line import CANDIDATES, LINKS, Line, ask
from sojourn.line.answer import answer as rank
from sojourn.scenario.tc_line import tc_queue

LINE = Line.read("20/100", rtt="30ms", link="docsis")


def test_a_line_is_read_with_units_or_in_mbit():
    assert (LINE.up_bps, LINE.down_bps, LINE.rtt_s, LINE.link) == (20_000_000, 100_000_000, 0.03, "docsis")
    other = Line.read("512kbit/1Gbit", rtt="5ms", buffer="1s")
    assert (other.up_bps, other.down_bps, other.buffer_s) == (512_000, 1_000_000_000, 1.0)
    # 20 s of 20,000 packets a second, in as many packets of 1500 bytes.
    assert other.window_s == pytest.approx(20.0 * 20_000.0 / (1_000_512_000 / 12_000))
    assert LINE.window_s == 20.0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["20"], ["a rate is missing", "such as 20/100"]),
        (["20/x"], ["'x' is not a rate", "20Mbit"]),
        (["20/0"], ["'0' is not a rate"]),
        (["20/100", "--link", "docsys"], ["no such link", "did you mean docsis?"]),
        (["20/100", "--rtt", "30"], ["--rtt 30", "with a unit: 30ms"]),
        (["20/100", "--queue", "fq_codle,cake"], ["is not a candidate", "did you mean fq_codel?"]),
        (["20/100", "--queue", "cake"], ["cannot be ranked"]),
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
    resolved = line.scenario(candidate).resolved()

    bell = resolved["dumbbell"]
    assert bell["overhead"] == f"{LINKS[link].overhead}B"
    assert bell["cells"] == LINKS[link].cells
    assert bell["queue"]["kind"] == {"modem": "fifo"}.get(candidate, "cake" if "cake" in candidate else "htb")


@pytest.mark.parametrize("candidate", [name for name in CANDIDATES if name != "modem"])
def test_the_lines_to_paste_are_lines_of_tc_with_the_same_queue(candidate):
    up, *rest = LINE.lines(candidate)

    if "cake" in candidate:
        queue = LINE.queues(candidate)[0]
        assert {**tc_queue(up.replace("replace", "add")), "header": "0B"} == queue
        assert "docsis" in up
        assert rest[-1].endswith("docsis ingress")
    else:
        assert "htb default 1" in up
        assert "overhead 4 " in up, "18 bytes of DOCSIS less 14 of Ethernet, which sizes have"
        assert any("rate 19mbit" in line for line in rest)
        leaf = next(line for line in rest if "parent 1:1 " in line)
        assert tc_queue(leaf.replace("replace", "add")) == LINE.queues(candidate)[0]["class"][0]["queue"]


def test_the_modem_has_no_line_and_its_buffer():
    assert LINE.lines("modem") == []
    # 250 ms at 20 and at 100 Mbit/s.
    assert [queue["limit"] for queue in LINE.queues("modem")] == ["625000B", "3125000B"]


@pytest.fixture(scope="module")
def answer():
    return ask(Line.read("5/20", link="vdsl"), candidates=["modem", "codel", "fq_codel", "cake"], seeds=[1, 2, 3])


@dataclass
class Rounds:
    """Stands for a study: round trips per minute of each candidate, by seed."""

    rpm: dict[str, list[float]]

    @property
    def variants(self):
        return self.rpm

    @property
    def seeds(self):
        return range(len(next(iter(self.rpm.values()))))

    def values(self, column: str, *, table: str):  # noqa: ARG002
        return {name: {"probe": of_one} for name, of_one in self.rpm.items()}


def test_of_queues_that_runs_do_not_tell_apart_the_one_with_the_fewest_settings_is_first():
    rpm = {"modem": [98, 102], "pfifo": [102, 105], "cake ack-filter": [201, 204], "codel": [150, 151]}
    found = rank(LINE, Rounds(rpm | {"cake": [202, 202], "fq_codel": [203, 196]}))

    assert [(one.place, one.name) for one in found.ranking] == [
        *((1, "cake"), (1, "fq_codel"), (1, "cake ack-filter"), (4, "codel"), (5, "modem"), (5, "pfifo")),
    ]
    assert found.best.name == "cake"
    assert found.text.startswith("cake is best: 202 round trips per minute under load (poor)")
    assert "modem has 100," in found.text
    assert "do not tell it from fq_codel or cake ack-filter. cake is named first" in found.text

    apart = rank(LINE, Rounds(rpm | {"cake": [198, 201.1]})).text
    assert apart.startswith("cake ack-filter is best")
    assert "not tell it" not in apart


@pytest.mark.slow
def test_the_ranking_is_by_rpm_and_ties_share_a_place(answer):
    best = [max(one.values["rpm"].mean for one in answer.ranking if one.place == each.place) for each in answer.ranking]
    assert best == sorted(best, reverse=True)
    assert [one.place for one in answer.ranking] == sorted(one.place for one in answer.ranking)
    assert answer.ranking[-1].name == "modem"
    assert answer.best.name in ("cake", "fq_codel")
    assert answer.best.grade in ("A+", "A")
    assert f"{answer.best.name} is best" in answer.text


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
    assert len(lines) <= 24
    assert lines[-1].startswith("tc qdisc replace dev ifb0 root cake bandwidth 19mbit pppoe-ptm ingress")
    assert (tmp_path / "line.html").stat().st_size > 10_000
    found = json.loads(command(*words, "--json").stdout)
    assert found["best"] == "cake"
    assert found["ranking"][0]["tc"][0] == "tc qdisc replace dev eth0 root cake bandwidth 4.75mbit pppoe-ptm"
    assert {"rpm", "added_ms", "web_s"} <= set(found["ranking"][0]["values"])


@pytest.mark.slow
def test_a_rate_that_varies_is_said():
    done = command("line", "5/20", "--link", "starlink", "--queue", "modem,cake", "--seeds", "1")
    assert "its rate varies" in done.stderr
