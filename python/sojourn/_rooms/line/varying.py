"""Links that change: the slots of Starlink, and cells that send when a trace says.

A terminal of Starlink gets another satellite at 12, 27, 42 and 57 s of each minute of UTC, all terminals at once. The
path is then of another length, and packets are lost for some tens of milliseconds (APNIC, "A transport protocol's view
of Starlink", 2024; Zhao and others, LENS, 2024). Simulated time begins with a minute. The slots of a line are the same
for all queues and seeds: the *k*-th has the part of *k* times the golden ratio that is behind the decimal point.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .._base.nearest import nearest_hint
from .._base.toml import Value

__all__ = ["VARIATIONS", "Slots", "Trace", "Variation", "variation"]

_GOLDEN, _OTHER = (math.sqrt(5.0) - 1.0) / 2.0, math.sqrt(2.0) - 1.0
_TIME = re.compile(r"(\d+(?:\.\d+)?)(ms|s)")
_SHARE = re.compile(r"(\d+(?:\.\d+)?)%")


@dataclass(frozen=True)
class Slots:
    """Slots of equal length, in each of which the round trip and the rate are others.

    Attributes
    ----------
    step
        The most by which the round trip of a slot is longer than that of the line, in seconds. Base round trips of
        20 to 40 ms were seen (APNIC; LeoCC, SIGCOMM 2025).
    gap
        How long packets are lost at the beginning of a slot, in seconds: some tens of milliseconds (the same).
    loss
        The part of packets that are lost in it. Our choice.
    rate
        The least part of the line's rate that a slot has; with 1 it is constant.
    slots, phase
        Length of a slot, and the beginning of the first within a minute, in seconds.
    """

    step: float = 0.02
    gap: float = 0.06
    loss: float = 0.5
    rate: float = 1.0
    slots: float = 15.0
    phase: float = 12.0

    @property
    def least_window_s(self) -> float:
        """Two slots begin in it."""
        return 2.0 * self.slots

    @property
    def note(self) -> str:
        """The assumptions, in sentences."""
        rate = (
            "its rate is taken as constant: let the rates be those that it has at its worst (rate)"
            if self.rate == 1.0
            else f"its rate is between {100 * self.rate:g}\u202f% and all of it (rate)"
        )
        return (
            f"starlink: a slot begins each {self.slots:g} s, {self.phase:g} s behind the minute. In each the round "
            f"trip is up to {1e3 * self.step:g} ms longer (step); at its beginning {100 * self.loss:g}\u202f% of the "
            f"packets of {1e3 * self.gap:g} ms are lost (loss, gap); {rate}. "
            "Other values: --link starlink:step=40ms,gap=100ms,loss=20%,rate=50%,slots=15s,phase=12s"
        )

    def trace(self, _way: str) -> str:
        """No file."""
        return ""

    def changes(self, bps: int, delay_s: float, until_s: float) -> Sequence[Mapping[str, Value]]:
        """The changes of a direction with this rate and one-way delay, up to a time."""
        return list(self._changes(bps, delay_s, until_s))

    def _changes(self, bps: int, delay_s: float, until_s: float) -> Iterator[Mapping[str, Value]]:
        number, at_s = 1, self.phase or self.slots
        while at_s < until_s:
            more_s = self.step / 2.0 * (number * _GOLDEN % 1.0)
            change: dict[str, Value] = {"at": _ns(at_s)}
            if self.step:
                change["delay"] = _ns(delay_s + more_s)
            if self.rate < 1.0:
                share = self.rate + (1.0 - self.rate) * (number * _OTHER % 1.0)
                change["rate"] = f"{round(share * bps)}bit"
            lossy = self.loss > 0.0 and self.gap > 0.0
            if lossy:
                change["loss"] = {"kind": "uniform", "probability": self.loss}
            if len(change) > 1:
                yield change
            if lossy:
                yield {"at": _ns(at_s + self.gap), "loss": {"kind": "uniform", "probability": 0.0}}
            number, at_s = number + 1, at_s + self.slots


@dataclass(frozen=True)
class Trace:
    """A link that sends when traces of Mahimahi say: a line for each opportunity, with its millisecond.

    Attributes
    ----------
    up, down
        Files; without one the direction has the rate of the line.
    """

    up: str = ""
    down: str = ""

    @property
    def least_window_s(self) -> float:
        """Long enough for the ups and downs of a cell, where there is a trace."""
        return 30.0 if self.up or self.down else 0.0

    @property
    def note(self) -> str:
        """The assumptions, in sentences."""
        if not self.up and not self.down:
            return (
                "lte: its rate varies and is taken as constant here: let the rates be those that it has at its worst, "
                "or give traces of Mahimahi: --link lte:up=FILE,down=FILE"
            )
        ways = " and ".join(way for way in ("up", "down") if getattr(self, way))
        return (
            f"lte: the rate {ways} follows the trace, in opportunities of 1500 bytes of IP; queues shape to your rates"
        )

    def trace(self, way: str) -> str:
        """The file of a direction; empty without one."""
        file = str(getattr(self, way))
        return str(Path(file).resolve()) if file else ""

    def changes(self, _bps: int, _delay_s: float, _until_s: float) -> Sequence[Mapping[str, Value]]:
        """None: a trace says all."""
        return []


Variation = Slots | Trace
VARIATIONS: Mapping[str, Variation] = {"starlink": Slots(), "lte": Trace()}
"""By the name of the link."""


def variation(link: str, settings: str) -> Variation | None:
    """The variation of a link with settings such as ``step=40ms,rate=50%``; None for a link that is constant.

    Raises
    ------
    ValueError
        With the found and the allowed settings.
    """
    if not settings:
        return VARIATIONS.get(link)
    if link not in VARIATIONS:
        raise ValueError(
            f"--link {link}:{settings}: {link} has no settings\n  allowed: {', '.join(VARIATIONS)} have some"
        )
    kind = VARIATIONS[link]
    values: dict[str, float | str] = {}
    for setting in settings.split(","):
        name, equals, text = (part.strip() for part in setting.partition("="))
        allowed = list(kind.__dataclass_fields__)
        if not equals or name not in allowed:
            hint = nearest_hint(name, allowed)
            raise ValueError(
                f"--link {link}: {setting!r} is no setting\n  allowed: {', '.join(allowed)}, as step=40ms{hint}"
            )
        values[name] = _file(link, name, text) if isinstance(kind, Trace) else _number(link, name, text)
    return replace(kind, **values)  # type: ignore[arg-type]


def _number(link: str, name: str, text: str) -> float:
    if name in ("loss", "rate"):
        found = _SHARE.fullmatch(text)
        value, allowed = float(found[1]) / 100.0 if found else -1.0, (0.0 if name == "loss" else 0.01, 1.0)
        words = f"{100 * allowed[0]:g}% to 100%"
    else:
        found = _TIME.fullmatch(text)
        value = float(found[1]) * (1e-3 if found[2] == "ms" else 1.0) if found else -1.0
        allowed = {"step": (0.0, 1.0), "gap": (0.0, 1.0), "slots": (2.0, 60.0), "phase": (0.0, 60.0)}[name]
        words = f"{allowed[0]:g}s to {allowed[1]:g}s, with a unit: 40ms"
    if not allowed[0] <= value <= allowed[1]:
        raise ValueError(f"--link {link}: {name}={text}: this does not fit here\n  allowed: {words}")
    return value


def _file(link: str, name: str, text: str) -> str:
    if not Path(text).is_file():
        raise ValueError(f"--link {link}: {name}={text}: there is no such file")
    return text


def _ns(seconds: float) -> str:
    return f"{seconds * 1e9:.0f}ns"
