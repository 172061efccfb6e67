"""The registry is read once, and nobody changes it."""

import json

import pytest

from helpers.shell import refused
from sojourn import _core
from sojourn._rooms._base.registry import read_registry


def test_its_lists_take_no_change():
    queues = read_registry()["queues"]

    with pytest.raises(TypeError):
        queues[0]["params"][0] = queues[1]["params"][0]
    assert json.loads(json.dumps(dict(read_registry()))) == json.loads(_core.registry())


def test_a_message_that_names_queues_leaves_their_order():
    said = refused("sweep", "home_uplink", "--over", "dumbbell.queue.target=1ms,2ms", "--seeds", "1")

    assert "have it: --set dumbbell.queue=" in said
    assert [one["name"] for one in read_registry()["queues"]] == [
        one["name"] for one in json.loads(_core.registry())["queues"]
    ]
