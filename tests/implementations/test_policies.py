"""Second implementations of laws, from their publications, against ours: the fates of 10,000 packets each."""

from __future__ import annotations

import pytest

from .class_laws import Buckets, DiffServ, Judge, Rio, tcp_model
from .controller_laws import Avq, Dred, ERed, Lred, Pi, Rem, Sfc
from .delay_laws import Cobalt, Linear, Pi2, Pie, PieSettings
from .drop_history import RedFilter, RedPd, Xred
from .estimators import jackknife
from .fair_share_laws import Bred, Green, Lqd, Sred
from .flow_laws import Afc, Black, Cache, CappedTail, Care, Csfq, Fred, Sfb
from .link import MEAN_PACKET, Fate, Law, arrivals, ours, run
from .older_laws import INDEPENDENT, STRICT, AredMimd, Blue, Decbit, Dsred, LpfOda, Nlred, PController
from .red_laws import (
    Adaptive,
    AredFeng,
    Cared,
    Choke,
    Ered,
    Fared,
    HybridRed,
    Mred,
    Psand,
    ReAred,
    RedWorcester,
    SelfTuningRed,
    Settings,
    WqMaxP,
    Wred,
)

LIMIT = 25
RED = {
    "limit": f"{LIMIT}p",
    "min_th": "5p",
    "max_th": "15p",
    "max_p": 0.1,
    "w_q": 0.01,
    "above": "gentle",
    "count": "on",
    "idle_decay": "paper",
    "spare_short": False,
    "spare_first": False,
    "ecn": False,
}
ADAPTIVE = {**RED, "clock": "timer", "bounds": "inclusive", "bottom": 0.01, "top": 0.5, "gentle_slope": "current"}
REM = {"limit": f"{LIMIT}p", "q_ref": "10p", "gamma": 0.01, "alpha": 0.1, "phi": 1.1, "interval": "2ms"}
AVQ = {"limit": f"{LIMIT}p", "virtual_limit": "6000B", "gamma": 0.9, "alpha": 0.5, "mode": "bytes", "ceiling": "before"}

HBF = {**RED, "cache": 4, "sample": 100, "alpha": 0.5, "p_r": 0.05, "threshold": "0p"}
SFB = {
    "limit": f"{LIMIT}p",
    "levels": 2,
    "bins": 5,
    "bin_size": 4,
    "freeze_time": "0s",
    "rehash": "0s",
    "warm_up": "none",
    "hold_time": "50ms",
}
CARE = {"limit": f"{LIMIT}p", "threshold": "0p", "captures": 60, "estimate_captures": 30, "capture_probability": 0.2}

PIE = {
    "limit": f"{LIMIT}p",
    "target": "3ms",
    "interval": "4ms",
    "alpha": 2,
    "beta": 20,
    "max_burst": "10ms",
    "dq_threshold": "4000B",
    "high_delay": "auto",
}
PI2 = {"limit": f"{LIMIT}p", "target": "3ms", "interval": "4ms", "alpha": 2, "beta": 20, "ecn": True}

SRED = {"limit": f"{LIMIT}p", "zombies": 20, "flows_full": 8, "max_p": 0.15, "replace": 0.25}
LQD = {"limit": f"{LIMIT}p", "drop_from": "front", "measure": "bytes"}
GREEN = {"limit": f"{LIMIT}p", "c": 8, "rtt": "base", "window": "0.5s"}

CASES: dict[str, tuple[Law, str, dict[str, object]]] = {
    "ared": (Adaptive(Settings()), "ared", {**ADAPTIVE, "alpha": 0.01, "beta": 0.9}),
    "ared_feng": (
        AredFeng(Settings(), down=3, up=2),
        "ared_feng",
        {**RED, "alpha": 3, "beta": 2, "top": 1, "gentle_slope": "current"},
    ),
    "re_ared": (ReAred(Settings()), "re_ared", {**ADAPTIVE, "aim": "edge"}),
    "fared": (Fared(Settings()), "fared", {**ADAPTIVE, "aim": "edge"}),
    "cared": (Cared(Settings()), "cared", {**ADAPTIVE, "aim": "edge", "load": "arrival"}),
    "psand": (
        Psand(Settings(min_th=0, max_th=20, ages=False, counts=False), target=10, coef=1.75, gamma=1.5),
        "psand",
        {**RED, "min_th": "0p", "max_th": "20p", "target": "10p", "count": "off", "idle_decay": "off"},
    ),
    "hybrid_red": (
        HybridRed(Settings(ages=False), theta=2, xi=1.25),
        "hybrid_red",
        {**RED, "idle_decay": "off", "theta": 2, "xi": 1.25, "untested": "7_and_10"},
    ),
    "red_worcester": (
        RedWorcester(Settings(), hint_us=4_000),
        "red_worcester",
        {**RED, "default_hint": "4ms", "w_t": 0.02, "band": 0.1},
    ),
    "nlred": (Nlred(STRICT), "nlred", {**RED, "above": "strict", "factor": 1.5}),
    "dsred": (
        Dsred(INDEPENDENT),
        "dsred",
        {
            "limit": f"{LIMIT}p",
            "k_l": "5p",
            "k_h": "15p",
            "gamma": 0.9,
            "w_q": 0.01,
            "count": "off",
            "idle_decay": "paper",
        },
    ),
    "ared_mimd": (AredMimd(Settings()), "ared_mimd", {**ADAPTIVE, "beta": 0.9}),
    "lpf_oda": (LpfOda(STRICT), "lpf_oda", {**RED, "above": "strict", "n_o": 3, "cut": 0.5}),
    "p_controller": (
        PController(0.02, 4),
        "p_controller",
        {"limit": f"{LIMIT}p", "min_th": "4p", "slope": 0.02},
    ),
    "blue": (
        Blue(0.02, 0.002, 20_000),
        "blue",
        {"limit": f"{LIMIT}p", "d1": 0.02, "d2": 0.002, "freeze_time": "20ms"},
    ),
    "choke": (Choke(Settings(gentle=False)), "choke", {**RED, "above": "strict"}),
    "choke by region": (
        Choke(Settings(), regions=4),
        "choke",
        {**RED, "candidates": "by_region", "regions": 4},
    ),
    "fred": (
        Fred(Settings(gentle=False)),
        "fred",
        {**RED, "above": "strict", "min_q": "2p", "max_q": "12p", "robust": "share", "many_flows": "off"},
    ),
    "red_filter": (
        RedFilter(Settings(), flows=(0, 2), p=0.15, begin_us=500_000, end_us=10_000_000),
        "red_filter",
        {**RED, "flows": [0, 2], "probability": 0.15, "from": "0.5s", "until": "10s", "spares": "short"},
    ),
    "red_pd": (RedPd(Settings()), "red_pd", {**RED, "reference_rtt": "40ms"}),
    "capped_tail, flows that wait": (CappedTail(LIMIT), "capped_tail", {"limit": f"{LIMIT}p"}),
    "capped_tail, all flows": (
        CappedTail(LIMIT, flows=8),
        "capped_tail",
        {"limit": f"{LIMIT}p", "flows": "known"},
    ),
    "csfq": (Csfq(LIMIT * MEAN_PACKET), "csfq", {"limit": f"{LIMIT}p"}),
    "xred": (Xred(Settings(), (2, 1, 1, 0)), "xred", {**RED, "priorities": [2, 1, 1, 0]}),
    "xred, no less important": (
        Xred(Settings(), (3, 3, 1), equal=True),
        "xred",
        {**RED, "priorities": [3, 3, 1], "discards": "not_above"},
    ),
    "sfb": (
        Sfb(LIMIT, step=0.02, full_drops=True),
        "sfb",
        {**SFB, "bin_full": "any", "increment": 0.02, "decrement": 0.02},
    ),
    "sfb, flows that do not respond": (
        Sfb(LIMIT, step=0.2, full_drops=False),
        "sfb",
        {**SFB, "bin_full": "none", "increment": 0.2, "decrement": 0.2},
    ),
    "sfb, flows that do not respond keep their bins raised": (
        Sfb(LIMIT, step=0.2, full_drops=False, raises=True),
        "sfb",
        {**SFB, "bin_full": "none", "increment": 0.2, "decrement": 0.2, "raise_limited": True},
    ),
    "black": (
        Black(Settings(), Cache(4, 100, 0.5, 0.05)),
        "black",
        {**HBF, "active_flows": "match"},
    ),
    "afc": (
        Afc(Settings(), Cache(4, 100 * MEAN_PACKET, 0.5, 0.05), flows=8),
        "afc",
        {**HBF, "active_flows": "known"},
    ),
    "care": (Care(60, 30, 0.2), "care", CARE),
    "care by coverage": (Care(60, 30, 0.2, order=1), "care", {**CARE, "estimator": "coverage_1"}),
    "care by coverage of the second order": (
        Care(60, 30, 0.2, order=2),
        "care",
        {**CARE, "estimator": "coverage_2"},
    ),
    "pi": (
        Pi(a=0.004, b=0.0038, target=10, per_second=170),
        "pi",
        {"limit": f"{LIMIT}p", "q_ref": "10p", "a": 0.004, "b": 0.0038, "w": 170},
    ),
    "rem by rates": (Rem(rates=True), "rem", {**REM, "form": "rate"}),
    "rem by queues": (Rem(rates=False), "rem", {**REM, "form": "queue"}),
    "avq, every arrival": (
        Avq(gamma=0.9, alpha=0.5, room=6000, start=0.8, every=True),
        "avq",
        {**AVQ, "adapts": "every"},
    ),
    "avq, what is accepted": (
        Avq(gamma=0.9, alpha=0.5, room=6000, start=0.8, every=False),
        "avq",
        {**AVQ, "adapts": "accepted"},
    ),
    "dred": (
        Dred(alpha=0.5, beta=0.2, buffer=LIMIT, target=LIMIT / 2, spared=0.45 * LIMIT),
        "dred",
        {"limit": f"{LIMIT}p", "alpha": 0.5, "beta": 0.2},
    ),
    "wred": (
        Wred(Settings(gentle=False), [(4, 12, 0.2), (8, 16, 0.1)], cut=3),
        "wred",
        {
            **RED,
            "above": "strict",
            "class_by": "flow",
            "precedence": "[0, 0, 0, 1]",
            "class_min_th_packets": "[4, 8]",
            "class_max_th_packets": "[12, 16]",
            "class_max_p": "[0.2, 0.1]",
        },
    ),
    "mred": (Mred(Settings(gentle=False)), "mred", {**RED, "above": "strict"}),
    "ered": (
        Ered(Settings(min_th=2, max_th=8, gentle=False)),
        "ered",
        {**RED, "above": "strict", "min_th": "2p", "max_th": "8p"},
    ),
    "e_red": (
        ERed(gamma=0.98, low=4, high=20, p_min=0.01),
        "e_red",
        {"limit": f"{LIMIT}p", "gamma": 0.98, "min_th": "4p", "max_th": "20p", "p_min": 0.01},
    ),
    "wq_max_p": (
        WqMaxP(Settings(), faster=5, significant=0.5),
        "wq_max_p",
        {**ADAPTIVE, "alpha": 0.01, "beta": 0.9, "faster": 5, "significant": 0.5},
    ),
    "self_tuning_red": (
        # 8 Mbit/s are 2000 mean packets in a second, 200 in the base round trip of 100 ms.
        SelfTuningRed(Settings(), target=10, pipe=200),
        "self_tuning_red",
        {**RED, "target": "10p", "interval": "0.5s", "bottom": 0.001, "top": 1},
    ),
    "sfc": (
        Sfc(k1=0.02, k2=0.0001, target=10, window=0.05),
        "sfc",
        {"limit": f"{LIMIT}p", "q_ref": "10p", "k1": 0.02, "k2": 0.0001, "window": "50ms"},
    ),
    "pie": (Pie(PieSettings()), "pie", {"preset": "rfc8033", **PIE}),
    "pie, marking": (
        Pie(PieSettings(mark_ecnth=0.1)),
        "pie",
        {"preset": "rfc8033", **PIE, "ecn": True, "mark_below": 0.1},
    ),
    "pie of section 5": (
        Pie(PieSettings(measure="rate", wakes_at=8, spaced=True, capped=True, high_delay=0.006)),
        "pie",
        {"preset": "rfc8033_enhanced", **PIE, "high_delay": "6ms"},
    ),
    "pie of cable modems": (
        Pie(
            PieSettings(
                measure="link", wakes_at=8, spaced=True, capped=True, docsis=True, rest_us=20_000, high_delay=0.006
            )
        ),
        "pie",
        {"preset": "docsis", **PIE, "rest": "20ms", "high_delay": "6ms", "mean_packet": "1024B"},
    ),
    "pi2": (
        Pi2(Linear(2, 20, 0.003, 0.5), 4_000, ecn=True, scalable=False),
        "pi2",
        PI2,
    ),
    "bred": (Bred(LIMIT, gaps=True), "bred", {"limit": f"{LIMIT}p", "rule": "gaps"}),
    "bred, without gaps": (Bred(LIMIT, gaps=False), "bred", {"limit": f"{LIMIT}p", "rule": "levels"}),
    "sred, simple": (
        Sred(LIMIT, full=False, always=False, zombies=20, many=8, max_p=0.15, replace=0.25),
        "sred",
        {**SRED, "hits": "simple", "overwrite": "miss"},
    ),
    "sred, full": (
        Sred(LIMIT, full=True, always=False, zombies=20, many=8, max_p=0.15, replace=0.25),
        "sred",
        {**SRED, "hits": "full", "overwrite": "miss"},
    ),
    "sred, always": (
        Sred(LIMIT, full=True, always=True, zombies=20, many=8, max_p=0.15, replace=0.25),
        "sred",
        {**SRED, "hits": "full", "overwrite": "always"},
    ),
    "lqd": (Lqd(LIMIT, "longest"), "lqd", {**LQD, "victim": "longest"}),
    "lqd, from the back, by packets": (
        Lqd(LIMIT, "longest", front=False, by_bytes=False),
        "lqd",
        {**LQD, "victim": "longest", "drop_from": "back", "measure": "packets"},
    ),
    "lqd, random": (Lqd(LIMIT, "random"), "lqd", {**LQD, "victim": "random"}),
    "lqd, approximate": (Lqd(LIMIT, "approximate"), "lqd", {**LQD, "victim": "approximate"}),
    "green of 2002": (
        Green(rtt_us=100_000, window_us=500_000, adaptive=False, add_wait=False),
        "green",
        {**GREEN, "adaptive": False, "add_wait": False},
    ),
    "green of 2004": (
        Green(rtt_us=100_000, window_us=500_000, adaptive=True, add_wait=False),
        "green",
        {**GREEN, "adaptive": True, "add_wait": False},
    ),
    "green, with what waits": (
        Green(rtt_us=100_000, window_us=500_000, adaptive=True, add_wait=True),
        "green",
        {**GREEN, "adaptive": True, "add_wait": True},
    ),
    "lred": (
        Lred(beta=0.05, target=10, period_us=50_000, periods=4, memory=0.9),
        "lred",
        {"limit": f"{LIMIT}p", "q_ref": "10p", "beta": 0.05, "interval": "50ms", "periods": 4, "memory": 0.9},
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_both_decide_alike_about_each_of_ten_thousand_packets(case):
    law, queue, settings = case
    # CARE's estimators tell little of few flows.
    packets = arrivals(flows=40 if queue == "care" else 8)

    expected = run(law, packets, LIMIT)
    got = ours(packets, queue, settings)

    assert not differences(got, expected)
    # The arrivals reach the law: it drops, and not all.
    dropped = sum(reason in ("early", "unfair") for _, reason, _ in got)
    assert 50 < dropped < 5_000, dropped


@pytest.mark.parametrize("mode", ["rio_c", "rio_d", "wred"])
@pytest.mark.parametrize("marker", ["single_rate", "two_rates"])
def test_both_mark_and_drop_alike_in_assured_forwarding(mode, marker):
    # Less than they send, in rates that make no bucket just as full as a packet is long.
    agreed = dict(enumerate((0.53, 0.47, *(0.19,) * 6)))
    flows = {flow: Buckets(mbit / 8, 5_000, 3 * mbit / 8, 3_000) for flow, mbit in agreed.items()}
    green = Settings(min_th=10, max_th=20, max_p=0.05)
    law = DiffServ(mode, marker, (green, Settings(min_th=5, max_th=12), Settings(min_th=2, max_th=8, max_p=0.2)), flows)
    settings = {
        **RED,
        "min_th": "10p",
        "max_th": "20p",
        "max_p": 0.05,
        "averages": mode,
        "role": "edge",
        **{f"yellow_{name}": value for name, value in (("min_th", "5p"), ("max_th", "12p"), ("max_p", 0.1))},
        **{f"red_{name}": value for name, value in (("min_th", "2p"), ("max_th", "8p"), ("max_p", 0.2))},
        "meter": {"single_rate": "srtcm", "two_rates": "trtcm"}[marker],
        "cir_mbit": list(agreed.values()),
        "pir_mbit": [3 * mbit for mbit in agreed.values()],
        "cbs": "5000B",
        "ebs": "3000B",
        "pbs": "3000B",
    }
    packets = arrivals()

    expected = run(law, packets, LIMIT)
    got = ours(packets, "diffserv", settings)

    assert not differences(got, expected)
    assert sum(reason in ("early", "forced") for _, reason, _ in got) > 50


def test_both_spare_what_is_within_its_profile_alike():
    # As above: rates that make no bucket just as full as a packet is long.
    agreed = dict(enumerate((0.53, 0.47, *(0.19,) * 6)))
    flows = {flow: Buckets(mbit / 8, 5_000, 0, 0) for flow, mbit in agreed.items()}
    law = Rio(Settings(min_th=10, max_th=20, max_p=0.05), Settings(min_th=3, max_th=9, max_p=0.2), flows)
    settings = {
        **RED,
        **{f"in_{name}": value for name, value in (("min_th", "10p"), ("max_th", "20p"), ("max_p", 0.05))},
        "min_th": "3p",
        "max_th": "9p",
        "max_p": 0.2,
        "total_average": "all",
        "profile_mbit": list(agreed.values()),
        "profile_burst": "5000B",
    }
    packets = arrivals()

    expected = run(law, packets, LIMIT)
    got = ours(packets, "rio", settings)

    assert not differences(got, expected)
    assert sum(reason in ("early", "forced") for _, reason, _ in got) > 50


def test_both_penalize_alike_by_tcps_model():
    packets = arrivals()
    law = Judge(Settings(), rtt_s=0.05, interval_us=500_000)

    expected = tcp_model(packets, law, limit=LIMIT, part=0.1, room=5)
    settings = {**RED, "rtt": "50ms", "interval": "0.5s", "penalty_share": 0.1, "penalty_limit": 5}
    got = ours(packets, "tcp_model", settings)

    assert not differences(got, expected)
    assert sum(reason == "unfair" for _, reason, _ in got) > 50


def test_pi2_meets_scalable_senders_with_twice_its_output():
    packets = arrivals()

    expected = run(Pi2(Linear(2, 20, 0.003, 0.5), 4_000, ecn=True, scalable=True), packets, LIMIT)
    got = ours(packets, "pi2", PI2, ect="ect1")

    assert not differences(got, expected)
    assert sum(decision == "marked" for decision, _, _ in got) > 50


def test_decbit_marks_alike():
    packets = arrivals()

    expected = run(Decbit(), packets, LIMIT)
    got = ours(packets, "decbit", {"limit": f"{LIMIT}p"})

    assert not differences(got, expected)
    assert 50 < sum(decision == "marked" for decision, _, _ in got) < 5_000


@pytest.mark.parametrize("ecn", [False, True], ids=["drops", "marks"])
def test_cobalt_serves_marks_and_drops_alike(ecn):
    packets = arrivals()
    settings = {
        "limit": f"{LIMIT}p",
        "target": "3ms",
        "interval": "20ms",
        "increment": 0.05,
        "decrement": 0.01,
        "ecn": ecn,
    }

    expected = Cobalt(target=3_000, interval=20_000, up=0.05, down=0.01, ecn=ecn).serves(packets, LIMIT)
    got = ours(packets, "cobalt", settings)

    assert not differences(got, expected)
    for wanted in ("early", "sojourn", "overflow"):
        assert sum(reason == wanted for _, reason, _ in got) > 50, wanted


def test_the_second_jackknife_gives_the_printed_example():
    """Burnham and Overton 1979, as in Chatranon 2004, section 4.2: 142."""
    assert round(jackknife(18, (43, 16, 8, 6, 0, 2, 1, 0))) == 142


def differences(got: list[Fate], expected: list[Fate]) -> str:
    """The first packet about which they disagree, and how many there are."""
    apart = [number for number, pair in enumerate(zip(got, expected, strict=True)) if pair[0] != pair[1]]
    return f"{len(apart)} differ, first {apart[0]}: {got[apart[0]]}, {expected[apart[0]]}" if apart else ""
