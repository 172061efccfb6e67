"""Applications, which drive senders: one class for each kind, with its parameters.

Made from the registry by ``make generate``; do not edit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from ._component import App

__all__ = ["Bulk", "Cbr", "Transfers"]


@dataclass(frozen=True, kw_only=True)
class Bulk(App):
    r"""Bulk transfer.

    Always has data to send: without end, or up to a number of bytes or of full packets.

    Reference: the greedy source of the literature; ns-2's Application/FTP.

    Attributes
    ----------
    bytes
        Payload bytes to send; `auto` is without end. Allowed: a number of bytes such as "1000B", 1B to 1e18B, or
        "auto". Default ``"auto"``: the greedy source.
    packets
        Full packets to send instead of bytes; `auto` is without end. Allowed: a whole number, 1 to 1e15, or "auto".
        Default ``"auto"``: the greedy source.
    """

    kind: ClassVar[str] = "bulk"

    bytes: str | None = None
    packets: int | Literal["auto"] | None = None


@dataclass(frozen=True, kw_only=True)
class Transfers(App):
    r"""Repeated transfers.

    A user who thinks for a while, transfers a file over a new connection, and thinks again when its last byte is
    acknowledged.

    Reference: the closed-loop user of the literature; ns-2's ftp with "send".

    Attributes
    ----------
    packets
        Full packets in each transfer. Allowed: a whole number, 1 to 1e12. Default ``20``: a short web transfer of 20
        kB.
    think
        Mean time between the end of a transfer and the start of the next. Allowed: a time such as "20ms", 0s to 1e9s.
        Default ``"1s"``: a common choice.
    think_law
        How the thinking time is distributed. Allowed: one of "exponential", "fixed". Default ``"exponential"``:
        memoryless users.
    eager
        Whether the first transfer begins at once instead of after a thinking time. Allowed: true or false. Default
        ``False``: a user found at a random moment of thinking.
    count
        Transfers in all; `auto` is without end. Allowed: a whole number, 1 to 1e15, or "auto". Default ``"auto"``: a
        user who stays.
    """

    kind: ClassVar[str] = "transfers"

    packets: int | None = None
    think: str | None = None
    think_law: Literal["exponential", "fixed"] | None = None
    eager: bool | None = None
    count: int | Literal["auto"] | None = None


@dataclass(frozen=True, kw_only=True)
class Cbr(App):
    r"""Constant bit rate.

    Sends packets of one size at a constant rate, measured on the wire. With jitter each interval is uniform around
    its mean.

    Reference: ns-2's Application/Traffic/CBR.

    Attributes
    ----------
    rate
        Rate on the wire, headers included. Allowed: a rate such as "10Mbit", 1bit to 100Tbit. Default ``"1Mbit"``: a
        common choice.
    packet
        Size of a packet on the wire; `auto` is the transport's packet. Allowed: a number of bytes such as "1000B", 1B
        to 65535B, or "auto". Default ``"auto"``: the transport's.
    jitter
        Each interval is uniform within this fraction of its mean to both sides. Allowed: a fraction such as 0.05 or
        "5%", 0 to 1. Default ``0``: strictly periodic; ns-2's `random_` is 0.5.
    count
        Packets in all; `auto` is without end. Allowed: a whole number, 1 to 1e15, or "auto". Default ``"auto"``: a
        source that stays.
    """

    kind: ClassVar[str] = "cbr"

    rate: str | None = None
    packet: str | None = None
    jitter: float | str | None = None
    count: int | Literal["auto"] | None = None
