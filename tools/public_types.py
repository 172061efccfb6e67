"""Asks pyright whether each public name of the package has a type, as a user's editor sees it: 100 % is expected.

It needs Node (``npx``), which downloads pyright, and the stubs of ``make build``.
"""

from __future__ import annotations

import os
import shutil
import site
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYRIGHT = "pyright@1.1.414"


def main() -> int:
    """Exit code of pyright: 0 if all types are known."""
    npx = shutil.which("npx")
    if npx is None:
        print("error: npx is not installed; it comes with Node", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        environment = Path(folder) / "environment"
        venv.create(environment, with_pip=False)
        (packages,) = environment.glob("lib/python*/site-packages")
        # Pyright takes no package that is installed by a link to its sources.
        shutil.copytree(
            ROOT / "python/sojourn",
            packages / "sojourn",
            ignore=shutil.ignore_patterns("_papers", "*.so", "__pycache__"),
        )
        (packages / "others.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
        search = os.pathsep.join([str(environment / "bin"), os.environ["PATH"]])
        command = [npx, "--yes", PYRIGHT, "--verifytypes", "sojourn", "--ignoreexternal"]
        return subprocess.run(command, cwd=folder, env={**os.environ, "PATH": search}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
