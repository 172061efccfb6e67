"""Without the extra that draws, Sojourn runs and compares, and names the missing package where it is needed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

# Modules that an installation without extras does not have.
WITHOUT = """
import sys
sys.modules.update(dict.fromkeys({missing!r}))
sys.argv = {words!r}
from sojourn._rooms.cli import main
main()
"""
DRAWS = ("altair", "vl_convert", "jinja2", "narwhals")


def sojourn(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    code = WITHOUT.format(missing=DRAWS, words=["sojourn", *words])
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=cwd)


@pytest.mark.parametrize(
    "words",
    [
        ["run", "red_classic", "--set", "duration=5s", "--set", "warmup=1s"],
        ["compare", "home_uplink", "--queue", "fifo,codel", "--seeds", "2", "--set", "duration=8s"],
        ["sweep", "home_uplink", "--over", "queue=fifo,codel", "--seeds", "2", "--set", "duration=8s"],
        ["explain", "red"],
        ["list", "queues"],
        ["design", "pi", "--flows", "100", "--rtt", "200ms", "--rate", "10Mbit"],
        ["schema"],
    ],
    ids=lambda words: words[0],
)
def test_what_draws_nothing_needs_no_extra(tmp_path: Path, words: list[str]):
    done = sojourn(*words, cwd=tmp_path)

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["run", "red_classic", "--report", "red.html"],
        ["compare", "home_uplink", "--queue", "fifo,codel", "--report", "home.html"],
        ["reproduce", "haider2005", "--quick", "--only", "H1"],
        ["fluid", "red_classic"],
    ],
    ids=lambda words: words[0],
)
def test_what_draws_says_what_to_install_before_anything_is_run(tmp_path: Path, words: list[str]):
    done = sojourn(*words, cwd=tmp_path)

    assert done.returncode == 2, done.stdout + done.stderr
    assert 'pip install "altair>=6.0" "jinja2>=3.1" "vl-convert-python>=1.7"' in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
