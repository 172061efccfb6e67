"""A made-up work in a folder of its own, with the findings of every run."""

import pytest

from helpers.study_file import STUDY
from sojourn import papers
from sojourn.works import scores, spent

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
