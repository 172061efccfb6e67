"""The sentences of a work where a reader meets them: in the shell, as JSON, in the report and before a run."""

import json

import pytest

from helpers.shell import sojourn
from sojourn import papers
from sojourn._rooms.works import sentence_verdicts

SENTENCES = """
[[sentence]]
text = "What lives moves"
source = "abstract"
headline = true
claims.sky = ["*"]
claims.sea = ["*"]

[[sentence]]
text = "Birds and pigs fly"
source = "p. 2"
claims.sky = ["birds fly", "pigs fly"]

[[sentence]]
text = "Fish swim"
source = "p. 3"
claims.sea = ["fish *"]

[[sentence]]
text = "Snails run"
source = "p. 4"
missing = "the track"
"""


@pytest.fixture
def spoken(work):
    (work / "sentences.toml").write_text(SENTENCES)
    return work


def reproduce(*arguments):
    done = sojourn("reproduce", "nobody2000", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_whole_run_ends_with_its_own_sentences(spoken):  # noqa: ARG001
    shown = reproduce("--full")

    end = " ".join(shown[shown.index("\nSentences\n") :].split())
    assert "3 sentences, judged by the claims of this run; each is counted once" in end
    assert end.count("1 holds, 1 holds in part, 1 not testable") == 1, "the headline is not counted again"
    assert end.endswith("Abstract and conclusion holds in 2 of 3 cases What lives moves (abstract)")


def test_a_quick_run_says_that_it_has_the_first_reading_alone_and_the_verdict_of_the_full_one(spoken, full):  # noqa: ARG001
    end = " ".join(reproduce()[-400:].split())

    assert "judged by the claims of this run, as the work is read first" in end
    assert "undecided What lives moves (abstract): our number lies between" in end
    assert end.endswith("runs would decide, not 3; in full: holds in 2 of 3 cases")


def test_a_run_that_leaves_claims_out_has_the_sentences_of_the_last_full_run(spoken, full):  # noqa: ARG001
    end = " ".join(reproduce("--only", "sky")[-600:].split())

    assert "judged by the claims of the last full run (version" in end
    assert "because this run leaves claims of the work out" in end
    assert end.endswith("holds in 2 of 3 cases What lives moves (abstract)")


def test_without_a_full_run_a_part_of_the_work_judges_no_sentence(spoken):  # noqa: ARG001
    done = papers.reproduce("nobody2000", only=["sky"])

    found = sentence_verdicts.of_run(done)

    assert found is not None
    assert not found.verdicts
    assert found.lacks == "This run leaves claims of the work out, and its sentences need all of them."


def test_a_work_without_sentences_shows_none(work):  # noqa: ARG001
    assert sentence_verdicts.of_run(papers.reproduce("nobody2000")) is None
    assert "\nSentences\n" not in reproduce()


def test_sentences_stand_in_json_and_before_the_claims_in_the_report(spoken, tmp_path):  # noqa: ARG001
    report = tmp_path / "report.html"

    found = json.loads(reproduce("--full", "--json", "--report", str(report)))["sentences"]

    assert [(one["sentence"], one["outcome"], one["words"], one["headline"]) for one in found] == [
        ("What lives moves", "partly", "holds in 2 of 3 cases", True),
        ("Birds and pigs fly", "partly", "holds in 1 of 2 cases", False),
        ("Fish swim", "holds", "holds", False),
        ("Snails run", "not testable", "not testable: the track", False),
    ]
    assert [(one["experiment"], one["claim"], one["verdict"]) for one in found[1]["claims"]] == [
        ("sky", "birds fly", "holds"),
        ("sky", "pigs fly", "fails"),
    ]
    page = report.read_text(encoding="utf-8")
    places = [page.index(f"{heading}</h2>") for heading in ("Abstract and conclusion", "Sentences of the work")]
    assert places == sorted(places)
    assert places[-1] < page.index("Claims of the paper</h2>")
    assert "2 claims, 1 of which holds" in page
    assert page.count("What lives moves") == 1


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("*", "dealy", "no claim of E1 is called 'dealy'"),
        ("claims.E1", "claims.E7", "there is no experiment 'E7'"),
        ("source", "sauce", "did you mean source?"),
    ],
)
def test_sentences_of_other_claims_are_refused_before_anything_is_run(tmp_path, monkeypatch, old, new, words):
    monkeypatch.chdir(tmp_path)
    assert sojourn("init", "--work", "floyd1993").returncode == 0
    text = '[[sentence]]\ntext = "RED keeps delay short"\nsource = "p. 1"\nclaims.E1 = ["*"]\n'
    (tmp_path / "papers" / "floyd1993" / "sentences.toml").write_text(text.replace(old, new))

    done = sojourn("reproduce", "floyd1993")

    assert done.returncode == 2
    assert words in done.stderr
    assert "sentences.toml" in done.stderr
    assert "E1 ..." not in done.stderr, "nothing was run"


LEFT_OUT = """
[[statement]]
place = "p. 5"
text = "Whales sing"
reason = "no run has a sound"
"""


def test_statements_without_a_verdict_are_counted_and_the_report_has_their_reasons(spoken, tmp_path):
    (spoken / "not-tested.toml").write_text(LEFT_OUT)
    report = tmp_path / "report.html"

    shown = reproduce("--full", "--report", str(report))
    found = json.loads(reproduce("--json"))["not_tested"]

    assert "Statements left out, with a reason (--report): 1" in " ".join(shown.split())
    assert found == [{"place": "p. 5", "text": "Whales sing", "reason": "no run has a sound"}]
    page = report.read_text(encoding="utf-8")
    assert page.index("Sentences of the work</h2>") < page.index("Statements without a verdict</h2>")
    assert all(cell in page for cell in ("Whales sing", "p. 5", "no run has a sound"))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("reason =", "raison =", "did you mean reason?"),
        ('"p. 5"', '" "', "this is empty"),
        ("Whales sing", "Fish swim", "this is a sentence of sentences.toml, too"),
        (LEFT_OUT, LEFT_OUT * 2, "this is there twice"),
        ('reason = "no run has a sound"', "", "reason"),
    ],
)
def test_a_wrong_list_of_statements_is_one_message(spoken, old, new, words):
    (spoken / "not-tested.toml").write_text(LEFT_OUT.replace(old, new))

    done = sojourn("reproduce", "nobody2000")

    assert done.returncode == 2
    assert words in done.stderr
    assert "not-tested.toml" in done.stderr
