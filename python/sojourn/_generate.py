"""Writes the files that derive from the registry: ``make generate``.

These are the typed constructors (``queues.py``, ``transports.py``, ``apps.py``, ``losses.py``) and, in a working tree,
the reference pages and the JSON Schema in ``docs/reference``.
"""

from __future__ import annotations

import json
import keyword
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from . import _core
from .cli import coming_from

__all__ = ["generated", "main"]

_HEAD = '''"""{doc}"""

# Made from the registry by `make generate`; do not edit.

from __future__ import annotations

{imports}
__all__ = {names}
'''

# Type checkers know which classes there are; with this function they would take any name.
_TAIL = """

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        raise no_class(__name__, name, __all__)
"""

_TYPES = {
    "bool": "bool",
    "integer": "int",
    "number": "float",
    "fraction": "float | str",
    "rate": "str",
    "time": "str",
    "size": "str",
    "bytes": "str",
    "dscp": "str | int",
    "numbers": "Sequence[float]",
    "tables": "Sequence[Mapping[str, Any]]",
}

_WIDTH = 118
_GUIDE = "CONTRIBUTING.md"

# Between these comments of a page is a table that is made, with the name of a part of it if it has several.
_TABLE = re.compile(r"(^% table:([^\n]*)\n).*?(^% end of the table$)", re.MULTILINE | re.DOTALL)


def main() -> None:
    """Write all generated files, and say which changed."""
    root = Path(__file__).resolve().parents[2]
    for path, text in generated().items():
        place = root / path
        if not place.exists() or place.read_text(encoding="utf-8") != text:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
            print(path)


def generated() -> dict[str, str]:
    """Texts of all generated files by their path in the working tree."""
    registry = json.loads(_core.registry())
    modules = {
        "queues": _module(
            "Queue disciplines: one class for each kind, with its parameters.",
            [("Queue", entry) for entry in registry["queues"]],
            registry["groups"],
        ),
        "transports": _module(
            "Transports and congestion control laws: one class for each kind, with its parameters.",
            [("Transport", entry) for entry in registry["transports"]]
            + [("Control", entry) for entry in registry["controls"]],
        ),
        "apps": _module(
            "Applications, which drive senders: one class for each kind, with its parameters.",
            [("App", entry) for entry in registry["apps"]],
        ),
        "losses": _module(
            "Loss models of links: one class for each kind, with its parameters.",
            [("Loss", entry) for entry in registry["losses"]],
        ),
    }
    texts = {f"python/sojourn/{name}.py": _formatted(text) for name, text in modules.items()}
    texts |= {f"docs/reference/{name}.md": text for name, text in _core.reference()}
    texts["docs/reference/scenario.schema.json"] = _core.schema() + "\n"
    if (guide := Path(__file__).resolve().parents[2] / _GUIDE).exists():
        from .works.guide import with_table

        texts[_GUIDE] = with_table(guide.read_text(encoding="utf-8"))
    return texts | dict(_pages())


def _pages() -> Iterator[tuple[str, str]]:
    """The pages for those who come from another tool, with the tables by which ``sojourn explain`` answers, too."""
    root = Path(__file__).resolve().parents[2]
    for name in coming_from.PAGES:
        path = f"site/pages/coming-from/{name}.md"
        if (root / path).exists():
            text = (root / path).read_text(encoding="utf-8")
            yield path, _TABLE.sub(partial(_table, name), text)


def _table(page: str, found: re.Match[str]) -> str:
    return f"{found[1]}\n{coming_from.table(page, found[2].strip())}\n{found[3]}"


def class_name(base: str, kind: str) -> str:
    """``ared_feng`` is ``AredFeng``; what Python has another meaning for says what it is not: ``NoControl``."""
    name = "".join(part.capitalize() for part in kind.split("_"))
    return f"No{base}" if keyword.iskeyword(name) else name


def _module(doc: str, entries: list[tuple[str, Mapping[str, Any]]], groups: Iterable[Mapping[str, Any]] = ()) -> str:
    known = {group["name"]: group for group in groups}
    classes = [_group(group) for group in known.values()] + [_class(base, entry, known) for base, entry in entries]
    body = "\n\n".join(classes)
    bases = sorted({base for base, _ in entries} | ({"Control"} if ": str | Control" in body else set()))
    typing = ["TYPE_CHECKING"]
    typing += [name for name in ("Any", "ClassVar", "Literal") if f"{name}[" in body or f", {name}]" in body]
    abstract = [name for name in ("Mapping", "Sequence") if f"{name}[" in body]
    imports = [f"from collections.abc import {', '.join(abstract)}"] if abstract else []
    imports += ["from dataclasses import dataclass", f"from typing import {', '.join(typing)}", ""]
    imports += [f"from .scenario.component import {', '.join([*bases, 'no_class'])}", ""]
    names = sorted(class_name(base, entry["name"]) for base, entry in entries)
    return _HEAD.format(doc=doc, imports="\n".join(imports), names=repr(names)) + "\n\n" + body + _TAIL


def _group_name(group: str) -> str:
    return f"{class_name('', group)}Parameters"


def _group(group: Mapping[str, Any]) -> str:
    """The class of what several queues share."""
    fields = [(_field_name(param), _type(param), _described(param)) for param in group["params"]]
    lines = ["@dataclass(frozen=True, kw_only=True, repr=False)", f"class {_group_name(group['name'])}(Queue):"]
    lines += [f'    r"""{group["doc"]}', *_attributes(fields), '    """', ""]
    return "\n".join([*lines, *_declared(fields)]) + "\n"


def _class(base: str, entry: Mapping[str, Any], groups: Mapping[str, Mapping[str, Any]]) -> str:
    """The class of a kind: its own parameters, and in the text also what it changes in those that it shares."""
    shared = list(dict.fromkeys(param["group"] for param in entry["params"] if param.get("group")))
    declared = {param["name"]: param for name in shared for param in groups[name]["params"]}
    own = list(_fields(base, entry, declared))
    changed = [
        (_field_name(param), "", _described(param))
        for param in entry["params"]
        if param["name"] in declared and _described(param) != _described(declared[param["name"]])
    ]
    # What declares last comes first: Python looks from left to right.
    bases = ", ".join(_group_name(name) for name in reversed(shared)) or base
    lines = ["@dataclass(frozen=True, kw_only=True, repr=False)", f"class {class_name(base, entry['name'])}({bases}):"]
    lines += [f'    r"""{entry["title"]}.', "", *_wrapped(entry["doc"], 4), ""]
    lines += _wrapped(f"Reference: {entry['reference']}.", 4)
    if shared:
        names = " and ".join(f":class:`{_group_name(name)}`" for name in shared)
        lines += ["", *_wrapped(f"It has the attributes of {names}, too.", 4)]
    lines += [*_attributes([*own, *changed]), '    """', "", f'    kind: ClassVar[str] = "{entry["name"]}"', ""]
    return "\n".join([*lines, *_declared(own)]) + "\n"


def _attributes(fields: Iterable[tuple[str, str, str]]) -> list[str]:
    lines = [line for name, _, doc in fields for line in (f"    {name}", *_wrapped(doc, 8))]
    return ["", "    Attributes", "    ----------", *lines] if lines else []


def _declared(fields: Iterable[tuple[str, str, str]]) -> list[str]:
    return [f"    {name}: {kind} | None = None" for name, kind, _ in fields]


def _fields(base: str, entry: Mapping[str, Any], inherited: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    """Name, type and description of each field that is not inherited."""
    for key in ("preset", "profile"):
        groups = entry.get(f"{key}s", [])
        if groups:
            meanings = " ".join(f'"{group["name"]}": {group["doc"].rstrip(".")}.' for group in groups)
            yield key, _literal(group["name"] for group in groups), f"Group of settings. {meanings}"
    if base == "Transport" and entry.get("control"):
        doc = f'Congestion control law: a name or an object. Default ``"{entry["control"]}"``.'
        yield "control", "str | Control | Mapping[str, Any]", doc
    for param in entry["params"]:
        if param["name"] not in inherited:
            yield _field_name(param), _type(param), _described(param)


def _field_name(param: Mapping[str, Any]) -> str:
    name: str = param["name"]
    return f"{name}_" if keyword.iskeyword(name) else name


def _type(param: Mapping[str, Any]) -> str:
    if param["type"] == "policy":
        return f"{_literal(param['choices'])} | Queue | Mapping[str, Any]"
    if param["type"] == "queue":
        return "str | Queue | Mapping[str, Any]"
    if param["type"] == "choice":
        return _literal([*param["choices"], *(["auto"] if param["auto"] else [])])
    kind = _TYPES[param["type"]]
    return f'{kind} | Literal["auto"]' if param["auto"] and "str" not in kind else kind


def _literal(names: Iterable[str]) -> str:
    return f"Literal[{', '.join(json.dumps(name) for name in names)}]"


def _described(param: Mapping[str, Any]) -> str:
    doc = param["doc"].rstrip(".")
    return f"{doc}. Allowed: {param['allowed']}. Default {_shown(param)}: {param['source'].rstrip('.')}."


def _shown(param: Mapping[str, Any]) -> str:
    """The default as Python, or a number of many digits as people write it."""
    text: str = param["written"]
    return f"``{_default(param)}``" if text == param["default"] else text


def _default(param: Mapping[str, Any]) -> str:
    """The default as Python."""
    text: str = param["default"]
    if param["type"] == "bool":
        return text.capitalize()
    try:
        number = float(text)
    except ValueError:
        return json.dumps(text, ensure_ascii=False)
    return text if number == number else json.dumps(text)


def _wrapped(text: str, indent: int) -> list[str]:
    joined = " ".join(text.split())
    return textwrap.wrap(
        joined, _WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent, break_on_hyphens=False
    )


def _formatted(text: str) -> str:
    """In the form that ``make lint`` wants."""
    if find_spec("ruff") is None:
        sys.exit(
            "error: ruff, which puts generated code into form, is not installed\n  hint:    make generate installs it"
        )
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "python/sojourn/generated.py", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout


if __name__ == "__main__":
    main()
