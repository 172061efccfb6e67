"""Sojourn reads each word of tc as tc and the kernel do: words.json has the answers of tc 6.1 and Linux 6.12."""

import re
from functools import cache

import pytest
from words import ABSENT, NEEDED, VALUES, WORDS
from words_here import answers, difference

from sojourn._rooms.scenario.tc import LINES

pytestmark = pytest.mark.filterwarnings("ignore::sojourn._rooms.catalogue.warnings.WordWarning")

# Values that Sojourn refuses with a message and tc takes, by the message.
REFUSED = {
    r"is not a (whole )?number|is not a (time|size|rate) of tc": "tc reads -1 as 2^32 - 1, and 1.5 packets",
    r"is out of range": "outside the range of the parameter: hours, or 2^31 packets",
    r"too large for tc": "a time above 4295 s and a limit above 2^32 bytes come around in tc",
    r"hold no packet of|drops every packet": "no packet passes a limit of memory below its buffer",
    r"is not here": "words without a counterpart",
}
# Values that tc 6.1 refuses: Sojourn takes what `tc qdisc show` prints, with the units there.
AS_SHOWN = r"\b\d+p\b.*taken here, .*Illegal"
# Other differences: patterns of a line and what differs, and why.
KNOWN: dict[str, str] = {
    r"fq maxrate .*maxrate 0, here 1": "each packet then waits a second, as with the least rate here",
    r"_(delay|timeout) 4294967295 ": "the kernel counts whole ticks of 1 ms, and shows the last one below 2^32 us",
    r"harddrop True, here False": "without ecn the kernel keeps the word, and asks it of no packet: all are dropped",
}


@cache
def differences() -> dict[str, str]:
    """By line, those that are not refused here."""
    found = {line: difference(line) for line in answers()}
    return {line: text for line, text in found.items() if text and not text.startswith("refused here")}


def test_every_line_has_tcs_numbers_or_is_refused_as_by_tc():
    unknown = [
        f"{line}    {text}"
        for line, text in differences().items()
        if not any(re.search(pattern, f"{line}    {text}") for pattern in (*KNOWN, AS_SHOWN))
    ]

    assert not unknown, f"{len(unknown)} lines: " + "\n".join(unknown[:20])


def test_a_known_difference_is_named_as_long_as_it_is_there():
    texts = [f"{line}    {text}" for line, text in differences().items()]

    assert [pattern for pattern in KNOWN if not any(re.search(pattern, text) for text in texts)] == []


def test_what_is_refused_here_and_taken_by_tc_has_a_reason():
    refused = {line: text for line in answers() if (text := difference(line)).startswith("refused here")}

    assert [line for line, text in refused.items() if not any(re.search(pattern, text) for pattern in REFUSED)] == []
    assert all(any(re.search(pattern, text) for text in refused.values()) for pattern in REFUSED)


def test_each_word_of_the_reader_was_asked_with_all_values_of_its_kind():
    for kind, line in LINES.items():
        if kind in ABSENT:
            continue
        assert set(WORDS[kind]) == set(line.words), kind
        asked = [words.split() for words in answers() if words.split()[0] == kind]
        for word, of in WORDS[kind].items():
            values = {words[words.index(word) + 1] for words in asked if word in words[:-1]}
            assert {value.partition(",")[0] for value in VALUES[of].split()} <= values | set(
                NEEDED.get(kind, "").split()
            ), (kind, word)
