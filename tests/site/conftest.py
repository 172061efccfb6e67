"""Lets the site's tests find the browser of the reports' tests, and each other."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "report"), str(HERE.parents[1] / "site")]
