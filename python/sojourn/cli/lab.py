"""``sojourn lab``: the laboratory in the browser, served to this machine alone."""

from __future__ import annotations

import sys
import webbrowser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated

import typer

from .guard import guarded

__all__ = ["PAGE", "add_to", "lab", "server"]

PAGE = Path(__file__).resolve().parents[1] / "_lab" / "index.html"

# Only programs on this machine reach it.
_ADDRESS = "127.0.0.1"
_PORT = 8765

_MISSING = """the laboratory is not in this copy of Sojourn
  hint:    wheels have it; in the repository `make lab` builds it, with rustup or with Debian's packages
           rustc-web, rust-web-src and lld-19"""


def add_to(app: typer.Typer) -> None:
    """Make it a command of `app`."""
    app.command()(guarded(lab))


def lab(
    port: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=65535, help=f"Port; by default {_PORT}, or a free one.")
    ] = None,
    open_: Annotated[bool, typer.Option("--open/--no-open", help="Open it in the browser.")] = True,
) -> None:
    """Open the laboratory in the browser.

    The page is served on the loopback address only, until Ctrl-C. It works as a file, too.
    """
    if not PAGE.exists():
        raise ValueError(_MISSING)
    try:
        serving = server(_PORT if port is None else port)
    except OSError as error:
        if port is not None:
            raise ValueError(f"--port {port}: {error.strerror or error}\n  hint:    another port, or none") from None
        serving = server(0)
    address = f"http://{_ADDRESS}:{serving.server_port}/"
    print(f"the laboratory: {address}  (Ctrl-C ends it; as a file: {PAGE})", file=sys.stderr, flush=True)
    if open_:
        webbrowser.open(address)
    with serving:
        serving.serve_forever()


def server(port: int) -> ThreadingHTTPServer:
    """A server of the one page; port 0 is a free one."""
    return ThreadingHTTPServer((_ADDRESS, port), _Page)


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Give the page; there is nothing else."""
        if self.path.partition("?")[0] not in {"/", "/index.html", "/lab.html"}:
            self.send_error(404)
            return
        content = PAGE.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nobody reads a log of one reader."""
