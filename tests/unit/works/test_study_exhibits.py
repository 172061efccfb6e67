"""Tables and charts of study files: printed numbers, traces, curves and products."""

import pytest

from helpers.study_file import STUDY, findings
from sojourn import papers
from sojourn.claims import Claim
from sojourn.papers import from_file


def test_printed_numbers_without_a_verdict_stand_beside_ours(study):
    study.write_text(STUDY[: STUDY.index("[[claim]]")])
    more = study.parent / "more.toml"
    table = 'metric = "wait"\nat = { queue = "DT" }\nprinted = [22.0, 25.0]\nerrors = [1.0, 2.0]\n'
    more.write_text(f'name = "more"\ndoc = "table 1"\ncontinues = "losses.toml"\n[[printed]]\n{table}')
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = findings(more, context)

    assert not any(isinstance(one, Claim) for one in found)
    printed, fit = (one for one in found if isinstance(one, papers.Numbers))
    cells = [(n.row, n.column, n.published, n.error) for n in printed.numbers]
    assert cells == [("2", "wait, DT", 22.0, 1.0), ("4", "wait, DT", 25.0, 2.0)]
    assert list(dict.fromkeys(one.row for one in fit.numbers)) == ["steep", "never seen", "as run"]


def test_an_axis_may_be_the_rows_of_a_table_and_a_trace_is_drawn_of_one_run(study):
    text = STUDY.replace('row = "forward", unit', 'row = "{link}", unit')
    text = text.replace("axes.queue.RED", "axes.link = { forward = {}, reverse = {} }\naxes.queue.RED", 1)
    text = text.replace('"dumbbell.queue" =', 'record.probes = "100ms", "dumbbell.queue" =')
    text = text[: text.index("[[claim]]")] + '[[trace]]\nprobe = "avg"\nat = { queue = "RED", link = "forward" }\n'
    study.write_text(text + 'marks = [5.0]\nsource = "figure 9"\n')
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = findings(study, context)

    table = {(n.row, n.column): n.ours for one in found if isinstance(one, papers.Numbers) for n in one.numbers}
    assert table["4", "wait, forward, RED"][0] > table["4", "wait, reverse, RED"][0], "acknowledgements do not wait"
    assert len(context._done) == 3 * 2 * 3, "a row costs no run"
    (trace,) = (
        one for one in found if isinstance(one, papers.Chart) and one.title == "Average queue over time, RED, forward"
    )
    assert trace.text == "One run each (seed 1). Dashed: thresholds or the target. Compare with figure 9."
    rows = trace.chart.data.values.splitlines()[1:]
    assert {row.split(",")[0] for row in rows} == {"flows 2", "flows 4"}


@pytest.mark.parametrize(
    ("trace", "settings", "title", "columns"),
    [
        ('table = "backlog"', '"record.queue" = "100ms"', "Queue over time, RED", "panel,x,value"),
        ('table = "window"\nflows = [0, 1]', '"record.cwnd" = "100ms"', "Window over time, RED", "panel,line,x,value"),
        ('table = "occupancy"', '"record.occupancy" = true', "Share of the time, RED", "panel,x,value"),
    ],
)
def test_a_trace_may_be_of_other_tables_which_are_recorded_for_it_alone(study, trace, settings, title, columns):
    text = STUDY[: STUDY.index("[[claim]]")]
    study.write_text(f'{text}[[trace]]\n{trace}\nat = {{ queue = "RED" }}\nsettings = {{ {settings} }}\n')
    context = papers.Context(study.parent, quick=True, experiment="losses")

    found = findings(study, context)

    (chart,) = (one for one in found if isinstance(one, papers.Chart) and one.title == title)
    head, *rows = chart.chart.data.values.splitlines()
    assert head == columns
    assert {row.split(",")[0] for row in rows} == {"flows 2", "flows 4"}
    assert list(context.studies) == ["losses/base", "losses/steep", "losses/never seen"], "no claim rests on these runs"


def test_panels_have_scales_of_their_own_where_one_would_flatten_some(study):
    def drawn(limits):
        text = STUDY[: STUDY.index("[[claim]]")].replace(
            'kind = "red", limit = "20p"', f'kind = "red", limit = "{limits}p"'
        )
        study.write_text(f'{text}[[trace]]\ntable = "backlog"\nsettings = {{ "record.queue" = "20ms" }}\n')
        context = papers.Context(study.parent, quick=True, experiment="losses")
        found = findings(study, context)
        (chart,) = (one for one in found if isinstance(one, papers.Chart) and one.title == "Queue over time")
        return chart.chart.to_dict()["resolve"]["scale"]["y"], chart.text

    assert drawn(20)[0] == "shared"
    scale, text = drawn(2)
    assert scale == "independent"
    assert text.endswith("Each panel has a scale of its own.")


@pytest.mark.parametrize("trace", ['table = "sojourn"', 'probe = "avg"\ntable = "backlog"', "marks = [5.0]"])
def test_a_trace_of_what_there_is_not_is_refused(study, trace):
    study.write_text(f"{STUDY}\n[[trace]]\n{trace}\n")

    with pytest.raises(ValueError, match=r"trace\[0\]"):
        from_file(study)


def test_a_curve_goes_along_points_whose_labels_begin_with_a_number(study):
    text = STUDY[: STUDY.index("[[claim]]")].replace(
        "values = [2, 4]", 'values = [2, 4, 6], labels = ["2+1", "4+1", "6"]'
    )
    study.write_text(
        f'{text}[[curve]]\nalong = "flows"\npoints = ["2+1", "4+1"]\ntitle = "flows"\nsource = "figure 7"\n'
    )

    found = findings(study, papers.Context(study.parent, quick=True, experiment="losses"))

    (chart,) = (one for one in found if isinstance(one, papers.Chart))
    assert (chart.title, chart.text) == ("Metrics against flows", "With 95 % intervals. Compare with figure 7.")
    head, *rows = (row.split(",") for row in chart.chart.data.values.splitlines())
    assert {row[head.index("x")] for row in rows} == {"2.0", "4.0"}


def test_a_product_may_be_shown_over_that_of_another_point(study):
    text = STUDY[: STUDY.index("[[claim]]")].replace(
        "metrics.wait =",
        'metrics.cost = { of = ["wait"], powers = [2], shown_over = { queue = "DT" } }\nmetrics.wait =',
    )
    study.write_text(text)

    found = findings(study, papers.Context(study.parent, quick=True, experiment="losses"))

    (table,) = (one for one in found if isinstance(one, papers.Numbers))
    cells = {(number.row, number.column): number.ours for number in table.numbers}
    waits, base = cells["2", "wait, RED"], cells["2", "wait, DT"]
    assert cells["2", "cost over that of DT, RED"] == pytest.approx(
        [(one / other) ** 2 for one, other in zip(waits, base, strict=True)]
    )
    assert set(cells["2", "cost over that of DT, DT"]) == {1.0}


def test_figures_of_several_points_keep_their_runs_in_folders_of_their_own(study, tmp_path):
    text = STUDY[: STUDY.index("[[claim]]")]
    for queue in ("RED", "DT"):
        text += f'[[trace]]\ntable = "backlog"\nat = {{ queue = "{queue}" }}\nsettings = {{ "record.queue" = "1s" }}\n'
    study.write_text(text)

    for _ in range(2):
        context = papers.Context(study.parent, quick=True, experiment="losses", out=tmp_path / "out")
        assert len([one for one in findings(study, context) if isinstance(one, papers.Chart)]) == 3
    assert len(list((tmp_path / "out").glob("losses-backlog-over-time-*"))) == 2
