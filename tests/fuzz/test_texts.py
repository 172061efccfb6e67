"""Texts of queues with random mistakes, as lines of tc and as ``name:key=value``: one short message, or a queue.

Here some hundred texts, the same ones each time. ``python tests/fuzz/test_texts.py --seconds 3600`` goes on with
others.
"""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest
from tries import fault, go_on

import sojourn
from sojourn import _core
from sojourn._rooms.catalogue.warnings import WordWarning
from sojourn._rooms.scenario.tc import LINES

PLAIN = sojourn.Scenario.from_toml(
    'duration = "1s"\n[dumbbell]\nrate = "2Mbit"\ndelay = "5ms"\nqueue = "fifo"\n[[flow]]\n'
)
NUMBERS = [
    "0",
    "1",
    "-1",
    "0.5",
    "5",
    "1000",
    "1e9",
    "1e999",
    "9" * 30,
    "9" * 305,
    "9" * 4400,
    "nan",
    "inf",
    "\u0661",
    "",
]
UNITS = ["", "ms", "us", "s", "mbit", "kbit", "bps", "tibit", "kb", "b", "p", "%", "B", "BDP", "x"]
ODD = ["=", ":", "{", "}", "[", "]", ",", "'", '"', "\\", "\0", "\n", "é", "a=1", "{a=1}", "true", "besteffort", "root"]


def value(dice: random.Random) -> str:
    """A number with a unit, or something else."""
    return dice.choice(ODD) if dice.random() < 0.1 else dice.choice(NUMBERS) + dice.choice(UNITS)


def try_line(number: int, _folder: Path) -> None:
    """A line of tc."""
    dice = random.Random(f"line {number}")
    name = dice.choice(sorted(LINES))
    line = LINES[name]
    words = [name]
    for _ in range(dice.randint(0, 6)):
        known = dice.choice([*line.words, *line.flags, *line.not_here, "x"])
        words += [known, value(dice)] if known in line.words else [known]
        if dice.random() < 0.1:
            words.append(dice.choice(ODD))
    with warnings.catch_warnings():
        # About words that have no effect here.
        warnings.simplefilter("ignore", WordWarning)
        PLAIN.with_queue(" ".join(words))


def try_settings(number: int, _folder: Path) -> None:
    """A name with settings."""
    dice = random.Random(f"settings {number}")
    kind = dice.choice(_core.names("queues"))
    keys = [
        *sojourn.queues.__all__[:3],
        "limit",
        "policy",
        "ecn",
        "preset",
        "min_th",
        "target",
        "flows",
        "class",
        "kind",
    ]
    parts = [f"{dice.choice(keys)}={value(dice)}" for _ in range(dice.randint(0, 5))]
    text = f"{kind}:{','.join(parts)}"
    if dice.random() < 0.3:
        at = dice.randrange(len(text))
        text = text[:at] + dice.choice(ODD) + text[at:]
    PLAIN.with_queue(text)


TRIES = {"line": try_line, "settings": try_settings}


@pytest.mark.parametrize("kind", list(TRIES))
def test_mistakes_get_a_message(kind, tmp_path):
    found = [fault(TRIES, kind, number, tmp_path) for number in range(400)]
    assert [one for one in found if one] == []


EXTREMES = {
    "305 digits": f"cake bandwidth {'9' * 305}mbit",
    "500 deep": "red:min_th=" + "{a=" * 500 + "1" + "}" * 500,
    "100,000 words": "cake" + " besteffort" * 100_000,
    "50,000 settings": "red:" + ",".join(["a=1"] * 50_000),
    "a long name": "x" * 100_000,
    "a long line": "x " * 100_000,
}


@pytest.mark.parametrize("text", EXTREMES.values(), ids=EXTREMES)
def test_an_extreme_text_gets_one_short_message(text):
    with pytest.raises(ValueError, match="queue") as refused:
        PLAIN.with_queue(text)
    assert len(str(refused.value)) < 1000


if __name__ == "__main__":
    go_on(TRIES, "Texts of queues with random mistakes.")
