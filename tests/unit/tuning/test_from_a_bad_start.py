"""CoDel and PIE from a bad start, and how often the last word is wrong where there is nothing to find."""

from __future__ import annotations

import math
import re
import statistics

import pytest

import sojourn
from sojourn._rooms.tuning.ranges import Range

pytestmark = [pytest.mark.slow]
pytest.importorskip("optuna")

# The base round-trip time is 96 to 100 ms, the interval of CoDel's default.
CODEL = """
title = "CoDel from a bad start"
duration = "40s"
warmup = "10s"

[dumbbell]
rate = "10Mbit"
delay = "46ms"
access = { rate = "1Gbit", delay = ["1ms", "3ms"] }
queue = { kind = "codel", limit = "1000p", target = "80ms", interval = "1s" }

[[flow]]
name = "bulk"
count = 2
start = { spread = "2s" }
"""
POWER = "group.goodput_mean_bps/group.rtt_mean_ms"
"""Kleinrock's power."""
TARGET, INTERVAL = "dumbbell.queue.target", "dumbbell.queue.interval"


ALIKE = 0.05
"""Settings whose power differs by less are alike: who chooses between them has other reasons. Power is flat around its
maximum, so that a point cannot be asked for, but the interval of targets that are alike can. The twentieth and the
seeds below were fixed before the first run with them."""
STEP = math.sqrt(2.0)
GRID = [STEP**exponent for exponent in range(16)]
"""Targets in milliseconds, from 1 to 181."""


def milliseconds(text):
    number, unit = re.fullmatch(r"([\d.e+]+)(ms|s)", text).groups()
    return float(number) * {"ms": 1.0, "s": 1000.0}[unit]


def power(scenario, seeds):
    groups = [sojourn.run(scenario, seed=seed).group.row(0, named=True) for seed in seeds]
    return statistics.fmean(one["goodput_mean_bps"] / one["rtt_mean_ms"] for one in groups)


def alike(scenario, seeds):
    """The interval of targets whose power is within a twentieth of the best, to the next steps of the grid; its top."""
    powers = {target: power(scenario.set(TARGET, f"{target:.4g}ms"), seeds) for target in GRID}
    top = max(powers.values())
    found = [target for target, own in powers.items() if own >= (1.0 - ALIKE) * top]
    return min(found) / STEP, max(found) * STEP, top


def test_it_finds_the_targets_that_are_alike_from_a_bad_start_and_tells_what_codels_default_lacks():
    bad = sojourn.Scenario.from_toml(CODEL)
    over = {TARGET: Range(1, 200, "ms", log=True), INTERVAL: Range(10, 2000, "ms", log=True)}
    settings = {"over": over, "objectives": [POWER], "trials": 40}
    tuned = sojourn.tune(bad, **settings, seeds=range(301, 307), fresh=range(401, 421))

    best = tuned.best
    assert best is not None, tuned.words()
    low, high, _ = alike(best.scenario, range(501, 511))
    assert low <= milliseconds(best.settings["target"]) <= high
    # From CoDel's own default it finds the grid's best, or says that there is nothing to gain.
    own = bad.set(TARGET, "5ms").set(INTERVAL, "100ms")
    again = sojourn.tune(own, **settings, seeds=range(301, 307), fresh=range(401, 421))
    default = power(own, range(401, 421))
    gain = again.best.verdicts[0].differences[POWER].mean / default if again.best else 0.0
    found = best.verdicts[0].means[POWER].mean
    # Two searches are equally good if they end within half of the tolerance of each other.
    assert gain == pytest.approx(found / default - 1.0, abs=ALIKE / 2)


def test_it_finds_a_pie_as_good_as_that_of_rfc_8033_from_a_bad_start():
    queue = {"kind": "pie", "limit": "1000p", "target": "150ms", "alpha": 0.0125, "beta": 0.125}
    bad = sojourn.Scenario.from_toml(CODEL).set("dumbbell.queue", queue)
    own = bad.set("dumbbell.queue", {"kind": "pie", "limit": "1000p"})
    over = {
        TARGET: Range(1, 200, "ms", log=True),
        "dumbbell.queue.alpha": Range(0.0125, 1.25, log=True),
        "dumbbell.queue.beta": Range(0.125, 12.5, log=True),
    }
    settings = {"over": over, "objectives": [POWER], "trials": 60}
    tuned = sojourn.tune(bad, **settings, seeds=range(301, 307), fresh=range(401, 421))

    assert tuned.best is not None, tuned.words()
    found, default = (power(one, range(501, 521)) for one in (tuned.best.scenario, own))
    # Expected before the first run: the search is not worse than the authors of the RFC by more than the tolerance,
    # and their setting (15 ms, 0.125, 1.25), which is for all links, has nine tenths of the power of the best here.
    assert found > (1.0 - ALIKE) * default
    assert default > 0.9 * found
    # From their setting the search says the same: it gains as much as the other one, or nothing.
    again = sojourn.tune(own, **settings, seeds=range(301, 307), fresh=range(401, 421))
    gain = again.best.verdicts[0].differences[POWER].mean / default if again.best else 0.0
    assert gain == pytest.approx(max(found / default - 1.0, 0.0), abs=ALIKE)


def test_where_there_is_nothing_to_find_the_last_word_is_seldom_wrong():
    # Another spread of the starts by a thousandth changes every run, and no mean.
    scenario = sojourn.Scenario.from_toml(CODEL.replace("40s", "8s").replace("10s", "3s"))
    claims = 0
    for number in range(20):
        tuned = sojourn.tune(
            scenario,
            over={"flow.bulk.start.spread": Range(1998, 2002, "ms")},
            objectives=["sojourn_mean_ms"],
            trials=8,
            seeds=range(100 * number + 1, 100 * number + 7),
            seed=number,
        )
        claims += tuned.best is not None
        assert tuned.best or tuned.words().startswith("no setting is better than the default")

    # Each is wrong in a fortieth of all cases: four or more of twenty have a probability of 0.2 %.
    assert claims <= 3
