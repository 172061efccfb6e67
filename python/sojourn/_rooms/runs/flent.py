"""A run as a data file of Flent, format 4: a stream for each flow, and the delays of small datagrams as its ping.

Names, units and rules of averages are those of Flent 2.3. A mean of several streams at one moment is over those that
run, and a sum adds them. Where no stream runs, there is no value.
"""

from __future__ import annotations

import bisect
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ... import _core

if TYPE_CHECKING:
    from .result import Result

__all__ = ["ROUND_TRIP", "data_file", "missing_ping"]

_EPOCH = "1970-01-01T00:00:00.000000Z"
# Simulated time has no date: a run begins when Unix time does.

ROUND_TRIP = "Ping (ms) UDP BE"
# Flent's name for the round-trip time of small datagrams.

_SPARSE_BPS = 128_000
# A flow of datagrams below this rate probes a path, and does not fill it: a call of 80 kbit/s is one, a video is none.

_Values = list[float | None]


@dataclass
class _Series:
    """A series of Flent: its values at the common times, its samples as they were taken, and its description."""

    values: _Values
    units: str
    runner: str
    samples: list[dict[str, float]] = field(default_factory=list)
    about: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _Group:
    """A group of flows, with the facts that Flent needs."""

    name: str
    backward: bool
    is_tcp: bool
    control: str | None

    @property
    def way(self) -> str:
        return "download" if self.backward else "upload"


def data_file(result: Result, *, filename: str) -> dict[str, Any]:
    """The content of a data file; see :func:`sojourn.exports.flent`."""
    if "rate" not in result.tables:
        raise ValueError(
            "Flent has a stream for each flow, and record.throughput is not set\n"
            "  hint:    --set record.throughput=200ms, and record.cwnd=200ms for the round-trip times of TCP"
        )
    groups = {group.name: group for group in _groups(result)}
    times = sorted(result.table("rate")["time_s"].unique().to_list())
    series = _streams(result, groups, times)
    for way in ("upload", "download"):
        streams = [one for name, one in series.items() if name.startswith(f"TCP {way} BE::")]
        if streams:
            series[f"TCP {way} avg"] = _computed(streams, "AverageRunner")
            series[f"TCP {way} sum"] = _computed(streams, "SumRunner")
    streams = [one for name, one in series.items() if name.startswith("TCP ") and "::" in name]
    if streams:
        series["TCP totals"] = _computed(streams, "SumRunner")
    ping = _round_trip(result, list(groups.values()), times)
    if ping is not None:
        series[ROUND_TRIP] = ping
        series["Ping (ms) avg"] = _computed([ping], "AverageRunner")
    return {
        "version": 4,
        "metadata": _metadata(result, filename, series, times),
        "x_values": times,
        "results": {name: one.values for name, one in series.items()},
        "raw_values": {name: one.samples for name, one in series.items()},
    }


def _groups(result: Result) -> Iterator[_Group]:
    for flow in result.scenario.resolved()["flow"]:
        transport = flow["transport"]
        control = transport.get("control")
        yield _Group(
            name=flow["name"],
            backward=flow.get("direction") == "backward",
            is_tcp=transport["kind"] == "tcp",
            control=control["kind"] if isinstance(control, Mapping) else control,
        )


def _streams(result: Result, groups: Mapping[str, _Group], times: Sequence[float]) -> dict[str, _Series]:
    """A series for each flow, named by its group: TCP and datagrams separately."""
    flows = result.table("flow")
    rates = result.table("rate").partition_by("flow", as_dict=True)
    windows = result.table("window").partition_by("flow", as_dict=True) if "window" in result.tables else {}
    place = {time: number for number, time in enumerate(times)}
    series: dict[str, _Series] = {}
    seen: dict[str, int] = {}
    for number, name, start in flows.select("flow", "group", "start_s").iter_rows():
        group = groups.get(name)
        if group is None or (number,) not in rates:
            continue
        seen[name] = seen.get(name, 0) + 1
        # Flent's names of several streams are of a kind, two colons, and a name without a colon.
        label = f"{name} {seen[name]}".replace(":", "-")
        stream = _Series([None] * len(times), "Mbits/s", "Sojourn", about={"GROUP": name, "FLOW": number})
        window = windows.get((number,))
        sampled = [] if window is None else window["time_s"].to_list()
        rtts = [] if window is None else window["srtt_ms"].to_list()
        before = 0.0
        for time, bps in rates[(number,)].select("time_s", "throughput_bps").iter_rows():
            if start is not None and time > start:
                value = bps / 1e6
                stream.values[place[time]] = value
                sample = {"t": time, "val": value, "dur": time - before}
                last = bisect.bisect_right(sampled, time + 1e-9) - 1
                if last >= 0 and (rtt := _finite(rtts[last])) is not None:
                    sample["tcp_rtt"] = rtt
                stream.samples.append(sample)
            before = time
        if group.is_tcp:
            stream.about["CONG_CONTROL"] = group.control
        series[f"TCP {group.way} BE::{label}" if group.is_tcp else f"UDP {group.way}::{label}"] = stream
    for group in groups.values():
        if not group.is_tcp:
            _add_delays(result, group, series)
    return series


def _add_delays(result: Result, group: _Group, series: Mapping[str, _Series]) -> None:
    """One-way delays of a group of datagrams beside the samples of its streams, under the names of irtt's."""
    key = "owd_down" if group.backward else "owd_up"
    ends, delays = _delays(result, group.name)
    for stream in series.values():
        if stream.about.get("GROUP") == group.name:
            for sample in stream.samples:
                if (delay := _between(ends, delays, sample["t"] - sample["dur"], sample["t"])) is not None:
                    sample[key] = delay


def _delays(result: Result, group: str) -> tuple[list[float], _Values]:
    """The ends of intervals, and the mean one-way delay of a group in each."""
    rows = result.table("over_time").filter(group=group)
    return rows["time_s"].to_list(), [_finite(delay) for delay in rows["delay_mean_ms"]]


def _between(ends: Sequence[float], values: Sequence[float | None], before: float, time: float) -> float | None:
    """The mean of intervals that end after `before` and up to `time`; of longer ones, that in which `time` lies."""
    first, behind = (bisect.bisect_right(ends, moment + 1e-9) for moment in (before, time))
    if first < behind:
        return _mean(values[first:behind])
    return values[behind] if behind < len(values) else None


def _probes(result: Result, groups: Sequence[_Group]) -> tuple[_Group | None, _Group | None]:
    """The sparsest group of datagrams in each direction, forward first."""
    rates = dict(result.table("group").select("group", "throughput_mean_bps").iter_rows())

    def sparsest(backward: bool) -> _Group | None:
        sparse = [
            (rate, group.name)
            for group in groups
            if not group.is_tcp and group.backward == backward
            if (rate := _finite(rates.get(group.name))) is not None and 0.0 < rate <= _SPARSE_BPS
        ]
        name = min(sparse)[1] if sparse else None
        return next((group for group in groups if group.name == name), None)

    return sparsest(False), sparsest(True)


def missing_ping(result: Result) -> str:
    """Why a run has no ping; empty if it has one."""
    groups = list(_groups(result))
    there, back = _probes(result, groups)
    if there is not None and back is not None:
        return ""
    probe = there or back
    if probe is None:
        return "no ping: no group of small datagrams crosses the queues (udp, at most 128 kbit/s per flow)"
    if any(group.backward != probe.backward for group in groups):
        other = "forward" if probe.backward else "backward"
        return (
            f"no ping: {probe.name} measures one way, and the other way has data of other flows\n"
            f'  hint:    give it a companion with direction = "{other}"'
        )
    if _empty_way_ms(result, probe) is None:
        return f"no ping: {probe.name} measures one way, and the way back is known in a dumbbell only"
    return ""


def _round_trip(result: Result, groups: Sequence[_Group], times: Sequence[float]) -> _Series | None:
    """The delay of small datagrams there and back.

    Where one direction has such a group and no data go the other way, the way back takes its time without a queue.
    """
    if missing_ping(result):
        return None
    there, back = _probes(result, groups)
    ways: list[tuple[str, list[float], _Values]] = []
    for group, key in ((there, "owd_up"), (back, "owd_down")):
        if group is not None:
            ways.append((key, *_delays(result, group.name)))
        elif other := there or back:
            ends, _ = _delays(result, other.name)
            ways.append((key, ends, [_empty_way_ms(result, other)] * len(ends)))
    ping = _Series([], "ms", "Sojourn", about={"GROUP": " + ".join(one.name for one in (there, back) if one)})
    for before, time in itertools.pairwise((0.0, *times)):
        parts = {key: _between(ends, values, before, time) for key, ends, values in ways}
        known = {key: value for key, value in parts.items() if value is not None}
        total = sum(known.values()) if len(known) == len(parts) else None
        ping.values.append(total)
        if total is not None:
            ping.samples.append({"t": time, "val": total, "seq": len(ping.samples) + 1, **known})
    return ping


def _empty_way_ms(result: Result, probe: _Group) -> float | None:
    """How long a packet of `probe` would take the other way if no queue were in it; only a dumbbell tells."""
    bell = result.scenario.resolved().get("dumbbell")
    if not bell or not all(isinstance(bell.get(key), str) for key in ("rate", "delay")):
        return None
    rate = bell["rate"] if probe.backward else bell.get("reverse_rate", bell["rate"])
    if not isinstance(rate, str) or not isinstance(bell["access"].get("rate"), str):
        return None
    window_s = result.scenario.duration_s - _core.seconds(result.scenario.resolved()["warmup"])
    flows = result.table("flow").filter(group=probe.name)
    # Bits of a packet: the bits received in the window, over the packets sent then.
    bits = float(flows["throughput_bps"].sum()) * window_s / max(int(flows["packets_sent"].sum()), 1)
    access = bits / _core.bits_per_second(bell["access"]["rate"])
    delays = [_core.seconds(delay) for delay in (bell["delay"], *bell["access"]["delay"])]
    return 1e3 * (sum(delays) + bits / _core.bits_per_second(rate) + 2 * access)


def _computed(streams: Sequence[_Series], runner: str) -> _Series:
    """Flent's combination of several series at each moment: the mean or the sum of those with a value."""
    values: _Values = []
    for row in zip(*(one.values for one in streams), strict=True):
        there = [value for value in row if value is not None]
        total = math.fsum(there)
        values.append(None if not there else total / len(there) if runner == "AverageRunner" else total)
    means = [mean for one in streams if (mean := _mean(one.values)) is not None]
    about: dict[str, Any] = {"COMPUTED_LATE": False}
    if means:
        about["MEAN_VALUE"] = math.fsum(means) / (len(means) if runner == "AverageRunner" else 1)
    return _Series(values, streams[0].units, runner, about=about)


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return math.fsum(there) / len(there) if there else None


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _metadata(result: Result, filename: str, series: Mapping[str, _Series], times: Sequence[float]) -> dict[str, Any]:
    def streams(way: str) -> str:
        return str(sum(name.startswith(f"TCP {way} BE::") for name in series))

    about = {}
    for place, (name, one) in enumerate(series.items()):
        about[name] = {"IDX": place, "RUNNER": one.runner, "UNITS": one.units, **one.about}
        if one.samples and (mean := _mean([sample["val"] for sample in one.samples])) is not None:
            about[name]["MEAN_VALUE"] = mean
        if name == ROUND_TRIP and one.samples:
            found = [sample["val"] for sample in one.samples]
            about[name] |= {"MIN_VALUE": min(found), "MAX_VALUE": max(found), "RTT_MEAN": _mean(found)}
    return {
        "NAME": "rrul_be_nflows",
        "TITLE": f"{result.scenario.title}, seed {result.seed}",
        "NOTE": f"Sojourn {result.version}: simulated; rates count headers, streams are named by groups of flows",
        "HOST": "simulated",
        "HOSTS": ["simulated"],
        "LOCAL_HOST": "sojourn",
        "REMOTE_METADATA": {},
        "EGRESS_INFO": None,
        "FAILED_RUNNERS": 0,
        "TIME": _EPOCH,
        "T0": _EPOCH,
        "LENGTH": result.scenario.duration_s,
        "TOTAL_LENGTH": result.scenario.duration_s,
        "STEP_SIZE": times[0] if times else 1.0,
        "IP_VERSION": 4,
        "FLENT_VERSION": "2.3.0",
        "TEST_PARAMETERS": {"upload_streams": streams("upload"), "download_streams": streams("download")},
        "HTTP_GETTER_DNS": None,
        "HTTP_GETTER_URLLIST": None,
        "HTTP_GETTER_WORKERS": 4,
        "DATA_FILENAME": filename,
        "SERIES_META": about,
        "BATCH_NAME": None,
        "BATCH_TIME": None,
        "BATCH_TITLE": None,
        "BATCH_UUID": None,
    }
