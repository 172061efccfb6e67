"""Papers: found, run, judged."""

import json
import re
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console
from typer.testing import CliRunner

from helpers.packed_page import unpacked
from helpers.shell import sojourn
from sojourn import papers
from sojourn._rooms.cli import app, reproduction
from sojourn._rooms.runs import runner
from sojourn._rooms.showing.text import layout
from sojourn._rooms.works import markdown, scores, spent
from sojourn._rooms.works.readings import under_readings
from sojourn._rooms.works.reproduction import selection
from sojourn.claims import Claim, above

CLAIMS = '''
"""A paper for tests."""
from sojourn.claims import Claim
from sojourn.papers import PrintedNumber, Numbers, Paper

PAPER = Paper()

@PAPER.experiment("small", "Three flows")
def small(context):
    comparison = context.compare("small.toml", queues=["fifo", "red"], seeds=context.seeds(full=3, quick=2))
    yield Claim.near(
        "utilisation of red",
        published=context.expected["utilisation"],
        ours=comparison.values("utilisation")["red"]["forward"],
        within=1.0,
        unit="%",
        source="table 1",
    )
    used = comparison.values("utilisation")["fifo"]["forward"]
    yield Numbers(
        title="table 1",
        text="All of them.\\n\\n* fifo: misprinted",
        numbers=[
            PrintedNumber(row="fifo", column="utilisation", ours=used, published=0.5, error=0.01, unit="%", mark="*")
        ],
    )

@PAPER.experiment("wrong", "What does not hold")
def wrong(context):
    yield Claim.that("pigs fly", False, source="section 9")
    yield Claim(text="pigs fly", verdict="holds", reading="pigs are birds")
'''


@pytest.fixture
def paper(tmp_path, scenario_file, monkeypatch):
    """A directory of papers with one paper."""
    directory = tmp_path / "papers" / "nobody2000"
    for name in ("code", "scenarios"):
        (directory / name).mkdir(parents=True)
    (directory / "work.toml").write_text('title = "Buffers"\ncitation = "Nobody 2000"\n')
    (directory / "code/experiments.py").write_text(CLAIMS)
    (directory / "expected.toml").write_text("utilisation = 0.5\n")
    (directory / "scenarios/small.toml").write_text(scenario_file.read_text())
    monkeypatch.setenv("SOJOURN_PAPERS", str(tmp_path / "papers"))
    return "nobody2000"


def test_the_papers_come_with_the_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOJOURN_PAPERS", raising=False)
    package = Path(papers.__file__).parent

    assert papers.find()["haider2005"] == package / "_papers" / "haider2005"
    # A wheel takes no folder behind a link.
    assert [place for place in package.rglob("*") if place.is_symlink()] == []


def test_only_runs_what_is_named(paper):
    done = papers.reproduce(paper, only=["small", "small"])

    assert [claim.experiment for claim in done.claims] == ["small"]
    assert list(done.studies) == ["small/Small dumbbell"]
    assert done.count("fails") == 0


@pytest.mark.parametrize(
    ("key", "place", "names"),
    [
        ("alemu2004", "figure 5.6", ["E5.3"]),
        ("alemu2004", "Fig. 5.10", ["E5.7"]),
        ("alemu2004", "table 5.1", ["E5.2-table"]),
        ("chatranon2004", "table 16", ["E3", "E3-text", "E3-flows"]),
        ("chatranon2004", "figure 36", ["E9"]),
        # Only the claims of these name their figures.
        ("tahiliani2013", "figure 4.20", ["E4.3b-more"]),
        ("phirke2002", "figure 3.8", ["P1-drops"]),
    ],
)
def test_the_experiments_of_a_figure_or_a_table_are_found_by_its_number(key, place, names):
    paper = papers.load(key)

    assert [one.name for one in selection(key, paper, [place])] == names
    assert [one.name for one in selection(key, paper, [*names, place])] == names, "each once"
    with pytest.raises(ValueError, match="or a figure or a table of the work"):
        list(selection(key, paper, [f"{place}9"]))


def test_quick_and_full_differ_in_seeds(paper):
    quick, full = (papers.reproduce(paper, only=["small"], quick=quick) for quick in (True, False))

    assert (quick.claims[0].ours.n, full.claims[0].ours.n) == (2, 3)


def test_the_command_prints_numbers_and_claims_and_a_failing_claim_is_a_result(paper):
    done = sojourn("reproduce", paper, "--seeds", 3, "--details")

    assert done.returncode == 0, done.stderr
    assert "50 %*" in done.stdout
    assert "* fifo: misprinted" in done.stdout
    assert "holds        utilisation of red" in done.stdout
    assert "fails        pigs fly" in done.stdout
    assert "1 holds, 1 fails" in done.stdout
    assert "holds                                   pigs are birds" in done.stdout
    assert "under other readings: 1 holds; 1 of 2 claims depend on the reading" in done.stdout


def test_without_details_a_claim_counts_its_readings(paper):
    said = sojourn("reproduce", paper, "--seeds", 3).stdout

    assert "50 %*" in said
    assert "               under other readings: 1 holds" in said
    assert "pigs are birds" not in said
    assert "each reading by itself; --details shows them" in said


def test_of_many_claims_those_that_fail_are_named_and_the_rest_is_counted(paper, monkeypatch):
    monkeypatch.setattr(reproduction, "_MOST_CLAIMS", 1)
    short, whole = (
        CliRunner().invoke(app, ["reproduce", paper, "--seeds", "3", *more]) for more in ([], ["--details"])
    )

    said = " ".join(short.stdout.split())
    assert "Claims that fail in this run wrong pigs fly" in said
    assert "1 holds, 1 fails" in said
    assert "--only EXPERIMENT shows those of one" in said
    assert "utilisation of red" not in said
    assert said.index("Scoreboard") > said.index("left out")
    assert "holds        utilisation of red" in whole.stdout


def test_json_has_the_claims_and_the_numbers_in_the_units_of_the_tables(paper):
    done = json.loads(sojourn("reproduce", paper, "--json").stdout)

    assert [claim["verdict"] for claim in done["claims"]] == ["holds", "fails", "holds"]
    assert [claim["reading"] for claim in done["claims"]] == ["", "", "pigs are birds"]
    assert done["claims"][0]["published"] == 0.5
    (number,) = done["tables"][0]["numbers"]
    assert (number["published"], number["published_error"], number["runs"], number["unit"]) == (0.5, 0.01, 2, "")
    assert number["min"] <= number["mean"] <= number["max"]


def test_finished_runs_are_kept_and_not_repeated(paper, tmp_path, monkeypatch):
    out = tmp_path / "out"
    first = papers.reproduce(paper, only=["small"], out=out)
    monkeypatch.setattr("sojourn._rooms.runs.pool.Pool._simulate", None)

    again = papers.reproduce(paper, only=["small"], out=out)

    assert again.claims == first.claims


def test_the_report_has_claims_tables_and_scenarios(paper, tmp_path):
    report = tmp_path / "report.html"

    done = sojourn("reproduce", paper, "--report", report)

    page = report.read_text(encoding="utf-8")
    assert done.returncode == 0, done.stderr
    headings = re.findall(r"<h2[^>]*>([^<]*)<", page)
    assert headings[:3] == ["Scoreboard", "Which reading fits best", "Claims of the paper"]
    assert headings[3:5] == ["small: table 1", "Resolved scenarios"]
    assert "1 of 2 claims depend on the reading." in page
    assert "1 other reading, 1 with another verdict" in page
    folds = unpacked(page, "texts")
    assert any(re.search(r'<li class="turned">\s*<span>pigs are birds</span>', fold) for fold in folds)
    assert any("Rule: the interval lies within 100 % of the published value." in fold for fold in folds)
    assert "pigs are birds</span>" not in page, "what is folded stands packed"


def wide_table():
    numbers = [
        papers.PrintedNumber(row=row, column=f"throughput of class {column}", ours=[234.5e3, 241.5e3], unit="kbit/s")
        for row in ("RED-Worcester, 19 + 1", "RED-Worcester, 15 + 5")
        for column in range(9)
    ]
    return papers.Numbers(title="each mix", numbers=numbers, rows_are="queue, TCP + TFRC")


def test_a_wide_table_in_a_pipe_keeps_its_labels_and_its_values(capsys):
    layout.print_in_parts(layout.console(), *wide_table().brief())

    printed = capsys.readouterr().out
    assert "…" not in printed
    assert printed.count("RED-Worcester, 19 + 1") == 1
    assert printed.count("238 ± 44 kbit/s") == 18


def test_a_wide_table_in_a_terminal_goes_on_below_with_the_same_labels(capsys):
    terminal = Console(width=70, force_terminal=True, highlight=False)

    layout.print_in_parts(terminal, *wide_table().brief())

    printed = capsys.readouterr().out
    assert "…" not in printed
    assert printed.count("RED-Worcester, 19 + 1") > 2
    assert printed.count("238 ± 44 kbit/s") == 18
    assert max(map(len, printed.splitlines())) <= 70


@dataclass
class Lost:
    """Runs that claims are made of: a loss of each queue by seed."""

    red: list[float]
    fifo: list[float]
    study: object = None

    def __post_init__(self):
        self.study = SimpleNamespace(seeds=tuple(range(len(self.red))))

    def with_seeds(self, seeds):
        return Lost(self.red[: len(seeds)], self.fifo[: len(seeds)])


def lost_by(queue):
    def judge(runs):
        yield Claim.judged(f"{queue} loses", above(getattr(runs, queue)), rule="above 0")

    return judge


def test_a_reading_is_judged_only_where_it_changes_the_number():
    base = Lost(red=[0.1, 0.12, 0.11], fifo=[0.2, 0.21, 0.22])
    others = {
        "gentle": Lost(red=[0.3, 0.31, 0.32], fifo=base.fifo),
        "fewer seeds": Lost(red=[0.3, 0.31], fifo=base.fifo[:2]),
        "never seen": base,
    }

    found = list(under_readings([lost_by("red"), lost_by("fifo")], base, others))

    claims = [(one.text, one.reading) for one in found if isinstance(one, Claim)]
    assert claims == [("red loses", ""), ("fifo loses", ""), ("red loses", "gentle"), ("red loses", "fewer seeds")]
    beside = [one.beside.ours.n if one.beside else None for one in found if isinstance(one, Claim)]
    assert beside == [None, None, 3, 2], "the base runs with the seeds of the reading"
    (remark,) = (one for one in found if isinstance(one, papers.Remark))
    assert remark.text.endswith(": never seen.")


def test_what_was_run_is_not_run_again(paper, monkeypatch):
    asked = []
    simulate = runner.study

    def counted(variants, *, seeds, **more):
        asked.append((sorted(variants), list(seeds)))
        return simulate(variants, seeds=seeds, **more)

    monkeypatch.setattr(runner, "study", counted)
    context = papers.Context(papers.find()[paper], quick=True, experiment="small")
    fifo, red = (context.scenario("small.toml").with_queue(kind) for kind in ("fifo", "red"))
    base = context.study("base", {"a": fifo, "b": red}, seeds=[1, 2])
    again = context.study("gentle", {"a": fifo, "b": red.set("dumbbell.queue.max_p", 0.5)}, seeds=[1, 2])
    more = context.study("base", {"a": fifo}, seeds=[1, 2, 3])
    twins = context.study("twins", {"a": fifo, "b": fifo}, seeds=[4])

    assert asked == [(["a", "b"], [1, 2]), (["b"], [1, 2]), (["a"], [3]), (["b"], [4])]
    assert list(twins.values("loss_ratio")) == ["a", "b"]
    assert again.values("loss_ratio")["a"] == base.values("loss_ratio")["a"]
    assert more.seeds == (1, 2, 3)


def scored(done):
    return scores.score(done, took=spent.Spent(wall_seconds=1.0, cpu_seconds=1.0), cores=1)


def test_the_verdicts_stand_between_the_marks_of_a_readme(paper, tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text(f"# Nobody\n\n{markdown.MARKS[0]}\nstale\n{markdown.MARKS[1]}\n\nThe end.\n")

    markdown.write(readme, scored(papers.reproduce(paper, runs=3)))

    text = readme.read_text()
    counts = "The runs had 3 seeds. Of 2 claims as run, 1 holds, 1 fails."
    assert text.startswith(f"# Nobody\n\n{markdown.MARKS[0]}\n\n{counts}")
    assert "| claim of wrong | **as run** | pigs are birds |" in text
    assert "| pigs fly | **fails** | holds |" in text
    assert text.endswith(f"\n{markdown.MARKS[1]}\n\nThe end.\n")
    assert "stale" not in text
    readme.write_text(f"one mark\n{markdown.MARKS[0]}")
    with pytest.raises(ValueError, match="has one of the two marks around the verdicts"):
        markdown.write(readme, scored(papers.reproduce(paper, only=["wrong"])))


@pytest.mark.slow
def test_papers_are_listed_with_their_experiments(paper):
    assert json.loads(sojourn("reproduce", "--list", "--json").stdout)[0]["key"] == paper
    assert "small: Three flows" in sojourn("list", "papers").stdout
    assert sojourn("reproduce", "--list", "--keys").stdout.startswith(f"{paper}\nalemu2004\n")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody1999"], "allowed: nobody2000, "),
        (["nobody2000", "--only", "smal"], "allowed: small, wrong"),
        ([], "sojourn reproduce --list"),
    ],
)
def test_wrong_papers_and_experiments_are_one_message(paper, arguments, words):  # noqa: ARG001
    done = sojourn("reproduce", *arguments)

    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""


def test_a_table_without_published_numbers_has_a_column_for_each_quantity():
    numbers = [
        papers.PrintedNumber(row="19 + 1", column="delay TCP", ours=[78.0, 79.0, 80.0], unit="ms"),
        papers.PrintedNumber(row="19 + 1", column="QoS", ours=[1.0, 1.0]),
        papers.PrintedNumber(row="1 + 19", column="delay TCP", ours=[90.0, 90.0], unit="ms"),
    ]
    frame = papers.Numbers(title="Delays", numbers=numbers, rows_are="TCP + TFRC").frame()

    assert frame.columns == ["TCP + TFRC", "Delay TCP (ms)", "QoS"]
    # t(2) s / sqrt(3) = 4.303 * 1 / 1.732 = 2.48
    assert [text.replace("\u00a0", " ") for text in frame["Delay TCP (ms)"]] == ["79.0 ± 2.5", "90"]
    assert frame["QoS"].to_list() == ["1", ""]
