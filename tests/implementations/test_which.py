"""Each registered queue has a second implementation, or is held to another program; a new one joins one of both."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from sojourn import _core

from . import test_media, test_policies, test_schedulers, test_senders, test_window_laws

ROOT = Path(__file__).resolve().parents[2]
# Pages and `sojourn explain` say it from this file.
KEPT = tomllib.loads((ROOT / "evidence" / "second.toml").read_text(encoding="utf-8"))


def place(module) -> str:
    return Path(module.__file__).relative_to(ROOT).as_posix()


def test_each_registered_queue_has_a_second_implementation_or_is_held_to_another_program():
    registered = {entry["name"] for entry in json.loads(_core.registry())["queues"]}
    second, programs = set(KEPT["queues"]), set(KEPT["programs"])

    assert second | programs == registered
    assert not second & programs, "those have a second implementation"


def test_the_list_names_the_test_of_each():
    for module in (test_policies, test_schedulers):
        for _, queue, _ in module.CASES.values():
            assert KEPT["queues"][queue] == place(module), queue
    cases = {name.partition(",")[0]: test_senders for name in test_senders.CASES}
    cases |= {name.partition(",")[0]: test_media for name in test_media.CASES}
    cases |= dict.fromkeys(test_window_laws.CURVES, test_window_laws)
    assert set(cases) <= set(KEPT["senders"])
    assert {name: KEPT["senders"][name] for name in cases} == {name: place(of) for name, of in cases.items()}
    for group in ("queues", "senders"):
        for name, test in KEPT[group].items():
            assert name in (ROOT / test).read_text(encoding="utf-8"), name
