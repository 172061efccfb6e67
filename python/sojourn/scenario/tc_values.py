"""Values as tc writes them: sizes, rates, times and bare numbers, which are read alike in every line of it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

__all__ = [
    "WrongWordError",
    "bits_per_second",
    "bytes_in",
    "bytes_of",
    "count_of",
    "microseconds",
    "milliseconds_of",
    "nanoseconds",
    "packet_count",
    "packets_of",
    "rate_of",
    "seconds_of",
    "share_of",
    "sixteenths",
    "time_of",
    "within",
]

_NUMBER = re.compile(r"(\d+(?:\.\d*)?|\.\d+)([a-zA-Z]*)")
# tc counts sizes in units of 1024, and rates in units of 1000 unless an i is in them; "bps" are bytes per second.
_SIZES: dict[str, float] = {
    "": 1,
    "b": 1,
    "k": 1024,
    "kb": 1024,
    "m": 1024**2,
    "mb": 1024**2,
    "g": 1024**3,
    "gb": 1024**3,
}
_SIZES |= {"bit": 1 / 8, "kbit": 1024 / 8, "mbit": 1024**2 / 8, "gbit": 1024**3 / 8}
_RATES = {prefix + "bit": 1000**power for power, prefix in enumerate(("", "k", "m", "g", "t"))}
_RATES |= {prefix + "ibit": 1024**power for power, prefix in enumerate(("", "k", "m", "g", "t")) if power}
_RATES |= {name.removesuffix("bit") + "bps": 8 * factor for name, factor in _RATES.items()} | {"": 1}
# In nanoseconds; a bare number is microseconds.
_TIMES = {"": 1000, "s": 10**9, "sec": 10**9, "secs": 10**9, "ms": 10**6, "msec": 10**6, "msecs": 10**6}
_TIMES |= {"us": 1000, "usec": 1000, "usecs": 1000, "ns": 1, "nsec": 1, "nsecs": 1}
_UNITS = [("s", 10**9), ("ms", 10**6), ("us", 1000), ("ns", 1)]


class WrongWordError(ValueError):
    """A word that tc would not take here."""


def _unit(text: str, units: Mapping[str, float], what: str, example: str) -> float:
    found = _NUMBER.fullmatch(text)
    if found is None or found[2].lower() not in units:
        raise WrongWordError(f"{text!r} is not a {what} of tc, such as {example}")
    return float(found[1]) * units[found[2].lower()]


def bytes_in(text: str) -> int:
    """A size of tc in bytes."""
    return int(_unit(text, _SIZES, "size", "64kb (in units of 1024 bytes) or 1514"))


def bits_per_second(text: str) -> int:
    """A rate of tc."""
    return int(_unit(text, _RATES, "rate", "20mbit"))


def nanoseconds(text: str) -> int:
    """A time of tc."""
    return int(_unit(text, _TIMES, "time", "5ms"))


def microseconds(text: str) -> int:
    """A time of tc in its own unit."""
    return nanoseconds(text) // 1000


def count_of(text: str) -> int:
    """A whole number, from 0 on."""
    if not text.isdecimal():
        raise WrongWordError(f"{text!r} is not a whole number")
    return int(text)


def share_of(text: str) -> float:
    """A number from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise WrongWordError(f"{text!r} is not a number from 0 to 1")
    return value


def bytes_of(text: str) -> str:
    """A size of tc for a scenario."""
    return f"{bytes_in(text)}B"


def packet_count(text: str) -> int:
    """A number of packets; ``tc qdisc show`` prints it with a p."""
    return count_of(text.removesuffix("p"))


def packets_of(text: str) -> str:
    """A number of packets for a scenario."""
    return f"{packet_count(text)}p"


def rate_of(text: str) -> str:
    """A rate of tc for a scenario."""
    return f"{bits_per_second(text)}bit"


def time_of(text: str) -> str:
    """A time of tc for a scenario, in the largest unit of which it is a whole number."""
    time = nanoseconds(text)
    unit, factor = next((unit, factor) for unit, factor in _UNITS if time % factor == 0)
    return f"{time // factor}{unit}"


def seconds_of(text: str) -> str:
    """A time that tc writes as a bare number of seconds."""
    return f"{count_of(text)}s"


def milliseconds_of(text: str) -> str:
    """A time that tc writes as a bare number of milliseconds."""
    return f"{count_of(text)}ms"


def sixteenths(text: str) -> float:
    """PIE's alpha or beta, which tc writes in units of 1/16, from 0 to 32."""
    count = count_of(text)
    if count > 32:
        raise WrongWordError(f"{count} is not between 0 and 32")
    return count / 16


def within(least: int, most: int) -> Callable[[str], int]:
    """A whole number between two."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise WrongWordError(f"{text!r} is not a whole number from {least} to {most}")
        return number

    return read
