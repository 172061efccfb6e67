"""No file name stands for two things: helpers would hide each other, and readers look in the wrong file."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from . import design

TESTS = Path(__file__).resolve().parents[1]
CORE = [TESTS.parent / "crates" / crate / "src" for crate in (*design.CORE, "sojourn-bottleneck")]
SHARED = {
    # One scheme that speaks over the network: its queue, its sender, and its header where it has one of its own.
    "decbit.rs": "aqm, transport/congestion",
    "rcp.rs": "aqm, header, transport/congestion",
    "xcp.rs": "aqm, header, transport/congestion",
    "accurate_ecn.rs": "header, transport/tcp",
    # One role in several rooms: the entries of a registry, the parameters, a law as a graph, the two ends, their
    # packets, the imports of their files.
    "drawn.rs": "aqm/red, transport/congestion/bbr, transport/congestion",
    "entry.rs": "queue, traffic, transport",
    "prelude.rs": "queue, traffic, transport/congestion",
    "receiver.rs": "transport/tcp, transport/tfrc",
    "sender.rs": "transport/tcp, transport/tfrc",
    "sending.rs": "transport/congestion/bbr, transport/tcp/recovery/rack, transport/tcp",
    "settings.rs": "aqm/pie, aqm/red, aqm/sfb, discipline/cake, transport/scream, transport/tcp, transport/tfrc",
    "state.rs": "transport/tcp/recovery/rack, sim",
    # One part of one law, in real numbers and in the kernel's.
    "path_model.rs": "transport/congestion/bbr, transport/congestion/bbr3",
    "phases.rs": "transport/congestion/bbr, transport/congestion/bbr3",
    # A recovery, and its model in tests.
    "cumulative.rs": "transport/tcp/models, transport/tcp/recovery",
    # One thing: as it is read, and as it works.
    "medium.rs": "net, scenario",
}
"""Files of the core that have one name, by their rooms, for each has the same to tell there."""


def test_no_two_helpers_have_one_name():
    places: dict[str, list[str]] = defaultdict(list)
    for path in TESTS.rglob("*.py"):
        if not path.name.startswith(("test_", "conftest", "__init__")):
            places[path.name].append(str(path.relative_to(TESTS)))

    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_files_of_the_core_have_one_name_only_where_they_tell_of_one_thing():
    places: dict[str, list[str]] = defaultdict(list)
    for source in CORE:
        for path in sorted(source.rglob("*.rs")):
            if path.name not in {"lib.rs", "mod.rs", "tests.rs"}:
                places[path.name].append(str(path.parent.relative_to(source)))

    assert {name: ", ".join(found) for name, found in places.items() if len(found) > 1} == SHARED
