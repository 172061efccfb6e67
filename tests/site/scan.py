"""What is wrong with a page of the site in a browser; `python tests/site/scan.py SITE` says it of every page."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[1]))

from browser import Browser, Page

# What a reader of this page would miss: pictures that did not load or have no words, and charts without a mark.
_MISSED = """(() => {
  const seen = (node) => node.getClientRects().length > 0 && getComputedStyle(node).display !== "none";
  const pictures = [...document.querySelectorAll("article img, main img")].filter(seen);
  const charts = [...document.querySelectorAll(".chart, .vega-embed")].filter(seen);
  const marks = "svg path, svg rect, svg line, svg circle, svg text, canvas, img, table";
  return [
    ...pictures.filter((img) => !(img.complete && img.naturalWidth > 0)).map((img) => `no picture: ${img.src}`),
    ...pictures.filter((img) => !img.alt).map((img) => `a picture without words: ${img.src}`),
    ...charts.filter((chart) => !chart.querySelector(marks)).map((chart) => `an empty chart: ${chart.id}`),
  ];
})()"""


def faults(page: Page, path: Path, width: int) -> list[str]:
    """What is wrong with a page in a window of this width.

    It is too wide, says something on the console, asks another machine, lacks a picture, or has an empty chart.
    """
    page.errors.clear()
    page.requests.clear()
    page.call("Page.navigate", url=path.resolve().as_uri())
    page.wait("document.readyState === 'complete'")
    # A report draws its charts after it is loaded, and says when it is done.
    page.wait("!document.querySelector('.chart') || document.documentElement.dataset.ready === 'yes'")
    found = [f"the console: {said}" for said in page.errors]
    found += [f"asks {url[:200]}" for url in page.requests if not url.startswith(("file:", "data:", "blob:"))]
    drawn = page.run("document.documentElement.scrollWidth")
    if drawn > width:
        found.append(f"{drawn} px wide in a window of {width}")
    missed: list[str] = page.run(_MISSED)
    return found + missed


def main(site: Path) -> int:
    """Looks at every page of a built site at two widths; how many have a fault."""
    wrong = 0
    with Browser() as browser:
        for width in (390, 1400):
            page = browser.page()
            page.size(width, 900, phone=width < 500)
            for path in sorted(site.rglob("*.html")):
                said = faults(page, path, width)
                wrong += bool(said)
                for line in said:
                    print(f"{path.relative_to(site)} at {width}: {line}")
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(Path(sys.argv[1])), 1))
