"""Where a run's slices end changes nothing: they follow the speed of the machine."""

import random

import pytest

from sojourn import Scenario, _core, scenarios

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow


def tables(scenario, draw):
    """All tables of a run in slices of as many events as are drawn, and how many slices it took."""
    simulation = _core.Simulation(scenario.resolved_json, 1)
    slices = 1
    while not simulation.advance(simulation.duration_s, events=draw()):
        slices += 1
    found = simulation.tables()
    return {
        (table, column): [value.hex() if isinstance(value, float) else value for value in values]
        for table, columns in found.items()
        for column, (_, values) in columns.items()
    }, slices


# How long each runs, its warm-up, when its first flows stop, and the time between samples: as short as it allows (in
# some, flows start late). These two have the most events, where a slice of the first turn takes 1.5: round trips of the
# first take 70 us, and all flows of the second have started after 5 s.
WHEN = {"dctcp": ("30ms", "10ms", "17.123ms", "1ms"), "operator": ("7s", "1s", "6.0123s", "20ms")}


@pytest.mark.parametrize("name", scenarios.names())
def test_a_packaged_scenario_whose_flows_stop_is_the_same_in_any_slices(name):
    place = scenarios.path(name)
    usual = ("61s" if "60s" in place.read_text(encoding="utf-8") else "12s", "1s", "7.0123s", "20ms")
    duration, warmup, stop, every = WHEN.get(name, usual)
    changes = [f"duration={duration}", f"warmup={warmup}", f"flow[0].stop={stop}", f"record.queue={every}"]
    scenario = Scenario.load(place, overrides=changes)
    whole, _ = tables(scenario, lambda: 10**12)

    rng = random.Random(name)
    for most in (2, 50, 1000):
        sliced, slices = tables(scenario, lambda: rng.randint(1, most))  # noqa: B023 - called in this turn only
        assert slices > 10
        assert sliced == whole
