"""``sojourn explain 'cake bandwidth 20mbit nat'``: the queue of a line of ``tc``, and the meaning of each word."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .._base.registry import read_registry
from .._base.toml import inline
from ..catalogue.warnings import WordWarning
from ..scenario import ScenarioError
from ..scenario.tc import LINES
from ..scenario.tc_line import said_words, tc_label, tc_queue, tc_reads
from ..scenario.tc_text import Read
from ..showing.text.prose import wrapped

__all__ = ["line_of_tc"]


@dataclass(frozen=True)
class _Word:
    """A word of a line with its value, and the parameters that it sets."""

    written: str
    sets: Mapping[str, Any]


@dataclass(frozen=True)
class LineOfTc:
    """A line of tc as a queue."""

    label: str
    table: Mapping[str, Any]
    words: Mapping[str, Sequence[_Word]]
    notes: Sequence[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        words = [{"word": word.written, "sets": dict(word.sets)} for said in self.words.values() for word in said]
        return {
            "kind": "line of tc",
            "name": self.label,
            "queue": dict(self.table),
            "words": words,
            "notes": list(self.notes),
        }

    def lines(self) -> Iterator[str]:
        """For the screen."""
        entry = _entry(self.table)
        yield f"{self.label} (line of tc): {entry['title']}"
        yield from ("", *wrapped(entry["doc"], "  "))
        yield from ("", *wrapped(f"In a scenario: queue = {inline(dict(self.table))}", "  "))
        for name, words in self.words.items():
            yield from _word_lines(name, words) if words else ()
        named = {key for words in self.words.values() for word in words for key in word.sets}
        own = [key for key in self.table if key not in {"kind", "preset", "policy", "group", "class", *named}]
        if own:
            yield from ("", "Set without a word, as by tc", *_meanings(self.table, own, "  "))
        if self.notes:
            yield from ("", "Notes", *(line for note in self.notes for line in wrapped(f"{note}.", "  ")))
        yield from ("", f"See also: sojourn explain {self.table['kind']}")


def line_of_tc(text: str) -> LineOfTc:
    """Read it.

    Raises
    ------
    ScenarioError
        If it is no queue here, or tc would not take it.
    """
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always", WordWarning)
        table = tc_queue(text)
        label = tc_label(text)
    notes = list(dict.fromkeys(str(one.message) for one in noted))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WordWarning)
        reads = [read for read in tc_reads(text) if read.name in LINES]
        # Of a shaper with a queue in it, the limit is that of the queue.
        words = {read.name: list(_words(read, {} if read is reads[-1] else table)) for read in reads}
    return LineOfTc(label, table, words, notes)


# Words of which one is needed, by what they set.
_SETS = {
    "latency": ["queue"],
    "lat": ["queue"],
    "limit": ["limit", "queue"],
    "buffer": ["burst"],
    "maxburst": ["burst"],
}


def _words(read: Read, whole: Mapping[str, Any]) -> Iterator[_Word]:
    """Each word with the parameters that it sets: those of its name, or those that are otherwise without it.

    Those that `whole` has with other values are left out.
    """
    line, said = LINES[read.name], said_words(read)
    table = tc_queue(" ".join([read.name, *(part for pair in said for part in pair if part)]))
    for number, (word, value) in enumerate(said):
        keys = [line.words[word].parameter] if word in line.words else list(line.flags.get(word, ()))
        if not all(keys) or not keys:
            rest = [part for pair in (*said[:number], *said[number + 1 :]) for part in pair if part]
            keys = [*_SETS.get(word, [word]), *_changed(table, " ".join([read.name, *rest]))]
        sets = {key: table[key] for key in keys if key in table and whole.get(key, table[key]) == table[key]}
        yield _Word(f"{word} {value}".strip(), sets)


def _changed(table: Mapping[str, Any], without: str) -> list[str]:
    """The parameters that another line sets otherwise."""
    try:
        other = tc_queue(without)
    except ScenarioError:
        return []
    return [key for key in table if table[key] != other.get(key)]


def _word_lines(name: str, words: Sequence[_Word]) -> Iterator[str]:
    yield from ("", f"Words of {name}")
    for word in words:
        yield f"  {word.written}"
        if word.sets:
            yield from _meanings({"kind": LINES[name].kind, **word.sets}, list(word.sets), "      ")
        else:
            yield "      Sets nothing here that is not so without it."


def _meanings(table: Mapping[str, Any], keys: Sequence[str], indent: str) -> Iterator[str]:
    """Parameters with their values and meanings."""
    docs = {param["name"]: param["doc"] for param in _entry(table)["params"]}
    for key in keys:
        yield from wrapped(f"{key} = {inline(table[key])}: {docs.get(key, 'a parameter.')}", indent)


def _entry(table: Mapping[str, Any]) -> Mapping[str, Any]:
    return next(entry for entry in read_registry()["queues"] if entry["name"] == table["kind"])
