"""The site is built without a warning; its links lead somewhere; it works from files, offline, on a phone."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from scan import faults

from helpers.browser import CHROMIUM, NO_FRAMES, Browser, Page
from sojourn import _core

ROOT = Path(__file__).resolve().parents[2]


REGISTRY = json.loads(_core.registry())
# Those with different things on them: tables, plots, code, signatures.
LOOKED_AT = [
    "index.html",
    "tutorial.html",
    "install.html",
    "queues/index.html",
    "queues/codel.html",
    "ranking/index.html",
    "coming-from/ns2.html",
    "api/run.html",
    "api/queues.html",
    "reference/scenario.html",
]

# Of the pages of classes and of functions, whose parts are made alike, axe reads short ones: those of queues and of
# runs take it longer than all others.
SHORT = {"api/queues.html": "api/losses.html", "api/run.html": "api/network.html"}
READ = [SHORT.get(name, name) for name in LOOKED_AT]

# Sphinx lays out a long signature as a list of definitions without terms.
OF_SPHINX = {"definition-list"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, with plots of a few queues."""
    pytest.importorskip("furo")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, ROOT / "site/build.py", "--quick", "--to", folder / "site", "--pages", folder / "pages"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "site"


@pytest.fixture(scope="module")
def page(browser: Browser) -> Page:
    """One page for all that is looked at: a new one is a process of the browser."""
    return browser.page()


def opened(page: Page, path: Path, *, width: int, theme: str) -> None:
    """Open a page of the site in a window of this width."""
    page.errors.clear()
    page.requests.clear()
    page.size(width, 900, phone=width < 500)
    page.scheme(theme)
    page.call("Page.navigate", url=path.as_uri())
    page.wait("document.readyState === 'complete' && !!document.querySelector('h1')")


class QuietHandler(SimpleHTTPRequestHandler):
    """Nobody reads a log of it."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


# For each tag its name and its attributes, and of these the links and anchors. A parser of HTML
# takes six times as long for the 20 MB of pages.
TAG = re.compile(r"""<(\w+)((?:[^<>"']|"[^"]*"|'[^']*')*)>|<!--.*?-->""", re.S)
ATTRIBUTE = re.compile(r"""\s(id|name|href|src|rel)=(?:"([^"]*)"|'([^']*)')""")


class Links:
    """Where a page leads, what it loads, and the anchors that it has."""

    def __init__(self, page: Path) -> None:
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        for tag, rest in TAG.findall(page.read_text(encoding="utf-8")):
            given = {name: unescape(value or other) for name, value, other in ATTRIBUTE.findall(rest)}
            self.anchors |= {given[name] for name in ("id", "name") if name in given}
            if tag == "a" and "href" in given:
                self.links.append(given["href"])
            elif tag in {"img", "script", "link"} and given.get("rel") != "canonical":
                self.loads += [given[name] for name in ("src", "href") if name in given]


@functools.cache
def leads_to(folder: Path, path: str) -> tuple[Path, bool]:
    """The file to which a link on a page of this folder leads, and whether it is there."""
    target = (folder / unquote(path)).resolve()
    return target, target.exists()


def test_everything_with_a_name_has_a_page(site: Path):
    kinds = {"queues": "queues", "transports": "senders", "controls": "senders", "apps": "sources"}
    pages = [site / folder / f"{entry['name']}.html" for kind, folder in kinds.items() for entry in REGISTRY[kind]]

    assert [page.name for page in pages if not page.exists()] == []


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site: Path):
    pages = {page: Links(page) for page in sorted(site.rglob("*.html")) if page.name != "laboratory.html"}
    broken = []
    for page, found in pages.items():
        for link in found.links + found.loads:
            parts = urlsplit(link)
            if parts.scheme in {"http", "https", "mailto"}:
                assert link in found.links, f"{page} loads {link}"
                continue
            if parts.scheme:
                continue
            target, exists = leads_to(page.parent, parts.path) if parts.path else (page, True)
            if not exists:
                broken.append(f"{page.relative_to(site)}: {link}")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                broken.append(f"{page.relative_to(site)}: {link} (no such anchor)")

    assert broken == []
    assert len(pages) > 100


def test_every_laboratory_link_of_a_queue_names_a_queue(site: Path):
    names = {entry["name"] for entry in REGISTRY["queues"]}
    links = [link for page in site.glob("queues/*.html") for link in Links(page).links if "laboratory.html#" in link]

    parts = [part.partition("=") for link in links for part in urlsplit(link).fragment.split("&")]
    assert all(value in names for key, _, value in parts if key == "queue")
    assert {key for key, _, _ in parts} == {"queue", "flow"}


@pytest.mark.parametrize("name", LOOKED_AT)
@pytest.mark.parametrize(("width", "theme"), [(390, "dark"), (1400, "light")])
def test_a_page_is_drawn_without_an_error_and_fits(site: Path, page: Page, name: str, width: int, theme: str):
    opened(page, site / name, width=width, theme=theme)

    assert page.errors == []
    assert page.run("document.documentElement.scrollWidth") <= width
    assert all(url.startswith(("file:", "data:")) for url in page.requests)
    shown = "[...document.querySelectorAll('article img')].filter((img) => getComputedStyle(img).display !== 'none')"
    assert page.run(f"{shown}.every((img) => img.complete && img.naturalWidth > 0 && img.alt)")
    assert page.run(f"{shown}.every((img) => !img.classList.contains('only-{'light' if theme == 'dark' else 'dark'}'))")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("width", "shape"), [(390, "narrow"), (1400, "wide")])
def test_pictures_are_drawn_for_the_width_of_the_page(site: Path, page: Page, width: int, shape: str, theme: str):
    opened(page, site / "queues" / "codel.html", width=width, theme=theme)
    shown = page.run(
        "[...document.querySelectorAll('article img')].filter((img) => getComputedStyle(img).display !== 'none')"
        ".map((img) => [img.src, img.width, img.naturalWidth])"
    )

    assert len(shown) == 2
    assert all(f"-{theme}-{shape}.svg" in src for src, _, _ in shown)
    # Letters keep about their size.
    assert all(drawn > 0.9 * natural for _, drawn, natural in shown)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_printed_page_has_its_light_pictures(site: Path, page: Page, theme: str):
    opened(page, site / "queues" / "codel.html", width=900, theme=theme)

    page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": theme}])

    shown = page.run(
        "[...document.querySelectorAll('article img')].filter((img) => getComputedStyle(img).display !== 'none')"
        ".map((img) => img.src)"
    )
    assert len(shown) == 2
    assert all("-light-wide.svg" in src for src in shown)
    assert page.run("getComputedStyle(document.querySelector('.skip-to-content')).display") == "none"


def test_a_link_to_a_class_opens_its_part(site: Path, page: Page):
    opened(page, site / "api" / "queues.html", width=1400, theme="light")
    assert page.run("document.documentElement.scrollHeight") < 8000
    assert "*_" not in page.run("document.body.textContent")

    page.run("location.hash = 'sojourn.queues.Codel'")
    page.wait("document.getElementById('sojourn.queues.Codel').closest('details').open")


@pytest.fixture
def undrawn() -> Iterator[Page]:
    """A page of a browser that measures and draws nothing."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt install chromium")
    with Browser(NO_FRAMES) as running:
        yield running.page()


def test_every_page_is_whole_and_quiet_at_three_widths(site: Path, page: Page, undrawn: Page):
    pages = {path.relative_to(site).as_posix(): path for path in sorted(site.rglob("*.html"))}
    # Sphinx lists the source of each module on a page, all in one form: some of them are enough.
    sources = [name for name in pages if name.startswith("_modules/")]
    for name in sources[5:]:
        del pages[name]
    # A quick build has some of the figures of each work.
    assert sum(re.fullmatch(r"works/\w+/(figure|table).*\.html", name) is not None for name in pages) > 20
    # A report has charts, which are drawn when they come into view.
    reports = {name for name, path in pages.items() if 'class="chart"' in path.read_text(encoding="utf-8")}
    found = {name: faults(page if name in reports else undrawn, path) for name, path in pages.items()}

    assert {name: said for name, said in found.items() if said} == {}
    assert len(found) > 100


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize(("width", "theme"), [(390, "light"), (1400, "dark")])
def test_axe_finds_no_serious_fault(site: Path, page: Page, name: str, width: int, theme: str):
    opened(page, site / name, width=width, theme=theme)

    assert [fault for fault in page.serious_faults() if fault[0] not in OF_SPHINX] == []


def test_the_search_works_without_a_network(site: Path, browser: Browser):
    page = browser.page()
    page.call("Page.navigate", url=(site / "search.html").as_uri() + "?q=bufferbloat+codel")
    page.wait("document.readyState === 'complete'")
    page.call("Page.navigate", url=(site / "search.html").as_uri() + "?q=controlled+delay")
    page.wait("document.querySelectorAll('#search-results li a').length > 0")

    assert "codel.html" in page.run(
        "[...document.querySelectorAll('#search-results li a')].map((a) => a.href).join(' ')"
    )
    page.wait("/found \\d+ page/.test(document.getElementById('search-results').textContent)")
    assert all(url.startswith(("file:", "data:")) for url in page.requests)
    assert page.errors == []


def test_the_search_on_a_server_has_summaries(site: Path, browser: Browser):
    handler = functools.partial(QuietHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = browser.page()
        page.call("Page.navigate", url=f"http://127.0.0.1:{server.server_port}/search.html?q=bufferbloat")
        page.wait("document.querySelectorAll('#search-results li p.context').length > 0")
        server.shutdown()
