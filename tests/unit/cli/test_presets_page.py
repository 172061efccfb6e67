"""The page on presets names every preset there is, and no other."""

from __future__ import annotations

import json
import re
from pathlib import Path

from sojourn import _core

PAGE = Path(__file__).resolve().parents[3] / "docs" / "presets.md"


def test_every_preset_is_on_the_page_and_no_other():
    registry = json.loads(_core.registry())
    groups = [("queues", "presets"), ("controls", "presets"), ("apps", "presets"), ("transports", "profiles")]
    entries = [(entry["name"], entry[key]) for group, key in groups for entry in registry[group]]
    there_are = {f"{name}:{preset['name']}" for name, presets in entries for preset in presets}
    # `queue:preset` and `wred:tahiliani2013_*` are words of the text.
    named = set(re.findall(r"`([a-z0-9_]+:[a-z0-9_]+)`", PAGE.read_text(encoding="utf-8"))) - {"queue:preset"}
    assert named == there_are


def test_what_has_the_name_of_a_system_stands_in_the_table():
    systems = re.compile(r":(ns2|linux|docsis|ios|authors|reported)")
    text = PAGE.read_text(encoding="utf-8")
    outside = [line for line in text.splitlines() if not line.startswith("|")]
    assert not systems.search("\n".join(outside))
