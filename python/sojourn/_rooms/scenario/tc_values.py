"""Values as tc writes them: sizes, rates, times and bare numbers, which are read alike in every line of it."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from ..catalogue.warnings import WordWarning

__all__ = [
    "WrongWordError",
    "bits_per_second",
    "bytes_and_cell",
    "bytes_in",
    "bytes_of",
    "bytes_per_second",
    "count_of",
    "gain_of",
    "microseconds",
    "milliseconds_of",
    "packet_count",
    "packets_of",
    "power_of_two",
    "probability_of",
    "rate_of",
    "seconds_of",
    "share_of",
    "sixteenths",
    "time_of",
    "two_bytes",
    "unless_zero",
    "within",
]

# As strtod reads it: of a number in hexadecimal digits, b is one of them.
_DIGITS = r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_NUMBER = re.compile(rf"((?:-(?=0*[a-zA-Z]*$)|\+)?(?:0[xX][0-9a-fA-F]+|{_DIGITS}))([a-zA-Z]*)", re.ASCII)
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
# In microseconds, as a bare number is.
_TIMES = {"": 1, "s": 10**6, "sec": 10**6, "secs": 10**6, "ms": 1000, "msec": 1000, "msecs": 1000}
_TIMES |= {"us": 1, "usec": 1, "usecs": 1}
_UNITS = [("s", 10**6), ("ms", 1000), ("us", 1)]


# The most that fits into 32 bits.
_MOST = (1 << 32) - 1


class WrongWordError(ValueError):
    """A word that tc would not take here."""


def _unit(text: str, units: Mapping[str, float], what: str, example: str) -> float:
    found = _NUMBER.fullmatch(text)
    if found is None or found[2].lower() not in units:
        raise WrongWordError(f"{text!r} is not a {what} of tc, such as {example}")
    return _float(found[1]) * units[found[2].lower()]


def _float(text: str) -> float:
    return float(int(text, 16)) if "x" in text.lower() else float(text)


def _in_32_bits(number: int, text: str, unit: str = "") -> int:
    """The same number: tc hands over 32 bits."""
    if number > _MOST:
        raise WrongWordError(f"{text!r} is too large for tc: at most {_MOST}{unit}")
    return number


def bytes_in(text: str) -> int:
    """A size of tc in bytes."""
    return _in_32_bits(int(_unit(text, _SIZES, "size", "64kb (in units of 1024 bytes) or 1514")), text, " bytes")


def bytes_and_cell(text: str) -> int:
    """A size with the cell of a table of rates, a power of two: ``10k/8``. The kernel does not need the cell."""
    size, slash, cell = text.partition("/")
    if slash and ((number := count_of(cell)) & (number - 1) or not number):
        raise WrongWordError(f"{text!r} is not SIZE/CELL with a power of two, such as 10kb/8")
    return bytes_in(size)


def bits_per_second(text: str) -> int:
    """A rate of tc."""
    return int(_unit(text, _RATES, "rate", "20mbit"))


def bytes_per_second(text: str) -> int:
    """A rate of tc where it has 32 bits."""
    return _in_32_bits(bits_per_second(text) // 8, text, " bytes per second")


def microseconds(text: str) -> int:
    """A time of tc, which counts whole microseconds."""
    return _in_32_bits(int(_unit(text, _TIMES, "time", "5ms")), text, "us")


def count_of(text: str) -> int:
    """A whole number, from 0 on; tc takes it in hexadecimal and octal digits, too.

    >>> count_of("16"), count_of("0x10"), count_of("020"), count_of("+16")
    (16, 16, 16, 16)
    """
    digits = "0" if text == "-0" else text.removeprefix("+").lower()
    if re.fullmatch(r"0x[0-9a-f]+|0[0-7]*|[1-9]\d*", digits, re.ASCII) is None:
        raise WrongWordError(f"{text!r} is not a whole number")
    return _in_32_bits(int(digits, 16 if "x" in digits else 8 if digits.startswith("0") else 10), text)


def share_of(text: str, most: float = 1) -> float:
    """A number from 0 to `most`. tc does not look at what is behind it, such as a sign of percent."""
    found = re.match(rf"\+?(?:0[xX][0-9a-fA-F]+|{_DIGITS})", text, re.ASCII)
    value = _float(found[0]) if found else math.nan
    if not 0 <= value <= most:
        raise WrongWordError(f"{text!r} is not a number from 0 to {most:g}")
    if found and (rest := text[found.end() :]):
        what = f"a share of {value / 100:g} is written so" if rest == "%" else "the rest is not read"
        warnings.warn(f"{text!r}: tc reads the number {value:g} of it; {what}", WordWarning, stacklevel=2)
    return value


def probability_of(text: str) -> float:
    """RED's probability, which tc takes above 1, too: 32 bits of it are left."""
    return share_of(text, 1e9)


def unless_zero(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """The same, and None for a zero, where tc then says nothing to the kernel, which takes its default.

    >>> unless_zero(time_of)("0.1us"), unless_zero(count_of)("7")
    (None, 7)
    """

    def read_or_none(text: str) -> Any:
        value = read(text)
        return value if float(str(value).rstrip("Bbimnpstu")) else None

    return read_or_none


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
    time = microseconds(text)
    unit, factor = next((unit, factor) for unit, factor in _UNITS if time % factor == 0)
    return f"{time // factor}{unit}"


def seconds_of(text: str) -> str:
    """A time that tc writes as a bare number of seconds."""
    return f"{count_of(text)}s"


def milliseconds_of(text: str) -> str:
    """A time that tc writes as a bare number of milliseconds."""
    return f"{count_of(text)}ms"


def gain_of(text: str) -> int:
    """PIE's alpha or beta, which tc writes in sixteenths, from 0 to 32."""
    count = count_of(text)
    if count > 32:
        raise WrongWordError(f"{count} is not between 0 and 32")
    return count


def sixteenths(text: str) -> float:
    """The same in Hz."""
    return gain_of(text) / 16


def power_of_two(text: str) -> int:
    """0, or a power of two to 2^16."""
    if (number := count_of(text)) & (number - 1) or number > 1 << 16:
        raise WrongWordError(f"{text!r} is not a power of two to 65536")
    return number


def two_bytes(text: str) -> tuple[int, int]:
    """A value and a mask of a byte each: 0x1/0x3."""
    value, slash, mask = text.partition("/")
    if not slash or max(found := (count_of(value), count_of(mask))) > 255:
        raise WrongWordError(f"{text!r} is not VALUE/MASK with bytes, such as 0x1/0x3")
    return found


def within(least: int, most: int) -> Callable[[str], int]:
    """A whole number between two."""

    def read(text: str) -> int:
        number = int(text) if re.fullmatch(r"[-+]?\d{1,9}", text, re.ASCII) else least - 1
        if not least <= number <= most:
            raise WrongWordError(f"{text!r} is not a whole number from {least} to {most}")
        return number

    return read
