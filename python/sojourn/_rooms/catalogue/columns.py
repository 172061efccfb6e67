"""A column's words, its shown unit, and the factor from the stored unit to the shown one."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from .meanings import meaning

_WORDS: Final = {
    "jain_index": "Jain's fairness index",
    "utilisation": "Utilisation",
    "fairness_index": "Fairness index",
    "queueing_mean_ms": "Time in queues, mean",
    "sojourn_mean_ms": "Sojourn time, mean",
    "delay_mean_ms": "One-way delay, mean",
    "rtt_mean_ms": "Round-trip time, mean",
    "rtt_sd_ms": "Round-trip time, deviation",
    "backlog_sd_packets": "Backlog, deviation",
    "srtt_ms": "Smoothed round-trip time",
    "tcp_f_ms": "Time to open a connection",
    "tls_f_ms": "Time for TLS",
    "http_f_ms": "Time for a request, new connection",
    "http_l_ms": "Time for a request, loaded connection",
    "rpm_deviation_fraction": "Round trips per minute, deviation",
    "rpm": "Round trips per minute",
    "foreign_rpm": "Round trips per minute, new connections",
    "loaded_rpm": "Round trips per minute, loaded connections",
    "added_ms": "Latency added by load",
    "idle_ms": "Round trip without load",
    "mos": "Opinion of the call (MOS)",
    "late_fraction": "Packets too late",
    "video_bitrate_bps": "Bitrate of the video",
    "stall_fraction": "Video stalled",
    "round_slowest_mean_s": "Slowest of a round, mean",
    "round_slowest_p99_s": "Slowest of a round, p99",
}
_NAMES: Final = {
    "sojourn": "sojourn time",
    "queueing": "time in queues",
    "delay": "one-way delay",
    "completion": "completion time",
}
_SPOKEN: Final = {"rtt": "round-trip time", "ecn": "ECN", "ce": "CE", "fec": "FEC"}
_SHARES: Final = ("_ratio", "_fraction", "utilisation")
_PLAIN: Final = {"_ms": "ms", "_s": "s", "_packets": "packets"}
_SCALED: Final = {
    "_bps": ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s"), (1.0, "bit/s")),
    "_bytes": ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "bytes")),
}


_POINT_OF_KEY = re.compile(r"(?<!\d)\.|\.(?!\d)")
"""A point that is not part of a number: `dumbbell.queue` is two words, 0.5 is one."""


def lower_is_better(name: str) -> bool | None:
    """Whether less of the metric is better; None where that depends on the purpose.

    >>> lower_is_better("sojourn_p99_ms"), lower_is_better("jain_index"), lower_is_better("marks_packets")
    (True, False, None)
    """
    return {"less": True, "more": False, "": None}[meaning(name).better]


@dataclass(frozen=True)
class Measure:
    """How a column is shown.

    Attributes
    ----------
    label
        Words without the unit.
    unit
        The unit as shown; empty for a pure number.
    factor
        Shown value = stored value times factor.
    """

    label: str
    unit: str
    factor: float

    @property
    def of_differences(self) -> Measure:
        """How differences are shown: those of shares in percentage points, for 1 % more may be a hundredth more.

        >>> measure("loss_ratio").of_differences.title
        'Loss ratio (points)'
        """
        return replace(self, unit="points") if self.unit == "%" else self

    @property
    def title(self) -> str:
        """Label with the unit in brackets."""
        return f"{self.label} ({self.unit})" if self.unit else self.label


def measure(name: str, values: Iterable[float | None] = ()) -> Measure:
    """Words, unit and scale of a column; the scale of rates and sizes follows from the largest of the values.

    >>> measure("throughput_bps", [9.4e6])
    Measure(label='Throughput', unit='Mbit/s', factor=1e-06)
    >>> measure("sojourn_p95_ms").title
    'Sojourn time, p95 (ms)'
    """
    if name.endswith(_SHARES):
        return Measure(_words(name, ""), "%", 100.0)
    for suffix, steps in _SCALED.items():
        if name.endswith(suffix):
            largest = max((abs(v) for v in values if v is not None and math.isfinite(v)), default=0.0)
            size, unit = next((step for step in steps if largest >= step[0]), steps[-1])
            return Measure(_words(name, suffix), unit, 1.0 / size)
    for suffix, unit in _PLAIN.items():
        if name.endswith(suffix):
            return Measure(_words(name, suffix), unit, 1.0)
    return Measure(_words(name, ""), "", 1.0)


def _words(name: str, suffix: str) -> str:
    if name in _WORDS:
        return _WORDS[name]
    words = _POINT_OF_KEY.sub(" ", name.removesuffix(suffix)).replace("_", " ").split()
    if words and words[0] in _NAMES:
        words[0] = _NAMES[words[0]]
    if len(words) > 1 and words[-1] in {"mean", "sd", "max", "p50", "p90", "p95", "p99"}:
        words[-2] += ","
        words[-1] = {"sd": "deviation", "max": "largest"}.get(words[-1], words[-1])
    text = " ".join(_SPOKEN.get(word.rstrip(","), word.rstrip(",")) + "," * word.endswith(",") for word in words)
    return text[:1].upper() + text[1:]
