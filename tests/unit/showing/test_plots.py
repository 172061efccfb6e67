"""Every plot draws from every result, also from one with little in it, and stays small."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import get_args

import numpy as np
import polars as pl
import pytest
import vl_convert

from helpers.synthetic import Tables, differences, study, summary
from sojourn import _core, plots
from sojourn._rooms.scenario.tc import LINES
from sojourn._rooms.showing.plots.export import fit
from sojourn._rooms.showing.plots.frames import POINTS, binned
from sojourn._rooms.showing.plots.palette import CATEGORY, colour_places, config
from sojourn._rooms.showing.plots.pieces import layout
from sojourn._rooms.showing.plots.queues import reason_colours

# Charts are compiled and drawn, for half a minute in all: `make check` leaves them out.
pytestmark = pytest.mark.slow


def _with_summaries(tables: Tables) -> Tables:
    """The tables with a report's additions; made once, for many tests draw from the same."""
    if id(tables) not in _SUMMARISED:
        _SUMMARISED[id(tables)] = _summarised(tables)
    return _SUMMARISED[id(tables)]


def _summarised(tables: Tables) -> Tables:
    queues = tables["queue"]["queue"].unique(maintain_order=True).to_list()
    made = {"summary": summary(tables), "differences": differences(tables, queues[0] if queues else "none")}
    return {**tables, **made, "groups": _of_groups(tables)}


def _of_groups(tables: Tables) -> pl.DataFrame:
    """As :meth:`sojourn.Study.summary` of the groups: without an interval, which no test needs."""
    frame = tables["group"]
    texts, number = ("queue", "row", "metric"), pl.col("throughput_mean_bps").cast(pl.Float64)
    if frame.is_empty():
        return pl.DataFrame(schema=dict.fromkeys(texts, pl.String) | dict.fromkeys(("mean", "low", "high"), pl.Float64))
    rates = frame.select("queue", row="group", metric=pl.lit("goodput_mean_bps"), mean=number)
    long = pl.concat([rates, rates.with_columns(metric=pl.lit("queueing_p99_ms"), mean=pl.lit(5.0))])
    means = long.group_by("queue", "row", "metric", maintain_order=True).agg(pl.col("mean").mean())
    return means.with_columns(low=pl.col("mean"), high=pl.col("mean"))


def _blank(tables: Tables, name: str, column: str) -> Tables:
    return {**tables, name: tables[name].with_columns(pl.lit(float("nan")).alias(column))}


# By the identity of the tables, which stay as long as this module.
_SUMMARISED: dict[int, Tables] = {}
_SMALL = {"duration": 6.0, "flows": 4}


@cache
def plain() -> Tables:
    """A study as it usually is."""
    return study(seeds=3, **_SMALL)


def _no_throughput() -> Tables:
    none = {"flow": pl.lit(0.0).alias("throughput_bps"), "queue": pl.lit(0.0).alias("throughput_bps")}
    none["group"] = pl.lit(float("nan")).alias("jain_index")
    return {**plain(), **{name: plain()[name].with_columns(column) for name, column in none.items()}}


CASES: dict[str, Callable[[], Tables]] = {
    "a study": plain,
    "one seed": lambda: study(seeds=1, **_SMALL),
    "one queue": lambda: study(["red"], seeds=3, **_SMALL),
    "one run": lambda: study(["pie"], seeds=1, **_SMALL),
    "ten queues": lambda: study([f"queue-{n}" for n in range(10)], seeds=2, duration=2.0, flows=3),
    "no drops": lambda: study(seeds=2, drops=False, **_SMALL),
    "no flows": lambda: study(seeds=2, duration=6.0, flows=0),
    "one flow": lambda: study(seeds=2, duration=6.0, flows=1, groups=["bulk"]),
    "no throughput": _no_throughput,
    "no sojourn time": lambda: _blank(plain(), "queue", "sojourn_mean_ms"),
    "no number at all": lambda: _blank(_blank(plain(), "backlog", "backlog_packets"), "probe", "value"),
    "no rows": lambda: {name: frame.clear() for name, frame in plain().items()},
}


@cache
def made(case: str) -> Tables:
    """The tables of a case, for all tests the same."""
    return CASES[case]()


@pytest.mark.parametrize("name", list(plots.PLOTS))
@pytest.mark.parametrize("case", list(CASES))
def test_every_plot_draws_from_every_result(name, case):
    tables = made(case)
    chart = plots.draw(name, _with_summaries(tables))

    spec = plots.specification(chart)
    svg = vl_convert.vegalite_to_svg(spec, config=plots.config("light"))
    assert "<svg" in svg
    assert "NaN" not in svg


def test_a_probe_that_never_moves_has_an_axis_with_its_value():
    still = plain()["probe"].with_columns(value=pl.lit(0.1))

    svg = vl_convert.vegalite_to_svg(plots.specification(plots.draw("probes", {**plain(), "probe": still})))

    assert {"0.00", "0.05", "0.10"} <= set(re.findall(r">([\d.]+)</text>", svg))


def test_a_run_without_queue_and_seed_is_drawn_under_its_label():
    tables = {name: frame.drop("queue", "seed") for name, frame in made("one run").items()}

    frames = plots.Frames(tables, label="pie")

    assert frames.queues == ["pie"]
    assert plots.PLOTS["backlog"].draw(frames).to_dict()


def test_the_most_utilised_link_is_drawn_unless_another_one_is_named():
    assert plots.Frames(plain()).link == "bottleneck"
    assert plots.Frames(plain(), link="reverse").table("queue")["link"].unique().to_list() == ["reverse"]


def test_a_queue_has_the_same_place_in_every_plot_even_if_a_plot_lacks_it():
    queues = ["droptail", "red", "ared", "codel", "pie"]

    chart = plots.draw("differences", _with_summaries(plain()), queues=queues)

    scale = plots.specification(chart)["spec"]["layer"][-1]["encoding"]["stroke"]["scale"]
    assert [name for name in scale["domain"] if name in queues] == ["codel", "red", "pie", "ared", "droptail"]


def _scales(node: object, field: str) -> set[str]:
    """The kinds of the scales of a field."""
    found: set[str] = set()
    if isinstance(node, dict):
        if node.get("field") == field and "scale" in node:
            found.add(node["scale"].get("type", "linear"))
        for child in node.values():
            found |= _scales(child, field)
    elif isinstance(node, list):
        for child in node:
            found |= _scales(child, field)
    return found


_TIMES_OF = {
    "summary": "low",
    "delay_throughput": "delay_ms",
    "sojourn_cdf": "value",
    "sojourn_tail": "value",
    "backlog": "low",
}


@pytest.mark.parametrize("name", list(_TIMES_OF))
def test_times_that_span_a_decade_have_a_logarithmic_axis(name):
    """Beside a deep FIFO all managed queues were one dot at the edge."""
    deep = pl.col("queue") == "droptail"
    longer = {
        "queue": ("sojourn_mean_ms", "sojourn_p95_ms", "sojourn_p99_ms"),
        "sojourn": ("sojourn_ms",),
        "backlog": ("backlog_packets",),
    }
    tables = dict(plain())
    for table, columns in longer.items():
        there = [column for column in columns if column in tables[table].columns]
        tables[table] = tables[table].with_columns(
            pl.when(deep).then(100.0 * pl.col(column) + 100.0).otherwise(pl.col(column) + 0.5).alias(column)
            for column in there
        )
    far = _summarised(tables)
    field = _TIMES_OF[name]
    other = "symlog" if name == "backlog" else "log"

    assert other in _scales(plots.draw(name, far).to_dict(), field)
    assert other not in _scales(plots.draw(name, far, times="linear").to_dict(), field)
    svg = vl_convert.vegalite_to_svg(plots.specification(plots.draw(name, far)), config=plots.config("light"))
    assert "NaN" not in svg


def test_the_names_of_plots_are_known_to_editors():
    assert set(get_args(plots.PlotName)) == set(plots.PLOTS)


def test_queues_beyond_the_eighth_are_told_apart_by_colour_and_by_dashes():
    queues = ["fifo", "red", "codel", "fq_codel", "ared", "pi", "blue", "sfb", "pie", "pi2", "drr", "sfq"]
    spec = plots.draw("sojourn_cdf", plain(), queues=queues).to_dict()
    line = next(layer["encoding"] for layer in spec["layer"] if "strokeDash" in layer["encoding"])

    places_of = [line["color"]["scale"]["domain"].index(queue) for queue in queues]
    colours = [plots.config("light")["range"]["category"][place] for place in places_of]
    dashes = [tuple(line["strokeDash"]["scale"]["range"][place]) for place in places_of]
    assert len(set(colours)) == len(queues)
    assert not set(dashes[:8]) & set(dashes[8:])


def test_a_queue_has_the_same_colour_in_every_report():
    for queues in (["red"], ["fifo", "red"], ["codel", "ared", "red", "fifo"]):
        assert plots.Frames({}, queues=queues).domain.index("red") == 1
    asked = ["red", "ared", "codel", "pie", "fq_codel", "pi2", "dualpi2"]
    candidates = ["modem", "pfifo", "sfq", "fq_codel", "codel", "pie", "cake", "cake ack-filter"]
    for queues in (["mine", "fifo", "codel", "fq_codel", "cake"], ["mine", "fifo", *asked], candidates):
        places = dict(zip(queues, colour_places(queues), strict=True))
        assert (places["codel"], places["fq_codel"]) == (0, 2)
        assert len(set(places.values())) == len(queues)
    assert colour_places(["codel target 3ms", "fq_codel:target=3ms", "tc cake"]) == colour_places(
        ["codel", "fq_codel", "cake"]
    )
    # Two settings of a queue are told apart, and more queues than colours go round again.
    assert len(set(colour_places(["red", "red:min_th=5p", "red:min_th=9p"]))) == 3
    many = colour_places([f"red:min_th={n}p" for n in range(20)])
    assert len(set(many)) == 20
    assert sorted(many[:8]) == list(range(8))
    assert not {place % len(CATEGORY["light"]) for place in many} & RESERVED


RESERVED = set(range(16, 20))
"""Places of queues of users."""


def test_no_shipped_queue_has_the_colour_of_a_queue_of_a_user():
    shipped = [entry["name"] for entry in json.loads(_core.registry())["queues"]]
    for queues in (["k0"], ["codel", "k0"], ["k0", "k1", "coin", "coin:probability=0.05"]):
        own = [place for place, queue in zip(colour_places(queues), queues, strict=True) if queue != "codel"]
        assert set(own) <= RESERVED
        assert len(set(own)) == len(own)
    for queue in [*shipped, *LINES, "modem", "droptail", "run", "cake rtt 20ms"]:
        assert not set(colour_places([queue])) & RESERVED, queue
    # It keeps its colour whatever it is compared with, and a fifth one takes what is free.
    assert {places[-1] for places in map(colour_places, (["k0"], ["codel", "k0"], [*shipped[:19], "k0"]))} == {
        colour_places(["k0"])[0]
    }
    assert len(set(colour_places([f"k{n}" for n in range(5)]) + colour_places(["codel"]))) == 6


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_of_queues_of_users_are_far_from_the_others(theme):
    """In CIE L*a*b*, where two shipped colours may be 20 apart."""
    colours = [_lab(colour) for colour in CATEGORY[theme]]

    for place in RESERVED:
        for other in set(range(len(colours))) - {place}:
            assert math.dist(colours[place], colours[other]) >= 20, (place, other)


def _lab(colour: str) -> tuple[float, float, float]:
    """L*, a* and b* of a colour of sRGB (IEC 61966-2-1, white D65)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    r, g, b = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    fx, fy, fz = (part ** (1 / 3) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116 for part in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def test_each_reason_of_a_chart_has_a_colour_of_its_own():
    known = ["drop: early", "drop: gradient", "drop: overflow", "drop: mine", "mark: early", "mark: mine"]
    for kinds in (known, known[1:], ["drop: early", "drop: a", "drop: b", "drop: c", "drop: d"]):
        shown, colours = reason_colours(pl.DataFrame({"kind": kinds}))
        assert sorted(shown) == sorted(kinds)
        assert len(set(colours)) == len(kinds)
    alone = reason_colours(pl.DataFrame({"kind": ["drop: overflow"]}))[1]
    assert alone[0] in reason_colours(pl.DataFrame({"kind": known}))[1]


def test_few_flows_are_lines_and_many_a_band():
    marks = {}
    for flows in (3, 12):
        times = [(flow, t / 10) for flow in range(flows) for t in range(99)]
        rows = [{"flow": flow, "time_s": time, "throughput_bps": 1e6 * flow} for flow, time in times]
        spec = plots.specification(plots.draw("rate", {"rate": pl.DataFrame(rows)}))
        marks[flows] = [layer["mark"]["type"] for layer in spec["spec"]["layer"]]
    assert marks == {3: ["line"], 12: ["area", "line", "line"]}


def test_a_reader_chooses_group_measure_seed_and_link():
    tables = study(["red", "pie"], seeds=3, **_SMALL)
    both = [frame.with_columns(link=pl.lit(name)) for frame in [tables["backlog"]] for name in ("bottleneck", "second")]
    queues = pl.concat([tables["queue"], tables["queue"].with_columns(link=pl.lit("second"), utilisation=0.1)])
    tables = {**tables, "backlog": pl.concat(both), "queue": queues}

    options = {}
    for name in ("group_delays", "group_series", "backlog", "delay_throughput"):
        params = plots.specification(plots.draw(name, tables))["params"]
        options |= {(name, one["name"]): one["bind"]["options"] for one in params if "options" in one.get("bind", {})}

    assert options["group_delays", "chosen_group"] == ["bulk", "web"]
    assert options["group_delays", "chosen_measure"] == ["time in queues", "one-way delay", "round-trip time"]
    assert options["group_series", "chosen_seed"] == [1, 2, 3]
    assert options["backlog", "chosen_link"] == ["bottleneck", "second"]
    assert options["delay_throughput", "chosen_link"] == ["bottleneck", "reverse", "second"]


def test_colours_and_dashes_share_one_legend():
    tables = study(["fifo", "red", "pie"], seeds=2, **_SMALL)

    line = plots.specification(plots.draw("sojourn_cdf", tables))["layer"][-1]["encoding"]

    # Vega-Lite joins two legends only if their scales have the same domain and the legends the same values.
    assert line["color"]["scale"]["domain"] == line["strokeDash"]["scale"]["domain"]
    assert line["color"]["legend"] == line["strokeDash"]["legend"]
    assert len(line["strokeDash"]["scale"]["range"]) == len(line["strokeDash"]["scale"]["domain"])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_inside_a_chart_have_the_ink_of_the_theme(theme):
    tables = study(["red"], seeds=1, **_SMALL)
    spec = fit(plots.specification(plots.draw("flow_throughput", tables)), 700)

    drawn = vl_convert.vegalite_to_svg({**spec, "config": config(theme)})

    words = re.search(r"<text[^>]*fill=\"([^\"]*)\"[^>]*>J = ", drawn)
    assert words[1] == config(theme)["style"]["note"]["color"]


def test_thinning_keeps_the_extremes_and_bounds_the_rows():
    value = np.zeros(1_000_000)
    value[123_456] = 77.0
    value[654_321] = -5.0
    frame = pl.DataFrame({"queue": "red", "time_s": np.arange(value.size) / 1e4, "value": value})

    thin = binned(frame, "value", ["queue"])

    assert thin.height <= POINTS
    assert thin["high"].max() == 77.0
    assert thin["low"].min() == -5.0
    # The mean over stretches of equal length is the mean of all.
    assert thin["mean"].mean() == pytest.approx(value.mean(), abs=1e-9)


def test_a_plot_over_a_million_points_is_small():
    count = 1_000_000
    backlog = pl.DataFrame(
        {"link": "l", "time_s": np.arange(count) / 1e4, "backlog_packets": np.arange(count) % 101, "backlog_bytes": 0}
    )

    spec = plots.specification(plots.draw("backlog", {"backlog": backlog}))

    assert len(json.dumps(spec)) < 150_000


def test_a_short_series_is_not_thinned():
    frame = pl.DataFrame({"queue": ["red"] * 3, "time_s": [0.0, 1.0, 2.0], "value": [1.0, 5.0, 2.0]})

    thin = binned(frame, "value", ["queue"])

    assert thin["mean"].to_list() == [1.0, 5.0, 2.0]


def test_the_distribution_is_the_one_of_the_histogram():
    # Cells with upper edges 1, 2, 3 ms and 5, 3, 2 packets: cumulative shares 0.5, 0.8, 1.
    sojourn = pl.DataFrame({"link": ["l"] * 3, "sojourn_ms": [1.0, 2.0, 3.0], "packets": [5, 3, 2]})

    spec = plots.specification(plots.draw("sojourn_cdf", {"sojourn": sojourn}))

    data = pl.read_csv(plots.embedded_data(spec)["distribution"].encode())
    assert data["share"].to_list() == [0.0, 0.5, 0.8, 1.0]
    assert data["above"].to_list() == [1.0, 0.5, 0.2, 0.0]


def test_an_ellipse_reaches_one_standard_deviation_along_the_axes():
    # Four runs on a cross, uncorrelated: delay has variance (1 + 1)/3, throughput (4 + 4)/3 Mbit/s squared.
    runs = pl.DataFrame(
        {
            "link": "l",
            "queue": "red",
            "seed": [1, 2, 3, 4],
            "utilisation": 0.9,
            "sojourn_mean_ms": [9.0, 11.0, 10.0, 10.0],
            "throughput_bps": [50e6, 50e6, 48e6, 52e6],
        }
    )

    spec = plots.specification(plots.draw("delay_throughput", {"queue": runs}))

    edge = pl.read_csv(plots.embedded_data(spec)["ellipses"].encode())
    assert edge["delay_ms"].max() == pytest.approx(10 + (2 / 3) ** 0.5, rel=1e-3)
    assert edge["throughput"].max() == pytest.approx(50 + (8 / 3) ** 0.5, rel=1e-3)


def test_a_difference_is_decided_when_its_interval_excludes_zero():
    frame = pl.DataFrame(
        {
            "queue": ["a", "b", "c"],
            "metric": "jain_index",
            "difference": [0.2, 0.1, -0.2],
            "low": [0.1, -0.1, -0.3],
            "high": [0.3, 0.3, -0.1],
        }
    )

    spec = plots.specification(plots.draw("differences", {"differences": frame}))

    data = pl.read_csv(plots.embedded_data(spec)["differences"].encode())
    assert data["decided"].to_list() == [1, 0, 1]


@pytest.mark.parametrize(
    ("name", "values", "title", "factor"),
    [
        ("throughput_bps", [9.4e6], "Throughput (Mbit/s)", 1e-6),
        ("throughput_bps", [-450e3], "Throughput (kbit/s)", 1e-3),
        ("throughput_bps", [], "Throughput (bit/s)", 1.0),
        ("loss_ratio", [0.01], "Loss ratio (%)", 100.0),
        ("utilisation", [0.9], "Utilisation (%)", 100.0),
        ("sojourn_p99_ms", [3.0], "Sojourn time, p99 (ms)", 1.0),
        ("backlog_max_packets", [3.0], "Backlog, largest (packets)", 1.0),
        ("jain_index", [1.0], "Jain's fairness index", 1.0),
    ],
)
def test_a_column_says_its_words_and_its_unit(name, values, title, factor):
    shown = plots.measure(name, values)

    assert shown.title == title
    assert shown.factor == pytest.approx(factor)


@pytest.mark.parametrize("ending", [".png", ".svg", ".pdf", ".html", ".json"])
@pytest.mark.parametrize("theme", plots.THEMES)
def test_a_chart_is_saved_in_every_kind_of_file(tmp_path: Path, ending, theme):
    chart = plots.draw("summary", _with_summaries(plain()))

    plots.save(chart, tmp_path / f"chart{ending}", theme=theme)

    content = (tmp_path / f"chart{ending}").read_bytes()
    opening = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<svg", ".json": b"{"}.get(ending, b"<")
    assert content.lstrip().startswith(opening)
    assert [path.name for path in tmp_path.iterdir()] == [f"chart{ending}"]


def test_an_unknown_ending_is_refused_and_nothing_is_written(tmp_path: Path):
    chart = plots.draw("summary", _with_summaries(plain()))

    with pytest.raises(ValueError, match=r"\.bmp.*use \.png"):
        plots.save(chart, tmp_path / "chart.bmp")

    assert not list(tmp_path.iterdir())


def test_an_unknown_plot_and_a_missing_table_are_named():
    with pytest.raises(ValueError, match="no plot is called 'cdf'"):
        plots.draw("cdf", plain())
    with pytest.raises(ValueError, match="needs the table 'backlog'"):
        plots.draw("backlog", {"queue": plain()["queue"]})


def test_every_plot_tells_the_reader_what_to_look_at():
    for plot in plots.PLOTS.values():
        assert plot.title
        assert plot.text.endswith(".")
        assert len(plot.text) > 60


def test_a_chart_without_panels_has_the_width_of_the_page():
    assert layout() == {"sojourn": {"layout": "container"}}


def test_where_no_queue_keeps_an_average_there_is_no_layer_for_it():
    tables = study(["fifo", "codel"], seeds=1, **_SMALL)
    without = {name: frame for name, frame in tables.items() if name != "probe"}
    layers = [plots.specification(plots.draw("backlog", of))["spec"]["layer"] for of in (without, plain())]
    assert [len(some) for some in layers] == [2, 3]


def test_a_flow_alone_has_no_fairness_index():
    single = {**plain(), "group": plain()["group"].with_columns(flows=pl.lit(1))}
    several = {**plain(), "group": plain()["group"].with_columns(flows=pl.lit(4))}

    assert "J = " not in json.dumps(plots.draw("flow_throughput", single).to_dict())
    assert "J = " in json.dumps(plots.draw("flow_throughput", several).to_dict())
    svg = vl_convert.vegalite_to_svg(plots.specification(plots.draw("flow_throughput", single)))
    assert ">null<" not in svg


def test_delays_over_time_are_drawn_where_there_are_any():
    """A chart's scale has one kind, so the logarithm is drawn; that of nothing has no place on any axis."""
    deep, late = pl.col("queue") == "droptail", pl.col("time_s") >= 5
    delay = pl.when(deep).then(900.0).otherwise(9.0)
    gaps = plain()["over_time"].with_columns(pl.when(late).then(delay).alias("delay_mean_ms"))
    spec = plots.specification(plots.draw("group_series", {**plain(), "over_time": gaps}))
    for param in spec["params"]:
        if param["name"] == "chosen_value":
            param["value"] = "One-way delay (ms)"

    labels = re.findall(r">([\d.]+)</text>", vl_convert.vegalite_to_svg(spec, config=plots.config("light")))
    assert {"10", "100"} <= set(labels)
