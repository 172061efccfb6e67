"""The second look at settings in which a cell differs."""

from dataclasses import replace

import closed_again
import closed_phase
import closed_runs
import pytest
from closed_runs import AGAIN, METRICS
from closed_settings import Setting

SETTING = Setting("codel", "cubic", 4)


def sides(kernel: list[float], ours: list[float]) -> dict[str, dict[str, list[dict[str, float]]]]:
    def runs(queues):
        return [{**dict.fromkeys(METRICS, 0.5), "queue_packets": queue} for queue in queues]

    return {SETTING.name: {"kernel": runs(kernel), "ours": runs(ours)}}


@pytest.mark.parametrize(
    ("again", "verdict"),
    [
        ([10.0, 10.01, 9.99], "agrees"),
        ([9.0, 9.02, 8.98], "differs again"),
        ([11.0, 11.01, 10.99], "differs the other way"),
        ([8.0, 10.0, 12.0], "needs more runs"),
    ],
)
def test_new_runs_decide_alone_whether_a_difference_is_there_again(monkeypatch, again, verdict):
    first = sides([9.0, 9.01, 8.99], [10.0, 10.01, 9.99])
    second = sides(again, [10.0, 10.01, 9.99])
    monkeypatch.setattr(closed_runs, "read", lambda file=None: second if file == AGAIN else first)

    (row,) = closed_again.table().splitlines()[2:]

    assert row.startswith("| codel-cubic-4-10mbit-40ms | mean queue | 9, 10, +11.1% ± ")
    assert row.endswith(f" | {verdict} |")


def test_a_round_trip_of_whole_packets_is_known_and_another_one_is_not_near():
    # 40 ms are 329.01 packets, 41 ms 337.24.
    setting = Setting("pfifo", "bbr", 100, 100_000_000)
    assert setting.phase_us == pytest.approx(40_000 - 329 * 121.576, abs=1e-6)
    assert closed_phase.elsewhere(setting).phase_us == pytest.approx(41_000 - 337 * 121.576, abs=1e-6)
    # CAKE shapes itself, exactly: 330.25 packets.
    assert Setting("cake_flowblind", "bbr", 100, 100_000_000).phase_us == pytest.approx(40_000 - 330 * 121.12, abs=1e-6)
    # A path that is 3 us shorter, and nothing else.
    lines, sooner = (one.scenario().splitlines() for one in (setting, replace(setting, sooner_us=3.0)))
    changed = [(one, other) for one, other in zip(lines, sooner, strict=True) if one != other]
    assert [other for _, other in changed[1:]] == ['delay = "20.118ms"']


def test_a_cell_that_differs_with_the_longer_round_trip_has_new_runs(monkeypatch):
    longer = closed_phase.elsewhere(SETTING).name
    first, new = (
        {longer: sides([9.0, 9.01, 8.99], ours)[SETTING.name]} for ours in ([10.0, 10.01, 9.99], [9.0, 9.01, 8.99])
    )
    monkeypatch.setattr(closed_phase, "settings", lambda: [SETTING])
    monkeypatch.setattr(closed_runs, "read", lambda file: new if file == closed_phase.LATER else first)

    (line,) = closed_phase.later().splitlines()

    assert line.startswith("- `codel-cubic-4-10mbit-41ms`, mean queue: 9, 9, +0.0% ± ")
    assert line.endswith("(3 runs of the kernel, 3 of Sojourn)")


def test_new_runs_have_other_random_numbers():
    numbers = closed_runs.read(closed_phase.LATER)
    assert {name: tuple(len(runs) for runs in of.values()) for name, of in numbers.items()} == {
        "pie_ecn-reno-100-100mbit-41ms": (closed_phase.LATER_RUNS, closed_phase.LATER_OURS)
    }
    # The first runs have the numbers from 1 on.
    assert max(closed_phase.RUNS, closed_phase.OURS) < closed_phase.LATER_FROM
