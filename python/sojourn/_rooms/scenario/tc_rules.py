"""Rules of tc for words that belong together: defaults that follow from other words, and numbers that tc computes."""

from __future__ import annotations

import re
from typing import Any

from .tc_values import WrongWordError, time_of

__all__ = [
    "ETHERNET",
    "FRAMINGS",
    "ISOLATIONS",
    "LAYERS",
    "PATHS",
    "cake",
    "choke",
    "dualpi2",
    "fq_codel",
    "linklayer",
    "parts",
    "percent",
    "police",
    "red",
    "sfb",
    "sfq",
    "step",
    "tbf",
]

Settings = dict[str, Any]
Said = list[tuple[str, Any]]
"""Words in their order, with their values; that of a word without one is None."""


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


_WHOLE = 1 << 32


def share(probability: float, least: int, most: int, unit: int = 1) -> float:
    """RED's largest probability in the kernel: tc hands over 32 bits of it, and nothing may be left of it in them.

    The kernel then takes ``(most - least) / 2^n``. tc finds n for thresholds in bytes, which are those of Choke times
    its mean packet, `unit`.

    >>> share(0.02, 2000, 30000), share(1.5, 2000, 30000)
    (0.02, 0.5)
    >>> round(share(1, 2000, 30000), 6)
    0.854486
    """
    span = (most - least) * unit
    bits = next((n for n in range(32) if probability / span * 2**n > 1), None)
    if bits is None:
        raise WrongWordError(f"probability {probability:g} is too small for min {least} and max {most}")
    if 0 < (whole := int(probability * _WHOLE)) < _WHOLE:
        return probability
    return (whole % _WHOLE or (_WHOLE - 1 >> bits) * (most - least) % _WHOLE) / _WHOLE


def fq_codel(settings: Settings, kept: Settings, _said: Said) -> None:
    """A value and a mask for marks by `ce_threshold`; tc takes a value of 255 for none, and no bound is the default."""
    if settings.get("memory_limit") == "0B":
        raise WrongWordError("with a memory_limit of 0 the kernel drops every packet")
    if settings.get("memory_limit") == f"{_WHOLE - 1}B":
        del settings["memory_limit"]
    value, mask = kept.get("ce_threshold_selector", (255, 0))
    # Without a `ce_threshold`, or with a mask of 0, the kernel asks neither.
    if value != 255 and mask and "ce_threshold" in settings:
        settings.update(ce_selector=value, ce_mask=mask)


def red(settings: Settings, kept: Settings, _said: Said) -> None:
    """Thresholds in bytes: RED's law needs limit and avpkt."""
    for word in ("limit", "avpkt"):
        if not kept.get(word):
            raise WrongWordError(f"tc wants {word}: red limit BYTES avpkt BYTES (tc qdisc show prints no avpkt)")
    limit, mean = kept["limit"], kept["avpkt"]
    most = kept.get("max") or (3 * kept["min"] if kept.get("min") else limit // 4)
    least = kept.get("min") or most // 3
    _red(settings, kept, (least, most), mean, "B")


_CHOKE_MOST = (1 << 17) - 1


def choke(settings: Settings, kept: Settings, _said: Said) -> None:
    """Thresholds in packets."""
    for word in ("limit", "bandwidth"):
        if not kept.get(word):
            raise WrongWordError(f"tc wants {word}: choke limit PACKETS bandwidth RATE")
    limit = kept["limit"]
    most = kept.get("max") or limit // 4
    least = kept.get("min") or most // 3
    if most > limit:
        raise WrongWordError(f"max {most} is above limit {limit}")
    if limit > _CHOKE_MOST:
        raise WrongWordError(f"limit {limit} is above {_CHOKE_MOST} packets, which Linux takes at most")
    _red(settings, kept, (least, most), 1, "p")


_OF_RED = ("redflowlimit", "min", "max", "avpkt", "burst", "probability", "ecn", "harddrop")


def sfq(settings: Settings, kept: Settings, said: Said) -> None:
    """RED in each queue, if redflowlimit is given: it is not a bound, but thresholds follow from it."""
    if settings["limit"] in {"0p", "1p"}:
        raise WrongWordError("limit is at least 2 packets")
    limit = kept.get("redflowlimit")
    if not limit:
        if found := [word for word, _ in said if word in _OF_RED]:
            raise WrongWordError(f"tc wants redflowlimit BYTES, to which {found[0]} belongs")
        return
    most = kept.get("max") or limit // 4
    least = kept.get("min") or most // 3
    if most > limit:
        raise WrongWordError(f"max {most} is above redflowlimit {limit}")
    w_q, probability = _weight_and_share(kept, (least, most), kept.get("avpkt", 1000))
    settings.update(red_min=f"{least}B", red_max=f"{most}B", red_w_q=w_q)
    if probability is not None:
        settings["red_max_p"] = probability


def _weight_and_share(
    kept: Settings, thresholds: tuple[int, int], mean: int, unit: int = 1
) -> tuple[float, float | None]:
    """RED's weight and largest probability; None leaves its default."""
    least, most = thresholds
    if kept.get("avpkt") == 0:
        raise WrongWordError("avpkt is at least 1 byte")
    if not 0 < least < most:
        raise WrongWordError(f"min {least} is not between 0 and max {most}")
    burst = kept.get("burst") or (2 * least + most) // (3 * mean)
    probability = share(kept["probability"], least, most, unit) if "probability" in kept else None
    return weight(burst, least, mean), probability


def _red(settings: Settings, kept: Settings, thresholds: tuple[int, int], mean: int, unit: str) -> None:
    """The words that RED and CHOKe have in common; `mean` is a mean packet in the unit of the thresholds."""
    least, most = thresholds
    _, probability = _weight_and_share(kept, thresholds, mean, 1 if unit == "B" else kept.get("avpkt", 1000))
    settings.update(min=f"{least}{unit}", max=f"{most}{unit}", limit=f"{kept['limit']}{unit}")
    settings["avpkt"] = f"{kept.get('avpkt', 1000)}B"
    if kept.get("burst"):
        settings["burst"] = kept["burst"]
    if probability is not None:
        settings["probability"] = probability
    if kept.get("bandwidth"):
        settings["bandwidth"] = f"{8 * kept['bandwidth']}bit"


def sfb(settings: Settings, kept: Settings, _said: Said) -> None:
    """Packets in a bin: tc makes one bound of the other."""
    size, most = kept.get("target", 0), kept.get("max", 0)
    if size or most:
        most = most or (5 * size + 1) // 4
        settings.update(target=size or (4 * most + 3) // 5, max=most)


def tbf(settings: Settings, kept: Settings, said: Said) -> None:
    """Buckets of frames, and a limit in bytes or in time. Here alone tc takes no word twice."""
    for number, (word, _) in enumerate(said):
        if word in [before for before, _ in said[:number]]:
            raise WrongWordError(f"{word!r} is said twice")
    for word in ("rate", "burst"):
        # tc counts bytes per second.
        if kept.get(word, 0) < (8 if word == "rate" else 1):
            raise WrongWordError(f"tc wants {word}: tbf rate RATE burst BYTES latency TIME")
    if bool(kept.get("limit")) == bool(kept.get("latency")):
        raise WrongWordError("tc wants either limit or latency")
    rate, burst, peak, mtu = kept["rate"], kept["burst"], kept.get("peakrate", 0), kept.get("mtu", 0)
    limits = [(rate, burst)]
    if peak >= 8:
        if not mtu:
            raise WrongWordError("tc wants mtu beside peakrate")
        if peak // 8 <= rate // 8:
            raise WrongWordError("peakrate is above rate")
        limits.append((peak, mtu))
    limit = kept.get("limit") or min(int(of / 8 * kept["latency"] / 1e6) + most for of, most in limits)
    if limit >= _WHOLE:
        raise WrongWordError(f"a limit of {limit} bytes is too large for tc: at most {_WHOLE - 1} bytes")
    more = kept.get("overhead", 0)
    settings.update(rate=f"{rate}bit", burst=f"{burst + more}B", overhead=f"{more + ETHERNET}B")
    if peak >= 8:
        settings.update(peakrate=f"{peak}bit", mtu=f"{mtu + more}B")
    if kept.get("mpu"):
        settings["mpu"] = f"{kept['mpu']}B"
    settings.update(kept.get("linklayer", {}), queue={"kind": "fifo", "limit": f"{limit}B"})


def linklayer(text: str) -> Settings:
    """The cells of a layer."""
    if text not in {"ethernet", "atm", "adsl"}:
        raise WrongWordError(f"{text!r} is not ethernet, atm or adsl")
    return {"cells": "atm"} if text != "ethernet" else {}


def police(settings: Settings, _kept: Settings, _said: Said) -> None:
    """A policer has a rate and a burst."""
    for word in ("rate", "burst"):
        if word not in settings:
            raise WrongWordError(f"tc wants {word}: police rate RATE burst BYTES")


def parts(text: str) -> float:
    """DualPI2's alpha or beta in Hz: tc hands over whole 256ths."""
    value = float(text)
    if not 1 / 256 <= value < 1 << 24:
        raise WrongWordError(f"{text!r} is not a number from 1/256 to 2^24")
    return int(value * 256) / 256


def percent(text: str) -> float:
    """A share in percent, with its sign or without."""
    value = round(float(text.removesuffix("%")))
    if not 0 <= value <= 100:
        raise WrongWordError(f"{text!r} is not a share from 0 to 100 %")
    return value / 100


def step(text: str) -> str:
    """DualPI2's step in packets or in time."""
    found = re.fullmatch(r"(\d+)(p|pkts?|packets?)", text)
    return f"{int(found[1])}p" if found else time_of(text)


# Gains of DualPI2 for a longest round trip of tc, as floating-point numbers of 32 bits; it is six typical ones.
_ALPHA_OF_RTT, _BETA_OF_RTT, _RTTS = 0.10000000149011612, 0.30000001192092896, 6


def dualpi2(settings: Settings, kept: Settings, _said: Said) -> None:
    """The numbers that tc computes from round trips."""
    longest, typical = kept.get("max_rtt", 0), kept.get("typical_rtt", 0)
    if not longest and not typical:
        return
    longest = longest or typical * _RTTS
    typical = typical or max(longest // _RTTS, 1)
    if typical > longest:
        raise WrongWordError("typical_rtt is at most max_rtt")
    update = max(int(min(typical, longest / 3)), 1)
    settings.update(target=f"{typical}us", tupdate=f"{update}us")
    settings["alpha"] = parts(str(update / longest / longest * 1e6 * _ALPHA_OF_RTT))
    settings["beta"] = parts(str(_BETA_OF_RTT / longest * 1e6))


# Effects of cake's keywords of the link layer: the bytes that they add, and the least size and the framing that they
# set.
LAYERS: dict[str, tuple[int, int | None, str | None]] = {
    "raw": (0, None, "noatm"),
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
    "ether-vlan": (4, None, None),
}
PATHS = ("datacentre", "lan", "metro", "regional", "internet", "oceanic", "satellite", "interplanetary")
ISOLATIONS = ("flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate")
FRAMINGS = ("noatm", "atm", "ptm")
# Bytes of Ethernet's header, in the sizes of Linux and not in those of Sojourn.
ETHERNET = 14
# What was said of the overhead before these two is forgotten.
_ANEW = ("raw", "conservative")


def cake(settings: Settings, _kept: Settings, said: Said) -> None:
    """Words whose order counts.

    The last rate and the last length of paths hold. Keywords of the link layer add to the overhead and set the rest,
    and `overhead` sets it. With one of these the kernel counts IP packets; with `raw` or none of them, frames.
    """
    if len(paths := [word for word, _ in said if word in PATHS]) > 1:
        raise WrongWordError(f"{paths[1]!r} is a second length of paths after {paths[0]!r}")
    line: Settings = {}
    for word, value in said:
        if word in {"bandwidth", "unlimited"}:
            settings.pop("autorate_ingress", None)
        elif word == "autorate-ingress":
            settings["autorate_ingress"] = True
        elif word == "rtt" or word in PATHS:
            settings.pop("target", None)
            # Of rtt 0 tc makes the smallest target, and leaves the default interval.
            none = {"path": "internet", "rtt": "auto", "target": "1us"}
            settings.update({"path": word, "rtt": "auto"} if word in PATHS else {"rtt": value} if value else none)
        elif word in LAYERS:
            adds, least, framing = LAYERS[word]
            line["overhead"] = (0 if word in _ANEW else line.get("overhead", 0)) + adds
            line |= {"mpu": least} if least is not None else {}
            line |= {"framing": framing} if framing is not None else {}
        elif word in {"overhead", "mpu"}:
            line[word] = value
        elif word in FRAMINGS:
            line["framing"] = word
    words = [word for word, _ in said if word in LAYERS or word in FRAMINGS or word in {"overhead", "mpu"}]
    if "raw" in words or not any(word in LAYERS or word == "overhead" for word in words):
        settings.update({**line, "overhead": line.get("overhead", 0) + ETHERNET})
        return
    settings.update(
        {"link_layer": words[0]} if len(words) == 1 and words[0] in LAYERS and words[0] != "ether-vlan" else line
    )
