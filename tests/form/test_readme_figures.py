"""README's figures are those that commands measured and kept: settings beside peers, speed, costs of queues."""

import json
import re
import tomllib
from pathlib import Path

from sojourn import _core

ROOT = Path(__file__).parents[2]
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())


def numbers(pattern: str) -> list[float]:
    """The numbers of README, at their places."""
    found = re.search(pattern, README)
    assert found, f"README no longer says {pattern}"
    return [float(number) for number in found.groups()]


def toml(file: str) -> dict[str, object]:
    return tomllib.loads((ROOT / file).read_text(encoding="utf-8"))


def settings_of(peers: str) -> list[dict[str, object]]:
    return toml(f"{peers}/settings.toml")["setting"]


def test_each_setting_beside_ns2_is_measured():
    settings = settings_of("tests/peers")
    kept = toml("evidence/ns2/measured.toml")

    assert {name.partition("@")[0] for name in kept} == {setting["name"] for setting in settings}
    # tests/peers/test_peers.py: those that differ are those with a reason.
    agree = [setting for setting in settings if not setting.get("deviation")]
    assert numbers(r"run in ns-2, and all (\d+) settings agree") == [len(agree)]


def test_each_setting_beside_linux_is_compared_and_one_that_differs_has_a_reason():
    settings = settings_of("tests/peers/linux")
    kept = toml("evidence/linux/namespaces/compared.toml")

    assert set(kept) == {setting["name"] for setting in settings}
    differ = {name for name, row in kept.items() if not all(cell["agrees"] for cell in row.values())}
    assert differ == {setting["name"] for setting in settings if setting.get("deviation")}


def test_decisions_beside_linux():
    kept = json.loads((ROOT / "python/sojourn/_rooms/catalogue/beside_linux/rows.json").read_text(encoding="utf-8"))
    compared, differ = (kept["decisions"][what] for what in ("compared", "differ"))

    windows, closed = kept["senders"]["tcp"], kept["closed"]
    dropped, marked, sequences = (kept["decisions"][what] for what in ("dropped", "marked", "sequences"))
    kinds = f"({dropped:,} drops and {marked:,} marks, in {sequences} sequences of arrivals)"
    both = f"Of {compared:,} decisions of queues {kinds} and {windows['compared']:,} windows of senders"
    unlike = differ + windows["differ"]
    assert f"{both} {f'{unlike:,} differ' if unlike else 'none differs'}" in README
    agree, apart, undecided = (closed[what] for what in ("agree", "apart", "undecided"))
    means = f"Of {agree + apart + undecided:,} means of complete runs {agree:,} agree"
    assert f"{means}, {apart:,} differ, and {undecided:,} need more runs" in README
    page = (ROOT / "site/pages/trust/index.md").read_text(encoding="utf-8")
    assert f"{compared / 1e6:.1f} million recorded decisions" in page
    assert differ or "No decision differs" in page


def test_speed():
    kept = toml("evidence/speed/speed.toml")

    assert numbers(r"takes ([\d.]+), ([\d.]+) and ([\d.]+) times less CPU than in ns-2 at its best") == [
        two_digits(kept[f"flows-{flows}"]["run"][0]) for flows in (10, 100, 1000)
    ]
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    for flows in (10, 100, 1000):
        run, whole = (two_digits(kept[f"flows-{flows}"][what][0]) for what in ("run", "whole"))
        assert f"| {flows} | {run:g} | {whole:g} |" in page


def two_digits(value: float) -> float:
    """The value with two significant digits."""
    return float(f"{value:.2g}")


def test_what_a_packet_costs_in_each_queue_is_bounded():
    """At most 400 ns with 1,000 flows, with room and in a full buffer, and no allocation per packet, for each queue.

    With its defaults, and with its preset `linux`.
    """
    rows = toml("evidence/speed/queues.toml")
    queues = json.loads(_core.registry())["queues"]
    exact = {
        f"{entry['name']}:linux"
        for entry in queues
        for preset in entry["presets"]
        if preset["name"] == "linux" and "queue" not in preset
    }

    assert {"codel:linux", "cobalt:linux"} <= exact
    assert set(rows) == {entry["name"] for entry in queues} | exact
    assert {name: row for name, row in rows.items() if max(row["alone_1000"], row["full_1000"]) > 400} == {}
    # Allocations for new accounts of flows are less than one in a hundred packets.
    assert {name: row for name, row in rows.items() if row["allocations"] > 0.01} == {}
