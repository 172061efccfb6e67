"""Files that derive from the registry are current, and the constructors fit what they construct."""

import dataclasses
import json
from pathlib import Path

import pytest

from sojourn import _core, _generate, apps, losses, network, queues, transports
from sojourn._generate import class_name

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
    with pytest.raises(TypeError, match="min_thh"):
        queues.Red(min_thh="5p")


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
