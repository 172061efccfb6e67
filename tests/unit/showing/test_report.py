"""The report's page: its content, and that it needs nothing else."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import polars as pl
import pytest

import sojourn
from helpers.packed_page import unpacked
from helpers.synthetic import differences, study, summary
from sojourn import plots
from sojourn._rooms.showing.report import Report, comparison_report, write_report
from sojourn._rooms.showing.report.provenance import command
from sojourn._rooms.showing.report.study import study_report
from sojourn._rooms.showing.report.tables import interval_cell, number
from sojourn._rooms.works.claim_tables import add_claims
from sojourn.claims import Claim
from sojourn.stats import Interval


@pytest.fixture
def dumbbell_of_two_groups():
    flows = [sojourn.Flow(name="many", count=2), sojourn.Flow(name="one")]
    bottleneck = sojourn.Dumbbell(rate="2Mbit", delay="10ms", queue={"kind": "fifo", "limit": "20p"})
    return sojourn.Scenario(duration="5s", dumbbell=bottleneck, flows=flows)


def _text(html: str) -> str:
    return re.sub("[ \n]+", " ", re.sub(r"<[^>]*>", "", html))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (12.34567, "12.35"),
        (-0.0001234, "−0.0001234"),
        (1_234_567.0, "1\u202f234\u202f567"),
        (100.0, "100"),
        (0.0, "0"),
    ],
)
def test_a_number_has_four_digits(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("mean", "low", "high", "text"),
    [
        # Half width 0.036: two digits of it are thousandths.
        (9.9391, 9.9031, 9.9751, "9.939 ±\u202f0.036"),
        # Half width 42: no decimals.
        (549.4, 507.4, 591.4, "549 ±\u202f42"),
        # Not symmetric: the bounds.
        (1.0, 0.95, 1.45, "1.00 [0.95, 1.45]"),
        (3.14159, None, None, "3.142"),
        # All runs alike.
        (10.0, 10.0, 10.0, "10"),
        # A small negative number is not minus nothing.
        (-0.001, -0.131, 0.129, "0.00 ±\u202f0.13"),
        (float("nan"), 1.0, 2.0, "–"),
    ],
)
def test_an_interval_decides_how_many_digits_are_shown(mean, low, high, text):
    assert _text(interval_cell(mean, low, high)) == text


def test_a_difference_carries_its_sign():
    assert _text(interval_cell(0.5, 0.4, 0.6, signed=True)).startswith("+0.50")


def test_what_the_user_wrote_cannot_break_the_page():
    hostile = '</script><script>alert(1)</script> & "x" \\u003c'
    frame = pl.DataFrame({"queue": [hostile], "metric": ["jain_index"], "mean": [1.0], "low": [0.9], "high": [1.1]})

    page = Report(title=hostile, lead=f"{hostile}\n\n    {hostile}", provenance={"Command": hostile})
    page.add_intervals(frame, hostile, hostile)
    page.add_plot(plots.draw("summary", {"summary": frame}), hostile, hostile, {hostile: frame})
    page.add_scenario(hostile)
    add_claims(page, [Claim(text=hostile, verdict="holds", source=hostile, unit=hostile, rule=hostile, note=hostile)])

    assert "<script>alert(1)" not in page.html()


def test_lines_of_a_lead_that_are_code_stay_lines():
    html = Report(title="x", lead="Paste this.\n\n    tc one\n    tc two").html()

    assert '<p class="lead">Paste this.</p>' in html
    assert "<code>tc one\ntc two</code></pre>" in html


def test_sections_with_the_same_heading_have_different_anchors():
    page = Report(title="x").add_text("a", heading="Same").add_text("b", heading="Same")

    assert re.findall(r'<section id="([^"]*)"', page.html()) == ["same", "same-2"]


def test_a_page_without_charts_does_not_carry_the_drawing_library():
    # 39 kB of style and script, and 4 kB that unpack the packed parts.
    assert len(Report(title="x").add_text("a", heading="b").html()) < 46_000


def test_the_page_is_written_whole_or_not_at_all(tmp_path: Path):
    path = tmp_path / "deep" / "report.html"

    Report(title="first").write(path)
    Report(title="second").write(path)

    assert "second" in path.read_text(encoding="utf-8")
    assert [found.name for found in path.parent.iterdir()] == ["report.html"]


def test_the_same_report_is_the_same_bytes():
    tables = study(["red", "pie"], seeds=2, duration=3.0)

    pages = [comparison_report(tables, summary(tables), title="x").html() for _ in range(2)]

    assert pages[0] == pages[1]


def test_a_comparison_names_its_baseline_and_what_was_not_recorded():
    tables = study(["red", "pie"], seeds=3, duration=3.0)
    counters = {name: tables[name] for name in ("queue", "reasons", "flow", "group", "sojourn")}

    page = comparison_report(counters, summary(tables), differences(tables, "red"), title="x").html()

    assert "Differences from red" in page
    assert "Not recorded" in page
    assert "Mean of 3 replications" in page


def test_one_run_is_not_shown_with_an_interval():
    tables = study(["red"], seeds=1, duration=3.0)

    page = comparison_report(tables, summary(tables), title="x").html()

    assert "One run: without replications" in page
    assert "±" not in page.split('id="charts"')[0]


def test_of_many_metrics_the_headline_comes_first_and_all_follow():
    tables = study(["red", "pie"], seeds=3, duration=3.0)
    names = [name for name, kind in tables["queue"].schema.items() if kind.is_numeric() and name != "seed"]

    page = comparison_report(tables, summary(tables, names), title="x").html()

    first = page.split('<section id="summary"')[1].split("</section>")[0]
    assert "Backlog, deviation" not in first.split("<figure")[0]
    assert "Backlog, deviation" in page.split('<section id="all-metrics"')[1]


def test_a_summary_over_links_shows_the_link_that_is_drawn():
    tables = study(["red", "pie"], seeds=3, duration=3.0)
    means = summary(tables, ["utilisation"]).with_columns(row=pl.lit("bottleneck"))
    other = means.with_columns(row=pl.lit("reverse"), mean=pl.lit(0.5), low=pl.lit(0.5), high=pl.lit(0.5))

    page = comparison_report(tables, pl.concat([means, other]), title="x").html()

    assert "50.00" not in page.split('<section id="delay')[0].split("<figure")[0]


def test_every_link_and_what_happened_on_a_wireless_hop_are_in_a_report():
    done = sojourn.compare(
        sojourn.Scenario.load("wifi_hop", overrides=["duration=4s", "warmup=1s"]),
        queues=["fifo", "codel"],
        seeds=[1, 2],
    )

    page = study_report(done, queues=["fifo", "codel"]).html()

    others = page.split("Other links</h2>")[1].split("</section>")[0]
    assert re.findall("<h3>([^<]*)</h3>", others) == ["reverse"]
    assert "Throughput" in others
    hop = page.split("The wireless hop</h2>")[1].split("</section>")[0]
    assert re.findall("<h3>([^<]*)</h3>", hop) == ["air forward", "air reverse"]
    attempts = done.summary("medium").row(
        by_predicate=(pl.col("queue") == "fifo") & (pl.col("row") == "air forward") & (pl.col("metric") == "attempts"),
        named=True,
    )
    shown = re.search(r'Attempts<td class="n"><span class="v">([^<]*)</span>', hop)[1]
    assert float(shown.replace("\u202f", "")) == pytest.approx(attempts["mean"], rel=1e-3)


def test_claims_are_counted_by_verdict():
    claims = [
        Claim(text="a", verdict="holds", published=10.0, ours=Interval(10.1, 0.2, 20), unit="ms", note="Twenty runs."),
        Claim(text="b", verdict="holds"),
        Claim(text="c", verdict="fails"),
    ]

    page = add_claims(Report(title="x"), claims).html()
    text = _text(page.split("<main")[1])

    assert "2 hold" in text
    assert "1 fails" in text
    assert "10.10 ±\u202f0.20 ms" in text
    assert unpacked(page, "texts") == ["<p>Twenty runs.</p>"]


def test_a_verdict_that_does_not_exist_is_refused():
    with pytest.raises(ValueError, match="a verdict is one of holds"):
        Claim(text="a", verdict="maybe")  # type: ignore[arg-type]


def test_one_result_is_reported(dumbbell, tmp_path: Path):
    sojourn.run(dumbbell, seed=7).report(tmp_path / "r.html")

    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Small dumbbell" in page
    assert f"Sojourn {sojourn.__version__}" in page
    assert "<dd>7</dd>" in page
    assert "Differences from" not in page


def test_a_comparison_is_reported(dumbbell, tmp_path: Path):
    done = sojourn.compare(dumbbell, queues=["red", "codel"], seeds=[1, 2, 3])

    write_report(tmp_path / "r.html", done, title="Two queues")

    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Two queues" in page
    assert "Differences from red" in page
    assert "1 to 3" in page
    assert "Not recorded" in page


def test_the_scenarios_of_a_report_can_be_run_again(dumbbell, tmp_path: Path):
    done = sojourn.compare(dumbbell, queues=["red", "codel:target=7ms"], seeds=[1])

    done.report(tmp_path / "r.html")

    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    scenarios = [unescape(text) for text in re.findall(r"<pre[^>]*><code>(.*?)</code></pre>", page, re.S)]
    kept = unpacked(page, "texts")
    scenarios += [kept[int(place)] for place in re.findall(r'<code data-text="(\d+)"></code>', page)]
    assert [sojourn.Scenario.from_toml(text) for text in scenarios] == list(done.variants.values())


def test_a_run_without_a_drop_stands_beside_one_with_drops(dumbbell, tmp_path: Path):
    done = sojourn.compare(dumbbell, queues={"short": "fifo:limit=5p", "long": "fifo:limit=10000p"}, seeds=[1, 2])

    assert done.of("long")[0].reasons.is_empty()
    assert done.reasons["reason"].unique().to_list() == ["overflow"]
    done.report(tmp_path / "r.html")


def test_results_draw_the_plots_of_a_report_by_name(dumbbell, tmp_path: Path):
    done = sojourn.compare(dumbbell, queues=["red", "codel"], seeds=[1, 2])

    for name in ("summary", "differences", "delay_throughput", "sojourn_cdf", "flow_throughput"):
        plots.save(done.plot(name), tmp_path / f"{name}.svg")
    plots.save(done.results[0][1].plot("sojourn_cdf", link="reverse"), tmp_path / "run.png")

    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match=r"not recorded: set record\.queue"):
        done.plot("backlog")
    with pytest.raises(ValueError, match="at least two seeds"):
        done.results[0][1].plot("differences")
    with pytest.raises(ValueError, match="no plot is called 'cdf'"):
        done.plot("cdf")


def test_a_plot_without_data_is_a_sentence_rather_than_a_chart():
    tables = study(["red"], seeds=2, drops=False, duration=3.0)

    page = comparison_report(tables, summary(tables), title="x").html()

    assert '<p class="empty">No packet was dropped or marked.</p>' in page


def test_charts_are_kept_as_json_that_a_browser_can_read():
    tables = study(["red", "pie"], seeds=2, duration=3.0)
    page = comparison_report(tables, summary(tables), title="x").html()

    charts = unpacked(page, "charts")

    assert len(charts) == page.count('<figure class="chart"')
    assert all("config" not in chart for chart in charts)


def test_a_report_has_a_table_for_each_group_and_no_fairness_over_both_directions(tmp_path, dumbbell_of_two_groups):
    comparison = sojourn.compare(dumbbell_of_two_groups, queues=["fifo", "red"], seeds=range(1, 4))
    comparison.report(tmp_path / "report.html")

    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    groups = page.split("Groups of flows</h2>")[1].split("</section>")[0]
    assert re.findall("<h3>([^<]*)</h3>", groups) == ["many", "one"]
    # One flow has no fairness.
    many, one = groups.split("<h3>one</h3>")
    assert "Fairness index" in many
    assert "Fairness index" not in one
    summary_table = page.split("Summary</h2>")[1].split("</section>")[0]
    # For a link the flows of its direction are compared; the mean over all flows would mix both.
    assert "Fairness index" in summary_table
    assert "Jain" not in summary_table
    assert "Price" in page


def test_the_command_that_made_a_report_has_no_folders_of_one_machine():
    said = ["run", "/home/ann/red.toml", "--out", "out/red", "--report=../ann/red.html", "--set", "duration=5s"]

    assert command(said) == "sojourn run red.toml --out out/red --report=red.html --set duration=5s"
