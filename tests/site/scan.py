"""Finds faults of a page of the site in a browser; `python tests/site/scan.py SITE` does so for every page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[1]))

from helpers.browser import Browser, Page

# Things that a reader of this page would miss: pictures that did not load or have no words, and parts of a scrolling
# table outside of its window. Sphinx makes tables of its own.
_MISSED = """(() => {
  const seen = (node) => node.getClientRects().length > 0 && getComputedStyle(node).display !== "none";
  const pictures = [...document.querySelectorAll("article img, main img")].filter(seen);
  // Printed numbers of a work may have many columns: their table is in a window of its own, which a keyboard reaches.
  const tables = [...document.querySelectorAll("article table:not(.scroll[tabindex] > .printed-cells)")].filter(seen);
  const wide = (node) => node.scrollWidth > node.clientWidth + 1;
  const beyond = (table) => table.getBoundingClientRect().right > document.documentElement.clientWidth;
  const scrolls = (table) => wide(table) || beyond(table);
  return [
    ...tables.filter(scrolls).map((table) => `a table that scrolls: ${table.textContent.trim().slice(0, 60)}`),
    ...pictures.filter((img) => !(img.complete && img.naturalWidth > 0)).map((img) => `no picture: ${img.src}`),
    ...pictures.filter((img) => !img.alt).map((img) => `a picture without words: ${img.src}`),
  ];
})()"""
# All parts are unfolded. Charts are drawn when they come into view: the names of those that then have no marks after
# two seconds. Vega's axes, legends and backgrounds are not marks.
_EMPTY = """(async () => {
  const found = [];
  document.querySelectorAll("details").forEach((fold) => { fold.open = true; });
  for (const chart of document.querySelectorAll(".chart")) {
    chart.scrollIntoView();
    const drawn = () => chart.querySelector("svg .role-mark :is(path, line, text, image)") !== null;
    for (let turn = 0; turn < 40 && !drawn(); turn += 1) await new Promise((go) => setTimeout(go, 50));
    if (!drawn()) found.push(`an empty chart: ${chart.dataset.file}`);
  }
  return found;
})()"""


WIDTHS = (390, 768, 1400)


def faults(page: Page, path: Path, widths: Sequence[int] = WIDTHS) -> list[str]:
    """The faults of a page in windows of these widths. It is opened in the first, which then becomes wider.

    It is too wide, says something on the console, asks another machine, lacks a picture, or has an empty chart.
    """
    page.errors.clear()
    page.requests.clear()
    found: list[str] = []
    for width in widths:
        page.size(width, 900, phone=width < 500)
        if width == widths[0]:
            page.call("Page.navigate", url=path.resolve().as_uri())
            page.wait("document.readyState === 'complete'")
        else:
            # Pictures are others for another width.
            page.wait("[...document.images].every((img) => img.complete)")
        missed: list[str] = page.run(_EMPTY) + page.run(_MISSED)
        drawn = page.run("document.documentElement.scrollWidth")
        if drawn > width:
            missed.append(f"{drawn} px wide")
        found += [f"at {width}: {said}" for said in missed]
    found += [f"the console: {said}" for said in page.errors]
    return found + [f"asks {url[:200]}" for url in page.requests if not url.startswith(("file:", "data:", "blob:"))]


def main(site: Path) -> int:
    """Looks at every page of a built site at three widths; how many have a fault."""
    wrong = 0
    with Browser() as browser:
        page = browser.page()
        for path in sorted(site.rglob("*.html")):
            said = faults(page, path)
            wrong += bool(said)
            for line in said:
                print(f"{path.relative_to(site)} {line}")
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(Path(sys.argv[1])), 1))
