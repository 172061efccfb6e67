"""Charts for paper: as wide as a column, with nothing cut off, in letters of one's own, to be told apart in grey."""

from __future__ import annotations

import json
import re
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from xml.etree import ElementTree

import polars as pl
import pytest

import sojourn
from sojourn import plots
from sojourn._rooms.showing import latex
from sojourn._rooms.showing.plots.palette import colour_places
from sojourn._rooms.showing.plots.paper import GREYS

# Charts are compiled and drawn, for a quarter of a minute in all: `make check` leaves them out.
pytestmark = pytest.mark.slow

WIDTH = 245
LEFT_OUT = {"drops", "rate", "probes"}  # the scenario records nothing for them
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def study() -> sojourn.Comparison:
    scenario = sojourn.Scenario.load("home_uplink", overrides=["duration=15s"])
    return sojourn.compare(scenario, queues=["fifo", "codel", "fq_codel"], seeds=[1, 2])


def saved(study: sojourn.Comparison, name: str, folder: Path, **options) -> ElementTree.Element:
    plots.save(study.plot(name), folder / "chart.svg", width=WIDTH, **options)
    return ElementTree.fromstring((folder / "chart.svg").read_text(encoding="utf-8"))


def media_box(pdf: bytes) -> list[float]:
    """The size that a PDF says of its page."""
    return [float(part) for part in re.search(rb"/MediaBox\s*\[([^\]]*)\]", pdf)[1].split()]


@pytest.mark.parametrize("name", [name for name in plots.PLOTS if name not in LEFT_OUT])
@pytest.mark.parametrize("title", [True, False])
def test_every_chart_is_as_wide_as_its_column(study, name, title, tmp_path):
    plots.save(study.plot(name), tmp_path / "chart.pdf", width=WIDTH, title=title, size=8)

    left, _, right, _ = media_box((tmp_path / "chart.pdf").read_bytes())
    assert right - left == pytest.approx(WIDTH, abs=1.5)


def test_an_axis_title_that_is_too_long_gets_lines_of_its_own(study, tmp_path):
    chart = study.plot("delay_throughput")
    words = "Mean sojourn time of all packets of this link (ms), smaller to the right"
    spec = json.loads(json.dumps(chart.to_dict()).replace("Mean sojourn time (ms)", words))
    chart = type(chart).from_dict(spec)
    plots.save(chart, tmp_path / "chart.svg", width=WIDTH)

    picture = ElementTree.fromstring((tmp_path / "chart.svg").read_text(encoding="utf-8"))
    lines = [part.text for part in picture.iter(f"{SVG}tspan")]
    broken = [line for line in lines if line in words]
    assert len(broken) > 1
    assert " ".join(broken) == words
    # On a page of a report it is in one line.
    plots.save(chart, tmp_path / "wide.svg", width=760)
    assert words in (tmp_path / "wide.svg").read_text(encoding="utf-8")


def test_the_title_is_left_out_for_a_caption(study, tmp_path):
    heading = plots.PLOTS["sojourn_tail"].title

    assert heading in "".join(saved(study, "sojourn_tail", tmp_path).itertext())
    assert heading not in "".join(saved(study, "sojourn_tail", tmp_path, title=False).itertext())


def test_letters_have_the_typeface_and_the_size_that_are_given(study, tmp_path):
    picture = saved(study, "sojourn_tail", tmp_path, font="DejaVu Serif", size=8)

    texts = list(picture.iter(f"{SVG}text"))
    assert {text.get("font-family") for text in texts} == {"DejaVu Serif"}
    # The labels of axes; those of the legend are as much larger as in a report.
    assert min(float(text.get("font-size").removesuffix("px")) for text in texts) == 8
    assert b"DejaVuSerif" in pdf_of(study, tmp_path)


def pdf_of(study: sojourn.Comparison, folder: Path) -> bytes:
    plots.save(study.plot("sojourn_tail"), folder / "serif.pdf", width=WIDTH, font="DejaVu Serif", size=8)
    return (folder / "serif.pdf").read_bytes()


@pytest.mark.parametrize("name", ["group_series", "group_delays", "sojourn_cdf", "sojourn_tail"])
def test_lines_of_queues_differ_in_dashes_too(study, name, tmp_path):
    picture = saved(study, name, tmp_path, grey=True)

    lines = [
        path for path in picture.iter(f"{SVG}path") if path.get("stroke") in GREYS and path.get("stroke-width") != "1"
    ]
    dashes = {(path.get("stroke"), path.get("stroke-dasharray")) for path in lines}
    assert len({stroke for stroke, _ in dashes}) == len({dash for _, dash in dashes}) == 3


def test_greys_are_greys_and_common_queues_differ_in_lightness():
    assert all(re.fullmatch(r"#(..)\1\1", grey) for grey in GREYS)
    common = [int(GREYS[place][1:3], 16) for place in colour_places(["fifo", "red", "codel", "fq_codel"])]
    assert min(abs(one - other) for at, one in enumerate(common) for other in common[:at]) >= 40


def test_panels_of_groups_say_what_is_drawn_and_in_which_unit(study, tmp_path):
    words = " ".join(saved(study, "group_series", tmp_path).itertext())

    for group in ("upload", "call", "browsing"):
        assert f"{group}: throughput (Mbit/s)" in words


def numbers(text: str) -> list[str]:
    return re.findall(r"\\num\{([^}]*)\}", text)


def test_a_table_in_latex_has_the_means_and_half_widths_of_the_summary(study):
    rows = study.summary().filter(row="forward")

    text = latex.latex_table(rows, ["sojourn_mean_ms", "loss_ratio"])

    assert text.startswith("\\begin{tabular}{lrrr}\n\\toprule\n & fifo & codel & fq\\_codel \\\\")
    assert "Sojourn time, mean (ms) & " in text
    assert "Loss ratio (\\%) & " in text
    first = next(line for line in text.splitlines() if line.startswith("Sojourn"))
    for queue, written in zip(["fifo", "codel", "fq_codel"], numbers(first), strict=True):
        row = rows.filter(queue=queue, metric="sojourn_mean_ms").row(0, named=True)
        mean, half = (Decimal(part) for part in written.split(" +- "))
        assert mean == Decimal(row["mean"]).quantize(mean, ROUND_HALF_EVEN)
        assert half == Decimal((row["high"] - row["low"]) / 2).quantize(half, ROUND_HALF_EVEN)


def test_differences_of_shares_are_points(study):
    text = latex.latex_table(study.differences().filter(row="forward"), ["loss_ratio"])

    assert "Loss ratio (points) & " in text


@pytest.mark.parametrize(
    ("values", "written"),
    [
        # The half-width has two digits, and the mean as many places.
        ((18.234, 16.83, 19.638), r"\num{18.2 +- 1.4}"),
        ((913.4, 880.0, 946.8), r"\num{913 +- 33}"),
        ((0.012347, 0.012224, 0.01247), r"\num{0.01235 +- 0.00012}"),
        # Cut off at 0: both ends. One run: no interval. None: a dash.
        ((1.939, 0.0, 3.948), r"\num{1.9} [\num{0.0}, \num{3.9}]"),
        ((12.3456, float("nan"), float("nan")), r"\num{12.35}"),
        ((float("nan"), 0.0, 1.0), "--"),
        ((5.0, 5.0, 5.0), r"\num{5 +- 0}"),
    ],
)
def test_a_number_is_rounded_by_its_interval(values, written):
    assert latex.number(*values) == written


def test_what_no_table_can_be_made_of_is_one_message(study):
    with pytest.raises(ValueError, match="'row' has several values: forward, reverse"):
        latex.latex_table(study.summary(), ["loss_ratio"])
    with pytest.raises(ValueError, match="no metric 'los_ratio'"):
        latex.latex_table(study.summary().filter(row="forward"), ["los_ratio"])
    with pytest.raises(ValueError, match="no intervals: a"):
        latex.latex_table(pl.DataFrame({"a": [1]}), ["loss_ratio"])
