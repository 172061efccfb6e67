"""``sojourn reproduce KEY --power``."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ..showing.text.progress import progress_bar
from ..works.power import ENOUGH, REPLICATIONS, Power, of_work
from .guard import print_json

__all__ = ["show"]

_WIDTH = 116
_RIGHT = {"holds": "it holds", "fails": "it fails"}
_ABOUT = (
    f"The numbers of {REPLICATIONS} draws of our runs in which each claim is judged rightly, if our simulator had "
    "made the printed numbers. A claim about a printed number should then hold; for any other claim, the means of "
    "all runs give the right verdict. A fair rule is right in 90 of 100. More runs (--full, --seeds) decide more "
    "claims."
)


def show(
    key: str,
    *,
    only: Sequence[str] | None,
    full: bool,
    runs: int | None,
    workers: int | None,
    as_json: bool,
    out: Path | None,
) -> None:
    """Print the power of each claim of a work."""
    with progress_bar() as progress:
        found = of_work(
            key,
            only=only,
            quick=not full,
            runs=runs,
            workers=workers,
            progress=progress,
            out=None if out is None else str(out),
            started=lambda experiment: print(f"{key}: {experiment.name} ...", file=sys.stderr),
        )
    if as_json:
        print_json([asdict(one) for one in found])
        return
    print(textwrap.fill(_ABOUT, _WIDTH))
    wide = max([len(one.experiment) for one in found] + [10])
    print(f"\n{'experiment':<{wide}}  right  open  seeds  right is       claim")
    for one in found:
        _show(one, wide)
    few = sum(one.share < ENOUGH for one in found)
    print(f"\n{len(found)} claims, of which {few} are judged the right way in fewer than 90 of 100 draws")


def _show(one: Power, wide: int) -> None:
    head = (
        f"{one.experiment:<{wide}}  {100 * one.share:>4.0f}%  {100 * one.undecided:>3.0f}%  {one.seeds:>5}  "
        f"{'as printed' if one.printed else _RIGHT.get(one.right, '-'):<10}     "
    )
    print(textwrap.fill(head + one.text, _WIDTH, subsequent_indent=" " * len(head)))
