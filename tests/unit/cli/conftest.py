"""The output of ``sojourn explain``."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable

import pytest

from sojourn import _core

explaining = importlib.import_module("sojourn._rooms.cli.explain")


@pytest.fixture(scope="session")
def topics():
    """The topics take most of its time, and are the same for every word."""
    return explaining._topics(json.loads(_core.registry()))


@pytest.fixture
def answer(topics, monkeypatch, capsys) -> Callable[[str], str]:
    """The output about a word, with single spaces; of a word that it refuses, the message."""
    monkeypatch.setattr(explaining, "_topics", lambda _: topics)

    def ask(word: str) -> str:
        try:
            explaining.explain(word, as_json=False)
        except ValueError as error:
            return str(error)
        return " ".join(capsys.readouterr().out.split())

    return ask
