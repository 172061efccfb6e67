"""The settings of each queue that a frontier tries: lines along a parameter."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .._base import toml
from .._base.nearest import nearest_hint
from ..catalogue.tunable import FACTORS, TRIED, TUNABLE, Tunable
from ..own._classes import registered
from ..scenario.scenario import QueueLike, Scenario, ScenarioError, parse_queue, queue_label, queue_parameters

__all__ = ["Line", "check_over", "lines_of", "tuned_by"]

_NUMBER = re.compile(r"(-?[\d.]+(?:e[-+]?\d+)?)\s*([A-Za-z%]*)")
_KINDS = ("time", "size", "fraction", "number", "integer", "rate", "bytes")
_MOST_OWN = 8
"""About so many settings of a user's queue, over all its parameters."""


@dataclass(frozen=True)
class Line:
    """Settings of a queue along one parameter.

    Attributes
    ----------
    queue
        The label of the queue.
    parameter
        The parameter; empty for a queue that has none to tune.
    values
        Its values, in their order.
    settings
        The queue with each value, as a text for ``--queue``.
    source
        Where the parameter is called tunable; ``"you"`` where the user chose it.
    """

    queue: str
    parameter: str
    values: Sequence[str]
    settings: Sequence[str]
    source: str


def tuned_by(kind: str) -> Sequence[Tunable]:
    """The parameters of which the first one that has an effect is tuned; for a user's queue, all its numbers."""
    if kind in registered():
        declared = registered()[kind].parameters()
        return [Tunable(name, "its class") for name, one in declared.items() if one.kind in _KINDS and name != "limit"]
    has = queue_parameters().get(kind, {})
    return [one for one in (*TUNABLE.get(kind, ()), *TRIED) if one.parameter in has]


def lines_of(scenario: Scenario, label: str, queue: QueueLike, over: Mapping[str, Sequence[Any]]) -> list[Line]:
    """The lines of a queue in a scenario.

    Parameters
    ----------
    over
        Values by ``PARAMETER``, for every queue that has it, or by ``QUEUE.PARAMETER``.

    Raises
    ------
    ValueError
        If a value is refused.
    """
    table = parse_queue(queue) if isinstance(queue, str) else parse_queue(queue_label(queue))
    kind = str(table["kind"])
    chosen = _chosen(label, kind, over)
    if chosen:
        return [_line(scenario, label, table, parameter, values, "you") for parameter, values in chosen.items()]
    open_to = [one for one in tuned_by(kind) if one.parameter not in table]
    found = []
    share = max(_MOST_OWN // max(len(open_to), 1), 2) if kind in registered() else len(FACTORS)
    for one in open_to:
        values = _accepted(scenario, table, one.parameter, one.values or _around(scenario, table, one.parameter, share))
        if len(values) > 1:
            found.append(_line(scenario, label, table, one.parameter, values, one.source))
        if found and kind not in registered():
            break
    return found or [Line(label, "", [""], [label], "")]


def _chosen(label: str, kind: str, over: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """The values that the user gave for this queue; those with its name come before those for all."""
    has = _parameters(kind)
    own = {name.rpartition(".")[2]: values for name, values in over.items() if name.rpartition(".")[0] in (label, kind)}
    return own or {name: values for name, values in over.items() if "." not in name and name in has}


def _parameters(kind: str) -> Collection[str]:
    return registered()[kind].parameters() if kind in registered() else queue_parameters().get(kind, {})


def check_over(queues: Mapping[str, QueueLike], over: Mapping[str, Sequence[Any]]) -> None:
    """Refuse a parameter that no queue has.

    Raises
    ------
    ValueError
        With the parameters that there are.
    """
    kinds = {label: str(parse_queue(queue_label(queue))["kind"]) for label, queue in queues.items()}
    for name in over:
        queue, _, parameter = name.rpartition(".")
        asked = [kind for label, kind in kinds.items() if queue in ("", label, kind)]
        if not asked:
            raise ValueError(f"--over {name}: {queue} is not compared\n  allowed: {', '.join(queues)}")
        names = dict.fromkeys(one for kind in asked for one in _parameters(kind))
        if parameter not in names:
            raise ValueError(
                f"--over {name}: no queue that is compared has this parameter\n"
                f"  allowed: {', '.join(names)}{nearest_hint(parameter, names)}"
            )


def _line(
    scenario: Scenario, label: str, table: Mapping[str, Any], parameter: str, values: Iterable[Any], source: str
) -> Line:
    texts = _in_order([value if isinstance(value, str) else toml.inline(value) for value in values])
    settings = [_setting({**table, parameter: _plain(text)}) for text in texts]
    for setting in settings:
        scenario.with_queue(setting)
    return Line(label, parameter, texts, settings, source)


def _setting(table: Mapping[str, Any]) -> str:
    preset = {"preset": table["preset"]} if "preset" in table else {}
    return queue_label({"kind": table["kind"], **preset, **{key: table[key] for key in table if key != "kind"}})


def _plain(text: str) -> Any:
    """A number where it is one, else the text."""
    found = _NUMBER.fullmatch(text)
    if found is None or found[2]:
        return text
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text)


def _in_order(values: Sequence[str]) -> list[str]:
    """Numbers with one unit by their size; other values as they are given."""
    found = [_NUMBER.fullmatch(value) for value in values]
    known = [one for one in found if one]
    if len(known) < len(values) or len({one[2] for one in known}) > 1:
        return list(dict.fromkeys(values))
    return sorted(dict.fromkeys(values), key=lambda value: float(_NUMBER.fullmatch(value)[1]))  # type: ignore[index]


def _around(scenario: Scenario, table: Mapping[str, Any], parameter: str, count: int) -> list[str]:
    """Values around the one that the queue has in the scenario."""
    present = scenario.with_queue(_setting(table))._replaceable()[0][1].get(parameter)
    found = _NUMBER.fullmatch(str(present))
    if isinstance(present, bool) or found is None or float(found[1]) == 0.0:
        return []
    whole = isinstance(present, int)
    factors = FACTORS if count >= len(FACTORS) else FACTORS[1:5] if count >= 4 else (0.4, 1.0, 2.0)
    numbers = [float(found[1]) * factor for factor in factors]
    return list(dict.fromkeys(f"{round(one) if whole else float(f'{one:.4g}'):g}{found[2]}" for one in numbers))


def _accepted(scenario: Scenario, table: Mapping[str, Any], parameter: str, values: Iterable[str]) -> list[str]:
    """The values that the queue takes in the scenario."""
    found = []
    for value in values:
        try:
            scenario.with_queue(_setting({**table, parameter: _plain(value)}))
        except ScenarioError:
            continue
        found.append(value)
    return found
