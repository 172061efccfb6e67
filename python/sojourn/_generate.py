"""Writes the files that derive from the registry: ``make generate``.

These are the typed constructors (``queues.py``, ``transports.py``, ``apps.py``, ``losses.py``) and, in a working tree,
the reference pages and the JSON Schema in ``docs/reference``.
"""

from __future__ import annotations

import json
import keyword
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from . import _core

__all__ = ["generated", "main"]

_HEAD = '''"""{doc}

Made from the registry by ``make generate``; do not edit.
"""

from __future__ import annotations

{imports}
__all__ = {names}
'''

_TYPES = {
    "bool": "bool",
    "integer": "int",
    "number": "float",
    "fraction": "float | str",
    "rate": "str",
    "time": "str",
    "size": "str",
    "bytes": "str",
    "numbers": "Sequence[float]",
}

_WIDTH = 118


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
    return texts


def class_name(base: str, kind: str) -> str:
    """``ared_feng`` is ``AredFeng``; what Python has another meaning for says what it is not: ``NoControl``."""
    name = "".join(part.capitalize() for part in kind.split("_"))
    return f"No{base}" if keyword.iskeyword(name) else name


def _module(doc: str, entries: list[tuple[str, Mapping[str, Any]]]) -> str:
    classes = [_class(base, entry) for base, entry in entries]
    body = "\n\n".join(classes)
    bases = sorted({base for base, _ in entries} | ({"Control"} if ": str | Control" in body else set()))
    typing = [name for name in ("Any", "ClassVar", "Literal") if f"{name}[" in body or f", {name}]" in body]
    abstract = [name for name in ("Mapping", "Sequence") if f"{name}[" in body]
    imports = [f"from collections.abc import {', '.join(abstract)}"] if abstract else []
    imports += ["from dataclasses import dataclass", f"from typing import {', '.join(typing)}", ""]
    imports += [f"from ._component import {', '.join(bases)}", ""]
    names = sorted(class_name(base, entry["name"]) for base, entry in entries)
    return _HEAD.format(doc=doc, imports="\n".join(imports), names=repr(names)) + "\n\n" + body


def _class(base: str, entry: Mapping[str, Any]) -> str:
    fields = list(_fields(base, entry))
    lines = ["@dataclass(frozen=True, kw_only=True)", f"class {class_name(base, entry['name'])}({base}):"]
    lines += [f'    r"""{entry["title"]}.', "", *_wrapped(entry["doc"], 4), ""]
    lines += _wrapped(f"Reference: {entry['reference']}.", 4)
    if fields:
        lines += ["", "    Attributes", "    ----------"]
        for name, _, doc in fields:
            lines += [f"    {name}", *_wrapped(doc, 8)]
    lines += ['    """', "", f'    kind: ClassVar[str] = "{entry["name"]}"', ""]
    lines += [f"    {name}: {kind} | None = None" for name, kind, _ in fields]
    return "\n".join(lines) + "\n"


def _fields(base: str, entry: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    """Name, type and description of each field."""
    for key in ("preset", "profile"):
        groups = entry.get(f"{key}s", [])
        if groups:
            meanings = " ".join(f'"{group["name"]}": {group["doc"].rstrip(".")}.' for group in groups)
            yield key, _literal(group["name"] for group in groups), f"Group of settings. {meanings}"
    if base == "Transport" and entry.get("control"):
        doc = f'Congestion control law: a name or an object. Default ``"{entry["control"]}"``.'
        yield "control", "str | Control | Mapping[str, Any]", doc
    for param in entry["params"]:
        name = f"{param['name']}_" if keyword.iskeyword(param["name"]) else param["name"]
        yield name, _type(param), _described(param)


def _type(param: Mapping[str, Any]) -> str:
    if param["type"] == "policy":
        return f"{_literal(param['choices'])} | Queue | Mapping[str, Any]"
    if param["type"] == "choice":
        return _literal([*param["choices"], *(["auto"] if param["auto"] else [])])
    kind = _TYPES[param["type"]]
    return f'{kind} | Literal["auto"]' if param["auto"] and "str" not in kind else kind


def _literal(names: Iterable[str]) -> str:
    return f"Literal[{', '.join(json.dumps(name) for name in names)}]"


def _described(param: Mapping[str, Any]) -> str:
    doc = param["doc"].rstrip(".")
    return f"{doc}. Allowed: {param['allowed']}. Default ``{_default(param)}``: {param['source'].rstrip('.')}."


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
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", "python/sojourn/generated.py", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout


if __name__ == "__main__":
    main()
