"""ns-2 as a witness for works: the file is whole, the scripts run, the tables are in place."""

import ns2
import pytest
import witness

from sojourn import papers

KEYS = [key for key, place in papers.find().items() if (place / "ns2" / "witness.toml").is_file()]


def _groups(key):
    return witness.load(papers.folder(key) / "ns2" / "witness.toml")[0]


@pytest.mark.parametrize("key", KEYS)
def test_each_case_names_what_there_is(key):
    context = papers.Context(papers.folder(key), quick=False)
    witness.check(papers.load(key), context, papers.folder(key) / "ns2", _groups(key))


@pytest.mark.parametrize(
    ("key", "group"),
    [(key, group) for key in KEYS for group in _groups(key)],
    ids=lambda one: getattr(one, "title", one),
)
@pytest.mark.skipif(not ns2.available(), reason="ns-2 is not installed (Debian and Ubuntu: apt install ns2)")
@pytest.mark.slow
def test_each_script_prints_its_metrics(key, group):
    case = group.case[0]
    script = papers.folder(key).resolve() / "ns2" / group.script
    printed = witness.theirs(script, {**group.arguments, **case.arguments}, 1)

    assert set(case.metrics or group.metrics) <= set(printed)


def test_a_printed_number_is_foretold_by_runs_like_the_works():
    row = witness.Row("a", "b", "", [10.0, 11.0, 12.0], [10.0, 11.0, 12.5], 12.5, 1)

    assert row.agree
    assert row.foretells(row.theirs)
    # The mean of many runs varies less than one run.
    assert not witness.Row("a", "b", "", [10.0, 11.0, 12.0], [], 14.0, 100).foretells(row.theirs)


def test_the_tables_are_a_page_of_the_record(tmp_path):
    (tmp_path / "ns2").mkdir()
    (tmp_path / "ns2" / "witness.toml").write_text('lacks = "Hybrid RED"\n')
    witness.write(tmp_path, "old")
    witness.write(tmp_path, "new")

    text = (tmp_path / "record/witness.md").read_text()
    assert text.startswith(
        f"# ns-2 as a witness for {tmp_path.name}\n\nns-2 lacks Hybrid RED: the numbers of this page are"
    )
    assert text.endswith("\n\nnew\n")
    assert "old" not in text
