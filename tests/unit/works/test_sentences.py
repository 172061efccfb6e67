"""One sentence, one verdict, however many claims are beneath it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sojourn._rooms.statistics.intervals import Interval, mean_interval
from sojourn._rooms.works import scores, sentence_verdicts
from sojourn._rooms.works.sentences import ClaimRecord, Sentence, best_reading, judge, read
from sojourn.papers import find

EVERY = {"E1": ["*"]}


def _claim(text: str, verdict: str, **readings: str) -> ClaimRecord:
    return ClaimRecord(experiment="E1", text=text, verdict=verdict, readings=readings)


def _outcome(*claims: ClaimRecord, **more: object) -> str:
    (found,) = judge([Sentence(text="s", source="p. 1", claims=EVERY, **more)], claims)  # type: ignore[arg-type]
    return found.words


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ([("a", "holds", {}), ("b", "holds", {})], "holds"),
        ([("a", "holds", {"SACK": "fails"})], 'holds, but not with "SACK"'),
        ([("a", "holds", {"SACK": "undecided"})], 'holds, but open with "SACK"'),
        ([("a", "holds", {"SACK": "equal"})], 'holds, but not with "SACK"'),
        ([("a", "fitted", {"x": "fails", "y": "undecided"})], 'fitted, but not with "x"; open with "y"'),
        ([("a", "fails", {}), ("b", "holds", {}), ("c", "holds", {})], "holds in 2 of 3 cases"),
        ([("a", "fails", {"SACK": "holds"})], 'depends on the reading: it holds with "SACK"'),
        # A reading has to make all claims hold together, not each one alone.
        ([("a", "fails", {"x": "holds"}), ("b", "fails", {"y": "holds"})], "fails"),
        # A reading that is open does not make it open.
        ([("a", "fails", {"x": "undecided"})], 'fails, but it is open with "x"'),
        ([("a", "undecided", {}), ("b", "holds", {})], "undecided"),
        ([("a", "undecided", {"x": "holds"})], 'depends on the reading: it holds with "x"'),
        ([("a", "fails", {}), ("b", "fails", {"x": "fails"})], "fails"),
        ([("a", "fitted", {}), ("b", "holds", {})], "fitted"),
        ([("a", "fitted", {}), ("b", "fails", {})], "holds in 1 of 2 cases"),
        ([("a", "contradicted", {}), ("b", "holds", {})], "contradicted by its source"),
        ([("a", "contradicted", {}), ("b", "fails", {})], "fails"),
    ],
)
def test_the_verdict_of_a_sentence_follows_from_its_claims(claims, said):
    assert _outcome(*(_claim(text, verdict, **readings) for text, verdict, readings in claims)) == said


@pytest.mark.parametrize(
    ("claims", "said"),
    [
        ([("fails", 20, 24)], "holds in 20 of 24 cases"),
        ([("fails", 12, 24)], "holds in 12 of 24 cases"),
        ([("fails", 11, 24)], "fails in 13 of 24 cases"),
        ([("fails", 0, 24)], "fails"),
        ([("fails", 2, 3), ("holds", 0, 0)], "holds in 3 of 4 cases"),
        ([("fails", 0, 0), ("fails", 0, 0), ("holds", 0, 0)], "fails in 2 of 3 cases"),
    ],
)
def test_a_sentence_holds_in_part_from_half_of_its_cases_on_however_it_was_cut(claims, said):
    records = [
        ClaimRecord(experiment="E1", text=str(place), verdict=verdict, holding=holding, of=of)
        for place, (verdict, holding, of) in enumerate(claims)
    ]
    assert _outcome(*records) == said


@pytest.mark.parametrize(("verdict", "said"), [("fails", "fails"), ("undecided", "undecided")])
def test_a_reading_with_fewer_cases_or_runs_does_not_rescue_a_sentence(verdict, said):
    claim = ClaimRecord(experiment="E1", text="a", verdict=verdict, readings={"SACK": "holds"}, fewer=["SACK"])
    assert _outcome(claim) == said
    assert _outcome(_claim("a", verdict, SACK="holds")) == 'depends on the reading: it holds with "SACK"'


def test_a_reading_with_fewer_runs_does_not_leave_a_sentence_open():
    claim = ClaimRecord(experiment="E1", text="a", verdict="holds", readings={"SACK": "undecided"}, fewer=["SACK"])
    assert _outcome(claim) == "holds"


def _numbered(verdict: str, ours: Interval, other: Interval) -> ClaimRecord:
    readings, numbers = {"x": "holds"}, {"x": other}
    return ClaimRecord(
        experiment="E1", text="a", verdict=verdict, readings=readings, ours=ours, numbers=numbers, unit="s"
    )


def test_an_open_sentence_depends_on_a_reading_only_if_a_number_lies_apart():
    open_one = Interval(0.65, 1.96, 40)
    assert _outcome(_numbered("undecided", open_one, Interval(2.9, 1.8, 40))) == (
        'undecided: our number lies between -1.3 and 2.6 s; it holds with "x", whose numbers do not lie apart'
    )
    assert _outcome(_numbered("undecided", open_one, Interval(5.0, 1.8, 40))) == (
        'depends on the reading: it holds with "x"'
    )
    # A claim that fails is decided: what holds under a reading depends on it.
    assert _outcome(_numbered("fails", Interval(-0.5, 0.4, 40), Interval(0.2, 0.3, 40))) == (
        'depends on the reading: it holds with "x"'
    )


@pytest.mark.parametrize(("off", "said", "share"), [(0.0, "depends", 0.05), (2.0, "depends", 0.8)])
def test_a_reading_that_changes_nothing_is_hardly_ever_named_and_one_that_does_mostly_is(off, said, share):
    """Simulated: a claim that a number is above 0, whose interval under the first reading just reaches 0."""
    random = np.random.default_rng(3)
    found = []
    while len(found) < 200:
        base, other = (mean_interval(random.normal(mean, 1.0, 40).tolist()) for mean in (0.25, 0.25 + off))
        if base.low <= 0.0 < other.low:
            found.append(_outcome(_numbered("undecided", base, other)).startswith(said))
    rate = sum(found) / len(found)
    assert rate <= share if off == 0.0 else rate >= share


def test_the_best_single_reading_counts_sentences_that_hold_together():
    claims = [
        _claim("a", "fails", x="holds", y="fails"),
        _claim("b", "fails", y="holds"),
        _claim("c", "holds", y="fails"),
    ]
    sentences = [Sentence(text=one.text, source="p", claims={"E1": [one.text]}) for one in claims]
    assert best_reading(judge(sentences, claims)) == ("x", 2)


def test_what_is_lost_is_not_testable_and_what_is_ours_judges_nothing():
    (lost,) = judge([Sentence(text="s", source="p. 1", missing="figure 24")], [])[:1]
    assert lost.words == "not testable: figure 24"
    assert _outcome(_claim("a", "fails"), beyond=True) == "beyond the source"


def test_each_claim_belongs_to_one_sentence():
    claims = [_claim("a", "holds"), _claim("b", "holds")]
    only_a = Sentence(text="first", source="p. 1", claims={"E1": ["a"]})
    with pytest.raises(ValueError, match="1 claims belong to no sentence, the first is 'b'"):
        judge([only_a], claims)
    with pytest.raises(ValueError, match="belongs to two sentences: 'first' and 'second'"):
        judge([only_a, Sentence(text="second", source="p. 2", claims=EVERY)], claims)
    # A headline may rest on claims that are counted elsewhere.
    headline = Sentence(text="abstract", source="p. 0", claims=EVERY, headline=True)
    rest = Sentence(text="rest", source="p. 2", claims={"E1": ["b"]})
    assert [one.outcome for one in judge([headline, only_a, rest], claims)] == ["holds"] * 3


def test_a_pattern_that_fits_no_claim_is_refused():
    with pytest.raises(ValueError, match="no claim of E1 is called 'RED loses mor'") as refused:
        judge([Sentence(text="s", source="p", claims={"E1": ["RED loses mor"]})], [_claim("RED loses more", "holds")])
    assert "did you mean 'RED loses more'?" in str(refused.value)


def test_a_text_that_is_there_is_meant_by_itself_even_with_a_star():
    claims = [_claim("AVQ* loses least", "holds"), _claim("AVQ without gain loses least", "fails")]
    sentences = [
        Sentence(text="the best AVQ", source="p. 1", claims={"E1": ["AVQ* loses least"]}),
        Sentence(text="the others", source="p. 1", claims={"E1": ["AVQ without*"]}),
    ]
    assert [one.outcome for one in judge(sentences, claims)] == ["holds", "fails"]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ('[[sentence]]\ntext = "a"\nsource = "b"\nclaim.E1 = ["*"]', ":4:1: sentence[0]: there is no key 'claim'"),
        ('[[sentence]]\ntext = "a"\nclaims.E1 = ["*"]', ":1:1: sentence[0]: the key 'source' is missing"),
        ('[[sentence]]\ntext = "a"\nsource = ""\nclaims.E1 = ["*"]', ":3:1: sentence[0].source: this is empty"),
        ('[[sentence]]\ntext = "a"\nsource = "b"', "either claims or missing"),
        ('[[sentence]]\ntext = "a"\nsource = "b"\nclaims.E1 = "*"', "claims.E1: this is a text, not a list of texts"),
        (
            '[[sentence]]\ntext = "a"\nsource = "b"\nclaims.E1 = ["*"]\nheadline = "yes"',
            "headline: this is a text, not a truth value",
        ),
        ("sentence = 3", "sentence: write tables"),
        ("[[sentences]]", "there is no key 'sentences'"),
    ],
)
def test_sentences_are_read_strictly(tmp_path: Path, written: str, said: str):
    (tmp_path / "sentences.toml").write_text(f"{written}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"sentences\.toml") as refused:
        read(tmp_path)
    assert said in str(refused.value)


WORKS = [key for key, folder in find().items() if (folder / "sentences.toml").is_file()]


@pytest.mark.parametrize("key", WORKS)
def test_each_claim_of_a_work_belongs_to_one_sentence(key: str):
    """As the record of its last full run has them."""
    folder = find()[key]
    full = scores.last(folder)
    assert full is not None
    sentence_verdicts.check(key)
    sentences = read(folder)
    assert len(judge(sentences, full.claim_records(), recorded=True)) == len(sentences)


def test_a_sentence_that_is_newer_than_the_record_is_not_run_yet():
    claims = [_claim("old", "holds"), _claim("gone", "fails")]
    sentences = [
        Sentence(text="known", source="p. 1", claims={"E1": ["old"]}),
        Sentence(text="grown", source="p. 1", claims={"E1": ["old", "new"]}, headline=True),
    ]

    known, grown = judge(sentences, claims, recorded=True)

    assert (known.words, grown.words) == ("holds", "not run yet")
    with pytest.raises(ValueError, match="no claim of E1 is called 'new'"):
        judge(sentences, claims)
