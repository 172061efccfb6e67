"""CONTRIBUTING.md names the tests that a new queue does not pass by itself, and these do ask for something."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PLUGIN = """
import json
from sojourn import _core

known = _core.registry


def registry(only=None):
    found = json.loads(known())
    blue = next(one for one in found["queues"] if one["name"] == "blue")
    found["queues"].append({**blue, "name": "toy"})
    return json.dumps(found if only is None else found[only])


_core.registry = registry
"""


def named() -> list[str]:
    """The tests of the table under "Stage 2: others confirm it"."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text[text.index("### Stage 2: others confirm it") : text.index("## Adding a sender")]
    return re.findall(r"^\| `(tests/[\w/]+\.py)` \|", section, re.MULTILINE)


@pytest.mark.slow
def test_each_gate_of_a_new_queue_is_a_test_that_asks_for_it(tmp_path):
    (tmp_path / "with_a_new_queue.py").write_text(PLUGIN)
    paths = os.pathsep.join([str(tmp_path), str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "with_a_new_queue", "-p", "no:cacheprovider"]
    wanted = ["-m", "not slow", "-k", "registered or packet_costs or draws_its_law", *named()]
    done = subprocess.run(
        [*command, *wanted],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
        timeout=300,
    )
    failed = {match[1] for match in re.finditer(r"^FAILED (tests/[\w/]+\.py)::", done.stdout, re.MULTILINE)}
    assert len(named()) == 4
    assert failed == set(named()), done.stdout[-2000:]
