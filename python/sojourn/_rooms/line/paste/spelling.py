"""Words of ``tc`` in the spelling of another system."""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal

__all__ = ["Spellings", "spelled"]

Spellings = Mapping[str, str]
"""For each word of a queue its spelling: ``{}`` is the word's value as it is, ``{ms}`` a time in milliseconds."""
_TIME = re.compile(r"(?P<number>[0-9.]+)(?P<unit>us|usecs?|ms|msecs?|s|secs?|)")
_MS = {"u": Decimal("0.001"), "m": Decimal(1), "s": Decimal(1000), "": Decimal("0.001")}


def spelled(words: str, queues: Mapping[str, Spellings]) -> list[str]:
    """The words behind the name of a queue; a spelling may be empty.

    Raises
    ------
    ValueError
        With a word that the system does not have.

    >>> spelled("fq_codel target 5ms noecn", {"fq_codel": {"target": "target {ms}", "noecn": ""}})
    ['target 5']
    """
    kind, *rest = words.split()
    if kind not in queues:
        raise ValueError(kind)
    table, found = queues[kind], []
    while rest:
        word = rest.pop(0)
        if word not in table or ("{" in table[word] and not rest):
            raise ValueError(f"{kind} {word}")
        spelling = table[word]
        if "{" in spelling:
            value = rest.pop(0)
            spelling = spelling.format(value, ms=_milliseconds(value, f"{kind} {word}") if "{ms}" in spelling else "")
        found.append(spelling)
    return [spelling for spelling in found if spelling]


def _milliseconds(value: str, word: str) -> str:
    time = _TIME.fullmatch(value)
    ms = Decimal(time["number"]) * _MS[time["unit"][:1]] if time else Decimal("0.5")
    if ms != int(ms):
        raise ValueError(f"{word} {value}")
    return str(int(ms))
