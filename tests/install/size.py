"""How much of a disk an environment takes, as ``du -s`` counts it: README and site/pages/install.md say it.

Makes an empty environment, installs the wheel in it as a reader does, without and with reports, and prints the
megabytes and the largest packages. Needs the wheel: `make wheel`.

    .venv/bin/python tests/install/size.py
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from installed import Installed, wheel

__all__ = ["main", "on_disk"]


def on_disk(folder: Path) -> float:
    """Megabytes (10^6 bytes) of the blocks that a folder takes."""
    return sum(path.lstat().st_blocks * 512 for path in [folder, *folder.rglob("*")]) / 1e6


def main() -> int:
    """Measure, and print."""
    found = wheel()
    if found is None:
        print("there is no wheel: make wheel", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        here = Installed(Path(folder), found)
        venv = here.bin.parent
        print(f"the package alone: {on_disk(venv):.0f} MB")
        here.install(f"{found}[report]")
        print(f"with reports:      {on_disk(venv):.0f} MB")
        packages = next((venv / "lib").glob("python3*/site-packages"))
        sizes = sorted(((on_disk(path), path.name) for path in packages.iterdir() if path.is_dir()), reverse=True)
        print("of these: " + ", ".join(f"{name} {size:.0f}" for size, name in sizes[:8]))
        byte_code = sum(path.stat().st_size for path in packages.rglob("*.pyc")) / 1e6
        print(f"byte code that pip writes: {byte_code:.0f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
