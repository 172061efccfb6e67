"""Seeds and lists of queues as a user writes them: ``--seeds 5-9``, ``--queue red:min_th=5p,ared``."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from numbers import Integral

from ... import _core
from .._base.checks import checked_seed, shortened
from ..catalogue.warnings import WordWarning
from .tc import LINES
from .tc_line import is_tc_line, tc_label, without_statistics

__all__ = ["Seeds", "parse_queues", "parse_seeds", "seeds_of"]

_MOST_SEEDS = 100_000

Seeds = int | str | Iterable[int]
"""How many seeds, such as 20 for 1 to 20; or which, as ``range(5, 10)``, ``[1, 4, 7]``, ``"5-9"`` or ``"1,4,7"``."""


def seeds_of(seeds: Seeds, place: str = "seeds") -> tuple[int, ...]:
    """The seeds in order, each once; a number and a text mean what they mean after ``--seeds``.

    Raises
    ------
    TypeError
        If it is none of these.
    ValueError
        If there is no seed, or one is out of range.
    """
    if isinstance(seeds, str | Integral) and not isinstance(seeds, bool):
        seeds = parse_seeds(str(seeds), place)
    if not isinstance(seeds, Iterable):
        raise TypeError(f"{place} are how many, such as 20, or which, such as [1, 4, 7], and this is {seeds!r}")
    found = tuple(sorted({checked_seed(seed) for seed in seeds}))
    if not found:
        raise ValueError("there are no seeds; give at least one")
    return found


def parse_seeds(text: str, place: str = "--seeds") -> list[int]:
    """Read ``20`` (1 to 20), ``5-9`` or ``1,4,7``; `place` is where the text is, for the message."""
    wrong = ValueError(
        f"{place} {shortened(text)}: this is not a number of seeds\n"
        f"  allowed: a number such as 20 (seeds 1 to 20; at most {_MOST_SEEDS}), a range such as 5-9, "
        "or a list such as 1,4,7"
    )
    seeds: list[int] = []
    parts = text.split(",")
    for part in parts:
        first, dash, last = part.strip().partition("-")
        if not _is_number(first) or (dash and not _is_number(last)):
            raise wrong
        if dash:
            if not 0 <= int(last) - int(first) < _MOST_SEEDS:
                raise wrong
            seeds += range(int(first), int(last) + 1)
        elif len(parts) == 1:
            if not 1 <= int(first) <= _MOST_SEEDS:
                raise wrong
            seeds += range(1, int(first) + 1)
        else:
            seeds.append(int(first))
    if twice := next((seed for seed, number in Counter(seeds).items() if number > 1), None):
        raise ValueError(f"{place} {shortened(text)}: seed {twice} is there twice, and would be run once")
    return seeds


def _is_number(text: str) -> bool:
    """Whether it is a number of digits that a seed may have: others are out of range."""
    return text.isascii() and text.isdecimal() and len(text) <= 20


def parse_queues(texts: Sequence[str], place: str = "--queue", *, laws: bool = True) -> list[str]:
    """Split ``red:min_th=5p,max_th=15p,ared``: a part with ``=`` belongs to the queue before it.

    `place` is where the texts are, for messages. With `laws` a bare name is a law's before it is one of tc.

    Warns
    -----
    WordWarning
        About bare names that are other queues than a line of tc with this name.
    """
    queues: list[str] = []
    for text in texts:
        for number, part in enumerate(part.strip() for part in without_statistics(text).split(",")):
            if not part:
                raise ValueError(f"{place} {text}: a name is missing between the commas")
            if "=" in part and ":" not in part.partition("=")[0]:
                if spaced := re.fullmatch(r"(\w+)\s+(\w+\s*=.*)", part):
                    # The name and the settings are spaced as in a line of tc.
                    hint = f"write a colon after the name: {spaced[1]}:{spaced[2]}"
                    raise ValueError(f"{place} {text}: {part!r} is not a setting\n  hint:    {hint}")
                if number == 0:
                    raise ValueError(f"{place} {text}: the name is missing\n  hint:    write NAME:{part}")
                joint = "," if ":" in queues[-1] else ":"
                queues[-1] += joint + part
            else:
                # A line of tc goes by its own words, wherever it was pasted from.
                queues.append(tc_label(part) if is_tc_line(part) else part)
    names = set(_core.names("queues")) & LINES.keys() if laws else ()
    if others := {name: LINES[name].kind for name in queues if name in names and LINES[name].kind != name}:
        what = f"published law{'s' * (len(others) > 1)}: {' and '.join(others)}"
        text = f"{what}; Linux's, as in a line of tc: {' and '.join(others.values())}"
        warnings.warn(text, WordWarning, stacklevel=2)
    return queues
