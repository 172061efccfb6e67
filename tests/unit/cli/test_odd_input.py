"""Input that nobody should write and somebody does: one message, exit code 2, nothing written; or it simply works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.networks import DUMBBELL
from helpers.shell import refused, sojourn

COMMAND = [sys.executable, "-c", "from sojourn._rooms.cli import main; main()"]
BOM = "\ufeff"
RATE = 'a = { key = "dumbbell.rate", values = ["1Mbit"] }'


def study(axis: str = RATE, more: str = "") -> dict[str, str]:
    """A study file beside its scenario."""
    return {"s.toml": DUMBBELL, "y.toml": f'scenario = "s.toml"\nseeds = 1\n{more}\n[axes]\n{axis}\n'}


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


# Files, words, and parts of the message.
REFUSED = {
    "a seed twice": ({"s.toml": DUMBBELL}, ["run", "s.toml", "--seeds", "1,2,1"], "seed 1 is there twice"),
    "many digits": ({"s.toml": DUMBBELL}, ["run", "s.toml", "--seeds", "9" * 5000], "this is not a number of seeds"),
    "other digits": ({"s.toml": DUMBBELL}, ["run", "s.toml", "--seeds", "٣"], "--seeds ٣: this is not a number"),
    "endless range": (
        {"s.toml": DUMBBELL},
        ["sweep", "s.toml", "--over", "flow.bulk.count=1..1e400/1"],
        "a range ends: FIRST, LAST and STEP are numbers below 1e308",
    ),
    "fine range": (
        {"s.toml": DUMBBELL},
        ["sweep", "s.toml", "--over", "flow.bulk.count=1..10/1e-300"],
        "this range has 9.0e+300 points; at most 100000",
    ),
    "a device": ({}, ["replay", "/dev/zero", "--rate", "1Mbit"], "/dev/zero is a device; name a file"),
    "two queues of a direction": (
        {},
        ["gateway", "a0", "b0", "--rate", "5", "--queue", "fifo,codel"],
        "--queue fifo,codel: a direction has one queue",
    ),
    "no number of seconds": (
        {},
        ["gateway", "a0", "b0", "--rate", "5", "--time", "nan"],
        "--time nan: this is no number",
    ),
    "keys of a link": (
        {},
        ["gateway", "a0", "b0", "--rate", "5", "--queue", "netem delay 5ms"],
        "netem is no queue here but the link\n  hint:    --delay 5ms\n",
    ),
    "braces in braces": (
        {},
        ["run", "red_classic", "--set", "dumbbell.queue=red:min_th=" + "{a=" * 500],
        "dumbbell.queue.min_th: this is not an amount of queue",
    ),
    "no file at all": ({}, ["replay"], "allowed: ARRIVALS: CSV with the columns"),
    "a date": (
        study('a = { key = "dumbbell.rate", values = [2020-01-01] }'),
        ["sweep", "y.toml"],
        "axis dumbbell.rate, 2020-01-01: a date cannot be in a scenario",
    ),
    "a number of labels": (
        study('a = { key = "dumbbell.rate", values = ["1Mbit"], labels = 3 }'),
        ["sweep", "y.toml"],
        "axes.a.labels: labels is a list of texts, one for each value\n  found:   3",
    ),
    "a number as key": (
        study('a = { key = 3, values = ["1Mbit"] }'),
        ["sweep", "y.toml"],
        "axes.a.key: key is a key of the scenario, or a list of keys\n  found:   3",
    ),
    "a number as reading": (
        study(more="reading = 3"),
        ["sweep", "y.toml"],
        "reading: write tables, each with its name in double brackets",
    ),
    "a number as column": (
        study(RATE + "\n[metrics]\nx = { column = 3 }"),
        ["sweep", "y.toml"],
        "metrics.x.column: this is a number, not a text",
    ),
    "deep lists": (study(more=f"title = {nested(5000)}"), ["sweep", "y.toml"], "nested too deeply"),
    "a long name": (
        {"s.toml": DUMBBELL},
        ["compare", "s.toml", "--queue", f"fifo,{'x' * 90_000}"],
        "it has 90000 characters",
    ),
    "a long word": ({}, ["explain", "x" * 90_000], "nothing here is called 'xxx"),
    "no number": (
        {},
        ["design", "p", "--flows", "9", "--rtt", "1s", "--rate", "1Mbit", "--limit", "1e400p"],
        "--limit 1e400p: this is not a number above 0\n  hint:    write it as 25p",
    ),
    "a design that no queue takes": (
        {},
        ["design", "red", "--flows", "1", "--rtt", "20s", "--rate", "100Gbit"],
        "red: the queue refuses the parameters from these numbers: min_th: the amount is too large",
    ),
    "a port": ({}, ["lab", "--port", "99999"], "--port: 99999 is not from 0 to 65535"),
    "a program that ends": (
        {"e.py": "import sys\nsys.exit(3)\n"},
        ["check", "e.py"],
        "e.py: it ends Python (exit code 3), and is to define classes",
    ),
    "one name for folder and page": (
        {"s.toml": DUMBBELL},
        ["run", "s.toml", "--out", "x.html", "--report", "./x.html"],
        "--out and --report both name x.html",
    ),
    "one name for folder and frame": (
        {"s.toml": DUMBBELL},
        ["sweep", "s.toml", "--over", "dumbbell.rate=1Mbit", "--out", "x.csv", "--frame", "x.csv"],
        "--out and --frame both name x.csv",
    ),
    "a damaged sweep": (
        {"sweep.json": "{}", "runs.log": ""},
        ["report", "."],
        "sweep.json is not a file as Sojourn writes it\n  hint:    the command that made the sweep makes it again",
    ),
    "a sweep cut short": ({"sweep.json": "{", "runs.log": ""}, ["report", "."], "sweep.json is cut off or damaged"),
    "an empty study": (
        {"manifest.json": '{"format":1,"sojourn":"a","seeds":[],"baseline":null,"variants":{},"runs":[]}'},
        ["export", ".", "--out", "new"],
        "error: .: no run is finished yet\n",
    ),
    "no study": ({}, ["report", "."], ". holds neither a study nor a sweep"),
    "an absurd time": (
        {"a.csv": "time_s,bytes,flow\n0,1250,a\n1e300,1250,a\n"},
        ["replay", "a.csv", "--rate", "1Mbit"],
        'a.csv: line 3: time_s is "1e300"; allowed are 0 to 10000000 s; let the times count from the start',
    ),
    "an absurd time of ns-2": (
        {"a.tr": "+ 1e300 0 2 cbr 210 ------- 0 0.0 3.1 225 610\n"},
        ["replay", "a.tr", "--rate", "1Mbit"],
        'a.tr: line 1: the time is "1e300"; allowed are 0 to 10000000 s',
    ),
}


def written(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("what", REFUSED)
def test_odd_input_is_one_message_and_nothing_is_written(tmp_path, what):
    files, words, wanted = REFUSED[what]
    written(tmp_path, files)

    message = refused(*words, cwd=tmp_path)

    assert wanted in message
    assert message.startswith("error: ")
    assert message.count("error:") == 1
    assert len(message) < 3000
    assert {path.name for path in tmp_path.iterdir()} == set(files)


@pytest.mark.slow
def test_a_byte_order_mark_and_ends_of_lines_of_windows_are_no_matter(tmp_path):
    written(tmp_path, {name: BOM + text.replace("\n", "\r\n") for name, text in study().items()})
    cell = DUMBBELL.replace('"5Mbit"', '{ mahimahi = "cell.up" }')
    own = "from sojourn.own import Policy\n\n\nclass Marked(Policy):\n    pass\n"
    written(tmp_path, {"cell.toml": cell, "cell.up": BOM + "3\r\n6\r\n", "own.py": BOM + own})

    for words in (["run", "s.toml"], ["sweep", "y.toml"], ["run", "cell.toml"]):
        done = sojourn(*words, cwd=tmp_path)
        assert done.returncode == 0, (words, done.stderr)
    # The classes of a plugin stay in its process.
    schema = [*COMMAND, "schema", "--plugin", "own.py"]
    assert b'"marked"' in subprocess.run(schema, cwd=tmp_path, capture_output=True, check=True).stdout


@pytest.mark.slow
def test_a_queue_that_ends_python_is_said_to(tmp_path):
    imports = "import sys\nfrom sojourn.own import Policy\n"
    own = f"{imports}class Ends(Policy):\n    def on_arrival(self, *seen):\n        sys.exit(0)\n"
    written(tmp_path, {"s.toml": DUMBBELL, "own.py": own})
    asked = [*COMMAND, "run", "s.toml", "--plugin", "own.py", "--set", "dumbbell.queue=ends"]

    done = subprocess.run(asked, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: queue 'ends': on_arrival failed at 0.0")
    assert "it ended Python (exit code 0)\n  at:      own.py, line 5, in on_arrival\n" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("words", [["list", "queues"], ["run", "s.toml", "--seeds", "2"]])
def test_a_stream_that_is_closed_or_of_a_poor_encoding_is_no_matter(tmp_path, words):
    written(tmp_path, {"s.toml": DUMBBELL})
    poor = {**os.environ, "PYTHONIOENCODING": "ascii"}

    asked = subprocess.run([*COMMAND, *words], cwd=tmp_path, env=poor, capture_output=True, check=False)
    assert (asked.returncode, asked.stdout.isascii()) == (0, True)

    closed = subprocess.run(
        ["/bin/sh", "-c", '"$@" >&- 2>&-', "sh", *COMMAND, *words], cwd=tmp_path, capture_output=True, check=False
    )
    assert closed.returncode == 0
