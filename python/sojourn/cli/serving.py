"""A server of one page, for programs on this machine alone."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

__all__ = ["ADDRESS", "server"]

# Only programs on this machine reach it.
ADDRESS = "127.0.0.1"


def server(page: Path, port: int) -> ThreadingHTTPServer:
    """A server of the file `page`; port 0 is a free one."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Give the page; there is nothing else."""
            if self.path.partition("?")[0] not in {"/", "/index.html", "/lab.html"}:
                self.send_error(404)
                return
            content = page.read_bytes()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nobody reads a log of one reader."""

    return ThreadingHTTPServer((ADDRESS, port), Page)
