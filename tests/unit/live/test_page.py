"""The gateway's page under requests as no browser sends them; a stand-in shows the numbers. It needs no rights."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from sojourn._rooms._base import serving
from sojourn._rooms.live.page import Page


class Numbers:
    """In place of a gateway: one tenth of a second has passed."""

    interfaces = ("lan0", "wan0")
    links = ()
    has_ended = False

    def report(self) -> dict:
        return {}

    def parts_since(self, number: int) -> list[dict]:
        assert 0 <= number < 2**64
        return [{"number": 0}] if number == 0 else []


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[Page]:
    monkeypatch.setattr(serving, "_MOST", 8)
    monkeypatch.setattr(serving, "_REQUEST_S", 1.0)
    made = Page(Numbers(), 0)
    yield made
    made.close()


def port(page: Page) -> int:
    return int(page.address.rstrip("/").rpartition(":")[2])


def opened(page: Page, *lines: str) -> socket.socket:
    """A connection with these lines, and an empty one if the last is."""
    asking = socket.create_connection(("127.0.0.1", port(page)), timeout=30)
    asking.sendall("\r\n".join(lines).encode())
    return asking


def status(page: Page, *lines: str) -> bytes:
    with opened(page, *lines, "", "") as asking:
        return asking.recv(65536).partition(b"\r\n")[0].partition(b" ")[2][:3]


HOST = "Host: 127.0.0.1:80"


@pytest.mark.parametrize(
    "last", ["9" * 30, "9" * 5000, "18446744073709551615", "-1", "x", "\N{ARABIC-INDIC DIGIT ONE}"]
)
def test_an_event_with_an_odd_number_is_refused_and_nothing_is_printed(page, capfd, last):
    assert status(page, "GET /events HTTP/1.1", HOST, f"Last-Event-ID: {last}") == b"400"
    assert status(page, "GET /events HTTP/1.1", HOST, "Last-Event-ID: 7") == b"200"
    assert capfd.readouterr() == ("", "")


def test_a_request_names_one_host_and_is_of_this_site(page):
    assert status(page, "GET /links HTTP/1.1", HOST) == b"200"
    assert status(page, "GET /links HTTP/1.1", HOST, "Host: elsewhere.example") == b"400"
    assert status(page, "GET /links HTTP/1.1", "Host: elsewhere.example") == b"403"
    assert status(page, "GET /events HTTP/1.1", HOST, "Sec-Fetch-Site: cross-site") == b"403"
    assert status(page, "GET /events HTTP/1.1", HOST, "Sec-Fetch-Site: same-origin") == b"200"


def test_half_requests_end_and_there_is_a_most_of_them(page):
    half = [opened(page, "GET /ev") for _ in range(20)]
    # The first eight have their second; further ones are closed at once.
    assert [one.recv(1) for one in half[8:]] == [b""] * 12
    for number in range(20):
        time.sleep(0.1)
        for one in half[:8]:
            try:
                one.sendall(str(number).encode())
            except OSError:
                continue
    # A byte now and then prolongs nothing.
    for one in half[:8]:
        try:
            assert one.recv(1) in (b"", b"H")
        except ConnectionError:
            continue
    assert status(page, "GET / HTTP/1.1", HOST) == b"200"
    for one in half:
        one.close()


def test_the_page_may_load_nothing_from_elsewhere(page):
    with opened(page, "GET / HTTP/1.1", HOST, "Connection: close", "", "") as asking:
        got = b""
        while more := asking.recv(65536):
            got += more
    assert b"default-src 'none'" in got
    assert b"frame-ancestors 'none'" in got
