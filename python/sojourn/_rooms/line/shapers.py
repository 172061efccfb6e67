"""Shapers of routers: the rates to which they are set on a line.

A shaper that knows the overhead of the line is set to 95 % of its rate. Others count only a part of the bytes that a
packet takes on the line, and get a lower rate. Upwards they are set for the worst case that a household makes for long:
downloads fill the line, their acknowledgements go up, and full packets take the rest. Receivers acknowledge each packet
while windows grow and after losses; with half as many a line of ADSL filled its modem's queue.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from .links import LinkKind

__all__ = ["EXACT", "HEADROOM", "Shaper", "on_wire"]

HEADROOM = 0.95
"""Share of the line at which a queue shapes, so that the modem's buffer stays empty: as sqm-scripts advise."""
_LATE = 0.9
"""The same for packets that crossed the line already, where those that are dropped do not count: OpenWrt's pages."""
_PACKET, _ACK = 1500, 52
"""Bytes of IP: a full packet, and an acknowledgement with timestamps."""


@dataclass(frozen=True)
class Shaper:
    """The bytes that a router's shaper counts.

    Attributes
    ----------
    exact
        Whether it can be told what the line adds to a packet; otherwise it is taken to count bytes of IP alone.
    ingress
        Whether CAKE counts dropped packets from the network (its word ``ingress``).
    cake_shapes
        Whether CAKE shapes; otherwise it is the leaf of another shaper.
    """

    exact: bool = True
    ingress: bool = True
    cake_shapes: bool = True

    def rates(self, up_bps: int, down_bps: int, link: LinkKind) -> tuple[int, int]:
        """The rates in bits per second: up and down, in whole kbit/s, or in three digits if it is not exact.

        >>> from .links import LINKS
        >>> EXACT.rates(20_000_000, 100_000_000, LINKS["docsis"])
        (19000000, 95000000)
        >>> Shaper(exact=False, ingress=False).rates(20_000_000, 100_000_000, LINKS["docsis"])
        (17700000, 88700000)
        """
        late = HEADROOM if self.ingress else _LATE
        up = HEADROOM * up_bps * self._share(link, down_bps / up_bps)
        down = late * down_bps * self._share(link, up_bps / down_bps)
        return self._rounded(up), self._rounded(down)

    def seen(self, link: LinkKind) -> LinkKind:
        """The link as the shaper counts it."""
        return link if self.exact else LinkKind("raw", 0, 0)

    def words(self, up_bps: int, down_bps: int, link: LinkKind) -> str:
        """The rates and their reason, in a sentence."""
        up, down = (f"{rate / 1e6:g}" for rate in self.rates(up_bps, down_bps, link))
        late = HEADROOM if self.ingress else _LATE
        shares = f"{100 * HEADROOM:g}\u202f%" + ("" if late == HEADROOM else f" up and {100 * late:g}\u202f% down")
        rates = f"The queue shapes to {up} Mbit/s up and {down} down"
        text = f"{rates}: {shares} of the line, so that packets wait in the router"
        if self.exact:
            return f"{text} and not in the modem."
        return f"{text}, and less because it does not count the bytes that the line adds to a packet."

    def _rounded(self, rate_bps: float) -> int:
        unit = 1000 if self.exact else max(10 ** (math.floor(math.log10(rate_bps)) - 2), 1000)
        return int(rate_bps / unit) * unit

    def _share(self, link: LinkKind, other: float) -> float:
        """Counted bytes as a part of those on a line, beside `other` times as much in the other direction."""
        if self.exact:
            return 1.0
        full, ack = on_wire(_PACKET, link), on_wire(_ACK, link)
        acks = min(other / full * ack, 1.0)
        return acks * _ACK / ack + (1.0 - acks) * _PACKET / full


EXACT = Shaper()
"""CAKE, and HTB with ``stab``, in Linux."""


def on_wire(size: int, link: LinkKind) -> float:
    """The bytes that a packet of IP takes on a line."""
    framed = max(size + link.overhead, link.mpu)
    if link.cells == "atm":
        return 53.0 * math.ceil(framed / 48)
    return framed * 65.0 / 64.0 if link.cells == "ptm" else framed
