"""Where the works are: what commands know of them without reading any."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["folder_of", "is_work", "own_folders", "paper_folders", "places"]

CLAIMS, ABOUT = "claims.py", "about.toml"
"""One of them makes a folder the folder of a work."""

_PACKAGED = Path(__file__).resolve().parent.parent / "_papers"


def places() -> list[Path]:
    """Folders in which works of one's own are looked for: ``papers`` of the working directory, and $SOJOURN_PAPERS."""
    named = os.environ.get("SOJOURN_PAPERS", "")
    return [Path("papers"), *(Path(one) for one in named.split(os.pathsep) if one)]


def is_work(folder: Path) -> bool:
    """Whether a folder holds a work."""
    return any((folder / name).is_file() for name in (CLAIMS, ABOUT))


def own_folders() -> dict[str, Path]:
    """Directories of the works of one's own by key; a link to those that come with Sojourn is none."""
    return {folder.name: folder for place in places() if place.resolve() != _PACKAGED for folder in _in(place)}


def paper_folders() -> dict[str, Path]:
    """Directories of all works by key: one's own first, which go before one of that key that comes with Sojourn."""
    own = own_folders()
    return own | {folder.name: folder for folder in _in(_PACKAGED) if folder.name not in own}


def folder_of(named: str) -> Path | None:
    """The folder of a work, by its key or by the folder itself; nothing where there is none."""
    known = paper_folders().get(named)
    if known is not None:
        return known
    return Path(named) if named and is_work(Path(named)) else None


def _in(place: Path) -> list[Path]:
    try:
        return [folder for folder in sorted(place.iterdir()) if is_work(folder)]
    except OSError:
        return []
