"""Builds the laboratory: one page that holds its code and the compiled core. ``make lab``.

The page needs no server and asks the network for nothing: modules are addresses of the kind ``data:`` in an import map,
the core is compressed and written as text, and the worker is made of a text, too.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = Path(__file__).resolve().parent / "lab"
PAGE = ROOT / "python" / "sojourn" / "_lab" / "index.html"
BUILD = ROOT / "site" / "build-wasm"


def build_core() -> Path | None:
    """Compile the core; None where this machine has no compiler for it."""
    found = subprocess.run([BUILD], stdout=subprocess.PIPE, text=True, check=False)
    if found.returncode == 3:
        return None
    found.check_returncode()
    return Path(found.stdout.strip().splitlines()[-1])


def page(core: bytes) -> str:
    """The whole page."""
    modules = {
        path.stem: path.read_text(encoding="utf-8") for path in sorted(SOURCES.glob("*.js")) if path.stem != "worker"
    }
    modules["palette"] = palette()
    imports = ",".join(f'"lab/{name}.js":"{_address(_named(text))}"' for name, text in modules.items())
    scripts = (
        f'<script type="importmap">{{"imports":{{{imports}}}}}</script>\n'
        '<script type="module">import "lab/main.js";</script>'
    )
    packed = base64.b64encode(gzip.compress(core, 9, mtime=0)).decode()
    parts = {
        "/*{{style}}*/": (SOURCES / "style.css").read_text(encoding="utf-8"),
        "{{core}}": packed,
        "{{worker}}": (SOURCES / "worker.js").read_text(encoding="utf-8"),
        "{{modules}}": scripts,
    }
    text = (SOURCES / "index.html").read_text(encoding="utf-8")
    for place, part in parts.items():
        if place not in text or "</script" in part.removeprefix(scripts):
            raise ValueError(f"{place}: cannot be put into the page")
        text = text.replace(place, part)
    return text


def palette() -> str:
    """A module with the colours of reports, which queues have here, too."""
    # Only this file is loaded: its package would need everything that a report needs.
    names = runpy.run_path(str(ROOT / "python" / "sojourn" / "_rooms" / "showing" / "plots" / "palette.py"))
    return "".join(f"export const {name} = {json.dumps(names[name])};\n" for name in ("CATEGORY", "COLOURS", "HOMES"))


def _named(text: str) -> str:
    """Imports by name: a module at an address of its own has no neighbours."""
    return re.sub(r'from "\./(\w+\.js)"', r'from "lab/\1"', text)


def _address(text: str) -> str:
    return "data:text/javascript;base64," + base64.b64encode(text.encode()).decode()


def main() -> int:
    """Build, and print the files that were made."""
    options = argparse.ArgumentParser(description="Build the laboratory.")
    options.add_argument("--core", type=Path, help="a compiled core, instead of building it")
    core = options.parse_args().core or build_core()
    if core is None:
        PAGE.unlink(missing_ok=True)
        print("the laboratory is left out: this machine has no compiler for WebAssembly", file=sys.stderr)
        return 0
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(core.read_bytes()), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}, {PAGE.stat().st_size / 1e6:.2f} MB: open it in a browser", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
