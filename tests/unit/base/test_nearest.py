"""The nearest name to one that is not known."""

from sojourn._rooms._base.nearest import near_names, nearest, nearest_hint, nearest_question

NAMES = ("codel", "fq_codel", "red")


def test_the_nearest_name_is_the_one_that_is_most_like_it():
    assert nearest("codl", NAMES) == "codel"
    assert near_names("codl", NAMES, most=3) == ["codel", "fq_codel"]


def test_a_name_that_is_like_none_has_no_question():
    assert nearest("drop", NAMES) is None
    assert nearest_question("drop", NAMES) == nearest_hint("drop", NAMES) == ""


def test_the_hint_is_a_line_of_a_message_with_the_name_as_it_is_shown():
    assert nearest_hint("codl", NAMES) == "\n  hint:    did you mean codel?"
    assert nearest_question("codl", NAMES, shown=repr) == "did you mean 'codel'?"
