"""The packed parts of a report's page: charts, texts of scenarios and files."""

from __future__ import annotations

import base64
import gzip
import json
import re


def unpacked(page: str, name: str):
    """The packed part of a page with this name."""
    packed = re.search(rf'id="{name}">(.*?)</script>', page, re.S)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))
