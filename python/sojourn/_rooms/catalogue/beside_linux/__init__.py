"""The queues and senders of Linux: their exact parts, and the others. ``docs/linux.md`` has the counts.

``evidence/linux/programs/linux_page.py`` writes ``rows.json`` and the page together.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Row", "row_of"]

_FILE = Path(__file__).parent / "rows.json"


@dataclass(frozen=True)
class Row:
    """One queue or sender beside Linux's.

    Attributes
    ----------
    name
        Sojourn's name of it.
    compared, differ
        How many decisions (of queues) or windows (of senders) of recordings of a kernel were compared, and how many
        differ. Both are 0 where nothing was recorded.
    agree, apart, undecided
        Cells of the closed loop that agree with a kernel's runs, that differ, and that need more runs. Cells of two
        control laws on one link are counted with their queue only.
    exact, otherwise
        The parts that are as in Linux, and those that are not ("-": none known).
    mean_queue
        The mean queue by Linux's in the closed loop: the geometric mean over settings, and half of its 95 % interval
        as a part of it. None for fewer than four settings.
    """

    name: str
    compared: int
    differ: int
    agree: int
    apart: int
    undecided: int
    exact: str
    otherwise: str
    mean_queue: tuple[float, float] | None = None

    def sentences(self, what: str) -> str:
        """In words; `what` is counted: decisions or windows."""
        counted = f"{self.compared:,} {what} compared, {self.differ:,} differ. " if self.compared else ""
        cells = self.agree + self.apart + self.undecided
        mean = "the mean queue is {:.3f} ± {:.3f} of Linux's; ".format(*self.mean_queue) if self.mean_queue else ""
        counts = f"{self.agree} agree, {self.apart} differ, and {self.undecided} need more runs"
        loop = f" In complete runs {mean}of {cells} compared numbers {counts}." if cells else ""
        missing = "" if self.otherwise == "-" else f" Not as in Linux: {self.otherwise}."
        return f"{counted}Exact: {self.exact}.{missing}{loop}"


@functools.cache
def _rows() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(_FILE.read_text(encoding="utf-8"))
    return found


def row_of(group: str, name: str) -> Row | None:
    """The row of a queue (`group` is ``queues``) or a sender (``senders``), if there is one."""
    found = _rows().get(group, {}).get(name)
    return None if found is None else Row(name, **found)
