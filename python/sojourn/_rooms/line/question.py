"""A line as a scenario: a household that uploads, downloads, calls, plays and reads while probes measure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from .._base.nearest import nearest_hint
from .._base.toml import Value, document
from ..catalogue.names import plain_name
from ..runs.about import Yardstick
from ..runs.runner import study, until_answered
from ..scenario import sysctl
from ..scenario.scenario import Scenario
from ..statistics.questions import Question
from .answer import Answered, answer
from .candidates import CANDIDATES, Candidate, QueueTable, candidate
from .links import LINKS, LinkKind, elsewhere
from .ranking import METRICS
from .shapers import EXACT, Shaper
from .varying import Variation, variation

if TYPE_CHECKING:
    from ..runs.pool import Progress
    from ..runs.result import Study
    from ..scenario.texts import Seeds

__all__ = ["BUFFER_S", "Line", "ask", "between", "check_interface", "household", "nodes_of"]

BUFFER_S = 0.25
"""Our choice for the size of a modem's buffer: lines were seen from 50 ms to seconds (Dischinger and others 2007)."""
_WINDOW_S = 20.0
"""Four intervals of 5 s: draft-ietf-ippm-responsiveness-09 section 5.2."""
_WARMUP_S = 10.0
_MOST_PACKETS_PER_S = 20_000.0
"""On faster lines a shorter time is simulated, so that the answer does not take longer."""
_LEAST_WINDOW_S = 4.0
_FAST_WINDOW_S, _MORE = 12.0, 5.0
"""On lines of up to 2 Gbit/s in all: CUBIC's four flows need 7.5 s to regain their window after a loss at 1 Gbit/s and
30 ms (RFC 9438 section 4.2, K for 560 packets), so that less measures how they began. It costs five times as much."""
_PACKET_S = 1.3e-6
_ROUNDS = 100.0
"""Round trips that are measured at least where they are long: 20 s are only 33 of 600 ms."""
_RATE = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)(?:\s*(?P<unit>[kmg])(?:bit)?)?", re.IGNORECASE)
_UNITS = {"k": 1e3, "m": 1e6, "g": 1e9}
_LEAST_BPS = 5e5
"""A call, a game and the probes take 0.2 Mbit/s each way: on slower lines they leave no room for what is compared."""
_TIME = re.compile(r"(?P<number>[0-9]+(?:\.[0-9]+)?)\s*(?P<unit>us|ms|s)")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_INTERFACE = re.compile(r"(?![.-])[A-Za-z0-9_.-]{1,15}")
_LAN = "10Gbit"
"""The home's network behind the router's queue, which is never slower than the line."""
_TCP: Mapping[str, Value] = {**sysctl.DEFAULTS, "packet": "1500B"}
"""CUBIC, the default of Linux, macOS and Windows; the settings are Linux's."""


@dataclass(frozen=True)
class Line:
    """An access line.

    Attributes
    ----------
    up_bps, down_bps
        Its rates in bits per second.
    rtt_s
        The round trip without queues to the servers of the household, in seconds.
    link
        A name of :data:`LINKS`.
    buffer_s
        The size of the buffer at each end of the line, the modem's and the provider's, in seconds at the line's rate.
    shaper
        Of the router.
    down_buffer_s
        The size of the provider's buffer, if it is another one.
    varying
        The changes of its rate and delay; None if there are none.
    unsure
        The ways whose rates are only known to be at least these: no shaper can be set by them.
    """

    up_bps: int
    down_bps: int
    rtt_s: float
    link: str = "ethernet"
    buffer_s: float = BUFFER_S
    shaper: Shaper = EXACT
    down_buffer_s: float | None = None
    varying: Variation | None = None
    unsure: tuple[str, ...] = ()

    @classmethod
    def read(cls, rates: str, *, rtt: str = "30ms", link: str = "ethernet", buffer: str | None = None) -> Line:
        """From texts: ``"20/100"`` is 20 Mbit/s up and 100 Mbit/s down.

        Raises
        ------
        ValueError
            With the found and the allowed values.
        """
        up, slash, down = rates.partition("/")
        if not slash:
            raise ValueError(f"line {rates!r}: a rate is missing\n  allowed: UP/DOWN, such as 20/100 or 5Mbit/1Gbit")
        link, _, settings = link.partition(":")
        if link not in LINKS:
            told = elsewhere(plain_name(link))
            hint = f"\n  hint:    {told}" if told else nearest_hint(link, LINKS)
            raise ValueError(f"--link {link}: there is no such link\n  allowed: {', '.join(LINKS)}{hint}")
        buffer_s = BUFFER_S if buffer is None else _time(buffer, "--buffer", 0.001, 10.0)
        rtt_s = _time(rtt, "--rtt", 0.0, 2.0)
        varying = variation(link, settings)
        return cls(_rate(up, rates), _rate(down, rates), rtt_s, link, buffer_s, varying=varying)

    @property
    def kind(self) -> LinkKind:
        """The link."""
        return LINKS[self.link]

    @property
    def note(self) -> str:
        """The assumptions about its link, in a sentence; empty if there are none."""
        return self.varying.note if self.varying is not None else self.kind.note

    @property
    def shaped(self) -> tuple[int, int]:
        """The rates to which a queue shapes, in bits per second: up and down."""
        return self.shaper.rates(self.up_bps, self.down_bps, self.kind)

    @property
    def words(self) -> str:
        """The line in a few words.

        >>> Line.read("20/100", rtt="30ms", link="docsis").words
        '20/100 Mbit/s over docsis, 30 ms without load'
        """
        rates = "/".join(f"{rate / 1e6:g}" for rate in (self.up_bps, self.down_bps))
        return f"{rates} Mbit/s over {self.link}, {self.rtt_s * 1e3:g} ms without load"

    @property
    def window_s(self) -> float:
        """How long the network is measured, in simulated seconds."""
        packets = (self.up_bps + self.down_bps) / 12_000.0
        affordable = _WINDOW_S * _MOST_PACKETS_PER_S / packets
        # Senders need many round trips until their rates no longer depend on how they began.
        rounds = min(_ROUNDS * self.rtt_s, 3.0 * affordable)
        fast = min(_FAST_WINDOW_S, _MORE * affordable)
        least = 0.0 if self.varying is None else self.varying.least_window_s
        return max(min(_WINDOW_S, affordable), fast, rounds, least, _LEAST_WINDOW_S)

    @property
    def warmup_s(self) -> float:
        """How long the network runs before, in simulated seconds."""
        return max(min(_WARMUP_S, self.window_s), self.window_s / 2.0)

    def processor_s(self, runs: int) -> float:
        """Seconds of processor time that runs of a household take, roughly: 1.3 µs for each full packet."""
        return runs * (self.warmup_s + self.window_s) * (self.up_bps + self.down_bps) / 12_000.0 * _PACKET_S

    def scenario(self, name: str) -> Scenario:
        """The household on the line, with one of :data:`CANDIDATES` or the queue of a line of ``tc``."""
        links = self.links(name, "home")
        content: dict[str, Value] = {
            "title": f"A household on {self.words}",
            "duration": f"{self.warmup_s + self.window_s:g}s",
            "warmup": f"{self.warmup_s:g}s",
            "node": nodes_of(links),
            "link": links,
            "flow": [between("home", flow) for flow in household()],
        }
        return Scenario.from_toml(document(content), file=f"{name}.toml")

    def links(self, name: str, home: str) -> list[Mapping[str, Value]]:
        """The line between the nodes `home` and ``server``, with a candidate.

        A router shapes packets from the network after they crossed the line: the link ``down`` has the provider's
        buffer, and the link ``router`` behind it has the queue. The modem alone has no link ``router``.
        """
        (up, down), (_, buffer) = self.queues(name), self.queues("modem")
        routed = bool(candidate(name).words)
        inside = "router" if routed else home
        links: list[Mapping[str, Value]] = [
            {"name": "up", "from": home, "to": "server", "queue": up, **self._wire("up", self.up_bps)},
            {"name": "down", "from": "server", "to": inside, "queue": buffer, **self._wire("down", self.down_bps)},
        ]
        if routed:
            lan: Mapping[str, Value] = {"duplex": False, "rate": _LAN, "delay": "0s", "mean_packet": "1500B"}
            links.append({"name": "router", "from": "router", "to": home, "queue": down, **lan})
        return links

    def _wire(self, way: str, bps: int) -> Mapping[str, Value]:
        """The link of a direction without its queue. A trace says what is sent, whatever the frames are."""
        kind, varying, delay_s = self.kind, self.varying, self.rtt_s / 2.0
        fixed: Mapping[str, Value] = {"duplex": False, "delay": f"{delay_s * 1e9:.0f}ns", "mean_packet": "1500B"}
        if varying is not None and (trace := varying.trace(way)):
            return {"rate": {"mahimahi": trace}, **fixed}
        frames: Mapping[str, Value] = {"overhead": f"{kind.overhead}B", "mpu": f"{kind.mpu}B", "cells": kind.cells}
        changes = [] if varying is None else list(varying.changes(bps, delay_s, self.warmup_s + self.window_s))
        return {"rate": f"{bps}bit", **fixed, **frames, **({"changes": changes} if changes else {})}

    def queues(self, name: str) -> tuple[QueueTable, QueueTable]:
        """The queue up and the queue down."""
        one, link = self._candidate(name), self.shaper.seen(self.kind)
        up, down = self.shaped
        buffer_s = self.buffer_s if self.down_buffer_s is None else self.down_buffer_s
        return (
            one.queue(self.up_bps, up, link, self.buffer_s, self.rtt_s, down=False),
            one.queue(self.down_bps, down, link, buffer_s, self.rtt_s, down=True),
        )

    def words_for(self, name: str) -> tuple[str, str]:
        """The words of ``tc`` for a candidate on this line, up and down, without its rate; empty for the modem."""
        up, down = (candidate(name).on(rate, self.rtt_s) for rate in self.shaped)
        return up, down

    def lines(self, name: str, device: str = "eth0", ingress: str = "") -> list[str]:
        """The lines of ``tc`` for a candidate, which may be pasted again; the first one alone undoes the others.

        Packets from the network are redirected to the interface `ingress`, which is made for them: ``ifb4eth0``.

        Raises
        ------
        ValueError
            If `device` or `ingress` cannot be the name of an interface.
        """
        ingress = ingress or f"ifb4{device}"[:15]
        for interface in (device, ingress):
            check_interface(interface)
        one, link = self._candidate(name), self.shaper.seen(self.kind)
        if not one.words:
            return []
        up, down = self.shaped
        redirect = f"action mirred egress redirect dev {ingress}"
        old = [f"tc qdisc del dev {device} root", f"tc qdisc del dev {device} clsact", f"ip link del {ingress}"]
        return [
            "; ".join(f"{line} 2>/dev/null" for line in old),
            *one.lines(device, up, link, self.rtt_s),
            f"ip link add {ingress} type ifb; ip link set {ingress} up; tc qdisc add dev {device} clsact",
            f"tc filter add dev {device} ingress protocol all u32 match u32 0 0 {redirect}",
            *one.lines(device, down, link, self.rtt_s, ingress=ingress),
        ]

    def _candidate(self, name: str) -> Candidate:
        """As the router's shaper has it."""
        return candidate(name).without(ingress=not self.shaper.ingress, shaper=not self.shaper.cake_shapes)


def household() -> list[Mapping[str, Value]]:
    """The traffic of a household: the load of Flent's rrul_be, a call, a game, two readers, and probes."""
    soon: Mapping[str, Value] = {"at": "1s", "spread": "100ms"}

    def datagrams(name: str, app: Mapping[str, Value], *, down: bool) -> Mapping[str, Value]:
        way: dict[str, Value] = {"direction": "backward"} if down else {}
        return {"name": name, **way, "transport": "udp", "app": app, "start": {"spread": "100ms"}}

    call: Mapping[str, Value] = {"kind": "voice", "silence": False}

    return [
        {"name": "upload", "count": 4, "transport": _TCP, "start": soon},
        {"name": "download", "count": 4, "direction": "backward", "transport": _TCP, "start": soon},
        datagrams("call_up", call, down=False),
        datagrams("call_down", call, down=True),
        datagrams("game_up", {"kind": "game", "size": "80B", "size_spread": 5.7}, down=False),
        datagrams("game_down", {"kind": "game"}, down=True),
        {
            "name": "web",
            "count": 2,
            "direction": "backward",
            "transport": _TCP,
            "app": {"kind": "transfers", "packets": 30, "think": "1s"},
            "start": {"spread": "1s"},
        },
        {"name": "probe", "count": 6, "transport": _TCP, "app": "probe", "start": {"spread": "500ms"}},
    ]


def between(home: str, flow: Mapping[str, Value]) -> Mapping[str, Value]:
    """A flow of :func:`household` with its ends: the node `home` and ``server``."""
    source, sink = ("server", home) if flow.get("direction") == "backward" else (home, "server")
    rest = {key: value for key, value in flow.items() if key not in ("name", "direction")}
    return {"name": flow["name"], "from": source, "to": sink, **rest}


def nodes_of(links: Iterable[Mapping[str, Value]]) -> list[Value]:
    """The nodes that links join, each once."""
    return [{"name": name} for name in dict.fromkeys(link[end] for link in links for end in ("from", "to"))]


def ask(
    line: Line | str,
    *,
    candidates: Iterable[str] = tuple(CANDIDATES),
    seeds: Seeds | None = None,
    until: str | None = None,
    workers: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Answered:
    """Run the household with each candidate, and rank them: see :func:`line.answer.answer`.

    Parameters
    ----------
    line
        The access line, or its rates as ``"20/100"``: Mbit/s up and down.
    candidates
        Names of :data:`CANDIDATES`, or lines of ``tc`` such as ``"cake rtt 600ms"``.
    seeds, workers, progress
        As in :func:`sojourn.compare`; by default 5 seeds.
    until
        ``"decided"``: stop when it is known which candidates are as responsive as the best.

    Raises
    ------
    ValueError
        If there is no such candidate.
    """
    if isinstance(line, str):
        line = Line.read(line)
    names = list(dict.fromkeys(candidates))
    variants = {name: line.scenario(name) for name in names}
    return asked(variants, partial(answer, line), seeds=seeds, until=until, workers=workers, progress=progress)


def asked(
    variants: Mapping[str, Scenario],
    rank: Callable[[Study], Answered],
    *,
    seeds: Seeds | None,
    until: str | None,
    workers: int | None,
    progress: Callable[[Progress], None] | None,
) -> Answered:
    """Run candidates, with a fixed number of seeds or until they are ranked."""
    first = next(iter(variants))
    if until is None:
        fixed = 5 if seeds is None else seeds
        return rank(study(variants, seeds=fixed, workers=workers, progress=progress, baseline=first))
    question = Question.parse(until)
    if not question.verdict or question.share:
        raise ValueError(f"until {until}: a line is ranked when it is decided\n  allowed: decided")

    def judged(done: Study) -> tuple[bool, str]:
        found = rank(done)
        return not found.unsettled, f"open after {len(done.seeds)}: {', '.join(found.unsettled)}"

    table, column, row = METRICS["rpm"]
    about = Yardstick(column, table, row)
    return rank(
        until_answered(
            variants,
            question,
            seeds=seeds,
            about=about,
            baseline=first,
            judged=judged,
            workers=workers,
            progress=progress,
        )
    )


def check_interface(name: str) -> None:
    """Refuse a text that cannot be the name of an interface: it would be pasted into the shell of root."""
    if not _INTERFACE.fullmatch(name):
        raise ValueError(
            f"--device {name}: this is not the name of an interface\n"
            "  allowed: 1 to 15 letters, digits, points, hyphens or underscores, such as eth0 or eth0.7"
        )


def _rate(text: str, whole: str) -> int:
    found = _RATE.fullmatch(text.strip())
    rate = float(found["number"]) * _UNITS[(found["unit"] or "m").lower()] if found else 0.0
    if not _LEAST_BPS <= rate <= 1e10:
        small = ", of which a call, a game and the probes take 0.2" if 0.0 < rate < _LEAST_BPS else ""
        raise ValueError(
            f"line {whole!r}: {text!r} is not a rate of a line\n"
            f"  allowed: 0.5 to 10000, in Mbit/s{small}, or with a unit: 500kbit, 20Mbit, 1Gbit"
        )
    return int(rate)


def _time(text: str, option: str, least: float, most: float) -> float:
    found = _TIME.fullmatch(text.strip())
    value = float(found["number"]) * _SECONDS[found["unit"]] if found else -1.0
    if not least <= value <= most:
        raise ValueError(
            f"{option} {text}: this is not a time that fits here\n"
            f"  allowed: {least * 1e3:g}ms to {most:g}s, with a unit: 30ms"
        )
    return value
