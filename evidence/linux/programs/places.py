"""Where the evidence beside Linux is kept."""

from __future__ import annotations

from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent
LINUX = PROGRAMS.parent
ROOT = LINUX.parents[1]
RECORDINGS = LINUX / "recordings"
CLOSED = LINUX / "closed"
WORDS = LINUX / "words"
