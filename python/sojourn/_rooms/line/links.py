"""Kinds of access links: the bytes that each adds to a packet, and the words of ``cake`` and ``tc stab`` for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["LINKS", "LinkKind", "elsewhere"]


@dataclass(frozen=True)
class LinkKind:
    """An access link.

    Attributes
    ----------
    cake
        Words of ``cake`` for it.
    overhead, mpu, cells
        Bytes that it adds to a packet of IP, the least that a packet takes, and its cells, as in a scenario.
    note
        The part that is not modelled; empty if there is none.
    """

    cake: str
    overhead: int
    mpu: int
    cells: str = "none"
    note: str = ""

    def stab(self, device: str) -> str:
        """Words of ``tc ... stab`` at an interface, where sizes have 14 bytes of Ethernet already; those of PPP do not.

        >>> LINKS["docsis"].stab("eth0")
        'stab mtu 2047 tsize 512 mpu 64 overhead 4 linklayer ethernet'
        """
        layer = "atm" if self.cells == "atm" else "ethernet"
        return f"stab mtu 2047 tsize 512 mpu {self.mpu} overhead {self.stab_overhead(device)} linklayer {layer}"

    def stab_overhead(self, device: str) -> int:
        """The bytes that it adds to the size that a packet has at an interface."""
        return self.overhead - (0 if device.startswith("ppp") else 14)

    def below_ptm(self, bps: int) -> int:
        """The part of a rate for the bytes of HTB, which knows no PTM: 64 of 65, in whole kbit/s."""
        return bps * 64 // 65 // 1000 * 1000 if self.cells == "ptm" else bps


_PON = (
    "fttp: frames of Ethernet with one VLAN tag are assumed (with PPPoE: --link pppoe); the grants of a passive "
    "optical network are not simulated"
)

# The meaning of tc's keywords is from q_cake of iproute2 6.15; PPPoE takes 8 bytes (RFC 2516) above Ethernet's 38.
LINKS: Mapping[str, LinkKind] = {
    "ethernet": LinkKind("ethernet", 38, 84),
    "docsis": LinkKind("docsis", 18, 64),
    "pppoe": LinkKind("overhead 46 mpu 84", 46, 84),
    "vdsl": LinkKind("pppoe-ptm", 30, 0, "ptm"),
    "adsl": LinkKind("pppoe-llcsnap", 40, 0, "atm"),
    "fttp": LinkKind("ethernet ether-vlan", 42, 84, note=_PON),
    "lte": LinkKind("ethernet", 38, 84),
    "starlink": LinkKind("ethernet", 38, 84),
}
"""By name. The notes of links that change are in :mod:`line.varying`."""

_ELSEWHERE: Mapping[str, str] = {
    "wifi wlan 80211": "give the line behind it; Wi-Fi of today is not here (docs/not-built.md)",
    "docsis31 docsis3 docsis4 docsisll lld lldocsis cable": "docsis counts the bytes of a cable modem; its grants and "
    "the queues of low-latency DOCSIS are not here (docs/not-built.md)",
    "gpon xgspon pon epon ftth fiber fibre": "fttp is a line of glass",
    "5g nr 4g mobile cellular": "lte takes traces: lte:up=FILE,down=FILE; a cell with its users is not here",
    "geo satellite viasat hughes": "--rtt 600ms is the delay of a geostationary one; proxies that split connections "
    "are not here",
    "vdsl2 fttc fttn": "vdsl is PPPoE in PTM",
}
"""Other names that users look for, and an answer."""


def elsewhere(name: str) -> str:
    """An answer to the plain name of a link that is not here; empty without one."""
    for names, text in _ELSEWHERE.items():
        if any(name.startswith(one) for one in names.split()):
            return text
    return ""
