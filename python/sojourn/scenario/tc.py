"""The queueing disciplines of Linux's ``tc`` with their words, defaults and units.

Each queueing discipline has a table of its words. A word sets parameters of the queue, which begins with its preset
``linux`` where it has one; :mod:`sojourn.scenario.tc_values` reads its values, and :mod:`sojourn.scenario.tc_line` a
whole line. Words that tc takes and Sojourn does not have a reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from .tc_values import (
    WrongWordError,
    bits_per_second,
    bytes_in,
    bytes_of,
    count_of,
    microseconds,
    milliseconds_of,
    nanoseconds,
    packet_count,
    packets_of,
    rate_of,
    seconds_of,
    share_of,
    sixteenths,
    time_of,
    within,
)

__all__ = ["LINES", "Line", "Settings", "Word"]

Settings = dict[str, Any]


Value = Callable[[str], Any]


@dataclass(frozen=True)
class Word:
    """A word of tc with a value, and the parameter that it sets; without a parameter it is kept for `finish`."""

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
    note
        A difference that concerns every line of it.
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
    shown: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    finish: Callable[[Settings, Settings], None] = lambda _settings, _kept: None


_ECN = {"ecn": {"ecn": True}, "noecn": {"ecn": False}}
_CODEL = {
    "limit": Word(packets_of, "limit"),
    "target": Word(time_of, "target"),
    "interval": Word(time_of, "interval"),
    "ce_threshold": Word(time_of, "ce_threshold"),
}
_PIE = {
    "limit": Word(packets_of, "limit"),
    "target": Word(time_of, "target"),
    "tupdate": Word(time_of, "interval"),
    "alpha": Word(sixteenths, "alpha"),
    "beta": Word(sixteenths, "beta"),
}
_BY_SIZE = "the kernel's arithmetic has no drops by size here; take the queue pie with by_size = true"
_ESTIMATOR = "the kernel's arithmetic takes delays from timestamps here; take delay_from = departure_rate of pie"


def weight(burst: int, least: float, mean: int) -> float:
    """RED's weight as tc finds it: the greatest 1/2, 1/4, 1/8 ... with a large enough ``(1 - (1 - w)^burst) / w``."""
    wanted = burst + 1 - least / mean
    if wanted < 1:
        raise WrongWordError(f"burst {burst} is too small for min {least:g} and avpkt {mean}")
    for power in range(1, 32):
        w = 2.0**-power
        if wanted <= (1 - (1 - w) ** burst) / w:
            return w
    raise WrongWordError(f"burst {burst} is too large")


def _red(settings: Settings, kept: Settings) -> None:
    """Thresholds in bytes: RED's law needs limit and avpkt."""
    for word in ("limit", "avpkt"):
        if word not in kept:
            raise WrongWordError(f"tc wants {word}: red limit BYTES avpkt BYTES (tc qdisc show prints no avpkt)")
    limit, mean = kept["limit"], kept["avpkt"]
    most = kept.get("max") or (3 * kept["min"] if "min" in kept else limit / 4)
    least = kept.get("min") or most / 3
    _red_numbers(settings, kept, least, most, mean)
    settings.update(min_th=f"{least:.0f}B", max_th=f"{most:.0f}B", limit=f"{limit}B", mean_packet=f"{mean}B")
    if most > limit:
        raise WrongWordError(f"max {most:.0f} is above limit {limit}")


def _choke(settings: Settings, kept: Settings) -> None:
    """Thresholds in packets."""
    if "limit" not in kept:
        raise WrongWordError("tc wants limit: choke limit PACKETS")
    limit = kept["limit"]
    most = kept.get("max") or (3 * kept["min"] if "min" in kept else limit // 4)
    least = kept.get("min") or most // 3
    _red_numbers(settings, {**kept, "min_bytes": least * kept.get("avpkt", 1000)}, least, most, 1)
    settings.update(min_th=f"{least}p", max_th=f"{most}p", limit=f"{limit}p")


def _sfq(settings: Settings, kept: Settings) -> None:
    """RED in each queue, if redflowlimit is given: it is not a bound, but thresholds follow from it."""
    if "redflowlimit" not in kept:
        if red := [*kept, *(word for word in ("ecn", "hard_drop", "red_max_p") if word in settings)]:
            raise WrongWordError(f"tc wants redflowlimit BYTES, to which {red[0]} belongs")
        return
    most = kept.get("max") or kept["redflowlimit"] // 4
    least, mean = kept.get("min") or most // 3, kept.get("avpkt", 1000)
    if not 0 < least < most:
        raise WrongWordError(f"min {least:g} is not between 0 and max {most:g}")
    burst = kept.get("burst") or int((2 * least + most) / (3 * mean))
    settings.update(red_min=f"{least:.0f}B", red_max=f"{most:.0f}B", red_w_q=weight(burst, least, mean))


def _red_numbers(settings: Settings, kept: Settings, least: float, most: float, mean: int) -> None:
    if not 0 < least < most:
        raise WrongWordError(f"min {least:g} is not between 0 and max {most:g}")
    burst = kept.get("burst") or int((2 * least + most) / (3 * mean))
    settings["w_q"] = weight(burst, least, mean)
    if settings.pop("harddrop", False):
        settings["mark_max_p"] = 1


def _sfb(settings: Settings, kept: Settings) -> None:
    """Packets in a bin: tc makes one bound of the other, and Linux acts from it on where Sojourn acts above it."""
    size, most = kept.get("target", 0), kept.get("max", 0)
    if size or most:
        most = most or (5 * size + 1) // 4
        settings.update(bin_size=(size or (4 * most + 3) // 5) - 1, bin_max=most - 1)


def _tbf(settings: Settings, kept: Settings) -> None:
    for word in ("rate", "burst"):
        if word not in kept:
            raise WrongWordError(f"tc wants {word}: tbf rate RATE burst BYTES latency TIME")
    if ("limit" in kept) == ("latency" in kept):
        raise WrongWordError("tc wants either limit or latency")
    rate, burst = kept["rate"], kept["burst"]
    limit = kept["limit"] if "limit" in kept else int(rate / 8 * kept["latency"] / 1e9) + burst
    settings.update(rate=f"{rate}bit", burst=f"{burst}B", limit=f"{limit}B")


def _police(settings: Settings, _kept: Settings) -> None:
    for word in ("rate", "burst"):
        if word not in settings:
            raise WrongWordError(f"tc wants {word}: police rate RATE burst BYTES")


def _parts(text: str) -> float:
    """DualPI2's alpha or beta in Hz: tc hands over whole 256ths."""
    value = float(text)
    if not 1 / 256 <= value < 1 << 24:
        raise WrongWordError(f"{text!r} is not a number from 1/256 to 2^24")
    return int(value * 256) / 256


def _percent(text: str) -> float:
    """A share in percent, with its sign or without."""
    value = round(float(text.removesuffix("%")))
    if not 0 <= value <= 100:
        raise WrongWordError(f"{text!r} is not a share from 0 to 100 %")
    return value / 100


# Gains of DualPI2 for a longest round trip of tc, as floating-point numbers of 32 bits; it is six typical ones.
_ALPHA_OF_RTT, _BETA_OF_RTT, _RTTS = 0.10000000149011612, 0.30000001192092896, 6


def _dualpi2(settings: Settings, kept: Settings) -> None:
    """A step in packets or in time, and what tc computes from round trips."""
    step = kept.get("step_thresh", "")
    if found := re.fullmatch(r"(\d+)(p|pkts?|packets?)", step):
        settings["step_packets"] = int(found[1])
    elif step:
        settings["ramp_from"] = settings["ramp_to"] = time_of(step)
    longest, typical = kept.get("max_rtt", 0), kept.get("typical_rtt", 0)
    if not longest and not typical:
        return
    longest = longest or typical * _RTTS
    typical = typical or max(longest // _RTTS, 1)
    if typical > longest:
        raise WrongWordError("typical_rtt is at most max_rtt")
    update = max(int(min(typical, longest / 3)), 1)
    settings.update(target=f"{typical}us", interval=f"{update}us")
    settings["alpha"] = _parts(str(update / longest / longest * 1e6 * _ALPHA_OF_RTT))
    settings["beta"] = _parts(str(_BETA_OF_RTT / longest * 1e6))


# Effects of cake's keywords of the link layer: the bytes that they add, and the least size and the framing that they
# set.
_LAYERS: dict[str, tuple[int, int | None, str | None]] = {
    "raw": (0, None, None),
    "conservative": (48, None, "atm"),
    "ethernet": (38, 84, None),
    "docsis": (18, 64, "noatm"),
    "pppoe-ptm": (30, None, "ptm"),
    "bridged-ptm": (22, None, "ptm"),
    "ipoa-vcmux": (8, None, "atm"),
    "ipoa-llcsnap": (16, None, "atm"),
    "bridged-vcmux": (24, None, "atm"),
    "bridged-llcsnap": (32, None, "atm"),
    "pppoa-vcmux": (10, None, "atm"),
    "pppoa-llc": (14, None, "atm"),
    "pppoe-vcmux": (32, None, "atm"),
    "pppoe-llcsnap": (40, None, "atm"),
}
_VLAN = 4
_PATHS = ("datacentre", "lan", "metro", "regional", "internet", "oceanic", "satellite", "interplanetary")
_ISOLATIONS = ("flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate")


def _cake(settings: Settings, _kept: Settings) -> None:
    """Words of the link layer, in their order: keywords add to the overhead and set the rest, `overhead` sets it."""
    layers = [layer for layer in _LAYERS if f"layer {layer}" in settings]
    said = [key for key in settings if key.startswith("layer ") or key in {"vlan", "overhead", "mpu", "framing"}]
    if "raw" in layers and len(said) > 1:
        raise WrongWordError("raw says that nothing is added, and other words add")
    line: dict[str, Any] = {}
    for key in said:
        value = settings.pop(key)
        if key == "vlan":
            line["overhead"] = line.get("overhead", 0) + _VLAN
        elif key.startswith("layer "):
            adds, least, framing = _LAYERS[key.removeprefix("layer ")]
            line["overhead"] = line.get("overhead", 0) + adds
            line |= {"mpu": least} if least is not None else {}
            line |= {"framing": framing} if framing is not None else {}
        else:
            line[key] = value
    settings.update({"link_layer": layers[0]} if len(said) == len(layers) == 1 else line)


_RED_WORDS = {"avpkt": Word(bytes_in), "burst": Word(count_of), "bandwidth": Word(bits_per_second)}
_RED_WORDS |= {"probability": Word(share_of, "max_p")}
_BYTES = {name: Word(bytes_in) for name in ("limit", "min", "max")}
_PACKETS = {name: Word(packet_count) for name in ("limit", "min", "max")}

LINES: dict[str, Line] = {
    "pfifo": Line("fifo", "", {"limit": "1000p"}, {"limit": Word(packets_of, "limit")}),
    "bfifo": Line("fifo", "", {"limit": "1514000B"}, {"limit": Word(bytes_of, "limit")}),
    "pfifo_fast": Line(
        "fifo",
        "",
        {"limit": "1000p"},
        shown={r"bands 3 priomap( \d+){16}": ""},
        note="its three bands by priority are not here, and txqueuelen is taken as 1000",
    ),
    "drr": Line(
        "drr",
        "",
        words={"quantum": Word(bytes_of, "quantum")},
        note="tc sends packets to classes of yours; here each flow is a class",
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
        finish=_police,
    ),
    "codel": Line("codel", defaults={"limit": "1000p", "ecn": False}, words=_CODEL, flags=_ECN),
    "fq_codel": Line(
        "fq_codel",
        defaults={"limit": "10240p", "ecn": True},
        words={
            **_CODEL,
            "flows": Word(count_of, "flows"),
            "quantum": Word(bytes_of, "quantum"),
            "memory_limit": Word(bytes_of, "memory_limit"),
            "drop_batch": Word(count_of, "drop_batch"),
        },
        flags=_ECN,
        not_here={"ce_threshold_selector": "marks by DSCP are not here"},
    ),
    "pie": Line(
        "pie",
        defaults={"limit": "1000p", "ecn": False},
        words=_PIE,
        flags={**_ECN, "nobytemode": {}, "no_dq_rate_estimator": {}},
        not_here={"bytemode": _BY_SIZE, "dq_rate_estimator": _ESTIMATOR},
    ),
    "fq_pie": Line(
        "fq_pie",
        defaults={"limit": "10240p", "ecn": False},
        words={**_PIE, "flows": Word(count_of, "flows"), "quantum": Word(bytes_of, "quantum")},
        flags={**_ECN, "nobytemode": {}, "no_dq_rate_estimator": {}},
        # With its 10240 packets it never has 32 MiB: the kernel counts some 2300 bytes for one of 1514.
        fixed={"memory_limit": ("32mb", "33554432b"), "ecn_prob": ("10",)},
        not_here={"bytemode": _BY_SIZE, "dq_rate_estimator": _ESTIMATOR},
    ),
    "red": Line(
        "red",
        defaults={"ecn": False},
        words={**_BYTES, **_RED_WORDS},
        # Linux takes the word adaptive but never adapts: its timer looks at another flag.
        flags={"ecn": {"ecn": True}, "harddrop": {"harddrop": True}, "adaptive": {}},
        not_here={
            "nodrop": "packets that cannot be marked are dropped here",
            "ewma": "it is printed in place of avpkt and burst; write these two",
        },
        finish=_red,
    ),
    "choke": Line(
        "choke", defaults={"ecn": False}, words={**_PACKETS, **_RED_WORDS}, flags={"ecn": {"ecn": True}}, finish=_choke
    ),
    "sfb": Line(
        "sfb",
        defaults={"limit": "1000p"},
        words={
            "limit": Word(packets_of, "limit"),
            "target": Word(count_of),
            "max": Word(count_of),
            "rehash": Word(milliseconds_of, "rehash"),
            "db": Word(milliseconds_of, "warm_up_time"),
            "increment": Word(share_of, "increment"),
            "decrement": Word(share_of, "decrement"),
            "penalty_rate": Word(count_of, "penalty_rate"),
            "penalty_burst": Word(count_of, "penalty_burst"),
        },
        shown={
            r"penalty rate (\d+) burst (\d+) \((\d+)ms (\d+)ms\)": r"penalty_rate \1 penalty_burst \2 rehash \3 db \4"
        },
        finish=_sfb,
    ),
    "sfq": Line(
        "sfq",
        defaults={"limit": "127p"},
        words={
            "limit": Word(packets_of, "limit"),
            "perturb": Word(seconds_of, "perturb"),
            "quantum": Word(bytes_of, "quantum"),
            "divisor": Word(count_of, "queues"),
            "depth": Word(count_of, "depth"),
            "redflowlimit": Word(bytes_in),
            "min": Word(bytes_in),
            "max": Word(bytes_in),
            "avpkt": Word(bytes_in),
            "burst": Word(count_of),
            "probability": Word(share_of, "red_max_p"),
        },
        flags={"headdrop": {"drop_from": "front"}, "ecn": {"ecn": True}, "harddrop": {"hard_drop": True}},
        shown={r"flows \d+/\d+": "", r"perturb (\d+)sec": r"perturb \1"},
        finish=_sfq,
    ),
    "dualpi2": Line(
        "dualpi2",
        defaults={"limit": "10000p"},
        words={
            "limit": Word(packets_of, "limit"),
            "memlimit": Word(lambda text: f"{count_of(text)}B", "memory_limit"),
            "target": Word(time_of, "target"),
            "tupdate": Word(time_of, "interval"),
            "alpha": Word(_parts, "alpha"),
            "beta": Word(_parts, "beta"),
            "max_rtt": Word(microseconds),
            "typical_rtt": Word(microseconds),
            "coupling_factor": Word(within(1, 255), "coupling"),
            "step_thresh": Word(str),
            "min_qlen_step": Word(packet_count, "ramp_spares"),
            "classic_protection": Word(_percent, "classic_share"),
        },
        flags={
            "drop_on_overload": {"drop_overload": True},
            "overflow": {"drop_overload": False},
            "drop_enqueue": {"drop_early": True},
            "drop_dequeue": {"drop_early": False},
            "l4s_ect": {"identifier": "ect1"},
            "any_ect": {"identifier": "any_ect"},
            **{key: {} for key in ("split_gso", "no_split_gso")},
        },
        finish=_dualpi2,
    ),
    "cake": Line(
        "cake",
        words={
            "bandwidth": Word(rate_of, "bandwidth"),
            "rtt": Word(time_of, "rtt"),
            "overhead": Word(within(-64, 256), "overhead"),
            "mpu": Word(within(0, 256), "mpu"),
            "memlimit": Word(bytes_of, "memory_limit"),
        },
        flags={
            "unlimited": {"bandwidth": "auto"},
            "autorate-ingress": {"autorate_ingress": True},
            **{path: {"path": path, "rtt": "auto"} for path in _PATHS},
            **{tins: {"tins": tins} for tins in ("besteffort", "diffserv3", "diffserv4", "diffserv8", "precedence")},
            "diffserv": {"tins": "diffserv4"},
            **{isolation: {"isolation": isolation} for isolation in _ISOLATIONS},
            "wash": {"wash": True},
            "nowash": {"wash": False},
            "ingress": {"ingress": True},
            "egress": {"ingress": False},
            "ack-filter": {"ack_filter": "filter"},
            "no-ack-filter": {"ack_filter": "off"},
            "ack-filter-aggressive": {"ack_filter": "aggressive"},
            **{framing: {"framing": framing} for framing in ("noatm", "atm", "ptm")},
            **{layer: {f"layer {layer}": True} for layer in _LAYERS},
            "ether-vlan": {"vlan": True},
            # Packets are single here, and each flow keeps its hosts.
            **{key: {} for key in ("split-gso", "no-split-gso", "nonat", "via-ethernet")},
        },
        not_here={
            "nat": "addresses are not translated here: each flow keeps its hosts",
            "fwmark": "there are no marks of a firewall here",
        },
        shown={"bandwidth unlimited": "unlimited", "raw overhead 0": "raw"},
        finish=_cake,
    ),
    "tbf": Line(
        "token_bucket",
        "",
        words={
            "rate": Word(bits_per_second),
            **{name: Word(bytes_in) for name in ("burst", "buffer", "maxburst")},
            "limit": Word(bytes_in),
            "latency": Word(nanoseconds),
        },
        fixed={"mpu": ("0b", "0"), "overhead": ("0b", "0"), "linklayer": ("ethernet",)},
        not_here=dict.fromkeys(("peakrate", "mtu", "minburst"), "this bucket has one rate"),
        # The number behind the stroke is the cell of tc's table of rates.
        shown={r"burst (\w+)/\d+": r"burst \1"},
        finish=_tbf,
    ),
}
"""By tc's names."""
