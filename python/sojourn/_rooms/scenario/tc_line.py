"""Lines of ``tc`` as queues: ``fq_codel target 5ms``, ``tc qdisc add dev ...``, or the output of ``tc qdisc show``.

:mod:`scenario.tc` has the words of each queueing discipline. Words that tc takes and Sojourn does not have are
refused with a reason, and so are words that tc would not take.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..._core import ScenarioError
from .._base.checks import shortened
from .._base.nearest import nearest_hint
from .._base.registry import read_registry
from .._base.toml import Value
from ..catalogue.meaning import counterpart
from ..catalogue.warnings import WordWarning
from .tc import LINES, Line
from .tc_netem import LinkKeys, link_keys
from .tc_rules import Said, Settings
from .tc_values import WrongWordError

__all__ = [
    "instead_of",
    "is_of_tc",
    "is_tc_line",
    "refuse_link",
    "tc_label",
    "tc_queue",
    "tc_words",
    "without_statistics",
]

_OWN_NAMES = frozenset(LINES) & {"pfifo", "bfifo", "pfifo_fast", "tbf"}
"""Names that are tc's alone: one word is a line."""

_NOT_HERE = frozenset(
    {"blackhole", "cbs", "clsact", "etf", "ets", "hfsc", "hhf", "ingress", "mq", "mqprio", "multiq", "netem", "noqueue"}
    | {"plug", "prio", "gred", "skbprio", "stab", "taprio", "teql0"}
)
"""Disciplines of tc that are no queues here under these names."""

Elsewhere = Callable[[Mapping[str, Value]], str]

_LINK = "delay, jitter, loss and rate are keys of a link"
_PROMPT = re.compile(r"^\s*(?:\S*[$#%>]\s+)(?=(?:sudo\s+)?(?:/\S*/)?(?:tc|qdisc)\s)")
_COMMAND = re.compile(r"(?:sudo\s+)?(?:/\S*/)?tc(?:\s|$)|(?:sudo\s+)?qdisc(?:\s|$)")
_SHOWN = re.compile(r"\bqdisc\s+(?P<kind>\S+)\s+[0-9a-f]+:(?=\s|$)(?P<rest>.*?)(?=\bqdisc\s+\S+\s+[0-9a-f]+:|\Z)", re.S)
_STATISTICS = re.compile(r"\s*\bSent \d+ bytes\b.*?(?=\bqdisc\s+\S+\s+[0-9a-f]+:|\Z)", re.S)
_HOLDERS = frozenset({"noqueue", "mq", "mqprio", "ingress", "clsact"})
"""Disciplines that hold no packets: they are beside the queues in the output of ``tc qdisc show``."""

_LONGEST_WORD = 64
_SAME = {"buffer": "burst", "maxburst": "burst", "lat": "latency"}
_OBJECTS, _VERBS = ("qdisc", "class", "filter", "action", "actions"), ("add", "replace", "change", "show", "link")
_WITHOUT_QUEUE = ("del", "delete", "list", "ls", "get", "help")
# Words before the queue: the place where it is, each with the number of its values.
_PLACE = {"dev": 1, "root": 0, "parent": 1, "handle": 1, "classid": 1, "refcnt": 1, "offloaded": 0, "estimator": 2}
_PLACE |= {"est": 2, "ingress_block": 1, "egress_block": 1}


@dataclass(frozen=True)
class _Read:
    """The discipline of a line with its words; whether ``tc show`` printed it, and what it is about."""

    name: str
    words: list[str]
    shown: bool = False
    object: str = "qdisc"


def is_tc_line(text: str) -> bool:
    """Whether a text for a queue is a line of tc: several words without ``key=value``, or a name of tc's own."""
    text = _PROMPT.sub("", text).strip()
    if text in _OWN_NAMES or _COMMAND.match(text) or _SHOWN.search(text):
        return True
    return len(text.split()) > 1 and ":" not in text and "=" not in text


def is_of_tc(text: str) -> bool:
    """Whether a text in any place is a line of tc, by its command or the name of a discipline."""
    if _COMMAND.match(_PROMPT.sub("", text).strip()) or _SHOWN.search(text):
        return True
    words = text.split()
    return is_tc_line(text) and bool(words) and words[0].lower().removeprefix("sch_") in LINES


def without_statistics(text: str) -> str:
    """The output of ``tc -s qdisc show`` without its counters; any other text as it is."""
    return _STATISTICS.sub("\n", text).strip() if _SHOWN.search(text) else text


def tc_label(text: str) -> str:
    """A line of tc in the user's own words, without the place of the queue: ``fq_codel target 5ms``."""
    read = _split(text)
    if not read.name:
        return text
    # A bare name would be the queue of this name, whose defaults are not tc's.
    return " ".join([read.name, *read.words]) if read.words or read.name in _OWN_NAMES else f"tc {read.name}"


def tc_words(text: str) -> list[str]:
    """The discipline of a line of tc and its words, without the place of the queue: ``["codel", "target", "5ms"]``."""
    read = _split(text)
    return [read.name, *read.words]


def tc_queue(text: str) -> Settings:
    """Read a line of tc as the table of a queue: ``"codel target 3ms ecn"``, or a whole ``tc qdisc add dev ...``.

    Raises
    ------
    ScenarioError
        With the word that tc, or Sojourn, does not take, and the allowed ones.

    Warns
    -----
    WordWarning
        About words that are taken and have no effect here.
    """
    read = _split(text)
    if (line := LINES.get(read.name)) is None:
        raise _not_a_queue(text, read)
    if long := next((word for word in read.words if len(word) > _LONGEST_WORD), None):
        raise ScenarioError(f"queue {_short(text)}: {shortened(repr(long))} is longer than any word of tc")
    settings: Settings = {"kind": line.kind, **({"preset": line.preset} if line.preset else {}), **line.defaults}
    try:
        line.finish(settings, *_words(line, read.words, settings))
    except WrongWordError as error:
        raise ScenarioError(f"queue {_short(text)}: {error}") from None
    except OverflowError:
        raise ScenarioError(f"queue {_short(text)}: a number in it is too large") from None
    idle = [f"{word} changes nothing: {reason}" for word, reason in line.idle.items() if word in read.words]
    alone = [word for word, other in line.beside.items() if word in read.words and other not in read.words]
    for parameter in (parameter for word in alone for parameter in line.flags.get(word, ())):
        del settings[parameter]
    without = [f"{word} changes nothing without {line.beside[word]}" for word in alone]
    for note in filter(None, [line.note, *idle, *without]):
        warnings.warn(f"{read.name}: {note}", WordWarning, stacklevel=2)
    return settings


def instead_of(name: str) -> str:
    """The counterpart of a discipline of tc that is no queue under its name; empty for any other name."""
    return _LINK if name in {"netem", "stab"} else counterpart(name) if name in _NOT_HERE else ""


def _short(text: str) -> str:
    """A line on one line, in quotes; without its statistics."""
    return shortened(repr(" ".join(without_statistics(text).split())))


def _split(text: str) -> _Read:
    """The discipline of a line and its words; the discipline has no name in a command that makes none."""
    text = _PROMPT.sub("", text)
    if _SHOWN.search(text):
        return _shown(text)
    words = text.split()
    while words and (words[0] == "sudo" or words[0].rpartition("/")[2] == "tc" or words[0].startswith("-")):
        del words[0]
    about = words.pop(0) if words and words[0] in _OBJECTS else "qdisc"
    if words and words[0] in _WITHOUT_QUEUE:
        return _Read("", words, object=about)
    if words and words[0] in _VERBS:
        del words[0]
    words = _behind_place(words)
    if "police" in words:
        return _police(words, about)
    name = words[0] if words else ""
    # tc has small letters alone; a discipline is forgiven others, as a queue is, and the name of its module.
    plain = name.lower().removeprefix("sch_")
    return _Read(plain if plain in LINES else name, words[1:], object=about)


def _behind_place(words: list[str]) -> list[str]:
    while words and words[0] in _PLACE:
        words = words[1 + _PLACE[words[0]] :]
    return words


def _police(words: list[str], about: str) -> _Read:
    """The policer of a filter: the words behind ``police``, up to the class that its packets go to."""
    place = words.index("police")
    if any(word == "match" for word in words[:place]) and "0.0.0.0/0" not in words[:place]:
        warnings.warn("police: the match of the filter is not read: here it polices all packets", WordWarning, 2)
    rest = words[place + 1 :]
    for end in ("flowid", "classid"):
        if end in rest:
            del rest[rest.index(end) :]
    return _Read("police", rest, object=about)


def _shown(text: str) -> _Read:
    """The queue that the output of ``tc qdisc show`` is about."""
    found: dict[tuple[str, ...], _Read] = {}
    for each in _SHOWN.finditer(without_statistics(text)):
        words = _behind_place(each["rest"].split())
        if each["kind"] not in _HOLDERS:
            found[each["kind"], *words] = _Read(each["kind"], words, shown=True)
    if not found:
        raise ScenarioError(
            f"queue {_short(text)}: no packets wait in these\n  hint:    give the line of a queue, such as fq_codel"
        )
    if len(found) > 1:
        listed = " or ".join(repr(" ".join(key)) for key in found)
        raise ScenarioError(f"queue {_short(text)}: these are {len(found)} queues\n  hint:    give one: {listed}")
    return next(iter(found.values()))


def _not_a_queue(text: str, read: _Read) -> ScenarioError:
    """A discipline that is no queue here: its counterpart, and not the name with the most letters in common."""
    place, name = f"queue {_short(text)}", shortened(repr(read.name))
    if not read.name:
        return ScenarioError(
            f"{place}: there is no queue in this command\n"
            "  hint:    give a line that adds one, or what tc qdisc show prints"
        )
    if read.name in {"netem", "stab"}:
        return _of_link(place, read)
    if meant := counterpart(read.name) or (counterpart(read.object) if read.object != "qdisc" else ""):
        what = "" if read.object == "qdisc" else f" of a {read.object}"
        return ScenarioError(f"{place}: {name}{what} is not read from a line of tc\n  hint:    {meant}")
    hint = nearest_hint(read.name, LINES, shown=repr) or f"\n  hint:    those that are: {', '.join(sorted(LINES))}"
    return ScenarioError(f"{place}: {name} is not a queueing discipline of tc that Sojourn has{hint}")


def _of_link(
    place: str, read: _Read, options: Mapping[str, str] | None = None, elsewhere: Elsewhere | None = None
) -> ScenarioError:
    """The keys of the link that do as a line of netem or stab, to copy: with --set, or with a command's own options."""
    if read.name == "stab":
        found, line = _stab(read.words)
        what = "the size of a frame belongs to the link here"
    else:
        try:
            found, line = link_keys(read.words), ""
        except WrongWordError as error:
            return ScenarioError(f"{place}: {error}")
        except OverflowError:
            return ScenarioError(f"{place}: a number in it is too large")
        what = "netem is no queue here but the link"
    said, left = (found.options(), LinkKeys(rest=found.rest)) if options is None else found.of(options)
    said += f" with the queue {line!r}" if line else ""
    said += "; of shapers htb counts so: overhead, mpu, cells" if line.startswith("tbf ") else ""
    if elsewhere and left.keys:
        said, left = f"{said}; {elsewhere(left.keys)}", LinkKeys(rest=left.rest)
    said += f"; not here: {', '.join([*left.keys, *left.rest])}" if left.keys or left.rest else ""
    hint = said.removeprefix("; ").strip() or _LINK
    return ScenarioError(f"{place}: {what}\n  hint:    {hint}")


_STAB = {"overhead": "overhead", "mpu": "mpu", "linklayer": "cells", "mtu": "", "tsize": "", "stab": ""}


def _stab(words: list[str]) -> tuple[LinkKeys, str]:
    """The keys of the link for the size of a frame, and the line without them."""
    found = LinkKeys()
    while len(words) > 1 and words[0] in _STAB:
        key, value, words = _STAB[words[0]], words[1], words[2:]
        if key == "cells" and value in {"atm", "adsl"}:
            found.keys["cells"] = "atm"
        elif key in {"overhead", "mpu"}:
            found.keys[key] = f"{value}B"
    return found, " ".join(words)


def refuse_link(text: str, options: Mapping[str, str], elsewhere: Elsewhere | None = None) -> None:
    """Refuse a line of netem or stab in a command that has `options` of its own for some keys of the link.

    `elsewhere` says where the other keys can be set.

    Raises
    ------
    ScenarioError
        With these options.
    """
    if is_tc_line(text) and (read := _split(text)).name in {"netem", "stab"}:
        raise _of_link(f"queue {_short(text)}", read, options, elsewhere)


def _words(line: Line, words: list[str], settings: Settings) -> tuple[Settings, Said]:
    """Set the parameters of the words in `settings`; the last of two holds, as in tc.

    Returns the values that are kept for :attr:`Line.finish`, and all words in their order.
    """
    kept: Settings = {}
    said: Said = []
    rest = iter(_as_written(line, words))
    for word in rest:
        name, value = _SAME.get(word, word), None
        if word in line.flags:
            settings.update(line.flags[word])
        elif name in line.words:
            text = next(rest, None)
            if text is None:
                raise WrongWordError(f"{word!r} wants a value")
            try:
                value = line.words[name].value(text)
            except ValueError as error:
                raise WrongWordError(f"{word}: {error}") from None
            if not (parameter := line.words[name].parameter):
                kept[name] = value
            elif value is None:
                settings.pop(parameter, None)
                settings |= {key: default for key, default in line.defaults.items() if key == parameter}
            else:
                settings[parameter] = value
        elif word in line.fixed:
            if (text := next(rest, "")).lower() not in line.fixed[word]:
                raise WrongWordError(
                    f"{word!r} is not here but with {' or '.join(line.fixed[word])}: {text!r} is other"
                )
        elif word in line.not_here:
            raise WrongWordError(f"{word!r} is not here: {line.not_here[word]}")
        else:
            allowed = [*line.words, *line.flags]
            hint = _parameter(line, word, next(rest, "")) or nearest_hint(word, allowed, shown=repr)
            raise WrongWordError(f"{word!r} is not a word of it\n  allowed: {', '.join(allowed)}{hint}")
        said.append((name, value))
    return kept, said


def _parameter(line: Line, word: str, value: str) -> str:
    """The hint for a word that is none of tc's, but a parameter of the queue: how to set it."""
    entry = next(entry for entry in read_registry()["queues"] if entry["name"] == line.kind)
    names = [one["name"] for one in entry["params"]]
    if (name := word.replace("-", "_")) not in names:
        return ""
    preset = f"preset={line.preset}," if line.preset else ""
    return f"\n  hint:    tc has no such word, but the queue: {line.kind}:{preset}{name}={value or '...'}"


def _as_written(line: Line, words: list[str]) -> list[str]:
    """Words that ``tc qdisc show`` prints otherwise than ``tc qdisc add`` takes them, as the latter has them."""
    text = " ".join(words)
    for shown, written in line.shown.items():
        text = re.sub(rf"(?<!\S){shown}(?!\S)", written, text)
    return text.split()
