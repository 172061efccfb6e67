"""The figures of the works: each one that a sentence names is drawn, or a list says why not."""

import pytest

from sojourn._rooms.works import figures, references, sentences, work


@pytest.mark.parametrize("key", sorted(work.find()))
def test_each_figure_and_table_is_drawn_or_left_out_with_a_reason(key):
    directory, paper = work.folder(key), work.load(key)
    listed = figures.check(directory, paper)

    drawn = {one.named for one in listed.figures}
    left = {place for one in listed.left for place in references.named(one.places)}
    said = {place for one in sentences.read(directory) for place in references.named(one.source)}
    said |= {place for one in paper.experiments for place in one.places}

    assert said - drawn - left == set()
    assert drawn & left == set()
    judged = {one.text: references.named(one.source) for one in sentences.read(directory) if one.claims}
    assert [text for text, places in judged.items() if places and not places & drawn] == []
    assert [one.places for one in listed.left if not one.why] == []
    assert listed.about([listed.front]), "the figure of the first page is one of them"
