"""The rules of ``sojourn design``, each with the options that it needs and how these are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NoReturn

if TYPE_CHECKING:
    from ..models.design.basics import Design, Load

__all__ = ["FULL_BUFFER", "IN_ANOTHER", "OF_DELAY", "RULES", "Given", "bytes_of_packet", "load_of", "options_of"]

_Text = str | None


@dataclass(frozen=True)
class Given:
    """The options as they were written; `used` are those that the rule has looked at."""

    rule: str
    texts: Mapping[str, _Text]
    used: set[str]

    def text(self, option: str) -> _Text:
        """An option as it was written, if it was."""
        self.used.add(option)
        return self.texts[option]

    def wanted(self, option: str, example: str) -> str:
        """An option that the rule cannot do without."""
        text = self.text(option)
        if text is None:
            raise ValueError(f"{self.rule}: --{option} is missing\n  hint:    such as --{option} {example}")
        return text

    def number(self, option: str, default: float | None = None) -> float | None:
        """A number above 0."""
        text = self.text(option)
        return default if text is None else _number(option, text)

    def packets(self, option: str) -> float | None:
        """A number of packets."""
        text = self.text(option)
        return None if text is None else _packets(option, text)

    def seconds(self, option: str, example: str) -> float:
        """A time that the rule cannot do without."""
        return _seconds(option, self.wanted(option, example))


def options_of(given: Given) -> str:
    """The options that the rule has looked at, for a message."""
    return ", ".join(f"--{name}" for name in given.texts if name in given.used)


# ---- The rules, each with the options that it needs.


def _capacity(given: Given, packet_bytes: float) -> float:
    from ... import _core

    text = given.wanted("rate", "10Mbit")
    try:
        return _core.bits_per_second(text) / (8.0 * packet_bytes)
    except ValueError as error:
        raise ValueError(f"--rate {error}") from None


def load_of(given: Given, packet_bytes: float) -> Load:
    """Flows, greatest round-trip time and rate in packets a second."""
    from ..models.design.automatic import greatest_rtt
    from ..models.design.basics import Load

    text = given.wanted("flows", "100")
    flows = _number("flows", text)
    capacity = _capacity(given, packet_bytes)
    propagation = given.text("propagation")
    if propagation is None:
        return Load(flows=flows, rtt_s=given.seconds("rtt", "200ms"), capacity=capacity)
    if given.text("rtt") is not None:
        raise ValueError(f"{given.rule}: give --rtt or --propagation, not both")
    limit = given.packets("limit")
    if limit is None:
        raise ValueError(f"{given.rule}: --propagation needs the buffer, too\n  hint:    such as --limit 100p")
    rtt = greatest_rtt(limit, capacity, _seconds("propagation", propagation))
    return Load(flows=flows, rtt_s=rtt, capacity=capacity)


def _p(given: Given, packet_bytes: float) -> Design:
    from ..models.design.hollot import of_p

    load = load_of(given, packet_bytes)
    return of_p(load, max_p=given.number("max-p") or 1.0, limit=given.packets("limit"))


def _pi(given: Given, packet_bytes: float) -> Design:
    from ..models.design.hollot import of_pi

    load = load_of(given, packet_bytes)
    frequency = given.number("frequency", 170.0)
    assert frequency is not None  # noqa: S101 - there is a default
    return of_pi(load, frequency_hz=frequency, target=given.packets("target"), limit=given.packets("limit"))


def _red(given: Given, packet_bytes: float) -> Design:
    from ..models.design.hollot import of_red

    load = load_of(given, packet_bytes)
    return of_red(
        load, max_p=given.number("max-p") or 0.1, target=given.packets("target"), limit=given.packets("limit")
    )


def _avq(given: Given, packet_bytes: float) -> Design:
    from ..models.design.avq import of_avq

    text = given.text("reading") or "printed"
    if text not in ("printed", "lead"):
        raise ValueError(f"--reading {text}: there is no such reading\n  allowed: printed, lead")
    reading: Literal["printed", "lead"] = "printed" if text == "printed" else "lead"
    load = load_of(given, packet_bytes)
    return of_avq(load, utilisation=given.number("utilisation") or 1.0, reading=reading, limit=given.packets("limit"))


def _lred(given: Given, packet_bytes: float) -> Design:
    from ..models.design.lred import of_lred

    load = load_of(given, packet_bytes)
    return of_lred(load, target=given.packets("target"), limit=given.packets("limit"))


def _ared(given: Given, packet_bytes: float) -> Design:
    from ..models.design.automatic import of_ared

    delay = given.text("delay")
    return of_ared(
        _capacity(given, packet_bytes),
        target_delay_s=0.005 if delay is None else _seconds("delay", delay),
        limit=given.packets("limit"),
    )


def _of_delay(rule: Callable[..., Design]) -> Callable[[Given, float], Design]:
    """A rule that wants a rate, and takes a round-trip time, a target delay and a limit."""

    def computed(given: Given, packet_bytes: float) -> Design:
        rate = 8.0 * packet_bytes * _capacity(given, packet_bytes)
        trip, delay = given.text("rtt"), given.text("delay")
        return rule(
            rate,
            rtt_s=None if trip is None else _seconds("rtt", trip),
            packet_bytes=packet_bytes,
            target_s=None if delay is None else _seconds("delay", delay),
            limit=given.packets("limit"),
        )

    return computed


def _codel(given: Given, packet_bytes: float) -> Design:
    from ..models.design.delay import of_codel

    return _of_delay(of_codel)(given, packet_bytes)


def _fq_codel(given: Given, packet_bytes: float) -> Design:
    from ..models.design.delay import of_fq_codel

    return _of_delay(of_fq_codel)(given, packet_bytes)


def _pie(given: Given, packet_bytes: float) -> Design:
    from ..models.design.delay import of_pie

    return _of_delay(of_pie)(given, packet_bytes)


def _psand(given: Given, packet_bytes: float) -> Design:
    from ..models.design.automatic import of_psand

    return of_psand(
        _capacity(given, packet_bytes),
        target=_packets("target", given.wanted("target", "10p")),
        limit=_packets("limit", given.wanted("limit", "35p")),
        coef=given.number("coef") or 1.75,
        gamma=given.number("gamma") or 1.5,
    )


RULES: Mapping[str, Callable[[Given, float], Design]] = {
    "codel": _codel,
    "fq_codel": _fq_codel,
    "pie": _pie,
    "p": _p,
    "pi": _pi,
    "red": _red,
    "avq": _avq,
    "lred": _lred,
    "ared": _ared,
    "psand": _psand,
}
OF_DELAY = ("codel", "fq_codel", "pie")
"""Rules that ask for the largest packet, not for the mean."""
IN_ANOTHER = {
    "r+": "give --propagation and --limit to p, pi, red, avq or lred: they print R+ = propagation + limit / C",
    "w_q": "red and ared print the automatic w_q",
    "thresholds": "red and ared print the automatic thresholds",
}
"""A name that is no rule, and the rules that print it."""

FULL_BUFFER = "Alemu 2004, table 4.1: a full buffer and the propagation"


# ---- Values as users write them.


def _refused(option: str, text: str, what: str, example: str) -> NoReturn:
    raise ValueError(f"--{option} {text}: {what}\n  hint:    write it as {example}")


def _number(option: str, text: str) -> float:
    return _above_zero(option, text, text, "100 or 0.5")


def _above_zero(option: str, text: str, number: str, example: str) -> float:
    try:
        value = float(number)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0.0):
        _refused(option, text, "this is not a number above 0", example)
    return value


def _packets(option: str, text: str) -> float:
    if not text.endswith("p"):
        _refused(option, text, "this is not a number of packets", "25p")
    return _above_zero(option, text, text.removesuffix("p"), "25p")


def _seconds(option: str, text: str) -> float:
    from ... import _core

    try:
        return _core.seconds(text)
    except ValueError as error:
        raise ValueError(f"--{option} {error}") from None


def bytes_of_packet(text: str) -> float:
    """The size of a packet."""
    from ... import _core

    try:
        size = _core.byte_count(text)
    except ValueError as error:
        raise ValueError(f"--packet {error}") from None
    if size == 0:
        _refused("packet", text, "a packet has at least one byte", "1000B")
    return float(size)
