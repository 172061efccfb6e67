"""Lines of Rust are not too long, and the laws are most of the queues' code: the counts that ``make lint`` prints."""

from __future__ import annotations

from . import lines


def test_no_line_of_rust_is_too_long_and_the_laws_are_most_of_the_queues_code(capsys):
    fault = lines.main()

    assert not fault, capsys.readouterr().out
