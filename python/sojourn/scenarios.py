"""The scenarios that come with Sojourn."""

from __future__ import annotations

from ._rooms.scenario.shipped import names, path

__all__ = ["names", "path"]
