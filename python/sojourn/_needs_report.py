"""Imported first by what draws, so that a missing extra is told by its name."""

from ._extras import need

need("report")
