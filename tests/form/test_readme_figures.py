"""README's figures are those of the generated pages: published numbers, settings beside peers, speed."""

import json
import re
import tomllib
from pathlib import Path

import pytest

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


def test_published_rows():
    near, rows, hold, differ = numbers(
        r"(\d+) of (\d+) rows agree within 10 %, (\d+) hold a property that was claimed, (\d+) do not agree"
    )
    differences = [row[5] for row in table("docs/validation.md", "| queue | source | what |")]

    assert rows == len(differences)
    assert hold == differences.count("within")
    assert differ == sum(difference.startswith("**") for difference in differences)
    assert near == rows - hold - differ


@pytest.mark.parametrize(
    ("peers", "said", "next_column"),
    [
        ("tests/peers", r"dumbbells run in ns-2: all (\d+) settings agree", "utilisation"),
        ("tests/peers/linux", r"namespaces of the test: (\d+) of (\d+) settings agree", "marks"),
    ],
)
def test_settings_beside(peers, said, next_column):
    settings = tomllib.loads((ROOT / peers / "settings.toml").read_text(encoding="utf-8"))["setting"]
    rows = table("docs/validation.md", f"| setting | mean queue (packets) | loss (%) | {next_column}")
    differ = {row[0].split("@")[0] for row in rows if "**" in "".join(row)}
    agree, *all_of_them = numbers(said)

    assert agree == len(settings) - len(differ)
    assert all_of_them in ([], [len(settings)])
    assert {row[0].split("@")[0] for row in rows} == {setting["name"] for setting in settings}
    assert differ == {setting["name"] for setting in settings if setting.get("deviation")}, "why a row differs is said"


def test_speed():
    ratios = table("docs/performance.md", "| flows | ns-2 / ours, run |")
    growth = table("docs/performance.md", "| flows | µs per packet | against 100 flows |")
    run, whole = ([float(row[column].split()[0]) for row in ratios] for column in (1, 2))

    assert numbers(
        r"takes ([\d.]+), ([\d.]+) and ([\d.]+) times less CPU per packet than in ns-2 at its best, "
        r"and the whole process ([\d.]+), ([\d.]+) and ([\d.]+) times less"
    ) == [two_digits(ratio) for ratio in run + whole]
    assert numbers(r"with 10,000 flows a packet costs ([\d.]+) times") == [float(growth[-1][2].split()[0])]


def test_memory_and_set_up():
    measured = {row[0]: row[1] for row in table("docs/performance.md", "| what | measured | how |")}
    flow, set_up = numbers(
        r"a flow takes ([\d.]+) KiB before its first packet arrives; 100,000 flows are set up in ([\d.]+) s"
    )

    assert measured["memory of a flow, its first packet on the way"] == f"{flow:g} KiB"
    assert set_up == round(float(measured["set-up of 100000 flows"].split()[0]), 1)


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
