"""Checks of values that users pass, and their form in messages."""

from __future__ import annotations

import operator

__all__ = ["checked_seed", "is_ctrl_c", "printable", "shortened"]

_LONGEST = 300


def checked_seed(seed: int) -> int:
    """A seed that the core can take.

    Raises
    ------
    ValueError
        If it is not a whole number from 0 to 2**64 - 1.
    """
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < 2**64:
        raise ValueError(
            f"the seed {shortened(repr(seed))} is out of range; allowed are whole numbers from 0 to 2**64 - 1"
        )
    return number


def is_ctrl_c(fault: BaseException) -> bool:
    """Whether an error is Ctrl-C, or due to it: Python 3.11 wraps errors raised while a class is made."""
    seen: set[int] = set()
    one: BaseException | None = fault
    while one is not None and id(one) not in seen:
        if isinstance(one, KeyboardInterrupt):
            return True
        seen.add(id(one))
        one = one.__cause__ or one.__context__
    return False


def shortened(text: str) -> str:
    """At most 300 characters of a text: its beginning and its end."""
    part = _LONGEST // 2 - 5
    return text if len(text) <= _LONGEST else f"{text[:part]} [...] {text[-part:]}"


def printable(text: str) -> str:
    """The text with control characters and invisible characters spelled out; line ends stay."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in text)
