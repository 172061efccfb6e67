"""The systems of routers for which there is text to paste, and the queues that each of them has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ..._base.nearest import nearest_hint
from ..candidates import CANDIDATES, candidate
from ..question import Line
from ..shapers import EXACT, Shaper
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
        The words of ``tc`` for which it has a setting, of each of its queues; none if it has all.
    """

    title: str
    write: Callable[[Line, str, str], Pasted]
    device: str
    shaper: Shaper = EXACT
    queues: Mapping[str, Spellings] | None = None

    def lacks(self, line: Line, name: str) -> str:
        """The first word of a candidate on this line that the system does not have; empty if it has all."""
        if self.queues is None or not candidate(name).words:
            return ""
        try:
            for words in line.words_for(name):
                spelled(words, self.queues)
        except ValueError as lacking:
            return str(lacking)
        return ""

    def offered(self, line: Line) -> list[str]:
        """The candidates that the system can make on this line, and the modem's own queue."""
        return [name for name in CANDIDATES if not self.lacks(line, name)]

    def text(self, line: Line, name: str, device: str) -> Pasted:
        """The text that sets a candidate; nothing to paste for the modem's own queue."""
        if not candidate(name).words:
            return Pasted(self.title, [], [])
        return self.write(line, name, device)

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


SYSTEMS: Mapping[str, System] = {
    "linux": System("Linux", linux, "eth0"),
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
