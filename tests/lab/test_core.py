"""The core in the browser computes the same as the native core, bit by bit, and is nearly as fast."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from sojourn import _core

from . import twenty
from .opening import Browser, Page, opened

SCENARIOS = twenty.scenarios()

# The additional time that the browser may take: bounds are checked at every access to memory, and there are no wide
# instructions.
SLOWER = 2.5


@pytest.fixture(scope="module")
def lab(browser: Browser) -> Page:
    """One page for all: its engine is asked, and nothing on it is set."""
    return opened(browser)


def test_the_scenarios_have_every_queue_sender_and_source():
    text = "\n".join(SCENARIOS)

    assert len(SCENARIOS) == twenty.COUNT
    assert [name for name in twenty.QUEUES + twenty.APPS if f'kind = "{name}"' not in text] == []
    assert [sender for sender in twenty.SENDERS if sender not in text] == []


@pytest.mark.parametrize("number", range(twenty.COUNT))
def test_all_tables_are_those_of_the_native_core(lab: Page, number):
    scenario = SCENARIOS[number]
    simulation = _core.Simulation(_core.resolve_toml(scenario, "scenario", [], [])[0], 7)
    simulation.advance(math.inf)
    ours = simulation.tables()

    theirs = json.loads(whole(lab, scenario)["tables"])

    assert list(theirs) == list(ours)
    for name, table in ours.items():
        assert list(theirs[name]) == list(table), name
        for column, values in table.items():
            assert same(values, theirs[name][column]), (name, column)
    assert sum(ours["queue"]["departures_packets"][1]) > 1000


def test_what_is_watched_on_the_way_changes_no_number(lab: Page):
    lab.run(
        "window.seen = {}; window.lab.engine.watch("
        f"[{{toml: {json.dumps(SCENARIOS[1])}, seed: 7}}], 0.173, 0,"
        "{samples() {}, tables(tables) { seen.tables = tables; }, error(error) { seen.error = error; }})"
    )
    lab.wait("seen.tables || seen.error")

    watched = json.loads(lab.run("JSON.stringify(seen.tables[0])"))
    alone = json.loads(whole(lab, SCENARIOS[1])["tables"])

    assert watched == alone


def test_it_takes_at_most_two_and_a_half_times_as_long_as_a_release(lab: Page):
    if _core.profile() != "release":
        # Against a quick build the limit would mean nothing.
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"the native core is a {_core.profile()} build")
    resolved = [_core.resolve_toml(scenario, "scenario", [], [])[0] for scenario in SCENARIOS]
    there, here = [math.inf] * twenty.COUNT, [math.inf] * twenty.COUNT
    for _ in range(4):  # the least of several, in turn: the machine does other things, too
        for number, scenario in enumerate(SCENARIOS):
            there[number] = min(there[number], whole(lab, scenario)["ms"])
            here[number] = min(here[number], native_ms(resolved[number]))

    print(f"browser {sum(there):.0f} ms, native {sum(here):.0f} ms: {sum(there) / sum(here):.2f} times")
    assert sum(there) <= SLOWER * sum(here)


def native_ms(resolved: str) -> float:
    started = time.perf_counter()
    _core.Simulation(resolved, 7).advance(math.inf)
    return 1000 * (time.perf_counter() - started)


def whole(lab: Page, scenario: str) -> Mapping[str, Any]:
    answer = lab.run(f"window.engine.whole({json.dumps(scenario)}, 7)")
    assert "error" not in answer, answer
    return answer


def same(ours: tuple[str, Any], theirs: list[Any]) -> bool:
    kind, values = ours
    if kind != "f64":
        return list(values) == theirs
    # NaN has many bit patterns, and a processor may choose.
    mine, other = (np.array([float(value) for value in column]) for column in (values, theirs))
    return bytes(np.where(np.isnan(mine), np.nan, mine)) == bytes(np.where(np.isnan(other), np.nan, other))
