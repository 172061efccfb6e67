"""Opens the laboratory in the browser of the tests."""

from __future__ import annotations

from pathlib import Path

from helpers.browser import Browser, Page

__all__ = ["LAB", "LESSONS", "Browser", "Page", "hurry", "opened", "over"]

ROOT = Path(__file__).resolve().parents[2]
LAB = ROOT / "python" / "sojourn" / "_lab" / "index.html"
LESSONS = ROOT / "site" / "lab" / "lessons.js"


def opened(browser: Browser, address: str = "", *, width: int = 1400, theme: str = "light") -> Page:
    """The laboratory at an address."""
    page = browser.page()
    page.size(width, 900, phone=width < 500)
    page.scheme(theme)
    page.call("Page.navigate", url=LAB.as_uri() + (f"#{address}" if address else ""))
    page.wait("document.documentElement?.dataset.ready")
    assert page.run("document.documentElement.dataset.ready") == "yes", page.errors
    hurry(page)
    return page


def hurry(page: Page) -> None:
    """As fast as it goes, from the start; waits for the end."""
    page.run("document.getElementById('speed').value = '0'; document.getElementById('again').click()")
    over(page)


def over(page: Page) -> None:
    """Waits until the run is over."""
    page.wait("document.documentElement.dataset.run !== 'going'")
    assert page.run("document.documentElement.dataset.run") == "over", page.run(
        "document.getElementById('problem').textContent"
    )
