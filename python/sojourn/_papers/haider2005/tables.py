"""The tables: 6.1 to 6.4 beside ours, and what the paper leaves open, read in both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sojourn.exhibits import Number, Numbers
from sojourn.papers import Context

from .runs import PAYLOAD_SHARE, POINT, Runs, Sweep, hybrid, name, queue_settings, variant


@dataclass(frozen=True)
class Reading:
    """One way to read what the paper leaves open: settings laid over the experiment's."""

    label: str
    queue: str
    settings: Mapping[str, object] = field(default_factory=dict)
    transport: Mapping[str, object] = field(default_factory=dict)
    file: str = ""


def published(context: Context, runs: Runs, experiment: str, sweep: Sweep) -> Numbers:
    """Tables 6.1 to 6.4 beside ours; for the second reading 6.2 to 6.4."""
    expected = context.expected[experiment]
    doubtful = expected.get("doubtful", {})
    queues = expected["queues"] if sweep.cut_once else {}
    numbers = []
    for cell, printed in {**queues, **expected["hybrid"]}.items():
        eta, eta_error, delta, delta_error = (value * POINT for value in printed)
        label = cell if cell in queues or sweep.cut_once else f"{cell}, every"
        row = name(cell)
        mark = "*" if cell in queues and cell in doubtful else ""
        payload = [value * PAYLOAD_SHARE for value in runs.utilisation[label]]
        numbers += [
            Number(
                row=row,
                column="utilisation",
                ours=runs.utilisation[label],
                published=eta,
                error=eta_error,
                unit="%",
                mark=mark,
            ),
            Number(row=row, column="its payload", ours=payload, unit="%"),
            Number(row=row, column="loss", ours=runs.loss[label], published=delta, error=delta_error, unit="%"),
        ]
    notes = [f"* {name(row)}: {note}" for row, note in doubtful.items() if row in queues]
    text = (
        "Utilisation in bits (equation 6.2) and lost over enqueued packets (equation 6.1), over all 50 s. Payload is "
        "the utilisation without headers (1000 of 1040 B): a count of packets divided by the rate over 1000 B gives it."
    )
    title = f"Tables 6.{1 if sweep.cut_once else 2} to 6.4{sweep.suffix}"
    return Numbers(title=title, numbers=numbers, text="\n\n".join([text, *notes]))


def read_both_ways(context: Context, file: str, readings: Sequence[Reading]) -> Numbers:
    """What the paper leaves open, read in both ways."""
    variants = {
        reading.label: variant(context, reading.file or file, queue_settings_of(reading), transport=reading.transport)
        for reading in readings
    }
    runs = Runs(context.study("readings", variants, seeds=context.seeds(full=100, quick=10)))
    numbers = []
    for label in variants:
        numbers += [
            Number(row=label, column="utilisation", ours=runs.utilisation[label], unit="%"),
            Number(row=label, column="loss", ours=runs.loss[label], unit="%"),
        ]
    return Numbers(
        title="What the paper leaves open, read in both ways",
        numbers=numbers,
        rows_are="reading",
        text="Each row changes one thing against the reading above that it is compared with; same seeds.",
    )


def queue_settings_of(reading: Reading) -> dict[str, object]:
    """The queue of a reading."""
    if reading.queue == "fifo":
        return {"kind": "fifo", "limit": "50p"}
    return {**queue_settings(reading.queue), **reading.settings}


def readings(*, forward: str = "") -> list[Reading]:
    """TCP variant, regions without a test (and with none), restarted runs; with a second file where new flows go."""
    recommended = hybrid(1, 1.25)
    found = [
        Reading("RED", "red"),
        Reading("RED, newreno", "red", transport={"recovery": "newreno"}),
        Reading("RED, reno", "red", transport={"recovery": "reno"}),
        Reading("RED, delayed ACKs", "red", transport={"ack_every": 2}),
        Reading("RED, 960 B of payload", "red", transport={"packet": "1000B"}),
        Reading("RED, windows of 15", "red", transport={"window": "15p"}),
        Reading("RED, not gentle", "red", {"above": "strict"}),
        Reading("RED, no wait", "red", {"count": "on"}),
        Reading("RED, max_p 0.02", "red", {"max_p": 0.02}),
        Reading("LPF/ODA", "lpf_oda"),
        Reading("LPF/ODA, newreno", "lpf_oda", transport={"recovery": "newreno"}),
        Reading("LPF/ODA, not gentle", "lpf_oda", {"above": "strict"}),
        Reading("LPF/ODA, cut again every 3 arrivals", "lpf_oda", {"cut_once": False}),
        Reading(f"Hybrid RED ({recommended})", recommended),
        Reading(f"Hybrid RED ({recommended}), newreno", recommended, transport={"recovery": "newreno"}),
        Reading(f"Hybrid RED ({recommended}), not gentle", recommended, {"above": "strict"}),
        Reading(f"Hybrid RED ({recommended}), region 10 only", recommended, {"untested": "10"}),
        Reading(f"Hybrid RED ({recommended}), no region", recommended, {"untested": "none"}),
        Reading("Hybrid RED (3, 2)", hybrid(3, 2.0)),
        Reading("Hybrid RED (3, 2), cut at every short arrival", hybrid(3, 2.0), {"cut_once": False}),
        Reading(
            "Hybrid RED (3, 2), cut every 3 short arrivals", hybrid(3, 2.0), {"cut_once": False, "restart_run": True}
        ),
        Reading("FIFO (pseudo-code taken literally)", "fifo"),
    ]
    if forward:
        found += [
            Reading("RED, new flows forward", "red", file=forward),
            Reading("ARED, new flows forward", "ared", file=forward),
            Reading("LPF/ODA, new flows forward", "lpf_oda", file=forward),
            Reading(f"Hybrid RED ({recommended}), new flows forward", recommended, file=forward),
        ]
    return found
