"""The quick check of a type and the one with messages agree on all values that files can have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import pytest

from sojourn._rooms._base import schema
from sojourn._rooms._base.fitting import fits
from sojourn._rooms._base.schema import Between, Least, More, Share, Unbounded, Wrong

TYPES = [
    *(Any, str, bool, int, float, float | None, str | float, Sequence[str] | str, str | Mapping[str, str]),
    *(Sequence[float], Sequence[Sequence[int]], Mapping[str, Sequence[str]], Mapping[str, Any], tuple[float, float]),
    *(Literal["", "ours"], Literal[1, 2], Literal[True], Sequence[float] | Mapping[str, Sequence[float]]),
    *(Annotated[int, Between(0, 5)], Annotated[float, Share()], Annotated[float, Least(0)] | None),
    *(Annotated[float, Unbounded()], Annotated[float, More(0.0), Unbounded()], Annotated[str, "a word"]),
    Mapping[str, Annotated[int, Least(1)]],
]
VALUES = [
    *(None, True, False, 0, 1, 2, 5, 6, -1, 0.0, 0.5, 1.0, 2.0, 1e300, 1e301, 10**400),
    *(math.inf, -math.inf, math.nan, "", "ours", "other", "1", b"1"),
    *([], [1], [1.0, math.nan], ["a"], [["a"]], [[1, 2], [3]], [[1.5]], [True], (1.0, 2.0), range(3)),
    *({}, {"a": 1}, {"a": "b"}, {"a": ["b"]}, {"a": [1.0]}, {"a": 0}, {"a": None}, object()),
]


def takes(value: Any, wanted: Any) -> bool:
    """Whether the check with words finds nothing."""
    try:
        schema._fit(value, wanted)
    except Wrong:
        return False
    return True


@pytest.mark.parametrize("wanted", TYPES, ids=str)
def test_both_checks_take_the_same(wanted: Any):
    # These are looked at again.
    unsure = {str(value) for value in (range(3), math.inf, -math.inf, 1e301, 10**400)}
    for value in VALUES:
        if fits(wanted)(value):
            assert takes(value, wanted), value
        elif str(value) not in unsure:
            assert not takes(value, wanted), value
