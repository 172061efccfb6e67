"""What the shell offers while a command is typed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import typer
from click import Command

from sojourn.cli import complete


def context(**params):
    made = typer.Context(Command("x"))
    made.params.update(params)
    return made


def test_queues_go_on_behind_commas_and_with_their_parameters():
    assert "fq_codel" in complete.queues("fq")
    assert complete.queues("fifo,codel,bl") == ["fifo,codel,black", "fifo,codel,blue"]
    assert complete.queues("fifo,red:min") == ["fifo,red:min_th="]
    assert complete.queues("red:min_th=5p,max_t") == ["red:min_th=5p,max_th="]


def test_metrics_papers_scenarios_and_experiments_have_names(tmp_path):
    assert complete.metrics("utilisation,queueing_p99") == ["utilisation,queueing_p99_ms"]
    assert complete.papers("hai") == ["haider2005"]
    assert "H1-queues" in complete.experiments(context(key="haider2005"), "H1")
    assert complete.experiments(context(key="nobody"), "") == []
    assert complete.scenarios("red_c") == ["red_classic"]
    (tmp_path / "mine.toml").touch()
    assert complete.scenarios(f"{tmp_path}/") == [f"{tmp_path}/mine.toml"]
    assert complete.tables("tra") == ["transports", "traffic"]
    assert "cubic" in complete.things("cu")


def test_keys_are_those_of_the_scenario_on_the_line():
    assert complete.keys(context(scenario="red_classic"), "dumbbell.queue.max_") == [
        "dumbbell.queue.max_th=",
        "dumbbell.queue.max_p=",
    ]
    assert complete.keys(context(scenario="nothing.toml"), "dumb") == []


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("sojourn compare two_way_dumbbell --queue fifo,fq_", "fifo,fq_codel"), ("sojourn reproduce ha", "haider2005")],
)
def test_the_shell_hears_it(typed, offered):
    words = typed.split()
    environment = {
        **os.environ,
        "_SOJOURN_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(words) - 1),
    }
    program = "import sys; sys.argv[0] = 'sojourn'; from sojourn.cli import app; app(prog_name='sojourn')"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)

    assert offered in done.stdout.split()
