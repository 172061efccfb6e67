"""The queues that a line is tried with, each with the lines of ``tc`` that make it.

CoDel and its kind expect round trips of up to 100 ms, and links on which a packet takes less than their target. On
other lines a candidate is set for the line, as its specification says: CoDel's interval is about the longest round
trip and its target 5 % of that (RFC 8289 sections 4.2 and 4.3), and on a slow line the target is at least the time of
one and a half packets, by which the interval grows too, as in Linux's ``sch_cake``. CAKE does the latter itself.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from .._base.nearest import nearest_hint
from .._base.toml import Value
from ..scenario.tc import LINES
from ..scenario.tc_line import tc_queue
from .links import LinkKind

__all__ = ["CANDIDATES", "Candidate", "candidate"]

QueueTable = Mapping[str, Value]

_FITS_S = 0.1
"""The longest round trip for which the defaults are meant: RFC 8289 section 4.2, RFC 8033 section 4.2, ``cake``."""
_TARGET_S = 0.005
_PIE_TARGET_S = 0.015
_TARGET_SHARE = 0.05
_PACKET_BITS = 12_000
_PACKETS = 1.5
"""Packets for which the target of a slow line is long enough: Linux ``sch_cake``."""
_OURS = {
    "bandwidth": "the rate follows from the line",
    "ingress": "the way down has it",
    "egress": "the way up has it",
    "unlimited": "the rate follows from the line",
    "autorate-ingress": "the rate follows from the line",
}
"""Words of ``cake`` that this command sets."""


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
    follows
        Whether it is set for the line's rate and round trip; words of a user are taken as they are.
    """

    words: str
    down: str = ""
    shapes: bool = False
    follows: bool = True

    @property
    def settings(self) -> int:
        """The number of words besides the name of the queue; below zero for the modem, where nothing is set."""
        return len(self.words.split()) - 1

    def on(self, rate_bps: int, rtt_s: float) -> str:
        """The words for a direction of this rate, on a line with this round trip.

        >>> CANDIDATES["fq_codel"].on(20_000_000, 0.03), CANDIDATES["fq_codel"].on(20_000_000, 0.6)
        ('fq_codel', 'fq_codel interval 600ms target 30ms')
        >>> CANDIDATES["codel"].on(1_000_000, 0.03), CANDIDATES["cake"].on(1_000_000, 0.6)
        ('codel interval 113ms target 18ms', 'cake rtt 600ms')
        """
        kind = self.words.partition(" ")[0]
        if not self.follows or kind not in _SET:
            return self.words
        interval_s = max(rtt_s, _FITS_S)
        more = _SET[kind](interval_s, _PACKETS * _PACKET_BITS / rate_bps)
        return f"{self.words}{more}"

    def queue(
        self, rate_bps: int, shaped_bps: int, link: LinkKind, buffer_s: float, rtt_s: float, *, down: bool
    ) -> QueueTable:
        """The queue of one direction of a line of `rate_bps` with a modem whose buffer holds `buffer_s` seconds."""
        if not self.words:
            return {"kind": "fifo", "limit": f"{max(int(rate_bps * buffer_s / 8), 3000)}B"}
        words = self.on(shaped_bps, rtt_s)
        if self.shapes:
            more = f" {self.down}" if down and self.down else ""
            return tc_queue(f"{words} bandwidth {shaped_bps}bit {link.cake}{more}")
        rate = f"{_below_ptm(shaped_bps, link)}bit"
        leaf: QueueTable = {"rate": rate, "ceil": rate, "queue": tc_queue(words)}
        cells = "atm" if link.cells == "atm" else "none"
        framing: QueueTable = {"overhead": f"{link.overhead}B", "mpu": f"{link.mpu}B", "cells": cells}
        top: QueueTable = {"rate": rate, "ceil": rate}
        return {"kind": "htb", "group": [top], "class": [leaf], **framing}

    def lines(self, device: str, shaped_bps: int, link: LinkKind, rtt_s: float, *, down: bool) -> list[str]:
        """The lines of ``tc`` for one direction."""
        if not self.words:
            return []
        words = self.on(shaped_bps, rtt_s)
        if self.shapes:
            # Routers of homes translate addresses: without `nat` all packets are of one host.
            nat = "" if {"nat", "nonat"} & set(words.split()) else " nat"
            more = f" {self.down}" if down and self.down else ""
            rate = _rate(shaped_bps)
            return [f"tc qdisc add dev {device} root {words} bandwidth {rate} {link.cake}{nat}{more}"]
        rate = _rate(_below_ptm(shaped_bps, link))
        return [
            f"tc qdisc add dev {device} root handle 1: {link.stab} htb default 1",
            f"tc class add dev {device} parent 1: classid 1:1 htb rate {rate} ceil {rate}",
            f"tc qdisc add dev {device} parent 1:1 {words}",
        ]


def _codel(interval_s: float, packets_s: float) -> str:
    target_s = max(_TARGET_S, _TARGET_SHARE * interval_s)
    longer_s = max(packets_s - target_s, 0.0)
    if interval_s <= _FITS_S and not longer_s:
        return ""
    return f" interval {_ms(interval_s + longer_s)} target {_ms(target_s + longer_s)}"


def _pie(interval_s: float, packets_s: float) -> str:
    target_s = max(_PIE_TARGET_S, _TARGET_SHARE * interval_s, packets_s)
    return f" target {_ms(target_s)}" if target_s > _PIE_TARGET_S else ""


def _cake(interval_s: float, _packets_s: float) -> str:
    return f" rtt {_ms(interval_s)}" if interval_s > _FITS_S else ""


_SET = {"codel": _codel, "fq_codel": _codel, "pie": _pie, "cake": _cake}


def _ms(seconds: float) -> str:
    return f"{math.ceil(round(seconds * 1e3, 6))}ms"


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


def candidate(name: str) -> Candidate:
    """The candidate of this name, or the queue of a line of ``tc``, such as ``cake rtt 600ms``.

    Raises
    ------
    ValueError
        If it is neither, or sets what the line decides.
    """
    if name in CANDIDATES:
        return CANDIDATES[name]
    kind, *rest = name.split() or [""]
    if kind not in LINES:
        allowed = f"{', '.join(CANDIDATES)}, or a line of tc such as 'cake rtt 600ms'"
        hint = nearest_hint(name, CANDIDATES)
        raise ValueError(f"--queue {name}: this is not a candidate\n  allowed: {allowed}{hint}")
    tc_queue(name)
    if kind in ("tbf", "police"):
        raise ValueError(f"--queue {name}: a line has a shaper already\n  allowed: queues without a rate of their own")
    if set_here := [word for word in rest if kind == "cake" and word in _OURS]:
        raise ValueError(f"--queue {name}: {set_here[0]!r} is set by this command: {_OURS[set_here[0]]}")
    shapes = kind == "cake"
    return Candidate(name, down="ingress" if shapes else "", shapes=shapes, follows=False)
