"""What several tests use."""

import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

import sojourn

# How long an example takes says more about the machine's load than about the code.
hypothesis.settings.register_profile("sojourn", deadline=None)
hypothesis.settings.load_profile("sojourn")

# Tests of all folders find what they share.
sys.path.append(str(Path(__file__).resolve().parent))

from browser import CHROMIUM, Browser  # noqa: E402

DUMBBELL = """
title = "Small dumbbell"
duration = "2s"
warmup = "0.5s"

[dumbbell]
rate = "5Mbit"
delay = "10ms"
queue = { kind = "fifo", limit = "20p" }

[[flow]]
name = "bulk"
count = 3
start = { spread = "0.2s" }
"""

GRAPH = """
duration = "1s"
node = [{ name = "a" }, { name = "b" }, { name = "c" }]

[[link]]
from = "a"
to = "b"
rate = "10Mbit"
delay = "1ms"

[[link]]
from = "b"
to = "c"
rate = "1Mbit"
delay = "10ms"
queue = { kind = "fifo", limit = "17p" }

[[flow]]
from = "a"
to = "c"
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed: apt install chromium")
    with Browser() as running:
        yield running


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
