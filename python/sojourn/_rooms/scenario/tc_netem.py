"""A line of ``netem`` as keys of a link: delay, jitter, loss and rate. Specification: tc-netem(8) of iproute2 6.1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .._base import toml
from .tc_values import WrongWordError, bytes_in, microseconds, rate_of, time_of

__all__ = ["LinkKeys", "link_keys"]


@dataclass
class LinkKeys:
    """Keys of a link, and the words of the line that have no counterpart, each with its values."""

    keys: dict[str, toml.Value] = field(default_factory=dict)
    rest: list[str] = field(default_factory=list)

    def options(self, table: str = "dumbbell") -> str:
        """As options of a command: ``--set dumbbell.delay=90ms``."""
        parts = []
        for key, value in self.keys.items():
            text = f"{table}.{key}={value if isinstance(value, str) else toml.inline(value)}"
            parts.append(f"--set '{text}'" if " " in text else f"--set {text}")
        return " ".join(parts)

    def of(self, options: Mapping[str, str]) -> tuple[str, LinkKeys]:
        """With the options that a command has for some keys, such as ``{"delay": "--delay"}``, and what is left."""
        said, left = [], LinkKeys(rest=self.rest)
        for key, value in self.keys.items():
            short = value["probability"] if isinstance(value, dict) and value.get("kind") == "uniform" else value
            if key in options and isinstance(short, str):
                said.append(f"{options[key]} {short}")
            else:
                left.keys[key] = value
        return " ".join(said), left


def link_keys(words: list[str]) -> LinkKeys:
    """The keys of a link that do as the words behind ``netem`` say.

    Raises
    ------
    WrongWordError
        With a word that is none of netem, or a value that it does not take.
    """
    found = LinkKeys()
    line = _Words(words)
    while line.left:
        word = line.take()
        if (read := _READ.get(word)) is None:
            raise WrongWordError(f"{word!r} is not a word of netem\n  allowed: {', '.join(_READ)}")
        read(line, found)
    return found


class _Words:
    """The words of a line, of which values are taken one by one."""

    def __init__(self, words: list[str]) -> None:
        self.left = list(words)

    def take(self) -> str:
        return self.left.pop(0)

    def value(self) -> str:
        """The next word, if it is a value and no word of netem."""
        return self.take() if self.left and self.left[0] not in _READ else ""

    def values(self) -> list[str]:
        found = []
        while value := self.value():
            found.append(value)
        return found


def _wanted(value: str, word: str) -> str:
    if not value:
        raise WrongWordError(f"{word!r} wants a value")
    return value


def _percent(text: str) -> str:
    try:
        share = float(text.removesuffix("%"))
    except ValueError:
        share = -1.0
    if not 0 <= share <= 100:
        raise WrongWordError(f"{text!r} is not a share of netem, such as 1%")
    return f"{share:g}%"


def _delay(line: _Words, found: LinkKeys) -> None:
    """Delays are drawn from `jitter` below the delay to `jitter` above it, and packets may overtake each other."""
    mean, jitter, correlation = _wanted(line.value(), "delay"), line.value(), line.value()
    if not jitter or not microseconds(jitter):
        found.keys["delay"] = time_of(mean)
        return
    least = microseconds(mean) - microseconds(jitter)
    if least < 0:
        raise WrongWordError(f"delay {mean} {jitter}: netem takes delays below zero as none; no law here does so")
    found.keys["delay"] = time_of(f"{least}us")
    found.keys["jitter"] = {"mean": time_of(jitter), "law": "uniform", "reorder": True}
    if correlation:
        found.rest.append(f"the correlation {correlation} of delays")


def _loss(line: _Words, found: LinkKeys) -> None:
    first = _wanted(line.value(), "loss")
    if first == "state":
        found.rest.append(" ".join(["loss state", *line.values()]))
    elif first == "gemodel":
        names = ("good_to_bad", "bad_to_good", "loss_bad", "loss_good")
        values = [_percent(value) for value in line.values()]
        values += [f"{100 - float(values[0].removesuffix('%')):g}%"] if len(values) == 1 else []
        found.keys["loss"] = {"kind": "gilbert_elliott", **dict(zip(names, values, strict=False))}
    else:
        share = _percent(_wanted(line.value(), "loss") if first == "random" else first)
        found.keys["loss"] = {"kind": "uniform", "probability": share}
        if correlation := line.value():
            found.rest.append(f"the correlation {correlation} of losses (gilbert_elliott has bursts)")


def _rate(line: _Words, found: LinkKeys) -> None:
    found.keys["rate"] = rate_of(_wanted(line.value(), "rate"))
    overhead, *cells = line.values() or [""]
    if overhead.startswith("-"):
        found.rest.append(f"the overhead {overhead} of rate")
    elif overhead and bytes_in(overhead):
        found.keys["overhead"] = f"{bytes_in(overhead)}B"
    if cells and cells[0] != "0":
        found.rest.append(f'the cells {" ".join(cells)} of rate (cells = "atm" has those of ATM)')


def _limit(line: _Words, _found: LinkKeys) -> None:
    """A link here carries any number of packets."""
    _wanted(line.value(), "limit")


def _missing(word: str) -> Callable[[_Words, LinkKeys], None]:
    def read(line: _Words, found: LinkKeys) -> None:
        found.rest.append(" ".join([word, *line.values()]))

    return read


_READ: dict[str, Callable[[_Words, LinkKeys], None]] = {"delay": _delay, "loss": _loss, "rate": _rate, "limit": _limit}
_READ |= {
    word: _missing(word) for word in ("distribution", "corrupt", "duplicate", "reorder", "gap", "slot", "ecn", "seed")
}
