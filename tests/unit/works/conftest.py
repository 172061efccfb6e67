"""A made-up work in a folder of its own, with the findings of every run."""

import pytest

from helpers.study_file import STUDY
from sojourn import papers
from sojourn._rooms.works import scores, spent

CLAIMS = '''
"""A paper for tests."""
from sojourn.claims import Claim, above
from sojourn.papers import Paper

PAPER = Paper()

@PAPER.experiment("sky", "What flies")
def sky(context):
    height = [-2.0, 2.1, -1.9] if context.quick else [-2.0, -2.1, -1.9]
    yield Claim.that("birds fly", True)
    yield Claim.judged("pigs fly", above(height, 0.0), rule="above 0", unit="m", published=3.0)

@PAPER.experiment("sea", "What swims")
def sea(context):
    yield Claim.that("fish swim", True)
'''


@pytest.fixture
def work(tmp_path, monkeypatch):
    """The folder of the work. With few seeds it is undecided whether pigs fly, with all they do not."""
    folder = tmp_path / "papers" / "nobody2000"
    (folder / "code").mkdir(parents=True)
    (folder / "work.toml").write_text('title = "Pigs"\ncitation = "Nobody 2000"\n')
    (folder / "code/experiments.py").write_text(CLAIMS)
    monkeypatch.setenv("SOJOURN_PAPERS", str(folder.parent))
    return folder


@pytest.fixture
def full(work):
    """The same after it was run in full."""
    took = spent.Spent(wall_seconds=33.4, cpu_seconds=61.2)
    scores.keep(work, scores.score(papers.reproduce("nobody2000", quick=False), took=took, cores=2))
    return work


@pytest.fixture
def study(tmp_path, scenario_file):
    (tmp_path / "small.toml").write_text(scenario_file.read_text())
    (tmp_path / "expected.toml").write_text("[losses.wait]\nDT = [22.0, 25.0]\n")
    file = tmp_path / "losses.toml"
    file.write_text(STUDY)
    return file


TRACE = '\n[[trace]]\nprobe = "avg"\nat = { queue = "RED" }\nmarks = [5.0]\nsource = "figure 9"\n'
BOUND = """
[[claim]]
kind = "bound"
id = "losses-dt-waits-long"
text = "DT waits long with 4 flows"
source = "section 2, figure 4.7"
metric = "wait"
at = { queue = "DT", flows = "4" }
above = 10.0
"""
SENTENCES = """
[[sentence]]
text = "With four flows drop tail waits long"
source = "section 2, figure 4.7"
claims.losses = ["losses-dt-waits-long"]

[[sentence]]
text = "RED waits less, as printed"
source = "table 2"
claims.losses = ["RED waits less than DT", "DT waits as long"]
"""
FIGURES = """
front = "figure 4.7"

[[figure]]
place = "figure 4.7"
caption = "Waiting with two queues"
experiment = "losses"

[[figure]]
place = ["figure 9", "figure 10"]
caption = "The average queue, {}"
experiment = "losses"
chart = "Average queue over time, RED"
panel = ["flows 2", "flows 4"]

[[figure]]
place = "table 2"
caption = "Waiting behind drop tail"

[[left]]
places = "figures 1 to 3"
why = "the network"
"""


@pytest.fixture
def drawn_folder(study, monkeypatch):
    """A work with one experiment, whose average queue is drawn, and a list of its figures."""
    folder = study.parent / "papers" / "nobody2000"
    for name in ("experiments", "scenarios"):
        (folder / name).mkdir(parents=True)
    (folder / "work.toml").write_text('title = "Pigs"\ncitation = "Nobody 2000"\n')
    text = STUDY.replace('"dumbbell.queue" =', 'record.probes = "100ms", "dumbbell.queue" =')
    text = text.replace('text = "DT waits as long"', 'text = "DT waits as long"\nsource = "table 2"')
    (folder / "experiments/losses.toml").write_text(text + BOUND + TRACE)
    (folder / "sentences.toml").write_text(SENTENCES)
    (folder / "figures.toml").write_text(FIGURES)
    (study.parent / "small.toml").rename(folder / "scenarios/small.toml")
    (study.parent / "expected.toml").rename(folder / "expected.toml")
    monkeypatch.setenv("SOJOURN_PAPERS", str(folder.parent))
    return folder


@pytest.fixture
def drawn(drawn_folder):
    """The same after a run."""
    return papers.reproduce(str(drawn_folder), readings=False)
