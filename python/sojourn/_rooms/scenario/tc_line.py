"""Lines of ``tc`` as queues: ``fq_codel target 5ms``, ``tc qdisc add dev ...``, or the output of ``tc qdisc show``.

:mod:`scenario.tc` has the words of each queueing discipline. Words that tc takes and Sojourn does not have are
refused with a reason, and so are words that tc would not take.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from ..._core import ScenarioError
from .._base.checks import shortened
from .._base.nearest import nearest_hint
from .._base.registry import read_registry
from .._base.toml import Value
from ..catalogue.meaning import counterpart
from ..catalogue.warnings import WordWarning
from .tc import LINES, Line
from .tc_chain import chain_label, chain_of, chain_queue, is_chain, line_of
from .tc_netem import LinkKeys, link_keys
from .tc_rules import Said, Settings
from .tc_text import OWN_NAMES, Read, is_command, is_output, pieces, read_all, without_statistics
from .tc_values import WrongWordError

__all__ = [
    "instead_of",
    "is_of_tc",
    "is_tc_line",
    "refuse_link",
    "said_words",
    "tc_label",
    "tc_queue",
    "tc_reads",
    "tc_words",
    "without_statistics",
]

_NOT_HERE = frozenset(
    {"blackhole", "cbs", "clsact", "etf", "hfsc", "ingress", "mq", "mqprio", "multiq", "netem", "noqueue"}
    | {"plug", "gred", "stab", "taprio", "teql0"}
)
"""Disciplines of tc that are no queues here under these names."""

Elsewhere = Callable[[Mapping[str, Value]], str]

_OF_LINK = frozenset({"netem", "stab"})
_FIRST = frozenset({*LINES, *_NOT_HERE, "htb", "parent", "class", "handle", "classid"})
_LINK = "delay, jitter, loss and rate are keys of a link"
_LONGEST_WORD = 64
_FRAME = ("1514", "1514b")
_SAME = {"buffer": "burst", "maxburst": "burst", "lat": "latency", "minburst": "mtu"}


def is_tc_line(text: str) -> bool:
    """Whether a text for a queue is a line of tc: several words without ``key=value``, or a name of tc's own."""
    if is_output(text):
        return True
    lines = pieces(text)
    if any(map(is_command, lines)) or (lines and all(line in OWN_NAMES for line in lines)):
        return True
    if len(lines) > 1:
        return all(line.split()[0] in _FIRST for line in lines)
    return len(text.split()) > 1 and ":" not in text and "=" not in text


def is_of_tc(text: str) -> bool:
    """Whether a text in any place is a line of tc, by its command or the name of a discipline."""
    if is_output(text) or any(map(is_command, pieces(text))):
        return True
    words = text.split()
    return is_tc_line(text) and bool(words) and words[0].lower().removeprefix("sch_") in LINES


def tc_label(text: str) -> str:
    """A line of tc in the user's own words, without the place of the queue: ``fq_codel target 5ms``."""
    chain = chain_of(read_all(text))
    if len(chain) > 1 and is_chain(chain):
        return chain_label(chain)
    read = _one(text, chain)
    if not read.name:
        return text
    # A bare name would be the queue of this name, whose defaults are not tc's.
    return line_of(read) if read.words or read.name in OWN_NAMES else f"tc {read.name}"


def tc_words(text: str) -> list[str]:
    """The discipline of a line of tc and its words, without the place of the queue: ``["codel", "target", "5ms"]``."""
    read = _one(text, chain_of(read_all(text)))
    return [read.name, *read.words]


def tc_reads(text: str) -> list[Read]:
    """The queues and classes of a text, the outer one first."""
    return chain_of(read_all(text))


def said_words(read: Read) -> list[tuple[str, str]]:
    """The words of a line with their values; that of a word without one is empty."""
    line, rest = LINES[read.name], iter(_as_written(LINES[read.name], list(read.words)))
    known = {*line.words, *line.fixed, *_SAME}
    return [(word, next(rest, "") if word in known else "") for word in rest]


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
    chain = chain_of(read_all(text))
    if len(chain) > 1:
        try:
            if (table := _chained(text, chain)) is not None:
                return table
        except (WrongWordError, OverflowError) as error:
            why = "a number in it is too large" if isinstance(error, OverflowError) else error
            raise ScenarioError(f"queue {_short(text)}: {why}") from None
    return _queue(text, _one(text, chain))


def _chained(text: str, chain: Sequence[Read]) -> Settings | None:
    """The table of several lines. Those of netem are keys of the link, and the rest is the queue."""
    rest = [read for read in chain if read.name not in _OF_LINK]
    if len(rest) < len(chain) and rest:
        link = next(read for read in chain if read.name in _OF_LINK)
        label = chain_label(rest) if len(rest) > 1 else line_of(rest[0])
        raise _of_link(f"queue {_short(text)}", link, queue=label)
    return chain_queue(chain, lambda read: _queue(text, read))


def _queue(text: str, read: Read) -> Settings:
    """The table of one line."""
    if (line := LINES.get(read.name)) is None:
        raise _not_a_queue(text, read)
    if long := next((word for word in read.words if len(word) > _LONGEST_WORD), None):
        raise ScenarioError(f"queue {_short(text)}: {shortened(repr(long))} is longer than any word of tc")
    settings: Settings = {"kind": line.kind, **({"preset": line.preset} if line.preset else {}), **line.defaults}
    try:
        line.finish(settings, *_words(line, list(read.words), settings))
    except WrongWordError as error:
        raise ScenarioError(f"queue {_short(text)}: {error}") from None
    except OverflowError:
        raise ScenarioError(f"queue {_short(text)}: a number in it is too large") from None
    idle = [f"{word} changes nothing: {reason}" for word, reason in line.idle.items() if word in read.words]
    alone = [word for word, other in line.beside.items() if word in read.words and other not in read.words]
    for parameter in (parameter for word in alone for parameter in line.flags.get(word, ())):
        settings.pop(parameter, None)
    without = [f"{word} changes nothing without {line.beside[word]}" for word in alone]
    # A whole frame is what tc prints, and says nothing of smaller packets.
    noted = [line.notes[word] for word, value in pairwise(read.words) if word in line.notes and value not in _FRAME]
    for note in filter(None, [line.note, *noted, *idle, *without]):
        warnings.warn(f"{read.name}: {note}", WordWarning, stacklevel=2)
    return settings


def instead_of(name: str) -> str:
    """The counterpart of a discipline of tc that is no queue under its name; empty for any other name."""
    return _LINK if name in _OF_LINK else counterpart(name) if name in _NOT_HERE else ""


def _short(text: str) -> str:
    """A line on one line, in quotes; without its statistics."""
    return shortened(repr(" ".join(without_statistics(text).split())))


def _one(text: str, reads: Sequence[Read]) -> Read:
    """The one queue of a text."""
    if not reads:
        raise ScenarioError(
            f"queue {_short(text)}: no packets wait in these\n  hint:    give the line of a queue, such as fq_codel"
        )
    if len(reads) > 1:
        listed = " or ".join(repr(line_of(read)) for read in reads if read.name in LINES)
        if other := next((meant for read in reads if read.name not in LINES and (meant := counterpart(read.name))), ""):
            listed = f"{listed}; or {other}" if listed else other
        raise ScenarioError(f"queue {_short(text)}: these are {len(reads)} queues\n  hint:    give one: {listed}")
    return reads[0]


def _not_a_queue(text: str, read: Read) -> ScenarioError:
    """A discipline that is no queue here: its counterpart, and not the name with the most letters in common."""
    place, name = f"queue {_short(text)}", shortened(repr(read.name))
    if not read.name:
        return ScenarioError(
            f"{place}: there is no queue in this command\n"
            "  hint:    give a line that adds one, or what tc qdisc show prints"
        )
    if read.name in _OF_LINK:
        return _of_link(place, read)
    if meant := counterpart(read.name) or (counterpart(read.object) if read.object != "qdisc" else ""):
        what = "" if read.object == "qdisc" else f" of a {read.object}"
        return ScenarioError(f"{place}: {name}{what} is not read from a line of tc\n  hint:    {meant}")
    hint = nearest_hint(read.name, LINES, shown=repr) or f"\n  hint:    those that are: {', '.join(sorted(LINES))}"
    return ScenarioError(f"{place}: {name} is not a queueing discipline of tc that Sojourn has{hint}")


def _of_link(
    place: str,
    read: Read,
    options: Mapping[str, str] | None = None,
    elsewhere: Elsewhere | None = None,
    queue: str = "",
) -> ScenarioError:
    """The keys of the link that do as a line of netem or stab, to copy: with --set, or with a command's own options.

    `queue` is the queue beside it.
    """
    if read.name == "stab":
        found, line = _stab(list(read.words))
        what = "the size of a frame belongs to the link here"
    else:
        try:
            found, line = link_keys(list(read.words)), queue
        except WrongWordError as error:
            return ScenarioError(f"{place}: {error}")
        except OverflowError:
            return ScenarioError(f"{place}: a number in it is too large")
        what = "netem is no queue here but the link"
    said, left = (found.options(), LinkKeys(rest=found.rest)) if options is None else found.of(options)
    said += f" with the queue {line!r}" if line else ""
    said += (
        "; tbf and htb count so themselves: overhead, mpu, linklayer"
        if read.name == "stab" and line.startswith("tbf ")
        else ""
    )
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
    if not is_tc_line(text):
        return
    chain = chain_of(read_all(text))
    if link := [read for read in chain if read.name in _OF_LINK]:
        rest = [read for read in chain if read.name not in _OF_LINK]
        label = chain_label(rest) if len(rest) > 1 else "".join(map(line_of, rest))
        raise _of_link(f"queue {_short(text)}", link[0], options, elsewhere, label)


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
                if word in line.not_here:
                    raise WrongWordError(f"{word!r} is not here: {line.not_here[word]}")
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
