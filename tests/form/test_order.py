"""The files whose order is given are there: the name of one that has moved would mean nothing."""

from pathlib import Path

from helpers.order import LONGEST, WAITING


def test_the_files_whose_order_is_given_are_there():
    tests = Path(__file__).resolve().parents[1]

    assert [name for name in WAITING + LONGEST if not (tests / name).is_file()] == []
    assert len({*WAITING, *LONGEST}) == len(WAITING) + len(LONGEST)
