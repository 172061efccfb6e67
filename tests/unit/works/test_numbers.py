"""Each printed number beside ours, and a line for each printed table."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from helpers import windows
from helpers.shell import sojourn
from sojourn import papers
from sojourn._rooms.works import printed_tables, scores
from sojourn._rooms.works.forensics.beside import Cell, beside
from sojourn._rooms.works.forensics.numbers import rows
from sojourn._rooms.works.same_run import mark


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("SOJOURN_PAPERS", str(tmp_path))
    return windows.write(tmp_path / "windows")


def _cell(printed: float, low: float, high: float, whole: float | None = None) -> Cell:
    return Cell("table 1", "E1", "row", "case", printed, (low + high) / 2, low, high, 0.5, 1, 20, "", whole)


@pytest.mark.parametrize(
    ("printed", "low", "high", "inside", "near", "tenth"),
    [
        (100.0, 99.0, 101.0, True, True, True),
        (100.0, 100.4, 102.0, True, True, True),  # by its rounding
        (100.0, 102.4, 103.0, False, True, True),  # by 2 % and its rounding
        (100.0, 102.6, 103.0, False, False, True),
        (100.0, 85.0, 89.0, False, False, False),
        (0.0, 0.0, 0.4, True, True, True),
        (100.0, math.nan, math.nan, False, False, False),
    ],
)
def test_where_a_printed_number_lies(
    printed: float, low: float, high: float, inside: bool, near: bool, tenth: bool
) -> None:
    one = _cell(printed, low, high)
    assert (one.inside, one.near, one.within_a_tenth) == (inside, near, tenth)


def test_a_link_that_is_nearly_full_is_compared_by_its_unused_part() -> None:
    """Of a link of 1000 that carries 950 the unused part is 50: 2 % of it is 1, and a tenth is 5."""
    assert [_cell(950.0, low, low + 1.0, 1000.0).near for low in (951.0, 951.4, 952.0)] == [True, True, False]
    assert [_cell(950.0, low, low, 1000.0).within_a_tenth for low in (955.0, 956.0)] == [True, False]
    assert _cell(950.0, 955.0, 960.0).near


@pytest.mark.parametrize("key", papers.find())
def test_the_printed_numbers_of_a_work_are_of_the_same_run_as_its_verdicts(key: str) -> None:
    folder = papers.find()[key]
    lines, full = printed_tables.read(folder), scores.last(folder)
    if lines is None or full is None or not full.settings:
        pytest.skip("no printed numbers, or verdicts that are older than the mark")
    assert lines.settings == full.settings, f"run sojourn reproduce {key} --full --numbers --record again"


def test_another_setting_has_another_mark(work: str) -> None:
    folder = papers.folder(work)
    (scenario,) = folder.rglob("s.toml")
    text, before = scenario.read_text(encoding="utf-8"), mark(papers.load(work), folder)
    scenario.write_text(text.replace('duration = "20s"', 'duration  = "20s"'), encoding="utf-8")
    assert mark(papers.load(work), folder) == before
    scenario.write_text(text.replace('window = "10p"', 'window = "11p"'), encoding="utf-8")
    assert mark(papers.load(work), folder) != before


def test_a_work_with_twice_the_window_prints_twice_our_rate(work: str) -> None:
    done = beside(work, runs=2)
    assert list(done.tables) == ["table 1", "table 2"]
    for one in done.cells:
        assert one.relative == pytest.approx(-0.5, abs=0.01)
        assert not one.near
    lines = done.lines
    assert lines.tables["table 1"] == printed_tables.Line(
        numbers=1, inside=0, near=0, within_a_tenth=0, ratio=lines.tables["table 1"].ratio, made=1, runs=2
    )
    assert lines.tables["table 1"].ratio == pytest.approx(0.5, abs=0.01)
    assert [one.table for one in beside(work, only=["table 2"], runs=2).cells] == ["table 2"]


def test_the_command_shows_each_number_and_keeps_a_line_for_each_table(work: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = sojourn("reproduce", work, "--numbers", "--seeds", "2", "--record", "--report", str(page))
    assert done.returncode == 0, done.stderr
    assert "Throughput is as printed" in done.stdout
    assert "Throughput of another is as printed" in page.read_text(encoding="utf-8")
    kept = printed_tables.read(tmp_path / "windows")
    assert kept is not None
    assert kept.together.numbers == 2
    assert "| windows | table 1 | 1 | 0 | 0 | 0 | 0.5" in printed_tables.markdown({"windows": kept})


def test_other_programs_get_each_number(work: str) -> None:
    done = json.loads(sojourn("reproduce", work, "--numbers", "--seeds", "2", "--only", "table 1", "--json").stdout)
    (number,) = done["numbers"]
    assert number["inside"] is False
    assert number["printed"] == pytest.approx(2 * number["ours"], rel=0.01)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--numbers", "--forensics"], "--forensics does not go together with --numbers"),
        (["--numbers", "--record", "--only", "E1"], "leave out --only"),
        (["--numbers", "--reading", "another"], "has no reading 'another' of these numbers"),
        (["--reading", "another"], "--reading goes together with --numbers"),
        (["--numbers", "--only", "table 9"], "no experiment 'table 9'"),
    ],
)
def test_options_that_do_not_go_together_are_refused(work: str, options: list[str], said: str) -> None:
    done = sojourn("reproduce", work, *options)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


@pytest.mark.slow  # It reads four works.
def test_all_numbers_of_the_tables_are_there() -> None:
    """As many as the sources print in each table, without rows that a table computes from its others."""
    counted = {}
    for key in ("alemu2004", "haider2005", "phirke2002", "tahiliani2013", "chatranon2004"):
        for row in rows(papers.load(key)):
            assert all(row.case_in_words(case) or len(row.numbers) == 1 for case in row.numbers)
            counted[key, row.table] = counted.get((key, row.table), 0) + len(row.numbers)
    assert {name: counted["haider2005", name] for name in ("table 6.1", "table 6.2", "table 6.3", "table 6.4")} == {
        "table 6.1": 12,
        "table 6.2": 20,
        "table 6.3": 20,
        "table 6.4": 20,
    }
    assert counted["alemu2004", "table 2.2"] == 30
    # With the empty queues of both Adaptive RED, which the text has.
    assert counted["alemu2004", "table 2.3"] == 18 + 6
    assert [counted["alemu2004", f"table {name}"] for name in ("3.1", "3.3", "5.1", "5.2")] == [72, 24, 40, 40]
    assert sum(many for (key, name), many in counted.items() if key == "tahiliani2013" and "3." in name) == 80
    assert [counted["chatranon2004", f"table {name}"] for name in range(20, 26)] == [32] * 6
    assert counted["chatranon2004", "table 16"] == 10
    assert [counted["chatranon2004", f"tables {name}"] for name in ("3 and 13", "4 and 14", "5 and 15")] == [27] * 3
