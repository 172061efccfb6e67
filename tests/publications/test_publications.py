"""One published number for every registered queue, with few seeds; evidence/publications has ours with more."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import rows
from cases import CASES

from sojourn import _core

ROOT = Path(__file__).parents[2]
SEEDS = range(1, 4)
# A queue of Linux's own is held to the kernel (evidence/linux).
REGISTERED = {entry["name"] for entry in json.loads(_core.registry())["queues"] if not entry["name"].startswith("sch_")}


@pytest.fixture(scope="module")
def run():
    """Every case, at once to keep both cores busy; the table goes to the captured output."""
    done = rows.run(CASES, SEEDS)
    print(rows.table(done))
    return done


def test_every_registered_queue_has_a_number():
    assert {case.queue for case in CASES} == REGISTERED


@pytest.mark.slow
@pytest.mark.parametrize(
    "number", range(len(CASES)), ids=[f"{case.queue}-{number}" for number, case in enumerate(CASES)]
)
def test_ours_agrees_within_its_interval_or_says_why_not(run, number):
    row = run[number]

    assert row.may_agree or row.case.differs, str(row)


def test_an_interval_that_reaches_the_number_may_agree():
    case = next(case for case in CASES if case.printed == 14.79)
    # 10 % of 14.79 are 1.479: up to 16.269.
    assert rows.Row(case, rows.Interval(16.2, 0.0, 3)).agrees
    assert not rows.Row(case, rows.Interval(16.4, 0.05, 3)).may_agree
    assert rows.Row(case, rows.Interval(16.4, 0.2, 3)).may_agree


def test_a_bound_is_met_from_inside():
    case = next(case for case in CASES if case.queue == "ared_mimd")
    assert rows.Row(case, rows.Interval(11.0, 0.0, 3)).agrees
    assert not rows.Row(case, rows.Interval(11.1, 0.05, 3)).may_agree
    assert rows.Row(case, rows.Interval(11.1, 0.2, 3)).may_agree


def test_what_is_kept_is_read_again(tmp_path):
    file = tmp_path / "measured.toml"
    rows.keep(rows.measured(CASES), CASES, file)
    assert file.read_text(encoding="utf-8") == rows.MEASURED.read_text(encoding="utf-8")
    new = [rows.Row(CASES[0], rows.Interval(1.0, 0.5, 3))]
    rows.keep(new, CASES, file)
    assert rows.measured(CASES, file) == [*new, *rows.measured(CASES)[1:]]
    with pytest.raises(ValueError, match="run it too"):
        rows.keep(new, CASES, tmp_path / "none.toml")


def test_the_readme_counts_what_is_kept():
    kept = rows.measured(CASES)
    hold = sum(row.case.printed is None and row.agrees for row in kept)
    near = sum(row.case.printed is not None and row.agrees for row in kept)
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    said = re.search(
        r"of (\d+) published results (\d+) numbers agree within 10 %, "
        r"(\d+) claimed properties hold, and (\d+) results do not agree",
        readme,
    )
    assert said
    assert [int(number) for number in said.groups()] == [len(CASES), near, hold, len(CASES) - near - hold]
    assert len(kept) == len(CASES)
