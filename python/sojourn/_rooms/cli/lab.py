"""``sojourn lab``: the laboratory in the browser, served to this machine alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from .guard import guarded

__all__ = ["PAGE", "lab"]

PAGE = Path(__file__).resolve().parents[2] / "_lab" / "index.html"

_PORT = 8765

_MISSING = """the laboratory is not in this copy of Sojourn
  hint:    wheels have it; in the repository `make lab` builds it in about a minute, with rustup or with
           Debian's packages rustc-web, rust-web-src and lld-19"""


@guarded
def lab(
    port: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65535, help=f"Port; by default {_PORT}, or a free one.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser.")] = True,
) -> None:
    """Open the laboratory in the browser.

    The page is served on the loopback address only, until Ctrl-C. It works as a file, too.
    """
    import webbrowser

    from .serving import ADDRESS, server

    if not PAGE.exists():
        raise ValueError(_MISSING)
    try:
        serving = server(PAGE, _PORT if port is None else port)
    except OSError as error:
        if port is not None:
            raise ValueError(f"--port {port}: {error.strerror or error}\n  hint:    another port, or none") from None
        serving = server(PAGE, 0)
    address = f"http://{ADDRESS}:{serving.server_port}/"
    print(f"the laboratory: {address}  (Ctrl-C ends it; as a file: {PAGE})", file=sys.stderr, flush=True)
    if open_:
        webbrowser.open(address)
    with serving:
        serving.serve_forever()
