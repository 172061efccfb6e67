"""Text to paste for routers of several systems."""

from __future__ import annotations

from .pasted import Pasted
from .systems import SYSTEMS, System, system

__all__ = ["SYSTEMS", "Pasted", "System", "system"]
