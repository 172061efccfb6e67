"""The last full run of a work beside one with few seeds, which leaves most claims open."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from .claims import VERDICTS, Claim, Verdict
from .reproduction import Reproduction
from .scores import Score, last

__all__ = ["beside", "last_full", "verdicts"]


def last_full(done: Reproduction) -> Score | None:
    """The verdicts of the last full run for the experiments of a run that is not full; empty if there is none."""
    found = last(done.folder) if done.quick and done.folder else None
    if found is None:
        return None
    names = {name for name, _ in done.findings}
    return replace(
        found,
        experiments=len(names),
        claims=[claim for claim in found.claims if claim["experiment"] in names],
    )


def verdicts(full: Score | None) -> Mapping[tuple[str, str], Verdict]:
    """The verdict of each claim, by experiment and key."""
    return {(claim["experiment"], claim["key"]): claim["verdict"] for claim in full.claims} if full else {}


def beside(done: Reproduction, full: Score | None) -> str:
    """The decisions of a run that is not full, why they are not more, and those of the last full run."""
    own = [claim for claim in done.claims if not claim.reading and claim.verdict != "shown"]
    if not done.quick or not own:
        return ""
    text = f"{_opening(done)} decides {_decided(own)} of {len(own)} claims."
    alone = sum(claim.alone is not None for claim in own)
    if alone:
        text += (
            f" {alone} more would be decided if each were judged alone; chance would decide "
            "some of that many claims, so that more seeds are needed."
        )
    if full and full.claims:
        counts = [
            f"{count} {verdict if count == 1 else words}"
            for verdict, words in VERDICTS.items()
            if (count := full.count(verdict))
        ]
        low, high = full.seeds
        text += (
            f" Of the same experiments the last full run (version {full.version}, {full.date}, "
            f"{low} to {high} seeds) has: {', '.join(counts)}. Its verdict is beside each claim that is shown."
        )
    if not done.readings:
        text += " Other readings of the work are run with --full or --readings."
    return text


def _decided(claims: Sequence[Claim]) -> int:
    return sum(claim.verdict != "undecided" for claim in claims)


def _opening(done: Reproduction) -> str:
    counts = sorted({len(study.seeds) for study in done.studies.values()})
    if not counts:
        return "This run"
    numbers = " to ".join(str(count) for count in dict.fromkeys([counts[0], counts[-1]]))
    return f"With {numbers} seed{'' if numbers == '1' else 's'} this run"
