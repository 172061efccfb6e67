"""Each preset `ns2` of a queue has ns-2's own defaults: ns-2 is asked for all that it has, and nothing is left out."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from sojourn import Scenario, _core
from sojourn._rooms.scenario.scenario import queue_parameters

pytestmark = pytest.mark.skipif(shutil.which("ns") is None, reason="needs ns-2")

ASK = """
foreach class {
    Queue Queue/DropTail Queue/RED Queue/RED/RIO Queue/RED/PD Queue/dsRED Queue/XCP Queue/PI Queue/REM Queue/Vq
    Queue/DRR Queue/SFQ Application/Traffic/Exponential Application/Traffic/Pareto Application/Telnet
} {
    foreach name [$class info vars] { if {![catch {$class set $name} value]} { puts "$class $name $value" } }
}
"""

Ours = dict[str, Any]
Check = Callable[[Ours, str], bool]


def packets(name: str) -> Check:
    return lambda ours, value: ours[name] == f"{float(value):g}p"


def in_bytes(name: str) -> Check:
    return lambda ours, value: ours[name] == f"{value}B"


def number(name: str) -> Check:
    return lambda ours, value: float(ours[name]) == float(value)


def truth(name: str, yes: Any, no: Any) -> Check:
    return lambda ours, value: ours[name] == (yes if value in ("true", "1") else no)


def zero_is_auto(name: str) -> Check:
    return lambda ours, value: float(value) == 0 and ours[name] == "auto"


def inverse(name: str) -> Check:
    return lambda ours, value: float(ours[name]) == 1 / float(value)


def seconds(name: str) -> Check:
    return lambda ours, value: in_seconds(ours[name]) == pytest.approx(float(value), rel=1e-9)


def in_seconds(text: str) -> float:
    units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    unit = next(unit for unit in units if text.endswith(unit))
    return float(text.removesuffix(unit)) * units[unit]


def off(reason: str) -> Check:
    """Parameters that ours does not have, and ns-2 has switched off."""
    assert reason
    return lambda _, value: value in ("false", "0", "0.0", "-1")


def state(_: Ours, __: str) -> bool:
    """Values that ns-2 shows of a running queue."""
    return True


RED = {
    "limit_": packets("limit"),
    "bytes_": truth("mode", "bytes", "packets"),
    "queue_in_bytes_": truth("mode", "bytes", "packets"),
    "mean_pktsize_": in_bytes("mean_packet"),
    "thresh_": zero_is_auto("min_th"),
    "maxthresh_": zero_is_auto("max_th"),
    "targetdelay_": seconds("target_delay"),
    "q_weight_": lambda ours, value: value == "-1" and ours["w_q"] == "auto" and ours["w_q_auto"] == "one_second",
    "linterm_": inverse("max_p"),
    "gentle_": truth("above", "gentle", "strict"),
    "wait_": truth("count", "wait", "on"),
    "setbit_": truth("ecn", True, False),
    "mark_p_": number("mark_max_p"),
    "use_mark_p_": truth("mark_max_p", 0.1, 2.0),
    "drop_tail_": lambda _, value: value == "true",
    "drop_front_": off("what comes is dropped"),
    "drop_rand_": off("what comes is dropped"),
    "ns1_compat_": off("an old law of ns-1"),
    "cautious_": off("three experiments of ns-2's author"),
    "doubleq_": off("smaller packets are not told apart"),
    # Details of parameters that are switched off above.
    "dqthresh_": state,
    "idle_pktsize_": state,
    "summarystats_": state,
    "thresh_queue_": state,
    "maxthresh_queue_": state,
    "ave_": state,
    "prob1_": state,
    "curq_": state,
    "cur_max_p_": state,
}
NOT_ADAPTIVE = {
    **dict.fromkeys(("alpha_", "beta_", "interval_", "top_", "bottom_"), state),
    **dict.fromkeys(("adaptive_", "feng_adaptive_"), off("kinds of their own")),
}
ADAPTIVE = {
    "alpha_": number("alpha"),
    "beta_": number("beta"),
    "interval_": seconds("interval"),
    "top_": number("top"),
    "bottom_": zero_is_auto("bottom"),
    "adaptive_": state,
    "feng_adaptive_": state,
}
MOVED = {name: check for name, check in ADAPTIVE.items() if name not in ("alpha_", "beta_")} | {
    "alpha_": state,
    "beta_": state,
}
"""Other laws in the place of ns-2's steps, which have alpha and beta of their own."""

RIO: dict[str, Check] = {
    **{name: check for name, check in RED.items() if name not in ("idle_pktsize_", "summarystats_", "cautious_")},
    "bytes_": off("RIO counts packets"),
    "queue_in_bytes_": off("RIO counts packets"),
    # Out packets: the class has it twice, and rio.cc takes their probability from linterm_.
    **dict.fromkeys(("thresh_", "out_thresh_"), packets("min_th")),
    **dict.fromkeys(("maxthresh_", "out_maxthresh_"), packets("max_th")),
    **dict.fromkeys(("gentle_", "out_gentle_"), truth("above", "gentle", "strict")),
    "out_linterm_": state,
    "in_thresh_": packets("in_min_th"),
    "in_maxthresh_": packets("in_max_th"),
    "in_linterm_": inverse("in_max_p"),
    "in_gentle_": truth("in_above", "gentle", "strict"),
    "q_weight_": number("w_q"),
    "priority_method_": off("In and Out are told by the profile"),
    **dict.fromkeys(("in_ave_", "out_ave_", "in_prob1_", "out_prob1_"), state),
}

CLASSES: dict[str, tuple[str, dict[str, Check]]] = {
    "fifo": (
        "Queue/DropTail",
        {
            "limit_": packets("limit"),
            "queue_in_bytes_": off("limits in packets"),
            "drop_front_": off("what comes is dropped"),
            "mean_pktsize_": state,
            "summarystats_": state,
        },
    ),
    "red": ("Queue/RED", RED | NOT_ADAPTIVE),
    "ared": ("Queue/RED", RED | ADAPTIVE),
    "ared_feng": ("Queue/RED", RED | NOT_ADAPTIVE | {"feng_adaptive_": state}),
    "re_ared": ("Queue/RED", RED | MOVED),
    "fared": ("Queue/RED", RED | MOVED),
    "cared": ("Queue/RED", RED | MOVED),
    "ared_mimd": ("Queue/RED", RED | MOVED),
    "nlred": ("Queue/RED", RED | NOT_ADAPTIVE),
    # Its validation script counts packets.
    "red_filter": ("Queue/RED", RED | NOT_ADAPTIVE | {"bytes_": state, "queue_in_bytes_": state}),
    "rio": ("Queue/RED/RIO", RIO),
    # Its filter; what its RED has is of its authors' scripts, tcl/ex/red-pd/topology.tcl.
    "red_pd": (
        "Queue/RED/PD",
        {
            "limit_": packets("limit"),
            "noidle_": truth("unresponsive_spared", "idle", "never"),
            "unresponsive_penalty_": lambda _, value: value == "1",
            "auto_": off("probabilities are those of the law"),
            "global_target_": off("each flow has a probability of its own"),
            "targetBW_": off("as global_target_"),
            "P_testFRp_": off("an experiment of its authors"),
            "noMonitored_": state,
        },
    ),
    # Thresholds are of its example, tcl/ex/diffserv/ds-cbr-tb.tcl.
    "diffserv": (
        "Queue/dsRED",
        {"limit_": packets("limit"), "ecn_": truth("ecn", True, False), "numQueues_": state},
    ),
    "xcp": ("Queue/XCP", {"limit_": packets("limit"), "tcp_xcp_on_": off("one queue for all")}),
    "pi": (
        "Queue/PI",
        {
            "limit_": packets("limit"),
            "qref_": packets("q_ref"),
            "a_": number("a"),
            "b_": number("b"),
            "w_": number("w"),
            "setbit_": truth("ecn", True, False),
            "bytes_": off("PI counts packets"),
            "queue_in_bytes_": off("PI counts packets"),
            # Where it counts bytes.
            "mean_pktsize_": state,
            "curq_": state,
            "prob_": state,
        },
    ),
    "rem": (
        "Queue/REM",
        {
            "limit_": packets("limit"),
            "gamma_": number("gamma"),
            "phi_": number("phi"),
            "inw_": number("rate_weight"),
            "pbo_": packets("q_ref"),
            "pupdtime_": seconds("interval"),
            "markpkts_": truth("ecn", True, False),
            "qib_": off("REM counts packets"),
            # Of a link by default.
            "mean_pktsize_": lambda _, value: value == "1000",
            "curq_": state,
            "pmark_": state,
            "prob_": state,
        },
    ),
    "avq": (
        "Queue/Vq",
        {
            "ecnlim_": number("start"),
            "gamma_": number("gamma"),
            "markpkts_": truth("ecn", True, False),
            "queue_in_bytes_": truth("mode", "bytes", "packets"),
            "markfront_": off("what comes is dropped"),
            "drop_front_": off("what comes is dropped"),
            "mean_pktsize_": lambda _, value: value == "1000",
            # The virtual queue is as long as the buffer.
            "buflim_": lambda ours, value: value == "1.0" and ours["virtual_limit"] == "auto",
            # In mean packets, counted in bytes.
            "limit_": lambda ours, value: ours["limit"] == f"{1000 * int(value)}B",
            "curq_": state,
        },
    ),
    "drr": (
        "Queue/DRR",
        {
            "blimit_": in_bytes("limit"),
            "buckets_": number("queues"),
            "quantum_": in_bytes("quantum"),
            "mask_": off("flows are told apart by their numbers"),
            "limit_": state,
        },
    ),
    "sfq": (
        "Queue/SFQ",
        {"maxqueue_": packets("limit"), "buckets_": number("queues"), "limit_": state},
    ),
}

SOURCES: dict[str, tuple[str, str, dict[str, Check]]] = {
    "exponential on-off": (
        "Application/Traffic/Exponential",
        'kind = "on_off", preset = "ns2"',
        {
            "burst_time_": lambda ours, value: in_seconds(ours["on"]) == in_tcl_seconds(value),
            "idle_time_": lambda ours, value: in_seconds(ours["off"]) == in_tcl_seconds(value),
            "rate_": lambda ours, value: ours["rate"] == "64kbit" and value in ("64Kb", "64000.0", "64000"),
            "packetSize_": in_bytes("packet"),
        },
    ),
    "telnet": (
        "Application/Telnet",
        'kind = "telnet", preset = "ns2"',
        {"interval_": seconds("interval")},
    ),
}
SOURCES["pareto on-off"] = (
    "Application/Traffic/Pareto",
    'kind = "on_off", preset = "ns2", law = "pareto"',
    {**SOURCES["exponential on-off"][2], "shape_": number("shape")},
)


def in_tcl_seconds(text: str) -> float:
    return in_seconds(text) if text.endswith("s") else float(text)


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    script = tmp_path_factory.mktemp("ns") / "ask.tcl"
    script.write_text(ASK)
    said = subprocess.run(["ns", script], capture_output=True, text=True, check=True, timeout=60).stdout
    classes: dict[str, dict[str, str]] = {}
    for line in said.splitlines():
        name, variable, value = line.split(maxsplit=2)
        classes.setdefault(name, {})[variable] = value
    return {name: {"limit_": classes["Queue"]["limit_"]} | found for name, found in classes.items()}


def ours(kind: str) -> Ours:
    network = 'duration = "1s"\n[dumbbell]\nrate = "1Mbit"\ndelay = "1ms"\n'
    scenario = Scenario.from_toml(f'{network}queue = {{ kind = "{kind}", preset = "ns2" }}\n[[flow]]\n')
    return scenario.resolved()["dumbbell"]["queue"]


def test_every_preset_of_this_name_is_compared():
    named = {
        queue["name"]
        for queue in json.loads(_core.registry())["queues"]
        if any(preset["name"] == "ns2" for preset in queue["presets"])
    }
    assert named == set(CLASSES)
    assert named <= set(queue_parameters())


@pytest.mark.parametrize("kind", CLASSES)
def test_each_parameter_is_that_of_ns2(kind, theirs):
    name, checks = CLASSES[kind]
    present = theirs[name]
    assert set(present) <= set(checks), set(present) - set(checks)
    set_so = ours(kind)
    wrong = {variable: value for variable, value in present.items() if not checks[variable](set_so, value)}
    assert not wrong, (wrong, set_so)


def test_every_source_of_this_name_is_compared():
    named = {
        source["name"]
        for source in json.loads(_core.registry())["apps"]
        if any(preset["name"] == "ns2" for preset in source["presets"])
    }
    assert named == {text.split('"')[1] for _, text, _ in SOURCES.values()}


@pytest.mark.parametrize("name", SOURCES)
def test_each_parameter_of_a_source_is_that_of_ns2(name, theirs):
    theirs_is_called, text, checks = SOURCES[name]
    present = {key: value for key, value in theirs[theirs_is_called].items() if key != "limit_"}
    assert set(checks) <= set(present)
    network = 'duration = "1s"\n[dumbbell]\nrate = "1Mbit"\ndelay = "1ms"\nqueue = "fifo"\n'
    scenario = Scenario.from_toml(f'{network}[[flow]]\ntransport = "udp"\napp = {{ {text} }}\n')
    set_so = scenario.resolved()["flow"][0]["app"]
    wrong = {key: (present[key], set_so) for key, check in checks.items() if not check(set_so, present[key])}
    assert not wrong
