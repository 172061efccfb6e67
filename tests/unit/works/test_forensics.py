"""A search finds the setting from which the printed numbers of a work come."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from helpers import windows
from helpers.shell import sojourn
from sojourn import papers
from sojourn._rooms.works.choices import Choice
from sojourn._rooms.works.design import label
from sojourn._rooms.works.forensics.choices import factors, laid_over
from sojourn._rooms.works.forensics.investigation import Investigation, investigate
from sojourn._rooms.works.forensics.numbers import Printed, rows
from sojourn._rooms.works.forensics.plan import array, neighbours, screened, taken
from sojourn._rooms.works.forensics.score import CAP, fit
from sojourn.papers import About, Unstated

# These are whole searches: `make check` leaves them out.
pytestmark = pytest.mark.slow


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A work whose printed numbers are those of 20 packets, where 10 are taken."""
    monkeypatch.setenv("SOJOURN_PAPERS", str(tmp_path))
    return windows.write(tmp_path / "windows")


def _search(key: str) -> Investigation:
    return investigate(key, budget_s=30.0)


def test_the_setting_that_made_the_numbers_comes_first(work: str) -> None:
    (found,) = _search(work).parts
    assert found.complete
    assert len(found.settings) == 4
    assert found.best.setting[0] == 1
    assert found.taken.rank > 2
    assert found.below_the_middle
    # With 20 packets both numbers lie in the interval; with 10 both are at the cap.
    assert found.inside(found.best.setting) == (2, 2)
    assert found.inside(found.taken.setting) == (0, 2)
    assert found.taken.score == pytest.approx(2 * CAP)


def test_effects_name_the_choice_that_matters(work: str) -> None:
    (found,) = _search(work).parts
    first = found.effects[0]
    assert (first.factor.name, first.factor.choices[first.choice].name) == ("window", "20 packets")
    # A buffer that never fills changes nothing.
    assert [one.change for one in found.effects if one.factor.name == "buffer"] == pytest.approx([0.0, 0.0])


def test_a_table_that_is_left_out_is_predicted_by_the_other(work: str) -> None:
    (found,) = _search(work).parts
    assert {one.table for one in found.held_out} == {"table 1", "table 2"}
    for one in found.held_out:
        assert one.setting[0] == 1
        assert one.by_rest < one.by_taken
    assert found.out_of_reach == []
    assert len(found.groups()) == 1


def test_the_command_shows_it_and_writes_a_page(work: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    done = sojourn("reproduce", work, "--forensics", "--budget", "0.5", "--report", str(page))
    assert done.returncode == 0, done.stderr
    assert "ranks below the middle" in done.stdout
    assert "window: 20 packets" in done.stdout
    assert "which settings do the printed numbers point to?" in page.read_text(encoding="utf-8")
    done = sojourn("reproduce", work, "--forensics", "--budget", "0.5", "--json")
    (part,) = json.loads(done.stdout)["parts"]
    assert part["settings"][0]["choices"]["window"] == "20 packets"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--budget", "5"], "together with --forensics"),
        (["--forensics", "--budget", "-1"], "allowed: minutes from above 0"),
        (["--forensics", "--only", "E1"], "--only does not go together with --forensics"),
    ],
)
def test_options_that_do_not_go_together_are_refused(work: str, options: list[str], said: str) -> None:
    done = sojourn("reproduce", work, *options)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


@pytest.mark.parametrize("key", list(papers.find()))
def test_choices_that_are_taken_change_no_run(key: str) -> None:
    """A work's experiments are run with the choices that it says are taken, and each other choice changes some run."""
    paper = papers.load(key)
    context = papers.Context(papers.find()[key], quick=False)
    known = factors(paper.about)
    bases = {
        (row.study.design.scenario, label(point)): row.study.design.scenario_at(context, point)
        for row in rows(paper)
        for point in row.points
    }
    for factor in known:
        for choice in factor.choices:
            changed = [
                place
                for place, base in bases.items()
                if laid_over(base, place[0], [choice]).resolved() != base.resolved()
            ]
            assert bool(changed) != choice.taken, (key, factor.name, choice.name, changed[:3])


def test_a_score_is_in_deviations_of_the_prediction() -> None:
    # Ours 8, 10, 12: mean 10, variance 4. One run is predicted with 4 + 4/3; printed 14 is 4 / sqrt(16/3) off.
    ours = [8.0, 10.0, 12.0]
    alone = fit(Printed(14.0, 0.0, 0.0, "", ""), ours, tolerance=0.0)
    assert alone.distance == pytest.approx(4.0 / math.sqrt(16.0 / 3.0))
    assert alone.inside  # 4 is less than 4.303 * sqrt(16/3) = 9.94
    # The mean of 100 runs has a narrower prediction: 4/100 + 4/3.
    many = fit(Printed(14.0, 0.0, 0.0, "", ""), ours, made=100, tolerance=0.0)
    assert many.distance == pytest.approx(4.0 / math.sqrt(0.04 + 4.0 / 3.0))


def test_a_number_without_noise_is_held_to_its_rounding_and_the_tolerance() -> None:
    ours = [100.0, 100.0]
    near = fit(Printed(101.0, 0.0, 0.0, "", ""), ours)
    assert near.distance == pytest.approx(1.0 / (0.02 * 101.0))
    assert not near.inside
    assert fit(Printed(100.4, 0.0, 0.5, "", ""), ours).inside
    # Of a use of the link of 98 % 2 points are missing, and 2 % of these are allowed.
    full = fit(Printed(0.98, 0.0, 0.0, "", "", 1.0), [0.96, 0.96])
    assert full.distance == pytest.approx(0.02 / (0.02 * 0.02))


def _about(*counts: int) -> About:
    return About(
        unstated=tuple(
            Unstated(
                what=f"w{place}",
                taken="",
                why="",
                name=f"n{place}",
                choice=tuple(Choice(name=f"c{one}", origin="ours", why="", taken=one == 0) for one in range(count)),
            )
            for place, count in enumerate(counts)
        )
    )


def test_an_array_tries_each_pair_of_choices() -> None:
    found = factors(_about(2, 3, 2, 4, 2, 2))
    tried = array(found, 60)
    assert len(tried) <= 60
    for one in range(6):
        for other in range(one):
            pairs = {(setting[one], setting[other]) for setting in tried}
            assert len(pairs) == len(found[one].choices) * len(found[other].choices)


def test_a_small_plan_is_every_setting_with_that_taken_first() -> None:
    found = factors(_about(2, 3))
    settings, whole = screened(found, 10)
    assert whole
    assert settings[0] == taken(found) == (0, 0)
    assert sorted(settings) == [(a, b) for a in range(2) for b in range(3)]
    assert list(neighbours(found, (0, 0))) == [(1, 0), (0, 1), (0, 2)]


_CHOICE = 'name = "{}"\norigin = "ours"\nwhy = "a guess"\n'


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ([_CHOICE.format("a") + "taken = true"], "one choice is not a choice"),
        ([_CHOICE.format("a"), _CHOICE.format("b")], "0 choices have taken = true"),
        ([_CHOICE.format("a").replace("ours", "hearsay")], "allowed: source, simulator, script, ours"),
        ([_CHOICE.format("a") + "setting = {}"], "did you mean settings?"),
        ([_CHOICE.format("a") + 'taken = "yes"'], "this is a text, not a truth value"),
    ],
)
def test_choices_are_read_strictly(tmp_path: Path, choices: list[str], said: str) -> None:
    head = '[[unstated]]\nwhat = "w"\ntaken = ""\nwhy = ""\nname = "n"\n'
    text = head + "".join(f"[[unstated.choice]]\n{choice}\n" for choice in choices)
    (tmp_path / "work.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"work\.toml:") as refused:
        About.load(tmp_path)
    assert said in str(refused.value)


def test_an_item_with_choices_has_a_short_name(tmp_path: Path) -> None:
    choices = f"[[unstated.choice]]\n{_CHOICE.format('a')}taken = true\n[[unstated.choice]]\n{_CHOICE.format('b')}"
    (tmp_path / "work.toml").write_text(f'[[unstated]]\nwhat = "w"\ntaken = ""\nwhy = ""\n{choices}', encoding="utf-8")
    with pytest.raises(ValueError, match="needs a short name"):
        About.load(tmp_path)
