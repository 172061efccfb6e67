"""The queueing disciplines of Linux's ``tc`` with their words, defaults and units.

Each queueing discipline has a table of its words. A word sets parameters of the queue, which begins with its preset
``linux`` where it has one; :mod:`scenario.tc_values` reads its values, and :mod:`scenario.tc_line` a
whole line. Words that tc takes and Sojourn does not have a reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from . import tc_rules as rules
from . import tc_schedulers as schedulers
from .tc_rules import Said, Settings
from .tc_values import (
    bits_per_second,
    bytes_and_cell,
    bytes_in,
    bytes_of,
    bytes_per_second,
    count_of,
    gain_of,
    microseconds,
    milliseconds_of,
    packet_count,
    packets_of,
    power_of_two,
    probability_of,
    rate_of,
    seconds_of,
    share_of,
    sixteenths,
    time_of,
    two_bytes,
    unless_zero,
    within,
)

__all__ = ["LINES", "Line", "Settings", "Word"]

Value = Callable[[str], Any]


@dataclass(frozen=True)
class Word:
    """A word of tc with a value, and the parameter that it sets; without a parameter it is kept for `finish`.

    A value of None leaves the default.
    """

    value: Value
    parameter: str = ""


@dataclass(frozen=True)
class Line:
    """A line of tc about a queueing discipline.

    Attributes
    ----------
    kind, preset
        The queue, and where it begins.
    defaults
        Defaults of tc and the kernel for limits and marks. A queue that takes the place of another keeps these values
        of the other one; a line of tc sets all of them.
    words, flags
        Words with a value, and words without one with the parameters that they set.
    fixed
        Words with a value that Sojourn has in all cases: the ways to write it. ``tc qdisc show`` prints them.
    not_here
        Words that tc has and Sojourn does not, with the reason.
    shown
        Patterns of what ``tc qdisc show`` prints otherwise than ``tc qdisc add`` takes it, with the latter's words.
    idle
        Words that change nothing here, with what to know about them.
    beside
        Words that change nothing without another word of the line.
    note, notes
        A difference that concerns every line of it; differences that concern a word.
    finish
        Makes parameters of the words that belong together.
    """

    kind: str
    preset: str = "linux"
    defaults: Settings = field(default_factory=dict)
    words: Mapping[str, Word] = field(default_factory=dict)
    flags: Mapping[str, Settings] = field(default_factory=dict)
    fixed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    not_here: Mapping[str, str] = field(default_factory=dict)
    shown: Mapping[str, str | Callable[[re.Match[str]], str]] = field(default_factory=dict)
    idle: Mapping[str, str] = field(default_factory=dict)
    beside: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    finish: Callable[[Settings, Settings, Said], None] = lambda _settings, _kept, _said: None


_ECN = {"ecn": {"ecn": True}, "noecn": {"ecn": False}}
_COUNT, _TIME, _PACKETS = unless_zero(count_of), unless_zero(time_of), unless_zero(packets_of)
_CODEL = {
    "limit": Word(_PACKETS, "limit"),
    "target": Word(_TIME, "target"),
    "interval": Word(_TIME, "interval"),
    "ce_threshold": Word(time_of, "ce_threshold"),
}
_PIE = {
    "limit": Word(_PACKETS, "limit"),
    "target": Word(_TIME, "target"),
    "tupdate": Word(_TIME, "interval"),
    "alpha": Word(unless_zero(sixteenths), "alpha"),
    "beta": Word(unless_zero(sixteenths), "beta"),
}
_BY_SIZE = "the kernel's arithmetic has no drops by size here; take the queue pie with by_size = true"
_ESTIMATOR = "the kernel's arithmetic takes delays from timestamps here; take delay_from = departure_rate of pie"


_OF_IP = "sizes are those of IP packets here; on Ethernet Linux counts 14 bytes more for each packet"

_SINGLE = "no packet is larger than a frame here, but for recordings"

_RED_WORDS = {"avpkt": Word(bytes_in), "burst": Word(count_of), "bandwidth": Word(bytes_per_second)}
_RED_WORDS |= {"probability": Word(probability_of)}


def _bare_bytes(text: str) -> str:
    """Bytes that tc reads as a bare number."""
    return f"{count_of(text)}B"


# tc reads this number of packets as a size: 1k is 1024.
_FIFO = {"limit": Word(lambda text: f"{bytes_in(text.removesuffix('p'))}p", "limit")}

LINES: dict[str, Line] = {
    "pfifo": Line("fifo", "", {"limit": "1000p"}, _FIFO),
    "pfifo_head_drop": Line("fifo", "", {"limit": "1000p", "overflow": "drop_front"}, _FIFO),
    "bfifo": Line("fifo", "", {"limit": "1514000B"}, {"limit": Word(bytes_of, "limit")}, note=_OF_IP),
    "pfifo_fast": Line(
        "sch_prio", "", shown={r"bands 3 priomap( \d+){16}": ""}, note="txqueuelen is taken as 1000 for each band"
    ),
    "prio": Line(
        "sch_prio",
        "",
        words={"bands": Word(schedulers.decimal, "bands"), "priomap": Word(schedulers.numbers, "priomap")},
        shown=dict([schedulers.listed("priomap")]),
        finish=schedulers.prio,
    ),
    "ets": Line(
        "sch_ets",
        "",
        {"strict": 0, "quanta": []},
        {
            "bands": Word(schedulers.decimal, "bands"),
            "strict": Word(schedulers.decimal, "strict"),
            "quanta": Word(schedulers.sizes(_bare_bytes), "quanta"),
            "priomap": Word(schedulers.numbers, "priomap"),
        },
        shown=dict(map(schedulers.listed, ("priomap", "quanta"))),
        finish=schedulers.ets,
    ),
    "fq": Line(
        "sch_fq",
        "",
        words={
            "limit": Word(packets_of, "limit"),
            "flow_limit": Word(packet_count, "flow_limit"),
            "quantum": Word(_bare_bytes, "quantum"),
            "initial_quantum": Word(_bare_bytes, "initial_quantum"),
            "maxrate": Word(schedulers.rate, "maxrate"),
            "low_rate_threshold": Word(schedulers.rate, "low_rate_threshold"),
            "refill_delay": Word(time_of, "refill_delay"),
            "ce_threshold": Word(time_of, "ce_threshold"),
            "orphan_mask": Word(count_of, "orphan_mask"),
        },
        flags={"pacing": {"pacing": True}, "nopacing": {"pacing": False}, "horizon_drop": {}, "horizon_cap": {}},
        beside=dict.fromkeys(("low_rate_threshold", "pacing", "nopacing"), "maxrate"),
        idle={
            **dict.fromkeys(("horizon_drop", "horizon_cap"), "no packet has a time in the future here"),
        },
        fixed={"buckets": ("1024",), "timer_slack": ("10us", "10"), "horizon": ("10s",)},
        not_here={"defrate": "the kernel does not use it, either"},
        shown={r"bands 3 priomap( \d+){16}": "", r"weights( \d+){3}": ""},
        note="senders pace themselves here: only maxrate spaces packets, and horizon has no effect",
        finish=schedulers.fq,
    ),
    "skbprio": Line(
        "sch_skbprio",
        "",
        words={"limit": Word(lambda text: f"{schedulers.decimal(text)}p", "limit")},
    ),
    "hhf": Line(
        "sch_hhf",
        "",
        words={
            "limit": Word(_PACKETS, "limit"),
            "quantum": Word(unless_zero(_bare_bytes), "quantum"),
            "hh_limit": Word(_COUNT, "hh_limit"),
            "reset_timeout": Word(_TIME, "reset_timeout"),
            "admit_bytes": Word(unless_zero(_bare_bytes), "admit_bytes"),
            "evict_timeout": Word(_TIME, "evict_timeout"),
            "non_hh_weight": Word(_COUNT, "non_hh_weight"),
        },
        finish=schedulers.hhf,
    ),
    "drr": Line(
        "drr",
        "",
        words={"quantum": Word(bytes_of, "quantum")},
        note="tc sends packets to classes of yours, as the queue sch_drr does; here each flow is a class",
    ),
    "police": Line(
        "policer",
        "",
        words={"rate": Word(rate_of, "rate"), "burst": Word(bytes_of, "burst")},
        flags={"drop": {}},
        fixed={
            "mtu": ("2kb", "2048"),
            "overhead": ("0", "0b"),
            "linklayer": ("ethernet",),
            **dict.fromkeys(
                ("conform-exceed", "action"), ("drop", "drop/pass", "drop/ok", "drop/pipe", "drop/continue")
            ),
        },
        not_here=dict.fromkeys(
            ("peakrate", "avrate", "pkts_rate", "pkts_burst", "continue", "pass", "pipe", "reclassify"),
            "this policer has one rate, and drops packets beyond it",
        ),
        shown={r"0x[0-9a-f]+": ""},
        note=_OF_IP,
        finish=rules.police,
    ),
    "codel": Line("codel", defaults={"limit": "1000p", "ecn": False}, words=_CODEL, flags=_ECN),
    "fq_codel": Line(
        "fq_codel",
        defaults={"limit": "10240p", "ecn": True},
        words={
            **_CODEL,
            "flows": Word(_COUNT, "flows"),
            "quantum": Word(unless_zero(_bare_bytes), "quantum"),
            "memory_limit": Word(bytes_of, "memory_limit"),
            "drop_batch": Word(_COUNT, "drop_batch"),
            "ce_threshold_selector": Word(two_bytes),
        },
        flags=_ECN,
        beside={"ce_threshold_selector": "ce_threshold"},
        notes={"quantum": _OF_IP},
        finish=rules.fq_codel,
    ),
    "pie": Line(
        "sch_pie",
        "",
        defaults={"limit": "1000p", "ecn": False},
        words={
            **{word: Word(_PIE[word].value, word) for word in ("limit", "target", "tupdate")},
            **{word: Word(unless_zero(gain_of), word) for word in ("alpha", "beta")},
        },
        flags={**_ECN, "nobytemode": {}, "no_dq_rate_estimator": {}},
        not_here={"bytemode": _BY_SIZE, "dq_rate_estimator": _ESTIMATOR},
    ),
    "fq_pie": Line(
        "fq_pie",
        defaults={"limit": "10240p", "ecn": False},
        words={**_PIE, "flows": Word(_COUNT, "flows"), "quantum": Word(unless_zero(bytes_of), "quantum")},
        flags={**_ECN, "nobytemode": {}, "no_dq_rate_estimator": {}},
        # With its 10240 packets it never has 32 MiB: the kernel counts some 2300 bytes for one of 1514.
        fixed={"memory_limit": ("32mb", "33554432b", "0"), "ecn_prob": ("10", "0")},
        notes={"quantum": _OF_IP},
        not_here={"bytemode": _BY_SIZE, "dq_rate_estimator": _ESTIMATOR},
    ),
    "red": Line(
        "sch_red",
        "",
        defaults={"ecn": False},
        words={**{name: Word(bytes_in) for name in ("limit", "min", "max")}, **_RED_WORDS},
        flags={"ecn": {"ecn": True}, "harddrop": {"harddrop": True}, "adaptive": {}, "adaptative": {}},
        not_here={
            "nodrop": "packets that cannot be marked are dropped here",
            "ewma": "it is printed in place of avpkt and burst; write these two",
        },
        beside={"harddrop": "ecn"},
        # Its timer looks at another flag than tc sets.
        idle=dict.fromkeys(
            ("adaptive", "adaptative"), "as in Linux, which never adapts; RED that adapts, as published, is ared"
        ),
        note=_OF_IP,
        finish=rules.red,
    ),
    "choke": Line(
        "sch_choke",
        "",
        defaults={"ecn": False},
        words={**{name: Word(packet_count) for name in ("limit", "min", "max")}, **_RED_WORDS},
        flags={"ecn": {"ecn": True}},
        finish=rules.choke,
    ),
    "sfb": Line(
        "sch_sfb",
        "",
        defaults={"limit": "1000p"},
        words={
            "limit": Word(_PACKETS, "limit"),
            "target": Word(packet_count),
            "max": Word(packet_count),
            "rehash": Word(milliseconds_of, "rehash"),
            "db": Word(milliseconds_of, "db"),
            "increment": Word(share_of, "increment"),
            "decrement": Word(share_of, "decrement"),
            "penalty_rate": Word(count_of, "penalty_rate"),
            "penalty_burst": Word(count_of, "penalty_burst"),
        },
        shown={
            r"penalty rate (\d+) burst (\d+) \((\d+)ms (\d+)ms\)": r"penalty_rate \1 penalty_burst \2 rehash \3 db \4"
        },
        finish=rules.sfb,
    ),
    "sfq": Line(
        "sfq",
        defaults={"limit": "127p"},
        words={
            "limit": Word(packets_of, "limit"),
            "perturb": Word(seconds_of, "perturb"),
            "quantum": Word(unless_zero(bytes_of), "quantum"),
            "divisor": Word(unless_zero(power_of_two), "queues"),
            "depth": Word(_COUNT, "depth"),
            "flows": Word(_COUNT, "flows"),
            **{name: Word(count_of) for name in ("redflowlimit", "min", "max", "burst")},
            "avpkt": Word(bytes_in),
            "probability": Word(probability_of),
        },
        flags={"headdrop": {"drop_from": "front"}, "ecn": {"ecn": True}, "harddrop": {"hard_drop": True}},
        beside={"harddrop": "ecn"},
        shown={r"flows (\d+)/\d+": r"flows \1", r"perturb (\d+)sec": r"perturb \1"},
        notes={"redflowlimit": _OF_IP, "quantum": _OF_IP},
        finish=rules.sfq,
    ),
    "dualpi2": Line(
        "sch_dualpi2",
        "",
        defaults={"limit": "10000p"},
        words={
            "limit": Word(_PACKETS, "limit"),
            "memlimit": Word(unless_zero(_bare_bytes), "memlimit"),
            "target": Word(_TIME, "target"),
            "tupdate": Word(_TIME, "tupdate"),
            "alpha": Word(rules.parts, "alpha"),
            "beta": Word(rules.parts, "beta"),
            "max_rtt": Word(microseconds),
            "typical_rtt": Word(microseconds),
            "coupling_factor": Word(within(1, 255), "coupling_factor"),
            "step_thresh": Word(rules.step, "step_thresh"),
            "min_qlen_step": Word(packet_count, "min_qlen_step"),
            "classic_protection": Word(rules.percent, "classic_protection"),
        },
        flags={
            "drop_on_overload": {"drop_on_overload": True},
            "overflow": {"drop_on_overload": False},
            "drop_enqueue": {"drop_enqueue": True},
            "drop_dequeue": {"drop_enqueue": False},
            "l4s_ect": {"any_ect": False},
            "any_ect": {"any_ect": True},
            **{key: {} for key in ("split_gso", "no_split_gso")},
        },
        idle={"no_split_gso": _SINGLE},
        finish=rules.dualpi2,
    ),
    "cake": Line(
        "cake",
        words={
            # tc hands over whole bytes per second, and none of them is no limit.
            "bandwidth": Word(lambda text: rate_of(text) if bits_per_second(text) >= 8 else None, "bandwidth"),
            "rtt": Word(_TIME),
            "overhead": Word(within(-64, 256)),
            "mpu": Word(within(0, 256)),
            "memlimit": Word(unless_zero(bytes_of), "memory_limit"),
        },
        flags={
            "unlimited": {"bandwidth": "auto"},
            "autorate-ingress": {},
            **{path: {} for path in rules.PATHS},
            **{tins: {"tins": tins} for tins in ("besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence")},
            "diffserv": {"tins": "diffserv4"},
            **{isolation: {"isolation": isolation} for isolation in rules.ISOLATIONS},
            "wash": {"wash": True},
            "nowash": {"wash": False},
            "ingress": {"ingress": True},
            "egress": {"ingress": False},
            "ack-filter": {"ack_filter": "filter"},
            "no-ack-filter": {"ack_filter": "off"},
            "ack-filter-aggressive": {"ack_filter": "aggressive"},
            **{word: {} for word in (*rules.FRAMINGS, *rules.LAYERS)},
            # tc itself ignores via-ethernet.
            **{key: {} for key in ("split-gso", "no-split-gso", "nat", "nonat", "via-ethernet")},
        },
        fixed={"fwmark": ("0", "0x0")},
        not_here={"fwmark": "there are no marks of a firewall here"},
        shown={"bandwidth unlimited": "unlimited", "raw overhead 0": "raw"},
        idle={
            "nat": "no address is translated here; hosts are those of the scenario, or of a recording as it was made",
            "no-split-gso": _SINGLE,
        },
        finish=rules.cake,
    ),
    "tbf": Line(
        "sch_tbf",
        "",
        words={
            **dict.fromkeys(("rate", "peakrate"), Word(bits_per_second)),
            **dict.fromkeys(("burst", "buffer", "maxburst", "mtu", "minburst"), Word(bytes_and_cell)),
            "limit": Word(bytes_in),
            "latency": Word(microseconds),
            "overhead": Word(schedulers.decimal),
            "mpu": Word(bytes_in),
            "linklayer": Word(rules.linklayer),
        },
        beside=dict.fromkeys(("mtu", "minburst"), "peakrate"),
        note=f"of its limit, {_OF_IP}",
        finish=rules.tbf,
    ),
}
"""By tc's names."""
