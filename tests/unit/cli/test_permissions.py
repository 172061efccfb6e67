"""Files and folders that may not be read or written: one message, exit code 2, and nothing is written.

As root everything may be read, so the commands are run as nobody.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars
import pytest

import sojourn
from helpers.networks import DUMBBELL

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow

NOBODY = 65534
UNKNOWN = 54321
"""Nobody of whom the system has an entry, as in a container."""
HERE = Path(__file__).resolve().parents[2]
# Runs commands in one process and says for each: exit code, stdout, stderr.
RUNNER = """
import json, sys
from helpers.shell import sojourn
for words in json.load(sys.stdin):
    done = sojourn(*words)
    print(json.dumps([done.returncode, done.stdout, done.stderr]))
"""
STUDY = """
scenario = "secret.toml"
seeds = 2
[axes]
limit = { key = "dumbbell.queue.limit", values = ["5p", "10p"] }
"""
SHORT = ["--set", "duration=1s"]
OVER = ["--over", "dumbbell.queue.limit=5p,10p", "--seeds", "2"]

# For each command: words, and parts of its message.
REFUSED = [
    # Files that may not be read.
    (["run", "secret.toml"], "secret.toml: permission denied"),
    (["compare", "secret.toml", "--queue", "fifo,codel"], "secret.toml: permission denied"),
    (["sweep", "secret.toml", *OVER], "secret.toml: permission denied"),
    (["sweep", "study.toml"], "secret.toml: permission denied"),
    (["fluid", "secret.toml"], "secret.toml: permission denied"),
    (["export", "secret.toml", "--out", "new"], "secret.toml: permission denied"),
    (["replay", "secret.csv", "--rate", "1Mbit"], "secret.csv: permission denied"),
    (["run", "open.toml", "--plugin", "secret.py"], "secret.py: permission denied"),
    (["check", "secret.py"], "secret.py: it cannot be read: permission denied"),
    (["run", "cell.toml"], "the file secret.up cannot be read"),
    (["run", "closed/open.toml"], "closed/open.toml: permission denied"),
    (["replay", "closed/a.csv", "--rate", "1Mbit"], "closed/a.csv: permission denied"),
    (["report", "closed/study"], "permission denied"),
    (["report", "closed"], "permission denied"),
    (["export", "closed/study", "--out", "new"], "permission denied"),
    # Folders that may not be written.
    *(
        (words, f"{option} {place}: it cannot be written: permission denied")
        for words, option, place in (
            (["run", "open.toml", *SHORT, "--out", "fixed/new"], "--out", "fixed/new"),
            (["run", "open.toml", *SHORT, "--out", "fixed"], "--out", "fixed"),
            (["run", "open.toml", *SHORT, "--out", "closed/new"], "--out", "closed/new"),
            (["compare", "open.toml", *SHORT, "--queue", "fifo,codel", "--out", "fixed/new"], "--out", "fixed/new"),
            (["sweep", "open.toml", *OVER, "--out", "fixed/new"], "--out", "fixed/new"),
            (["sweep", "open.toml", *OVER, "--frame", "fixed/new.csv"], "--frame", "fixed/new.csv"),
            (["reproduce", "haider2005", "--out", "fixed/new"], "--out", "fixed/new"),
            (["reproduce", "haider2005", "--verdicts", "fixed/new.md"], "--verdicts", "fixed/new.md"),
            (["reproduce", "--scoreboard", "fixed/new.md"], "--scoreboard", "fixed/new.md"),
            (["export", "open.toml", "--out", "fixed/new"], "--out", "fixed/new"),
            (["run", "open.toml", *SHORT, "--report", "fixed/new.html"], "--report", "fixed/new.html"),
            (["fluid", "open.toml", "--report", "fixed/new.html"], "--report", "fixed/new.html"),
            (["replay", "a.csv", "--rate", "1Mbit", "--out", "fixed/new.csv"], "--out", "fixed/new.csv"),
            (["init", "fixed/new.toml"], "FILE", "fixed/new.toml"),
        )
    ),
    # Files in the way of folders, and folders in the way of files.
    (["run", "open.toml", *SHORT, "--out", "a.csv"], "a.csv is a file"),
    (["run", "open.toml", *SHORT, "--out", "a.csv/new"], "--out a.csv/new: a.csv is a file; name a folder"),
    (["sweep", "open.toml", *OVER, "--out", "a.csv"], "a.csv is a file"),
    (["reproduce", "haider2005", "--out", "a.csv"], "a.csv is a file"),
    (["export", "open.toml", "--out", "a.csv/new"], "a.csv is a file"),
    (["run", "open.toml", *SHORT, "--report", "page.html"], "--report page.html: this is a directory"),
    (["run", "open.toml", *SHORT, "--report", "a.csv/new.html"], "there is no directory a.csv"),
    (["replay", "a.csv", "--rate", "1Mbit", "--out", "page.html"], "this is a directory"),
    (["replay", "page.html", "--rate", "1Mbit"], "page.html is a directory"),
    (["run", "page.html"], "page.html is a directory"),
    (["run", "a.csv/open.toml"], "there is no scenario file a.csv/open.toml"),
    (["init", "taken/new.toml"], "taken/sojourn.schema.json: is a directory"),
]


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """A folder of nobody's, with files that may be read and others that may not."""
    place = Path(tempfile.mkdtemp(prefix="sojourn-"))
    (place / "open.toml").write_text(DUMBBELL)
    (place / "cell.toml").write_text(DUMBBELL.replace('"5Mbit"', '{ mahimahi = "secret.up" }'))
    (place / "study.toml").write_text(STUDY)
    (place / "a.csv").write_text("time_s,bytes,flow\n0,1250,a\n")
    secret = [place / f"secret.{ending}" for ending in ("toml", "csv", "py", "up")]
    for path in secret:
        path.write_text(DUMBBELL)
    for name in ("closed", "closed/study", "fixed", "page.html", "taken/sojourn.schema.json"):
        (place / name).mkdir(parents=True)
    (place / "closed/open.toml").write_text(DUMBBELL)
    for path in [place, *place.rglob("*")]:
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
    for path, mode in {**dict.fromkeys(secret, 0), place / "closed": 0, place / "fixed": 0o555}.items():
        path.chmod(mode)
    yield place
    for name in ("closed", "fixed"):
        (place / name).chmod(0o755)
    shutil.rmtree(place)


@functools.cache
def python() -> tuple[str, str]:
    """A Python that nobody may run, and the path to this one's packages."""
    path = os.pathsep.join(map(str, (HERE, *(Path(module.__file__).parents[1] for module in (sojourn, polars)))))
    for found in (sys.executable, shutil.which(f"python3.{sys.version_info.minor}", path="/usr/bin:/usr/local/bin")):
        try:
            command = [found or "", "-c", "import helpers.shell"]
            subprocess.run(command, check=True, capture_output=True, env={"PYTHONPATH": path}, cwd="/", **whom())
        except (OSError, subprocess.CalledProcessError):
            continue
        return str(found), path
    pytest.skip("there is no Python that nobody may run")


def whom(user: int = NOBODY) -> dict[str, Any]:
    return {"user": user, "group": user, "extra_groups": []} if os.geteuid() == 0 else {}


def as_nobody(
    folder: Path, commands: list[list[str]], home: str = "/nonexistent", user: int = NOBODY
) -> list[tuple[int, str, str]]:
    """The output of commands in a folder: exit code, stdout, stderr."""
    found, path = python()
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("HOME", "XDG", "PYTHON"))}
    environment = {**plain, "PYTHONPATH": path, **({"HOME": home} if home else {})}
    done = subprocess.run(
        [found, "-c", RUNNER],
        input=json.dumps(commands),
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        timeout=300,
        check=False,
        **whom(user),
    )
    assert done.returncode == 0, done.stderr
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_what_may_not_be_read_or_written_is_one_message_and_nothing_is_written(folder):
    before = names(folder)

    answers = as_nobody(folder, [words for words, _ in REFUSED])

    assert len(answers) == len(REFUSED)
    wrong = [
        (words, code, out, said)
        for (words, wanted), (code, out, said) in zip(REFUSED, answers, strict=True)
        if (code, out) != (2, "")
        or not said.startswith("error: ")
        or said.count("error:") > 1
        or wanted not in said
        or "Traceback" in said
    ]
    assert wrong == []
    assert names(folder) == before


@pytest.mark.parametrize(("home", "user"), [("/nonexistent", NOBODY), ("", UNKNOWN)])
def test_nobody_needs_no_home_and_no_package_that_can_be_written(folder, home, user):
    own = Path(tempfile.mkdtemp(prefix="sojourn-"))
    if os.geteuid() == 0:
        os.chown(own, user, user)
    folder.chmod(0o755)
    commands = [
        ["run", folder / "open.toml", *SHORT, "--out", "study", "--report", "run.html"],
        ["sweep", folder / "open.toml", *OVER, "--out", "sweep"],
        ["report", "sweep"],
        ["export", "study", "--out", "tables"],
        ["init", "mine.toml"],
        ["replay", folder / "a.csv", "--rate", "1Mbit"],
        ["explain", "red"],
    ]
    try:
        answers = as_nobody(own, [[str(word) for word in words] for words in commands], home, user)
        assert [(code, said) for code, _, said in answers if code != 0] == []
        assert (own / "run.html").stat().st_size > 100_000
    finally:
        shutil.rmtree(own)


def test_a_sweep_that_may_only_be_read_has_a_report(folder):
    own = Path(tempfile.mkdtemp(prefix="sojourn-"))
    if os.geteuid() == 0:
        os.chown(own, NOBODY, NOBODY)
    try:
        sweep = ["sweep", str(folder / "open.toml"), *OVER, "--out", "kept"]
        [(code, _, said)] = as_nobody(own, [sweep])
        assert code == 0, said
        (own / "kept" / "runs.log").chmod(0o444)
        (own / "kept").chmod(0o555)
        [(code, _, said)] = as_nobody(own, [["report", "kept"]])
        assert (code, said) == (0, "report of 4 of 4 runs: kept.html\n")
    finally:
        (own / "kept").chmod(0o755)
        shutil.rmtree(own)
