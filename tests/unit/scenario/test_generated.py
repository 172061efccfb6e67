"""Files that derive from the registry, and tables with the keys of scenario files."""

import dataclasses
import importlib.util
import json
import re
import tomllib
from pathlib import Path

import pytest

from sojourn import _core
from sojourn._rooms.scenario import network

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads(_core.schema())


def tool(name):
    """A program of `tools/` as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = tool("generate")
GENERATED = GENERATOR.generated()
REFERENCE = GENERATOR.reference()
REGISTRY = json.loads(_core.registry())


@pytest.mark.parametrize("path", list(GENERATED))
def test_generated_files_are_current(path):
    assert (ROOT / path).read_text() == GENERATED[path], "run `make generate`"


@pytest.mark.parametrize(
    ("page", "group"), [("queues", "queues"), ("transports", "transports"), ("traffic", "apps"), ("losses", "losses")]
)
def test_the_reference_has_a_chapter_for_every_entry_with_every_parameter(page, group):
    _, *chapters = re.split(r"^## ", REFERENCE[f"out/reference/{page}.md"], flags=re.M)
    of = {chapter.split("`")[1]: chapter for chapter in chapters if chapter.startswith("`")}

    missing = [
        (entry["name"], parameter["name"])
        for entry in REGISTRY[group]
        for parameter in entry["params"]
        if f"| `{parameter['name']}` |" not in of[entry["name"]]
    ]
    assert missing == []


def test_the_reference_is_no_file_of_the_repository():
    assert "/out/" in (ROOT / ".gitignore").read_text().splitlines()
    assert all(path.startswith("out/") for path in REFERENCE)


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
