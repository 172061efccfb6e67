"""README's figures are those of measurements and generated pages: settings beside peers, speed."""

import json
import re
import tomllib
from pathlib import Path

from sojourn import _core

ROOT = Path(__file__).parents[2]
README = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())


def table(page: str, header: str) -> list[list[str]]:
    """The cells below the first table of a page whose first line begins with this header."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(header)) + 2
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


def numbers(pattern: str) -> list[float]:
    """The numbers of README where it says so much."""
    found = re.search(pattern, README)
    assert found, f"README no longer says {pattern}"
    return [float(number) for number in found.groups()]


def settings_of(peers: str) -> list[dict[str, object]]:
    return tomllib.loads((ROOT / peers / "settings.toml").read_text(encoding="utf-8"))["setting"]


def test_each_setting_beside_ns2_is_measured():
    settings = settings_of("tests/peers")
    kept = tomllib.loads((ROOT / "tests/peers/measured.toml").read_text(encoding="utf-8"))

    assert {name.partition("@")[0] for name in kept} == {setting["name"] for setting in settings}
    # tests/peers/test_peers.py: those that differ are those with a reason.
    agree = [setting for setting in settings if not setting.get("deviation")]
    assert numbers(r"run in ns-2, and all (\d+) settings agree") == [len(agree)]


def test_each_setting_beside_linux_is_a_row_and_a_bold_one_has_a_reason():
    settings = settings_of("tests/peers/linux")
    rows = table("docs/validation.md", "| setting | mean queue (packets) | loss (%) | marks")
    differ = {row[0].split("@")[0] for row in rows if "**" in "".join(row)}

    assert {row[0].split("@")[0] for row in rows} == {setting["name"] for setting in settings}
    assert differ == {setting["name"] for setting in settings if setting.get("deviation")}


def test_decisions_beside_linux():
    page = (ROOT / "docs" / "linux.md").read_text(encoding="utf-8")
    compared, differ = re.search(r"\*\*([\d,]+) decisions compared, ([\d,]+) differ", page).groups()

    how_many = f"{differ} differ" if differ != "0" else "none differs"
    assert f"Of {compared} recorded decisions {how_many}" in README


def test_speed():
    ratios = table("docs/performance.md", "| flows | ns-2 / ours, run |")

    assert numbers(r"takes ([\d.]+), ([\d.]+) and ([\d.]+) times less CPU than in ns-2 at its best") == [
        two_digits(float(row[1].split()[0])) for row in ratios
    ]


def two_digits(value: float) -> float:
    """The value with two significant digits."""
    return float(f"{value:.2g}")


def test_what_a_packet_costs_in_each_queue_is_bounded():
    """At most 400 ns with 1,000 flows, with room and in a full buffer, and no allocation per packet, for each queue."""
    columns = ["ns_100", "ns_1000", "ns_100000", "full_1000", "allocations"]
    rows = {
        row[0]: dict(zip(columns, map(float, row[1:6]), strict=True))
        for row in table(
            "docs/performance.md", "| queue | alone, ns: 100 flows | 1000 | 100000 | full, 1000 | allocations |"
        )
    }
    queues = {entry["name"] for entry in json.loads(_core.registry())["queues"]}

    assert set(rows) == queues
    assert {name: row for name, row in rows.items() if max(row["ns_1000"], row["full_1000"]) > 400} == {}
    # What an account of a flow allocates when it is new is less than one in a hundred packets.
    assert {name: row for name, row in rows.items() if row["allocations"] > 0.01} == {}
