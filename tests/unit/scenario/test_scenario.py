"""Scenarios: read, put together, changed, kept."""

import contextlib
import json
import pickle
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sojourn
from helpers.networks import DUMBBELL
from sojourn import (
    Access,
    Change,
    Dumbbell,
    Flow,
    Jitter,
    Link,
    Node,
    Record,
    Scenario,
    ScenarioError,
    Start,
    _core,
    losses,
    queues,
)
from sojourn._rooms.scenario import parse_queue, queue_label, shipped


def test_a_scenario_from_objects_is_the_same_as_from_a_file(dumbbell):
    built = Scenario(
        title="Small dumbbell",
        duration="2s",
        warmup="0.5s",
        dumbbell=Dumbbell(rate="5Mbit", delay="10ms", queue={"kind": "fifo", "limit": "20p"}),
        flows=[Flow(name="bulk", count=3, start=Start(spread="0.2s"))],
    )

    assert built == dumbbell
    assert hash(built) == hash(dumbbell)


def test_every_table_of_a_scenario_can_be_built_from_objects():
    built = Scenario(
        duration="1s",
        nodes=[Node(name="a"), Node(name="b")],
        links=[Link(from_="a", to="b", rate="1Mbit", delay="1ms", name="ab", queue="fifo", observed=True)],
        flows=[Flow(from_="a", to="b", transport="udp", app={"kind": "cbr", "rate": "100kbit"}, stop="0.5s")],
        record=Record(queue="10ms", drops=True),
    )

    assert built.resolved()["link"][0]["name"] == "ab"
    assert built.resolved()["record"]["queue"] == {"every": "10ms", "poisson": False}


def test_access_links_take_one_delay_or_two():
    def delays(delay):
        bottleneck = Dumbbell(rate="1Mbit", delay="1ms", access=Access(delay=delay))
        return Scenario(duration="1s", dumbbell=bottleneck, flows=[Flow()]).resolved()["dumbbell"]["access"]["delay"]

    assert delays("2ms") == ["2ms", "2ms"]
    assert delays(("2ms", "10ms")) == ["2ms", "10ms"]


def test_what_is_resolved_resolves_to_itself(dumbbell, graph):
    for scenario in (dumbbell, graph):
        again = Scenario.from_resolved(scenario.resolved_json)

        assert again == scenario
        assert Scenario.from_toml(scenario.to_toml()) == scenario


def test_set_changes_one_value_and_leaves_the_original(dumbbell):
    changed = dumbbell.set("dumbbell.queue.limit", "7p").set("flow.bulk.count", 2)

    assert changed.resolved()["dumbbell"]["queue"]["limit"] == "7p"
    assert changed.resolved()["flow"][0]["count"] == 2
    assert dumbbell.resolved()["flow"][0]["count"] == 3


def queue_kinds():
    return [entry["name"] for entry in json.loads(_core.registry())["queues"]]


def test_a_scenario_does_not_change(dumbbell):
    with pytest.raises(AttributeError, match="does not change"):
        dumbbell.title = "other"


def test_another_queue_keeps_the_buffer_unless_it_says_otherwise(dumbbell):
    def limit(queue):
        return dumbbell.with_queue(queue).resolved()["dumbbell"]["queue"]["limit"]

    assert limit("red") == "20p"
    assert limit("red:limit=9p") == "9p"
    assert limit({"kind": "red", "limit": "9p"}) == "9p"


def test_another_queue_keeps_what_is_set_and_the_same_of_both(dumbbell):
    red = dumbbell.with_queue("red:preset=paper,min_th=4p")

    # A queue of the same kind keeps all of it, from the preset too.
    assert red.with_queue("red") == red
    assert red.with_queue("red:w_q=0.1").resolved()["dumbbell"]["queue"]["min_th"] == "4p"
    # A queue of its family keeps the parameters that both have.
    assert red.kept_by("ared")["min_th"] == "4p"
    # Another one keeps the buffer and marking, for `target_delay` was not set.
    assert red.kept_by("codel") == {"limit": "20p", "ecn": False}
    # A preset defines the queue.
    assert red.kept_by("red:preset=ns2") == {"limit": "20p", "ecn": False}


def test_a_limit_that_guards_memory_is_no_buffer_and_is_not_kept(dumbbell):
    def limit(scenario, queue):
        return scenario.with_queue(queue).resolved()["dumbbell"]["queue"]["limit"]

    # RFC 8290, section 5.2.3, for FQ-CoDel and a flow queue; Linux for DualPI2.
    guards = {"fq_codel": "10240p", "flow_queue": "10240p", "dualpi2": "10000p"}
    for kind, own in guards.items():
        assert limit(dumbbell, kind) == own
        assert limit(dumbbell, f"{kind}:limit=30p") == "30p"
        assert dumbbell.not_kept_by(kind) == ("20p", own)
        there = dumbbell.with_queue(kind)
        # A plain FIFO has 100 packets, as where nothing is written.
        assert limit(there, "fifo") == "100p"
        assert there.not_kept_by("fifo") == (own, "100p")
        # A queue of the same kind keeps it, and one with a limit of its own needs no note.
        assert (
            limit(dumbbell.with_queue(f"{kind}:limit=30p"), f"{kind}:ecn=false" if kind == "fq_codel" else kind)
            == "30p"
        )
        assert dumbbell.not_kept_by(f"{kind}:limit=30p") is None
    assert dumbbell.not_kept_by("red") is None
    # Between two guards of two kinds, too.
    assert limit(dumbbell.with_queue("fq_codel:limit=30p"), "dualpi2") == "10000p"
    # The RFC's DualPI2 has a buffer of 250 ms.
    assert limit(dumbbell, "dualpi2:preset=rfc9332") == "250ms"


def test_one_name_for_two_things_is_not_kept(dumbbell):
    # CoDel's target is a time; PI's is a queue.
    assert "target" not in dumbbell.with_queue("codel:target=9ms").kept_by("pi")


def test_a_queue_of_which_nothing_is_set_keeps_nothing_more(dumbbell):
    for kind in queue_kinds():
        assert set(dumbbell.with_queue(f"{kind}").kept_by(kind)) <= {"limit", "ecn"}, kind


def test_another_queue_takes_both_directions_of_a_dumbbell(dumbbell):
    for scenario in (dumbbell, Scenario.from_resolved(dumbbell.resolved_json)):
        bottleneck = scenario.with_queue("red").resolved()["dumbbell"]

        assert (bottleneck["queue"]["kind"], bottleneck["reverse_queue"]["kind"]) == ("red", "red")


def test_a_reverse_queue_of_its_own_stays(dumbbell):
    own = dumbbell.set("dumbbell.reverse_queue.kind", "fifo").set("dumbbell.reverse_queue.limit", "99p")

    bottleneck = own.with_queue("red").resolved()["dumbbell"]

    assert (bottleneck["queue"]["kind"], bottleneck["reverse_queue"]["kind"]) == ("red", "fifo")


def test_in_a_graph_another_queue_takes_the_links_that_have_one(graph):
    for scenario in (graph, Scenario.from_resolved(graph.resolved_json)):
        kinds = {link["name"]: link["queue"]["kind"] for link in scenario.with_queue("red").resolved()["link"]}

        assert kinds["b-c"] == kinds["c-b"] == "red"
        assert kinds["a-b"] == "fifo"


def test_an_unknown_queue_is_named_as_the_user_named_it(dumbbell):
    with pytest.raises(ScenarioError, match=r"queue 'fifoo': .*no queue") as caught:
        dumbbell.with_queue("fifoo")

    assert 'did you mean "fifo"?' in str(caught.value)


def test_the_parts_of_a_refusal_are_attributes_of_the_exception(dumbbell):
    with pytest.raises(ScenarioError) as caught:
        dumbbell.set("dumbbell.queue.limit", "3q")

    error = caught.value
    assert (error.key, error.found) == ("dumbbell.queue.limit", '"3q"')
    assert f"{error.key}: {error.what}" in str(error)
    assert error.hint in str(error)
    assert ScenarioError("made elsewhere").key == ""


def test_an_error_names_file_line_key_and_what_is_allowed():
    with pytest.raises(ScenarioError) as caught:
        Scenario.from_toml(DUMBBELL.replace('"5Mbit"', '"5Mbitt"'), file="mine.toml")

    message = str(caught.value)
    assert message.startswith("mine.toml:7:8: dumbbell.rate: ")
    assert '"5Mbitt"' in message
    assert "10Mbit" in message
    assert isinstance(caught.value, ValueError)


def test_a_scenario_survives_pickling(dumbbell):
    changed = dumbbell.set("dumbbell.rate", "6Mbit")

    assert pickle.loads(pickle.dumps(changed)) == changed


def test_queues_are_read_from_short_texts():
    assert parse_queue("red") == {"kind": "red"}
    assert parse_queue("red:min_th=5p, ecn=true,max_p=0.1") == {
        "kind": "red",
        "min_th": "5p",
        "ecn": True,
        "max_p": 0.1,
    }


def test_a_list_of_numbers_stands_in_brackets(dumbbell):
    text = "rio:limit=9p,profile_mbit=[2, 0.5],ecn=true"

    resolved = [
        dumbbell.with_queue(queue).resolved()
        for queue in (text, queues.Rio(limit="9p", profile_mbit=[2, 0.5], ecn=True))
    ]

    assert resolved[0] == resolved[1]
    assert resolved[0]["dumbbell"]["queue"]["profile_mbit"] == [2.0, 0.5]


def test_the_policy_of_a_queue_takes_settings_everywhere(dumbbell):
    wanted = {"kind": "red", "min_th": "7p", "ecn": True}
    text = "flow_queue:flows=8,policy={kind=red,min_th=7p,ecn=true}"
    made = queues.FlowQueue(flows=8, policy=queues.Red(min_th="7p", ecn=True))
    written = {"kind": "flow_queue", "flows": 8, "policy": wanted}

    resolved = [dumbbell.with_queue(queue).resolved_json for queue in (text, made, written, queue_label(made))]

    assert parse_queue(text) == written
    assert len(set(resolved)) == 1
    policy = json.loads(resolved[0])["dumbbell"]["queue"]["policy"]
    assert policy.items() > wanted.items()
    assert "limit" not in policy
    changed = dumbbell.with_queue("flow_queue:policy=codel").set("dumbbell.queue.policy.target", "9ms")
    assert changed.resolved()["dumbbell"]["queue"]["policy"]["target"] == "9ms"


def test_a_wrong_parameter_of_a_policy_is_named_with_the_nearest(dumbbell):
    with pytest.raises(ScenarioError, match=r"policy\.min_thh: the policy \"red\" has no such parameter") as caught:
        dumbbell.with_queue(queues.SourceQuench(policy={"kind": "red", "min_thh": "5p"}))

    assert 'did you mean "min_th"?' in str(caught.value)


@pytest.mark.parametrize(
    "text", ["flow_queue:policy={min_th}", "red:kind=fifo", "red:min_th", "red:=5p", "red:min_th=", "red:a=1,a=2"]
)
def test_a_malformed_queue_is_refused(text):
    with pytest.raises(ScenarioError, match="queue"):
        parse_queue(text)


def test_a_label_reads_back_as_the_queue():
    label = queue_label({"kind": "red", "min_th": "5p", "ecn": True})

    assert label == "red:min_th=5p,ecn=true"
    assert parse_queue(label) == {"kind": "red", "min_th": "5p", "ecn": True}


def test_a_component_of_another_type_is_refused():
    with pytest.raises(TypeError, match="cannot be in a scenario"):
        Scenario(duration="1s", dumbbell=Dumbbell(rate=object(), delay="1ms"), flows=[Flow()])


units = st.sampled_from(["bit", "kbit", "Mbit", "Gbit"])


@given(st.integers(1, 999), units)
def test_rates_are_resolved_without_loss(number, unit):
    scenario = Scenario.from_toml(DUMBBELL).set("dumbbell.rate", f"{number}{unit}")
    factor = {"bit": 1, "kbit": 10**3, "Mbit": 10**6, "Gbit": 10**9}
    resolved = scenario.resolved()["dumbbell"]["rate"]

    written, shown = resolved.rstrip("bitkMG"), resolved.lstrip("0123456789.")
    assert float(written) * factor[shown] == number * factor[unit]


@given(st.integers(1, 10**9 - 1))
def test_times_are_resolved_to_the_nanosecond(nanoseconds):
    delay = Scenario.from_toml(DUMBBELL).set("dumbbell.delay", f"{nanoseconds}ns").resolved()["dumbbell"]["delay"]

    number, unit = delay.rstrip("nums"), delay.lstrip("0123456789.")
    assert round(float(number) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]) == nanoseconds


@given(st.text(max_size=40))
def test_no_override_breaks_more_than_a_message(text):
    with contextlib.suppress(ScenarioError):
        Scenario.from_toml(DUMBBELL, overrides=[text])


@given(st.text(max_size=200))
def test_no_text_breaks_more_than_a_message(text):
    with pytest.raises(ScenarioError):
        Scenario.from_toml(text)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"]), max_size=60))
def test_any_title_comes_back(title):
    scenario = Scenario(title=title, duration="1s", dumbbell=Dumbbell(rate="1Mbit", delay="1ms"), flows=[Flow()])

    assert scenario.resolved()["title"] == title
    assert tomllib.loads(scenario.to_toml())["title"] == title


def test_the_package_lists_its_names():
    assert "Scenario" in dir(sojourn)
    assert sojourn.__version__.count(".") == 2
    with pytest.raises(AttributeError, match="no attribute 'scenari'"):
        _ = sojourn.scenari


def test_what_varies_on_a_link_is_written_and_read_back():
    scenario = Scenario(
        duration="3s",
        dumbbell=Dumbbell(
            rate="1Mbit",
            delay="1ms",
            loss=losses.GilbertElliott(bad_to_good="30%"),
            jitter=Jitter(mean="2ms", reorder=True),
            changes=[Change(at="1s", rate="2Mbit"), Change(at="2s", delay="5ms")],
        ),
        flows=[Flow()],
    )

    again = Scenario.from_resolved(scenario.resolved_json)

    assert again.resolved_json == scenario.resolved_json
    assert json.loads(scenario.resolved_json)["dumbbell"]["changes"] == [
        {"at": "1s", "rate": "2Mbit"},
        {"at": "2s", "delay": "5ms"},
    ]


@pytest.mark.parametrize("name", [name for name in shipped.names() if name != "operator"])
def test_the_first_run_which_reads_no_json_is_the_second_which_does(name):
    scenario = Scenario.load(name, overrides=["warmup=100ms"])

    def tables():
        simulation = _core.Simulation(scenario.resolved_json, 1)
        simulation.advance(0.4)
        found = simulation.tables()
        return {(table, key): repr(list(found[table][key][1])) for table in found for key in found[table]}

    assert tables() == tables()


def test_the_outline_has_all_but_the_network(dumbbell, graph):
    for scenario in (dumbbell, graph, Scenario.load("wifi_hop")):
        whole = scenario.resolved()
        small = {key: value for key, value in whole.items() if key not in ("node", "link", "flow")}
        assert {key: value for key, value in scenario.outline.items() if key != "flow"} == small
        kinds = [{key: flow[key] for key in ("direction", "app") if key in flow} for flow in whole["flow"]]
        assert scenario.outline["flow"] == [kind for place, kind in enumerate(kinds) if kind not in kinds[:place]]
