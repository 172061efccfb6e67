"""Where the papers are: what commands know of them without reading any."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["paper_folders"]


def paper_folders() -> dict[str, Path]:
    """Directories of the papers by key.

    Those of ``$SOJOURN_PAPERS``, else of the working directory, else those that come with the package.
    """
    named = os.environ.get("SOJOURN_PAPERS")
    places = [Path(named)] if named else [Path("papers"), Path(__file__).resolve().parent / "_papers"]
    for place in places:
        found = {script.parent.name: script.parent for script in sorted(place.glob("*/claims.py"))}
        if found:
            return found
    return {}
