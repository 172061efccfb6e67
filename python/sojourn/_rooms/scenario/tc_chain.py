"""Several lines of ``tc`` that are one queue: a shaper with a queue in it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from ..catalogue.warnings import WordWarning
from .tc_rules import ETHERNET, Settings
from .tc_text import Read
from .tc_values import WrongWordError, bytes_of, count_of, rate_of

__all__ = ["chain_label", "chain_of", "chain_queue", "is_chain", "line_of"]

Reader = Callable[[Read], Settings]

_SHAPERS = ("tbf", "htb")


def line_of(read: Read) -> str:
    """A queue in the words of tc, without its place."""
    return " ".join([read.name, *read.words])


def chain_of(reads: Sequence[Read]) -> list[Read]:
    """The different queues of a text, the outer one first; those of the rings of a device are one.

    ``tc qdisc show`` prints a queue for each ring, and lines without a place are beside each other.
    """
    found = {(read.object, read.name, read.words, read.at if read.object == "class" else ""): read for read in reads}
    different = list(found.values())
    return sorted(different, key=lambda read: _depth(read, different))


def _depth(read: Read, reads: Sequence[Read]) -> int:
    """How many of the others it is below."""
    return sum(_is_below(read, other) for other in reads if other is not read)


def _is_below(read: Read, other: Read) -> bool:
    if not read.below or read.device != other.device:
        return False
    own, theirs = read.below.partition(":"), other.at.partition(":")
    if other.object == "class":
        return read.below == other.at
    return not other.at or own[0] == theirs[0]


def is_chain(reads: Sequence[Read]) -> bool:
    """Whether each is below all before it: one way for a packet."""
    queues = [read for read in reads if read.object == "qdisc"]
    return all(_is_below(inner, outer) for outer, inner in pairwise(queues))


def chain_label(reads: Sequence[Read]) -> str:
    """The lines in one text, which is read like them: ``tbf rate 1mbit ...; parent 1: codel``."""
    parts = []
    for number, read in enumerate(reads):
        place = f"parent {read.below} " if number and read.below else ""
        place += f"classid {read.at} " if read.object == "class" else ""
        parts.append(f"{'class ' if read.object == 'class' else ''}{place}{line_of(read)}")
    return "; ".join(parts)


def chain_queue(reads: Sequence[Read], read_line: Reader) -> Settings | None:
    """The queue of a shaper with a queue in it. None for other lines.

    Raises
    ------
    WrongWordError
        If the shaper cannot have this queue, or a word of a class is not here.
    """
    queues = [read for read in reads if read.object == "qdisc"]
    classes = [read for read in reads if read.object == "class"]
    if not is_chain(reads) or not queues or queues[0].name not in _SHAPERS or len(queues) > 2:
        return None
    if any(read.name != "htb" or queues[0].name != "htb" for read in classes):
        return None
    inner = queues[1] if len(queues) == 2 else None
    if queues[0].name == "htb":
        return _htb(queues[0], classes, inner, read_line)
    return None if inner is None else {**read_line(queues[0]), "queue": read_line(inner)}


_WORDS = {"rate": "rate", "ceil": "ceil", "burst": "burst", "buffer": "burst", "maxburst": "burst"}
_WORDS |= {"cburst": "cburst", "cbuffer": "cburst", "cmaxburst": "cburst", "prio": "prio", "quantum": "quantum"}
_READERS: dict[str, Callable[[str], Any]] = {"rate": rate_of, "ceil": rate_of, "prio": count_of}
_WORDS_OF_HTB = ("default", "r2q", "direct_qlen", "direct_packets_stat")
_FRAMES = ("overhead", "mpu", "linklayer")


def _htb(outer: Read, classes: Sequence[Read], inner: Read | None, read_line: Reader) -> Settings | None:
    """The way through the classes to the one with the queue."""
    above = {read.below for read in classes}
    leaves = [read for read in classes if read.at not in above]
    if not classes:
        if inner is None:
            return None
        raise WrongWordError(
            "the rate of htb is that of its class, whose line is missing\n"
            f"  hint:    give it, too: 'class classid 1:1 htb rate RATE; parent 1:1 {line_of(inner)}'; or "
            f"--set dumbbell.rate=RATE with the queue {line_of(inner)!r}"
        )
    if len(leaves) != 1:
        return None
    groups = [read for read in classes if read.at in above]
    settings: Settings = {"kind": "htb", "overhead": f"{ETHERNET}B"}
    tables = [_class(read, settings) for read in groups]
    for number, table in enumerate(tables):
        if number:
            table["parent"] = number - 1
    leaf = _class(leaves[0], settings)
    if groups:
        leaf["parent"] = len(groups) - 1
    else:
        # Nothing is above it that lends.
        leaf["ceil"] = leaf["rate"]
        tables = [{key: leaf[key] for key in ("rate", "ceil", "burst", "cburst") if key in leaf}]
    leaf["queue"] = {"kind": "fifo", "limit": "1000p"} if inner is None else read_line(inner)
    said = dict(zip(outer.words[::2], outer.words[1::2], strict=False))
    if wrong := [word for word in said if word not in _WORDS_OF_HTB]:
        raise WrongWordError(f"{wrong[0]!r} is not a word of htb\n  allowed: {', '.join(_WORDS_OF_HTB)}")
    if "r2q" in said:
        settings["r2q"] = count_of(said["r2q"])
    minor = leaves[0].at.partition(":")[2]
    if _hexadecimal(said.get("default", "0")) != _hexadecimal(minor):
        text = f"htb: all packets go to the class here; in Linux they pass it unshaped without 'default {minor}'"
        warnings.warn(text, WordWarning, stacklevel=2)
    return {**settings, "group": tables, "class": [leaf]}


def _hexadecimal(text: str) -> int:
    try:
        return int(text, 16)
    except ValueError:
        raise WrongWordError(f"{text!r} is not the number of a class") from None


def _class(read: Read, settings: Settings) -> Settings:
    """The table of a class; its frames are those of all."""
    table: Settings = {}
    words = iter(read.words)
    for word in words:
        value = next(words, None)
        if value is None:
            raise WrongWordError(f"{word!r} wants a value")
        if word in _WORDS:
            key = _WORDS[word]
            table[key] = _READERS.get(key, bytes_of)(value)
        elif word == "overhead":
            settings["overhead"] = f"{count_of(value) + ETHERNET}B"
        elif word == "mpu":
            settings["mpu"] = bytes_of(value)
        elif word == "linklayer" and value in {"ethernet", "atm", "adsl"}:
            settings |= {"cells": "atm"} if value != "ethernet" else {}
        else:
            raise WrongWordError(f"{word!r} is not a word of a class here\n  allowed: {', '.join([*_WORDS, *_FRAMES])}")
    if "rate" not in table:
        raise WrongWordError("tc wants rate: htb rate RATE")
    return table
