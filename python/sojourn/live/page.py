"""The page of a gateway, for a browser on the same machine."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .gateway import Gateway

__all__ = ["Page"]

_ADDRESS = "127.0.0.1"
_FILE = Path(__file__).with_name("page.html")
_PAUSE_S = 0.5


class Page:
    """A server of one page and of its data, on the loopback address. It ends with :meth:`close`.

    Parameters
    ----------
    gateway
        The gateway that is shown.
    port
        0 is a free one.

    Raises
    ------
    OSError
        If the port is taken, or there is no loopback.
    """

    def __init__(self, gateway: Gateway, port: int) -> None:
        self._closing = closing = threading.Event()

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                """Give the page, the links, or the stream of events."""
                # Refuse another site whose name resolves to this address.
                host = (self.headers.get("Host") or "").rpartition(":")[0]
                path = self.path.partition("?")[0]
                if host not in {_ADDRESS, "localhost"}:
                    self.send_error(403)
                elif path == "/":
                    self._give(_FILE.read_bytes(), "text/html; charset=utf-8")
                elif path == "/links":
                    about = {"interfaces": gateway.interfaces, "links": gateway.links}
                    self._give(json.dumps(about).encode(), "application/json")
                elif path == "/events":
                    self._stream()
                else:
                    self.send_error(404)

            def _give(self, content: bytes, kind: str) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(content)

            def _stream(self) -> None:
                """Server-sent events: the parts since the last one, and the report."""
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                last = self.headers.get("Last-Event-ID") or ""
                following = int(last) + 1 if last.isdecimal() else 0
                try:
                    while not closing.is_set():
                        parts = gateway.parts_since(following)
                        if parts:
                            following = parts[-1]["number"] + 1
                        said = json.dumps({"parts": parts, "report": gateway.report(), "ended": gateway.has_ended})
                        self.wfile.write(f"id: {following - 1}\ndata: {said}\n\n".encode())
                        closing.wait(_PAUSE_S)
                except OSError:
                    """The browser has gone."""

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Nobody reads a log of one reader."""

        self._server = ThreadingHTTPServer((_ADDRESS, port), Answers)
        self._server.daemon_threads = True
        self.address = f"http://{_ADDRESS}:{self._server.server_port}/"
        """The address of the page."""
        self._thread = threading.Thread(target=self._server.serve_forever, name="page", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
