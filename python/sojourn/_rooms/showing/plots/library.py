"""The scripts that draw charts in a browser, packed, for pages that ask no network for anything."""

from __future__ import annotations

import base64
import gzip
import os
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from ..._base.files import write_whole

__all__ = ["library", "packed"]


def packed(text: str) -> str:
    """As report.js and notebook.js unpack it: gzip, in letters."""
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode("ascii")


@cache
def library() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, packed. Putting it together takes seconds, so it is kept."""
    # Without a writable home directory, the script is made again each time.
    with suppress(OSError, RuntimeError, UnicodeDecodeError):
        return _cache_file().read_text(encoding="ascii")
    # Read here: it takes 9 MB, and most pages find the scripts where they are kept.
    import vl_convert

    script = str(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"))
    made = packed(script)
    with suppress(OSError, RuntimeError):
        kept = _cache_file()
        kept.parent.mkdir(parents=True, exist_ok=True)
        write_whole(kept, made)
    return made


def _cache_file() -> Path:
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return home / "sojourn" / f"vega-{version('vl-convert-python')}.js.gz.b64"
