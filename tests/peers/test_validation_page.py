"""The numbers of docs/validation.md are those of the files in evidence/, and no longer ones are on it."""

import pytest
import tables
import validation_page

PAGES = (validation_page.PAGE, validation_page.PAGE.with_name("linux.md"))


def test_the_page_has_the_kept_numbers():
    assert validation_page.PAGE.read_text(encoding="utf-8") == validation_page.page()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_is_for_reading(page):
    # Longer tables are on the pages of queues and senders.
    assert len(page.read_text(encoding="utf-8").splitlines()) <= 250


def test_a_page_without_a_place_is_refused():
    with pytest.raises(ValueError, match="no place for ns2"):
        tables.filled("nothing", {"ns2": "a"})


def test_a_table_is_read_as_it_was_written(tmp_path):
    columns, rows = ["a", 'say "b"'], [["1 ± 2", ""], ["`x = \\n`", "µ"]]

    tables.write(tmp_path / "kept.toml", ["About."], columns, rows)

    assert tables.read(tmp_path / "kept.toml") == (columns, rows)
    assert tables.cells(tables.markdown(columns, rows).splitlines()) == [columns, *rows]
    with pytest.raises(ValueError, match="2 columns, but 1 cells"):
        tables.write(tmp_path / "kept.toml", [], columns, [["1"]])
