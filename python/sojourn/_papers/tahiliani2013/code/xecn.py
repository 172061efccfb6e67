"""Section 4.2.2: the count of XECN's sender where acknowledgements are lost, by algorithms 5 and 6 and the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from sojourn.claims import Claim
from sojourn.papers import Context, Finding, Paper

WINDOW = 8
"""Packets of a window of which all patterns are tried: "if 8 consecutive ACKs are lost"."""
MOST = 7
"""Packets by which the count is off at most, as the thesis says."""
WIDE = 55
"""Packets: the least window of TCP Surathkal in figure 4.8."""
ALGORITHM_6 = "XECN takes no lost acknowledgement for marked (algorithm 6)"


def counted(marked: Sequence[bool], lost: Sequence[bool], text: bool) -> int:
    """The counter at the end of a window; `text`: lost acknowledgements are taken for marked ones.

    Each packet is acknowledged. Algorithm 5 says CC of a marked packet, and ECE of any other once one was marked; the
    sender's answer (CWR) reaches the receiver only after the window.
    """
    counter = missed = 0
    pending = False
    for mark, gone in zip(marked, lost, strict=True):
        pending = pending or mark
        if gone:
            missed += 1
            continue
        if mark or (pending and counter == 0):
            counter += 1
        if pending and text:
            counter += missed
        missed = 0
    return counter


def windows(packets: int) -> Iterator[tuple[Sequence[bool], Sequence[bool]]]:
    """All patterns of marks and of lost acknowledgements of a window; the last one arrives, or there is a timeout."""
    both = (False, True)
    for marked in product(both, repeat=packets):
        for lost in product(both, repeat=packets - 1):
            yield marked, (*lost, False)


def worst(packets: int, text: bool) -> tuple[int, int]:
    """By how much the counter is at most too low, and too high, in a window."""
    off = [counted(marked, lost, text) - sum(marked) for marked, lost in windows(packets)]
    return -min(off), max(off)


def claims(readings: bool = True) -> Iterator[Claim]:
    """The statements of section 4.2.2."""
    heard = all(counted(marked, lost, True) > 0 for marked, lost in windows(WINDOW) if any(marked))
    alone = sum(any(marked) and all(lost[n] for n in range(WINDOW) if marked[n]) for marked, lost in windows(WINDOW))
    yield Claim.that(
        "The sender hears of a mark whichever acknowledgements are lost, if the window's last one arrives",
        heard,
        id="E4.0-hears",
        source="section 4.2.2, algorithms 5 and 6",
        note=f"all patterns of a window of {WINDOW}; in {alone} of them all that tells of a mark by itself is lost",
    )
    for text, reading in ((True, ""), (False, ALGORITHM_6))[: 2 if readings else 1]:
        low, high = worst(WINDOW, text)
        yield Claim(
            text=f"In a window of {WINDOW} packets the count is off by at most seven",
            id="E4.0-off-by-seven",
            verdict="holds" if max(low, high) <= MOST else "fails",
            reading=reading,
            source="section 4.2.2",
            note=f"all patterns of marks and losses: at most {low} too few, and {high} too many",
        )
        yield Claim(
            text="The count is never too low: the sender reduces its window a little more than necessary",
            id="E4.0-never-too-low",
            verdict="holds" if low <= 0 else "fails",
            reading=reading,
            source="section 4.2.2",
            note=f"all patterns of a window of {WINDOW}: at most {low} too few",
        )
    # One mark, and all but the last acknowledgement lost: in a window as wide as this that is no timeout.
    first = [n == 0 for n in range(WIDE)]
    off = counted(first, [n < WIDE - 1 for n in range(WIDE)], True) - 1
    yield Claim.that(
        f"In a window of {WIDE} packets the count is off by at most seven, whatever is lost",
        off <= MOST,
        id="E4.0-off-by-seven-wide",
        source="section 4.2.2",
        note=f"one packet marked, and all acknowledgements lost but the last: {off} too many",
        contradiction="figure 4.8 has windows of 55 to 70 packets, in which more than eight lost acknowledgements in a "
        "row are no timeout: the next one covers them",
    )


def enter(paper: Paper) -> None:
    """As an experiment of the paper."""
    doc = "section 4.2.2: by how much XECN's count is off where acknowledgements are lost"

    @paper.experiment("E4.0", doc, before="E4.0-acks")
    def count(context: Context) -> Iterator[Finding]:
        """Without a simulation."""
        yield from claims(context.readings)
