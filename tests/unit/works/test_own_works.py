"""Messages about errors in the Python files of a user's own work."""

import pytest

from helpers.shell import sojourn

HEAD = "from sojourn.papers import Paper\nPAPER = Paper()\n"
CHECK = '@PAPER.experiment("E", "about")\ndef check(context):\n    yield from {}["nothing"]\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (HEAD + "1 / 0\n", ["ZeroDivisionError", "experiments.py, line 3"]),
        (HEAD + "def (\n", ["SyntaxError", "experiments.py, line 3"]),
        (HEAD + "import there_is_none\n", ["ModuleNotFoundError", "experiments.py, line 3"]),
        (HEAD + CHECK, ["KeyError: 'nothing'", "experiments.py, line 5, in check"]),
    ],
)
def test_an_error_in_a_work_of_ones_own_is_one_message(tmp_path, text, words):
    (tmp_path / "papers/mine/code").mkdir(parents=True)
    (tmp_path / "papers/mine/work.toml").write_text('title = "T"\ncitation = "C"\n')
    (tmp_path / "papers/mine/code/experiments.py").write_text(text, encoding="utf-8")
    done = sojourn("reproduce", "mine", cwd=tmp_path)
    assert done.returncode == 2
    assert all(word in done.stderr for word in [*words, "papers/mine"]), done.stderr
    assert "fault of Sojourn" not in done.stderr
    assert "Traceback" not in done.stderr
