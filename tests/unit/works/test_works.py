"""Works of one's own: where they are, how one is begun, and messages about mistakes in the files of a work."""

import re
from pathlib import Path

import pytest

from helpers import shell
from sojourn import papers
from sojourn._rooms.works import markdown, scoreboard, scores, spent
from sojourn.papers import from_file


def sojourn(rest, folder):
    return shell.sojourn(*rest.split(), cwd=folder)


@pytest.fixture
def begun(tmp_path, monkeypatch):
    """The folder of a work that `sojourn init --work` has written."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SOJOURN_PAPERS", raising=False)
    done = sojourn("init --work floyd1993", tmp_path)
    assert done.returncode == 0, done.stderr
    return tmp_path / "papers/floyd1993"


def test_a_work_that_was_begun_runs_as_it_is_and_holds_a_verdict(begun, tmp_path):
    done = sojourn("reproduce floyd1993 --full --seeds 4 --readings --verdicts papers/floyd1993/README.md", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "3 hold" in done.stdout
    assert "claims depend on the reading" in done.stdout
    text = (begun / "README.md").read_text()
    begin, end = markdown.MARKS
    assert text.count(begin) == text.count(end) == 1, "the marks are made"
    assert text.startswith("# floyd1993: a published work")
    assert "sojourn reproduce floyd1993 --quick" in text


def test_a_work_that_was_begun_is_written_once_and_has_a_key_of_its_own(begun, tmp_path):
    before = {file: file.read_bytes() for file in begun.rglob("*.*")}
    for key, words in {
        "floyd1993": "is there already; nothing was written",
        "haider2005": "a work with this key comes with Sojourn",
        "a b": "a key has letters",
    }.items():
        done = shell.sojourn("init", "--work", key, cwd=tmp_path)
        assert done.returncode == 2
        assert words in done.stderr
    assert before == {file: file.read_bytes() for file in begun.rglob("*.*")}
    assert [one.name for one in (tmp_path / "papers").iterdir()] == ["floyd1993"]


def test_works_of_ones_own_are_beside_those_that_come_along(begun, tmp_path, monkeypatch):
    assert {"floyd1993", "haider2005"} <= set(papers.find())
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "second").mkdir(parents=True)
    (elsewhere / "second/work.toml").write_text((begun / "work.toml").read_text())
    monkeypatch.setenv("SOJOURN_PAPERS", str(elsewhere))
    assert {"floyd1993", "second", "haider2005"} <= set(papers.find())
    assert set(scoreboard.works()) == {Path("papers/floyd1993"), elsewhere / "second"}, "a page is about one's own"


@pytest.mark.parametrize("named", ["./papers/floyd1993", "papers/floyd1993", "floyd1993"])
def test_a_work_is_named_by_its_key_or_its_folder(begun, named):
    paper = papers.load(named)
    assert [one.name for one in paper.experiments] == ["E1"]
    assert papers.folder(named).resolve() == begun


@pytest.mark.usefixtures("begun")
def test_what_there_is_not_is_refused_with_the_places_that_are_looked_at(tmp_path):
    done = sojourn("reproduce floyd1992", tmp_path)
    assert done.returncode == 2
    assert "did you mean floyd1993?" in done.stderr
    assert "./papers and $SOJOURN_PAPERS" in sojourn("reproduce nothing", tmp_path).stderr
    assert "there is no work: it has no work.toml" in sojourn("reproduce ./papers", tmp_path).stderr


def test_a_scenario_that_comes_along_is_one_of_a_work_too(begun):
    study = (begun / "experiments/E1.toml").read_text()
    head, claims = study[: study.index("axes.queue.FIFO")], study[study.index("[[claim]]") :]
    axes = 'axes.rate = { key = "dumbbell.rate", values = ["2Mbit", "4Mbit"] }\n'
    metrics = 'metrics.use = { column = "utilisation", row = "forward", unit = "%" }\n'
    bound = claims[claims.index('[[claim]]\nkind = "bound"') : claims.index("# expected.toml has")]
    text = (
        (head + axes + metrics + bound)
        .replace('"dumbbell.toml"', '"home_uplink"')
        .replace('at = { queue = "CoDel" }', "")
    )
    (begun / "experiments/E1.toml").write_text(text)
    (begun / "work.toml").write_text('title = "T"\ncitation = "C"\n')
    done = papers.reproduce("floyd1993", runs=1)
    assert [claim.text for claim in done.claims] == ["CoDel uses nine tenths of the link"]


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("work.toml", 'title = "A title of few words"', "", "the key 'title' is missing"),
        ("work.toml", 'title = "A title of few words"', "title = 3", "title: this is a number, not a text"),
        ("work.toml", "citation", "citaton", "no key 'citaton'"),
        ("work.toml", "citation", 'experiments = ["E2"]\ncitation', "no study file 'E2'"),
        ("work.toml", 'readings = ["each', 'readings = ["Each', "no reading 'Each packet is acknowledged'"),
        ("work.toml", "readings =", "reading =", "no key 'reading'"),
        ("work.toml", 'taken = "every second one"', "", "the key 'taken' is missing"),
        ("work.toml", "wait = ", "wiat = ", "no metric 'wiat'"),
        ("work.toml", 'wait = "mean time in the queue"', "wait = 3", "metrics.wait: this is a number"),
        ("work.toml", 'flows = "downloads"', 'flow = "downloads"', "no axis 'flow'"),
        ("work.toml", 'flows = "{} downloads"', 'flow = "{} downloads"', "no axis 'flow'"),
        ("work.toml", "[metrics]", "[metrics", "this is not TOML"),
        ("expected.toml", "FIFO = [85.0, 95.0]", "FIFO = [85.0]", "1 printed numbers for 2 cases"),
        ("expected.toml", "FIFO = [85.0, 95.0]", 'FIFO = [85.0, "95"]', "this is a text, not a number"),
        ("expected.toml", "FIFO = [85.0, 95.0]", "FIFO = 85.0", "this is a number, not a list of numbers"),
        ("expected.toml", "FIFO =", "FiFo =", "no row in expected.toml 'wait.FIFO'"),
        ("expected.toml", "[E1.wait]", "[E1", "expected.toml: this is not TOML"),
    ],
)
def test_a_mistake_in_a_file_of_a_work_is_one_message(begun, tmp_path, file, old, new, words):
    text = (begun / file).read_text()
    assert text.count(old) == 1, old
    (begun / file).write_text(text.replace(old, new))
    done = sojourn("reproduce floyd1993", tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert words in done.stderr
    assert "papers/floyd1993/" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            '[[failure]]\nclaims.E1 = "pigs"\nfault = "ours"\ntext = "a"',
            "claims.E1: this is a text, not a list of texts",
        ),
        ('[[failure]]\nclaims.E1 = ["a"]\nfault = "our"\ntext = "a"', "did you mean ours?"),
        ('[[failure]]\nclaims.E1 = ["a"]\nfault = "ours"', "the key 'text' is missing"),
        ('[[failures]]\nclaims.E1 = ["a"]', "no key 'failures'"),
        ("failure = 3", "failure: write tables"),
    ],
)
def test_failures_are_read_strictly(begun, text, words):
    (begun / "record").mkdir()
    (begun / "record/failures.toml").write_text(text)
    with pytest.raises(ValueError, match=r"failures\.toml") as caught:
        scores.read(begun)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('verdict = "holds"', 'verdict = "hold"', "did you mean holds?"),
        ("seeds = [4, 4]", 'seeds = "4"', "this is a text, not a list of whole numbers"),
        ("ours = ", "our = ", "no key 'our'"),
        ("runs = ", "rns = ", "no key 'rns'"),
    ],
)
def test_kept_verdicts_are_read_strictly(begun, old, new, words):
    took = spent.Spent(wall_seconds=1.0, cpu_seconds=1.0)
    scores.keep(begun, scores.score(papers.reproduce("floyd1993", quick=False, runs=4), took=took, cores=2))
    file = begun / "record/verdicts.toml"
    assert scores.read(begun)[0].count("holds") == 3
    file.write_text(file.read_text().replace(old, new))
    with pytest.raises(ValueError, match=r"verdicts\.toml:\d+:\d+: ") as caught:
        scores.read(begun)
    assert words in str(caught.value)


def test_the_files_of_an_earlier_version_are_refused_with_the_moves(begun, tmp_path):
    (begun / "work.toml").rename(begun / "about.toml")
    done = sojourn("reproduce floyd1993", tmp_path)
    assert done.returncode == 2
    assert "papers/floyd1993: the files of this work are where Sojourn 0.1 had them" in done.stderr
    for move in ("about.toml -> work.toml", "study files -> experiments/", "scenario files -> scenarios/"):
        assert move in done.stderr


@pytest.mark.slow
def test_the_record_is_kept_of_whole_runs(begun, tmp_path):
    assert "--record keeps a whole run" in sojourn("reproduce floyd1993 --record", tmp_path).stderr
    assert "--record keeps a whole run" in sojourn("reproduce floyd1993 --full --seeds 4 --record", tmp_path).stderr
    assert not (begun / "record").exists()
    done = sojourn("reproduce floyd1993 --full --record", tmp_path)
    assert done.returncode == 0, done.stderr
    kept = scores.last(begun)
    assert len(kept.claims) == 3
    assert all("ours" in found for claim in kept.claims for found in claim.get("readings", {}).values())
    assert f"Of {len(kept.claims)} claims as run" in markdown.verdicts(kept)


def test_experiments_are_run_by_name_or_in_the_order_of_the_work(begun):
    text = (begun / "experiments/E1.toml").read_text()
    names = ["E1", "E2", "E2b", "E2-more", "E10"]
    for name in names:
        (begun / f"experiments/{name}.toml").write_text(text.replace('name = "E1"', f'name = "{name}"'))
    (begun / "expected.toml").write_text("".join(f"[{name}.wait]\nFIFO = [1.0, 2.0]\n" for name in names))
    assert [one.name for one in papers.load("floyd1993").experiments] == names
    about = (begun / "work.toml").read_text()
    (begun / "work.toml").write_text(f'experiments = ["E10", "E2*"]\n{about}')
    assert [one.name for one in papers.load("floyd1993").experiments] == ["E10", "E2", "E2b", "E2-more"]


PART = """
[[part]]
name = "E1-use"
doc = "the same runs: use of the link"

[[part.claim]]
kind = "bound"
text = "FIFO uses nine tenths of the link"
metric = "{metric}"
at = {{ queue = "FIFO" }}
above = 0.9
"""


def test_a_part_of_a_file_is_an_experiment_about_the_same_runs(begun):
    file = begun / "experiments/E1.toml"
    text = file.read_text()
    file.write_text(text + PART.format(metric="use"))
    done = papers.reproduce("floyd1993", runs=2)
    assert [(one.experiment, one.text) for one in done.claims][-1] == ("E1-use", "FIFO uses nine tenths of the link")
    assert len({run for study in done.studies.values() for run in study.runs}) == 2 * 4, "nothing is run twice"
    assert from_file(file, "E1-use").continues == "E1"
    file.write_text(text + PART.format(metric="usee"))
    with pytest.raises(ValueError, match=r"E1\.toml:\d+:\d+: .*no metric 'usee'") as caught:
        papers.load("floyd1993")
    line = int(str(caught.value).split("E1.toml:")[1].split(":")[0])
    assert "usee" in file.read_text().splitlines()[line - 1]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('PAPER = Paper(title="T")', "work.toml says the title"),
        ('PAPER = Paper()\nPAPER.add_claims("E2", [])', "claims are added to 'E2'"),
        ('PAPER = Paper()\nPAPER.experiment("F", "d", after="E2")(print)', "'F' is beside 'E2'"),
        ("PAPER = 3", "does not define PAPER = Paper()"),
    ],
)
def test_mistakes_of_the_code_of_a_work_are_named(begun, code, words):
    (begun / "code").mkdir()
    (begun / "code/experiments.py").write_text(f"from sojourn.papers import Paper\n{code}\n")
    with pytest.raises(ValueError, match=re.escape(words)):
        papers.load("floyd1993")
