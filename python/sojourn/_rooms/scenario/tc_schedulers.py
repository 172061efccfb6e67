"""Rules of tc for schedulers: maps of priorities to bands, and quanta, which are words with several values."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .tc_rules import Said
from .tc_values import WrongWordError, bytes_per_second, count_of

__all__ = ["decimal", "ets", "fq", "hhf", "listed", "numbers", "prio", "rate", "sizes"]

PRIORITIES = 16
_MOST_BANDS = 16
_RATE_NONE = "34359738360bit"
_TIME_NONE = "4294967295us"


def listed(word: str) -> tuple[str, Callable[[re.Match[str]], str]]:
    """A pattern for a word of tc with its several values, and the text with commas between these."""
    return rf"{word}(?: \d\w*)+", lambda found: found[0].replace(" ", ",").replace(",", " ", 1)


def decimal(text: str) -> int:
    """A whole number that tc takes in decimal digits alone."""
    if re.fullmatch(r"\d+", text) is None:
        raise WrongWordError(f"{text!r} is not a whole number")
    return count_of(str(int(text)))


def numbers(text: str) -> list[int]:
    """Several numbers, which :func:`listed` has put together.

    >>> numbers("1,2,2")
    [1, 2, 2]
    """
    return [decimal(one) for one in text.split(",")]


def sizes(read: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    """Several sizes, likewise."""
    return lambda text: [read(one) for one in text.split(",")]


def _map(settings: dict[str, Any], bands: int) -> None:
    """Refuse bands that are not there, as tc and the kernel do for each priority."""
    said = settings.get("priomap", [])
    if len(said) > PRIORITIES:
        raise WrongWordError(f"priomap has {len(said)} bands for {PRIORITIES} priorities")
    if wrong := [band for band in said if band >= bands]:
        raise WrongWordError(f"there is no band {wrong[0]}: the bands are 0 to {bands - 1}")


def rate(text: str) -> str:
    """A rate that tc hands over in 32 bits of whole bytes per second; none is the least one here."""
    return f"{8 * max(bytes_per_second(text), 1)}bit"


def _once(said: Said) -> None:
    """Refuse words of which tc takes one."""
    words = [word for word, _ in said]
    if twice := [word for word in ("priomap", "quanta") if words.count(word) > 1]:
        raise WrongWordError(f"{twice[0]!r} is said twice")


def prio(settings: dict[str, Any], _kept: dict[str, Any], said: Said) -> None:
    """Bands, and the band of each priority."""
    _once(said)
    bands = settings.get("bands", 3)
    if not 2 <= bands <= _MOST_BANDS:
        raise WrongWordError(f"bands {bands} is not from 2 to {_MOST_BANDS}")
    _map(settings, bands)
    if bands == 2 and len(settings.get("priomap", [])) < 4:
        raise WrongWordError("with 2 bands tc wants a priomap of at least 4 priorities: its own has a band 2")


def ets(settings: dict[str, Any], _kept: dict[str, Any], said: Said) -> None:
    """Strict bands, and bands with quanta."""
    _once(said)
    strict, quanta = settings["strict"], settings["quanta"]
    bands = settings.get("bands") or strict + len(quanta)
    if not bands:
        raise WrongWordError("tc wants bands, strict or quanta")
    if bands > _MOST_BANDS or strict + len(quanta) > bands:
        raise WrongWordError(f"{strict} strict bands and {len(quanta)} quanta are not for {bands} bands")
    if "0B" in quanta:
        raise WrongWordError("a quantum is at least 1 byte")
    settings["bands"] = bands
    _map(settings, bands)


def fq(settings: dict[str, Any], _kept: dict[str, Any], _said: Any) -> None:
    """The greatest rate of 32 bits is none, and without a rate others are without effect."""
    if settings.get("maxrate") == _RATE_NONE:
        del settings["maxrate"]
    if settings.get("ce_threshold") == _TIME_NONE:
        del settings["ce_threshold"]
    if "maxrate" not in settings:
        settings.pop("low_rate_threshold", None)


def hhf(settings: dict[str, Any], _kept: dict[str, Any], _said: Any) -> None:
    """Turns of a length that the kernel takes."""
    quantum = max(int(str(settings.get("quantum", "1514B")).removesuffix("B")), 256)
    if quantum * settings.get("non_hh_weight", 2) >= 1 << 31:
        raise WrongWordError("quantum times non_hh_weight is below 2^31")
