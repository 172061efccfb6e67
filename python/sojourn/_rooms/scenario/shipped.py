"""The scenarios that come with Sojourn: ready to run by name, and to copy from."""

from __future__ import annotations

import tomllib
from pathlib import Path

from .._base.files import is_there
from .._base.nearest import nearest_question
from .._base.schema import Wrong

__all__ = ["about", "beside", "find", "names", "path"]

_FOLDER = Path(__file__).resolve().parents[2] / "_scenarios"


def names() -> list[str]:
    """Names of the scenarios, in order: ``red_classic`` and others."""
    return sorted(file.stem for file in _FOLDER.glob("*.toml"))


def path(name: str) -> Path:
    """The file of the scenario called `name`."""
    if name not in names():
        raise ValueError(f"there is no scenario {name!r}\n  allowed: {', '.join(names())}")
    return _FOLDER / f"{name}.toml"


def find(named: Path) -> Path:
    """The file that `named` means: itself if there is one, else the scenario of that name that comes with Sojourn."""
    bare = named.parent == Path() and named.suffix in ("", ".toml")
    if bare and not is_there(named) and named.stem in names():
        return path(named.stem)
    return named


def beside(folder: Path, name: str) -> Path:
    """The file of this name in a folder, else the scenario of this name that comes with Sojourn.

    Raises
    ------
    sojourn._rooms._base.schema.Wrong
        If there is neither.
    """
    place = folder / name
    if name and place.is_file():
        return place
    if name in names():
        return path(name)
    known = [*names(), *(one.name for one in sorted(folder.glob("*.toml")))]
    hint = nearest_question(
        name, known, shown=lambda one: f"{one!r}{', which comes with Sojourn' if one in names() else ''}"
    )
    raise Wrong(f"there is no file {place}, and Sojourn has no scenario {name!r}", "scenario", hint=hint)


def about(name: str) -> tuple[str, str]:
    """Title of a scenario, and the comment that its file begins with."""
    text = path(name).read_text(encoding="utf-8")
    comment = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        comment.append(line.lstrip("#").strip())
    prose = " ".join(line for line in comment if not line.startswith("sojourn "))
    return str(tomllib.loads(text)["title"]), prose
