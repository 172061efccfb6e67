"""The laboratory in a real browser."""

from __future__ import annotations

import os

import pytest

from .opening import LAB, Browser, Page, opened


@pytest.fixture(scope="module")
def browser(browser: Browser) -> Browser:
    if not LAB.exists():
        # Where everything is tested, a laboratory that was left out is a fault.
        (pytest.fail if os.environ.get("CI") else pytest.skip)("the laboratory is not built: make lab")
    return browser


@pytest.fixture
def lab(browser: Browser) -> Page:
    """The laboratory with the settings of its start, as fast as it goes."""
    return opened(browser)


@pytest.fixture(scope="module")
def lessons(browser: Browser) -> Page:
    """One page for all lessons: each step sets all that is set."""
    return opened(browser)
