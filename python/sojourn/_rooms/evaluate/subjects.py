"""Subjects of evaluations: queues and laws of senders by name, with settings, as lines of tc, or own classes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from .._base import toml
from .._base.checks import shortened
from .._base.registry import read_registry
from ..own import _classes
from ..own._files import load
from ..scenario.scenario import Scenario, ScenarioError, at_place, parse_queue, queue_label
from ..scenario.tc_line import is_tc_line
from .criteria import Criterion

__all__ = ["Subject", "named", "of_registry", "scenario_of"]

Subject = Mapping[str, toml.Value]
"""A queue or a law as a table with ``kind``."""

_OWN = re.compile(r"(?P<file>.+\.py):(?P<name>\w+)(?P<settings>(?:,\w+=.*)?)")
"""``my.py:MyQueue``, with settings behind commas."""


def named(texts: Sequence[str]) -> dict[str, Subject]:
    """Subjects by label: ``codel``, ``codel:target=10ms``, ``fq_codel target 3ms``, ``my.py:MyQueue``.

    Raises
    ------
    ValueError
        If one is given twice, or a file or a class of one's own is not available.
    """
    found: dict[str, Subject] = {}
    for text in texts:
        label, subject = _named(text.strip())
        if label in found:
            raise ValueError(f"{label!r} is given twice")
        found[label] = subject
    return found


def _named(text: str) -> tuple[str, Subject]:
    if not text:
        raise ValueError("the name is missing\n  hint:    such as codel, or my.py:MyQueue")
    own = None if is_tc_line(text) else _OWN.fullmatch(text)
    if own is None:
        return queue_label(text) if is_tc_line(text) else text, parse_queue(text)
    names = load(Path(own["file"]))
    classes = {name: _classes.registered()[name].__name__ for name in names}
    wanted = [name for name, cls in classes.items() if own["name"] in (name, cls)]
    if not wanted:
        raise ValueError(
            f"{own['file']}: it defines no {own['name']}\n  allowed: {', '.join(classes.values())} or a name of theirs"
        )
    label = wanted[0] + own["settings"].replace(",", ":", 1)
    return label, parse_queue(label)


def of_registry(group: str) -> list[str]:
    """The names of all ``queues`` or ``controls``, in the order of the registry."""
    return [one["name"] for one in read_registry()[group]]


def scenario_of(criterion: Criterion, base: Scenario, subject: Subject) -> Scenario:
    """The scenario of a criterion at one of its points with a subject in its place.

    Raises
    ------
    ScenarioError
        If the subject cannot be used there.
    """
    if criterion.subject:
        for key in criterion.subject:
            try:
                base = base.set(key, dict(subject))
            except ScenarioError as error:
                place = f"sender {shortened(repr(subject['kind']))}"
                # The key of the criterion's own scenario says nothing to the user.
                raise at_place(error, place, error.key.rpartition(".control")[2].lstrip(".")) from None
        return base
    inner = dict(subject)
    if criterion.inside and inner["kind"] != criterion.inside:
        inner = _inside(criterion.inside, inner)
    placed = base.with_queue(inner)
    return _marking(placed) if criterion.marks else placed


def _inside(scheduler: str, inner: dict[str, toml.Value]) -> dict[str, Any]:
    """A queue in each flow's place of a scheduler; a queue that schedules flows itself stays as it is."""
    policies = _policies(scheduler)
    if inner["kind"] not in policies and inner["kind"] not in _classes.registered():
        return inner
    own = {key: value for key, value in inner.items() if key not in ("limit", "preset")}
    return {"kind": scheduler, "policy": own}


@cache
def _policies(scheduler: str) -> Sequence[str]:
    entry = next(one for one in read_registry()["queues"] if one["name"] == scheduler)
    return next((one["choices"] for one in entry["params"] if one["name"] == "policy"), ())


def _marking(scenario: Scenario) -> Scenario:
    """With marks where the queue has a switch for them."""
    for key, queue in scenario._replaceable():
        if queue.get("ecn") is False:
            try:
                scenario = scenario.set(f"{key}.ecn", value=True)
            except ScenarioError:
                # Some settings exclude marks: the queue keeps its given settings.
                return scenario
    return scenario
