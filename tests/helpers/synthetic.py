"""Tables with the engine's columns, made up by a random number generator with a fixed seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from scipy import stats

Tables = dict[str, pl.DataFrame]

_MEANS = {"droptail": 42.0, "red": 17.0, "ared": 11.0, "codel": 6.5, "pie": 15.5, "fq-codel": 5.0}


def study(
    queues: Sequence[str] = ("droptail", "red", "ared", "codel", "pie"),
    seeds: int = 10,
    *,
    flows: int = 12,
    drops: bool = True,
    duration: float = 60.0,
    every: float = 0.01,
    groups: Sequence[str] = ("bulk", "web"),
) -> Tables:
    """Replications of a comparison, with the columns `queue` and `seed` in front."""
    parts: dict[str, list[pl.DataFrame]] = {}
    for place, queue in enumerate(queues):
        for seed in range(1, seeds + 1):
            tables = run(
                queue, seed * 1000 + place, flows=flows, drops=drops, duration=duration, every=every, groups=groups
            )
            for name, frame in tables.items():
                if seed > 1 and name in {"backlog", "probe", "window", "rate", "drops"}:
                    continue
                labels = [pl.lit(queue).alias("queue"), pl.lit(seed).alias("seed")]
                parts.setdefault(name, []).append(frame.select(*labels, pl.all()))
    return {name: pl.concat(frames, how="vertical_relaxed") for name, frames in parts.items()}


def run(
    queue: str,
    seed: int,
    *,
    flows: int = 12,
    drops: bool = True,
    duration: float = 60.0,
    every: float = 0.01,
    groups: Sequence[str] = ("bulk", "web"),
) -> Tables:
    """One run."""
    random = np.random.default_rng(seed)
    delay = _MEANS.get(queue, 20.0) * random.normal(1.0, 0.06)
    time = np.arange(0.0, duration, every)
    level = (
        delay
        * 0.83
        * (1 + 0.5 * np.sin(time / 1.7 + seed) + 0.6 * (time > duration / 2) * np.exp((duration / 2 - time) / 6))
    )
    backlog = np.maximum(np.round(level + random.normal(0, 3, time.size)), 0)
    average = np.convolve(backlog, np.ones(150) / 150, mode="same")
    tables = {
        "queue": _queue(random, delay, backlog, drops=drops),
        "reasons": _reasons(queue, random, drops=drops),
        "flow": _flow(random, flows, groups),
        "sojourn": _sojourn(random, delay),
        "completion": _completion(random, flows),
        "backlog": pl.DataFrame({"time_s": time, "backlog_packets": backlog, "backlog_bytes": backlog * 1000}).select(
            pl.lit("bottleneck").alias("link"), pl.all()
        ),
        "probe": _probe(queue, time, average),
        "window": _window(random, min(flows, 6), duration),
        "drops": _drops(queue, random, duration, flows, drops=drops),
    }
    tables["group"] = _group(tables["flow"])
    tables["latency"] = _latency(tables["sojourn"], groups if flows else [])
    tables["over_time"] = _over_time(random, delay, duration, groups if flows else [])
    tables["rate"] = tables["window"].select("flow", "time_s", throughput_bps=pl.col("cwnd_packets") * 6e4)
    return tables


def _queue(random: np.random.Generator, delay: float, backlog: np.ndarray, *, drops: bool) -> pl.DataFrame:
    arrivals = int(random.normal(75_000, 600))
    lost = int(arrivals * random.normal(0.012, 0.001)) if drops else 0
    rows = {
        "link": "bottleneck",
        "arrivals_packets": arrivals,
        "departures_packets": arrivals - lost,
        "drops_packets": lost,
        "marks_packets": lost // 3,
        "loss_ratio": lost / arrivals,
        "mark_ratio": lost / 3 / arrivals,
        "utilisation": 0.9 + min(delay, 40) / 420 + random.normal(0, 0.004),
        "throughput_bps": 1e7 * (0.9 + min(delay, 40) / 420 + random.normal(0, 0.004)),
        "backlog_mean_packets": float(backlog.mean()),
        "backlog_sd_packets": float(backlog.std()),
        "backlog_mean_bytes": float(backlog.mean()) * 1000,
        "backlog_max_packets": int(backlog.max()),
        "empty_fraction": float((backlog == 0).mean()),
        "full_fraction": 0.0,
        "sojourn_mean_ms": delay,
        "sojourn_p50_ms": delay * 0.9,
        "sojourn_p90_ms": delay * 1.7,
        "sojourn_p95_ms": delay * 2.1,
        "sojourn_p99_ms": delay * 2.9,
        "sojourn_max_ms": delay * 4.4,
    }
    back = {**rows, "link": "reverse", "utilisation": 0.02, "throughput_bps": 2e5, "sojourn_mean_ms": 0.1}
    return pl.DataFrame([rows, back])


def _reasons(queue: str, random: np.random.Generator, *, drops: bool) -> pl.DataFrame:
    schema = {"link": pl.String, "event": pl.String, "reason": pl.String, "packets": pl.Int64, "bytes": pl.Int64}
    if not drops:
        return pl.DataFrame(schema=schema)
    kinds = [("drop", "overflow", 700 if queue == "droptail" else 60)]
    if queue != "droptail":
        kinds += [("drop", "early", 500), ("mark", "early", 420), ("drop", "forced", 90)]
    rows = [("bottleneck", event, reason, int(random.poisson(n)), n * 1000) for event, reason, n in kinds]
    return pl.DataFrame(rows, schema=schema, orient="row")


def _flow(random: np.random.Generator, flows: int, groups: Sequence[str]) -> pl.DataFrame:
    rate = 9.5e6 / max(flows, 1) * random.gamma(14, 1 / 14, flows)
    names = [groups[i % len(groups)] for i in range(flows)]
    zeros = np.zeros(flows)
    return pl.DataFrame(
        {
            "flow": pl.Series(np.arange(flows), dtype=pl.UInt64),
            "group": pl.Series(names, dtype=pl.String),
            "start_s": random.uniform(0, 1, flows),
            "throughput_bps": rate,
            "goodput_bps": rate * 0.96,
            "rtt_mean_ms": random.normal(58, 4, flows),
            "rtt_sd_ms": random.normal(9, 1, flows),
            "packets_sent": random.poisson(6000, flows),
            "retransmits": random.poisson(70, flows),
            "timeouts": random.poisson(0.4, flows),
            "fast_recoveries": random.poisson(50, flows),
            "ecn_reductions": random.poisson(12, flows),
            "arrivals_packets": random.poisson(6000, flows),
            "drops_packets": random.poisson(70, flows),
            "marks_packets": random.poisson(20, flows),
            "loss_ratio": random.normal(0.012, 0.002, flows),
            "loss_run_mean_packets": 1 + random.uniform(0, 1, flows),
            "loss_run_max_packets": random.poisson(4, flows),
            "completions": random.poisson(3, flows),
            "completion_mean_s": zeros + np.nan,
        }
    )


def _group(flow: pl.DataFrame) -> pl.DataFrame:
    fairness = pl.col("throughput_bps").sum() ** 2 / (pl.len() * (pl.col("throughput_bps") ** 2).sum())
    columns = [
        pl.len().alias("flows"),
        pl.col("throughput_bps").mean().alias("throughput_mean_bps"),
        pl.col("throughput_bps").std().alias("throughput_sd_bps"),
        pl.col("goodput_bps").mean().alias("goodput_mean_bps"),
        pl.col("goodput_bps").std().alias("goodput_sd_bps"),
        fairness.alias("jain_index"),
        fairness.alias("fairness_index"),
        pl.col("rtt_mean_ms").mean(),
        pl.col("loss_ratio").mean(),
    ]
    groups = flow.group_by("group", maintain_order=True).agg(columns)
    whole = flow.with_columns(group=pl.lit("all")).group_by("group").agg(columns)
    return pl.concat([groups, whole]) if groups.height > 1 else groups


def _sojourn(random: np.random.Generator, delay: float) -> pl.DataFrame:
    samples = random.gamma(3.2, delay / 3.2, 60_000)
    edges = np.concatenate([np.arange(0, 20, 0.05), np.arange(20, 400, 0.5)])
    counts, _ = np.histogram(samples, edges)
    frame = pl.DataFrame({"sojourn_ms": edges[1:], "packets": pl.Series(counts, dtype=pl.UInt64)})
    return frame.filter(pl.col("packets") > 0).select(pl.lit("bottleneck").alias("link"), pl.all())


def _latency(sojourn: pl.DataFrame, groups: Sequence[str]) -> pl.DataFrame:
    """Every group waits as its link does; on the way packets take 12 ms more."""
    parts = [
        sojourn.select(
            pl.lit(group).alias("group"),
            pl.lit(measure).alias("measure"),
            duration_ms=pl.col("sojourn_ms") + more,
            count=pl.col("packets"),
        )
        for group in groups
        for measure, more in (("delay", 12.0), ("queueing", 0.0), ("rtt", 24.0))
    ]
    schema = {"group": pl.String, "measure": pl.String, "duration_ms": pl.Float64, "count": pl.UInt64}
    return pl.concat(parts) if parts else pl.DataFrame(schema=schema)


def _over_time(random: np.random.Generator, delay: float, duration: float, groups: Sequence[str]) -> pl.DataFrame:
    ends = np.arange(1, 201) * duration / 200
    frames = [
        pl.DataFrame(
            {
                "group": group,
                "time_s": ends,
                "throughput_bps": random.normal(4e6, 3e5, ends.size),
                "delay_mean_ms": 12 + random.gamma(3.2, delay / 3.2, ends.size),
                "rtt_mean_ms": 24 + random.gamma(3.2, delay / 3.2, ends.size) if group == "bulk" else np.nan,
            }
        )
        for group in groups
    ]
    floats = dict.fromkeys(("time_s", "throughput_bps", "delay_mean_ms", "rtt_mean_ms"), pl.Float64)
    return pl.concat(frames) if frames else pl.DataFrame(schema={"group": pl.String, **floats})


def _completion(random: np.random.Generator, flows: int) -> pl.DataFrame:
    count = flows * 8
    return pl.DataFrame(
        {
            "flow": pl.Series(np.arange(count) % max(flows, 1), dtype=pl.UInt64),
            "group": pl.Series(["web"] * count, dtype=pl.String),
            "started_s": random.uniform(0, 50, count),
            "duration_s": random.lognormal(-1, 0.9, count),
            "bytes": random.poisson(30_000, count),
        }
    )


def _probe(queue: str, time: np.ndarray, average: np.ndarray) -> pl.DataFrame:
    series: dict[str, np.ndarray] = {}
    if queue in {"red", "ared"}:
        series["avg"] = average
    if queue == "ared":
        series["max_p"] = 0.1 + 0.05 * np.sin(time / 8)
    if queue in {"pie", "codel"}:
        series["drop_probability"] = np.abs(0.01 * np.sin(time / 3))
    schema = {"link": pl.String, "time_s": pl.Float64, "probe": pl.String, "value": pl.Float64}
    parts = [
        pl.DataFrame({"time_s": time[::5], "value": values[::5]}).select(
            pl.lit("bottleneck").alias("link"), "time_s", pl.lit(name).alias("probe"), "value"
        )
        for name, values in series.items()
    ]
    return pl.concat([pl.DataFrame(schema=schema), *parts])


def _window(random: np.random.Generator, flows: int, duration: float) -> pl.DataFrame:
    time = np.arange(0, duration, 0.1)
    parts = []
    for flow in range(flows):
        phase, period = random.uniform(0, 6), random.uniform(3, 7)
        window = 6 + 9 * (((time + phase) / period) % 1.0)
        parts.append(
            pl.DataFrame(
                {
                    "time_s": time,
                    "cwnd_packets": window,
                    "ssthresh_packets": np.full(time.size, 8.0),
                    "inflight_packets": window - 1,
                    "srtt_ms": 50 + window,
                }
            ).select(pl.lit(flow).cast(pl.UInt64).alias("flow"), pl.all())
        )
    schema = dict.fromkeys(("cwnd_packets", "ssthresh_packets", "inflight_packets", "srtt_ms"), pl.Float64)
    return pl.concat([pl.DataFrame(schema={"flow": pl.UInt64, "time_s": pl.Float64, **schema}), *parts])


def _drops(queue: str, random: np.random.Generator, duration: float, flows: int, *, drops: bool) -> pl.DataFrame:
    count = 900 if drops else 0
    time = np.sort(random.uniform(0, duration, count))
    early = random.uniform(size=count) < (0.0 if queue == "droptail" else 0.7)
    marked = early & (random.uniform(size=count) < 0.4)
    return pl.DataFrame(
        {
            "link": pl.Series(["bottleneck"] * count, dtype=pl.String),
            "time_s": time,
            "flow": pl.Series(random.integers(0, max(flows, 1), count), dtype=pl.UInt64),
            "event": pl.Series(["mark" if m else "drop" for m in marked], dtype=pl.String),
            "reason": pl.Series(["early" if e else "overflow" for e in early], dtype=pl.String),
            "size_bytes": pl.Series(np.full(count, 1000), dtype=pl.UInt64),
        }
    )


METRICS = ("throughput_bps", "sojourn_mean_ms", "sojourn_p95_ms", "sojourn_p99_ms", "loss_ratio", "utilisation")


def summary(tables: Tables, metrics: Sequence[str] = METRICS) -> pl.DataFrame:
    """Mean and 95 % interval over the seeds, from Student's t."""
    rows = []
    frame = tables["queue"].filter(pl.col("link") == "bottleneck")
    for (queue,), part in frame.group_by("queue", maintain_order=True):
        for metric in metrics:
            values = part[metric].to_numpy()
            half = _half(values)
            rows.append((queue, metric, values.mean(), values.mean() - half, values.mean() + half, values.size))
        jain = tables["group"].filter((pl.col("queue") == queue) & (pl.col("group") == "all"))["jain_index"].to_numpy()
        if jain.size:
            rows.append(
                (queue, "jain_index", jain.mean(), jain.mean() - _half(jain), jain.mean() + _half(jain), jain.size)
            )
    return pl.DataFrame(rows, schema=["queue", "metric", "mean", "low", "high", "n"], orient="row")


def differences(tables: Tables, baseline: str, metrics: Sequence[str] = METRICS) -> pl.DataFrame:
    """Paired differences from the baseline."""
    frame = tables["queue"].filter(pl.col("link") == "bottleneck").sort("seed")
    base = frame.filter(pl.col("queue") == baseline)
    rows = []
    for (queue,), part in frame.group_by("queue", maintain_order=True):
        if queue == baseline:
            continue
        for metric in metrics:
            gap = part[metric].to_numpy() - base[metric].to_numpy()
            rows.append((queue, metric, gap.mean(), gap.mean() - _half(gap), gap.mean() + _half(gap)))
    schema = {"queue": pl.String, "metric": pl.String, "difference": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _half(values: np.ndarray) -> float:
    if values.size < 2:
        return float("nan")
    return float(stats.t.ppf(0.975, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size))
