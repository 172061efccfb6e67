"""The second look at settings in which a cell differs."""

import closed_again
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
