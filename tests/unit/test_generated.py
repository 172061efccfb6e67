"""Files that derive from the registry are current, and the constructors fit what they construct."""

import dataclasses
import inspect
import json
import tomllib
from pathlib import Path

import pytest

from sojourn import Scenario, ScenarioError, _core, _generate, apps, losses, queues, transports
from sojourn._generate import class_name
from sojourn.scenario import network

ROOT = Path(__file__).resolve().parents[2]
REGISTRY = json.loads(_core.registry())
SCHEMA = json.loads(_core.schema())


@pytest.mark.parametrize("path", list(_generate.generated()))
def test_generated_files_are_current(path):
    assert (ROOT / path).read_text() == _generate.generated()[path], "run `make generate`"


@pytest.mark.parametrize(
    ("module", "base", "entry"),
    [
        *((queues, "Queue", entry) for entry in REGISTRY["queues"]),
        *((transports, "Transport", entry) for entry in REGISTRY["transports"]),
        *((transports, "Control", entry) for entry in REGISTRY["controls"]),
        *((apps, "App", entry) for entry in REGISTRY["apps"]),
        *((losses, "Loss", entry) for entry in REGISTRY["losses"]),
    ],
)
def test_every_kind_has_a_constructor_with_its_parameters(module, base, entry):
    made = getattr(module, class_name(base, entry["name"]))()

    assert made.to_dict() == {"kind": entry["name"]}
    fields = {field.name.rstrip("_") for field in dataclasses.fields(made)}
    assert fields - {"preset", "profile", "control"} == {parameter["name"] for parameter in entry["params"]}


def test_a_constructor_takes_only_its_own_parameters():
    with pytest.raises(
        ScenarioError, match=r"Red: there is no 'min_thh' here\n  allowed: .*\n  hint:    did you mean 'min_th'"
    ):
        queues.Red(min_thh="5p")


def test_help_shows_the_parameters_of_a_constructor():
    shown = inspect.signature(queues.Codel)

    names = ["preset", "limit", "target", "interval", "ecn", "ce_threshold", "mtu", "arithmetic"]
    assert list(shown.parameters) == names
    assert {parameter.kind for parameter in shown.parameters.values()} == {inspect.Parameter.KEYWORD_ONLY}
    assert "duration" in inspect.signature(Scenario).parameters


def validator():
    """Checks scenarios against the schema, as an editor does."""
    jsonschema = pytest.importorskip("jsonschema")
    return jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("path", sorted((ROOT / "scenarios").glob("*.toml")), ids=lambda path: path.stem)
def test_the_schema_takes_every_scenario(path):
    assert [error.message for error in validator().iter_errors(tomllib.loads(path.read_text()))] == []


@pytest.mark.parametrize(
    ("queue", "is_valid"),
    [
        ("red", True),
        ({"kind": "red", "min_th": "5p", "max_p": 0.1, "w_q": "auto"}, True),
        ({"kind": "rde"}, False),
        ({"min_th": "5p"}, False),
        ({"kind": "red", "min_thh": "5p"}, False),  # no such parameter
        ({"kind": "red", "alpha": 0.01}, False),  # adaptive RED's
        ({"kind": "red", "min_th": "5 parsecs"}, False),  # of the group of RED's parameters
        ({"kind": "ared", "alpha": 0.01, "max_p": "10%"}, True),
        ({"kind": "ared", "max_p": 1.1}, False),
        ({"kind": "rio", "max_p": 1.1}, False),  # with a default of its own
        ({"kind": "flow_queue", "policy": "codel"}, True),
        ({"kind": "flow_queue", "policy": {"kind": "codel", "target": "1ms"}}, True),
        ({"kind": "flow_queue", "policy": {"kind": "codel", "tagret": "1ms"}}, False),
        ({"kind": "flow_queue", "policy": {"kind": "codel", "limit": "10p"}}, False),  # the whole has one
        ({"kind": "flow_queue", "policy": {"kind": "red", "limit": "10p"}}, False),
        ({"kind": "flow_queue", "policy": "drr"}, False),  # no policy
        ({"kind": "flow_queue", "policy": {"kind": "drr"}}, False),
    ],
)
def test_the_schema_knows_queues_and_their_parameters(queue, is_valid):
    dumbbell = {"rate": "10Mbit", "delay": "10ms", "queue": queue}
    scenario = {"duration": "10s", "dumbbell": dumbbell, "flow": [{"name": "tcp"}]}

    assert validator().is_valid(scenario) == is_valid


def keys_of(schema):
    """Keys of a table in the schema, wherever it is defined."""
    for option in (schema, *schema.get("anyOf", ()), *schema.get("oneOf", ())):
        if "$ref" in option:
            target = SCHEMA
            for step in option["$ref"].removeprefix("#/").split("/"):
                target = target[step]
            if target.get("type") == "string":  # a quantity in the place of the table
                continue
            return keys_of(target)
        if "properties" in option:
            return option["properties"]
        if "items" in option:
            return keys_of(option["items"])
    raise AssertionError(f"no table: {schema}")


@pytest.mark.parametrize(
    ("table", "path"),
    [
        (network.Dumbbell, ["dumbbell"]),
        (network.Access, ["dumbbell", "access"]),
        (network.Node, ["node"]),
        (network.Link, ["link"]),
        (network.Flow, ["flow"]),
        (network.Start, ["flow", "start"]),
        (network.DelayHint, ["flow", "delay_hint"]),
        (network.Jitter, ["dumbbell", "jitter"]),
        (network.Change, ["dumbbell", "changes"]),
        (network.Record, ["record"]),
    ],
)
def test_the_tables_have_the_keys_of_scenario_files(table, path):
    keys = SCHEMA
    for step in path:
        keys = keys_of(keys)[step]

    assert {field.name.rstrip("_") for field in dataclasses.fields(table)} == set(keys_of(keys))
