"""The queues that a line is tried with, each with the lines of ``tc`` that make it.

CoDel and its kind expect round trips of up to 100 ms, and links on which a packet takes less than their target. On
other lines a candidate is set for the line, as its specification says: CoDel's interval is about the longest round
trip and its target 5 % of that (RFC 8289 sections 4.2 and 4.3), and on a slow line the target is at least the time of
one and a half packets, by which the interval grows too, as in Linux's ``sch_cake``. CAKE does the latter itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .._base.nearest import nearest_hint
from .._base.toml import Value
from ..catalogue.meaning import counterpart
from ..scenario.tc import LINES
from ..scenario.tc_line import is_of_tc, tc_queue, tc_words
from ..scenario.tc_rules import ISOLATIONS
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
_LEAST_BURST = 1600
"""Bytes of a burst of HTB by itself: the packet that tc takes for the largest."""
_QUANTUM = 1514
"""Of the only class, where it has no effect; without it the kernel's log has a warning above 16 Mbit/s."""
_LINES_OF_HTB = 3
"""For a queue without a shaper: HTB, its class, and the queue."""
_INSTEAD = (frozenset(("nat", "nonat")), frozenset(ISOLATIONS))
"""Words of ``cake`` of which one takes the place of another."""
_CAKE_UP, _CAKE_DOWN = "nat dual-srchost", "nat dual-dsthost ingress"
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
    up, down
        Additional words for each direction. CAKE divides the line among the hosts of the home. Routers of homes
        translate addresses: without `nat` all packets would be of one host. From the network packets are shaped after
        they crossed the line: with `ingress` those that CAKE drops count. Words of a user replace those of their kind.
    shapes
        Whether the queue has a shaper of its own; another one is the leaf of a class of HTB.
    follows
        Whether it is set for the line's rate and round trip; words of a user are taken as they are.
    """

    words: str
    up: str = ""
    down: str = ""
    shapes: bool = False
    follows: bool = True

    @property
    def length(self) -> tuple[int, int]:
        """Lines of ``tc`` for a direction, and the words of the queue: the simplest has the fewest."""
        return (0, 0) if not self.words else (1 if self.shapes else _LINES_OF_HTB, len(self.words.split()))

    def without(self, *, ingress: bool, shaper: bool) -> Candidate:
        """The same queue without CAKE's word `ingress`, or without CAKE's own shaper."""
        down = self.down.replace("ingress", "").strip() if ingress else self.down
        return replace(self, down=down, shapes=self.shapes and not shaper)

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
        more = self.more(down=down)
        if self.shapes:
            return _read(f"{words} bandwidth {shaped_bps}bit {link.cake}{more}")
        rate = link.below_ptm(shaped_bps)
        top: dict[str, Value] = {"rate": f"{rate}bit", "ceil": f"{rate}bit"}
        if burst := _burst(rate):
            top |= {"burst": f"{burst}B", "cburst": f"{burst}B"}
        leaf: QueueTable = {**top, "queue": _read(f"{words}{more}")}
        cells = "atm" if link.cells == "atm" else "none"
        framing: QueueTable = {"overhead": f"{link.overhead}B", "mpu": f"{link.mpu}B", "cells": cells}
        return {"kind": "htb", "group": [top], "class": [leaf], **framing}

    def lines(self, device: str, shaped_bps: int, link: LinkKind, rtt_s: float, *, ingress: str = "") -> list[str]:
        """The lines of ``tc`` for packets to the line at `device`, or for those from there at the device `ingress`."""
        if not self.words:
            return []
        at, words = ingress or device, self.on(shaped_bps, rtt_s)
        if self.shapes:
            rate = _rate(shaped_bps)
            more = self.more(down=bool(ingress))
            return [f"tc qdisc add dev {at} root {words} bandwidth {rate} {link.cake}{more}"]
        below = link.below_ptm(shaped_bps)
        rate, burst = _rate(below), _burst(below)
        more = f" burst {burst} cburst {burst} quantum {_QUANTUM}" if burst else ""
        shaper = f"htb rate {rate} ceil {rate}{more}"
        return [
            f"tc qdisc add dev {at} root handle 1: {link.stab(device)} htb default 1",
            f"tc class add dev {at} parent 1: classid 1:1 {shaper}",
            f"tc qdisc add dev {at} parent 1:1 {words}",
        ]

    def more(self, *, down: bool) -> str:
        """The additional words of a direction, each after a blank, without those whose place a user's words take.

        >>> CANDIDATES["cake"].more(down=True), candidate("cake nonat hosts").more(down=True)
        (' nat dual-dsthost ingress', ' ingress')
        """
        taken = {kind for word in self.words.split() for kind in _INSTEAD if word in kind}
        kept = (word for word in (self.down if down else self.up).split() if not any(word in kind for kind in taken))
        return "".join(f" {word}" for word in kept)


def _read(words: str) -> QueueTable:
    """The queue of a line; without `nat`, which only the lines to paste need: each flow keeps its hosts here."""
    return tc_queue(" ".join(word for word in words.split() if word != "nat"))


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


def _burst(bps: int) -> int:
    """The bytes of a millisecond, as sqm-scripts choose; 0 if the packet is longer that tc takes by itself."""
    burst = math.ceil(bps / 8000)
    return burst if burst > _LEAST_BURST else 0


def _rate(bps: int) -> str:
    return f"{bps / 1e6:g}mbit" if bps % 1000 == 0 else f"{bps}bit"


CANDIDATES: Mapping[str, Candidate] = {
    "modem": Candidate(""),
    "pfifo": Candidate("pfifo limit 1000"),
    "sfq": Candidate("sfq perturb 10"),
    "codel": Candidate("codel"),
    "pie": Candidate("pie"),
    "fq_codel": Candidate("fq_codel"),
    "cake": Candidate("cake", _CAKE_UP, _CAKE_DOWN, shapes=True),
    "cake ack-filter": Candidate("cake ack-filter", _CAKE_UP, _CAKE_DOWN, shapes=True),
}
"""By name. The first is the line without ``tc``."""


def candidate(name: str) -> Candidate:
    """The candidate of this name, or the queue of a line of ``tc``: ``cake rtt 600ms``, or the command with it.

    Raises
    ------
    ValueError
        If it is neither, or sets what the line decides.
    """
    if name in CANDIDATES:
        return CANDIDATES[name]
    kind, *rest = tc_words(name)
    if kind in ("netem", "stab"):
        hint = "--rtt has the delay, and --link the frames"
        raise ValueError(f"--queue {name}: {kind} is no queue here\n  hint:    {hint}")
    if kind not in LINES and not is_of_tc(name) and not counterpart(kind):
        allowed = f"{', '.join(CANDIDATES)}, or a line of tc such as 'cake rtt 600ms'"
        hint = nearest_hint(name, CANDIDATES)
        raise ValueError(f"--queue {name}: this is not a candidate\n  allowed: {allowed}{hint}")
    if kind == "drr":
        raise ValueError(
            f"--queue {name}: tc's drr drops packets that no class of yours takes, and no line here makes one\n"
            "  hint:    sfq and fq_codel share a line among flows without classes"
        )
    tc_queue(name)
    if kind in ("tbf", "police"):
        raise ValueError(f"--queue {name}: a line has a shaper already\n  allowed: queues without a rate of their own")
    if set_here := [word for word in rest if kind == "cake" and word in _OURS]:
        raise ValueError(f"--queue {name}: {set_here[0]!r} is set by this command: {_OURS[set_here[0]]}")
    shapes = kind == "cake"
    more = (_CAKE_UP, _CAKE_DOWN) if shapes else ("", "")
    # tc prints packets as 1000p, and takes 1000.
    words = " ".join([kind, *(re.sub(r"^(\d+)p$", r"\1", word) for word in rest)])
    return Candidate(words, *more, shapes=shapes, follows=False)
