"""``sojourn reproduce KEY --power``."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ..showing.text.progress import progress_bar
from ..works import sentences
from ..works.power import ENOUGH, REFUSED, REPLICATIONS, Power, of_sentences, of_work
from ..works.work import folder
from .guard import print_json

__all__ = ["show"]

_WIDTH = 116
_RIGHT = {"holds": "it holds", "fails": "it fails"}
_ABOUT = (
    f"In how many of {REPLICATIONS} draws of our runs each claim is judged rightly, if our simulator had made the "
    "printed numbers. A claim about a printed number should then hold; for any other claim, the means of all runs give "
    f"the right verdict. A fair rule is right in {100 * ENOUGH:.0f} of 100. If half or twice the number were printed, "
    f"it should be refused in {100 * REFUSED:.0f} of 100. A sentence has the least of its claims. More runs (--full, "
    "--seeds) decide more claims."
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
    print(f"\n{'experiment':<{wide}}  right  refused  open  seeds  right is       claim")
    for one in found:
        _show(one, wide)
    spoken = of_sentences(sentences.read(folder(key)), found)
    if spoken:
        print("\nright  refused  sentence")
    for sentence, own in spoken:
        head = f"{_percent(min(one.share for one in own))}  {_percent(_least_refused(own)):>8}  "
        print(textwrap.fill(f"{head}{sentence.text} ({sentence.source})", _WIDTH, subsequent_indent=" " * len(head)))
    few, rule = sum(one.share < ENOUGH for one in found), f"{100 * ENOUGH:.0f} of 100 draws"
    numbers = [one.refused for one in found if one.refused is not None]
    weak = sum(refused < REFUSED for refused in numbers)
    print(
        f"\n{len(found)} claims, of which {few} are judged the right way in fewer than {rule}; "
        f"of {len(numbers)} with printed numbers {weak} refuse a wrong one in fewer than {100 * REFUSED:.0f}"
    )


def _show(one: Power, wide: int) -> None:
    head = (
        f"{one.experiment:<{wide}}  {_percent(one.share)}  {_percent(one.refused):>7}  {100 * one.undecided:>3.0f}%  "
        f"{one.seeds:>5}  "
        f"{'as printed' if one.printed else _RIGHT.get(one.right, '-'):<10}     "
    )
    print(textwrap.fill(head + one.text, _WIDTH, subsequent_indent=" " * len(head)))


def _percent(share: float | None) -> str:
    return "    -" if share is None else f"{100 * share:>4.0f}%"


def _least_refused(own: Sequence[Power]) -> float | None:
    return min((one.refused for one in own if one.refused is not None), default=None)
