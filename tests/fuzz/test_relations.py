"""Random scenarios, and relations that hold between runs of them, whatever the right numbers are.

- The order of the tables of flows changes nothing but the order of rows.
- Recording everything changes no number of a run.
- Little's law: the mean time in a queue times the departures is the integral of the backlog.
- A link carries at most its rate, and packets that come leave, wait or are dropped.

Here some dozen scenarios, the same ones each time. ``python tests/fuzz/test_relations.py --seconds 3600`` goes on with
others.
"""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from tries import fault, go_on

import sojourn
from sojourn import _core
from sojourn._rooms._base import toml

QUEUES = _core.names("queues")
SECONDS = 4
CONTROLS = ["reno", "cubic", "vegas", "westwood"]


def flow(dice: random.Random, name: str) -> dict:
    """A group of flows."""
    made: dict = {"name": name, "count": dice.choice([1, 1, 2, 5])}
    if dice.random() < 0.3:
        made["transport"] = {"kind": "udp", "packet": dice.choice(["40B", "500B", "1000B"])}
        made["app"] = {"kind": "cbr", "rate": dice.choice(["8kbit", "200kbit", "3Mbit"])}
    else:
        made["transport"] = {"kind": "tcp", "control": dice.choice(CONTROLS), "ecn": dice.random() < 0.3}
    if dice.random() < 0.3:
        made["direction"] = "backward"
    made["start"] = dice.choice(["0s", "0.3s", {"spread": "0.5s"}])
    return made


def scenario(dice: random.Random) -> dict:
    """A dumbbell with any queue, a rate or a trace, losses at times."""
    rate: object = dice.choice(["500kbit", "2Mbit", "10Mbit"])
    if dice.random() < 0.3:
        times = sorted(dice.randrange(1, 60) for _ in range(dice.randint(1, 8)))
        rate = {"mahimahi": times, "opportunity": dice.choice(["40B", "1000B", "1500B", "4000B"])}
    bell: dict = {"rate": rate, "delay": dice.choice(["1ms", "10ms", "80ms"]), "queue": dice.choice(QUEUES)}
    if dice.random() < 0.2:
        bell["loss"] = {"kind": "uniform", "probability": 0.01}
    flows = [flow(dice, f"group{number}") for number in range(dice.randint(1, 3))]
    return {"duration": f"{SECONDS}s", "warmup": "0s", "dumbbell": bell, "flow": flows}


def loaded(content: dict, *overrides: str) -> sojourn.Scenario:
    """The scenario; one that is refused is no fault."""
    return sojourn.Scenario.from_toml(toml.document(content), overrides=overrides)


def numbers(result: sojourn.Result, table: str) -> list:
    """The rows of a table, without samples: these are more where more is recorded."""
    frame = result.tables[table]
    return frame.select(name for name in frame.columns if "sampled" not in name).rows()


def same(one: object, other: object) -> bool:
    """Equal, where NaN equals NaN."""
    return repr(one) == repr(other)


def try_books(number: int, _folder: Path) -> None:
    """Little's law, the books of packets, and the rate of the link."""
    result = sojourn.run(loaded(scenario(random.Random(number))), seed=number % 100)
    for row in result.queue.iter_rows(named=True):
        name, backlog = row["link"], row["backlog_mean_packets"] * SECONDS
        waited = row["sojourn_mean_ms"] * 1e-3 * row["departures_packets"] if row["departures_packets"] else 0.0
        if row["arrivals_packets"] == row["departures_packets"]:
            # Times in a queue are right to 0.1 %.
            assert math.isclose(waited, backlog, rel_tol=1e-3, abs_tol=1e-7), (name, waited, backlog)
        else:
            # Those that were dropped out of the queue, or wait at the end, have been in the backlog, too.
            assert waited <= backlog * 1.001 + 1e-7, (name, waited, backlog)
        assert not row["utilisation"] > 1.0 + 1e-9, (name, row["utilisation"])


def try_recording(number: int, _folder: Path) -> None:
    """A run that records everything has the numbers of one that does not."""
    content = scenario(random.Random(number))
    plain = sojourn.run(loaded(content), seed=1)
    extra = sojourn.run(loaded(content, "record.drops=true", "record.packets=true", "record.queue=10ms"), seed=1)
    for table in ("queue", "flow", "group"):
        assert same(numbers(plain, table), numbers(extra, table)), table


def try_order(number: int, _folder: Path) -> None:
    """The keys of each table in another order."""
    content = scenario(random.Random(number))
    turned = {
        key: [dict(reversed(one.items())) for one in value] if isinstance(value, list) else value
        for key, value in reversed(content.items())
    }
    turned["dumbbell"] = dict(reversed(content["dumbbell"].items()))
    one, other = (sojourn.run(loaded(made), seed=2) for made in (content, turned))
    for table in ("queue", "flow", "group"):
        assert same(numbers(one, table), numbers(other, table)), table


TRIES = {"books": try_books, "recording": try_recording, "order": try_order}


@pytest.mark.parametrize("kind", list(TRIES))
def test_relations_between_runs_hold(kind, tmp_path):
    found = [fault(TRIES, kind, number, tmp_path) for number in range(40)]
    assert [one for one in found if one] == []


if __name__ == "__main__":
    go_on(TRIES, "Relations between runs of random scenarios.")
