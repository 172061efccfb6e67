"""Queues and window laws of users, the files of tests/unit/own in a process of their own.

A class that is registered stays so until its process ends: here, lists and generated files of other tests would have
it.
"""

import subprocess
import sys
from pathlib import Path

import pytest

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow

FOLDER = Path(__file__).resolve().parent


def test_queues_and_laws_of_users():
    files = sorted(map(str, FOLDER.glob("own_*.py")))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *files]
    done = subprocess.run(command, capture_output=True, text=True, cwd=FOLDER.parents[2])
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
