"""Explain has an answer for each word of tc's lines, of sysctl, and of the glossary."""

from __future__ import annotations

import pytest

from sojourn._rooms.catalogue.glossary import GLOSSARY, glossary
from sojourn._rooms.catalogue.names import ABSENT, plain_name
from sojourn._rooms.scenario.sysctl import NAMES, NOT_HERE, ROUTE
from sojourn._rooms.scenario.tc import LINES

OF_TC = sorted({word for line in LINES.values() for word in (*line.words, *line.flags, *line.fixed, *line.not_here)})
OF_SYSCTL = [*NAMES, *ROUTE, *NOT_HERE]
OF_USERS = [
    *(
        "mahimahi",
        "qdisc",
        "ifb",
        "slot",
        "duplicate",
        "correlation",
        "reorder",
        "policing",
        "wireguard",
        "tunnel",
        "GRE",
    ),
    *(
        "fragment",
        "mptcp",
        "autorate",
        "pppoe",
        "ECT(1)",
        "host fairness",
        "tcpdump",
        "wireshark",
        "dummynet",
        "TSQ",
        "gap",
    ),
]


@pytest.mark.parametrize("word", [*OF_TC, *LINES, *OF_SYSCTL, *OF_USERS])
def test_a_word_of_lines_is_explained(word, answer):
    assert "nothing here is called" not in answer(word)


@pytest.mark.parametrize("words", GLOSSARY)
def test_a_word_of_the_glossary_is_explained(words, answer):
    for word in words.split(", "):
        assert glossary(word)
        assert "nothing here is called" not in answer(word)


def test_the_glossary_has_each_word_once_and_alone():
    words = [plain_name(word) for each in GLOSSARY for word in each.split(", ")]
    assert len(words) == len(set(words))
    # What is absent has its sentence among the names.
    assert sorted(set(words) & set(ABSENT)) == []
    assert [text for text in GLOSSARY.values() if text.endswith(".")] == []


def test_words_of_a_line_say_what_they_set(answer):
    assert answer("db").startswith("db (parameter of sch_sfb) Time before that from which on the next set is updated")
    assert "in a line of tc, of cake: sets isolation" in answer("hosts")
    assert "--tcp takes it, as in ip route, before its value; Linux's default: 0" in answer("quickack")
    assert "data does not travel with a SYN here" in answer("tcp_fastopen")
    assert answer("mptcp") == "mptcp (word of other tools) it is not here: each flow has one path."
