"""``sojourn gateway`` before anything is opened: accepted and refused input. It needs no rights."""

from __future__ import annotations

import sys

import pytest

from helpers.shell import refused
from helpers.shell import sojourn as command


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], ["--rate is missing", "such as 20/100"]),
        (["--rate", "x"], ["'x' is not a rate", "20Mbit"]),
        (["--rate", "20/"], ["not UP/DOWN"]),
        (["--rate", "20/0"], ["'0' is not a rate"]),
        (["--rate", "20", "--queue", "fq_codle"], ["--queue: there is no queue", 'did you mean "fq_codel"?']),
        (["--rate", "20", "--queue", "fq_codel:targt=3ms"], ["--queue.targt", 'did you mean "target"?']),
        (["--rate", "20", "--reverse-queue", "pi:x=1"], ["--reverse-queue.x"]),
        (["--rate", "20", "--queue", "fq_codel targt 3ms"], ["'targt' is not a word of it", "did you mean 'target'?"]),
        (["--rate", "20", "--loss", "3"], ["--loss 3", "0% to 100%"]),
        (["--rate", "20", "--delay", "10"], ["--delay: the unit is missing"]),
        (["--rate", "20", "--base-rtt", "x"], ["--base-rtt"]),
        (["--rate", "20", "--seed", "-1"], ["seed"]),
        (["--rate", "20", "--time", "0"], ["--time"]),
    ],
)
def test_what_is_wrong_is_said(words: list[str], said: list[str]):
    message = refused("gateway", "nowhere0", "nowhere1", *words)
    for part in said:
        assert part in message


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="packet sockets are Linux's")
def test_an_interface_is_there_and_fits():
    assert "there is no interface nowhere0" in refused("gateway", "nowhere0", "nowhere1", "--rate", "20")
    assert "did you mean lo?" in refused("gateway", "lu", "nowhere1", "--rate", "20")
    assert "is the loopback" in refused("gateway", "lo", "nowhere1", "--rate", "20")
    assert "both interfaces are lo" in refused("gateway", "lo", "lo", "--rate", "20")


def test_elsewhere_than_on_linux_it_says_so(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "the gateway needs Linux, and this is darwin" in refused("gateway", "en0", "en1", "--rate", "20")


def test_a_recording_is_not_overwritten_and_a_refused_one_is_not_begun(tmp_path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "up.in.pcapng").touch()
    words = ("gateway", "nowhere0", "nowhere1", "--rate", "20", "--record")
    if sys.platform.startswith("linux"):
        assert "it has a recording already" in refused(*words, tmp_path / "old")
        assert "no interface" in refused(*words, tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_the_help_has_an_example():
    assert "Example: sojourn gateway eth0 eth1 --rate 20/100" in command("gateway", "--help").stdout
