"""Frontiers: the settings of each queue, the sentences, and the command."""

import json

import pytest

import sojourn
from helpers.sweeps import SCENARIO, invoke
from sojourn._rooms.showing.frontier.charts import draw_frontier
from sojourn._rooms.sweeps.axes import Axis
from sojourn._rooms.sweeps.frontier import Frontier, metrics_of
from sojourn._rooms.sweeps.frontier_words import said
from sojourn._rooms.sweeps.outcome import Swept
from sojourn._rooms.sweeps.settings import Line, lines_of
from sojourn.own import DROP, Fraction, Policy, Time

SEEDS = tuple(range(1, 15))


def made_up(scenario, **curves):
    """A frontier from means: by queue, wait in ms and use at each target; the runs differ by a hundredth of a wait."""
    values, lines = {}, []
    for queue, points in curves.items():
        settings = [f"{queue}:target={place + 1}ms" for place in range(len(points))]
        lines.append(Line(queue, "target", [one.rpartition("=")[2] for one in settings], settings, "a test"))
        for setting, (wait, used) in zip(settings, points, strict=True):
            for seed in SEEDS:
                luck = (seed * 7 % 15 - 7) / 700
                values[setting, seed] = (wait * (1 + luck), used * (1 + luck / 50))
    metrics = metrics_of(("delay", "utilisation"))
    axis = Axis("queue", [one for line in lines for one in line.settings])
    return Frontier(Swept({"queue": axis}, metrics, SEEDS, values, scenario), tuple(lines), metrics)


CODEL = [(20, 0.8), (30, 0.9), (50, 0.95)]


@pytest.mark.parametrize(
    ("curves", "headline"),
    [
        ({"codel": CODEL, "pie": [(25, 0.8), (45, 0.92)]}, "codel dominates pie at every setting."),
        (
            {"codel": CODEL, "pie": [(10, 0.7), (40, 0.9), (70, 0.95)]},
            "codel dominates pie where 90.0\u202f% or more of the link is used.",
        ),
        (
            {"codel": CODEL, "pie": [(25, 0.8), (45, 0.9), (70, 0.99)]},
            "codel dominates pie where 90.0\u202f% or less of the link is used.",
        ),
        ({"codel": CODEL, "pie": [(10, 0.7), (80, 0.99)]}, "None of codel and pie dominates another."),
        (
            {"codel": CODEL, "pie": CODEL},
            "pie does within 2\u202f% the same as codel; neither dominates the other.",
        ),
    ],
)
def test_the_headline_says_who_dominates_whom_and_where(scenario, curves, headline):
    found = said(made_up(scenario, **curves)).headline
    assert found == headline or (curves["codel"] is curves["pie"] and "the same as" in found)


def test_the_detail_has_two_settings_and_the_price_has_what_nobody_else_reaches(scenario):
    told = said(made_up(scenario, codel=CODEL, pie=[(10, 0.7), (40, 0.9), (70, 0.95)]))
    assert told.detail.startswith("With codel:target=2ms one packet in 100 waits longer than 30")
    assert "with pie:target=2ms these are 40" in told.detail
    assert told.price.startswith("Only pie gets p99 of the wait down to 10")
    assert told.certainty.startswith("84 runs, 14 of each setting")


def test_a_queue_has_the_parameter_that_its_source_calls_tunable(scenario):
    (line,) = lines_of(scenario, "codel", "codel", {})
    assert (line.parameter, line.source) == ("target", "RFC 8289 section 4.3")
    assert list(line.values) == ["1ms", "2ms", "5ms", "10ms", "20ms", "50ms"]
    assert line.settings[0] == "codel:target=1ms"
    (buffer,) = lines_of(scenario, "fifo", "fifo", {})
    assert (buffer.parameter, buffer.values[0]) == ("limit", "0.1BDP")


def test_settings_and_presets_of_a_queue_stay_and_its_line_of_tc_too(scenario):
    (line,) = lines_of(scenario, "x", "codel:linux,ecn=true", {})
    assert line.settings[1] == "codel:preset=linux,ecn=true,target=2ms"
    (line,) = lines_of(scenario, "fq_codel interval 50ms", "fq_codel interval 50ms", {})
    assert "interval=50ms" in line.settings[0]
    (fixed,) = lines_of(scenario, "pie", "pie:target=3ms", {})
    assert fixed.parameter == "" or fixed.parameter != "target"


def test_a_queue_of_ones_own_is_tried_over_all_its_numbers(scenario):
    class Gradual(Policy):
        target = Time("10ms", "The target.", least="5ms")
        share = Fraction("10%", "The share.")
        limit = sojourn.own.Size("50p", "The most.")

        def on_arrival(self, *_):
            return DROP

    lines = lines_of(scenario, "gradual", "gradual", {})
    assert [line.parameter for line in lines] == ["target", "share"]
    # 4 ms is below the least target.
    assert list(lines[0].values) == ["10ms", "20ms", "40ms"]
    assert list(lines[1].values) == ["0.04", "0.1", "0.2", "0.4"]


def test_values_that_are_given_replace_those_of_the_source(scenario):
    over = {"target": ["8ms", "2ms"], "pie.target": ["30ms"]}
    assert list(lines_of(scenario, "codel", "codel", over)[0].values) == ["2ms", "8ms"]
    assert list(lines_of(scenario, "pie", "pie", over)[0].values) == ["30ms"]
    with pytest.raises(ValueError, match="target"):
        lines_of(scenario, "codel", "codel", {"target": ["2 apples"]})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--frontier", "delay"], ["a frontier has two metrics", "utilisation"]),
        (["--frontier", "delay,utilization"], ["utilisation"]),
        (["--frontier", "delay,delay"], ["name two"]),
        (["--frontier", "delay,marks_packets"], ["neither more nor less"]),
        (["--frontier", "delay,utilisation", "--until", "decided"], ["--until does not go together"]),
        (["--frontier", "delay,utilisation", "--over", "targt=1ms"], ["no queue that is compared", "target"]),
        (["--frontier", "delay,utilisation", "--over", "red.max_p=0.1"], ["red is not compared"]),
        (["--over", "target=1ms"], ["--over goes together with --frontier"]),
    ],
)
def test_a_mistake_is_told_before_anything_is_run(tmp_path, options, words):
    file = tmp_path / "small.toml"
    file.write_text(SCENARIO)
    result = invoke("compare", file, "--queue", "codel,pie", *options)
    assert result.exit_code == 2
    assert not result.stdout
    assert all(word in result.stderr for word in words), result.stderr


def test_the_command_prints_the_answer_and_each_setting(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(SCENARIO)
    command = ["compare", file, "--queue", "codel,fifo", "--frontier", "delay,utilisation", "--seeds", "6"]
    command += ["--over", "codel.target=2ms,20ms", "--over", "limit=10p,40p", "--over", "fifo.limit=10p,30p"]
    result = invoke(*command, "--out", tmp_path / "runs")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.split("\n")[0].endswith(".")
    assert "target=20ms" in result.stdout
    assert "24 runs, 6 of each setting" in result.stdout
    again = invoke(*command, "--out", tmp_path / "runs", "--json")
    told = json.loads(again.stdout)
    assert result.stdout.startswith(told["answer"]["headline"].split()[0])
    assert {one["queue"] for one in told["settings"]} == {"codel", "fifo"}


def test_in_python_it_has_frames(scenario):
    found = sojourn.frontier(
        scenario, queues=["codel", "fifo"], over={"target": ["2ms", "9ms"], "limit": ["20p"]}, seeds=[1, 2]
    )
    assert found.frame().columns == [
        *("queue", "parameter", "value", "setting", "seed"),
        *("sojourn_p99_ms", "utilisation"),
    ]
    assert found.to_polars().columns == ["setting", "queue", "parameter", "seed", "metric", "value"]
    assert found.to_polars().height == 2 * found.swept.frame().height
    assert found.summary().height == len(found.settings("codel")) + len(found.settings("fifo"))
    assert str(found).startswith("None of codel and fifo dominates another.")


def test_the_report_begins_with_the_answer_and_has_the_settings_to_paste(tmp_path, scenario):
    found = made_up(scenario, codel=CODEL, pie=[(10, 0.7), (40, 0.9), (70, 0.95)])
    found.report(tmp_path / "best.html")
    page = (tmp_path / "best.html").read_text()
    assert "<h1>codel dominates pie where 90.0" in page
    assert "<code>codel:target=1ms</code>" in page
    # Dominated settings are no advice.
    assert "<code>pie:target=1ms</code>" in page
    assert "<code>pie:target=2ms</code>" not in page
    assert all(f"<h2>{fact}</h2>" in page for fact in ("Price", "Certainty", "Tried"))
    assert "codel dominates pie" in found._repr_html_()


def test_a_setting_far_off_is_named_and_not_drawn(scenario):
    curves = {"codel": CODEL, "pie": [(10, 0.2), (40, 0.9), (70, 0.95)]}
    drawn = draw_frontier(made_up(scenario, **curves))
    assert "Outside of the picture: pie:target=1ms." in str(drawn.title.subtitle)
