"""A server of one page, for programs on this machine alone."""

from __future__ import annotations

from pathlib import Path

from .._base.serving import ADDRESS, Answers, Server

__all__ = ["ADDRESS", "server"]


def server(page: Path, port: int) -> Server:
    """A server of the file `page`; port 0 is a free one."""

    class Page(Answers):
        def get(self, path: str) -> None:
            """Give the page; there is nothing else."""
            if path in {"/", "/index.html", "/lab.html"}:
                self.give(page.read_bytes(), "text/html; charset=utf-8")
            else:
                self.send_error(404)

    return Server(port, Page)
