"""The points that figures are drawn from: of a run, and as a record keeps them."""

import math

import pytest

from sojourn._rooms.statistics.intervals import Interval
from sojourn._rooms.works import points
from sojourn._rooms.works.exhibits import Curves, Grid


def test_a_record_gives_back_what_figures_are_drawn_from(drawn):
    points.keep(drawn)

    run, kept = points.of_run(drawn), points.last(drawn.folder)

    assert list(kept.grids) == ["losses"]
    own, other_grid = run.grids["losses"], kept.grids["losses"]
    assert other_grid.axes == own.axes == {"flows": ["2", "4"], "queue": ["RED", "DT"]}
    for name, row in own.metrics.items():
        for one, other in zip(row, other_grid.metrics[name], strict=True):
            assert other.mean == pytest.approx(one.mean, rel=1e-4)
            assert other.low == pytest.approx(one.low, rel=0.05, abs=0.05 * one.half_width)
    (title,) = [title for name, title in kept.curves if name == "losses"]
    again, curves = kept.curves["losses", title], run.curves["losses", title]
    assert again.marks == [5.0]
    assert list(again.panels) == ["flows 2", "flows 4"]
    line = again.panels["flows 2"][""]
    assert len(line) <= points.KEPT
    every = math.ceil(len(curves.panels["flows 2"][""]) / points.KEPT)
    kept_of_run = curves.panels["flows 2"][""][::every]
    assert [x for x, _ in line] == pytest.approx([x for x, _ in kept_of_run], abs=1e-3)
    assert [y for _, y in line] == pytest.approx([y for _, y in kept_of_run], rel=1e-3, abs=1e-3)
    assert kept.version
    assert kept.runs == {"losses": run.grids["losses"].runs}


def test_numbers_that_are_not_there_and_lines_without_points_stay_so(tmp_path):
    gap = Curves(x="x", y="y", panels={"": {"a": [(0.0, math.nan), (1.0, 2.0), (5.0, 3.0)], "b": []}}, joined=False)
    text = points._curves("E", "A chart: one", gap) + points._grid("E", Grid("E", {"n": ["1"]}, {"m": [None]}))
    (tmp_path / "record").mkdir()
    (tmp_path / "record/points.toml").write_text(f'version = "1"\ndate = "2026-01-01"\n{text}')

    kept = points.last(tmp_path)

    line = kept.curves["E", "A chart: one"].panels[""]["a"]
    assert line[1:] == [(1.0, 2.0), (5.0, 3.0)]
    assert math.isnan(line[0][1])
    assert not kept.curves["E", "A chart: one"].joined
    assert kept.grids["E"].metrics == {"m": [None]}
    assert points.last(tmp_path / "nowhere") == points.Drawn()


def test_an_experiment_has_the_metrics_of_all_its_parts():
    whole = Grid("E", {"n": ["1", "2"], "q": ["a", "b"]}, {"wait": [Interval(at, 0.1, 9) for at in range(4)]})
    part = Grid("E", {"q": ["b"], "n": ["2", "1"]}, {"use": [Interval(8.0, 0.1, 9), Interval(7.0, 0.1, 9)]})
    other = Grid("E", {"n": ["1"]}, {"lost": [Interval(5.0, 0.1, 9)]})

    found = points._together([part, whole, other])

    assert found.axes == whole.axes
    assert found.metrics["wait"] == whole.metrics["wait"]
    assert [one and one.mean for one in found.metrics["use"]] == [None, 7.0, None, 8.0]
    assert "lost" not in found.metrics, "it has other axes"
