"""Modules that draw import this one first: it reports a missing package before anything else fails."""

import os
from pathlib import Path

from .._base.extras import need

need("report")

# Altair asks for the home when it is imported. A user without an entry and without HOME, as in a container, has none.
try:
    Path.home()
except RuntimeError:
    os.environ["HOME"] = os.sep
