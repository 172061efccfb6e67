"""Study files, works and stores of sweeps with random mistakes: one message or a right answer, never a fault of ours.

Here some hundred inputs, the same ones each time. ``python tests/fuzz/test_files.py --seconds 3600`` goes on with
others and prints each that fails with the number that makes it again.
"""

from __future__ import annotations

import copy
import random
import shutil
import tomllib
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tries import TOLD, fault, go_on

import sojourn
from sojourn import papers, scenarios
from sojourn._rooms._base import toml
from sojourn._rooms.sweeps.axes import scenarios as points_of
from sojourn._rooms.sweeps.metrics import parse_metric
from sojourn._rooms.sweeps.run import _check
from sojourn._rooms.works import scores, sentence_verdicts

WORK = Path(sojourn.__file__).parent / "_work"

STUDY = "experiments/E1.toml"
HEAD = 'words.link = "forward"\nmetrics.shared = ["loss"]\n'
PARTS = """
[metrics]
loss = { column = "loss_ratio", row = "forward", unit = "%" }
[claim.short]
kind = "bound"
text = "{link}: little is lost"
metric = "loss"
below = 0.5
[reading."each packet is acknowledged"]
settings = { "flow.downloads.transport.ack_every" = 1 }
"""
MORE = """
[[claim]]
kind = "monotone"
for = { "q, r" = [["CoDel", true]] }
text = "{q} waits longer with more"
metric = "wait"
along = "flows"
at = { queue = "{q}" }
rises = "{r}"
[[claim]]
shared = ["short"]
[[trace]]
table = "backlog"
only = { flows = ["2"] }
settings = { "record.queue" = "100ms" }
"""
FAILURES = """
[[failure]]
claims.E1 = ["FIFO's times are those of table 1"]
fault = "theirs"
text = "They are invented."
"""
SENTENCES = """
[[sentence]]
text = "Little is lost, and nobody waits long"
source = "section 1"
claims.E1 = ["*"]
[[sentence]]
text = "All is well"
source = "abstract"
headline = true
claims.E1 = ["FIFO's *"]
[[sentence]]
text = "Nobody minds"
source = "section 2"
missing = "the question"
"""
LEFT_OUT = """
[[statement]]
place = "section 3"
text = "Somebody minds"
reason = "the answer is lost"
"""
VERDICTS = """
version = "0.2.0"
date = "2026-01-01"
wall_seconds = 1
cpu_seconds = 1
cores = 2
runs = 20
seeds = [5, 5]
experiments = 1
[claims.E1]
"CoDel uses nine tenths of the link" = { verdict = "holds", ours = 0.95, half_width = 0.01 }
[readings.E1."each packet is acknowledged"]
"CoDel uses nine tenths of the link" = { verdict = "fails", ours = 0.5, low = 0.4, high = 0.6 }
"""
SWEEP = """
title = "a sweep"
seeds = "1-2"
[scenario]
duration = "1s"
warmup = "0.2s"
[scenario.dumbbell]
rate = "2Mbit"
delay = "5ms"
queue = { kind = "fifo", limit = "20p" }
[scenario.record]
queue = "10ms"
[[scenario.flow]]
count = 2
[axes]
limit = { key = "dumbbell.queue.limit", values = ["5p", "20p"] }
together = { zip = { "flow[0].count" = [1, 2], "dumbbell.delay" = ["5ms", "6ms"] }, labels = ["few", "many"] }
[axes.queue]
RED = { "dumbbell.queue" = { kind = "red", limit = "20p" } }
FIFO = {}
[[reading]]
name = "longer"
settings = { "dumbbell.delay" = "9ms" }
[metrics]
wait = { column = "sojourn_mean_ms", row = "forward", less = 0.1, power = 2 }
share = { column = "loss_ratio", row = "forward", odds = true }
over = { column = "backlog_packets", table = "backlog", row = "forward", statistic = "mean", from_s = 0.5 }
"""

ODD: list[Any] = [
    *(True, False, 0, 1, -1, 2, 10**30, 0.5, -0.5, 1e308, 1e-300, float("nan"), float("inf"), -float("inf")),
    *(
        "",
        "no",
        "x",
        "{q}",
        "1",
        "0.5",
        "forward",
        "queue",
        "1..3/1",
        "é",
        "a\nb",
        "../x",
        "/",
        "E1.toml",
        "home_uplink",
    ),
    *([], [1], ["1"], [[]], [1, 2], ["a", "b"], [True], {}, {"key": "x"}, {"a": {"b": 1}}, [{}], {"shared": ["x"]}),
]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths to everything in it."""
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return found + [one for key, below in items for one in places(below, (*path, key))]


def changed(dice: random.Random, content: dict[str, Any]) -> dict[str, Any]:
    """With one to three mistakes: a value of another kind, a key that is missing, misspelt, or one too many."""
    made = copy.deepcopy(content)
    for _ in range(dice.randint(1, 3)):
        everywhere = places(made)
        if not everywhere:
            break
        *above, last = dice.choice(everywhere)
        holder: Any = made
        for key in above:
            holder = holder[key]
        what = dice.random()
        if what < 0.5:
            holder[last] = copy.deepcopy(dice.choice(ODD))
        elif what < 0.65:
            del holder[last]
        elif isinstance(holder, dict) and what < 0.85:
            name = str(last)
            spelt = name[:-1] if dice.random() < 0.5 else name + dice.choice("xs_.")
            holder[spelt] = holder.pop(last)
        elif isinstance(holder, dict):
            holder[dice.choice(["key", "of", "at", "for", "only", "shared", "name", "text", "x"])] = dice.choice(ODD)
        else:
            holder.append(copy.deepcopy(dice.choice(ODD)))
    return made


def text_of(content: dict[str, Any]) -> str:
    """As TOML, each key on a line."""
    return "".join(f"{toml.key(str(key))} = {toml.inline(value)}\n" for key, value in content.items())


def spoilt(dice: random.Random, text: str) -> str:
    """A file as somebody may leave it: mostly TOML with mistakes, at times cut off or with a line lost or doubled."""
    if dice.random() < 0.8:
        return text_of(changed(dice, tomllib.loads(text)))
    lines = text.splitlines()
    at = dice.randrange(len(lines))
    return dice.choice(
        [
            "\n".join(lines[:at]),
            "\n".join(lines[:at] + lines[at + 1 :]),
            "\n".join([*lines[:at], lines[at], lines[at], *lines[at + 1 :]]),
            text[: dice.randrange(len(text))],
            text.replace(dice.choice("\"'=[{]},"), "", 1),
        ]
    )


def try_work(number: int, folder: Path) -> None:
    """A work of which one file or two are spoilt is refused, or all of its experiments can be built."""
    dice = random.Random(f"work {number}")
    files = {str(path.relative_to(WORK)): path.read_text(encoding="utf-8") for path in WORK.rglob("*.toml")}
    files[STUDY] = HEAD + files[STUDY] + MORE
    files |= {"shared.toml": PARTS, "sentences.toml": SENTENCES, "not-tested.toml": LEFT_OUT}
    files |= {"record/failures.toml": FAILURES, "record/verdicts.toml": VERDICTS}
    chosen = dice.choices(sorted(files), [6 if name == STUDY else 1 for name in sorted(files)], k=dice.randint(1, 2))
    for name in chosen:
        files[name] = spoilt(dice, files[name])
    place = folder / "mine"
    shutil.rmtree(place, ignore_errors=True)
    for name, text in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text, encoding="utf-8")
    scores.read(place)
    sentence_verdicts.check(str(place))
    context = papers.Context(place, quick=dice.random() < 0.5)
    for experiment in papers.load(str(place)).experiments:
        if experiment.prepare:
            experiment.prepare(context)


def try_study(number: int, folder: Path) -> None:
    """A spoilt study file of a sweep is refused, or its points can be built and its metrics looked for."""
    dice = random.Random(f"study {number}")
    file = folder / "study.toml"
    file.write_text(spoilt(dice, SWEEP), encoding="utf-8")
    asked = sojourn.StudyFile.load(file)
    metrics = [parse_metric(one) if isinstance(one, str) else one for one in asked.metrics]
    _check(points_of(asked.scenario, asked.over), metrics, list(asked.seeds))


def try_store(number: int, folder: Path) -> None:
    """A store of a sweep that is damaged is refused, or gives its content; lost runs are made again."""
    dice = random.Random(f"store {number}")
    file, store = folder / "study.toml", folder / "store"
    shutil.rmtree(store, ignore_errors=True)
    plain = SWEEP[: SWEEP.index("[[reading]]")]
    file.write_text(plain + '[metrics]\nwait = { column = "sojourn_mean_ms", row = "forward" }\n')
    wanted = sojourn.sweep(file, seeds=[1], out=store, workers=1).frame()
    for path in dice.choices(sorted(store.iterdir()), k=dice.randint(1, 2)):
        if not path.is_file():
            continue
        data = bytearray(path.read_bytes())
        what, at = dice.random(), dice.randrange(len(data) or 1)
        if what < 0.2:
            path.unlink()
            continue
        if what < 0.4:
            data = data[:at]
        elif what < 0.5:
            data += dice.randbytes(100)
        elif what < 0.75 and data:
            # A digit that becomes another one is the damage that only a check finds.
            digits = [place for place, byte in enumerate(data) if chr(byte).isdigit()]
            if digits:
                data[dice.choice(digits)] = ord(dice.choice("0123456789"))
        else:
            data[at : at + dice.randint(1, 64)] = bytes([dice.choice([0, 255])]) * dice.randint(1, 64)
        path.write_bytes(data)
    with warnings.catch_warnings():
        # A warning names damaged files.
        warnings.simplefilter("ignore", sojourn.StudyWarning)
        try:
            found = sojourn.load_sweep(store).frame()
            assert set(found.rows()) <= set(wanted.rows()), "a value was read that was not written"
        except TOLD:
            pass
        again = sojourn.sweep(file, seeds=[1], out=store, workers=1).frame()
    assert again.equals(wanted)


TRIES: dict[str, Callable[[int, Path], None]] = {"work": try_work, "study": try_study, "store": try_store}
HERE = {"work": 120, "study": 200, "store": 12}


@pytest.mark.parametrize("kind", list(TRIES))
def test_mistakes_get_a_message(kind, tmp_path, monkeypatch):
    monkeypatch.delenv("SOJOURN_PAPERS", raising=False)
    found = [fault(TRIES, kind, number, tmp_path) for number in range(HERE[kind])]
    assert [one for one in found if one] == []


def test_what_is_not_spoilt_is_right(tmp_path):
    """The frames are accepted as they are, so that only the mistakes are refused."""
    assert "home_uplink" in scenarios.names()
    assert places({"a": [1, {"b": 2}]}) == [("a",), ("a", 0), ("a", 1), ("a", 1, "b")]
    file = tmp_path / "study.toml"
    file.write_text(text_of(tomllib.loads(SWEEP)))
    asked = sojourn.StudyFile.load(file)
    assert len(asked.over) == 4
    _check(points_of(asked.scenario, asked.over), [one for one in asked.metrics if not isinstance(one, str)], [1])
    place = tmp_path / "mine"
    shutil.copytree(WORK, place)
    (place / STUDY).write_text(text_of(tomllib.loads(HEAD + (WORK / STUDY).read_text() + MORE)))
    (place / "shared.toml").write_text(PARTS)
    (experiment,) = papers.load(str(place)).experiments
    assert experiment.claims == 5
    experiment.prepare(papers.Context(place, quick=True))
    (place / "sentences.toml").write_text(SENTENCES)
    sentence_verdicts.check(str(place))


if __name__ == "__main__":
    go_on(TRIES, "Files with random mistakes.", every={"store": 20})
