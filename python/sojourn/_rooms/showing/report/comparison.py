"""The report of a comparison of queue disciplines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from ...catalogue.warnings import NO_CHANCE
from ...statistics.intervals import is_cut
from .. import plots
from ..plots.frames import Frames, Runs
from ..plots.scales import Times
from .page import Report

# The addition to the scenario for a plot that has no data.
RECORD = {
    "backlog": "queue",
    "probe": "probes",
    "window": "cwnd",
    "rate": "throughput",
    "drops": "drops",
}

# The greatest number of metrics side by side. If there are more, these come first.
_MOST = 9
_HEADLINE = (
    "throughput_bps",
    "utilisation",
    "sojourn_mean_ms",
    "sojourn_p99_ms",
    "loss_ratio",
    "mark_ratio",
    "fairness_index",
    "jain_index",
)

_NO_WAIT_MS = 0.05
"""Links where not one packet in 100 waits longer are not worth a table."""

_PAIRED = (
    "Run k of every queue sees the same arrivals of flows, so the difference is taken run by run, "
    "and its 95 % interval is usually narrower than those of the means. "
    "Grey: the interval includes zero; these replications do not tell the two apart. "
    "If there is no difference, one in twenty such intervals at most excludes zero by chance."
)
_WARNINGS = (
    "Findings of these runs that a reader of their numbers should know. A row without a seed is about all runs of "
    "its queue; the command sojourn explain CODE explains a code."
)
_EQUAL = (
    "All seeds are one run with {}: nothing in the scenario is random there. "
    "A value without an interval is one number, and it decides no difference."
)
# Metrics of each group of flows, in this order.
_OF_GROUPS = (
    *("goodput_mean_bps", "queueing_mean_ms", "queueing_p50_ms", "queueing_p95_ms", "queueing_p99_ms"),
    *("delay_mean_ms", "delay_p99_ms", "rtt_mean_ms", "rtt_p99_ms"),
    *("completion_mean_s", "completion_p50_s", "completion_p99_s", "loss_ratio", "fairness_index"),
)
_GROUPS = (
    "Throughput and delays of each group. Goodput is the mean of its flows. The time in queues is the sum over all "
    "queues on a packet's way, the one-way delay also has transmission and propagation; p99 is the time that one "
    "packet in 100 exceeds. The fairness index is among the group's own flows that were there for most of the "
    "window."
)
_LINKS = (
    "Summary, differences and all metrics are about the link {}. These are the other links where packets wait. "
    "Where a chart shows one link, a list below it chooses another."
)
_MEDIUM = (
    "Counts of each link on the wireless hop that it shares. An attempt is a frame that was sent; it collides if "
    "another one begins at the same moment, and it may be corrupted. A frame is lost if all of its attempts fail."
)
_RESPONSIVENESS = (
    "Round trips per minute (RPM) of draft-ietf-ippm-responsiveness-09: below 300 poor, below 1000 fair, below 6000 "
    "good, above excellent. The latency that the load adds has DSLReports' grades: A+ below 5 ms, A below 30, B below "
    "60, C below 200, D below 400, F above. docs/quality.md says how they are measured."
)
_QUALITY = (
    "The opinion of a call by ITU-T G.107 (4.4 is the best), packets of a game that were of no use, bitrate and "
    "stalls of a video, and how long the slowest of synchronised rounds took."
)
_OF_PROBES = ("rpm", "foreign_rpm", "loaded_rpm", "added_ms", "idle_ms", "http_f_ms", "http_l_ms")
_OVERLAP = "Intervals that overlap are not yet a tie: the paired differences decide."
_CUT = "Both ends are in brackets if it would go on below zero, or above one for a share, where no mean can be."
_HOLLOW = "Filled: the interval excludes zero. Hollow: it includes zero."


def comparison_report(
    tables: Mapping[str, pl.DataFrame | Runs],
    summary: pl.DataFrame,
    differences: pl.DataFrame | None = None,
    *,
    title: str,
    lead: str = "",
    about: tuple[str, str] = ("", ""),
    queues: Sequence[str] | None = None,
    baseline: str | None = None,
    link: str | None = None,
    scenario: str | Mapping[str, Any] | None = None,
    provenance: Mapping[str, str] | None = None,
    warnings: pl.DataFrame | None = None,
    groups: pl.DataFrame | None = None,
    medium: pl.DataFrame | None = None,
    responsiveness: pl.DataFrame | None = None,
    quality: pl.DataFrame | None = None,
    times: Times = "auto",
    opening: Callable[[Report], object] | None = None,
) -> Report:
    """Builds the report of a comparison: the answer first, then every plot that the tables allow.

    Parameters
    ----------
    tables
        The runs' tables, with the columns ``queue`` (label of the discipline) and ``seed`` in front; see
        :class:`sojourn.plots.Frames`.
    summary
        Columns ``queue``, ``metric``, ``mean``, ``low``, ``high``, ``n``, and perhaps ``row``, the link it is about.
    differences
        Columns ``queue``, ``metric``, ``difference`` (or ``mean``), ``low``, ``high``, and perhaps ``row``.
    about
        The line above the title.
    queues
        Labels in the order of presentation. Default: as in `summary`.
    baseline
        The queue that the differences are taken from.
    link
        The link to draw. Default: the most utilised one.
    scenario
        The resolved scenario.
    provenance
        Command, seeds, versions.
    warnings
        Warnings of the runs: columns ``queue``, ``seed``, ``code``, ``place``, ``text``.
    groups
        Groups of flows: as `summary`, with the group in ``row``.
    medium
        Links on a shared medium: as `summary`, with the medium and the link in ``row``.
    responsiveness, quality
        Groups of probes, and of calls, games, videos and rounds: as `summary`, with the group in ``row``.
    times
        Axes of times; see :class:`sojourn.plots.Frames`.
    opening
        Adds sections in front of all others.
    """
    labels = list(queues) if queues is not None else summary["queue"].unique(maintain_order=True).to_list()
    frames = Frames(tables, queues=labels, link=link, times=times)
    means, all_metrics = headline(of_link(summary, frames.link))
    against = baseline or _baseline(labels, differences)
    page = Report(title=title, lead=lead, about=about, provenance=provenance)
    if opening is not None:
        opening(page)
    alike = None if warnings is None else warnings.filter(code=NO_CHANCE["name"])["queue"]
    same = [] if alike is None else alike.unique(maintain_order=True).to_list()
    chance = _EQUAL.format(", ".join(same)) if same else ""
    said = _summary_text(means, [frame for frame in (summary, groups, medium) if frame is not None])
    page.add_intervals(means, "Summary", " ".join(filter(None, [said, chance])), queues=labels)
    if warnings is not None and warnings.height:
        page.add_table(warnings, "Warnings", _WARNINGS)
    single = _most_runs(means) == 1
    if not (single and len(labels) == 1):
        drawn = plots.draw("summary", {"summary": means}, queues=labels, times=times)
        page.add_plot(drawn, text="" if single else _OVERLAP)
    if differences is not None and differences.height:
        _add_differences(page, of_link(differences, frames.link), labels, against)
    if groups is not None and groups.height:
        if len(labels) > 1 and groups.filter(pl.col("row") != "all")["row"].n_unique() > 1:
            one = plots.PLOTS["group_summary"]
            page.add_plot(one.draw(Frames({"groups": groups}, queues=labels, times=times)), one.title, one.text)
        page.add_each(_by_group(groups), "group", "Groups of flows", _GROUPS, labels)
    if responsiveness is not None and responsiveness.height:
        page.add_each(_by_row(graded(responsiveness)), "group", "Responsiveness under load", _RESPONSIVENESS, labels)
    if quality is not None and quality.height:
        page.add_each(_by_row(_with_value(quality)), "group", "Quality for users", _QUALITY, labels)
    if others := _by_link(summary, frames.link):
        page.add_each(others, "link", "Other links", _LINKS.format(frames.link), labels)
    if medium is not None and medium.height:
        page.add_each(_by_row(medium), "station", "The wireless hop", _MEDIUM, labels)
    for plot in plots.drawable(tables):
        if plot.name == "delay_throughput" and single and len(labels) == 1:
            continue  # One dot.
        if plot.name == "completion_cdf" and ("latency" in tables or frames.table("completion").is_empty()):
            continue  # Each group has its own, or nothing in the scenario ever completes.
        page.add_plot(plot.draw(frames), plot.title, plot.text)
    if all_metrics.height > means.height:
        page.add_metrics(all_metrics)
    missing = [key for table, key in RECORD.items() if table not in tables]
    if missing:
        wanted = ", ".join(missing)
        page.add_text(
            f"No time series were recorded of: {wanted}. The section [record] of the scenario asks for them.",
            heading="Not recorded",
        )
    if scenario is not None:
        page.add_scenario(scenario)
    return page


def _add_differences(page: Report, frame: pl.DataFrame, labels: Sequence[str], against: str) -> None:
    frame = headline(_difference_column(frame))[0]
    page.add_intervals(frame, f"Differences from {against}", _PAIRED, value="difference", queues=labels)
    drawn = {"differences": frame.with_columns(baseline=pl.lit(against))}
    page.add_plot(plots.draw("differences", drawn, queues=labels), text=_HOLLOW)


def _difference_column(frame: pl.DataFrame) -> pl.DataFrame:
    return frame if "difference" in frame.columns else frame.rename({"mean": "difference"})


def _baseline(labels: Sequence[str], differences: pl.DataFrame | None) -> str:
    """The queue that has no differences, because the others are compared with it."""
    compared = set() if differences is None else set(differences["queue"])
    return next((queue for queue in labels if queue not in compared), "the baseline")


def _by_group(groups: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The usual metrics of each group, if it has a value; the row "all" mixes directions and is left out."""
    single = groups.filter((pl.col("metric") == "flows") & (pl.col("mean") == 1.0))["row"].unique()
    # A flow alone is always fair to itself.
    empty = (pl.col("metric") == "fairness_index") & pl.col("row").is_in(single.to_list())
    known = groups.filter(pl.col("metric").is_in(_OF_GROUPS) & pl.col("mean").is_finite() & ~empty)
    order = pl.col("metric").replace_strict(_OF_GROUPS, range(len(_OF_GROUPS)), return_dtype=pl.Int64)
    names = [name for name in groups["row"].unique(maintain_order=True) if name != "all"]
    found = {name: known.filter(row=name).sort(order, maintain_order=True).drop("row") for name in names}
    return {name: frame for name, frame in found.items() if frame.height}


def graded(frame: pl.DataFrame) -> pl.DataFrame:
    """The numbers of probes that people ask for, in their order."""
    order = pl.col("metric").replace_strict(_OF_PROBES, range(len(_OF_PROBES)), return_dtype=pl.Int64)
    return frame.filter(pl.col("metric").is_in(_OF_PROBES)).sort(order, maintain_order=True)


def _with_value(frame: pl.DataFrame) -> pl.DataFrame:
    """The metrics that a group has: a call has no stalls."""
    has = pl.col("mean").is_finite() & ~pl.col("metric").is_in(["stalls", "rounds"])
    return frame.filter(has)


def _by_link(summary: pl.DataFrame, link: str | None) -> dict[str, pl.DataFrame]:
    """The headline of each link besides `link` where packets wait; nothing where the table is about one."""
    if "row" not in summary.columns:
        return {}
    waits = summary.filter((pl.col("metric") == "sojourn_p99_ms") & (pl.col("mean") >= _NO_WAIT_MS))["row"].to_list()
    others = summary.filter(~pl.col("row").is_in([link, "all"]) & pl.col("row").is_in(waits))
    return {name: headline(frame)[0] for name, frame in _by_row(others).items()}


def _by_row(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """One frame for each row that the table is about."""
    names = frame["row"].unique(maintain_order=True).to_list()
    return {name: frame.filter(pl.col("row") == name).drop("row") for name in names}


def of_link(frame: pl.DataFrame, link: str | None) -> pl.DataFrame:
    """The rows of one link, where the frame has a column ``row``; "all" are the flows."""
    if "row" not in frame.columns:
        return frame
    about = pl.col("row").is_in([link, "all"]) if link is not None else pl.lit(True)
    return frame.filter(about).drop("row")


def headline(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The first values, and all."""
    if frame["metric"].n_unique() <= _MOST:
        return frame, frame
    chosen = frame.filter(pl.col("metric").is_in(_HEADLINE))
    value = "difference" if "difference" in frame.columns else "mean"
    # Nothing is marked where nobody asks for marks: a metric of zeros says nothing.
    chosen = chosen.filter((pl.col(value).fill_nan(None).fill_null(0.0) != 0.0).any().over("metric"))
    order = pl.col("metric").replace_strict(_HEADLINE, range(len(_HEADLINE)), return_dtype=pl.Int64)
    chosen = chosen.sort(order, maintain_order=True)
    return (chosen, frame) if chosen.height else (frame, frame)


def _most_runs(summary: pl.DataFrame) -> int | None:
    """Replications of the queue that has most of them; None if the table does not say."""
    counts = summary["n"].drop_nulls().to_list() if "n" in summary.columns else []
    return int(max(counts)) if counts else None


def _summary_text(summary: pl.DataFrame, others: Iterable[pl.DataFrame]) -> str:
    """The intervals behind the means of the summary, and of the other tables of the page."""
    most = _most_runs(summary)
    if most is None:
        return "Mean of the replications and its 95 % interval."
    if most == 1:
        runs = "One run" if summary["queue"].n_unique() == 1 else "One run of each queue"
        return f"{runs}: without replications there is no interval, and no telling of luck from merit."
    said = f"Mean of {most} replications and half the width of its 95 % interval (Student's t)."
    ends = [row for frame in (summary, *others) for row in frame.select("mean", "low", "high").drop_nulls().rows()]
    return f"{said} {_CUT}" if any(is_cut(*row) for row in ends) else said
