"""The folders of works, and the places of the files in them. No file of a work is read here."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = [
    "folder_of",
    "is_work",
    "own_folders",
    "paper_folders",
    "record_of",
    "root_of",
    "scenarios_of",
    "search_folders",
]

WORK, EXPECTED, SHARED, SENTENCES = "work.toml", "expected.toml", "shared.toml", "sentences.toml"
NOT_TESTED, FIGURES = "not-tested.toml", "figures.toml"
EXPERIMENTS, SCENARIOS, RECORD = "experiments", "scenarios", "record"
CODE = "code/experiments.py"
"""Python for experiments that no study file can express."""
OLD = ("about.toml", "claims.py")
"""Each of them marked the folder of a work up to Sojourn 0.1."""

_PACKAGED = Path(__file__).resolve().parents[2] / "_papers"
_MOVES = (
    "about.toml -> work.toml, with title and citation; parts.toml -> shared.toml; scenario files -> scenarios/; "
    "study files -> experiments/; verdicts.toml, failures.toml, quick.toml -> record/; "
    f"claims.py -> {CODE}, without the study files, which are found"
)


def search_folders() -> list[Path]:
    """Folders in which works of one's own are looked for: ``papers`` of the working directory, and $SOJOURN_PAPERS."""
    named = os.environ.get("SOJOURN_PAPERS", "")
    return [Path("papers"), *(Path(one) for one in named.split(os.pathsep) if one)]


def is_work(folder: Path) -> bool:
    """Whether a folder holds a work, be it one with the files of an earlier version."""
    return any((folder / name).is_file() for name in (WORK, *OLD))


def check_layout(folder: Path) -> None:
    """Refuse the folder of a work whose files are where an earlier version had them.

    Raises
    ------
    ValueError
        With the files to move, and their new places.
    """
    old = [name for name in OLD if (folder / name).is_file()]
    if old and not (folder / WORK).is_file():
        raise ValueError(f"{folder}: the files of this work are where Sojourn 0.1 had them\n  hint:    move {_MOVES}")


def root_of(file: Path) -> Path:
    """The folder of the work to which a study file belongs: above ``experiments``, or its own."""
    return file.parent.parent if file.parent.name == EXPERIMENTS else file.parent


def scenarios_of(root: Path) -> Path:
    """The folder with the scenario files of a work; those of a study file without a work are beside it."""
    own = root / SCENARIOS
    return own if own.is_dir() else root


def record_of(root: Path, name: str) -> Path:
    """A file with results of runs of the work."""
    return root / RECORD / name


def own_folders() -> dict[str, Path]:
    """Directories of the works of one's own by key; a link to those that come with Sojourn does not count."""
    return {folder.name: folder for place in search_folders() if place.resolve() != _PACKAGED for folder in _in(place)}


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
