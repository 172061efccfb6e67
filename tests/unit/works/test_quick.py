"""Runs with few seeds: their words beside the last full run, and the table of their times."""

import json

from helpers.shell import sojourn
from sojourn import papers
from sojourn._rooms.works import last_run, quick_runs, scoreboard


def test_a_quick_run_says_what_the_last_full_one_decided_of_the_same_experiments(full):  # noqa: ARG001
    done = papers.reproduce("nobody2000", only=["sky"])

    found = last_run.last_full(done)

    assert found.experiments == 1
    assert last_run.verdicts(found) == {("sky", "birds fly"): "holds", ("sky", "pigs fly"): "fails"}
    text = last_run.beside(done, found)
    assert "This run decides 1 of 2 claims." in text
    assert "has: 1 holds, 1 fails." in text


def test_without_a_full_run_and_in_one_nothing_is_said_of_it(work):  # noqa: ARG001
    quick_run, full_run = (papers.reproduce("nobody2000", quick=few) for few in (True, False))

    assert last_run.last_full(quick_run) is None
    assert last_run.beside(quick_run, None).startswith("This run decides 2 of 3 claims.")
    assert last_run.beside(full_run, last_run.last_full(full_run)) == ""


def test_the_full_verdict_stands_beside_that_of_the_quick_run(full, tmp_path):  # noqa: ARG001
    command = ["reproduce", "nobody2000", "--only", "sky"]
    report = tmp_path / "report.html"

    shown = sojourn(*command, "--report", report).stdout
    claims = json.loads(sojourn(*command, "--json").stdout)

    assert "undecided    pigs fly" in shown
    assert "in full: fails" in shown
    assert "in full: fails</span>" in report.read_text(encoding="utf-8")
    assert [claim["in_full"] for claim in claims["claims"]] == ["holds", "fails"]


def test_the_page_has_a_table_of_what_quick_runs_take(full, tmp_path):
    (full / "record/failures.toml").write_text(
        '[[failure]]\nclaims.sky = ["pigs fly"]\nfault = "theirs"\ntext = "No wings."\n'
    )
    page = tmp_path / "page.md"
    scoreboard.write(page)
    assert "quick run" not in page.read_text()
    took = quick_runs.Took(
        version="0.2.0", date="2026-01-02", wall_seconds=83.6, cpu_seconds=137.5, cores=2, claims=511, decided=43
    )

    quick_runs.keep(full, took)
    scoreboard.write(page)

    assert quick_runs.read(full) == took
    assert "README.md) | 84 s | 138 s | 2 | 511 | 43 | 0.2.0, 2026-01-02 |" in page.read_text()


def test_other_readings_are_run_in_full_or_if_they_are_asked_for():
    def ran(**more):
        done = papers.reproduce("phirke2002", only=["P3-groups"], runs=1, **more)
        return done, {name.partition("/")[2] for name in done.studies}

    quick_run, studies = ran()
    assert studies == {"base"}
    assert last_run.beside(quick_run, None).endswith("are run with --full or --readings.")
    assert "base" in (asked := ran(readings=True)[1])
    assert len(asked) > 1
    assert ran(quick=False, readings=False)[1] == {"base"}
    assert ran(quick=False)[1] == asked


def test_an_experiment_without_claims_says_so_and_has_no_scoreboard():
    shown = sojourn("reproduce", "haider2005", "--seeds", "1", "--only", "H2").stdout

    assert "There is no claim here" in shown
    assert "Scoreboard" not in shown
    assert "\nClaims" not in shown
