"""Each claim of a work has an id of its own, by which the record of the last full run names it."""

import pytest

from sojourn._rooms.works import scores
from sojourn._rooms.works.work import find, load

WORKS = list(find().items())


@pytest.fixture(scope="module", params=WORKS, ids=[key for key, _ in WORKS])
def work(request):
    key, folder = request.param
    return load(key), scores.last(folder)


def test_each_claim_of_a_study_file_has_an_id_that_begins_with_its_experiment(work):
    paper, _ = work
    for experiment in paper.experiments:
        for key, text in experiment.texts.items():
            assert key != text, text
            assert key.startswith(f"{experiment.name}-"), key


def test_no_two_claims_have_the_same_id(work):
    paper, record = work
    ids = [key for experiment in paper.experiments for key in experiment.texts]
    assert len(set(ids)) == len(ids)
    kept = [claim["key"] for claim in record.claims]
    assert len(set(kept)) == len(kept)


def test_the_record_names_no_unknown_claim_and_leaves_none_out(work):
    """Those that are functions of Python are known only after a run: they have an id, too."""
    paper, record = work
    for experiment in paper.experiments:
        kept = {claim["key"]: claim["text"] for claim in record.claims if claim["experiment"] == experiment.name}
        assert set(experiment.texts) <= set(kept)
        further = set(kept) - set(experiment.texts)
        assert len(further) == experiment.claims - len(experiment.texts) or experiment.study is None
        assert all(key != kept[key] for key in further)
    assert {claim["experiment"] for claim in record.claims} <= {one.name for one in paper.experiments}
