"""The systems of routers for which there is text to paste, and the queues that each of them has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..._base.nearest import nearest_hint
from ..candidates import CANDIDATES, candidate
from ..question import Line
from ..shapers import EXACT, Shaper
from . import mikrotik, openwrt, opnsense, vyos
from .linux import linux
from .pasted import Pasted
from .spelling import Spellings, spelled

__all__ = ["SYSTEMS", "System", "system"]


@dataclass(frozen=True)
class System:
    """A system of routers.

    Attributes
    ----------
    title
        Its name.
    write
        The text for a line, a candidate and an interface.
    device
        The usual name of the interface to the modem.
    shaper
        What its shaper counts.
    queues
        The words of ``tc`` for which it has a setting, of each of its queues; none if it has all words.
    kinds
        Its queues, if it has all words of them; none if it has all queues.
    """

    title: str
    write: Callable[[Line, str, str], Pasted]
    device: str
    shaper: Shaper = EXACT
    queues: Mapping[str, Spellings] | None = None
    kinds: Sequence[str] = ()

    def lacks(self, line: Line, name: str) -> str:
        """The first word of a candidate on this line that the system does not have; empty if it has all."""
        words = candidate(name).words
        if words and self.kinds and words.split()[0] not in self.kinds:
            return words.split()[0]
        if self.queues is None or not words:
            return ""
        try:
            for way in line.words_for(name):
                spelled(way, self.queues)
        except ValueError as lacking:
            return str(lacking)
        return ""

    def offered(self, line: Line) -> list[str]:
        """The candidates that the system can make on this line, and the modem's own queue."""
        return [name for name in CANDIDATES if not self.lacks(line, name)]

    def choice(self, line: Line) -> str:
        """The candidates among which it chooses, in a sentence; empty if it has all."""
        offered = self.offered(line)
        lacking = [name for name in CANDIDATES if name not in offered]
        return (
            f"{self.title} has no {', '.join(lacking)}: the queue is the best of those that it has." if lacking else ""
        )

    def text(self, line: Line, name: str, device: str) -> Pasted:
        """The text that sets a candidate; nothing to paste for the modem's own queue."""
        if not candidate(name).words:
            return Pasted(self.title, [], [])
        return self.write(line, name, device)

    def sentences(self, line: Line, pasted: Pasted) -> list[str]:
        """The sentences before the lines, a paragraph each."""
        return [
            f"For {pasted.where}. The lines stay over restarts, and may be pasted again.",
            *pasted.notes,
            " ".join(
                part for part in (self.choice(line), line.shaper.words(line.up_bps, line.down_bps, line.kind)) if part
            ),
            *([self._tried] if self.queues or self.kinds else []),
        ]

    @property
    def _tried(self) -> str:
        return (
            f"The lines are checked against the published definitions of {self.title}, and were not tried on a router."
        )

    def check(self, line: Line, names: Iterable[str]) -> None:
        """Refuse a candidate that the system does not have.

        Raises
        ------
        ValueError
            With those that it has.
        """
        for name in names:
            if lacking := self.lacks(line, name):
                raise ValueError(
                    f"--queue {name}: {self.title} has no {lacking}\n  allowed: {', '.join(self.offered(line))}"
                )


_BY_BYTES_OF_IP = Shaper(exact=False, ingress=False)

SYSTEMS: Mapping[str, System] = {
    "linux": System("Linux", linux, "eth0"),
    "openwrt": System("OpenWrt", openwrt.openwrt, "wan", kinds=openwrt.QUEUES),
    "mikrotik": System(
        "RouterOS",
        mikrotik.mikrotik,
        "ether1",
        replace(_BY_BYTES_OF_IP, cake_shapes=False),
        queues=mikrotik.QUEUES,
    ),
    "opnsense": System("OPNsense", opnsense.opnsense, "wan", _BY_BYTES_OF_IP, queues=opnsense.QUEUES),
    "vyos": System("VyOS", vyos.vyos, "eth0", _BY_BYTES_OF_IP, queues=vyos.QUEUES),
}
"""By name."""


def system(name: str) -> System:
    """The system of this name.

    Raises
    ------
    ValueError
        If there is none.
    """
    if name not in SYSTEMS:
        hint = nearest_hint(name, SYSTEMS)
        raise ValueError(f"--for {name}: there is no such system\n  allowed: {', '.join(SYSTEMS)}{hint}")
    return SYSTEMS[name]
