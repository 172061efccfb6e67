"""A page for each figure of a work: its list, its drawing, and the statements about it."""

import math
import re
from html import unescape
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from sojourn import papers
from sojourn._rooms.works import figure_page, figures, front, page, points, work
from sojourn._rooms.works.planes import Level, Line, Mark, Plane, Point
from sojourn._rooms.works.planes import drawn as drawing


def made(drawn, place):
    """The page's part for a figure."""
    report = page.page(drawn).html()
    return re.search(rf'<section id="{place}".*?</section>', report, re.S)[0]


def test_a_report_has_each_figure_in_order_before_the_sentences(drawn):
    report = page.page(drawn).html()

    headings = re.findall(r"<h2[^>]*>([^<]*)</h2>", report)
    assert headings[:5] == [
        "Figure 4.7: Waiting with two queues",
        "Figure 9: The average queue, flows 2",
        "Figure 10: The average queue, flows 4",
        "Table 2: Waiting behind drop tail",
        "Figures and tables that are not drawn again",
    ]
    assert "losses: Metrics against" not in report, "the figure has these lines"
    assert "losses: Average queue over time" not in report


def test_a_statement_is_a_band_with_a_letter_and_its_verdict_is_beside_it(drawn):
    section = made(drawn, "figure-4-7")

    assert re.search(r'<rect class="level" [^>]*>.*<text class="letter"[^>]*>A</text>', section)
    assert re.search(r'<b class="letter">A</b> With four flows drop tail waits long', section)
    assert "badge holds" in section
    assert re.search(r"here [\d.]+ ± [\d.]+ ms", section)
    (caption,) = re.findall(r"<figcaption>.*?</figcaption>", section, re.S)
    assert re.search(r'class="printed".*printed</span>', caption), "the caption says what a cross is"
    drawn_in = section.replace(caption, "")
    assert drawn_in.count('class="printed"') == 2, "the printed numbers of table 2 are of this quantity"
    assert '--only "figure 4.7"' in unescape(section)


def test_a_table_has_printed_numbers_beside_ours_and_a_trace_the_lines_of_its_panel(drawn):
    table = made(drawn, "table-2")
    row = re.search(r"<tr><th scope=\"row\">([^<]*)<td class=\"n\">([^<]*)<td[^>]*>([^<]*)", table)

    assert row[1] == "flows 2", "all of its numbers are about drop tail"
    assert row[2] == "22"
    assert re.fullmatch(r"[\d.]+ (± [\d.]+|\[.*\])", row[3])
    assert made(drawn, "figure-9").count('class="curve') == 1


def test_a_report_of_one_figure_begins_with_it_and_leaves_the_rest_out(drawn_folder):
    done = papers.reproduce(str(drawn_folder), only=["figure 4.7"])

    report = page.page(done).html()

    headings = re.findall(r"<h2[^>]*>([^<]*)</h2>", report)
    assert headings[0] == "Figure 4.7: Waiting with two queues"
    assert not {"Sentences of the work", "Scoreboard", "Table 2: Waiting behind drop tail"} & set(headings)
    assert "nobody2000, figure 4.7: Waiting with two queues" in report
    with pytest.raises(ValueError, match="no experiment 'figure 8'"):
        papers.reproduce("nobody2000", only=["figure 8"])


def test_a_record_draws_the_same_figure_without_a_run(drawn, drawn_folder):
    points.keep(drawn)
    paper = work.load("nobody2000")
    own = figure_page.Work("nobody2000", paper, points.last(drawn_folder), lacks="nothing was kept")
    (figure,) = figures.read(drawn_folder).about(["figure 4.7"])

    kept = str(figure_page.figure_html(figure, own))

    curves = re.compile(r'<path class="curve[^>]*>')
    assert curves.findall(kept) == curves.findall(made(drawn, "figure-4-7"))
    (drawn_folder / "record/points.toml").unlink()
    own = figure_page.Work("nobody2000", paper, points.last(drawn_folder), lacks="nothing was kept")
    assert "nothing was kept" in figure_page.figure_html(figure, own)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ('[[figure]]\nplace = "section 3"\ncaption = "x"\n', r"this is no figure or table"),
        ('[[figure]]\nplace = "figure 3"\n', r"the key 'caption' is missing"),
        ('[[figure]]\nplace = ["figure 3"]\ncaption = "x"\npanel = ["a", "b"]\n', r"1 places need as many points"),
        ('[[figure]]\nplace = ["figure 3"]\ncaption = "x"\nat = 3\n', r"figure\[0\]\.at: this is"),
        ('[[left]]\nplaces = "figure 3"\nreason = "x"\n', r"no key 'reason'"),
        (2 * '[[figure]]\nplace = "figure 3"\ncaption = "x"\n', r"this is there twice"),
    ],
)
def test_a_list_with_a_mistake_is_refused(tmp_path, text, match):
    (tmp_path / "figures.toml").write_text(text)

    with pytest.raises(ValueError, match=match):
        figures.read(tmp_path)


def test_a_figure_of_an_unknown_metric_is_refused(drawn_folder):
    file = drawn_folder / "figures.toml"
    file.write_text(file.read_text().replace('experiment = "losses"', 'experiment = "losses"\nmetrics = ["weight"]', 1))

    with pytest.raises(ValueError, match=r"(?s)figures\.toml.*no metric 'weight'"):
        figures.check(drawn_folder, work.load("nobody2000"))


def plane(values, **more):
    lines = [Line(name, [Point(x, y) for x, y in enumerate(row)]) for name, row in values.items()]
    return Plane(title="Wait", x="flows", lines=lines, **more)


def test_names_beside_lines_do_not_touch_and_stay_in_the_drawing():
    svg = str(drawing(plane({f"queue {n}": [1.0, 1.0 + 0.001 * n] for n in range(6)}), height=200))

    heights = sorted(float(y) for y in re.findall(r'<svg class="c\d+" x="100%" y="([\d.]+)"', svg))
    assert len(heights) == 6
    assert min(after - before for before, after in pairwise(heights)) >= 13.9
    assert heights[-1] <= 200


def test_a_line_has_gaps_where_there_is_no_number_and_noise_does_not_fill_the_axis():
    svg = str(drawing(plane({"": [99.0, math.nan, 99.1, 99.0]}, unit="%")))

    (path,) = re.findall(r'<path class="curve" d="([^"]*)"', svg)
    assert path.count("M") == 2
    ticks = [float(one) for one in re.findall(r'class="tick end"[^>]*>([\d.]+)<', svg)]
    assert max(ticks) - min(ticks) >= 4.9
    assert max(ticks) <= 100.0


def test_points_that_no_line_joins_have_round_numbers_below_them():
    svg = str(
        drawing(Plane(title="Share", x="flows", lines=[Line("", [Point(19.3, 1.0), Point(20.7, 2.0)])], joined=False))
    )

    assert re.findall(r'class="tick middle"[^>]*>([^<]*)<', svg) == ["19.5", "20", "20.5"]


@pytest.mark.parametrize(
    ("printed", "letter", "signs"),
    [(None, "A", []), (2.0, "A", ["printed"]), (2.0, "", ["printed", "where the work has a knee"])],
)
def test_a_caption_says_the_signs_that_the_drawing_has(printed, letter, signs):
    lines = [Line("", [Point(0.0, 1.0, printed=printed), Point(1.0, 2.0)])]

    svg = str(drawing(Plane(title="Wait", x="flows", lines=lines, marks=[Mark(1.0, letter)])))

    caption = svg.partition("</figcaption>")[0]
    assert re.findall(r"</svg> ([^<]*)</span>", caption) == signs


def test_a_bound_far_away_does_not_press_the_lines_together():
    def height(bound):
        svg = str(drawing(plane({"": [1.0, 2.0, 3.0]}, levels=[Level(low=bound)])))
        return max(float(one) for one in re.findall(r'class="tick end"[^>]*>([\d.]+)<', svg))

    assert height(4.0) == 4.0
    assert height(1000.0) == 3.0


README = """# Nobody 2000

![Waiting](record/front.svg)

**In one sentence.** `fifo` does not fly.

**The author claims.** Pigs fly
with `fifo`.

**We find.** They do not.

    sojourn reproduce nobody2000

## More

**Not this.** It is below.
"""


def test_the_first_page_is_the_top_of_the_readme_and_replaces_the_proposal(drawn, drawn_folder):
    file = drawn_folder / "work.toml"
    file.write_text(file.read_text() + 'proposal = "Wings."\n')
    assert "The proposal of the work" in page.page(papers.reproduce(str(drawn_folder), readings=False)).html()
    (drawn_folder / "README.md").write_text(README)

    report = page.page(drawn).html()

    first = report.partition("<main")[0]
    assert "<h1>fifo does not fly</h1>" in first
    assert "<h3>The author claims</h3><p>Pigs fly with <code>fifo</code>.</p>" in first
    assert "Not this" not in first
    assert 'class="plane"' in first
    assert "The proposal of the work" not in report


def test_a_record_has_the_picture_of_the_first_page(drawn, drawn_folder):
    front.keep(drawn_folder, drawn.paper, points.of_run(drawn))

    svg = ElementTree.parse(drawn_folder / "record/front.svg").getroot()

    assert svg.get("viewBox").startswith("0 0 760")
    assert "queue against" not in svg.get("aria-label")
    assert "wait against flows" in svg.get("aria-label").lower()
