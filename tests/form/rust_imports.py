"""Which file of the core imports from which: from ``use`` lines and from paths in the code, without tests.

A name that a module re-exports counts as imported from the file that defines it: ``queue::Limit`` is in
``queue/limits.rs``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

Module = tuple[str, ...]

NO_CODE = re.compile(
    r"""//[^\n]* | /\*.*?\*/ | b?r(\#*)".*?"\1 | "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\[^u]|\\u\{\w+\})'""", re.S | re.X
)
USE = re.compile(r"(pub(?:\([\w ]+\))? )?\buse ([^;]+);")
PATH = re.compile(r"(?<![\w:])(\$?\w+)((?:::\w+)+)(!?)")
ITEM = re.compile(r"\b(?:struct|enum|trait|(?:const )?fn|const|static|type|union|macro_rules!)\s+(\w+)")


@dataclass
class Use:
    """A name that a file imports."""

    path: Module
    name: str
    public: bool


@dataclass
class File:
    """A file's code without comments, texts, tests and imports, and its imports."""

    module: Module
    body: str = ""
    uses: list[Use] = field(default_factory=list)

    @cached_property
    def defines(self) -> set[str]:
        return set(ITEM.findall(self.body))

    @cached_property
    def traits(self) -> set[str]:
        return set(re.findall(r"\btrait (\w+)", self.body))

    @cached_property
    def names(self) -> set[str]:
        return set(re.findall(r"[A-Za-z_]\w*", self.body))


class Imports:
    """The imports among the files below ``source``."""

    def __init__(self, source: Path) -> None:
        paths = {module_of(path.relative_to(source)): path for path in sorted(source.rglob("*.rs"))}
        texts = {module: path.read_text(encoding="utf-8") for module, path in paths.items()}
        tests = {
            (*module, name)
            for module, text in texts.items()
            for name in re.findall(r"#\[cfg\(test\)\]\s*(?:pub(?:\(crate\))? )?mod (\w+);", text)
        }
        self.files = {
            module: File(module, code(text))
            for module, text in texts.items()
            if not any(module[: len(test)] == test for test in tests)
        }
        for file in self.files.values():
            self._take_uses(file)
        self.macros = {
            name: module
            for module, file in self.files.items()
            for name in re.findall(r"macro_rules!\s*(\w+)", file.body)
        }

    def edges(self) -> dict[Module, set[Module]]:
        """For each file those from which it imports."""
        return {module: set(self._imports(file)) - {module} for module, file in self.files.items()}

    def _take_uses(self, file: File) -> None:
        def take(found: re.Match[str]) -> str:
            for segments, name in branches(found[2]):
                path = self._absolute(file.module, segments)
                if path is not None:
                    file.uses.append(Use(path, name, bool(found[1])))
            return ""

        file.body = USE.sub(take, file.body)

    def _absolute(self, module: Module, segments: Module) -> Module | None:
        """A path from the root of the crate; none if it leads elsewhere."""
        first, rest = segments[0], segments[1:]
        if first in ("crate", "$crate"):
            return rest
        if first == "self":
            return module + rest
        if first == "super":
            while segments and segments[0] == "super":
                module, segments = module[:-1], segments[1:]
            return module + segments
        return module + segments if (*module, first) in self.files else None

    def _imports(self, file: File) -> Iterator[Module]:
        for path in self._paths(file):
            found = self.where(path)
            if found is not None:
                yield found

    def _paths(self, file: File) -> Iterator[Module]:
        """The names in the file's code, by paths from the root."""
        aliases = {}
        for use in file.uses:
            if use.name == "*":
                module = self.where(use.path[:-1])
                yield from ((*use.path[:-1], name) for name in file.names if self._has(module, name))
            elif use.path in self.files:
                aliases[use.name] = use.path
            elif use.name in file.names or (not use.public and self._is_trait(use.path)):
                yield use.path
        for first, rest, is_macro in PATH.findall(file.body):
            segments = (first, *rest[2:].split("::"))
            if first in aliases:
                yield aliases[first] + segments[1:]
            elif (path := self._absolute(file.module, segments)) is not None:
                yield self.macros.get(path[0], ()) if is_macro and len(path) == 1 else path

    def _is_trait(self, path: Module) -> bool:
        """Traits are used without being named."""
        module = self.where(path)
        return module is not None and path[-1] in self.files[module].traits

    def _has(self, module: Module | None, name: str) -> bool:
        file = self.files.get(module or ())
        return file is not None and (name in file.defines or any(use.public and use.name == name for use in file.uses))

    def where(self, path: Module, seen: frozenset[Module] = frozenset()) -> Module | None:
        """The file that defines the thing that the path names."""
        module = next((path[:length] for length in range(len(path), -1, -1) if path[:length] in self.files), None)
        rest = path[len(module) :] if module is not None else ()
        if module is None or path in seen or not rest:
            return module
        seen |= {path}
        file = self.files[module]
        if rest[0] in file.defines:
            return module
        for use in file.uses:
            if use.name == rest[0]:
                return self.where(use.path + rest[1:], seen)
        opened = (self.where(use.path[:-1] + rest, seen) for use in file.uses if use.public and use.name == "*")
        return next((found for found in opened if found and rest[0] in self.files[found].defines), module)


def module_of(path: Path) -> Module:
    """``queue/mod.rs`` is the module ``queue``, and ``lib.rs`` the root."""
    parts = path.with_suffix("").parts
    return parts[:-1] if parts[-1] in ("mod", "lib") else parts


def code(text: str) -> str:
    """The code without comments, texts, and parts that are compiled for tests alone."""
    text = NO_CODE.sub('""', text)
    while test := re.search(r"#\[cfg\((?:all\()?test[^\]]*\]", text):
        text = text[: test.start()] + text[end_of_item(text, test.end()) :]
    return re.sub(r"pub\(in [^)]*\)", "pub", text)


def end_of_item(text: str, start: int) -> int:
    """Where the item ends that begins at ``start``: at its last brace, or at a semicolon."""
    depth = 0
    for at in range(start, len(text)):
        if text[at] in "{([":
            depth += 1
        elif text[at] in "})]":
            depth -= 1
            if depth == 0 and text[at] == "}":
                return at + 1
        elif text[at] == ";" and depth == 0:
            return at + 1
    return len(text)


def branches(tree: str, prefix: Module = ()) -> Iterator[tuple[Module, str]]:
    """Each path in a tree of imports, and the name under which it is known."""
    for branch in filter(None, (part.strip() for part in split(tree))):
        if "{" in branch:
            head, _, below = branch.partition("{")
            segments = tuple(part.strip() for part in head.split("::") if part.strip())
            yield from branches(below.rpartition("}")[0], prefix + segments)
            continue
        path, _, alias = branch.partition(" as ")
        segments = prefix + tuple(part.strip() for part in path.split("::") if part.strip())
        if segments[-1] == "self":
            segments = segments[:-1]
        yield segments, alias.strip() or segments[-1]


def split(tree: str) -> Iterator[str]:
    """The parts between commas outside of braces."""
    depth, start = 0, 0
    for at, letter in enumerate(tree):
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            yield tree[start:at]
            start = at + 1
    yield tree[start:]


def circles(edges: dict[Module, set[Module]]) -> list[set[Module]]:
    """Sets of files each of which imports, directly or by way of others, from each other (Tarjan 1972)."""
    number: dict[Module, int] = {}
    low: dict[Module, int] = {}
    stack: list[Module] = []
    found: list[set[Module]] = []

    def visit(module: Module) -> None:
        number[module] = low[module] = len(number)
        stack.append(module)
        for other in edges[module]:
            if other not in number:
                visit(other)
            if other in stack:
                low[module] = min(low[module], low[other])
        if low[module] == number[module]:
            circle = set(stack[stack.index(module) :])
            del stack[stack.index(module) :]
            if len(circle) > 1:
                found.append(circle)

    for module in edges:
        if module not in number:
            visit(module)
    return found
