"""Papers: found, run, judged."""

import json
import subprocess
import sys

import pytest

from sojourn import papers
from sojourn.papers import Claim
from sojourn.stats import Interval

CLAIMS = '''
"""A paper for tests."""
from sojourn.papers import Claim, Paper

PAPER = Paper(title="Buffers", citation="Nobody 2000")

@PAPER.experiment("small", "Three flows")
def small(context):
    comparison = context.compare("small.toml", queues=["fifo", "red"], seeds=context.seeds(full=3, quick=2))
    yield Claim.near(
        "utilisation of fifo",
        published=context.expected["utilisation"],
        ours=comparison.interval("utilisation", variant="fifo", row="forward"),
        within=1.0,
        unit="%",
        source="table 1",
    )

@PAPER.experiment("wrong", "What does not hold")
def wrong(context):
    yield Claim.that("pigs fly", False, source="section 9")
'''


@pytest.fixture
def paper(tmp_path, scenario_file, monkeypatch):
    """A directory of papers with one paper."""
    directory = tmp_path / "papers" / "nobody2000"
    directory.mkdir(parents=True)
    (directory / "claims.py").write_text(CLAIMS)
    (directory / "expected.toml").write_text("utilisation = 0.5\n")
    (directory / "small.toml").write_text(scenario_file.read_text())
    monkeypatch.setenv("SOJOURN_PAPERS", str(tmp_path / "papers"))
    return "nobody2000"


def sojourn(*arguments):
    command = [sys.executable, "-c", "from sojourn.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def test_a_number_holds_within_its_tolerance():
    ours = Interval(0.95, 0.01, 5)

    assert Claim.near("u", published=0.94, ours=ours, within=0.02).verdict == "holds"
    assert Claim.near("u", published=0.90, ours=ours, within=0.02).verdict == "differs"
    explained = Claim.near("u", published=0.90, ours=ours, within=0.02, explanation="their buffer is not stated")
    assert (explained.verdict, explained.note) == ("explained", "their buffer is not stated")


def test_numbers_are_shown_in_the_claims_unit():
    assert Claim.near("r", published=1e6, ours=Interval(1e6, 0.0, 2), within=1.0, unit="Mbit/s").factor == 1e-6
    assert Claim.that("x", True).factor == 1.0


def test_only_runs_what_is_named(paper):
    done = papers.reproduce(paper, only=["small"])

    assert [claim.experiment for claim in done.claims] == ["small"]
    assert list(done.studies) == ["Small dumbbell"]
    assert not done.differs


def test_quick_and_full_differ_in_seeds(paper):
    quick, full = (papers.reproduce(paper, only=["small"], quick=quick) for quick in (True, False))

    assert (quick.claims[0].ours.n, full.claims[0].ours.n) == (2, 3)


def test_the_command_prints_claims_and_fails_if_one_differs(paper):
    good = sojourn("reproduce", paper, "--only", "small")
    bad = sojourn("reproduce", paper)

    assert (good.returncode, bad.returncode) == (0, 1)
    assert "utilisation of fifo" in good.stdout
    assert "50 %" in good.stdout
    assert "pigs fly" in bad.stdout
    assert "1 hold, 0 explained, 1 differs" in " ".join(bad.stdout.split())


def test_claims_in_json_carry_numbers_and_verdicts(paper):
    done = json.loads(sojourn("reproduce", paper, "--json").stdout)

    assert [claim["verdict"] for claim in done["claims"]] == ["holds", "differs"]
    assert done["claims"][0]["published"] == 0.5


def test_papers_are_listed_with_their_experiments(paper):
    assert json.loads(sojourn("reproduce", "--list", "--json").stdout)[0]["key"] == paper
    assert "small: Three flows" in sojourn("list", "papers").stdout
    assert sojourn("reproduce", "--list", "--keys").stdout == f"{paper}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody1999"], "allowed: nobody2000"),
        (["nobody2000", "--only", "smal"], "allowed: small, wrong"),
        ([], "sojourn reproduce --list"),
    ],
)
def test_wrong_papers_and_experiments_are_one_message(paper, arguments, words):  # noqa: ARG001
    done = sojourn("reproduce", *arguments)

    assert done.returncode == 2
    assert words in done.stderr
    assert done.stdout == ""
