"""Lets the site's tests find its generator and each other."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parents[1] / "site")]
