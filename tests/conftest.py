"""Fixtures that several tests use."""

import gc
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import typer.main
import typer.testing

import sojourn
from helpers.browser import CHROMIUM, Browser
from helpers.networks import DUMBBELL, GRAPH
from helpers.order import LONGEST, WAITING, OneWaits

# As the command has it (`sojourn.__main__`), for the many programs that tests start.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# How long an example takes says more about the machine's load than about the code.
hypothesis.settings.register_profile("sojourn", deadline=None)
hypothesis.settings.load_profile("sojourn")

# Typer makes all commands anew for each call, which takes longer than most of them do.
typer.main.get_command = typer.testing._get_command = cache(typer.main.get_command)


# Objects made while tests are collected stay to the end: a million of them, through which the garbage collector
# would look again and again.
gc.disable()


def pytest_collection_finish() -> None:
    """Leave them alone from now on, too."""
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files that wait and the longest ones first; the order within a file stays."""
    here = Path(__file__).parent
    places = {here / name: place for place, name in enumerate(WAITING + LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> OneWaits | None:
    """Keep together the files that wait.

    A file stays in one process with `-n 2` alone, too: its tests may share what takes minutes to make, as the site.
    """
    return OneWaits(config, log) if config.getoption("dist") in {"load", "loadfile"} else None


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt install chromium")
    with Browser() as running:
        yield running


@pytest.fixture(autouse=True)
def _pages_are_closed() -> Iterator[None]:
    """A page that a test has opened ends with it: its scripts would take time from later tests."""
    before = [page for browser in Browser.running for page in browser.pages]
    yield
    for browser in Browser.running:
        for page in [page for page in browser.pages if page not in before]:
            page.close()


@pytest.fixture
def dumbbell() -> sojourn.Scenario:
    """Three flows through 5 Mbit/s."""
    return sojourn.Scenario.from_toml(DUMBBELL)


@pytest.fixture
def graph() -> sojourn.Scenario:
    """Two links; only the second has a queue of its own."""
    return sojourn.Scenario.from_toml(GRAPH)


@pytest.fixture
def scenario_file(tmp_path: Path) -> Path:
    """The dumbbell as a file."""
    path = tmp_path / "dumbbell.toml"
    path.write_text(DUMBBELL)
    return path
