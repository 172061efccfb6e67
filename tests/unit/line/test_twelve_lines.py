"""On twelve lines, from ADSL to fibre, a satellite and a rate that varies, the advice hides no loss of goodput."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from sojourn import Scenario
from sojourn._rooms._base.toml import document
from sojourn._rooms.line.answer import answer
from sojourn._rooms.runs.runner import study
from sojourn.line import CANDIDATES, Line, ask

LINES = [
    Line.read("1/8", link="adsl"),
    Line.read("2/16", link="adsl"),
    Line.read("10/50", link="vdsl"),
    Line.read("40/100", link="vdsl"),
    Line.read("5/50", link="docsis"),
    Line.read("20/100", link="docsis"),
    Line.read("50/1000", link="docsis"),
    Line.read("50/150", link="pppoe", rtt="150ms"),
    Line.read("1000/1000", rtt="10ms"),
    Line.read("3/30", rtt="600ms"),
    Line.read("20/200", link="starlink", rtt="50ms"),
]
SEEDS = [1, 2]
FRAMES = ("overhead", "mpu", "cells")
pytestmark = pytest.mark.slow


def hidden(found) -> list[str]:
    """Ways in which the first queue loses more than a tenth, and of which the first sentence does not say so."""
    best = found.best.values
    lost = [
        way
        for way, key in (("upload", "up_bps"), ("download", "down_bps"))
        if best[key].mean < 0.9 * max(one.values[key].mean for one in found.ranking)
    ]
    before = found.text.partition(": grade ")[0].partition("cost of ")[2]
    return [way for way in lost if f"of the {way}" not in before]


def shown(found) -> str:
    """A row about the answer, for who reads the output of the test."""
    shares = ", ".join(f"{100 * share:.0f} % {way}" for way, share in found.best.shares.items())
    return f"{found.line.words}: {found.best.name}, {shares}, grade {found.best.grade}\n  {found.text}"


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.words)
def test_the_advised_queue_loses_no_tenth_of_the_goodput_unless_the_first_sentence_says_so(line):
    found = ask(line, seeds=SEEDS)
    print(shown(found))

    assert hidden(found) == [], found.text
    assert found.best.grade <= "C", "the line alone has a D"


def trace(path, least_bps: float, most_bps: float, seed: int):
    """A file of Mahimahi with a rate that wanders between two ends: ours, as no recording of an operator is here."""
    rng, share, at_ms = np.random.default_rng(seed), 0.5, []
    for step in range(600):
        share = float(np.clip(share + rng.normal(0.0, 0.15), 0.0, 1.0))
        rate = least_bps * (most_bps / least_bps) ** share
        # Opportunities of 1504 bytes in each 100 ms.
        count = round(rate * 0.1 / (8 * 1504))
        at_ms += [100 * step + round(100 * (one + 1) / count) for one in range(count)]
    path.write_text("".join(f"{at}\n" for at in at_ms), encoding="utf-8")
    return path


def test_where_the_rate_varies_the_answer_says_what_a_fixed_shaper_costs(tmp_path):
    # The rates are those of the worst times, as the note of `--link lte` asks; at other times the line carries more.
    line = Line.read("2/8", link="lte", rtt="60ms")
    up = trace(tmp_path / "up", 2e6, 10e6, seed=1)
    down = trace(tmp_path / "down", 8e6, 60e6, seed=2)
    variants = {}
    for name in CANDIDATES:
        content = tomllib.loads(line.scenario(name).to_toml())
        # A trace has bytes at moments, and no frames.
        rates = {"up": {"mahimahi": str(up)}, "down": {"mahimahi": str(down)}}
        for link in content["link"]:
            if link["name"] in rates:
                link["rate"] = rates[link["name"]]
                for key in FRAMES:
                    del link[key]
        variants[name] = Scenario.from_toml(document(content), file=str(tmp_path / f"{name}.toml"))
    found = answer(line, study(variants, seeds=SEEDS, baseline="modem"))
    print(shown(found))

    assert hidden(found) == [], found.text
