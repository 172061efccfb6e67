"""Every parameter of the registry changes a result: other values of it are tried in short runs until one does.

Where one other setting takes its effect from a parameter, the registry says so (``when``) and a file that sets it is
refused. Where these runs need more to show an effect, a row of ``effect_rows`` says beside which other settings, or why
they cannot show it. Here each parameter is tried beside the defaults of its entry.
``SOJOURN_EFFECTS=all`` also tries it beside each preset and each value of every choice, which takes long.
"""

import json
import os
from fnmatch import fnmatchcase

import pytest

from .effect_rows import BESIDE, GIVEN, IDLE, IDLE_IN
from .effects import QUEUES, REGISTRY, SENDERS, TABLES, others, outcome, scenario

EVERYTHING = os.environ.get("SOJOURN_EFFECTS") == "all"
ENTRIES = [(of, entry) for of in TABLES for entry in REGISTRY[of]]
GROUPS = 12


def row(rows, of, name, parameter):
    """The row of a parameter: its own, or that of all entries."""
    for key, value in sorted(rows.get(of, {}).items(), key=lambda item: "*" in item[0]):
        holder, parameters = key.split(": ")
        if fnmatchcase(name, holder) and parameter in parameters.split():
            return value
    return None


def settings(text):
    return dict(setting.split(" = ", 1) for setting in text.split("; ")) if text else {}


def modes(entry):
    """Names and settings: the defaults, each preset, and each other value of a choice."""
    yield "default", {}
    for preset in entry.get("presets", []) if EVERYTHING else []:
        yield f"preset = {preset['name']}", {"preset": json.dumps(preset["name"])}
    for parameter in entry["params"] if EVERYTHING else []:
        if parameter["type"] in ("bool", "choice"):
            for value in others(parameter, parameter["default"]):
                yield f"{parameter['name']} = {value}", {parameter["name"]: value}


def present(entry, chosen):
    """The values of all parameters as texts beside these settings."""
    values = {parameter["name"]: parameter["default"] for parameter in entry["params"]}
    for preset in entry.get("presets", []):
        if chosen.get("preset") == json.dumps(preset["name"]):
            values |= preset["settings"]
    return values | {name: value.strip('"') for name, value in chosen.items()}


def allows(condition, text):
    """Whether a value leaves the effect of a parameter with this condition."""
    return text in condition["values"] if "values" in condition else text not in condition["without"]


def needs(of, entry, name, chosen):
    """The settings that the registry asks for beside these; none at all (`None`) if one of these forbids the effect."""
    parameters = {parameter["name"]: parameter for parameter in entry["params"]}
    found = {}
    for condition in parameters[name].get("when", []):
        other = condition["parameter"]
        if other not in parameters:
            continue
        outer = needs(of, entry, other, chosen)
        if outer is None:
            return None
        found |= outer
        if allows(condition, present(entry, chosen)[other]):
            continue
        if other in chosen:
            return None
        found[other] = GIVEN[of].get(other) or written(parameters[other], condition["values"][0])
    return found


def written(parameter, text):
    """A value as TOML."""
    is_bare = parameter["type"] in ("bool", "integer", "number", "fraction", "numbers") and text != "auto"
    return text if is_bare else json.dumps(text)


def changes_a_result(of, entry, parameter, chosen):
    """Whether another value of the parameter gives other tables in one of the networks, or is refused as idle."""
    now = present(entry, chosen)[parameter["name"]]
    for load in QUEUES if of == "queues" else SENDERS:
        before = outcome(scenario(of, entry["name"], chosen, load))
        if before[0] == "refused" and refuses_as_idle(before[1]):
            return True
        for value in others(parameter, now) if before[0] == "ran" else []:
            kind, after = outcome(scenario(of, entry["name"], {**chosen, parameter["name"]: value}, load))
            if (kind == "ran" and after != before[1]) or (kind == "refused" and refuses_as_idle(after)):
                return True
    return False


def first(of):
    return next(iter(QUEUES if of == "queues" else SENDERS))


def refuses_as_idle(message):
    return "has no effect" in message or "of Linux" in message or "is the queue" in message


def idle(of, entry):
    """Parameters of an entry that change nothing, with the mode."""
    for mode, base in modes(entry):
        if mode != "default" and outcome(scenario(of, entry["name"], base, first(of)))[0] == "refused":
            continue  # The choice needs another one.
        for parameter in entry["params"]:
            name = parameter["name"]
            asked = needs(of, entry, name, base)
            beside = (asked or {}) | settings(row(BESIDE, of, entry["name"], name))
            known = row(IDLE, of, entry["name"], name) or row(IDLE_IN, of, f"{entry['name']} {mode}", name)
            contradicts = any(base.get(key, value) != value for key, value in beside.items())
            if parameter["type"] == "tables" or name in base or known or contradicts or asked is None:
                continue
            if not changes_a_result(of, entry, parameter, base | beside):
                yield f"{entry['name']}, {mode}: {name} beside {beside}"


@pytest.mark.slow
@pytest.mark.parametrize("group", range(GROUPS))
def test_every_parameter_changes_a_result_or_is_refused(group):
    found = [line for of, entry in ENTRIES[group::GROUPS] for line in idle(of, entry)]

    assert not found, "\n".join(found)


def unmet(entry, condition):
    """A value of the other parameter with which the one of this condition has no effect."""
    other = next(parameter for parameter in entry["params"] if parameter["name"] == condition["parameter"])
    if "without" in condition:
        return written(other, condition["without"][0])
    if not allows(condition, other["default"]):
        return written(other, other["default"])
    return next(text for text in others(other, other["default"]) if not allows(condition, text.strip('"')))


def test_a_parameter_is_refused_where_the_registry_says_that_it_has_no_effect():
    taken = []
    for of, entry in ENTRIES:
        for parameter in entry["params"]:
            names = {other["name"] for other in entry["params"]}
            for condition in (one for one in parameter.get("when", []) if one["parameter"] in names):
                chosen = {condition["parameter"]: unmet(entry, condition)}
                # One of two may be the default in another unit, which is taken.
                two = [{**chosen, parameter["name"]: value} for value in others(parameter, parameter["default"])[:2]]
                said = [outcome(scenario(of, entry["name"], each, first(of))) for each in two]
                if not any(kind == "refused" and "has no effect" in message for kind, message in said):
                    taken.append((entry["name"], parameter["name"], chosen, said))

    assert taken == []


def test_every_network_is_accepted():
    texts = [scenario("queues", "fifo", {}, load) for load in QUEUES]
    texts += [scenario("transports", "tcp", {}, load) for load in SENDERS]

    assert [said for kind, said in map(outcome, texts) if kind == "refused"] == []


def test_rows_are_about_parameters_that_exist():
    known = {(of, entry["name"], parameter["name"]) for of, entry in ENTRIES for parameter in entry["params"]}
    anywhere = {(of, "*", name) for of, _, name in known}
    named = [
        (of, key.split(": ")[0].split(" ")[0], name)
        for rows in (BESIDE, IDLE, IDLE_IN)
        for of, table in rows.items()
        for key in table
        for name in key.split(": ")[1].split()
    ]

    assert [line for line in named if line not in known | anywhere] == []
