"""JSON that carries a hash of itself, so that damage to any part of it is found."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["digest", "is_whole", "sealed"]

_SEAL = "sha256"


def digest(content: bytes) -> str:
    """The hash beside each thing that Sojourn keeps."""
    return hashlib.sha256(content).hexdigest()


def sealed(content: Mapping[str, Any], *, indent: int | None = None) -> str:
    """The content as JSON, with a hash of all before it."""
    return json.dumps({**content, _SEAL: _digest_of(content)}, indent=indent) + "\n"


def is_whole(content: Mapping[str, Any]) -> bool | None:
    """Whether the content is as it was written; None where it has no hash, as in files of older versions."""
    if _SEAL not in content:
        return None
    rest = {key: value for key, value in content.items() if key != _SEAL}
    return bool(content[_SEAL] == _digest_of(rest))


def _digest_of(content: Mapping[str, Any]) -> str:
    return digest(json.dumps(content, separators=(",", ":")).encode())
