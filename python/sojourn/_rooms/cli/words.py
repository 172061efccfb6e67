"""Words of ``tc`` and ``sysctl`` that are no name here, for ``sojourn explain``: their meaning in a line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .._base.toml import inline
from ..catalogue.glossary import glossary
from ..scenario.sysctl import NAMES, NOT_HERE, ROUTE
from ..scenario.tc import LINES, Line

__all__ = ["meanings"]


def meanings(word: str) -> Iterator[str]:
    """Sentences about a word: of the glossary, of each line of tc that has it, and of the names of ``--tcp``."""
    if text := glossary(word):
        yield text
    tc = word.lower()
    told: dict[str, list[str]] = {}
    for name, line in LINES.items():
        if (said := _of_line(tc, line)) is not None:
            told.setdefault(said, []).append(name)
    for said, names in told.items():
        yield f"in a line of tc, of {', '.join(names)}: {said}"
    short = re.sub(r"^net[./](ipv4|core)[./]", "", tc)
    if short in NAMES:
        default = NAMES[short].default
        yield f"--tcp takes it, as in sysctl: --tcp '{short}={default}' is Linux's default"
    elif short in ROUTE:
        default = ROUTE[short].default
        yield f"--tcp takes it, as in ip route, before its value; Linux's default: {default}"
    elif short in NOT_HERE:
        yield f"a name of sysctl that is not here: {NOT_HERE[short]}"


def _of_line(word: str, line: Line) -> str | None:
    """The effect of a word in a line of a queueing discipline."""
    if word in line.words:
        parameter = line.words[word].parameter
        return (
            f"sets {parameter} of {line.kind}" if parameter else f"a number from which parameters of {line.kind} follow"
        )
    if word in line.flags:
        sets = {key: value for key, value in line.flags[word].items() if re.fullmatch(r"\w+", key)}
        return f"sets {', '.join(f'{key} = {inline(value)}' for key, value in sets.items())}" if sets else "it is taken"
    if word in line.fixed:
        return f"it is taken as {' or '.join(line.fixed[word])}"
    if word in line.not_here:
        return f"it is not here: {line.not_here[word]}"
    return None
