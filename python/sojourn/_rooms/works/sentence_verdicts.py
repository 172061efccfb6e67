"""The verdicts of a work's sentences: from this run, or from the last full one where this one leaves claims out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from . import left_out
from .claims import Claim
from .reproduction import Reproduction
from .scores import Score, last
from .sentences import SENTENCES, ClaimRecord, Sentence, Verdict, judge, read
from .work import folder, load

__all__ = ["Sentenced", "check", "of_run"]


@dataclass(frozen=True, kw_only=True)
class Sentenced:
    """The sentences of a work with their verdicts.

    Attributes
    ----------
    verdicts
        The verdict of each sentence; empty where `lacks` says why.
    record
        The last full run, where the verdicts are those of its claims; nothing where they are those of this run.
    in_full
        Beside the verdicts of a run with few seeds: those of the last full run in words, by the sentences' texts.
    lacks
        Why there are no verdicts.
    """

    verdicts: Sequence[Verdict] = ()
    record: Score | None = None
    in_full: Mapping[str, str] = field(default_factory=dict)
    lacks: str = ""

    @property
    def headlines(self) -> list[Verdict]:
        """The statements of the abstract and of the conclusion."""
        return [one for one in self.verdicts if one.sentence.headline]

    @property
    def others(self) -> list[Verdict]:
        """The other sentences, which are counted."""
        return [one for one in self.verdicts if not one.sentence.headline]

    @property
    def where(self) -> str:
        """The run of the verdicts, in words."""
        if self.record is not None:
            return (
                f"by the claims of the last full run (version {self.record.version}, {self.record.date}), because this "
                "run leaves claims of the work out"
            )
        return f"by the claims of this run{', as the work is read first' if self.first_only else ''}"

    @property
    def first_only(self) -> bool:
        """Whether other readings of the work were not run."""
        return any(one.first_only for one in self.verdicts)


def check(key: str) -> None:
    """Refuse sentences that do not fit the claims of a work, as far as these are known before it is run.

    Raises
    ------
    ValueError
        With the sentence, and the found and the allowed values.
    """
    directory = folder(key)
    sentences = read(directory)
    left_out.read(directory)
    experiments = load(key).experiments if sentences else []
    names = {one.name for one in experiments}
    for sentence in sentences:
        for name in sentence.claims:
            if name not in names:
                raise ValueError(
                    f"{directory / SENTENCES}: sentence {sentence.text!r}: there is no experiment {name!r}\n"
                    f"  allowed: {', '.join(sorted(names))}"
                )
    # The keys of claims that are functions of Python are known only after these were run.
    known = {one.name for one in experiments if one.named is not None and one.claims == len(one.rules)}
    rows = [
        ClaimRecord(experiment=one.name, id=key, text=text, verdict="undecided")
        for one in experiments
        if one.name in known
        for key, text in one.texts.items()
    ]
    narrowed = [
        replace(one, claims={name: keys for name, keys in one.claims.items() if name in known}) for one in sentences
    ]
    try:
        judge(narrowed, rows)
    except ValueError as error:
        raise ValueError(f"{directory / SENTENCES}: {error}") from None


def of_run(done: Reproduction) -> Sentenced | None:
    """The sentences after a run; nothing where the work has no ``sentences.toml``."""
    sentences = read(done.folder) if done.folder else []
    if not sentences or done.folder is None:
        return None
    full = last(done.folder)
    recorded = _of_record(sentences, full)
    if not _whole(done):
        if not recorded:
            return Sentenced(lacks="This run leaves claims of the work out, and its sentences need all of them.")
        return Sentenced(verdicts=recorded, record=full)
    try:
        verdicts = judge(sentences, _records(done), first_only=not done.readings)
    except ValueError as error:
        return Sentenced(lacks=f"{SENTENCES} does not fit the claims: {error}")
    beside = {one.sentence.text: one.words for one in recorded} if done.quick else {}
    return Sentenced(verdicts=verdicts, in_full=beside)


def _of_record(sentences: Sequence[Sentence], full: Score | None) -> list[Verdict]:
    """By the last full run; nothing without one."""
    return judge(sentences, full.claim_records(), recorded=True) if full else []


def _whole(done: Reproduction) -> bool:
    """Whether all claims of the work were run: not with `--only`, nor in a quick run that leaves points out."""
    ran = {name for name, _ in done.findings}
    judged = Counter(name for name, _ in {(one.experiment, one.key) for one in done.claims if not one.reading})
    # The number of claims of a function of Python is unknown: it counts as whole if it was run.
    return all(
        judged[one.name] >= one.claims if one.named is not None else one.name in ran for one in done.paper.experiments
    )


def _records(done: Reproduction) -> list[ClaimRecord]:
    groups = [group for group in done.by_key() if not group[0].reading]
    return [
        ClaimRecord(
            experiment=first.experiment,
            id=first.id,
            text=first.text,
            verdict=first.verdict,
            readings={other.reading: other.verdict for other in others if other.reading},
            numbers={other.reading: other.ours for other in others if other.reading and other.ours},
            at_bound=first.at_bound,
            holding=first.holding if first.of > 1 else 0,
            of=first.of if first.of > 1 else 0,
            fewer=[one.reading for one in others if one.reading and _is_less(one, first)],
            ours=first.ours,
            unit=first.unit,
            needs=first.needs or 0,
        )
        for first, *others in groups
    ]


def _is_less(one: Claim, base: Claim) -> bool:
    """Whether a claim under a reading had fewer cases, points or runs than under the first one."""
    runs = (one.ours.n, base.ours.n) if one.ours and base.ours and not one.enough else (0, 0)
    return one.of < base.of or one.points < base.points or runs[0] < runs[1]
