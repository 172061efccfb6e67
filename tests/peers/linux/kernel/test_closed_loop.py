"""Verdicts of cells of the closed loop; no cell is missing."""

import closed_plan
import closed_runs
import closed_settings
import closed_twins
import pytest
from closed_runs import METRICS
from closed_settings import Setting
from closed_tables import by_rate
from closed_verdicts import AGREES, DIFFERS, OPEN, cell, near_copies, ratio, rows_of
from linux_exact import concerns

FOUR = Setting("codel", "cubic", 4)


@pytest.mark.parametrize(
    ("metric", "kernel", "ours", "verdict"),
    [
        # 2 % of 10 packets are 0.2.
        ("queue_packets", [10.0, 10.01, 9.99], [10.1, 10.11, 10.09], AGREES),
        ("queue_packets", [10.0, 10.01, 9.99], [10.5, 10.51, 10.49], DIFFERS),
        ("queue_packets", [8.0, 10.0, 12.0], [10.1, 10.11, 10.09], OPEN),
        # One run gives no verdict.
        ("queue_packets", [10.0], [10.0, 10.0], OPEN),
        # 41,283 packets come: 5 % of four losses are fewer than one.
        ("loss", [0.0001, 0.0001], [0.00012, 0.00012], AGREES),
        ("loss", [0.0001, 0.0001], [0.00015, 0.00015], DIFFERS),
        ("jain", [0.99, 0.99], [0.999, 0.999], AGREES),
    ],
)
def test_a_cell_agrees_if_its_whole_interval_is_within_the_bound(metric, kernel, ours, verdict):
    assert cell(FOUR, metric, kernel, ours).verdict == verdict


def test_what_cannot_differ_does_not_count():
    assert not cell(FOUR, "marks", [0.0, 0.0], [0.0, 0.0]).counts
    assert not cell(Setting("codel", "cubic", 1), "jain", [1.0, 1.0], [1.0, 1.0]).counts
    assert cell(FOUR, "marks", [0.0, 0.0], [0.0, 0.1]).counts


def test_a_cell_whose_interval_is_longer_than_the_mean_makes_no_statement():
    assert "no statement ?" in cell(FOUR, "loss", [0.001, 0.003, 0.02], [0.002, 0.003, 0.04]).text
    assert cell(FOUR, "loss", [0.1, 0.13], [0.1, 0.12]).text.startswith("11.5, 11, -4.3% ± ")


def test_the_mean_queue_by_rate():
    rows = [row(Setting("codel", "cubic", 1, 1_000_000, rtt), [10.0, 10.0], [9.9, 9.9]) for rtt in (1.0, 2.0, 3.0, 4.0)]

    assert "| 1 Mbit/s | 4 | 0.990 ± 0.000 | -1.0 % | 4 | 0.12 |" in by_rate(rows)


@pytest.mark.parametrize(
    ("queue", "off", "runs"),
    [
        ("codel", 0.0, closed_plan.LEAST),
        # Half of the interval is to be 0.6 of 2 % of 10: with 18 runs it is 0.1215, with 19 it is 0.1191.
        ("codel", 0.2, 19),
        # No number of runs up to the most is enough: more than the least would cost and decide nothing.
        ("codel", 3.0, closed_plan.LEAST),
        ("sfb", 3.0, closed_plan.LEAST_OF_TWO_MODES),
    ],
)
def test_the_scatter_of_ours_decides_how_often_the_kernel_runs(queue, off, runs):
    ours = [{**dict.fromkeys(METRICS, 0.0), "queue_packets": 10.0 + (off, -off)[k % 2]} for k in range(32)]

    assert closed_plan.wanted(Setting(queue, "cubic", 4), ours) == runs


def test_all_runs_count_on_both_sides():
    # In one run two of 16 flows share a queue: a choice by Jain's index would move the mean that is compared.
    def runs(*indices):
        return [{**dict.fromkeys(METRICS, 0.1), "jain": jain} for jain in indices]

    for control in ("reno", "cubic+reno"):
        setting = Setting("sfq", control, 16, rtt_ms=160.0)
        sides = {"kernel": runs(0.97, 1.0, 0.97, 0.97), "ours": runs(0.97, *[1.0] * 7)}
        (row,) = rows_of([setting], {setting.name: sides})

        assert row.runs == (4, 8)
        assert [one.kernel for one in row.cells if one.metric == "jain"] == [pytest.approx(0.9775)]


def row(setting, kernel, ours):
    """A row of runs with this mean queue, without losses and marks."""

    def runs(queues):
        return [{**dict.fromkeys(METRICS, 0.0), "queue_packets": queue, "jain": 1.0} for queue in queues]

    return rows_of([setting], {setting.name: {"kernel": runs(kernel), "ours": runs(ours)}})[0]


def test_a_near_copy_has_the_same_senders_and_the_same_numbers():
    one = row(Setting("codel", "cubic", 1), [2.0, 2.0], [2.0, 2.0])
    copy = row(Setting("fq_codel", "cubic", 1), [2.03, 2.03], [2.0, 2.0])
    other = row(Setting("pie", "cubic", 1), [2.05, 2.05], [2.0, 2.0])
    slower = row(Setting("fq_codel", "cubic", 1, 1_000_000), [2.0, 2.0], [2.0, 2.0])

    assert near_copies([one, copy, other, slower]) == [copy]


def test_a_ratio_is_a_geometric_mean():
    rows = [row(Setting("codel", "cubic", 1), [10.0, 10.0], [10.0 * by, 10.0 * by]) for by in (0.5, 2.0, 0.5, 2.0)]
    cells = [cell for one in rows for cell in one.cells if cell.metric == "queue_packets"]

    assert ratio(cells).mean == pytest.approx(1.0)
    assert ratio(cells[:3]) is None


def test_cells_of_two_laws_are_not_counted_with_a_sender():
    alone, beside = Setting("pie", "cubic", 1), Setting("pie", "cubic+bbr", 2)
    rows = [row(setting, [2.0, 2.0], [2.0, 2.0]) for setting in (alone, beside)]

    assert [concerns(one, "senders", "cubic") for one in rows] == [True, False]
    assert [concerns(one, "queues", "sch_pie") for one in rows] == [True, True]


def test_a_flow_that_never_connected_got_nothing():
    lines = ["reno acked 1000 retransmitted 1 ecn 0 port 5002", "cubic acked 3000 retransmitted 0 ecn 0 port 5001"]

    assert closed_runs.acked(lines, Setting("codel", "cubic+reno", 4)) == ([1000.0, 3000.0, 0.0, 0.0], 3000.0)


def test_a_packet_takes_as_long_as_over_the_oracles_link():
    fast = Setting("codel", "cubic", 1, 100_000_000)

    assert 1514 * 8 / fast.link_rate == pytest.approx(121.576e-6, abs=1e-10)
    assert f'rate = "{fast.link_rate}bit"' in fast.scenario()
    # CAKE's own shaper catches up.
    assert 'bandwidth = "100000000bit"' in Setting("cake_flowblind", "cubic", 1, 100_000_000).scenario()


def test_pie_has_updated_before_the_first_flow_may_start_as_in_the_oracle():
    # Its first update is half a second after it is made. The same seconds are counted as without it.
    for queue, begins, counted in [
        ("pie", "0.599s", "10.599s"),
        ("fq_pie", "0.599s", "10.599s"),
        ("codel", "0s", "10.0s"),
    ]:
        text = Setting(queue, "cubic", 4).scenario()
        assert f'start = {{ at = "{begins}", spread = "2s" }}' in text
        assert f'warmup = "{counted}"' in text


def test_no_setting_is_in_two_parts():
    known, earlier, fresh = (set(part()) for part in closed_settings.PARTS.values())

    assert len(earlier) == sum(draw.number for draw in closed_settings.DRAWS)
    assert not earlier & known
    assert len(fresh) == closed_settings.FRESH.number
    assert not fresh & (known | earlier)


def test_seeds_draw_these_settings():
    # The measurements belong to them.
    first, second = (closed_settings.earlier()[place].name for place in (0, closed_settings.DRAWS[0].number))
    assert (first, second) == ("red_ecn-cubic+dctcp-100-100mbit-40ms", "sfq-bbr-100-100mbit-160ms")
    assert closed_settings.fresh()[0].name == "red_ecn-cubic-100-100mbit-40ms"


def test_fresh_settings_are_not_too_many_that_cost_much():
    fresh = closed_settings.fresh()

    assert sum(setting.rate == 100_000_000 for setting in fresh) == closed_settings.FRESH.fast
    assert sum(setting.flows == 100 for setting in fresh) == closed_settings.FRESH.many
    assert {setting.rtt_ms for setting in fresh} == {10.0, 40.0, 160.0}
    assert {setting.flows for setting in fresh} == {1, 4, 16, 100}


# Some that cost little.
AGAIN = ("pfifo-reno-1", "codel-cubic-1", "fq_codel-cubic-4", "pie-reno-4", "red_ecn-cubic-4", "cake_besteffort-reno-1")


@pytest.mark.parametrize("name", AGAIN)
def test_what_is_in_the_file_is_what_sojourn_does(name):
    queue, control, flows = name.split("-")
    setting = Setting(queue, control, int(flows))
    kept = [list(row.values()) for row in closed_runs.read()[setting.name]["ours"][:2]]

    assert kept == closed_runs.shortened(setting, closed_runs.of_ours(setting, 2)), (
        "closed_loop.json has runs of an older Sojourn. Run all of them again: "
        "for part in known earlier fresh: kernel_loop.py ours --part PART; then linux_page.py"
    )


def test_a_run_with_the_kernels_starts_and_draws_follows_the_kernels():
    # Whether SFB holds this flow back depends on chance: of all runs some mark 2 %, and some 4 %.
    setting = Setting("sfb_ecn", "cubic", 1, 1_000_000, 10.0)
    kernel, ours = ([run["marks"] for run in closed_runs.read()[setting.name][side][:3]] for side in ("kernel", "ours"))

    assert closed_twins.follow(setting, "marks")
    assert max(kernel) - min(kernel) > 0.005
    assert ours == pytest.approx(kernel, abs=0.001)


def test_pairs_are_compared_by_their_differences():
    # Both sides scatter by 2, and the pairs differ by 0.1.
    kernel, ours = [8.0, 10.0, 12.0], [8.09, 10.1, 12.11]

    assert cell(FOUR, "queue_packets", kernel, ours).verdict == OPEN
    assert cell(FOUR, "queue_packets", kernel, [*ours, 99.0], in_pairs=True).verdict == AGREES
    # Of several flows another one comes first, and BBR draws numbers of its own.
    assert not any(closed_twins.may_follow(one) for one in (FOUR, Setting("codel", "bbr", 1)))


def test_runs_of_sojourn_are_as_many_as_the_kernels_at_least():
    assert [closed_plan.of_ours(FOUR, runs) for runs in (3, 10, 24)] == [12, 20, 32]
    assert closed_plan.of_ours(Setting("codel", "cubic", 4, 1_000_000), 3) == closed_plan.OURS


def test_what_was_measured_is_a_setting():
    names = {setting.name for part in closed_settings.PARTS.values() for setting in part()}
    measured = closed_runs.read()

    assert set(measured) <= names
    assert all(row.runs[0] >= 1 for row in rows_of(closed_settings.earlier(), measured))


def test_settings_have_neither_starts_nor_draws_in_common():
    settings = [*closed_settings.known(), *closed_settings.earlier(), *closed_settings.fresh()]
    seeds = {one.seed(run) for one in settings for run in range(1, 33)}

    assert len(seeds) == 32 * len(set(settings))
    assert FOUR.job(2).seed == FOUR.seed(2) != FOUR.seed(1)
