"""Study files of sweeps: their content, and their mistakes."""

import re
from pathlib import Path

import pytest

import sojourn
from helpers.sweeps import READINGS, SCENARIO, invoke
from sojourn._rooms.sweeps.file import load_study_file
from sojourn._rooms.sweeps.run import sweep


def test_a_study_file_says_the_same_as_the_options(tmp_path):
    (tmp_path / "s.toml").write_text(SCENARIO)
    study = tmp_path / "study.toml"
    study.write_text(
        'scenario = "s.toml"\nmetrics = ["loss_ratio"]\nseeds = "2-3"\n'
        '[axes]\nmax_p = { key = "dumbbell.queue.max_p", values = [0.02, 0.2] }\n'
    )
    wanted = load_study_file(study)
    assert (wanted.metrics, wanted.seeds) == (("loss_ratio",), (2, 3))
    from_file = invoke("sweep", study, "--json")
    options = invoke(
        *("sweep", tmp_path / "s.toml", "--over", "dumbbell.queue.max_p=0.02,0.2"),
        *("--metrics", "loss_ratio", "--seeds", "2-3", "--json"),
    )
    assert from_file.exit_code == options.exit_code == 0
    assert from_file.stdout == options.stdout


def test_a_study_file_has_points_of_several_keys_readings_and_metrics_by_name(readings, monkeypatch):
    ran = []
    simulate = sojourn._rooms.sweeps.run.reduce_runs

    def counted(variants, *rest, **more):
        ran.extend(variants)
        return simulate(variants, *rest, **more)

    monkeypatch.setattr(sojourn._rooms.sweeps.run, "reduce_runs", counted)
    wanted = load_study_file(readings)
    swept = sweep(wanted.scenario, over=wanted.over, metrics=wanted.metrics, seeds=wanted.seeds)

    assert {name: list(axis.labels) for name, axis in swept.axes.items()} == {
        "limit": ["10p", "30p"],
        "load": ["few", "many"],
        "reading": ["as written", "delayed", "as it is anyway"],
    }
    assert len(ran) == 2 * 2 * 2, "a reading that touches nothing has the runs of the base"
    base, idle = ({"limit": "10p", "load": "few", "reading": name} for name in ("as written", "as it is anyway"))
    assert swept.sample("short", base) == swept.sample("short", idle)
    assert all(0.5 < share < 1.1 for share in swept.sample("share", base))
    assert list(swept.frame().columns) == ["limit", "load", "reading", "seed", "short", "share"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('values = "10p..30p/20p"', 'values = "10"', "values is a list"),
        ('few = { "flow[*].count" = 2 }', "few = 2", "key is missing"),
        ('name = "delayed"\n', "", "the key 'name' is missing"),
        ('fair = "forward"', 'fare = "forward"', "did you mean fair"),
    ],
)
def test_a_mistake_in_a_study_file_of_a_sweep_is_one_message(readings, old, new, words):
    readings.write_text(READINGS.replace(old, new))

    shown = invoke("sweep", readings)

    assert shown.exit_code == 2
    assert words in " ".join(shown.output.split())


def test_a_study_is_run_from_python_as_a_file_or_as_an_object(readings, tmp_path):
    readings.write_text('title = "Limits and loads"\n' + READINGS)
    kept = tmp_path / "kept"
    of_file = sojourn.sweep(readings, seeds=[1], out=kept)
    of_object = sojourn.sweep(sojourn.StudyFile.load(readings), seeds=[1])

    assert of_file.values == of_object.values
    assert of_file.seeds == (1,)
    plain = sojourn.StudyFile(sojourn.Scenario.load(readings.parent / "small.toml"), {"dumbbell.queue.limit": ["10p"]})
    assert len(sojourn.sweep(plain, seeds=[1]).values) == 1
    # Axes that are given come to those of the study.
    more = sojourn.sweep(readings, over={"dumbbell.rate": ["2Mbit", "3Mbit"]}, seeds=[1], metrics=["loss_ratio"])
    assert len(more.points) == 2 * len(of_file.points)
    assert [metric.name for metric in more.metrics] == ["loss_ratio"]
    with pytest.raises(FileNotFoundError, match=r"it is a sweep: sojourn\.load_sweep"):
        sojourn.load_study(kept)
    of_file.report(tmp_path / "now.html")
    assert invoke("report", kept, "--out", tmp_path / "later.html").exit_code == 0
    for page in ("now.html", "later.html"):
        assert '<p class="about">Limits and loads<' in (tmp_path / page).read_text()
    assert sojourn.load_sweep(kept).title == "Limits and loads"


def test_a_study_may_name_a_scenario_that_comes_along(tmp_path):
    study = tmp_path / "study.toml"
    text = 'scenario = "red_classic"\n[axes]\nlimit = { key = "dumbbell.queue.limit", values = ["50p"] }\n'
    study.write_text(text)
    assert load_study_file(study).scenario == sojourn.Scenario.load("red_classic")

    study.write_text(text.replace("red_classic", "red_clasic"))
    with pytest.raises(ValueError, match="did you mean 'red_classic'"):
        load_study_file(study)
    study.write_text("title = 5\n" + text)
    with pytest.raises(ValueError, match="title: write a text"):
        load_study_file(study)


def test_the_mistake_that_the_guide_shows_gets_the_message_that_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    guide = (Path(__file__).parents[3] / "docs/studies.md").read_text(encoding="utf-8")
    (example,) = re.findall(r'```toml\n(title = "RED and CoDel.*?)```', guide, re.DOTALL)
    (message,) = re.findall(r"```text\nerror: (load\.toml.*?)\n```", guide, re.DOTALL)
    Path("load.toml").write_text(example.replace('row = "call" }\n', 'row = "call", odds = "no" }\n', 1))
    with pytest.raises(ValueError, match="odds") as caught:
        load_study_file(Path("load.toml"))
    assert str(caught.value) == message
