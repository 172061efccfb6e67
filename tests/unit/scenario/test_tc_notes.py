"""Words of tc that change nothing, or count other bytes than Linux, say so."""

from __future__ import annotations

import warnings

import pytest

from sojourn._rooms.catalogue.warnings import WordWarning
from sojourn._rooms.scenario.tc import LINES
from sojourn._rooms.scenario.tc_line import tc_queue

pytestmark = pytest.mark.filterwarnings("ignore:.*sizes are those of IP packets here")


# Words without an effect that tc has as defaults too, or ignores itself.
NOTHING = {
    "police": {"drop"},
    "codel": {"noecn"},
    "fq_codel": {"ecn"},
    "pie": {"noecn", "nobytemode", "no_dq_rate_estimator"},
    "fq_pie": {"noecn", "nobytemode", "no_dq_rate_estimator"},
    "dualpi2": {"split_gso"},
    "cake": {"nonat", "split-gso", "via-ethernet"},
}
LEAST = {
    "police": "rate 1mbit burst 9000",
    "red": "limit 400000 avpkt 1000",
    "choke": "limit 1000 bandwidth 10mbit",
    "sfq": "redflowlimit 100000",
    "ets": "strict 3",
    "tbf": "rate 1mbit burst 9000 limit 9000",
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.filterwarnings("ignore::sojourn._rooms.catalogue.warnings.WordWarning")
def test_a_word_that_changes_nothing_says_so_or_is_a_default(name):
    plain = tc_queue(f"{name} {LEAST.get(name, '')}")

    silent = {word for word in LINES[name].flags if tc_queue(f"{name} {LEAST.get(name, '')} {word}") == plain}

    assert silent - NOTHING.get(name, set()) == LINES[name].idle.keys() | (
        LINES[name].beside.keys() & LINES[name].flags
    )


@pytest.mark.parametrize(
    ("line", "word", "other"),
    [
        ("red limit 400000 avpkt 1000", "harddrop", "ecn"),
        ("sfq redflowlimit 100000", "harddrop", "ecn"),
        ("fq_codel", "ce_threshold_selector 0x1/0x3", "ce_threshold 1ms"),
    ],
)
def test_a_word_without_the_one_that_it_belongs_to_changes_nothing_and_says_so(line, word, other):
    with pytest.warns(WordWarning, match=f"{word.split()[0]} changes nothing without {other.split()[0]}"):
        assert tc_queue(f"{line} {word}") == tc_queue(line)
    assert tc_queue(f"{line} {word} {other}") != tc_queue(f"{line} {other}")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("cake nat", "cake: nat changes nothing: no address is translated"),
        ("cake no-split-gso", "cake: no-split-gso changes nothing"),
        ("dualpi2 no_split_gso", "dualpi2: no_split_gso changes nothing"),
        ("red limit 400000 avpkt 1000 adaptive", "red: adaptive changes nothing: as in Linux"),
        ("red limit 400000 avpkt 1000 adaptative", "red: adaptative changes nothing"),
        ("tbf rate 1mbit burst 9000 limit 9000 mtu 1500", "tbf: mtu changes nothing without peakrate"),
        ("sfb increment 0.5%", "'0.5%': tc reads the number 0.5 of it; a share of 0.005 is written so"),
    ],
)
def test_a_word_that_changes_nothing_has_a_note(line, says):
    with pytest.warns(WordWarning) as noted:
        tc_queue(line)

    found = [str(one.message) for one in noted if "sizes are those of IP" not in str(one.message)]
    assert [text[: len(says)] for text in found] == [says]


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("bfifo limit 540", "bfifo:"),
        ("tbf rate 1mbit burst 9000 limit 9000", "tbf: of its limit,"),
        ("red limit 400000 avpkt 1000", "red:"),
        ("police rate 1mbit burst 9000", "police:"),
        ("sfq redflowlimit 100000", "sfq:"),
        ("sfq", ""),
        ("choke limit 100 bandwidth 10mbit", ""),
    ],
)
def test_a_queue_that_counts_bytes_says_whose(line, counts):
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        tc_queue(line)

    says = f"{counts} sizes are those of IP packets here; on Ethernet Linux counts 14 bytes more for each packet"
    assert [str(one.message) for one in noted] == [says] * bool(counts)
