"""Pasted text with lines of ``tc``: its commands one by one, without prompts, comments and counters."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from ..catalogue.warnings import WordWarning
from .tc import LINES

__all__ = [
    "HOLDERS",
    "OWN_NAMES",
    "Read",
    "is_command",
    "is_output",
    "pieces",
    "read_all",
    "without_statistics",
]

OWN_NAMES = frozenset(LINES) & {"pfifo", "bfifo", "pfifo_fast", "pfifo_head_drop", "tbf", "prio", "ets", "hhf"}
"""Names that are tc's alone: one word is a line."""

HOLDERS = frozenset({"noqueue", "mq", "mqprio", "ingress", "clsact"})
"""Disciplines that hold no packets: they are beside the queues in the output of ``tc qdisc show``."""

_COMMAND = re.compile(r"(?:sudo\s+)?(?:/\S*/)?tc(?:\s|$)|(?:sudo\s+)?qdisc(?:\s|$)")
_PROMPT = re.compile(rf"^[^\S\n]*(?:\S*[$#%>][^\S\n]+)(?={_COMMAND.pattern})", re.M)
_COMMENT = re.compile(r"(?:(?<=\s)|^)#.*$", re.M)
_NEXT = re.compile(rf";|&&|\n(?=\s*(?:{_COMMAND.pattern}))")
_SHOWN = re.compile(r"\bqdisc\s+(?P<kind>\S+)\s+[0-9a-f]+:(?=\s|$)(?P<rest>.*?)(?=\bqdisc\s+\S+\s+[0-9a-f]+:|\Z)", re.S)
_STATISTICS = re.compile(r"\s*\bSent \d+ bytes\b.*?(?=\bqdisc\s+\S+\s+[0-9a-f]+:|\Z)", re.S)
_UNKNOWN = re.compile(r"\s*\[(?:Unknown qdisc|cannot parse)[^]\n]*\]")

_OBJECTS, _VERBS = ("qdisc", "class", "filter", "action", "actions"), ("add", "replace", "change", "show", "link")
_WITHOUT_QUEUE = ("del", "delete", "list", "ls", "get", "help")
# Words before the queue: the place where it is, each with the number of its values.
_PLACE = {"dev": 1, "root": 0, "parent": 1, "handle": 1, "classid": 1, "refcnt": 1, "offloaded": 0, "estimator": 2}
_PLACE |= {"est": 2, "ingress_block": 1, "egress_block": 1}


@dataclass(frozen=True)
class Read:
    """The discipline of a line with its words; whether ``tc show`` printed it, what it is about, and its place.

    A command that makes no queue has no name. `at` is its handle or class, `below` its parent, each in tc's words.
    """

    name: str
    words: tuple[str, ...]
    shown: bool = False
    object: str = "qdisc"
    device: str = ""
    at: str = ""
    below: str = ""


def pieces(text: str) -> list[str]:
    """The commands of a text, which newlines or semicolons part; without prompts and comments."""
    text = _COMMENT.sub("", _PROMPT.sub("", text.replace("\\\n", " ")))
    return [piece for part in _NEXT.split(text) if (piece := part.strip())]


def is_command(piece: str) -> bool:
    """Whether it begins with ``tc``, or with ``qdisc``."""
    return _COMMAND.match(piece) is not None


def is_output(text: str) -> bool:
    """Whether ``tc qdisc show`` printed it."""
    return _SHOWN.search(text) is not None


def without_statistics(text: str) -> str:
    """The output of ``tc -s qdisc show`` without its counters, and commands without comments; else the same text."""
    if is_output(text):
        return _UNKNOWN.sub(" [Unknown qdisc]", _STATISTICS.sub("\n", text)).strip()
    commands = pieces(text)
    return "; ".join(commands) if any(map(is_command, commands)) else text


def read_all(text: str) -> list[Read]:
    """All lines of a text that make a queue or a class, or the one command that makes none."""
    if is_output(text):
        return _shown(text)
    found = [_read(piece) for piece in pieces(text)] or [Read("", ())]
    named = [read for read in found if read.name]
    queues = [read for read in named if read.name not in HOLDERS and (read.object != "filter" or read.name == "police")]
    return queues or named[:1] or found[:1]


def _read(piece: str) -> Read:
    words = piece.split()
    while words and (words[0] == "sudo" or words[0].rpartition("/")[2] == "tc" or words[0].startswith("-")):
        del words[0]
    about = words.pop(0) if words and words[0] in _OBJECTS else "qdisc"
    if words and words[0] in _WITHOUT_QUEUE:
        return Read("", tuple(words), object=about)
    if words and words[0] in _VERBS:
        del words[0]
    place, words = _placed(words)
    if "police" in words:
        return place.of("police", _police(words), about=about)
    name = words[0] if words else ""
    # tc has small letters alone; a discipline is forgiven others, as a queue is, and the name of its module.
    plain = name.lower().removeprefix("sch_")
    return place.of(plain if plain in LINES else name, words[1:], about=about)


@dataclass
class _Place:
    device: str = ""
    at: str = ""
    below: str = ""

    def of(self, name: str, words: Sequence[str], *, shown: bool = False, about: str = "qdisc") -> Read:
        return Read(name, tuple(words), shown, about, self.device, self.at, self.below)


def _placed(words: list[str]) -> tuple[_Place, list[str]]:
    """The place of a queue, and the words behind it."""
    place = _Place()
    known = {"dev": "device", "handle": "at", "classid": "at", "parent": "below"}
    while words and words[0] in _PLACE:
        values = words[1 : 1 + _PLACE[words[0]]]
        if words[0] in known and values:
            setattr(place, known[words[0]], values[0])
        words = words[1 + len(values) :]
    return place, words


def _police(words: list[str]) -> tuple[str, ...]:
    """The policer of a filter: the words behind ``police``, up to the class that its packets go to."""
    place = words.index("police")
    if any(word == "match" for word in words[:place]) and "0.0.0.0/0" not in words[:place]:
        warnings.warn("police: the match of the filter is not read: here it polices all packets", WordWarning, 2)
    rest = words[place + 1 :]
    for end in ("flowid", "classid"):
        if end in rest:
            del rest[rest.index(end) :]
    return tuple(rest)


def _shown(text: str) -> list[Read]:
    """The queues that the output of ``tc qdisc show`` is about, without those that hold no packets."""
    found = []
    for each in _SHOWN.finditer(without_statistics(text)):
        rest, unknown = _UNKNOWN.subn("", each["rest"])
        place, words = _placed(rest.split())
        handle = re.search(r"\s([0-9a-f]+:)", each[0])
        if each["kind"] in HOLDERS:
            continue
        if unknown:
            what = "this tc could not print its words, which are taken as Linux's defaults"
            warnings.warn(f"{each['kind']}: {what}", WordWarning, stacklevel=2)
        place.at = handle[1] if handle else ""
        found.append(place.of(each["kind"], words, shown=True))
    return found
