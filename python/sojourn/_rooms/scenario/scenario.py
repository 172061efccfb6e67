"""A scenario: a network, its queue, flows, and the records to keep.

A scenario is read from a file or put together from objects; both are checked as a whole when they are made, so a
:class:`Scenario` that exists can be run.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, ClassVar, Self

from ... import _core
from .._base import door, toml
from .._base.checks import printable, shortened
from .._base.files import content_of, is_inside, read_text
from .._base.memory import return_free_memory
from .._base.nearest import few_names, nearest_question
from .._base.registry import read_registry
from . import shipped
from .component import CARRIERS, Constructor, Named, Queue, check_names, plain
from .network import Dumbbell, Flow, Link, Medium, Node, Record
from .queue_text import in_short, parse_queue, table_of, with_lines_read
from .tc_line import instead_of, is_tc_line

__all__ = ["QueueLike", "Scenario", "ScenarioError", "parse_queue", "queue_label"]

ScenarioError = _core.ScenarioError

QueueLike = str | Queue | Mapping[str, Any] | type[Named]
"""A queue: ``"red"``, ``"red:min_th=5p,max_th=15p"``, ``queues.Red(min_th="5p")``, a mapping with ``kind``, or a class
of your own (:class:`sojourn.own.Policy`)."""

# Any queue that takes the place of another keeps these settings of it: the buffer and whether congestion is marked
# belong to the comparison, not to the algorithm.
_KEPT = ("limit", "ecn")

_FIELDS = ("title", "duration", "warmup", "dumbbell", "nodes", "links", "ecmp", "media", "flows", "record")


class Scenario:
    """A scenario that has been read and checked; it does not change.

    Parameters
    ----------
    duration, warmup
        Simulated time, and how much of it metrics leave out at the start: ``"100s"``, ``"20s"``.
    dumbbell
        One bottleneck that all flows share; or a graph of `nodes` and `links`.
    ecmp
        In a graph, how flows are divided among equal ways: ``"off"``, ``"switch"``, ``"linux_l3"`` or ``"linux_l4"``.
    media
        Wireless media that links share.
    flows
        Groups of flows.
    record
        Recordings besides the counters that are always on.
    title
        A line for people.

    Raises
    ------
    ScenarioError
        With the key, the found and the allowed values, and the nearest valid name.

    Examples
    --------
    >>> import sojourn
    >>> scenario = sojourn.Scenario(
    ...     duration="10s",
    ...     dumbbell=sojourn.Dumbbell(rate="10Mbit", delay="20ms", queue="fifo"),
    ...     flows=[sojourn.Flow(name="bulk", count=2)],
    ... )
    >>> scenario.duration_s
    10.0
    """

    _text: str
    _file: str
    _overrides: tuple[str, ...]
    _resolved_json: str
    _outline_json: str

    __signature__: ClassVar[Constructor] = Constructor()

    def __new__(cls, **named: Any) -> Self:
        """Refuse unknown names, before their values are checked."""
        check_names(cls.__name__, named, _FIELDS)
        return super().__new__(cls)

    def __init__(
        self,
        *,
        duration: str,
        flows: Sequence[Flow],
        dumbbell: Dumbbell | None = None,
        nodes: Sequence[Node] = (),
        links: Sequence[Link] = (),
        ecmp: str | None = None,
        media: Sequence[Medium] = (),
        warmup: str | None = None,
        record: Record | None = None,
        title: str | None = None,
    ) -> None:
        content = {
            "title": title,
            "duration": duration,
            "warmup": warmup,
            "medium": list(media) or None,
            "dumbbell": dumbbell,
            "node": list(nodes) or None,
            "link": list(links) or None,
            "ecmp": ecmp,
            "flow": list(flows),
            "record": record,
        }
        written = {key: plain(value) for key, value in content.items() if value is not None}
        try:
            self._fill(toml.document(written), "", ())
        except ScenarioError as error:
            # There is no file whose line could be named.
            raise at_place(error, error.key) from None

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, overrides: Sequence[str] = ()) -> Scenario:
        """Read a scenario file; `overrides` are ``key=value`` texts as for ``sojourn run --set``.

        A name such as ``"red_classic"`` means the scenario of :mod:`sojourn.scenarios`, unless there is such a file.
        """
        place = shipped.find(Path(path))
        try:
            text = read_text(place)
        except UnicodeDecodeError:
            raise ScenarioError(f"{place}: this is not a text file in UTF-8 or UTF-16") from None
        except FileNotFoundError:
            near = nearest_question(place.stem, shipped.names(), shown=repr) if place.parent == Path() else ""
            hint = near or f"those that come along: {', '.join(shipped.names())}"
            raise FileNotFoundError(f"there is no scenario file {str(path)!r}\n  hint:    {hint}") from None
        return cls.from_toml(text, file=str(place), overrides=overrides)

    @classmethod
    def load_beside(cls, folder: Path, name: str, *, within: Path, overrides: Sequence[str] = ()) -> Scenario:
        """Read a scenario that a file of a study or of a work names; it is in `folder`, or comes with Sojourn.

        A mistake in a file outside of `within` is told without its text, which may be any file of this machine.
        """
        place = shipped.beside(folder, name)
        try:
            return cls.load(place, overrides=overrides)
        except ScenarioError:
            if is_inside(place, within) or (place.stem in shipped.names() and place == shipped.path(place.stem)):
                raise
            if overrides and cls._loads(place):
                # The changes to it are wrong.
                raise
            raise ScenarioError(
                f"{place}: this is no scenario that runs\n"
                f"  hint:    sojourn run {place} shows why; here it is not shown, since the file is outside of {within}"
            ) from None

    @classmethod
    def _loads(cls, place: Path) -> bool:
        try:
            cls.load(place)
        except ScenarioError:
            return False
        return True

    @classmethod
    def from_toml(cls, text: str, *, file: str = "", overrides: Sequence[str] = ()) -> Scenario:
        """Read a scenario from TOML; `file` is a name for messages."""
        scenario = cls.__new__(cls)
        scenario._fill(text, file, tuple(map(_with_queue_in_short, overrides)))
        return scenario

    @classmethod
    def from_resolved(cls, resolved_json: str) -> Scenario:
        """The scenario that a result was made with, from :attr:`resolved_json`."""
        content = json.loads(resolved_json)
        dumbbell = content.get("dumbbell", {})
        for key in ("queue", "loss"):
            if key in dumbbell and dumbbell.get(f"reverse_{key}") == dumbbell[key]:
                # Left out, it stays the same as `queue` when that is changed, as it does in the file.
                del dumbbell[f"reverse_{key}"]
        return cls.from_toml(toml.document(content))

    @property
    def written(self) -> tuple[str, str, tuple[str, ...]]:
        """How it was written: the text, the file's name, and the later changes.

        :meth:`resolved` does not tell which keys were left out, and the effect of another change depends on these.
        """
        return self._text, self._file, self._overrides

    def _fill(self, text: str, file: str, overrides: tuple[str, ...]) -> None:
        set_once = object.__setattr__
        set_once(self, "_text", text)
        set_once(self, "_file", file)
        set_once(self, "_overrides", overrides)
        files = _files(text, file, overrides)
        try:
            resolved, outline = _core.resolve_toml(text, file, list(overrides), files)
        except ScenarioError as error:
            raise _without_text_of_others(_with_table(error), Path(file).parent, [name for name, _ in files]) from None
        set_once(self, "_resolved_json", resolved)
        set_once(self, "_outline_json", outline)
        return_free_memory(resolved)

    def set(self, key: str, value: bool | int | float | str | Mapping[str, Any]) -> Scenario:
        """The same scenario with one value changed.

        Examples
        --------
        >>> changed = scenario.set("dumbbell.queue.limit", "100p")  # doctest: +SKIP
        """
        if isinstance(value, Mapping) and key.endswith(("queue", "policy")):
            value = with_lines_read(dict(value))
        override = f"{key}={toml.inline(value)}"
        try:
            return Scenario.from_toml(self._text, file=self._file, overrides=[*self._overrides, override])
        except ScenarioError as error:
            raise at_place(error, error.key) from None

    def with_queue(self, queue: QueueLike) -> Scenario:
        """The same scenario with another queue at the bottleneck.

        In a dumbbell that is the queue of both directions, unless ``reverse_queue`` says otherwise; in a graph it is
        the queue of every link whose queue is written there. A setting of the scenario is kept if the new queue has
        the same parameter: see :meth:`kept_by`. Other parameters have the defaults of the new kind.

        Parameters
        ----------
        queue
            ``"ared"``, ``"ared:max_p=0.2"``, ``queues.Ared(max_p=0.2)`` or ``{"kind": "ared", "max_p": 0.2}``.
        """
        wanted = _queue_table(queue)
        overrides = [
            f"{path}={toml.inline({**wanted, **_kept(wanted, present)})}" for path, present in self._replaceable()
        ]
        try:
            return Scenario.from_toml(self._text, file=self._file, overrides=[*self._overrides, *overrides])
        except ScenarioError as error:
            raise _of_the_queue(queue_label(queue), error) from None

    def kept_by(self, queue: QueueLike) -> dict[str, toml.Value]:
        """Parameters of the bottleneck's queue here that `queue` keeps in its place.

        It always keeps the buffer (``limit``) and ``ecn``. A queue of the same kind keeps all parameters that are set,
        also by a preset. A queue of another kind keeps the parameters that are set and mean the same in both.
        Parameters that `queue` sets itself have priority, and so has a preset in it except for ``limit`` and ``ecn``.
        The ``limit`` of a queue such as ``fq_codel`` guards memory and is no buffer: no other kind keeps it, and such
        a queue keeps no other's.
        """
        return _kept(_queue_table(queue), self._replaceable()[0][1])

    def not_kept_by(self, queue: QueueLike) -> tuple[toml.Value, toml.Value] | None:
        """Where a ``limit`` guards memory and is therefore not kept by `queue`: the one here, and the one it has.

        None if `queue` keeps the limit, sets one of its own or has none.
        """
        wanted = _queue_table(queue)
        present = self._replaceable()[0][1]
        if "limit" in wanted or "limit" not in present or not _apart(str(wanted.get("kind")), str(present["kind"])):
            return None
        own = self.with_queue(queue)._replaceable()[0][1].get("limit")
        return None if own is None or own == present["limit"] else (present["limit"], own)

    def overruled_by(self, queue: QueueLike) -> dict[str, tuple[toml.Value, toml.Value]]:
        """Parameters of the bottleneck's queue here that a preset in `queue` sets otherwise.

        Each with its value here and the value in the place of this one.
        """
        wanted = _queue_table(queue)
        if "preset" not in wanted:
            return {}
        plain = {key: value for key, value in wanted.items() if key != "preset"}
        present = self._replaceable()[0][1]
        becomes = self.with_queue(queue)._replaceable()[0][1]
        return {
            key: (present[key], becomes[key])
            for key in _kept(plain, present)
            if key in becomes and becomes[key] != present[key]
        }

    @property
    def queue_kind(self) -> str:
        """Kind of the bottleneck's queue."""
        return str(self._replaceable()[0][1]["kind"])

    def _replaceable(self) -> list[tuple[str, dict[str, toml.Value]]]:
        """Keys of the queues that :meth:`with_queue` replaces, each with its present queue."""
        resolved = self.resolved()
        if "dumbbell" in resolved:
            return [("dumbbell.queue", resolved["dumbbell"]["queue"])]
        present = {link["name"]: link["queue"] for link in resolved["link"]}
        found = []
        for place, link in enumerate(tomllib.loads(self._text).get("link", [])):
            if "queue" in link and link.get("observed", True):
                name = link.get("name", f"{link['from']}-{link['to']}")
                found.append((f"link[{place}].queue", present[name]))
        if not found:
            raise ScenarioError(
                "no observed link of this scenario has a queue to replace\n"
                "  hint:    write queue = ... in a [[link]] without observed = false"
            )
        return found

    def resolved(self) -> dict[str, Any]:
        """Everything spelled out, defaults included."""
        content: dict[str, Any] = json.loads(self._resolved_json)
        return content

    @property
    def resolved_json(self) -> str:
        """:meth:`resolved` as text."""
        return self._resolved_json

    @property
    def title(self) -> str:
        """The title, or the file's name."""
        return str(self.outline.get("title") or "") or Path(self._file).stem or "scenario"

    @cached_property
    def duration_s(self) -> float:
        """Simulated time in seconds."""
        return _core.seconds(str(self.outline["duration"]))

    @cached_property
    def outline(self) -> Mapping[str, Any]:
        """The part of :meth:`resolved` that is small in any network: no nodes or links, and of flows only the kinds.

        A kind of flow is its direction and source; each is there once.
        """
        content: dict[str, Any] = json.loads(self._outline_json)
        return content

    def to_toml(self) -> str:
        """As a scenario file, everything spelled out."""
        return toml.document(self.resolved())

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a scenario does not change; use scenario.set(key, value)")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self._resolved_json == other._resolved_json

    def __hash__(self) -> int:
        return hash(self._resolved_json)

    def __reduce__(self) -> tuple[Any, ...]:
        resolved = self.resolved() if CARRIERS else {}
        brought = tuple(one for carrier in CARRIERS if (one := carrier(resolved)) is not None)
        return _restore, (self._text, self._file, self._overrides, brought)

    def __repr__(self) -> str:
        return f"<Scenario {self.title!r}>"

    def _repr_html_(self) -> str:
        return door.html(self)


def _of_the_queue(label: str, error: ScenarioError) -> ScenarioError:
    """A refusal in which the queue has the name that the user gave it, not the key that it was put in."""
    _, in_queue, setting = error.key.rpartition(".queue")
    if not in_queue:
        return error
    place = f"queue {shortened(repr(label))}"
    # The name itself needs no key.
    return at_place(error, place) if setting == ".kind" else at_place(error, place, setting.lstrip("."))


def _with_table(error: ScenarioError) -> ScenarioError:
    """A refusal of a queue that a file has as commands take it: with the table that is meant."""
    text = error.found.strip('"')
    if not error.key.endswith(("queue", "policy")):
        return error
    if ".changes[" in error.key:
        error.hint = (
            "a shaper that follows the line is a link of its own in front of it, with changes of its rate; "
            "docs/not-built.md"
        )
    elif meant := instead_of(text):
        error.hint = meant
    elif is_tc_line(text) or re.fullmatch(r"\w+:.+", text):
        try:
            error.hint = f"in a file: {error.key.rpartition('.')[2]} = {toml.inline(parse_queue(text))}"
        except ScenarioError as unread:
            return ScenarioError(f"{error.key}: {unread}")
    else:
        return error
    parts = {
        "found:   ": error.found,
        "allowed: ": error.allowed if ".changes[" in error.key else "",
        "hint:    ": error.hint,
    }
    head = str(error).partition("\n")[0]
    with_hint = ScenarioError("\n  ".join([head, *(f"{name}{text}" for name, text in parts.items() if text)]))
    with_hint.key, with_hint.what, with_hint.found = error.key, error.what, error.found
    with_hint.allowed, with_hint.hint = error.allowed, error.hint
    return with_hint


def at_place(error: ScenarioError, *place: str) -> ScenarioError:
    """The same refusal at another place, as the user knows it."""
    if not error.what:
        # A reader in Python refused it: its message is whole.
        return ScenarioError(": ".join(part for part in (*place, str(error)) if part))
    where = ": ".join(part for part in (*place, error.what) if part)
    allowed = few_names(error.allowed, alone=not error.hint)
    parts = {"found:   ": error.found, "allowed: ": allowed, "hint:    ": error.hint}
    placed = ScenarioError("\n  ".join([where, *(f"{name}{text}" for name, text in parts.items() if text)]))
    placed.key, placed.what, placed.found = error.key, error.what, error.found
    placed.allowed, placed.hint = error.allowed, error.hint
    return placed


def at_file(error: ScenarioError, file: Path) -> ScenarioError:
    """The same refusal, of a file."""
    placed = ScenarioError(f"{file}: {error}")
    placed.key, placed.what, placed.found = error.key, error.what, error.found
    placed.allowed, placed.hint = error.allowed, error.hint
    return placed


def _restore(text: str, file: str, overrides: tuple[str, ...], brought: tuple[Callable[[], None], ...]) -> Scenario:
    for register in brought:
        register()
    return Scenario.from_toml(text, file=file, overrides=overrides)


_SHORT_QUEUE = re.compile(r"""[\w-]+|\w+:[^"']*""")


def _with_queue_in_short(override: str) -> str:
    """An override that sets a queue as ``--queue`` takes it, ``dumbbell.queue=codel:target=1ms``, as a table."""
    key, _, value = (part.strip() for part in override.partition("="))
    if not key.endswith(("queue", "policy")) or key == "record.queue":
        return override
    text = value.strip("\"'")
    if _SHORT_QUEUE.fullmatch(text) or is_tc_line(text):
        return f"{key}={toml.inline(table_of(text))}"
    return override


def _queue_table(queue: QueueLike) -> dict[str, toml.Value]:
    if isinstance(queue, str):
        return parse_queue(queue)
    if isinstance(queue, type):
        return {"kind": queue.name}
    if not isinstance(queue, Queue | Mapping):
        raise ScenarioError(
            f"this is not a queue\n  found:   {shortened(repr(queue))}\n"
            '  allowed: a name such as "red", "red:min_th=5p", queues.Red(min_th="5p"), or a mapping with "kind"'
        )
    table = plain(queue if isinstance(queue, Queue) else dict(queue))
    assert isinstance(table, dict)  # noqa: S101 - both are tables
    return with_lines_read(table)


def _kept(wanted: Mapping[str, toml.Value], present: Mapping[str, toml.Value]) -> dict[str, toml.Value]:
    """The settings that the queue `wanted` keeps of the queue that it replaces."""
    takes = _queue_parameters(str(wanted.get("kind")))
    kept = {key: present[key] for key in _KEPT if key in present and key in takes}
    kind = str(present["kind"])
    if "preset" not in wanted:
        own = default_queue(kind)
        for key, there in _queue_parameters(kind).items():
            # One name may mean two things: CoDel's target is a time, PI's a number of packets.
            if key in takes and takes[key]["doc"] == there["doc"] and present[key] != own[key]:
                kept[key] = present[key]
    if _apart(str(wanted.get("kind")), kind):
        kept.pop("limit", None)
    return {key: value for key, value in kept.items() if key not in wanted and _has_effect(takes[key], wanted)}


def _has_effect(parameter: Mapping[str, Any], wanted: Mapping[str, toml.Value]) -> bool:
    """Whether a parameter has an effect in a queue, of which all that is not written has its default."""
    if not (conditions := parameter.get("when")):
        return True
    queue = {**default_queue(str(wanted["kind"])), **wanted}
    found = [(str(queue.get(one["parameter"])).lower(), one) for one in conditions]
    return all(value in one["values"] if "values" in one else value not in one["without"] for value, one in found)


def _apart(kind: str, other: str) -> bool:
    """Whether the limits of two queues are two things: a buffer, and a guard of memory of one kind."""
    return kind != other and bool(guarding() & {kind, other})


@lru_cache(maxsize=1)
def guarding() -> frozenset[str]:
    """Kinds of queues whose ``limit`` guards memory: far above the backlog, and not a buffer that somebody chose."""
    return frozenset(entry["name"] for entry in read_registry()["queues"] if entry["guards"])


@lru_cache(maxsize=64)
def default_queue(kind: str) -> Mapping[str, toml.Value]:
    """A queue of this kind with nothing else written."""
    text = f'duration = "1s"\n[dumbbell]\nrate = "1Mbit"\ndelay = "1ms"\nqueue = "{kind}"\n[[flow]]\n'
    queue: dict[str, toml.Value] = Scenario.from_toml(text).resolved()["dumbbell"]["queue"]
    return queue


def queue_label(queue: QueueLike) -> str:
    """A queue in short, for tables: ``red:min_th=5p``; a line of tc stays in its own words."""
    if isinstance(queue, str) and (written := in_short(queue)):
        return written
    table = _queue_table(queue)
    kind = str(table.pop("kind", ""))
    settings = ",".join(f"{key}={toml.inline(value)}" for key, value in table.items()).replace('"', "")
    return f"{kind}:{settings}" if settings else kind


def _queue_parameters(kind: str) -> Mapping[str, Mapping[str, Any]]:
    """A queue's parameters by name; none if there is no such queue, which the scenario's reader reports."""
    return queue_parameters().get(kind, {})


@lru_cache(maxsize=1)
def queue_parameters() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    """The parameters of all queues, by kind and name."""
    entries = read_registry()["queues"]
    return {entry["name"]: {parameter["name"]: parameter for parameter in entry["params"]} for entry in entries}


def _without_text_of_others(error: ScenarioError, folder: Path, names: Sequence[str]) -> ScenarioError:
    """The error; if it is about a file outside of the scenario's folder, it does not show the text of that file.

    A scenario may come from somebody else, who would read files of this machine in the messages of a server.
    """
    for name in names:
        if str(error).startswith(f"{name}: ") and not is_inside(folder / name, folder):
            return ScenarioError(
                f"{name}: this is no trace of Mahimahi: whole milliseconds in order, one on each line\n"
                "  hint:    its text is not shown, since it is outside of the scenario's folder"
            )
    return error


def _files(text: str, file: str, overrides: tuple[str, ...]) -> list[tuple[str, bytes]]:
    """Read the files that a scenario names; they are in its folder unless it says otherwise."""
    if "mahimahi" not in text and not any("mahimahi" in override for override in overrides):
        return []
    found = []
    for name in _core.files_named(text, file, list(overrides)):
        place = Path(file).parent / name
        try:
            found.append((name, content_of(place, plain=True)))
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            shown = shortened(printable(str(place)))
            try:
                _core.refuse_file(text, file, list(overrides), name, shown, why)
            except ScenarioError as refused:
                raise refused from None
    return found
