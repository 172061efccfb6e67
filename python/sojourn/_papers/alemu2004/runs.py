"""What is run: queues, numbers of flows and blocks, and the numbers of the UDP flow with error correction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sojourn.claims import Counts
from sojourn.papers import Context
from sojourn.result import Study

DROP_TAIL, RED = "DT", "RED"
LIMIT = "35p"
QUEUES: Mapping[str, str] = {
    DROP_TAIL: f'{{ kind = "fifo", limit = "{LIMIT}" }}',
    RED: f'{{ kind = "red", preset = "ns2", limit = "{LIMIT}" }}',
}
FLOWS = tuple(range(10, 101, 10))
BASE_RATE_BPS = 500e3
LINK = "forward"

Block = tuple[int, int]
"""Data and parity packets of a block: k, h."""


@dataclass(frozen=True)
class Reading:
    """What is laid over the scenario where the thesis leaves a choice."""

    key: str
    name: str
    red: str = QUEUES[RED]
    overrides: Sequence[str] = ()


BASE = Reading("base", "")
CLASSIC = Reading(
    "classic",
    "RED with thresholds 5 and 15, w_q 0.002",
    f'{{ kind = "red", preset = "ns2", min_th = "5p", max_th = "15p", w_q = 0.002, limit = "{LIMIT}" }}',
)
SHORT_TIMEOUTS = Reading("rto", "timeouts of at least 0.2 s", overrides=('flow[1].transport.rto_min="200ms"',))
WHOLE = Reading("whole", "TCP packets of 1200 B in all", overrides=('flow[1].transport.packet="1200B"',))


@dataclass(frozen=True)
class Case:
    """N TCP flows, a block, and the number of sources with error correction."""

    flows: int
    block: Block = (16, 1)
    sources: int = 1

    def label(self, queue: str) -> str:
        """Name of a variant."""
        return f"{queue} {self.flows} {self.block[0]}+{self.block[1]} x{self.sources}"


@dataclass
class Runs:
    """Every case under both queues, the same seeds each."""

    study: Study
    cache: dict[tuple[str, str], Mapping[str, Mapping[str, list[float]]]] = field(default_factory=dict)

    def _values(self, metric: str, table: str) -> Mapping[str, Mapping[str, list[float]]]:
        key = (metric, table)
        if key not in self.cache:
            self.cache[key] = self.study.values(metric, table=table)
        return self.cache[key]

    def with_seeds(self, seeds: Sequence[int]) -> Runs:
        """Those of some of the seeds."""
        return Runs(self.study.with_seeds(seeds))

    def udp(self, metric: str, queue: str, case: Case) -> list[float]:
        """A column of the table of flows, the mean over the sources with error correction."""
        rows = self._values(metric, "flow")[case.label(queue)]
        sources = list(rows.values())[: case.sources]
        return [sum(values) / len(values) for values in zip(*sources, strict=True)]

    def _total(self, metric: str, queue: str, case: Case) -> list[float]:
        return [value * case.sources for value in self.udp(metric, queue, case)]

    def _packets(self, queue: str, case: Case) -> list[float]:
        """How many packets of whole blocks were sent, parity included."""
        kinds = [self._total(f"fec_blocks_{kind}", queue, case) for kind in ("complete", "repaired", "lost")]
        return [sum(blocks) * sum(case.block) for blocks in zip(*kinds, strict=True)]

    def before(self, queue: str, case: Case) -> list[float]:
        """PLRBC: losses before correction."""
        return self.udp("fec_loss_before_ratio", queue, case)

    def after(self, queue: str, case: Case) -> Counts:
        """PLR: losses after correction; a block that cannot be repaired loses several packets together."""
        packets, shares = self._packets(queue, case), self.udp("fec_loss_after_ratio", queue, case)
        lost = [round(share * sent) for share, sent in zip(shares, packets, strict=True)]
        return Counts(lost, packets, together=sum(case.block))

    def left(self, queue: str, case: Case) -> Counts:
        """What correction leaves of the losses: PLR over PLRBC."""
        packets, shares = self._packets(queue, case), self.before(queue, case)
        lost = [round(share * sent) for share, sent in zip(shares, packets, strict=True)]
        return Counts(self.after(queue, case).events, lost, together=sum(case.block))

    def queue(self, metric: str, queue: str, case: Case) -> list[float]:
        """A column of the bottleneck's row of the table of queues."""
        return self._values(metric, "queue")[case.label(queue)][LINK]

    def tcp(self, metric: str, queue: str, case: Case) -> list[float]:
        """A column of TCP's row of the table of groups."""
        return self._values(metric, "group")[case.label(queue)]["tcp"]


def run(context: Context, key: str, cases: Iterable[Case], reading: Reading = BASE) -> Runs:
    """Cases under drop tail and RED."""
    variants = {}
    for case in cases:
        data, parity = case.block
        load = BASE_RATE_BPS * (1.0 + parity / data)  # Equation 5.1.
        own = [
            f"flow[0].count={case.sources}",
            f"flow[0].transport.data={data}",
            f"flow[0].transport.parity={parity}",
            f'flow[0].app.rate="{load:.0f}bit"',
            f"flow[1].count={case.flows}",
            *reading.overrides,
        ]
        for queue in QUEUES:
            table = reading.red if queue == RED else QUEUES[queue]
            variants[case.label(queue)] = context.scenario("fec.toml", f"dumbbell.queue={table}", *own)
    # The base as often as the thesis.
    seeds = context.seeds(full=50 if reading is BASE else 20, quick=5)
    return Runs(context.study(f"{key}-{reading.key}", variants, seeds=seeds))
