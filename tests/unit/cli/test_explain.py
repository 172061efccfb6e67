"""The output of `sojourn explain` for each queue, sender, control, source and loss model: sentences, sources, laws."""

import json
import re

import pytest

from sojourn import _core
from sojourn.cli.explain import explain

REGISTRY = json.loads(_core.registry())
KINDS = ("queues", "transports", "controls", "apps", "losses")
ENTRIES = [pytest.param(entry, id=f"{kind}-{entry['name']}") for kind in KINDS for entry in REGISTRY[kind]]

# Queues whose decision is not a function of one number that could be drawn.
WITHOUT_LAW = {
    "nothing is decided by a law but by room, order or turns": """fifo capped_tail lqd flow_queue drr sfq fq
        priority rate_controlled_priority wfq cbfq cbq htb token_bucket leaky_bucket policer abe source_quench
        hop_by_hop""",
    "its law is another queue's, and is in each flow's": "cake",
    "what is decided follows from the past and not from a number of now": "afc sfb blue avq",
    "RED's law, which `red` draws, is beside a test of each flow or class": "tcp_model dcbt",
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_first_sentence_says_what_it_is_and_others_what_it_does(entry):
    doc = entry["doc"]

    assert doc.endswith(".")
    assert doc.count(". ") >= 1, doc
    first = doc.partition(". ")[0]
    assert 10 <= len(first) <= 190, first
    assert not {"TODO", "etc."} & set(doc.split())


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_parameters_of_classes_are_explained_below_the_list_of_classes(entry, capsys):
    nested = [param for each in entry["params"] for param in each.get("params", ())]
    if not nested:
        return
    explain(entry["name"], as_json=False)

    said = " ".join(capsys.readouterr().out.split())
    for param in nested:
        assert param["doc"].split(".")[0] in said, param["name"]
        assert f"Default from: {param['source']}" in said, param["name"]


def test_what_only_classes_have_is_explained_by_its_name(capsys):
    explain("max_idle", as_json=False)

    assert "max_idle (parameter of class of cbq, group of cbq)" in capsys.readouterr().out


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_default_has_a_source_and_every_parameter_and_preset_a_sentence(entry):
    for param in [*entry["params"], *(inner for each in entry["params"] for inner in each.get("params", ()))]:
        assert len(param["source"].split()) >= 1, param["name"]
        assert len(param["doc"].split()) >= 2, param["name"]
    for preset in [*entry.get("presets", ()), *entry.get("profiles", ())]:
        assert len(preset["doc"].split()) >= 4, preset["name"]


def test_a_number_of_many_digits_is_written_as_what_it_stands_for(capsys):
    shown_of = {"bbr": "high_gain = 2/ln 2 ≈ 2.885", "green": "c = √(3/2) ≈ 1.225", "wred": "w_q = 1/512 ≈"}
    for name, shown in shown_of.items():
        explain(name, as_json=False)
        said = capsys.readouterr().out
        assert shown in said
        assert re.findall(r"[1-9]\d{7,}", said) == []


@pytest.mark.parametrize("entry", ENTRIES)
def test_each_name_that_may_be_chosen_is_explained(entry):
    for param in [*entry["params"], *(inner for each in entry["params"] for inner in each.get("params", ()))]:
        if param["type"] != "choice":
            continue
        untold = [name for name in param["choices"] if f"`{name}`" not in param["doc"]]
        meanings = param.get("meanings", {})
        assert not untold or set(meanings) == set(param["choices"]), param["name"]
        # Each is a sentence of its own.
        assert all(re.fullmatch(r"[^. ].*\.", text) for text in meanings.values()), (param["name"], meanings)


def test_what_a_name_means_is_said_below_its_parameter(capsys):
    explain("red", as_json=False)
    said = " ".join(capsys.readouterr().out.split())
    assert '"gentle": The probability rises linearly from max_p to 1' in said

    explain("above", as_json=False)
    assert '"strict": Everything is dropped' in " ".join(capsys.readouterr().out.split())


def test_a_default_as_that_of_another_says_where_that_one_is_from(capsys):
    explain("dsred", as_json=False)

    said = " ".join(capsys.readouterr().out.split())
    assert "Default from: as red (ns-2 2.35 limit_)." in said


@pytest.mark.parametrize("entry", REGISTRY["queues"], ids=lambda entry: entry["name"])
def test_a_queue_draws_its_law_or_says_what_it_decides_by(entry):
    excused = {name for names in WITHOUT_LAW.values() for name in names.split()}

    assert entry["has_law"] != (entry["name"] in excused)
    assert entry["has_law"] != bool(entry["decides"])


def test_what_a_queue_without_a_law_decides_by_is_told(capsys):
    explain("drr", as_json=False)

    assert "How it decides\n  It decides by turns of bytes" in capsys.readouterr().out


# Senders that only follow others: the routers, the application, a window law.
SENDERS_WITHOUT_LAW = {"tcp", "udp", "fec", "xcp", "rcp", "none"}


@pytest.mark.parametrize("entry", REGISTRY["transports"] + REGISTRY["controls"], ids=lambda entry: entry["name"])
def test_a_sender_draws_its_law_or_follows_somebody_else(entry):
    assert entry["has_law"] != (entry["name"] in SENDERS_WITHOUT_LAW)
