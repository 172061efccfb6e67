"""The scoreboard of all works: the record of a full run, the explanations of failures, and the page made from both."""

import json

import pytest

from helpers.shell import sojourn
from sojourn import papers
from sojourn._rooms.works import scoreboard, scores, spent
from sojourn._rooms.works.sentences import OUTCOMES, WORDS

FAILURES = '[[failure]]\nclaims.sky = ["pigs fly"]\nfault = "theirs"\ntext = "They have\\n  no wings."\n'


def test_the_page_counts_verdicts_and_explains_each_failure(full, tmp_path):
    (full / "record/failures.toml").write_text(FAILURES)

    scoreboard.write(tmp_path / "page.md")

    page = (tmp_path / "page.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith("| [nobody2000]"))
    assert [cell.strip() for cell in row.split("|")][2:9] == ["2", "3", "2", "0", "1", "0", "0"]
    assert "1:01 min" in row
    assert "**sky: pigs fly** (printed 3 m; here -2.00 ± 0.25 m)" in page
    assert "Fault: the source's. They have no wings." in page


def test_a_failing_claim_without_a_printed_number_says_what_it_asks():
    _, rules = scoreboard._known("haider2005")
    claim = {"ours": -0.004634, "half_width": 0.0004667, "unit": "points"}

    rule = rules["H1-queues", "H1-queues-b1-utilisation-red-ared"]

    assert rule == "utilisation of RED, xi 1.1 less that of ARED, xi 1.1, seed by seed, is above 0"
    assert scoreboard._numbers(claim, rule) == f" (here -0.463 ± 0.047 points; it holds if {rule})"
    assert "it holds" not in scoreboard._numbers({**claim, "published": 0.01}, rule)


def test_a_readme_gets_the_table_between_its_marks(full, tmp_path):
    (full / "record/failures.toml").write_text(FAILURES)
    readme = tmp_path / "README.md"
    readme.write_text(f"# Us\n\n{scoreboard.MARKS[0]}\nstale\n{scoreboard.MARKS[1]}\n\nThe end.\n")

    scoreboard.write(readme)

    text = readme.read_text()
    assert text.startswith(f"# Us\n\n{scoreboard.MARKS[0]}\n\n| work |")
    assert text.endswith(f"{scoreboard.MARKS[1]}\n\nThe end.\n")
    assert "stale" not in text


@pytest.mark.parametrize(
    ("failures", "words"),
    [
        ("", "says nothing about the failing claim 'pigs fly'"),
        (FAILURES.replace("pigs", "birds"), "no claim 'birds fly' fails"),
        (FAILURES.replace("theirs", "mine"), "fault: this is not among the names"),
        (FAILURES.replace("text =", "reason ="), "there is no key 'reason'"),
    ],
)
def test_failures_without_words_and_words_without_failures_are_complained_of(full, tmp_path, failures, words):
    (full / "record/failures.toml").write_text(failures)

    done = sojourn("reproduce", "--scoreboard", tmp_path / "page.md")

    assert done.returncode == 2
    assert words in done.stderr
    assert not (tmp_path / "page.md").exists()


def test_a_work_that_was_never_run_in_full_says_so(full, tmp_path):
    (full / "record/verdicts.toml").unlink()

    scoreboard.write(tmp_path / "page.md")

    assert "not yet run in full" in (tmp_path / "page.md").read_text()


def test_the_score_of_a_work_survives_its_file(full):
    found, said = scores.read(full)

    assert (found.count("holds"), found.count("fails"), said) == (2, 1, [])
    assert (found.wall_seconds, found.cpu_seconds, found.cores) == (33, 61, 2)
    assert json.dumps(found.claims[1]["ours"]) == "-2.0"
    assert "sky" in scoreboard.in_words(found)


SENTENCES = """
[[sentence]]
text = "What lives moves"
source = "abstract"
headline = true
claims.sky = ["*"]
[[sentence]]
text = "Birds and pigs fly"
source = "p. 2"
claims.sky = ["*"]
[[sentence]]
text = "Fish swim"
source = "p. 3"
claims.sea = ["*"]
[[sentence]]
text = "Snails run"
source = "p. 4"
missing = "the track"
"""


def test_the_page_counts_sentences_before_claims_and_a_readme_sentences_alone(full, tmp_path):
    (full / "record/failures.toml").write_text(FAILURES)
    (full / "sentences.toml").write_text(SENTENCES)
    (full / "not-tested.toml").write_text('[[statement]]\nplace = "p. 5"\ntext = "Whales sing"\nreason = "no sound"\n')
    page, readme = tmp_path / "page.md", tmp_path / "README.md"
    readme.write_text(f"{scoreboard.MARKS[0]}\n{scoreboard.MARKS[1]}\n")

    scoreboard.write(page)
    scoreboard.write(readme)

    text = page.read_text()
    assert text.index("## Sentences") < text.index("| work | sentences |") < text.index("## Claims")
    assert text.index("## Claims") < text.index("| work | experiments | claims |")
    assert all(f"- *{WORDS[outcome][0]}*: {meaning}." in text for outcome, meaning in OUTCOMES.items())
    rows = [line for line in readme.read_text().splitlines() if line.startswith("|")]
    assert len(rows) == 3, "one work has no sum"
    counts = dict(zip(*([cell.strip() for cell in row.split("|")] for row in (rows[0], rows[2])), strict=True))
    assert {name: count for name, count in counts.items() if count not in ("", "0")} == {
        "work": counts["work"],
        "sentences": "3",
        "hold": "1",
        "hold in part": "1",
        "not testable": "1",
        "left out": "1",
        "version, date": counts["version, date"],
    }


def test_a_sentence_of_a_claim_that_the_record_has_not_is_not_run_yet(full, tmp_path):
    # Causes are due with the next full run.
    (full / "record/failures.toml").unlink(missing_ok=True)
    (full / "sentences.toml").write_text(SENTENCES.replace('sea = ["*"]', 'sea = ["fish fly"]'))

    scoreboard.write(tmp_path / "page.md")

    rows = [line.split("|") for line in (tmp_path / "page.md").read_text().splitlines() if line.startswith("|")]
    counts = {name.strip(): count.strip() for name, count in zip(rows[0], rows[2], strict=True)}
    assert counts["not run yet"] == "1"


def test_the_record_has_the_verdicts_under_other_readings(work):
    claims = (work / "code/experiments.py").read_text()
    tailwind = '    yield Claim(text="pigs fly", verdict="holds", reading="with a tailwind")\n'
    (work / "code/experiments.py").write_text(claims.replace("published=3.0)\n", f"published=3.0)\n{tailwind}"))
    took = spent.Spent(wall_seconds=1.0, cpu_seconds=1.0)
    scores.keep(work, scores.score(papers.reproduce("nobody2000", quick=False), took=took, cores=1))

    recorded = {claim.text: (claim.verdict, claim.readings) for claim in scores.last(work).claim_records()}

    assert recorded["pigs fly"] == ("fails", {"with a tailwind": "holds"})
    assert recorded["birds fly"] == ("holds", {}), "a reading that does not touch a claim is left out"
    text = (work / "record/verdicts.toml").read_text()
    assert '[readings.sky."with a tailwind"]\n"pigs fly" = { verdict = "holds" }' in text


def test_the_time_of_a_run_that_is_gone_on_with_is_that_of_all_its_parts(tmp_path, monkeypatch):
    cpu = iter([0.0, 2.0, 2.0, 10.0, 13.0, 13.0, 20.0, 21.0, 21.0])
    monkeypatch.setattr(spent, "_cpu_seconds", lambda: next(cpu))
    out = tmp_path / "out"

    def took():
        with spent.spending(out) as until_now:
            out.mkdir(exist_ok=True)
            (out / "measured").mkdir(exist_ok=True)
            now = until_now()
        return now.cpu_seconds, now.partial

    assert took() == (2.0, False)
    assert took() == (5.0, False)
    monkeypatch.setattr(spent._core, "build", lambda: "another")
    assert took() == (1.0, False), "another build runs everything again"


def test_the_time_of_a_command_that_was_killed_is_known_in_part(full, tmp_path):
    out = tmp_path / "out"
    (out / "measured").mkdir(parents=True)
    with spent.spending(out) as until_now:
        assert until_now().partial, "these runs have no record"
    (out / "spent.json").unlink()
    (out / "measured").rmdir()
    with spent.spending(out) as until_now:
        assert not until_now().partial
        # Files of a command that is killed here.
        killed = (out / "spent.json").read_bytes()
    (out / "spent.json").write_bytes(killed)
    with spent.spending(out) as until_now:
        assert until_now().partial
        took = until_now()
    scores.keep(full, scores.score(papers.reproduce("nobody2000", quick=False), took=took, cores=2))
    (full / "record/failures.toml").write_text(FAILURES)

    assert scores.last(full).partial
    assert "0:00 min at least" in scoreboard.page()
