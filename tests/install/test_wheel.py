"""The wheel in an empty environment: its content, its size, and the README's own commands."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
import zipfile

import pytest
from installed import ROOT, VERSION, Installed, wheel
from size import on_disk

README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
INSTALL = (ROOT / "site" / "pages" / "install.md").read_text(encoding="utf-8")
BOTTLENECK = (ROOT / "docs" / "bottleneck.md").read_text(encoding="utf-8")
CLOCK = tomllib.loads((ROOT / "tests/install/newcomer.toml").read_text(encoding="utf-8"))

# Commands that take minutes are shortened: the same commands with fewer runs.
SHORTER = {
    "sojourn lab": "sojourn lab --help",
    # It needs root and two interfaces.
    'sojourn gateway eth0 eth1 --rate 20/100 --queue "fq_codel target 5ms" --delay 10ms': "sojourn gateway --help",
    "--seeds 5": "--seeds 2",
    "--seeds 20": "--seeds 2",
    "fq_codel --quick": "fq_codel --quick --only 5.1.1",
    "haider2005 --quick": "haider2005 --quick --only H2",
    "--link docsis": "--link docsis --queue modem,cake --seeds 1",
    "--seeds 3": "--seeds 1",
    "sojourn tune red_classic": "sojourn tune red_classic --set duration=10s --trials 4 --seeds 3 --fresh 3",
    "--over dumbbell.queue.max_p=0.02,0.1": "--over dumbbell.queue.max_p=0.02,0.1 --seeds 2",
}
# These files are the reader's own.
OWN = ("arrivals.pcap", "out.tr", "up.json")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Without extras."""
    found = wheel()
    if found is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("there is no wheel: make wheel")
    return Installed(tmp_path_factory.mktemp("install"), found, compiled=False)


def said_megabytes(what: str) -> float:
    return float(re.search(rf"{what}[^.|]*?(\d+) MB", INSTALL)[1])


def with_byte_code(here: Installed) -> float:
    """The size of the environment on disk, with the byte code that a reader's pip writes and a test omits."""
    # A package may have a file for another Python, which this one does not compile: pip passes over it, too.
    compiling = [here.bin / "python", "-m", "compileall", "-q", "-q", here.bin.parent / "lib"]
    subprocess.run(compiling, check=False)
    return on_disk(here.bin.parent)


def test_the_wheel_is_for_every_python_and_has_all_that_belongs_to_it(bare: Installed):
    assert "-cp311-abi3-" in bare.wheel.name
    # Stubs of the classes that are made from the registry, for editors and type checkers.
    stubs = {f"sojourn/{module}.pyi" for module in ("_core", "queues", "transports", "apps", "losses")}
    assert stubs <= set(zipfile.ZipFile(bare.wheel).namelist())
    assert bare.run("sojourn --version").stdout.strip() == f"sojourn {VERSION}"
    json.loads(bare.run("sojourn schema").stdout)
    assert "red_classic" in bare.run("sojourn list scenarios").stdout
    bare.run("sojourn run red_classic --set duration=5s --set warmup=1s")
    page = bare.run("python -c 'from sojourn._rooms.cli.lab import PAGE; print(PAGE.stat().st_size)'").stdout
    assert int(page) > 500_000


def test_the_extra_is_asked_for_where_it_is_needed(bare: Installed):
    assert 'pip install "altair>=' in bare.run("sojourn run red_classic --report red.html", code=2).stderr
    assert list(bare.work.iterdir()) == []


def test_the_bottleneck_of_the_wheel_does_what_its_page_shows(bare: Installed):
    program = bare.work / "transfer.py"
    program.write_text("\n".join(re.findall(r"```python\n(.*?)```", BOTTLENECK, re.S)), encoding="utf-8")
    said = bare.run("python transfer.py").stdout
    program.unlink()
    waits = {queue: float(wait) for queue, wait in re.findall(r"^(\S+) .* waits up to +(\S+) ms", said, re.M)}
    assert waits["fifo:limit=200p"] > 2 * waits["codel"] > 0
    assert "fq_codel" in waits


def test_the_page_says_how_large_it_is_and_the_commands_of_the_pages_work(bare: Installed):
    assert with_byte_code(bare) == pytest.approx(said_megabytes("a run and its tables need"), rel=0.1)
    bare.install(f"{bare.wheel}[report]")
    assert with_byte_code(bare) == pytest.approx(said_megabytes("With the extra `report`"), rel=0.1)
    # `sojourn tune` has an extra of its own.
    bare.install(f"{bare.wheel}[tune]")

    assert "haider2005" in bare.run("sojourn list papers").stdout
    (bare.work / "out").mkdir()
    lines = [line.strip() for line in (README + COMMANDS).replace("\\\n", " ").splitlines()]
    commands = [line.partition("  #")[0].strip() for line in lines if line.startswith("sojourn ")]
    assert len(commands) >= 10
    for command in commands:
        if any(file in command for file in OWN):
            continue
        for long, shorter in SHORTER.items():
            command = command.replace(long, shorter)
        bare.run(command)
    for number, code in enumerate(re.findall(r"```python\n(.*?)```", README, re.S)):
        assert "range(1, 6)" in code
        (bare.work / f"{number}.py").write_text(code.replace("range(1, 6)", "range(1, 3)"), encoding="utf-8")
        bare.run(f"python {number}.py")
    written = {path.name for path in bare.work.rglob("*.html")}
    assert {"home.html", "compare.html", "sweep.html", "comparison.html"} <= written


def test_a_newcomer_s_clock_keeps_the_limits():
    # `tests/install/newcomer.py --write evidence/newcomer/README.md` walks it, fails beyond them, keeps the seconds.
    assert CLOCK["run the README's comparison: the first report"] <= 5 * 60
    assert CLOCK["compare it with FIFO and CoDel, with a report"] <= 15 * 60
    assert "the first lesson in the browser" in CLOCK
