"""``sojourn explain``: anything that has a name, by any name that people use for it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ... import _core
from .._base.checks import shortened
from .._base.nearest import near_names
from .._base.registry import read_registry
from ..catalogue import coming_from
from ..catalogue.beside_linux import row_of
from ..catalogue.names import absent, canonical, plain_name
from ..catalogue.sources import SOURCES, cited
from ..catalogue.warnings import known_warnings
from ..runs.laws import Law, law, sender_law
from ..scenario import shipped
from ..scenario.tc import LINES
from ..scenario.tc_line import is_of_tc
from ..showing.text.prose import wrapped
from ..showing.text.textplot import plot_lines
from ..works.folders import paper_folders
from .evidence import show as show_evidence
from .explain_tc import line_of_tc
from .guard import print_json
from .usage import EXAMPLES
from .words import meanings

__all__ = ["explain"]

# The word for an entry of the registry, and how a scenario file names it.
_KINDS = {
    "queues": ("queue", 'queue = { kind = "%s" }'),
    "transports": ("transport", 'transport = { kind = "%s" }'),
    "controls": ("congestion control", 'transport = { kind = "tcp", control = "%s" }'),
    "apps": ("application", 'app = { kind = "%s" }'),
    "losses": ("loss model", 'loss = { kind = "%s" }'),
}
_GROUPS = ("presets", "profiles")
_GUARDS = "Its limit guards memory: in a comparison no other queue takes it over, and it takes over none."

_Entry = Mapping[str, Any]


@dataclass(frozen=True)
class _Topic:
    """Something that has a name: its kind, its data, and the lines that are shown of it.

    Nearly all topics are only looked through for a name. Lines that take long are made when they are asked for.
    """

    name: str
    kind: str
    data: _Entry
    lines: Sequence[str] | Callable[[], Sequence[str]]

    def shown(self) -> list[str]:
        """The printed lines, without those of its law."""
        return list(self.lines() if callable(self.lines) else self.lines)


def explain(
    name: str, *, as_json: bool, evidence: bool = False, commands: Mapping[str, str | None] | None = None
) -> None:
    """Explain everything that is called `name`: one thing, or each if several have the name.

    A line of tc is explained word by word. `commands` has the help of each command. With `evidence` the comparisons of
    a queue or sender are shown instead.
    """
    if is_of_tc(name) and " " in name.strip():
        line = line_of_tc(name)
        if not evidence:
            print_json(line.to_dict()) if as_json else print("\n".join(line.lines()))
            return
        name = line.table["kind"]
    topics = _topics(read_registry())
    topics += [_of_command(command, text or "") for command, text in (commands or {}).items()]
    found, meant = _named(name, topics)
    rows = list(coming_from.rows_for(name))
    said = [] if found or rows else list(meanings(name))
    if (near := absent(name)) and not rows:
        raise ValueError(f"Sojourn has no {name}\n  hint:    {near}")
    if not found and not rows and not said:
        raise ValueError(_unknown(name, topics))
    if evidence:
        show_evidence(name, [one for topic in found for one in _entries(topic)], as_json=as_json)
        return
    # A work goes before the presets that bear its name; of things that are called otherwise, columns come last.
    found.sort(key=lambda topic: (topic.kind != "paper", bool(meant) and topic.kind in {"metric", "table"}))
    if as_json:
        elsewhere = [{"tool": tool, "theirs": row.theirs, "ours": coming_from.plain(row.ours)} for tool, row in rows]
        words = {"elsewhere": elsewhere} if rows else {"meanings": said} if said else {}
        entries = [{"kind": topic.kind, **topic.data, **_law_json(topic), **words} for topic in found]
        if not entries:
            entries = [{"kind": "name of another tool", **words}]
        print_json(entries[0] if len(entries) == 1 else entries)
        return
    if meant:
        whole = all(
            topic.kind != "parameter" or plain_name(name) not in map(plain_name, _choices(topic)) for topic in found
        )
        print(f"{name} {'is called' if whole else 'is a value of'} {' or '.join(meant)} here.\n")
    blocks = ["\n".join(topic.shown() + _law_lines(topic)) for topic in found]
    blocks += ["\n".join(_row_lines(tool, row)) for tool, row in rows]
    blocks += [
        "\n".join([f"{name} (word of other tools)", "", *(line for each in said for line in _sentence(each))])
    ] * bool(said)
    print("\n\n".join(blocks))
    if more := _more(name, found, topics):
        print(f"\nSee also: {', '.join(more)}")


def _entries(topic: _Topic) -> Iterator[tuple[str, str, str, str]]:
    """The registry's kind of a topic that is an entry, its word for people, its name and its title."""
    kinds = [kind for kind, (word, _) in _KINDS.items() if word == topic.kind]
    yield from ((kind, topic.kind, topic.name, topic.data["title"]) for kind in kinds)


def _sentence(text: str) -> list[str]:
    return wrapped(f"{text.replace('`', '')}.", "  ")


def _row_lines(tool: str, row: coming_from.Row) -> list[str]:
    """The counterpart of a word of another tool, as on the page "Coming from" that tool."""

    def shown(cell: str) -> str:
        return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cell).replace("`", "")

    lines = wrapped(f"From {tool}: {shown(row.theirs)}", "")
    return [*lines, "", *wrapped(f"Here: {shown(coming_from.plain(row.ours))}.", "  ")]


def _more(name: str, found: Sequence[_Topic], topics: Sequence[_Topic]) -> list[str]:
    """Other meanings of a name that Sojourn uses: ``rtt`` is a parameter, and a metric is near."""
    here, known = {topic.name for topic in found}, {topic.name for topic in topics}
    return [meant for meant in canonical(name) if meant in known - here]


def _law(topic: _Topic) -> Law | None:
    """The law of a queue or a sender with its defaults; a queue's on the link that :func:`sojourn.law` takes."""
    if not topic.data.get("has_law"):
        return None
    return law(topic.name) if topic.kind == "queue" else sender_law(topic.name, transport=topic.kind == "transport")


def _law_json(topic: _Topic) -> _Entry:
    found = _law(topic)
    return {} if found is None else {"law": found.to_dict()}


def _law_lines(topic: _Topic) -> list[str]:
    found = _law(topic)
    if found is None:
        decides = topic.data.get("decides")
        return ["", "How it decides", *wrapped(decides, "  ")] if decides else []
    link = ", on a link of 10 Mbit/s, with 10 flows and 100 ms" if topic.kind == "queue" else ""
    return ["", f"Law (with the defaults{link})", "", *plot_lines(found)]


def _choices(topic: _Topic) -> Sequence[str]:
    return list(topic.data.get("choices", ()))


def _named(name: str, topics: Sequence[_Topic]) -> tuple[list[_Topic], list[str]]:
    """The topics called `name`: spelt so, spelt alike, or under another name, which comes second."""
    exact = [topic for topic in topics if name in _spellings(topic)]
    if exact:
        return exact, []
    # A variable of ns-2 is not a thing here that merely has its name.
    if name.endswith("_") and (found := [topic for topic in topics if topic.name in canonical(name)]):
        return found, list(dict.fromkeys(topic.name for topic in found))
    if "." in name:
        owned = [topic for topic in topics if plain_name(name) in map(plain_name, _spellings(topic)[1:])]
        if owned:
            return owned, []
    alike = [topic for topic in topics if plain_name(name) == plain_name(topic.name)]
    if alike:
        return alike, []
    others = [plain_name(other) for other in canonical(name)]
    found = [topic for topic in topics if plain_name(topic.name) in others]
    if not found and "." in name:
        # A key of --set, such as dumbbell.queue.w_q: its last part is explained.
        return _named(name.partition(".")[2], topics)
    return found, list(dict.fromkeys(topic.name for topic in found))


def _spellings(topic: _Topic) -> tuple[str, ...]:
    """Its name, alone and behind that of its owner: ``codel.target``, ``dumbbell.rate``."""
    table, of = topic.data.get("table"), topic.data.get("of", ())
    owners = [of] if isinstance(of, str) else of
    return (topic.name, *(f"{owner}.{topic.name}" for owner in (*owners, *([table] if table else ()))))


def _topics(registry: Mapping[str, Sequence[_Entry]]) -> list[_Topic]:
    schema = json.loads(_core.schema())
    codes = {"warnings": [warning["name"] for warning in known_warnings(registry)]}
    return [
        *(_of_entry(kind, entry, registry) for kind in _KINDS for entry in registry[kind]),
        *_of_params(registry),
        *(_of_preset(entry, group) for kind in _KINDS for entry in registry[kind] for group in _groups(entry)),
        *(_of_metric(table["name"], metric) for table in registry["tables"] for metric in table["metrics"]),
        *(_of_table(table, codes.get(table["name"], ())) for table in registry["tables"]),
        *(_of_warning(warning) for warning in known_warnings(registry)),
        *_of_file_tables(schema),
        *_of_file_keys(schema),
        *_of_probes(registry),
        *(_of_scenario(name) for name in shipped.names()),
        *(_of_paper(key) for key in paper_folders()),
    ]


def _unknown(name: str, topics: Sequence[_Topic]) -> str:
    owner, _, last = name.rpartition(".")
    # Of "codel.targt" the owner is right: one of its parameters is meant.
    own = {plain_name(one.rpartition(".")[2]): one for one in _owned(topics) if owner and one.startswith(f"{owner}.")}
    names, near = own, near_names(plain_name(last), own, most=3)
    if not near:
        names = {plain_name(topic.name): topic.name for topic in topics}
        near = near_names(plain_name(name), names, most=3)
    listed = " or ".join(names[found] for found in near)
    hint = f"did you mean {listed}?" if near else "sojourn list shows all names"
    return f"nothing here is called {shortened(repr(name))}\n  hint:    {hint}"


def _owned(topics: Sequence[_Topic]) -> Iterator[str]:
    """All names with an owner before them."""
    return (one for topic in topics for one in _spellings(topic) if one != topic.name)


def _of_entry(kind: str, entry: _Entry, registry: Mapping[str, Sequence[_Entry]]) -> _Topic:
    return _Topic(entry["name"], _KINDS[kind][0], entry, partial(_entry_lines, kind, entry, registry))


def _entry_lines(kind: str, entry: _Entry, registry: Mapping[str, Sequence[_Entry]]) -> list[str]:
    what, example = _KINDS[kind]
    lines = [f"{entry['name']} ({what}): {entry['title']}", ""]
    lines += wrapped(entry["doc"], "  ")
    if entry.get("reorders"):
        lines += wrapped("Packets of one flow may overtake each other.", "  ")
    if entry.get("guards"):
        lines += wrapped(_GUARDS, "  ")
    lines += [
        "",
        *wrapped(f"Reference: {entry['reference']}.", "  "),
        "",
        f"  In a scenario: {example % entry['name']}",
    ]
    if kind == "queues" and entry["name"] in LINES and (line := LINES[entry["name"]]).kind != entry["name"]:
        lines += wrapped(f"A line of tc that begins with {entry['name']} is another queue: {line.kind}.", "  ")
    if entry.get("control"):
        lines.append(f"  Default congestion control: {entry['control']}")
    lines += _preset_lines(entry)
    lines += _linux_lines(kind, entry["name"])
    if entry["params"]:
        lines += ["", "Parameters"]
    for param in entry["params"]:
        lines += _param_lines(param, registry[kind], entry["params"])
    if entry.get("probes"):
        lines += ["", 'Series of record.probes = "100ms"']
    for probe in entry.get("probes", ()):
        lines += _probe_lines(probe)
    names = cited(json.dumps(entry, ensure_ascii=False))
    if names:
        lines += ["", "Sources"]
    for name in names:
        lines += wrapped(f"[{name}] {SOURCES[name]}.", "  ")
    return lines


def _linux_lines(kind: str, name: str) -> Iterator[str]:
    """The comparison with Linux."""
    group, what = ("queues", "decisions") if kind == "queues" else ("senders", "windows")
    if kind in {"queues", "controls", "transports"} and (row := row_of(group, name)):
        yield from ("", "Beside Linux 6.12")
        yield from wrapped(row.sentences(what).replace("`", ""), "  ")


def _preset_lines(entry: _Entry) -> Iterator[str]:
    for key in ("preset", "profile"):
        groups = entry.get(f"{key}s", [])
        if groups:
            yield from ("", f"{key.capitalize()}s ({key} = ...)")
        for group in groups:
            settings = ", ".join(f"{name} = {value}" for name, value in group["written"].items())
            yield f'  {key} = "{group["name"]}"'
            yield from wrapped(group["doc"], "      ")
            if "queue" not in group:
                yield from wrapped(f"Sets {settings}." if settings else "The defaults.", "      ")


def _default(param: _Entry) -> str:
    """The default as it is written in a file; a number of many digits as people write it."""
    default = str(param["written"])
    plain = param["type"] in ("bool", "integer", "number", "fraction") and default != "auto" and "%" not in default
    return default if plain else f'"{default}"'


def _choice_lines(param: _Entry, indent: str) -> Iterator[str]:
    """The meaning of each name that may be chosen, if the parameter's own text does not give it."""
    for name, meaning in param.get("meanings", {}).items():
        yield from wrapped(f'"{name}": {meaning}', indent)


def _param_lines(param: _Entry, entries: Sequence[_Entry], beside: Sequence[_Entry], indent: str = "  ") -> list[str]:
    """A parameter, and below it those of the tables that it takes; `beside` are all of its component."""
    inner = indent + "    "
    lines = [f"{indent}{param['name']} = {_default(param)}", *wrapped(param["doc"], inner)]
    lines += wrapped(f"Takes {param['allowed']}. Default from: {_source(param, entries)}.", inner)
    when: Sequence[_Entry] = param.get("when") or ()
    if when and {one["parameter"] for one in when} <= {one["name"] for one in beside}:
        lines += [line for one in when for line in wrapped(_condition(one), inner)]
    lines += _choice_lines(param, inner + "  ")
    nested: Sequence[_Entry] = param.get("params") or ()
    if nested:
        lines.append(f"{inner}Each {param['name']} has")
    for each in nested:
        lines += _param_lines(each, entries, nested, inner + "  ")
    return lines


def _condition(one: _Entry) -> str:
    """The other parameter, and its values with an effect or without one."""
    values = one.get("values") or one["without"]
    written = f"{one['parameter']} = " + " or ".join(f'"{value}"' for value in values)
    return f"Has an effect only with {written}." if "values" in one else f"Has no effect with {written}."


def _probe_lines(probe: _Entry) -> list[str]:
    about = ". ".join(text for text in (_capital(probe["doc"]), _unit_and_range(probe)) if text)
    return [f"  {probe['name']}", *(wrapped(f"{about}.", "      ") if about else ())]


def _unit_and_range(probe: _Entry) -> str:
    unit = f"Unit: {probe['unit']}" if probe["unit"] else "No unit"
    return f"{unit}; {probe['range']}" if probe["range"] else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _source(param: _Entry, entries: Sequence[_Entry]) -> str:
    """Where the default is from; a default "as red" has the source of RED's, too."""
    source = str(param["source"]).rstrip(".")
    named = re.match(r"as (\w+)(?!\w)", source)
    for entry in entries:
        if named and entry["name"] == named[1]:
            theirs = [other for other in entry["params"] if other["name"] == param["name"] and other is not param]
            if theirs and str(theirs[0]["default"]) == str(param["default"]):
                return f"as {named[1]} ({_source(theirs[0], entries)}){source[named.end() :]}"
    return source


def _of_metric(table: str, metric: _Entry) -> _Topic:
    lines = [f"{metric['name']} (column of the table {table})", "", *wrapped(metric["doc"], "  "), ""]
    if metric["formula"]:
        lines += wrapped(f"Formula: {metric['formula']}", "  ")
    lines.append(f"  Unit: {metric['unit'] or 'none'}")
    return _Topic(metric["name"], "metric", {"table": table, **metric}, lines)


def _of_params(registry: Mapping[str, Sequence[_Entry]]) -> Iterator[_Topic]:
    """Each parameter once, with the entries that have it, as long as they say the same of it.

    Those of tables that a parameter takes, such as the classes of a scheduler, have names of their own or stay out.
    """
    owners: dict[tuple[str, str], list[tuple[str, _Entry]]] = {}
    entries = [entry for kind in _KINDS for entry in registry[kind]]
    for entry in entries:
        for param in entry["params"]:
            owners.setdefault((param["name"], param["doc"]), []).append((entry["name"], param))
    taken = {name for name, _ in owners} | {entry["name"] for entry in entries}
    for entry in entries:
        for table in entry["params"]:
            for param in table.get("params", ()):
                if param["name"] not in taken:
                    owner = f"{table['name']} of {entry['name']}"
                    owners.setdefault((param["name"], param["doc"]), []).append((owner, param))
    for (name, _), having in owners.items():
        of = ", ".join(owner for owner, _ in having)
        data = {**having[0][1], "of": of.split(", ")}
        yield _Topic(name, "parameter", data, partial(_lines_of_owned, name, having))


def _lines_of_owned(name: str, having: Sequence[tuple[str, _Entry]]) -> list[str]:
    """A parameter that several may have."""
    defaults = {owner: _default(param) for owner, param in having}
    same = len(set(defaults.values())) == 1
    param = having[0][1]
    lines = [f"{name} (parameter of {_few([owner for owner, _ in having])})", ""]
    lines += wrapped(param["doc"], "  ")
    said = f"Default: {next(iter(defaults.values()))}." if same else _differing(defaults)
    lines += ["", *wrapped(f"Takes {param['allowed']}. {said} From: {param['source'].rstrip('.')}.", "  ")]
    return [*lines, *_choice_lines(param, "    ")]


def _of_probes(registry: Mapping[str, Sequence[_Entry]]) -> Iterator[_Topic]:
    """Each probe once, with the queues that have it, as long as it means the same in them."""
    owners: dict[tuple[str, str], list[tuple[str, _Entry]]] = {}
    for entry in registry["queues"]:
        for probe in entry["probes"]:
            owners.setdefault((probe["name"], probe["doc"]), []).append((entry["name"], probe))
    for (name, doc), having in owners.items():
        of = [queue for queue, _ in having]
        probe = having[0][1]
        lines = [f"{name} (probe of {_few(of)})", ""]
        if doc:
            lines += wrapped(f"{_capital(doc)}. {_unit_and_range(probe)}.", "  ")
        lines += wrapped('Recorded over time with record.probes = "100ms": table probe.', "  ")
        yield _Topic(name, "probe", {**probe, "of": of}, lines)


def _few(names: Sequence[str]) -> str:
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"


def _differing(defaults: Mapping[str, str]) -> str:
    by_value: dict[str, list[str]] = {}
    for owner, value in defaults.items():
        by_value.setdefault(value, []).append(owner)
    return "Default: " + "; ".join(f"{value} ({_few(owners)})" for value, owners in by_value.items()) + "."


def _groups(entry: _Entry) -> Iterator[_Entry]:
    for key in _GROUPS:
        yield from ({**group, "key": key[:-1]} for group in entry.get(key, []))


def _of_preset(entry: _Entry, group: _Entry) -> _Topic:
    settings = ", ".join(f"{name} = {value}" for name, value in group["written"].items())
    lines = [f"{group['name']} ({group['key']} of {entry['name']})", "", *wrapped(group["doc"], "  "), ""]
    if "queue" not in group:
        lines += wrapped(f"Sets {settings}." if settings else "Sets the defaults.", "  ")
    return _Topic(group["name"], group["key"], {"of": entry["name"], **group}, lines)


def _of_table(table: _Entry, codes: Sequence[str] = ()) -> _Topic:
    recorded = f" Recorded with record.{table['record']}." if table["record"] else ""
    lines = [f"{table['name']} (table of results)", "", *wrapped(table["doc"] + recorded, "  "), ""]
    lines += wrapped("Columns: " + ", ".join(metric["name"] for metric in table["metrics"]) + ".", "  ")
    if codes:
        lines += wrapped("Codes, each of which is explained by its name: " + ", ".join(codes) + ".", "  ")
    return _Topic(table["name"], "table", {"table": table["name"], **table}, lines)


def _of_warning(warning: _Entry) -> _Topic:
    name = warning["name"]
    lines = [f"{name} (warning of a run or a study)", "", *wrapped(warning["doc"], "  "), ""]
    lines += wrapped(f"Advice: {warning['advice']}", "  ")
    lines += ["", *wrapped("It is in the table warnings of the results, in reports, and on stderr.", "  ")]
    return _Topic(name, "warning", warning, lines)


def _file_tables(schema: _Entry) -> Iterator[tuple[str, _Entry]]:
    """The tables of a scenario file by name."""
    for name, table in schema["$defs"].items():
        keys = table.get("properties")
        if keys and "description" in table and "kind" not in keys:
            yield name, table


def _doc(schema: _Entry, about: _Entry) -> str:
    """The meaning of a key; keys that several tables have are defined once."""
    shared = schema["$defs"].get(about.get("$ref", "").rpartition("/")[2], {})
    return str(about.get("description") or shared.get("description", ""))


def _of_file_keys(schema: _Entry) -> Iterator[_Topic]:
    """The keys of a scenario file that take a value, each once, with the tables that have it."""
    tables = [("", schema), *_file_tables(schema)]
    own = {name for name, _ in tables}
    having: dict[tuple[str, str], list[str]] = {}
    for table, content in tables:
        for key, about in content["properties"].items():
            if key not in own and (doc := _doc(schema, about)):
                having.setdefault((key, doc), []).append(table or "the top level")
    for (key, doc), places in having.items():
        of = ", ".join(dict.fromkeys(places))
        lines = [f"{key} (key of a scenario file: {of})", "", *wrapped(doc, "  ")]
        yield _Topic(key, "key of a scenario file", {"name": key, "of": places, "doc": doc}, lines)


def _of_file_tables(schema: _Entry) -> Iterator[_Topic]:
    """The tables of a scenario file, such as ``flow`` and ``medium``, with the descriptions of their keys."""
    for name, table in _file_tables(schema):
        keys = table["properties"]
        lines = [f"{name} (table of a scenario file)", "", *wrapped(table["description"], "  "), "", "Keys"]
        for key, about in keys.items():
            lines += [f"  {key}", *wrapped(_doc(schema, about), "      ")]
        yield _Topic(name, "table of a scenario file", {"name": name, "doc": table["description"]}, lines)


def _of_scenario(name: str) -> _Topic:
    title, prose = shipped.about(name)
    file = shipped.path(name)
    lines = [
        f"{name} (scenario): {title}",
        "",
        *wrapped(prose, "  "),
        "",
        f"  Run it: sojourn run {name}",
        f"  Its file: {file}",
        "",
    ]
    lines += [
        f"  {line}".rstrip() for line in file.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ]
    return _Topic(name, "scenario", {"name": name, "title": title, "doc": prose, "file": str(file)}, lines)


def _of_command(name: str, text: str) -> _Topic:
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    lines = [f"{name} (command)", "", *(line for part in paragraphs for line in wrapped(part, "  ")), ""]
    lines += [f"  Its options: sojourn {name} --help", f"  Example: {EXAMPLES[name]}"]
    return _Topic(name, "command", {"name": name, "doc": " ".join(paragraphs), "example": EXAMPLES[name]}, lines)


def _of_paper(key: str) -> _Topic:
    return _Topic(key, "paper", {"name": key}, partial(_paper_lines, key))


def _paper_lines(key: str) -> list[str]:
    """A paper is read only when it is asked for: it is Python."""
    from ..works.work import load

    paper = load(key)
    head = f"{key} (work that can be reproduced): {paper.title}"
    lines = [*wrapped(head, ""), "", *wrapped(paper.citation + ".", "  "), ""]
    lines += [f"  Run it: sojourn reproduce {key} --quick", "", "Experiments"]
    for experiment in paper.experiments:
        lines += wrapped(f"{experiment.name}: {experiment.doc}", "  ")
    return lines
