"""Random inputs: the same ones in the tests, and others for as long as a program is told to.

A *try* makes an input from its number and uses it. It shows a fault by any error that is not a message for users.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

Try = Callable[[int, Path], None]

TOLD = (ValueError, OSError)
"""Errors that a user gets as messages: all others would be faults of Sojourn."""


def fault(tries: Mapping[str, Try], kind: str, number: int, folder: Path) -> str:
    """The fault that an input shows; empty if it is refused with a message of its own, or right."""
    try:
        tries[kind](number, folder)
    except TOLD as error:
        lines = str(error).split("\n")
        if not lines[0].strip():
            return f"{kind} {number}: an empty message"
        if any(len(line) > 2000 for line in lines):
            return f"{kind} {number}: a message without an end"
    except AssertionError as error:
        return f"{kind} {number}: {error}"
    except Exception as error:
        return f"{kind} {number}: {type(error).__name__}: {error}"
    return ""


def go_on(tries: Mapping[str, Try], what: str, every: Mapping[str, int] | None = None) -> None:
    """Try other inputs for ``--seconds``, and print each that fails with the number that makes it again.

    `every` names kinds of which only each so-many-th number is tried.
    """
    options = argparse.ArgumentParser(description=what)
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--first", type=int, default=random.SystemRandom().randrange(10**9))
    chosen = options.parse_args()
    end, number, faults = time.monotonic() + chosen.seconds, chosen.first, 0
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end:
            for kind in tries:
                if number % (every or {}).get(kind, 1) == 0 and (found := fault(tries, kind, number, Path(folder))):
                    print(found, flush=True)
                    faults += 1
            number += 1
    print(f"{number - chosen.first} inputs of each kind from {chosen.first} on, {faults} faults")
    sys.exit(bool(faults))
