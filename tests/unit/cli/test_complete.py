"""Completions of the shell while a command is typed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from click import Command

from helpers.shell import sojourn
from sojourn import scenarios
from sojourn._rooms.cli import complete, shells


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
    assert complete.measures("utilisation,queueing_p99") == ["utilisation,queueing_p99_ms"]
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


def test_a_key_that_takes_a_queue_goes_on_with_queues():
    assert complete.keys(context(scenario="red_classic"), "dumbbell.queue=fq_c") == ["dumbbell.queue=fq_codel"]
    assert complete.axes(context(file=Path("red_classic")), "queue=fifo,fq_c") == ["queue=fifo,fq_codel"]
    assert complete.keys(context(scenario="red_classic"), "dumbbell.rate=1") == []


def test_a_sweep_goes_over_the_keys_of_a_scenario_or_of_the_scenario_of_a_study_file(tmp_path):
    study = tmp_path / "study.toml"
    study.write_text('scenario = "mine.toml"\n[axes]\nd = { key = "dumbbell.delay", values = ["1ms"] }\n')
    (tmp_path / "mine.toml").write_text(scenarios.path("red_classic").read_text())
    for file in (Path("red_classic"), study):
        assert complete.axes(context(file=file), "dumbbell.queue.max_p") == ["dumbbell.queue.max_p="]
    assert complete.axes(context(file=study), "qu") == ["queue="]
    assert complete.measures("utilisation,group.goodput_me") == ["utilisation,group.goodput_mean_bps"]


def test_parameters_and_columns_have_names_to_explain():
    assert {"max_p", "sojourn_p99_ms", "red_classic"} <= {
        *complete.things("max_"),
        *complete.things("sojourn_p9"),
        *complete.things("red_c"),
    }


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("sojourn compare two_way_dumbbell --queue fifo,fq_c", "fifo,fq_codel"),
        ("sojourn reproduce ha", "haider2005"),
        ("sojourn sweep red_cl", "red_classic"),
        ("sojourn sweep red_classic --over dumbbell.queue.max_p", "dumbbell.queue.max_p="),
        ("sojourn sweep red_classic --metrics util", "utilisation"),
        ("sojourn fluid red_classic --set dumbbell.queue.max_p", "dumbbell.queue.max_p="),
        ("sojourn replay a.csv --queue fifo,fq_c", "fifo,fq_codel"),
        ("sojourn export home_up", "home_uplink"),
        ("sojourn init --like home_up", "home_uplink"),
        ("sojourn design lr", "lred"),
    ],
)
def test_the_shell_hears_it(typed, offered, monkeypatch):
    words = typed.split()
    asked = {"_SOJOURN_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)}
    for name, value in asked.items():
        monkeypatch.setenv(name, value)

    assert offered in sojourn().stdout.split()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
@pytest.mark.parametrize(
    ("typed", "replies"),
    [
        ("sojourn compare red_classic --queue fifo,red:min_", ["min_th="]),
        ("sojourn compare red_classic --queue red:min_th=5p,max_t", ["5p,max_th="]),
        ("sojourn run red_classic --set dumbbell.queue=fq_", ["fq_codel", "fq_pie"]),
        ("sojourn run red_classic --set dumbbell.queue.max_p", ["dumbbell.queue.max_p="]),
        ("sojourn reproduce ", ["alemu2004", "chatranon2004", "haider2005", "phirke2002", "tahiliani2013"]),
    ],
)
def test_bash_splits_words_at_colons_and_equals_signs_and_is_answered_all_the_same(typed, replies, tmp_path):
    command = tmp_path / "sojourn"
    program = "import sys; sys.argv[0] = 'sojourn'; from sojourn._rooms.cli import app; app(prog_name='sojourn')"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{program}" "$@"\n')
    command.chmod(0o755)
    script = shells.BASH % {"complete_func": "_it", "autocomplete_var": "_SOJOURN_COMPLETE", "prog_name": "sojourn"}
    asked = f"COMP_LINE='{typed}'; COMP_POINT={len(typed)}; _it sojourn; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", f"{script}\n{asked}"], env=environment, capture_output=True, text=True, check=False
    )

    assert done.stdout.split("\n")[:-1] == replies, done.stderr


def test_bash_gets_our_script():
    from typer import _completion_shared

    made = _completion_shared.get_completion_script(prog_name="sojourn", complete_var="_SOJOURN_COMPLETE", shell="bash")
    assert "COMP_LINE" in made
