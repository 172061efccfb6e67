"""Tahiliani 2013, "Optimizing Congestion Avoidance and Congestion Control in Wired and Wireless Networks".

The thesis's experiments over a wireless hop only (section 4.4.3). README.md says what is stated and what was read how.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sojourn.claims import Claim, Paired, Sample, above, below, every, inside, ratio
from sojourn.papers import Context, Finding, Number, Numbers, Paper, Remark
from sojourn.reproduce import from_files, under_readings
from sojourn.result import Study
from sojourn.scenario import Scenario

PAPER = Paper(
    title="TCP Surathkal over a wireless hop",
    citation="M. P. Tahiliani: PhD thesis, National Institute of Technology Karnataka, 2013, section 4.4.3",
)

PAPER.experiments += from_files(__file__, "E3.1.toml")

RATES = (5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0)
"""Of data frames, in Mbit/s."""
ERRORS = (0.0, 0.005, 0.01, 0.02, 0.03, 0.04)
"""Share of frames that are corrupted, in each direction."""
NAMES = {"surathkal": "Surathkal", "sack": "SACK with ECN", "plain": "SACK without ECN", "westwood": "Westwood"}
SENDERS: Mapping[str, Mapping[str, str]] = {
    "surathkal": {"control": '"surathkal"', "ecn_feedback": '"xecn"'},
    "sack": {},
    "plain": {"ecn": "false"},
    "westwood": {"control": '"westwood"', "recovery": '"newreno"'},
}
SAME = 0.01
"""What "exactly the same" in two figures is read as: lines a hundredth apart cannot be told from each other."""


@dataclass(frozen=True)
class Reading:
    """What is laid over the scenario, and over Surathkal's senders."""

    key: str
    name: str
    file: str = "plain.toml"
    links: Sequence[int] = (0,)
    overrides: Sequence[str] = ()
    surathkal: Mapping[str, str] = field(default_factory=dict)


BASE = Reading("plain", "")
READINGS = (
    Reading(
        "halves", "a loss halves Surathkal's window", surathkal={"control": '{ kind = "surathkal", loss = "halves" }'}
    ),
    Reading("far", "30 ms on the hop (chosen among 1 to 45 ms: confirms nothing)", overrides=('link[0].delay="30ms"',)),
    Reading("air", "802.11b without retransmissions: frames collide", file="hop.toml"),
    Reading("apart", "802.11b, acknowledgements on a channel of their own", file="apart.toml", links=(0, 1)),
    Reading(
        "retries",
        "802.11b, lost frames are sent again, up to 6 times",
        file="hop.toml",
        overrides=("medium[0].retries=6",),
    ),
)


@dataclass
class Sweep:
    """Throughput of both flows together in bit/s, by sender and value, a sample over the seeds each."""

    throughput: Mapping[str, Mapping[float, Sample]]
    study: Study

    def with_seeds(self, seeds: Sequence[int]) -> Sweep:
        """The runs of the first seeds."""
        few = {
            sender: {value: sample[: len(seeds)] for value, sample in samples.items()}
            for sender, samples in self.throughput.items()
        }
        return Sweep(few, self.study.with_seeds(seeds))

    def gain(self, sender: str, other: str) -> dict[float, Sample]:
        """Throughput of a sender over another's, less one, for each value and seed."""
        ratios = {value: ratio(ours, self.throughput[other][value]) for value, ours in self.throughput[sender].items()}
        return {value: Paired((one - 1.0 for one in found), of=(found,)) for value, found in ratios.items()}


def sweep_scenario(context: Context, reading: Reading, sender: str, links: Sequence[str]) -> Scenario:
    """Two flows of a sender over the hop, with settings of its links."""
    own = {**SENDERS[sender], **(reading.surathkal if sender == "surathkal" else {})}
    flows = [f"flow[{flow}].transport.{key}={text}" for flow in (0, 1) for key, text in own.items()]
    return context.scenario(reading.file, *links, *reading.overrides, *flows)


def sweep(
    context: Context, reading: Reading, senders: Sequence[str], values: Sequence[float], setting: Callable[[float], str]
) -> Sweep:
    """Runs every sender at every value."""
    cells = {f"{sender} {value:g}": (sender, value) for sender in senders for value in values}
    variants = {}
    for label, (sender, value) in cells.items():
        links = [f"link[{link}].{setting(value)}" for link in reading.links]
        variants[label] = sweep_scenario(context, reading, sender, links)
    done = context.study(reading.key, variants, seeds=context.seeds(full=10, quick=2))
    found: dict[str, dict[float, Sample]] = {sender: {} for sender in senders}
    for label, rows in done.values("goodput_bps", table="flow").items():
        sender, value = cells[label]
        found[sender][value] = [sum(flows) for flows in zip(*rows.values(), strict=True)]
    return Sweep(found, done)


def table(done: Sweep, title: str, rows_are: str, shown: Callable[[float], str]) -> Numbers:
    """Throughputs as the figures have them."""
    numbers = [
        Number(row=shown(value), column=NAMES[sender], ours=sample, unit="Mbit/s")
        for sender, samples in done.throughput.items()
        for value, sample in samples.items()
    ]
    return Numbers(
        title=title, numbers=numbers, rows_are=rows_are, text="Payload of both flows together, over the whole run."
    )


def better(done: Sweep, text: str, sender: str, other: str, source: str, published: float | None = None) -> Claim:
    """A sender carries more than another at every value."""
    gains = {f"{value:g}": gain for value, gain in done.gain(sender, other).items()}
    return Claim.judged(
        text,
        every(gains, above),
        rule="the paired gain is above 0 at every value",
        source=source,
        unit="%",
        published=published,
    )


def claims_rates(done: Sweep) -> Iterator[Claim]:
    """No corruption, data rates of 5 to 12 Mbit/s."""
    yield better(done, "Surathkal carries more than SACK at every rate", "surathkal", "sack", "figure 4.17", 0.0402)
    most = {f"{value:g} Mbit/s": gain for value, gain in done.gain("surathkal", "sack").items()}
    yield Claim.judged(
        "Surathkal carries hardly more than SACK, by at most about 4 %",
        every(most, below, 0.05),
        rule="the paired gain is below 5 % at every rate; up to 4.02 % is printed",
        source="figure 4.17",
        unit="%",
        published=0.0402,
    )
    same = {f"{value:g} Mbit/s": gain for value, gain in done.gain("surathkal", "westwood").items()}
    yield Claim.judged(
        "Surathkal and Westwood carry the same",
        every(same, inside, -SAME, SAME),
        rule="the paired gain lies within 1 % at every rate",
        source="figure 4.18",
        unit="%",
        published=0.0,
    )


def claims_errors(done: Sweep) -> Iterator[Claim]:
    """11 Mbit/s, up to 4 % of frames corrupted."""
    yield better(
        done,
        "Surathkal carries more than SACK with ECN at every error rate",
        "surathkal",
        "sack",
        "figure 4.19",
        0.0362,
    )
    yield better(
        done,
        "Surathkal carries more than SACK without ECN at every error rate",
        "surathkal",
        "plain",
        "figure 4.19",
        0.0668,
    )
    yield better(done, "SACK carries more with ECN than without at every error rate", "sack", "plain", "figure 4.19")
    yield better(
        done, "Surathkal carries more than Westwood at every error rate", "surathkal", "westwood", "figure 4.20", 0.7696
    )
    worst = done.gain("surathkal", "westwood")[ERRORS[-1]]
    yield Claim.judged(
        "Westwood collapses: at 4 % Surathkal carries half as much again or more",
        above(worst, 0.5),
        rule="the paired gain at 4 % is above 50 %; up to 76.96 % is printed, without the error rate",
        source="figure 4.20",
        unit="%",
        published=0.7696,
    )


def judged(
    context: Context,
    senders: Sequence[str],
    values: Sequence[float],
    setting: Callable[[float], str],
    claims: Callable[[Sweep], Iterator[Claim]],
    shown: Callable[[Sweep, str], Numbers],
) -> Iterator[Finding]:
    """Claims and tables under the base reading and under each other."""
    done = {reading.name: sweep(context, reading, senders, values, setting) for reading in (BASE, *READINGS)}
    yield from under_readings((claims,), done[""], {name: other for name, other in done.items() if name})
    for name, other in done.items():
        yield shown(other, f" ({name})" if name else "")


SCOPE = Remark(
    title="What is reproduced",
    text=(
        "Section 4.4.3 of the thesis. Neither its channel access nor its error model is given. It says that there is "
        "no error in the channel and all losses are due to congestion: so the hop is a plain link without a MAC, on "
        "which each packet may be corrupted with the same probability in both directions. 802.11b, where frames "
        "collide, is another reading. Orders and gains are compared, not throughputs."
    ),
)


@PAPER.experiment("E4.3a", "no corruption; the rate of data frames is 5 to 12 Mbit/s")
def rates(context: Context) -> Iterator[Finding]:
    """Figures 4.17 and 4.18."""
    yield SCOPE
    yield from judged(
        context,
        ("surathkal", "sack", "westwood"),
        RATES,
        lambda rate: f"rate={rate:g}Mbit",
        claims_rates,
        lambda done, note: table(done, f"Throughput against the rate{note}", "rate", lambda rate: f"{rate:g} Mbit/s"),
    )


def corrupted(share: float) -> str:
    """A link's setting."""
    return f'loss={{ kind = "uniform", probability = {share:g} }}'


@PAPER.experiment("E4.3b", "11 Mbit/s; up to 4 % of the frames are corrupted")
def errors(context: Context) -> Iterator[Finding]:
    """Figures 4.19 and 4.20."""
    yield SCOPE
    yield from judged(
        context,
        ("surathkal", "sack", "plain", "westwood"),
        ERRORS,
        corrupted,
        claims_errors,
        lambda done, note: table(
            done, f"Throughput against errors{note}", "corrupted", lambda share: f"{100 * share:g} %"
        ),
    )
