"""Open points of a work, as factors of a search: each with the choices that a program can lay over a scenario."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..._base import toml
from ..._base.registry import read_registry
from ...scenario.scenario import Scenario
from ...sweeps.axes import keys_of
from ..about import About
from ..choices import ORIGINS, Choice

__all__ = ["ORIGINS", "Choice", "Factor", "Setting", "factors", "laid_over"]

Setting = tuple[int, ...]
"""One choice of each factor, by its place."""

_QUEUES = ("queue", "reverse_queue")


@dataclass(frozen=True, kw_only=True)
class Factor:
    """Something that a work leaves open, with its choices."""

    name: str
    what: str
    choices: Sequence[Choice]

    @property
    def taken(self) -> int:
        """Place of the choice with which the experiments are run."""
        return next(place for place, choice in enumerate(self.choices) if choice.taken)


def factors(about: About) -> list[Factor]:
    """The factors of a work, from the items of its ``[[unstated]]`` that have choices."""
    return [Factor(name=item.name, what=item.what, choices=item.choice) for item in about.unstated if item.choice]


def laid_over(scenario: Scenario, file: str, chosen: Sequence[Choice]) -> Scenario:
    """A scenario of a file of the work under these choices."""
    overrides = [
        f"{key}={toml.inline(value)}"
        for choice in chosen
        if choice.touches(file)
        for key, value in _settings(scenario, choice)
    ]
    if not overrides:
        return scenario
    text, place, present = scenario.written
    return Scenario.from_toml(text, file=place, overrides=[*present, *overrides])


def _settings(scenario: Scenario, choice: Choice) -> Iterator[tuple[str, Any]]:
    resolved = scenario.resolved()
    for key, value in choice.settings.items():
        for one in keys_of(key, len(resolved["flow"])):
            yield one, value
    for kinds, parameters in choice.queues.items():
        wanted = re.split(r"\s*,\s*", kinds)
        for place, queue in _queues(scenario, resolved):
            if queue.get("kind") in wanted:
                together = {**queue, **parameters}
                for key, value in parameters.items():
                    if _has_effect(key, together):
                        yield f"{place}.{key}", value
    for kind, parameters in choice.senders.items():
        for number, flow in enumerate(resolved["flow"]):
            if flow["transport"].get("control", {}).get("kind") == kind:
                for key, value in parameters.items():
                    yield f"flow[{number}].transport.{key}", value


def _has_effect(key: str, queue: Mapping[str, Any]) -> bool:
    """Whether a parameter of a queue has an effect beside its others; a scenario refuses one that has none."""
    entry = next((entry for entry in read_registry()["queues"] if entry["name"] == queue["kind"]), None)
    params = {} if entry is None else {param["name"]: param for param in entry["params"]}
    for when in params.get(key, {}).get("when", ()):
        other = queue.get(when["parameter"], params[when["parameter"]]["default"])
        text = str(other).lower() if isinstance(other, bool) else str(other)
        if ("values" in when and text not in when["values"]) or text in when.get("without", ()):
            return False
    return True


def _queues(scenario: Scenario, resolved: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each queue that the scenario itself writes, with its key."""
    if "dumbbell" in resolved:
        written = tomllib.loads(scenario.written[0]).get("dumbbell", {})
        for name in _QUEUES:
            if name == "queue" or name in written:
                yield f"dumbbell.{name}", resolved["dumbbell"][name]
        return
    # Links are named in the resolved form and numbered in the file.
    present = {link["name"]: link["queue"] for link in resolved["link"]}
    for place, link in enumerate(tomllib.loads(scenario.written[0]).get("link", [])):
        name = link.get("name", f"{link['from']}-{link['to']}")
        if "queue" in link and name in present:
            yield f"link[{place}].queue", present[name]
