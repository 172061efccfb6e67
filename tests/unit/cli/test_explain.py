"""The output of `sojourn explain`: names, keys and metrics, and for each entry sentences, sources and laws."""

import json
import re
from pathlib import Path

import pytest

from helpers.shell import refused, sojourn
from sojourn import _core
from sojourn._rooms.catalogue.coming_from import rows_for
from sojourn._rooms.catalogue.names import _MEANINGS
from sojourn._rooms.cli.explain import _named, _topics, explain
from sojourn._rooms.cli.explain_tc import line_of_tc
from sojourn._rooms.cli.usage import EXAMPLES

ROOT = Path(__file__).resolve().parents[3]

REGISTRY = json.loads(_core.registry())
KINDS = ("queues", "transports", "controls", "apps", "losses")
ENTRIES = [pytest.param(entry, id=f"{kind}-{entry['name']}") for kind in KINDS for entry in REGISTRY[kind]]

# Queues whose decision is not a function of one number that could be drawn.
WITHOUT_LAW = {
    "nothing is decided by a law but by room, order or turns": """fifo capped_tail lqd flow_queue drr sfq fq
        priority rate_controlled_priority wfq cbfq cbq htb token_bucket leaky_bucket policer abe source_quench
        hop_by_hop sch_prio sch_ets sch_drr sch_qfq sch_hfsc sch_fq sch_hhf sch_skbprio sch_tbf""",
    "its law is another queue's, and is in each flow's": "cake",
    "what is decided follows from the past and not from a number of now": "afc sfb sch_sfb blue avq",
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


def test_explain_shows_parameters_with_range_default_and_source():
    shown = sojourn("explain", "red").stdout
    entry = json.loads(sojourn("explain", "red", "--json").stdout)

    assert entry["kind"] == "queue"
    for parameter in entry["params"]:
        assert f"\n  {parameter['name']} = " in shown
    assert "Takes" in shown
    assert "Default from" in shown
    assert 'preset = "ns2"' in shown


def test_explain_says_what_can_be_watched_of_a_queue():
    shown = " ".join(sojourn("explain", "red").stdout.split())
    assert 'Series of record.probes = "100ms" avg Moving average of the queue. Unit: packets or bytes' in shown
    assert "count Packets since the last drop or mark that was drawn. Unit: packets; 0 or more." in shown
    assert "CoDel" not in shown[shown.index("record.probes") : shown.index("Sources")]
    assert "zombie_count (probe of sred)" in sojourn("explain", "zombie_count").stdout


def test_explain_knows_metrics_by_table():
    shown = sojourn("explain", "queue.loss_ratio").stdout

    assert "Formula: drops_packets / arrivals_packets" in shown


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("RED", "red (queue)"),
        ("Fq-CoDel", "fq_codel (queue)"),
        ("droptail", "droptail is called fifo here."),
        ("Queue/RED", "red (queue)"),
        ("ns3::FqCoDelQueueDisc", "fq_codel (queue)"),
        ("w_q", "w_q (parameter of red"),
        ("q_weight_", "q_weight_ is called w_q here."),
        ("sack", "sack is a value of recovery here."),
        ("ftp", "bulk (application)"),
        ("haider2005", "haider2005 (work that can be reproduced)"),
        ("home_uplink", "home_uplink (scenario)"),
        ("completion", "completion (table of results)"),
    ],
)
def test_explain_knows_a_thing_by_the_names_that_people_use(name, said):
    done = sojourn("explain", name)

    assert done.returncode == 0
    assert said in done.stdout


def test_every_other_name_leads_to_something_that_is_there():
    topics = _topics(REGISTRY)
    for other in _MEANINGS:
        found, _ = _named(other, topics)
        assert found, other


def test_an_unknown_name_is_answered_with_the_nearest():
    assert "did you mean" in refused("explain", "redd")
    # The owner is known: the nearest is one of its own.
    assert "did you mean codel.target?" in refused("explain", "codel.targt")
    assert "did you mean dumbbell.rate?" in refused("explain", "dumbbell.rat")


def test_explain_knows_the_keys_of_a_scenario_file():
    assert "mean_packet (key of a scenario file: dumbbell, link)" in sojourn("explain", "mean_packet").stdout
    assert "Metrics count from here on" in sojourn("explain", "warmup").stdout
    assert "mean_pktsize_ is called mean_packet here." in sojourn("explain", "mean_pktsize_").stdout


@pytest.mark.parametrize("page", ["ns2", "ns3", "tc"])
def test_explain_knows_what_the_tables_for_other_tools_name(page):
    text = (ROOT / "site" / "pages" / "coming-from" / f"{page}.md").read_text()
    rows = [row.split(" | ")[0] for row in text.splitlines() if row.startswith("| ")]
    # Whole commands have blanks, and their words are elsewhere.
    names = [name for row in rows for name in re.findall(r"`([A-Za-z][\w:/]*)`", row)]
    topics = _topics(REGISTRY)

    assert len(names) > 8
    assert [name for name in names if not _named(name, topics)[0] and not list(rows_for(name))] == []


def test_what_sojourn_has_not_is_answered_with_what_comes_near():
    assert "no text that defines it is available" in refused("explain", "lrured")


def test_a_command_is_explained_with_its_example():
    said = sojourn("explain", "gateway").stdout
    assert said.startswith("gateway (command)\n\n  Put a queue, a rate, a delay and losses between two interfaces.\n")
    assert "sojourn gateway --help" in said
    assert EXAMPLES["gateway"] in said
    for command in EXAMPLES:
        assert f"{command} (command)" in sojourn("explain", command).stdout
    assert json.loads(sojourn("explain", "line", "--json").stdout)["kind"] == "command"
    assert "did you mean gateway" in refused("explain", "gatewya")


def test_conditions_of_a_parameter_are_told():
    said = " ".join(sojourn("explain", "sfb").stdout.split())
    assert said.count('Has an effect only with limiter = "bucket".') == 2


def test_explain_shows_the_evidence_of_a_queue_in_a_screen(capsys):
    explain("cobalt", as_json=False, evidence=True)

    shown = capsys.readouterr().out
    assert shown.startswith("cobalt (queue): COBALT")
    assert "decisions compared, 0 differ." in " ".join(shown.split())
    assert "tests/implementations/test_policies.py" in shown
    assert len(shown.splitlines()) <= 40


def test_the_evidence_of_a_name_with_two_meanings_is_that_of_both(capsys):
    explain("xcp", as_json=True, evidence=True)

    found = json.loads(capsys.readouterr().out)
    assert [one["kind"] for one in found] == ["queue", "congestion control"]
    assert found[1]["ns2"] == ["xcp", "xcp-spread", "xcp-few"]


def test_a_sender_without_a_peer_says_so(capsys):
    explain("udp", as_json=False, evidence=True)

    assert "compared with no other program" in capsys.readouterr().out


def test_a_column_has_no_evidence():
    with pytest.raises(ValueError, match="'loss_ratio' is no queue and no sender"):
        explain("loss_ratio", as_json=False, evidence=True)


def test_a_line_of_tc_is_explained_word_by_word(capsys):
    explain("tc qdisc add dev eth0 root cake bandwidth 20mbit nat docsis", as_json=False)
    text = " ".join(capsys.readouterr().out.split())
    assert text.startswith("cake bandwidth 20mbit nat docsis (line of tc): CAKE")
    assert 'queue = { kind = "cake", preset = "linux", bandwidth = "20000000bit", link_layer = "docsis" }' in text
    assert 'bandwidth 20mbit bandwidth = "20000000bit": Rate at which packets leave' in text
    assert "nat Sets nothing here" in text
    assert "cake: nat changes nothing: no address is translated" in text

    explain("tbf rate 2mbit burst 15k latency 50ms; parent 1: codel target 3ms", as_json=True)
    found = json.loads(capsys.readouterr().out)
    assert found["queue"]["queue"]["target"] == "3ms"
    words = {word["word"]: word["sets"] for word in found["words"]}
    # With a queue in it, the bucket's own limit is none.
    assert words == {
        "rate 2mbit": {"rate": "2000000bit"},
        "burst 15k": {"burst": "15360B"},
        "latency 50ms": {},
        "target 3ms": {"target": "3ms"},
    }
    with pytest.raises(ValueError, match="did you mean 'target'"):
        explain("codel tarjet 3ms", as_json=False)
    explain("codel target 3ms", as_json=False, evidence=True)
    assert capsys.readouterr().out.startswith("codel (queue)")


@pytest.mark.parametrize(
    ("line", "sets"),
    [
        ("tbf rate 2mbit burst 15k latency 50ms", {"queue": {"kind": "fifo", "limit": "27860B"}}),
        ("dualpi2 max_rtt 120ms", {"target": "20000us", "tupdate": "20000us", "alpha": 35 / 256, "beta": 640 / 256}),
        ("sfb max 40", {"target": 32, "max": 40}),
        ("cake satellite", {"path": "satellite", "rtt": "auto"}),
        ("red limit 60000 avpkt 1000", {"avpkt": "1000B"}),
    ],
)
def test_a_word_is_explained_by_all_that_it_sets(line, sets):
    assert line_of_tc(line).to_dict()["words"][-1]["sets"] == sets


def test_a_queue_says_that_its_line_of_tc_is_another_one(capsys):
    for name, other in {"pie": "sch_pie", "sfb": "sch_sfb", "dualpi2": "sch_dualpi2"}.items():
        explain(name, as_json=False)
        assert f"A line of tc that begins with {name} is another queue: {other}." in capsys.readouterr().out
