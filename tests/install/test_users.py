"""The steps of users.toml can be taken, and the kept times are those of five users within five minutes."""

from __future__ import annotations

import re
import shlex
import tomllib
from typing import Any

import pytest
import users
from typer.main import get_command

from sojourn._rooms.cli import app

WALKED = tomllib.loads(users.WALKED.read_text(encoding="utf-8"))
STEPS = [(user["name"], step) for user in users.USERS for step in user["step"]]


def of(kind: str) -> list[dict[str, Any]]:
    return [step for _, step in STEPS if kind in step]


@pytest.mark.parametrize("step", of("read"), ids=lambda step: step["read"])
def test_what_a_user_reads_is_there(step: dict[str, Any]):
    assert users.words_of(users.part(step)) > 10


def test_what_a_user_copies_is_there():
    for step in of("save"):
        compile(users.copied(step), step["copy"], "exec")


def test_each_command_is_one_that_the_user_has_read_or_saved():
    commands = get_command(app).commands
    for user in users.USERS:
        pages = " ".join(users.text_of(step["read"]) for step in user["step"] if "read" in step)
        saved = [step["save"] for step in user["step"] if "save" in step]
        for step in user["step"]:
            if "make" in step:
                assert f"make {step['make']}" in pages
                assert users.made(step) > 10
            if "run" in step:
                re.compile(step["answer"])
                program, first, *_ = shlex.split(step["run"])
                assert (first in saved) if program == "python" else (step["run"] in pages and first in commands)


def test_each_lesson_has_the_steps():
    for step in of("lesson"):
        whole = users.lesson_words(step["lesson"])
        assert 50 < users.lesson_words(step["lesson"], step["steps"]) < whole


def test_each_user_has_an_answer_in_five_minutes():
    assert list(WALKED) == [user["name"] for user in users.USERS]
    assert len(WALKED) == 5
    assert {name: kept for name, kept in WALKED.items() if kept["free"] > users.FIVE_MINUTES} == {}
