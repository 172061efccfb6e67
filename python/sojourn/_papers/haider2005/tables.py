"""The tables: 6.1 to 6.4 beside ours, and what the paper leaves open, read in both ways."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sojourn.exhibits import Number, Numbers
from sojourn.papers import Context

from .readings import Reading
from .runs import PAYLOAD_SHARE, POINT, Runs, hybrid, name, queue_settings, variant


@dataclass(frozen=True)
class Change:
    """One thing that is changed: settings laid over the experiment's."""

    label: str
    queue: str
    settings: Mapping[str, object] = field(default_factory=dict)
    transport: Mapping[str, object] = field(default_factory=dict)
    file: str = ""


def published(context: Context, runs: Runs, experiment: str, reading: Reading) -> Numbers:
    """Tables 6.1 to 6.4 beside ours; of another reading than the base's 6.2 to 6.4."""
    expected = context.expected[experiment]
    doubtful = expected.get("doubtful", {})
    queues = {} if reading.name else expected["queues"]
    numbers = []
    for cell, printed in {**queues, **expected["hybrid"]}.items():
        eta, eta_error, delta, delta_error = (value * POINT for value in printed)
        row = name(cell)
        mark = "*" if cell in queues and cell in doubtful else ""
        payload = [value * PAYLOAD_SHARE for value in runs.utilisation[cell]]
        numbers += [
            Number(
                row=row,
                column="utilisation",
                ours=runs.utilisation[cell],
                published=eta,
                error=eta_error,
                unit="%",
                mark=mark,
            ),
            Number(row=row, column="its payload", ours=payload, unit="%"),
            Number(row=row, column="loss", ours=runs.loss[cell], published=delta, error=delta_error, unit="%"),
        ]
    notes = [f"* {name(row)}: {note}" for row, note in doubtful.items() if row in queues]
    text = (
        "Utilisation in bits (equation 6.2) and lost over enqueued packets (equation 6.1), over all 50 s. Payload is "
        "the utilisation without headers (1000 of 1040 B): a count of packets divided by the rate over 1000 B gives it."
    )
    title = f"Tables 6.2 to 6.4 ({reading.name})" if reading.name else "Tables 6.1 to 6.4"
    return Numbers(title=title, numbers=numbers, text="\n\n".join([text, *notes]))


def read_both_ways(context: Context, file: str, readings: Sequence[Change]) -> Numbers:
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


def queue_settings_of(reading: Change) -> dict[str, object]:
    """The queue of a reading."""
    if reading.queue == "fifo":
        return {"kind": "fifo", "limit": "50p"}
    return {**queue_settings(reading.queue), **reading.settings}


def readings(*, forward: str = "") -> list[Change]:
    """TCP variant, regions without a test (and with none), restarted runs; with a second file where new flows go."""
    recommended = hybrid(1, 1.25)
    found = [
        Change("RED", "red"),
        Change("RED, newreno", "red", transport={"recovery": "newreno"}),
        Change("RED, reno", "red", transport={"recovery": "reno"}),
        Change("RED, delayed ACKs", "red", transport={"ack_every": 2}),
        Change("RED, 960 B of payload", "red", transport={"packet": "1000B"}),
        Change("RED, windows of 15", "red", transport={"window": "15p"}),
        Change("RED, not gentle", "red", {"above": "strict"}),
        Change("RED, no wait", "red", {"count": "on"}),
        Change("RED, max_p 0.02", "red", {"max_p": 0.02}),
        Change("LPF/ODA", "lpf_oda"),
        Change("LPF/ODA, newreno", "lpf_oda", transport={"recovery": "newreno"}),
        Change("LPF/ODA, not gentle", "lpf_oda", {"above": "strict"}),
        Change("LPF/ODA, cut again every 3 arrivals", "lpf_oda", {"cut_once": False}),
        Change(f"Hybrid RED ({recommended})", recommended),
        Change(f"Hybrid RED ({recommended}), newreno", recommended, transport={"recovery": "newreno"}),
        Change(f"Hybrid RED ({recommended}), not gentle", recommended, {"above": "strict"}),
        Change(f"Hybrid RED ({recommended}), region 10 only", recommended, {"untested": "10"}),
        Change(f"Hybrid RED ({recommended}), no region", recommended, {"untested": "none"}),
        Change("Hybrid RED (3, 2)", hybrid(3, 2.0)),
        Change("Hybrid RED (3, 2), cut at every short arrival", hybrid(3, 2.0), {"cut_once": False}),
        Change(
            "Hybrid RED (3, 2), cut every 3 short arrivals", hybrid(3, 2.0), {"cut_once": False, "restart_run": True}
        ),
        Change("FIFO (pseudo-code taken literally)", "fifo"),
    ]
    if forward:
        found += [
            Change("RED, new flows forward", "red", file=forward),
            Change("ARED, new flows forward", "ared", file=forward),
            Change("LPF/ODA, new flows forward", "lpf_oda", file=forward),
            Change(f"Hybrid RED ({recommended}), new flows forward", recommended, file=forward),
        ]
    return found
