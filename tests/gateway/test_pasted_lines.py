"""The lines of ``sojourn line``, pasted into the shell of a router: tc of iproute2 takes each of them."""

from __future__ import annotations

import pytest

from sojourn.line import CANDIDATES, Line

from .namespaces import missing, network

lacking = missing()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(lacking), reason=lacking)]

LINES = [Line.read("1/8", link="adsl"), Line.read("3/30", rtt="600ms", link="docsis")]
NAMES = [*(name for name in CANDIDATES if name != "modem"), "cake satellite", "fq_pie target 20ms"]
NOT_IN_THIS_KERNEL = ("Specified qdisc kind is unknown", "TC classifier not found")
"""Said by a kernel without the module. tc has read the whole line then: for a word that it does not know it says so."""


def pasted(net, lines):
    """The messages of the commands, one by one as a shell would run them, but for modules that the kernel lacks."""
    found = []
    for command in (part.strip() for line in lines for part in line.split("; ")):
        done = net.run("lan", "sh", "-c", command, check=False)
        if done.returncode and not any(words in done.stderr for words in NOT_IN_THIS_KERNEL):
            found.append(f"{command}: {done.stderr.strip() or done.returncode}")
    return found


@pytest.fixture(scope="module")
def net():
    with network(direct=True) as made:
        yield made


def state(net):
    return [net.run("lan", *words).stdout for words in (("tc", "qdisc"), ("ip", "-o", "link"))]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.words)
@pytest.mark.parametrize("name", NAMES)
def test_tc_takes_the_lines_once_and_again_and_the_first_undoes_them(net, name, line):
    before = state(net)
    undo, *lines = line.lines(name)

    assert pasted(net, lines) == []
    again = pasted(net, [undo, *lines])
    assert [said for said in again if " del " not in said] == []
    net.run("lan", "sh", "-c", undo, check=False)

    assert state(net) == before


def test_a_fifo_of_this_kernel_is_set_in_both_directions(net):
    undo, *lines = LINES[0].lines("pfifo")
    assert pasted(net, [*lines, undo, *lines]) == []
    shown = net.run("lan", "tc", "qdisc").stdout
    net.run("lan", "sh", "-c", undo)

    assert "qdisc htb 1: dev eth0 root" in shown
    assert "qdisc htb 1: dev ifb4eth0 root" in shown
    assert shown.count("limit 1000p") == 2


def test_a_word_that_tc_does_not_know_is_found():
    with network(direct=True) as net:
        assert pasted(net, ["tc qdisc add dev eth0 root cake bandwith 19mbit"]) != []
