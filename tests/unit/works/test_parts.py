"""Common parts of study files of one work: ``shared = [...]`` and ``shared.toml``."""

import pytest

from sojourn._rooms.works.fragments import filled, read

PARTS = """
words = { link = "bottleneck" }
axes.flows = { 3 = { "flow[0].count" = 3 }, 10 = { "flow[0].count" = 10 } }
metrics.queue = { column = "backlog_mean_packets", row = "{link}" }
reading."delayed".settings = { "flow[0].transport.ack_every" = 2 }
reading."timers".settings = { "flow[{tcp}].transport.rto_min" = "200ms" }
reading."no ECN".settings = { "flow[0].transport.ecn" = false }
claim.short = { kind = "bound", text = "{link}: {m} is short", metric = "{m}" }
"""


@pytest.fixture
def study(tmp_path):
    (tmp_path / "shared.toml").write_text(PARTS)

    def written(text):
        file = tmp_path / "study.toml"
        file.write_text(text)
        return read(file)

    return written


def test_parts_stand_where_they_are_named_and_what_is_beside_them_wins(study):
    content = study(
        'axes.flows.shared = ["10", "3"]\naxes.flows.3 = {}\naxes.flows.20 = { "flow[0].count" = 20 }\n'
        'metrics.shared = ["queue"]\nmetrics.loss = { column = "loss_ratio" }\n'
    )

    assert list(content["axes"]["flows"].items()) == [
        ("10", {"flow[0].count": 10}),
        ("3", {}),
        ("20", {"flow[0].count": 20}),
    ]
    assert list(content["metrics"]) == ["queue", "loss"]


def test_an_item_of_a_list_becomes_one_for_each_part(study):
    content = study('[[reading]]\nshared = ["delayed", "no ECN"]\nonly.flows = ["3"]\n[[reading]]\nname = "own"\n')

    assert content["reading"] == [
        {"name": "delayed", "settings": {"flow[0].transport.ack_every": 2}, "only": {"flows": ["3"]}},
        {"name": "no ECN", "settings": {"flow[0].transport.ecn": False}, "only": {"flows": ["3"]}},
        {"name": "own"},
    ]


def test_words_stand_in_the_keys_of_a_part_too(study):
    content = study('words.tcp = "0,2"\n[[reading]]\nshared = ["timers"]\n')

    assert content["reading"][0]["settings"] == {"flow[0,2].transport.rto_min": "200ms"}


def test_words_of_the_file_go_before_those_of_the_parts(study):
    kept = study('metrics.shared = ["queue"]')
    changed = study('words.link = "forward"\nmetrics.shared = ["queue"]\n[[claim]]\nshared = ["short"]\n')

    assert kept["metrics"]["queue"]["row"] == "bottleneck"
    assert changed["metrics"]["queue"]["row"] == "forward"
    assert changed["claim"][0]["text"] == "forward: {m} is short", "what `for` replaces stays"
    assert "words" not in changed


def test_a_part_that_there_is_not_is_refused_with_those_that_there_are(study):
    with pytest.raises(ValueError, match=r"study\.toml:1:19: .*no part of shared\.toml 'queues'\n  allowed: queue"):
        study('metrics.shared = ["queues"]')


def test_a_number_takes_the_whole_place_of_its_name():
    claim = {"text": "about {n} packets", "published": "{n}", "only": "{list}"}

    assert filled(claim, {"n": 25.0, "list": ["3", "10"]}) == {
        "text": "about 25 packets",
        "published": 25.0,
        "only": ["3", "10"],
    }
