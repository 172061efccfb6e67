"""Linux's names for its TCP senders: ``net.ipv4.tcp_congestion_control=bbr net.ipv4.tcp_ecn=1``.

Each name of ``sysctl``, and each word of ``ip route``, sets parameters of the transport ``tcp``, which begins with its
profile ``linux``: the kernel's defaults hold for all other parameters. Names that Linux has and Sojourn does not are
taken without effect, and a note says why.

Compared with: Documentation/networking/ip-sysctl.rst of Linux 6.12, and ip-route(8).
"""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..._core import ScenarioError
from .._base.nearest import nearest_hint
from .._base.toml import inline
from ..catalogue.names import absent
from ..catalogue.warnings import WordWarning

if TYPE_CHECKING:
    from .scenario import Scenario

__all__ = ["DEFAULTS", "NAMES", "ROUTE", "sender", "with_senders"]

Settings = dict[str, Any]
Read = Callable[[str], Settings]

DEFAULTS: Mapping[str, Any] = {"kind": "tcp", "profile": "linux", "control": {"kind": "cubic", "preset": "linux"}}
"""Linux's defaults."""


class _WrongValueError(ValueError):
    """A value that the kernel, or Sojourn, does not take there."""


@dataclass(frozen=True)
class Name:
    """A name of Linux: the parameters that its value sets, and the kernel's default."""

    read: Read
    default: str


def _of(values: Mapping[str, Settings], refused: Mapping[str, str] | None = None) -> Read:
    """One of some values."""

    def read(text: str) -> Settings:
        if refused and text in refused:
            raise _WrongValueError(f"{text} is not here: {refused[text]}")
        if text not in values and (instead := absent(text)):
            raise _WrongValueError(f"{text} is not here: {instead}")
        if text not in values:
            hint = nearest_hint(text.lower(), values)
            raise _WrongValueError(f"{text!r} is not a value of it\n  allowed: {', '.join(values)}{hint}")
        return values[text]

    return read


def _number(parameter: str, least: int, most: int, scale: float | None = None, unit: str = "") -> Read:
    """A whole number, with a factor or a unit for the parameter."""

    def read(text: str) -> Settings:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise _WrongValueError(f"{text!r} is not a value of it\n  allowed: {least} to {most}")
        number = int(text)
        return {parameter: f"{number}{unit}" if unit else number if scale is None else number * scale}

    return read


def _time(parameter: str) -> Read:
    """A time of ``ip route``: milliseconds without a unit."""

    def read(text: str) -> Settings:
        found = re.fullmatch(r"(\d+)(ms|s)?", text)
        if found is None:
            raise _WrongValueError(f"{text!r} is not a time\n  allowed: such as 40ms")
        return {parameter: f"{found[1]}{found[2] or 'ms'}"}

    return read


def _buffer(parameter: str, name: str, first: int) -> Read:
    """The largest buffer; it begins with the kernel's default, `first` bytes."""

    def read(text: str) -> Settings:
        parts = text.split()
        if len(parts) != 3 or not all(part.isdecimal() for part in parts):
            raise _WrongValueError(f"{text!r} is not three numbers\n  allowed: least, default and most bytes")
        _, begins, most = map(int, parts)
        if begins != first:
            _note(f"the second number of {name} is {first} here, where a buffer begins")
        # A socket keeps the buffer that it began with.
        return {parameter: f"{max(begins, most)}B"}

    return read


def _preset(kind: str) -> Settings:
    return {"control": {"kind": kind, "preset": "linux"}}


CONTROLS: Mapping[str, Settings] = {
    **{name: _preset(name) for name in ("cubic", "bbr", "vegas", "westwood", "scalable", "htcp", "illinois", "bic")},
    **{name: _preset(name) for name in ("hybla", "veno", "yeah", "nv", "cdg")},
    "highspeed": _preset("hstcp"),
    "bbr3": {"control": {"kind": "bbr3", "preset": "linux_v3"}},
    "prague": {"control": {"kind": "prague", "preset": "tcp_prague"}},
    "reno": {"control": "reno"},
    "dctcp": {"control": "dctcp"},
}
"""Names of ``tcp_congestion_control``."""

_CONTROL = _of(CONTROLS, {"lp": "low-priority TCP is not built"})
_WITHOUT_RACK: Settings = {
    "recovery": "sack",
    **dict.fromkeys(("undo", "f_rto", "dsack", "offload", "defer", "pacing"), False),
}
"""These need losses that are found by time."""
_OF_RACK = ("tail_probe", "pacing_slow_start", "pacing_avoidance")
"""These have an effect only with such losses."""


def _switch(parameter: str) -> Read:
    return _of({"0": {parameter: False}, "1": {parameter: True}})


NAMES: Mapping[str, Name] = {
    "tcp_congestion_control": Name(_CONTROL, "cubic"),
    "tcp_ecn": Name(
        _of(
            # From 3 on those of Linux 7.0: it answers accurate ECN, and asks for it, for that of RFC 3168, or for none.
            {
                "0": {"ecn": False},
                "1": {"ecn": True},
                "2": {},
                "3": {"ecn": True, "ecn_feedback": "accecn_options"},
                "4": {"ecn": True},
                "5": {},
            },
        ),
        "2",
    ),
    "tcp_ecn_fallback": Name(_switch("ecn_fallback"), "1"),
    "tcp_sack": Name(_of({"1": {}}, {"0": "Linux's recovery without SACK is not built; that of RFC 6582 is"}), "1"),
    "tcp_dsack": Name(_switch("dsack"), "1"),
    "tcp_timestamps": Name(_of({"0": {"timestamps": False, "header": "40B"}, "1": {}, "2": {}}), "1"),
    "tcp_recovery": Name(
        _of(
            {"0": _WITHOUT_RACK, "1": {}},
            dict.fromkeys(("2", "3", "4", "5", "6", "7"), "RACK has its window of reordering from RFC 8985 alone"),
        ),
        "1",
    ),
    "tcp_early_retrans": Name(_of({"0": {"tail_probe": False}, "3": {}, "4": {}}), "3"),
    "tcp_frto": Name(_of({"0": {"f_rto": False}, "1": {}, "2": {}}), "2"),
    "tcp_slow_start_after_idle": Name(_of({"0": {"idle_restart": "off"}, "1": {"idle_restart": "decay"}}), "1"),
    "tcp_moderate_rcvbuf": Name(_switch("tuning"), "1"),
    "tcp_rmem": Name(_buffer("receive_buffer", "tcp_rmem", 131_072), "4096 131072 6291456"),
    "tcp_wmem": Name(_buffer("send_buffer", "tcp_wmem", 16_384), "4096 16384 4194304"),
    "tcp_rto_min_us": Name(_number("rto_min", 1, 120_000_000, unit="us"), "200000"),
    "tcp_rto_max_ms": Name(_number("rto_max", 1000, 120_000, unit="ms"), "120000"),
    "tcp_comp_sack_delay_ns": Name(_number("sack_delay", 0, 1_000_000_000, unit="ns"), "1000000"),
    "tcp_pacing_ss_ratio": Name(_number("pacing_slow_start", 100, 1000, 0.01), "200"),
    "tcp_pacing_ca_ratio": Name(_number("pacing_avoidance", 100, 1000, 0.01), "120"),
    "tcp_reordering": Name(_number("dup_threshold", 1, 300), "3"),
}
"""Names of ``sysctl``, without ``net.ipv4.``."""

ROUTE: Mapping[str, Name] = {
    "initcwnd": Name(_number("initial_window", 1, 1_000_000), "10"),
    "ssthresh": Name(_number("initial_ssthresh", 1, 1_000_000_000), "none"),
    "window": Name(_number("window", 1, 1_000_000_000, unit="B"), "none"),
    "rto_min": Name(_time("rto_min"), "200ms"),
    "congctl": Name(_CONTROL, "cubic"),
    "quickack": Name(_of({"0": {}, "1": {"ack_every": 1}}), "0"),
    "features": Name(_of({"ecn": {"ecn": True}}), "none"),
}
"""Words of ``ip route``, each before its value."""

_KEEPALIVE = ("time", "probes", "intvl")


def _alike(why: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, why)


NOT_HERE: Mapping[str, str] = {
    "rmem_max": "it limits requests of programs, and none asks here; tcp_rmem limits the window",
    "wmem_max": "it limits requests of programs, and none asks here; tcp_wmem limits a sender's buffer",
    "default_qdisc": "it is the queue of the senders' own cards, where no packet waits here; the bottleneck's is --set "
    "dumbbell.queue",
    "tcp_window_scaling": "windows are not limited to 65535 bytes here; write window 65535 for that",
    "tcp_fastopen": "data does not travel with a SYN here",
    "tcp_mtu_probing": "the size of packets is that of the transport: packet",
    "tcp_no_metrics_save": "no connection knows of an earlier one here",
    "tcp_limit_output_bytes": "packets do not wait in the sender's own queue here",
    "tcp_notsent_lowat": "data that an application writes wait in the application here",
    "tcp_autocorking": "writes are not gathered here",
    "tcp_comp_sack_nr": "the delay alone bounds how long reports are gathered here",
    "tcp_fack": "the kernel has not had it since 4.15",
    "tcp_low_latency": "the kernel has not used it since 4.14",
    "tcp_retries2": "connections are not given up here",
    "initrwnd": "a receiver begins with the window that Linux has without it",
    "mtu": "the size of packets is that of the transport: packet",
    "advmss": "the size of packets is that of the transport: packet",
    "reordering": "write tcp_reordering=3",
    "hoplimit": "packets have no limit of hops here",
    "rtt": "no connection knows of an earlier one here",
    "rttvar": "no connection knows of an earlier one here",
    **_alike(
        "it is about how connections begin and end, which cost nothing here",
        *("tcp_abort_on_overflow", "tcp_ehash_entries", "tcp_fin_timeout", "tcp_max_orphans", "tcp_max_syn_backlog"),
        *("tcp_max_tw_buckets", "tcp_migrate_req", "tcp_orphan_retries", "tcp_rfc1337", "tcp_syn_linear_timeouts"),
        *("tcp_syncookies", "tcp_tw_reuse"),
    ),
    **_alike("connections are not given up here", "tcp_retries1", "tcp_syn_retries", "tcp_synack_retries"),
    **_alike("nothing asks here whether the other end is there", *(f"tcp_keepalive_{of}" for of in _KEEPALIVE)),
    **_alike("the kernel has not had it since 4.12", "tcp_tw_recycle"),
    **_alike("there is no limit of a machine's memory here", "tcp_mem"),
    **_alike("the default of Linux holds", "tcp_adv_win_scale", "tcp_app_win", "tcp_min_rtt_wlen"),
    **_alike("the default of Linux holds", "tcp_tso_win_divisor", "tcp_min_tso_segs", "tcp_max_reordering"),
    **_alike("it is about attacks, and there are none here", "tcp_challenge_ack_limit", "tcp_invalid_ratelimit"),
    **_alike(
        "the size of packets is that of the transport: packet",
        *("tcp_base_mss", "tcp_min_snd_mss", "tcp_mtu_probe_floor", "tcp_probe_interval", "tcp_probe_threshold"),
    ),
}
"""Names of sysctl and words of ``ip route`` that Linux has and Sojourn does not: they are taken without effect."""


_SIZES = {"packet": "", "header": "40B", "ack_size": "40B"}
"""Sizes of packets with their defaults: those of a scenario stay."""
_JOINED = re.compile(r"[ \t]*=[ \t]*")
_PREFIX = re.compile(r"(?:sudo\s+)?sysctl\s+(?:-[-\w]+\s+)*")
_COMMENT = re.compile(r"^\s*[#;].*$|(?<=\s)#.*$", re.MULTILINE)
_ROUTE = re.compile(r"(?:sudo\s+)?ip\s+(?:-[46]\s+)?r(?:oute)?\s+(?:add|change|replace|append|show)?\s*(?P<rest>.*)")
# Words of a route before its settings, each with a value, and flags.
_OF_ROUTES = frozenset({"via", "dev", "proto", "scope", "src", "metric", "table", "type", "weight", "pref", "tos"})
_FLAGS = frozenset({"onlink", "linkdown", "lock"})


def sender(line: str) -> Settings:
    """Read names of Linux as the table of a transport.

    Parameters
    ----------
    line
        Such as ``"net.ipv4.tcp_congestion_control=bbr tcp_ecn=1 initcwnd 20"``, a line of ``ip route``, or the lines of
        a file ``sysctl.conf``; empty for the kernel's defaults.

    Raises
    ------
    ScenarioError
        With the refused name or value, and the allowed ones.

    Warns
    -----
    WordWarning
        About names that Linux has and that have no effect here, or less than there.

    Examples
    --------
    >>> sender("net.ipv4.tcp_congestion_control=bbr initcwnd 20")["initial_window"]
    20
    """
    settings: Settings = dict(DEFAULTS)
    seen = set()
    words = _words(line)
    while words:
        word = words.pop(0)
        name, equals, value = word.partition("=")
        short = _short(name)
        if short in seen:
            raise ScenarioError(f"--tcp: {short} is said twice")
        seen.add(short)
        if equals and _is_of_others(name):
            # Values of others may be several words.
            while words and "=" not in words[0] and words[0] not in ROUTE:
                del words[0]
            _note(f"{name} is no setting of TCP senders")
            continue
        if equals:
            # Several numbers, as a file has them: without quotes.
            while words and words[0].isdecimal():
                value = f"{value} {words.pop(0)}".strip()
        known = NAMES if equals else ROUTE
        if short not in known and short not in NOT_HERE:
            raise _unknown(word, short, equals)
        if not equals:
            value = words.pop(0) if words else ""
        if short in NOT_HERE:
            settings.update(_without_effect(short, value))
            continue
        try:
            settings.update(known[short].read(value))
        except _WrongValueError as wrong:
            raise ScenarioError(f"--tcp {short}: {wrong}") from None
    if settings["control"] == "dctcp":
        # The kernel offers ECN for a law that needs it, whatever tcp_ecn says.
        settings.pop("ecn", None)
    if settings.get("ecn") is False and settings.pop("ecn_fallback", None) is not None:
        _note("with tcp_ecn=0 tcp_ecn_fallback has no effect")
    for parameter, usual in (("pacing_slow_start", 2.0), ("pacing_avoidance", 1.2)):
        if settings.get(parameter, usual) != usual and settings.get("recovery") != "sack":
            _note(f"{parameter} of tcp has an effect only with pacing = true, as with the queue fq in Linux")
    if settings.get("recovery") == "sack":
        if "tcp_frto" in seen:
            _note("with tcp_recovery=0 tcp_frto has no effect: RFC 6675 recovers without F-RTO here")
        for parameter in _OF_RACK:
            if settings.pop(parameter, None) is not None:
                _note(f"with tcp_recovery=0 {parameter} of tcp has no effect")
    return settings


def _words(line: str) -> list[str]:
    """The names with their values, without comments and the commands around them."""
    found = []
    for text in _COMMENT.sub("", line).splitlines():
        part = _PREFIX.sub("", text.strip(), count=1)
        if route := _ROUTE.fullmatch(part):
            found += _of_route(route["rest"].split())
            continue
        try:
            found += shlex.split(_JOINED.sub("=", part))
        except ValueError as error:
            raise ScenarioError(f"--tcp {part!r}: {error}") from None
    return found


def _of_route(words: list[str]) -> list[str]:
    """The settings of a route, behind its destination."""
    rest = iter(words[1:])
    found = []
    for word in rest:
        if word in _OF_ROUTES:
            next(rest, "")
        elif word not in _FLAGS:
            found.append(word)
    return found


def _short(name: str) -> str:
    """A name without the folders before it."""
    dotted = name.replace("/", ".").removeprefix(".proc.sys.").removeprefix(".proc.sys")
    return dotted.removeprefix("net.ipv4.").removeprefix("net.core.")


def _is_of_others(name: str) -> bool:
    """Whether a name with a folder is about something else than TCP, as most of a file ``sysctl.conf``."""
    short = _short(name)
    return short not in NAMES and short not in NOT_HERE and "." in name and not short.startswith("tcp_")


def _without_effect(short: str, value: str) -> Settings:
    """Take a name that is not here, with a note; the queue ``fq`` of a sender's card paces."""
    if short == "default_qdisc" and value == "fq":
        _note("default_qdisc=fq: senders pace (tcp: pacing = true); no packet waits in their own cards here")
        return {"pacing": True}
    if short == "tcp_window_scaling" and value == "0":
        raise ScenarioError(f"--tcp: tcp_window_scaling=0 is not here: {NOT_HERE[short]}")
    _note(f"{short} has no effect: {NOT_HERE[short]}")
    return {}


def _note(text: str) -> None:
    warnings.warn(f"--tcp: {text}", WordWarning, stacklevel=3)


def _unknown(word: str, short: str, equals: str) -> ScenarioError:
    if not equals and short in NAMES:
        return ScenarioError(f"--tcp: the value of {short} is missing\n  hint:    write {short}={NAMES[short].default}")
    if equals and short in ROUTE:
        return ScenarioError(f"--tcp: {short} is a word of ip route\n  hint:    write {word.replace('=', ' ')}")
    if not equals and short.lower() in CONTROLS:
        return ScenarioError(
            f"--tcp: {short!r} has no name before it\n  hint:    write tcp_congestion_control={short.lower()}"
        )
    names = [*NAMES, *ROUTE]
    if not equals and Path(word).is_file():
        return ScenarioError(f'--tcp: {word!r} is a file; it takes the lines of one\n  hint:    --tcp "$(cat {word})"')
    hint = nearest_hint(short, names) or f"\n  allowed: {', '.join(names)}"
    return ScenarioError(f"--tcp: {short!r} is no name that is here{hint}")


def with_senders(scenario: Scenario, line: str) -> Scenario:
    """The scenario with all its senders of TCP as Linux has them with these settings; sizes of packets stay.

    Raises
    ------
    ScenarioError
        If the line is not understood, or nothing in the scenario sends by TCP.
    """
    settings = sender(line)
    flows = scenario.resolved()["flow"]
    places = [place for place, flow in enumerate(flows) if flow["transport"]["kind"] == "tcp"]
    if not places:
        raise ScenarioError("--tcp: no group of flows of this scenario sends by TCP")
    text, file, overrides = scenario.written
    sizes = {
        place: {key: value for key, value in flows[place]["transport"].items() if _SIZES.get(key, value) != value}
        for place in places
    }
    changed = [f"flow[{place}].transport={inline({**settings, **sizes[place]})}" for place in places]
    return type(scenario).from_toml(text, file=file, overrides=[*overrides, *changed])
