"""HTB in whole runs: classes by flow group, leaves of any kind, copies, and its messages."""

from __future__ import annotations

import pytest

import sojourn

SCENARIO = """
duration = "20s"
warmup = "5s"
[dumbbell]
rate = "10Mbit"
delay = "10ms"
mean_packet = "1000B"
queue = {queue}
[[flow]]
name = "bulk"
count = 4
transport = {{ kind = "udp", packet = "1000B" }}
app = {{ kind = "cbr", rate = "4Mbit", jitter = "10%" }}
[[flow]]
name = "video"
transport = {{ kind = "udp", packet = "1000B" }}
app = {{ kind = "cbr", rate = "6Mbit", jitter = "10%" }}
"""


def rates(queue: str) -> dict[str, float]:
    """Mbit/s of each flow."""
    result = sojourn.run(sojourn.Scenario.from_toml(SCENARIO.format(queue=queue)))
    rows = result.flow.select("group", "throughput_bps").iter_rows()
    return {f"{group}-{number}": bps / 1e6 for number, (group, bps) in enumerate(rows)}


def test_flows_have_the_rates_of_their_classes():
    queue = """{ kind = "htb", group = [{ rate = "10Mbit" }], class = [
        { flows = "video", rate = "6Mbit", queue = "pie" },
        { rate = "4Mbit", queue = { kind = "fq_codel", preset = "linux" } }] }"""

    found = rates(queue)

    assert found["video-4"] == pytest.approx(6, rel=0.01)
    assert [found[f"bulk-{n}"] for n in range(4)] == pytest.approx([1] * 4, rel=0.03)


def test_copies_are_classes_of_their_own():
    queue = """{ kind = "htb", group = [{ rate = "10Mbit" }], class = [
        { flows = "bulk", copies = 4, rate = "1Mbit", ceil = "10Mbit", quantum = "1000B" },
        { rate = "1Mbit", ceil = "10Mbit", quantum = "1000B" }] }"""

    found = rates(queue)

    # Five classes have 1 Mbit/s for sure and borrow a fifth of the other 5 each.
    assert [found[f"bulk-{n}"] for n in range(4)] == pytest.approx([2] * 4, rel=0.01)
    assert found["video-4"] == pytest.approx(2, rel=0.03)


@pytest.mark.parametrize(
    ("queue", "said"),
    [
        ('{ kind = "htb", class = [{ flows = "vidoe" }, {}] }', 'did you mean "video"?'),
        ('{ kind = "htb", class = [{ queue = "fq_codl" }] }', 'did you mean "fq_codel"?'),
        ('{ kind = "htb", class = [{ queue = { kind = "red", min_th = "50p", max_th = "5p" } }] }', "queue.max_th"),
        ('{ kind = "htb", class = [{ flows = "bulk", copies = 3 }, {}] }', "the 4 flows"),
    ],
)
def test_what_is_wrong_is_said_where_it_stands(queue, said):
    with pytest.raises(sojourn.ScenarioError, match=r"dumbbell\.queue\.class") as error:
        sojourn.Scenario.from_toml(SCENARIO.format(queue=queue)).resolved()

    assert said in str(error.value)


def test_a_scenario_with_htb_reads_back():
    scenario = sojourn.Scenario.from_toml(SCENARIO.format(queue='{ kind = "htb", class = [{ queue = "fq_pie" }] }'))

    again = sojourn.Scenario.from_resolved(scenario.resolved_json)

    assert again.resolved() == scenario.resolved()
    leaf = again.resolved()["dumbbell"]["queue"]["class"][0]["queue"]
    assert (leaf["kind"], leaf["limit"]) == ("fq_pie", "10240p")


def test_counters_of_a_run_add_up():
    result = sojourn.run(sojourn.Scenario.from_toml(SCENARIO.format(queue='{ kind = "red", limit = "100p" }')))
    rows = result.counters.rows(named=True)
    found = {row["counter"]: row["value"] for row in rows if row["link"] == "forward"}

    # 22 Mbit/s come for 20 s; the packet that is being sent is among those that left.
    assert found["sent_packets"] + found["dropped"] + found["backlog_packets"] == pytest.approx(55_000, rel=0.01)
    assert found["early"] + found["pdrop"] == found["dropped"]
    assert found["sent_bytes"] == 1000 * found["sent_packets"]
    assert found["overlimits"] == found["early"] + found["marked"]
