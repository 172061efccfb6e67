"""The page of a gateway, for a browser on the same machine."""

from __future__ import annotations

import json
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from .._base.serving import ADDRESS, Answers, Server

if TYPE_CHECKING:
    from .gateway import Gateway

__all__ = ["Page"]

_FILE = Path(__file__).with_name("page.html")
_PAUSE_S = 0.5
_NUMBER = re.compile(r"[0-9]{1,18}")


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

        class Shown(Answers):
            def get(self, path: str) -> None:
                """Give the page, the links, or the stream of events."""
                if path == "/":
                    self.give(_FILE.read_bytes(), "text/html; charset=utf-8")
                elif path == "/links":
                    about = {"interfaces": gateway.interfaces, "links": gateway.links}
                    self.give(json.dumps(about).encode(), "application/json")
                elif path == "/events":
                    self._stream()
                else:
                    self.send_error(404)

            def _stream(self) -> None:
                """Server-sent events: the parts since the last one, and the report."""
                last = self.headers.get("Last-Event-ID") or ""
                if last and not _NUMBER.fullmatch(last):
                    self.send_error(400, "Last-Event-ID is the number of an event")
                    return
                following = int(last) + 1 if last else 0
                self.begin("text/event-stream")
                while not closing.is_set():
                    parts = gateway.parts_since(following)
                    if parts:
                        following = parts[-1]["number"] + 1
                    if following:
                        said = json.dumps({"parts": parts, "report": gateway.report(), "ended": gateway.has_ended})
                        self.wfile.write(f"id: {following - 1}\ndata: {said}\n\n".encode())
                    closing.wait(_PAUSE_S)

        self._server = Server(port, Shown)
        self.address = f"http://{ADDRESS}:{self._server.server_port}/"
        """The address of the page."""
        self._thread = threading.Thread(target=self._server.serve_forever, name="page", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End it."""
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
