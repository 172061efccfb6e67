"""The queues that a line is tried with, each with the lines of ``tc`` that make it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .._base.toml import Value
from ..scenario.tc_line import tc_queue
from .links import LinkKind

__all__ = ["CANDIDATES", "Candidate"]

QueueTable = Mapping[str, Value]


@dataclass(frozen=True)
class Candidate:
    """A queue at both ends of the line.

    Attributes
    ----------
    words
        Words of ``tc`` for the queue; empty for the modem's own queue.
    down
        Additional words for the direction from the network, where packets are shaped after they crossed the line.
    shapes
        Whether the queue has a shaper of its own; another one is the leaf of a class of HTB.
    """

    words: str
    down: str = ""
    shapes: bool = False

    @property
    def settings(self) -> int:
        """The number of words besides the name of the queue; below zero for the modem, where nothing is set."""
        return len(self.words.split()) - 1

    def queue(self, rate_bps: int, shaped_bps: int, link: LinkKind, buffer_s: float, *, down: bool) -> QueueTable:
        """The queue of one direction of a line of `rate_bps` with a modem whose buffer holds `buffer_s` seconds."""
        if not self.words:
            return {"kind": "fifo", "limit": f"{max(int(rate_bps * buffer_s / 8), 3000)}B"}
        if self.shapes:
            more = f" {self.down}" if down and self.down else ""
            # Sizes here are those of IP: they have no header of the link's that would be counted twice.
            return {**tc_queue(f"{self.words} bandwidth {shaped_bps}bit {link.cake}{more}"), "header": "0B"}
        rate = f"{_below_ptm(shaped_bps, link)}bit"
        leaf: QueueTable = {"rate": rate, "ceil": rate, "queue": tc_queue(self.words)}
        cells = "atm" if link.cells == "atm" else "none"
        framing: QueueTable = {"overhead": f"{link.overhead}B", "mpu": f"{link.mpu}B", "cells": cells}
        top: QueueTable = {"rate": rate, "ceil": rate}
        return {"kind": "htb", "group": [top], "class": [leaf], **framing}

    def lines(self, device: str, shaped_bps: int, link: LinkKind, *, down: bool) -> list[str]:
        """The lines of ``tc`` for one direction."""
        if not self.words:
            return []
        if self.shapes:
            more = f" {self.down}" if down and self.down else ""
            rate = _rate(shaped_bps)
            return [f"tc qdisc replace dev {device} root {self.words} bandwidth {rate} {link.cake}{more}"]
        rate = _rate(_below_ptm(shaped_bps, link))
        return [
            f"tc qdisc replace dev {device} root handle 1: {link.stab} htb default 1",
            f"tc class replace dev {device} parent 1: classid 1:1 htb rate {rate} ceil {rate}",
            f"tc qdisc replace dev {device} parent 1:1 {self.words}",
        ]


def _below_ptm(bps: int, link: LinkKind) -> int:
    """The part of a rate for the bytes of HTB, which knows no PTM: 64 of 65, in whole kbit/s."""
    return bps * 64 // 65 // 1000 * 1000 if link.cells == "ptm" else bps


def _rate(bps: int) -> str:
    return f"{bps / 1e6:g}mbit" if bps % 1000 == 0 else f"{bps}bit"


CANDIDATES: Mapping[str, Candidate] = {
    "modem": Candidate(""),
    "pfifo": Candidate("pfifo limit 1000"),
    "sfq": Candidate("sfq perturb 10"),
    "codel": Candidate("codel"),
    "pie": Candidate("pie"),
    "fq_codel": Candidate("fq_codel"),
    "cake": Candidate("cake", down="ingress", shapes=True),
    "cake ack-filter": Candidate("cake ack-filter", down="ingress", shapes=True),
}
"""By name. The first is the line without ``tc``."""
