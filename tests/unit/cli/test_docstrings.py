"""The examples in docstrings give the output that they show; `python tests/unit/cli/test_docstrings.py` runs them."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
SITE = ROOT / "site"


def test_examples_in_docstrings_are_right():
    # In a process of its own: examples register queues, which other tests would find.
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def main() -> int:
    """Runs the examples of the package and of the site's generator; how many failed."""
    import sojourn

    # As in site/build.py.
    sys.path[:0] = [str(SITE), str(ROOT / "evidence"), str(ROOT / "evidence" / "linux" / "programs")]
    found = pkgutil.walk_packages(sojourn.__path__, "sojourn.", onerror=lambda _: None)
    # These start programs, or are found by their folder.
    names = [name for _, name, _ in found if not name.endswith("__main__") and "_papers" not in name]
    names += [f"generator.{path.stem}" for path in (SITE / "generator").glob("*.py") if path.stem != "__init__"]
    results = [doctest.testmod(importlib.import_module(name)) for name in ("sojourn", *sorted(names))]
    if sum(one.attempted for one in results) < 50:
        print("there are hardly any examples: are they found?")
        return 1
    return sum(one.failed for one in results)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
