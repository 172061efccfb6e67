"""Sweeps: axes, what is kept, what is best, and what a user is told."""

import csv
import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sojourn
from sojourn.cli import app
from sojourn.showing.sweeps.charts import draw
from sojourn.showing.sweeps.tradeoff import draw_trade_off
from sojourn.sweeps import Axis, Swept, load_study_file, parse_metric, parse_over
from sojourn.sweeps.run import sweep

SCENARIO = """
duration = "4s"
warmup = "1s"

[dumbbell]
rate = "2Mbit"
delay = "10ms"
queue = { kind = "red", limit = "50p" }

[[flow]]
name = "bulk"
count = 3
start = { spread = "0.5s" }
"""


@pytest.fixture(scope="module")
def scenario():
    return sojourn.Scenario.from_toml(SCENARIO)


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("dumbbell.queue.max_p=0.02,0.05", [0.02, 0.05]),
        ("flow.ftp.count=10..30/10", [10, 20, 30]),
        ("dumbbell.delay=5ms..15ms/5ms", ["5ms", "10ms", "15ms"]),
        ("dumbbell.rate=1.5Mbit,3Mbit", ["1.5Mbit", "3Mbit"]),
        ("dumbbell.queue.ecn=true,false", [True, False]),
        ("queue=red:min_th=5p,max_th=15p,codel", ["red:min_th=5p,max_th=15p", "codel"]),
        ('flow[0].app={ kind = "cbr", rate = "1Mbit" },bulk', [{"kind": "cbr", "rate": "1Mbit"}, "bulk"]),
    ],
)
def test_an_axis_is_read_as_a_scenario_would_have_its_values(text, values):
    assert list(parse_over(text)[1].values) == values


def test_whole_numbers_stay_whole():
    assert parse_over("flow.ftp.count=10..30/10")[1].labels == ["10", "20", "30"]
    assert parse_over("dumbbell.queue.max_p=0.1..0.3/0.1")[1].labels == ["0.1", "0.2", "0.3"]


def test_an_axis_is_named_after_its_key_or_as_one_says():
    assert parse_over("dumbbell.queue.max_p=1")[0] == "max_p"
    assert parse_over("p:dumbbell.queue.max_p=1")[0] == "p"
    name, axis = parse_over("dumbbell.queue.limit+dumbbell.reverse_queue.limit=50p,100p")
    assert (name, axis.keys) == ("limit", ["dumbbell.queue.limit", "dumbbell.reverse_queue.limit"])


def test_points_with_one_unit_are_numbers():
    assert Axis("a", ["5ms", "10ms"]).numbers == [5.0, 10.0]
    assert Axis("a", ["5ms", "10ms"]).unit == "ms"
    assert Axis("a", ["5ms", "1s"]).numbers is None
    assert Axis("queue", ["red", "codel"]).numbers is None


def test_a_sweep_gives_what_the_runs_one_by_one_give(scenario):
    over = {"max_p": Axis("dumbbell.queue.max_p", [0.02, 0.2])}
    swept = sojourn.sweep(scenario, over=over, metrics=["loss_ratio", "group.goodput_mean_bps@bulk"], seeds=[1, 2])

    frame = swept.frame()
    assert frame.columns == ["max_p", "seed", "loss_ratio", "group.goodput_mean_bps@bulk"]
    assert frame["max_p"].to_list() == [0.02, 0.02, 0.2, 0.2]
    for row in frame.iter_rows(named=True):
        alone = sojourn.run(scenario.set("dumbbell.queue.max_p", row["max_p"]), seed=row["seed"])
        queue = alone.table("queue").filter(link="forward")
        assert row["loss_ratio"] == queue["loss_ratio"][0]
        assert row["group.goodput_mean_bps@bulk"] == alone.table("group").filter(group="bulk")["goodput_mean_bps"][0]


def test_the_number_of_workers_changes_nothing(scenario):
    over = {"queue": Axis("queue", ["red", "codel"])}
    one, two = (sojourn.sweep(scenario, over=over, seeds=[1, 2, 3], workers=workers) for workers in (1, 2))
    assert one.values == two.values


def test_what_is_finished_is_not_repeated_and_more_may_be_asked_for(scenario, tmp_path, monkeypatch):
    out = tmp_path / "kept"
    over = {"max_p": Axis("dumbbell.queue.max_p", [0.02, 0.2])}
    first = sojourn.sweep(scenario, over=over, metrics=["loss_ratio"], seeds=[1], out=out)
    made = []
    simulate = sojourn.runs.runner._Pool._simulate
    monkeypatch.setattr(
        sojourn.runs.runner._Pool, "_simulate", lambda self, job, *rest: made.append(job) or simulate(self, job, *rest)
    )

    wider = {"max_p": Axis("dumbbell.queue.max_p", [0.02, 0.1, 0.2])}
    more = sojourn.sweep(scenario, over=wider, metrics=["loss_ratio"], seeds=[1, 2], out=out)

    assert len(made) == 4, "six runs, of which two were there"
    assert all(more.values[job] == values for job, values in first.values.items())
    assert max(map(len, (out / "runs.log").read_text().splitlines())) < 1000, "bytes of a run"


def test_another_metric_of_a_finished_run_is_added_to_it(scenario, tmp_path):
    over = {"max_p": Axis("dumbbell.queue.max_p", [0.02])}
    for metric in ("loss_ratio", "utilisation"):
        sojourn.sweep(scenario, over=over, metrics=[metric], seeds=[1], out=tmp_path)
    both = sojourn.sweep(scenario, over=over, metrics=["loss_ratio", "utilisation"], seeds=[1], out=tmp_path)
    rows = [json.loads(line.split(" ", 2)[2]) for line in (tmp_path / "runs.log").read_text().splitlines()]
    named = dict(zip(["loss_ratio", "utilisation"], both.values["0.02", 1], strict=True))
    assert rows == [{name: value} for name, value in named.items()], "the run was made twice, for a metric each"


def made_up(values, metric="sojourn_mean_ms"):
    """A swept of one axis whose samples are given."""
    axis = Axis("key", [str(place) for place in range(len(values))])
    seeds = tuple(range(1, 1 + len(values[0])))
    return Swept(
        axes={"key": axis},
        metrics=(parse_metric(metric),),
        seeds=seeds,
        values={
            (label, seed): (value,)
            for label, sample in zip(axis.labels, values, strict=True)
            for seed, value in zip(seeds, sample, strict=True)
        },
        scenario=sojourn.Scenario.from_toml(SCENARIO),
    )


def test_the_best_point_is_named_with_those_that_cannot_be_told_from_it():
    # Differences from the best, seed by seed: none for itself, 0.9 to 1.1 for the second, -1 to 1.2 for the third.
    swept = made_up([[1.0, 2.0, 3.0, 4.0], [2.0, 2.9, 4.1, 5.0], [0.0, 3.1, 4.2, 3.0]])
    best = swept.best("sojourn_mean_ms")
    assert best.point == {"key": "0"}
    assert best.interval.mean == 2.5
    assert best.ties == ({"key": "2"},)
    assert made_up([[1.0, 1.0], [2.0, 2.0]], "utilisation").best("utilisation").point == {"key": "1"}


def test_a_metric_without_a_better_direction_wants_to_be_told():
    swept = made_up([[1.0, 1.0], [2.0, 2.0]], "arrivals_packets")
    with pytest.raises(ValueError, match="say which is better"):
        swept.best("arrivals_packets")
    assert swept.best("arrivals_packets", better="more").point == {"key": "1"}


def test_a_point_without_values_is_no_best_point():
    swept = made_up([[math.nan, math.nan], [2.0, 2.0]])
    assert swept.best("sojourn_mean_ms").point == {"key": "1"}


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


@pytest.mark.parametrize(
    ("text", "place"),
    [("[axes.queue]\nRED = { a = 1 b = 2 }\n", "line 2"), ("duration = { a = 1 b = 2 }\n", "bad.toml:1:")],
)
def test_a_file_that_is_no_toml_is_told_where(tmp_path, text, place):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    result = invoke("sweep", file)
    assert result.exit_code == 2
    assert "this is not TOML" in result.stderr
    assert place in result.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], ["say over what"]),
        (["--over", "dumbbell.queue.wq=0.1"], ["axis dumbbell.queue.wq, 0.1", 'wq is called "w_q" here']),
        (["--over", "dumbbell.queue.w_q"], ["this is not an axis"]),
        (["--over", "flow.bulk.count=1..5/0"], ["a range goes up"]),
        (["--over", "dumbbell.queue.w_q=0.1,0.1"], ["0.1 is there twice"]),
        (["--over", "flow.bulk.count=1,2", "--metrics", "util"], ["did you mean utilisation?"]),
        (["--over", "flow.bulk.count=1,2", "--metrics", "utilisation@foward"], ["did you mean forward?"]),
        (["--over", "flow.bulk.count=1,2", "--frame", "x.txt"], [".parquet or .csv"]),
        (["--over", "dumbbell.queue={ kind = 'red', min_th = '9p', max_th = '5p' }"], ["max_th"]),
    ],
)
def test_wrong_input_gets_one_message_and_nothing_is_written(arguments, words, tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(SCENARIO)
    done = invoke("sweep", file, *arguments, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert done.stderr.count("error:") == 1
    assert all(word in done.stderr for word in words), done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["s.toml"]


def test_a_folder_with_something_else_is_refused(scenario, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="is not a sweep"):
        sweep(scenario, over={"max_p": Axis("dumbbell.queue.max_p", [0.02])}, seeds=[1], out=tmp_path)


def test_a_file_of_something_else_that_has_the_name_of_ours_is_refused(scenario, tmp_path):
    (tmp_path / "runs.log").write_bytes(b"the log of another program\n" * 100)
    with pytest.raises(FileExistsError, match="is not a sweep"):
        sweep(scenario, over={"max_p": Axis("dumbbell.queue.max_p", [0.02])}, seeds=[1], out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["runs.log"]
    assert (tmp_path / "runs.log").read_bytes().startswith(b"the log of another program\n")


def test_the_frame_and_the_report_are_written(tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(SCENARIO)
    done = invoke(
        *("sweep", file, "--over", "dumbbell.queue.max_p=0.02,0.2", "--over", "queue=red,codel", "--seeds", "2"),
        *("--metrics", "loss_ratio", "--frame", tmp_path / "f.csv", "--report", tmp_path / "r.html"),
    )
    assert done.exit_code == 2, "codel has no max_p"
    done = invoke(
        *("sweep", file, "--over", "flow.bulk.count=2,4", "--over", "queue=red,codel", "--seeds", "2"),
        *("--metrics", "loss_ratio", "--frame", tmp_path / "f.csv", "--report", tmp_path / "r.html"),
    )
    assert done.exit_code == 0, done.stderr
    assert (tmp_path / "f.csv").read_text().splitlines()[0] == "count,queue,seed,loss_ratio"
    page = (tmp_path / "r.html").read_text()
    assert "Loss ratio: lowest at" in page
    # Axes are called as in the scenario.
    assert ">count<" in page
    assert len(page) < 1_500_000


READINGS = """
scenario = "small.toml"
seeds = 2

[axes]
limit = { key = "dumbbell.queue.limit", values = "10p..30p/20p" }

[axes.load]
few = { "flow[*].count" = 2 }
many = { "flow[0].count" = 4, "dumbbell.delay" = "5ms" }

[[reading]]
name = "delayed"
settings = { "flow[*].start.spread" = "0.9s" }

[[reading]]
name = "as it is anyway"
settings = { "dumbbell.rate" = "2Mbit" }

[metrics]
short = { column = "backlog_mean_packets", row = "forward", unit = "packets" }
share = { column = "goodput_mean_bps", table = "group", row = "bulk", fair = "forward" }
"""


@pytest.fixture
def readings(tmp_path):
    (tmp_path / "small.toml").write_text(SCENARIO)
    file = tmp_path / "study.toml"
    file.write_text(READINGS)
    return file


def test_a_study_file_has_points_of_several_keys_readings_and_metrics_by_name(readings, monkeypatch):
    ran = []
    simulate = sojourn.sweeps.run.reduce_runs

    def counted(variants, *rest, **more):
        ran.extend(variants)
        return simulate(variants, *rest, **more)

    monkeypatch.setattr(sojourn.sweeps.run, "reduce_runs", counted)
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
        assert "Limits and loads: a sweep over limit, load, reading" in (tmp_path / page).read_text()
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


ZIPPED = 'scenario = "small.toml"\n[axes]\nload = {{ {} }}\n'


@pytest.mark.parametrize(
    "command", [("run",), ("compare", "--queue", "red,codel"), ("fluid",), ("export", "--as", "csv", "--out", "x")]
)
def test_other_commands_say_that_a_study_file_is_none_of_theirs(readings, command):
    done = invoke(command[0], readings, *command[1:])

    assert done.exit_code == 2
    assert "this is a study file: it has axes" in done.stderr
    assert "sojourn sweep" in done.stderr


def test_values_of_several_keys_may_go_together(readings):
    zipped = 'zip = { "flow[0].count" = [2, 4], "dumbbell.delay" = ["5ms", "10ms"] }'
    readings.write_text(ZIPPED.format(zipped))
    axis = load_study_file(readings).over["load"]
    assert axis.points == {
        "2 5ms": {"flow[0].count": 2, "dumbbell.delay": "5ms"},
        "4 10ms": {"flow[0].count": 4, "dumbbell.delay": "10ms"},
    }
    readings.write_text(ZIPPED.format(zipped + ', labels = ["few", "many"]'))
    assert list(load_study_file(readings).over["load"].labels) == ["few", "many"]


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ('zip = { "flow[0].count" = [2], "dumbbell.delay" = ["5ms", "10ms"] }', "flow[0].count has 1, dumbbell.delay"),
        ('zip = { "flow[0].count" = [2, 4] }, labels = ["few"]', "1 labels for 2 points"),
        ('zip = { "flow[0].count" = [2, 2] }', "2 is there twice"),
        ('zip = { "flow[0].count" = [2] }, values = [1]', "there is no key 'values'"),
    ],
)
def test_values_that_do_not_go_together_are_refused(readings, written, words):
    readings.write_text(ZIPPED.format(written))
    with pytest.raises(ValueError, match=re.escape(words)):
        load_study_file(readings)


def test_more_than_three_axes_have_a_panel_for_each_point_of_the_rest(scenario):
    over = {
        "dumbbell.queue.limit": ["10p", "20p"],
        "flow.bulk.count": [1, 2],
        "dumbbell.delay": ["5ms", "10ms"],
        "queue": ["red", "codel"],
    }
    swept = sweep(scenario, over=over, seeds=[1], metrics=["loss_ratio"])
    spec = draw(swept, "loss_ratio").to_dict()

    assert len(spec["facet"]["sort"]) == 4
    assert spec["facet"]["sort"][0] == "dumbbell.delay 5ms, queue red"
    rows = csv.DictReader(spec["data"]["values"].splitlines())
    assert {row[spec["facet"]["field"]] for row in rows} == set(spec["facet"]["sort"])


# Everything that stands in a frame or in a chart's data beside the axes.
OUR_NAMES = ["low", "high", "mean", "n", "metric", "seed", "utilisation", "interval", "text", "panel", "axis_low"]


def rows_of(spec):
    return list(csv.DictReader(spec["data"]["values"].splitlines()))


def fields_of(node):
    if isinstance(node, dict):
        yield from [str(node["field"])] if "field" in node else []
        for child in node.values():
            yield from fields_of(child)
    elif isinstance(node, list):
        for child in node:
            yield from fields_of(child)


def test_a_sweep_over_an_interval_has_its_points_in_the_chart(tmp_path):
    """`interval` is the key of 28 queues; it was a column of ours, so that the chart had no point."""
    red = sojourn.Scenario.from_toml(SCENARIO)
    base = red.with_queue("codel")
    swept = sweep(base, over={"interval": Axis("dumbbell.queue.interval", ["20ms", "50ms", "100ms"])}, seeds=[1, 2, 3])

    for metric in swept.metrics:
        spec = draw(swept, metric.name).to_dict()
        layers = spec["layer"]
        x = layers[-1]["encoding"]["x"]
        assert (x["type"], x["title"]) == ("quantitative", "interval (ms)")
        assert [float(row[x["field"]]) for row in rows_of(spec)] == [20.0, 50.0, 100.0]
        assert all(float(row["mean"]) >= 0.0 for row in rows_of(spec))
    swept.report(tmp_path / "s.html")


@pytest.fixture(scope="module")
def many(scenario):
    """Five points by five."""
    over = {
        "a": Axis("dumbbell.queue.max_p", [0.02, 0.05, 0.1, 0.2, 0.4]),
        "b": Axis("dumbbell.queue.limit", ["10p", "20p", "30p", "40p", "50p"]),
    }
    return sweep(scenario.set("duration", "2s"), over=over, seeds=[1, 2], metrics=["utilisation", "loss_ratio"])


@pytest.mark.parametrize("name", OUR_NAMES)
def test_an_axis_may_have_any_name(name, many, tmp_path):
    """Parameters of queues of one's own are called as their authors like."""
    other = "interval" if name == "low" else "low"
    swept = replace(many, axes={name: many.axes["a"], other: many.axes["b"]})

    frame, summary = swept.frame(), swept.summary()
    assert frame.columns[2:] == ["seed", "utilisation", "loss_ratio"]
    assert summary.columns[2:] == ["metric", "n", "mean", "low", "high"]
    # The axes come in their order and hold their points; what else there is does not change.
    assert frame.rows() == many.frame().rows()
    assert summary.rows() == many.summary().rows()
    assert sorted(set(frame[frame.columns[0]])) == [0.02, 0.05, 0.1, 0.2, 0.4]

    first = {key: runs for key, runs in many.values.items() if key[0].endswith(", 10p")}
    line = {(label.removesuffix(", 10p"), seed): runs for (label, seed), runs in first.items()}
    for few in (swept, replace(many, axes={name: many.axes["a"]}, values=line)):
        spec = draw(few, "utilisation").to_dict()
        rows = rows_of(spec)
        assert set(fields_of(spec)) <= set(rows[0])
        x = next(layer["encoding"]["x"]["field"] for layer in spec["layer"])
        assert {float(row[x]) for row in rows} == {0.02, 0.05, 0.1, 0.2, 0.4}
        few.report(tmp_path / "s.html")
        assert f">{name}<" in (tmp_path / "s.html").read_text(encoding="utf-8")


def test_the_trade_off_has_each_point_with_its_intervals(many):
    spec = draw_trade_off(replace(many, metrics=(many.metrics[0], WAIT), values=_with_waits(many))).to_dict()
    rows = rows_of(spec)

    assert len(rows) == 25
    assert spec["layer"][0]["encoding"]["x"]["scale"]["type"] == "log", "the waits span a decade"
    # Points of the first axis are joined in the order of their numbers; its ends have names.
    assert {(row["place"], row["label"]) for row in rows} == {
        ("0", "0.02"),
        ("1", "\u00a0"),
        ("2", "\u00a0"),
        ("3", "\u00a0"),
        ("4", "0.4"),
    }
    assert set(fields_of(spec)) <= set(rows[0])


WAIT = sojourn.Metric(column="sojourn_mean_ms", name="sojourn_mean_ms")


def _with_waits(swept):
    """Waits in place of losses: from 1 ms at the first point to 25 ms at the last."""
    labels = [", ".join(point.values()) for point in swept.points]
    return {key: (values[0], 1.0 + labels.index(key[0])) for key, values in swept.values.items()}


def test_bright_is_good_in_a_heat_map_of_delays_and_of_utilisation(many):
    waits = replace(many, metrics=(many.metrics[0], WAIT), values=_with_waits(many))
    scales = [
        draw(waits, name).to_dict()["layer"][0]["encoding"]["color"]["scale"] for name in ("utilisation", WAIT.name)
    ]

    assert [(scale["reverse"], scale["type"]) for scale in scales] == [(False, "linear"), (True, "log")]
    plain = draw(waits, WAIT.name, "linear").to_dict()["layer"][0]["encoding"]["color"]["scale"]
    assert plain["type"] == "linear"


def test_points_with_one_name_are_refused(scenario):
    over = {
        "a": Axis("dumbbell.queue.max_p", [0.1, 0.2], labels=["1", "1, 2"]),
        "b": Axis("dumbbell.queue.limit", ["10p", "20p"], labels=["2, 3", "3"]),
    }
    with pytest.raises(ValueError, match="two points are called '1, 2, 3'"):
        sweep(scenario, over=over, seeds=[1])


def test_a_heat_map_says_each_number_with_its_interval(scenario):
    over = {
        "dumbbell.queue.max_p": [0.02, 0.05, 0.1, 0.2, 0.4],
        "dumbbell.queue.limit": [f"{n}p" for n in range(10, 60, 10)],
    }
    spec = draw(sweep(scenario, over=over, seeds=[1, 2], metrics=["loss_ratio"]), "loss_ratio").to_dict()
    one = draw(sweep(scenario, over=over, seeds=[1], metrics=["loss_ratio"]), "loss_ratio").to_dict()

    texts = [layer["encoding"]["text"]["field"] for layer in spec["layer"] if layer["mark"]["type"] == "text"]
    assert texts == ["text", "interval"]
    cells = [row["interval"] for row in csv.DictReader(spec["data"]["values"].splitlines())]
    assert all(re.fullmatch(r"± [\d.]+|\[[\d.]+, [\d.]+\]|\u00a0", cell) for cell in cells), cells
    assert any(cells)
    assert "with 95 % intervals" in json.dumps(spec["title"])
    assert "interval" not in json.dumps(one), "a single run has none"


def test_a_report_is_made_of_what_a_directory_has(readings, tmp_path):
    shown = invoke("sweep", readings, "--out", tmp_path / "kept", "--seeds", "1")
    assert shown.exit_code == 0, shown.output
    kept = tmp_path / "kept" / "runs.log"
    kept.write_text("".join(kept.read_text().splitlines(keepends=True)[3:]))

    half = invoke("report", tmp_path / "kept")
    assert half.exit_code == 0, half.output
    assert "a sweep over limit, load, reading" in (tmp_path / "kept.html").read_text()
    # A run stands for the two points that share it: 12 points, 8 runs, 5 left.
    assert "of 12 runs" in half.output
    assert invoke("report", tmp_path / "nowhere").exit_code == 2
    # What `reproduce --out` leaves is reported by the command that made it.
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "spent.json").write_text("{}")
    assert "sojourn reproduce KEY --out DIR --report" in invoke("report", tmp_path / "work").stderr


def test_a_sweep_over_one_queue_of_two_that_are_alike_is_found_again(tmp_path):
    # As resolved nothing tells whether the queue of the way back was written or is as that of the way there.
    over = {"queue": Axis(points={"RED": {"dumbbell.queue": {"kind": "red", "limit": "40p"}}})}
    both = SCENARIO + '[dumbbell.reverse_queue]\nkind = "red"\nlimit = "50p"\n'
    for name, text in (("apart", both), ("together", SCENARIO)):
        done = sweep(sojourn.Scenario.from_toml(text), over=over, seeds=[1], out=tmp_path / name)
        assert sojourn.load_sweep(tmp_path / name).values == done.values != {}


def test_a_kept_sweep_is_found_without_the_file_that_its_scenario_named(tmp_path):
    (tmp_path / "trace.txt").write_text("1\n2\n4\n")
    (tmp_path / "s.toml").write_text(SCENARIO.replace('"2Mbit"', '{ mahimahi = "trace.txt" }'))
    done = sojourn.sweep(tmp_path / "s.toml", over={"dumbbell.queue.limit": ["20p"]}, seeds=[1], out=tmp_path / "kept")
    (tmp_path / "trace.txt").unlink()

    assert sojourn.load_sweep(tmp_path / "kept").values == done.values


def test_a_report_is_made_of_a_study_directory(scenario, tmp_path):
    sojourn.replicate(scenario, seeds=[1, 2], out=tmp_path / "kept")

    shown = invoke("report", tmp_path / "kept", "--out", tmp_path / "page.html")

    assert shown.exit_code == 0, shown.output
    assert "report of 2 of 2 runs" in shown.output
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_values_by_key_are_axes_and_a_name_is_a_scenario():
    import numpy as np

    over = {"dumbbell.queue.max_p": np.array([0.02, 0.1]), "queue": ["red", sojourn.queues.Ared(limit="60p")]}
    short = {"duration": ["3s"]}
    swept = sojourn.sweep("red_classic", over={**short, **over}, seeds=[1], metrics=["utilisation"])

    assert list(swept.axes["queue"].labels) == ["red", "ared:limit=60p"]
    assert len(swept.values) == 4


@pytest.mark.parametrize(
    ("over", "said"),
    [
        ({"dumbbell.queue.max_p": "0.1"}, r"a list of values is wanted, such as \[0.02, 0.1\]"),
        ({"dumbbell.queue.max_p": 0.1}, "a list of values is wanted"),
        ({"dumbbell.queue.max_p": []}, "there are no values"),
        ({"dumbbell.queue.maxp": [0.1]}, 'did you mean "max_p"'),
    ],
)
def test_an_axis_that_is_none_is_refused(over, said):
    with pytest.raises(ValueError, match=said):
        sojourn.sweep("red_classic", over=over)


SUSPECT = """
duration = "1s"

[dumbbell]
rate = "2Mbit"
delay = "10ms"
queue = { kind = "fifo", limit = "50p" }

[[flow]]
name = "bulk"
count = 3
"""


@pytest.fixture
def suspect(tmp_path):
    """Its window holds few round trips, and nothing in it is random."""
    file = tmp_path / "suspect.toml"
    file.write_text(SUSPECT)
    return file


def test_warnings_of_runs_are_kept_and_told(suspect, tmp_path):
    arguments = ("sweep", suspect, "--over", "dumbbell.queue.limit=2p,50p", "--seeds", "2", "--out", tmp_path / "kept")
    first = invoke(*arguments, "--report", tmp_path / "sweep.html")
    again = invoke(*arguments, "--json")

    said = "run_too_short in bulk: 4 of 4 runs, at 2p; 50p"
    assert f"warning: {said}" in first.stderr
    assert said in json.loads(again.stdout)["warnings"]
    assert said in (tmp_path / "sweep.html").read_text()
    # A report is made of what is on disk, too.
    assert invoke("report", tmp_path / "kept", "--out", tmp_path / "later.html").exit_code == 0
    assert said in (tmp_path / "later.html").read_text()


def test_a_sweep_without_chance_says_so_and_ties_nothing(suspect):
    done = invoke("sweep", suspect, "--over", "dumbbell.queue.limit=2p,50p", "--seeds", "2")

    assert "no_chance in seeds: all seeds give the same values at every point" in done.stderr
    assert "±" not in done.stdout
    assert "cannot tell" not in done.stdout
    chance = sweep(sojourn.Scenario.from_toml(SCENARIO), over={"dumbbell.queue.limit": ["10p"]}, seeds=[1, 2])
    assert chance.without_chance() == []


def test_points_with_the_same_scenario_share_their_warnings(suspect):
    swept = sweep(sojourn.Scenario.load(suspect), over={"dumbbell.queue.limit": ["50p", "50.0p"]}, seeds=[1])

    assert swept.warnings["50p", 1] == swept.warnings["50.0p", 1] == ("run_too_short in bulk",)


NAMED = """
scenario = "suspect.toml"
seeds = 2

[axes]
limit = { key = "dumbbell.queue.limit", values = ["5p", "50p"] }

[metrics]
fair_part = { column = "throughput_mean_bps", table = "group", row = "bulk", fair = "forward" }
moderate = { within = [1, 9], row = "forward" }
settled = { column = "backlog_packets", table = "backlog", row = "forward", statistic = "settling", within = [0, 9] }
each = { column = "throughput_mean_bps", table = "group", row = "bulk" }
"""


def test_a_metric_with_a_name_is_shown_under_it_in_its_own_unit(suspect, tmp_path):
    suspect.write_text(SUSPECT + '\n[record]\nqueue = "10ms"\noccupancy = true\n')
    study = tmp_path / "named.toml"
    study.write_text(NAMED)
    done = invoke("sweep", study)

    assert done.exit_code == 0, done.stderr
    heads, units = (done.stdout.splitlines()[place] for place in (0, 1))
    assert [*heads.split(), *units.split()] == [
        "moderate",
        "settled",
        "each",
        "limit",
        "fair",
        "part",
        "(%)",
        "(s)",
        "(kbit/s)",
    ]
    assert "each: highest at" in done.stdout
    wanted = load_study_file(study)
    swept = sweep(wanted.scenario, over=wanted.over, metrics=wanted.metrics, seeds=[1, 2])
    assert "moderate (%)" in json.dumps(draw(swept, "moderate").to_dict())


def test_the_mistake_that_the_guide_shows_gets_the_message_that_it_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    guide = (Path(__file__).parents[2] / "docs/studies.md").read_text(encoding="utf-8")
    (example,) = re.findall(r'```toml\n(title = "RED and CoDel.*?)```', guide, re.DOTALL)
    (message,) = re.findall(r"```text\nerror: (load\.toml.*?)\n```", guide, re.DOTALL)
    Path("load.toml").write_text(example.replace('row = "call" }\n', 'row = "call", odds = "no" }\n', 1))
    with pytest.raises(ValueError, match="odds") as caught:
        load_study_file(Path("load.toml"))
    assert str(caught.value) == message
