"""Several lines of tc: a shaper with a queue in it, comments, and lines that are no one queue."""

from __future__ import annotations

import pytest

import sojourn
from sojourn._rooms.catalogue.warnings import WordWarning
from sojourn._rooms.scenario import parse_queue
from sojourn._rooms.scenario.texts import parse_queues
from unit.scenario.test_tc import resolved

pytestmark = pytest.mark.filterwarnings("ignore:.*sizes are those of IP packets here")


COMMAND = "tc qdisc add dev eth0 root"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"tc qdisc del dev eth0 root; {COMMAND} codel target 3ms", "codel target 3ms"),
        (f"tc qdisc del dev eth0 root && {COMMAND} codel target 3ms", "codel target 3ms"),
        (f"{COMMAND} codel target 3ms # half of it, for now", "codel target 3ms"),
        (f"# our uplink\n$ tc qdisc del dev eth0 root\n$ {COMMAND} codel \\\n  target 3ms", "codel target 3ms"),
        (
            f"{COMMAND} handle 1: mq; tc qdisc add dev eth0 parent 1:1 codel; tc qdisc add dev eth0 parent 1:2 codel",
            "tc codel",
        ),
    ],
)
def test_the_queue_of_several_lines_is_read(text, line):
    assert parse_queue(text) == parse_queue(line)
    assert parse_queues([text]) == [line]


def test_a_queue_that_tc_could_not_print_has_linuxs_defaults():
    with pytest.warns(WordWarning, match="dualpi2: this tc could not print its words"):
        table = parse_queue("qdisc dualpi2 8001: dev eth0 root refcnt 2 [Unknown qdisc, optlen=88] ")
    assert table == parse_queue("tc dualpi2")


TBF, HTB = f"{COMMAND} handle 1: tbf rate 2mbit burst 15k latency 50ms", f"{COMMAND} handle 1: htb default 10"
CLASS = "tc class add dev eth0 parent 1: classid 1:10 htb rate 2mbit burst 15k"
LEAF = {"kind": "fq_codel", "preset": "linux", "limit": "10240p", "ecn": True}
PIE = {"kind": "sch_pie", "ecn": False, "target": "15ms", "tupdate": "15ms", "alpha": 2, "beta": 20}
BUCKET = {"kind": "sch_tbf", "rate": "2000000bit", "burst": "15360B", "overhead": "14B"}


@pytest.mark.parametrize(
    ("text", "table"),
    [
        # The limit is that of the inner queue.
        (
            f"{TBF}; tc qdisc add dev eth0 parent 1: handle 10: codel target 3ms",
            {
                **BUCKET,
                "queue": {"kind": "codel", "preset": "linux", "limit": "1000p", "ecn": False, "target": "3ms"},
            },
        ),
        (
            "qdisc tbf 1: dev eth0 root refcnt 2 rate 2Mbit burst 15Kb lat 50ms \n"
            "qdisc pie 10: dev eth0 parent 1: limit 1000p target 15ms tupdate 15ms alpha 2 beta 20 ",
            {**BUCKET, "queue": {**PIE, "limit": "1000p"}},
        ),
        (
            f"{TBF}; tc qdisc add dev eth0 parent 1: fq_codel",
            {**BUCKET, "queue": LEAF},
        ),
        # A class without a class above it borrows nothing.
        (
            f"{HTB}; {CLASS} ceil 9mbit; tc qdisc add dev eth0 parent 1:10 fq_codel",
            {
                "kind": "htb",
                "overhead": "14B",
                "group": [{"rate": "2000000bit", "ceil": "2000000bit", "burst": "15360B"}],
                "class": [{"rate": "2000000bit", "burst": "15360B", "ceil": "2000000bit", "queue": LEAF}],
            },
        ),
        (
            f"{HTB}\ntc class add dev eth0 parent 1: classid 1:1 htb rate 9mbit\n"
            "tc class add dev eth0 parent 1:1 classid 1:10 htb rate 2mbit ceil 9mbit prio 1 overhead 4\n"
            "tc qdisc add dev eth0 parent 1:10 fq_codel",
            {
                "kind": "htb",
                "overhead": "18B",
                "group": [{"rate": "9000000bit"}],
                "class": [{"rate": "2000000bit", "ceil": "9000000bit", "prio": 1, "parent": 0, "queue": LEAF}],
            },
        ),
    ],
)
def test_a_shaper_with_a_queue_in_it_is_one_queue(text, table):
    assert parse_queue(text) == table
    assert resolved(parse_queue(text))["kind"] == table["kind"]
    assert [parse_queue(label) for label in parse_queues([text])] == [table]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{HTB}; tc qdisc add dev eth0 parent 1:10 fq_codel", "the rate of htb is that of its class"),
        (
            f"{HTB}; {CLASS}; {CLASS.replace('1:10', '1:20')}; tc qdisc add dev eth0 parent 1:10 fq_codel",
            "htb has all of it",
        ),
        (
            f"{HTB}; {CLASS} colour red; tc qdisc add dev eth0 parent 1:10 codel",
            "'colour' is not a word of a class here",
        ),
        (
            f"{COMMAND} handle 1: netem delay 20ms; tc qdisc add dev eth0 parent 1: fq_codel target 3ms",
            "--set dumbbell.delay=20ms with the queue 'fq_codel target 3ms'",
        ),
        (
            f"{TBF}; tc qdisc add dev eth0 parent 1: netem delay 20ms",
            "--set dumbbell.delay=20ms with the queue 'tbf rate 2mbit burst 15k latency 50ms'",
        ),
        (f"{COMMAND} codel; tc qdisc add dev ifb0 root pie", "give one: 'codel' or 'pie'"),
        (f"{COMMAND} handle 1: prio; tc qdisc add dev eth0 parent 1:1 codel", "give one: 'prio' or 'codel'"),
    ],
)
def test_lines_that_are_not_one_queue_are_answered_with_words(text, says):
    with pytest.raises(sojourn.ScenarioError) as error:
        parse_queue(text)
    assert says in str(error.value)


def test_the_line_in_an_answer_is_read():
    line = "htb default 1; class classid 1:1 htb rate 2mbit burst 15k cburst 15k; parent 1:1 fq_codel"
    assert parse_queue(line)["class"][0]["queue"] == LEAF
    with pytest.warns(WordWarning, match="all packets go to the class here; in Linux they pass it unshaped"):
        parse_queue(line.replace("default 1", "default 2"))
