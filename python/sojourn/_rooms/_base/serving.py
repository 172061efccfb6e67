"""Servers of a page, for programs on this machine alone, which bear odd and unfinished requests."""

from __future__ import annotations

import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

__all__ = ["ADDRESS", "Answers", "Server"]

ADDRESS = "127.0.0.1"
"""Only programs on this machine reach it."""
_MOST = 64
"""Connections at a time: a browser opens six. Further ones are closed."""
_REQUEST_S = 10.0
"""A request that is not complete by then is given up."""


class Answers(BaseHTTPRequestHandler):
    """The answers to one connection. A class of this derives `get`."""

    server: Server
    timeout = _REQUEST_S

    def get(self, path: str) -> None:
        """Answer a request that is in order; `path` is without its query."""
        raise NotImplementedError

    def do_GET(self) -> None:
        """Refuse requests of other sites, and let `get` answer the rest."""
        self.server.asked(self.connection)
        path = self.path.partition("?")[0]
        hosts = self.headers.get_all("Host") or []
        if len(hosts) != 1:
            self.send_error(400, "a request names one host")
        elif hosts[0].rpartition(":")[0] not in {ADDRESS, "localhost"}:
            # Another site whose name resolves to this address.
            self.send_error(403)
        elif path != "/" and self.headers.get("Sec-Fetch-Site", "none") not in {"none", "same-origin"}:
            # A page of another site could not read the answer, but hold the connection.
            self.send_error(403)
        else:
            self.get(path)

    def give(self, content: bytes, kind: str) -> None:
        """Send content of this type."""
        self.begin(kind, {"Content-Length": str(len(content))})
        self.wfile.write(content)

    def begin(self, kind: str, more: dict[str, str] | None = None) -> None:
        """Send the head of an answer. No other page may show it in a frame."""
        self.send_response(200)
        head = {"Content-Type": kind, "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
        head["Content-Security-Policy"] = "frame-ancestors 'none'"
        for name, value in {**head, **(more or {})}.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nobody reads a log of one reader."""


class Server(ThreadingHTTPServer):
    """A server of these answers on the loopback address; port 0 is a free one.

    Raises
    ------
    OSError
        If the port is taken, or there is no loopback.
    """

    daemon_threads = True

    def __init__(self, port: int, answers: type[Answers]) -> None:
        self._lock = threading.Lock()
        self._asking: dict[socket.socket, float] = {}
        """The end of the time for requests that are not complete."""
        self._open: set[socket.socket] = set()
        super().__init__((ADDRESS, port), answers)

    def asked(self, connection: socket.socket) -> None:
        """A request is complete."""
        with self._lock:
            self._asking.pop(connection, None)

    def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ARG002
        """Whether the connection is one of the first :data:`_MOST`."""
        with self._lock:
            if len(self._open) >= _MOST:
                return False
            self._open.add(request)
            self._asking[request] = time.monotonic() + _REQUEST_S
        return True

    def service_actions(self) -> None:
        """Give up requests that take too long, however often a byte comes."""
        now = time.monotonic()
        with self._lock:
            for connection in [one for one, end in self._asking.items() if end < now]:
                del self._asking[connection]
                # Its thread then reads the end of the request.
                _end(connection)

    def shutdown_request(self, request: Any) -> None:
        """A connection is over."""
        with self._lock:
            self._open.discard(request)
            self._asking.pop(request, None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing about connections that the other side has ended or not used."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


def _end(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        """It is over."""
