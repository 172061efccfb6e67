"""Lets the tests of an installation find each other."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent))
