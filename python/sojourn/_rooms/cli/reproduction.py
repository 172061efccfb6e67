"""``sojourn reproduce`` and ``sojourn list papers``."""

from __future__ import annotations

import math
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..runs.runner import workers_of
from ..showing.text.progress import progress_bar
from ..showing.text.prose import print_wrapped
from ..works import figures as figure_list
from ..works import (
    front,
    last_run,
    left_out,
    points,
    reproduction,
    scoreboard,
    scores,
    sentence_verdicts,
    sentences,
    spent,
    work,
)
from ..works.claims import VERDICTS, Claim, factor
from ..works.exhibits import Numbers, Remark, figures
from ..works.reproduction import Reproduction
from ..works.sentence_verdicts import Sentenced
from .guard import check_page, print_json
from .streams import then

__all__ = ["reproduce", "show_list"]

_MOST_CLAIMS = 40
"""More claims would fill several screens."""
_MOST_FAILURES = 30
_LEFT_OUT = (
    "left out: the numbers of each claim, tables, and open points; --only EXPERIMENT shows those of one, --details "
    "those of all, and --report FILE.html has figures, too"
)


def show_list(*, as_json: bool, keys_only: bool) -> None:
    """List the papers with their experiments."""
    found = {key: work.load(key) for key in work.find()}
    if keys_only:
        print("\n".join(found))
    elif as_json:
        print_json([_about(key, paper) for key, paper in found.items()])
    elif not found:
        print("no papers: there is no papers/ directory here", file=sys.stderr)
    else:
        for key, paper in found.items():
            print_wrapped(f"{key:<16}{paper.title}", 16)
            print_wrapped(f"{'':16}{paper.citation}", 16)
            for experiment in paper.experiments:
                print_wrapped(f"{'':16}  {experiment.name}: {experiment.doc}", 20)


def _about(key: str, paper: work.Paper) -> dict[str, Any]:
    experiments = [{"name": experiment.name, "doc": experiment.doc} for experiment in paper.experiments]
    return {"key": key, "title": paper.title, "citation": paper.citation, "experiments": experiments}


def reproduce(
    key: str,
    *,
    only: Sequence[str] | None,
    full: bool,
    runs: int | None,
    workers: int | None,
    as_json: bool,
    out: Path | None,
    report: Path | None,
    verdicts: Path | None = None,
    record: bool = False,
    details: bool = False,
    readings: bool | None = None,
    until_decided: bool = False,
) -> None:
    """Run a paper's experiments; print its numbers beside ours and its claims with their verdicts.

    With `details` all tables are printed, and each claim under each reading. A claim that fails is a result, not an
    error: the exit code is 0.
    """
    if verdicts is not None:
        check_page(verdicts, "--verdicts")
    sentence_verdicts.check(key)
    figure_list.check(work.folder(key), work.load(key))
    with spent.spending(out) as until_now, progress_bar() as progress:
        done = reproduction.reproduce(
            key,
            only=only,
            quick=not full,
            runs=runs,
            workers=workers,
            progress=progress,
            out=out,
            readings=readings,
            until_decided=until_decided,
            started=lambda experiment: print(f"{key}: {experiment.name} ...", file=sys.stderr),
        )
    found = scores.score(done, took=until_now(), cores=workers_of(workers))
    with then(lambda: _write(done, found, verdicts=verdicts, record=record, report=report)):
        if as_json:
            print_json(_json(done))
        else:
            _show(done, details=details)
            if found.claims:
                print(f"\nScoreboard\n{scoreboard.in_words(found)}")
                _show_sentences(sentence_verdicts.of_run(done), left_out.read(done.folder) if done.folder else [])


def _write(
    done: Reproduction, found: scores.Score, *, verdicts: Path | None, record: bool, report: Path | None
) -> None:
    """Write the requested pages, even if nobody reads the printed output."""
    if verdicts is not None:
        from ..works import markdown

        markdown.write(verdicts, found)
    if record and done.folder is not None:
        scores.keep(done.folder, found)
        points.keep(done)
        front.keep(done.folder, done.paper, points.of_run(done))
    if report is not None:
        from ..works import page

        page.write(report, done)
        print(f"report: {report}", file=sys.stderr)


def _json(done: Reproduction) -> dict[str, Any]:
    full = last_run.verdicts(last_run.last_full(done))
    judged = sentence_verdicts.of_run(done)
    return {
        "key": done.key,
        "title": done.paper.title,
        "citation": done.paper.citation,
        "quick": done.quick,
        "claims": [
            {
                "experiment": claim.experiment,
                "id": claim.id or None,
                "claim": claim.text,
                "reading": claim.reading,
                "verdict": claim.verdict,
                "p": claim.p,
                "alone": claim.alone or claim.verdict,
                "published": claim.published,
                "derived": claim.derived,
                "number": claim.number,
                "claimed_low": _finite(claim.claimed[0]),
                "claimed_high": _finite(claim.claimed[1]),
                "ours": claim.ours.mean if claim.ours else None,
                "low": claim.ours.low if claim.ours else None,
                "high": claim.ours.high if claim.ours else None,
                "half_width": claim.ours.half_width if claim.ours else None,
                "runs": claim.ours.n if claim.ours else None,
                "unit": _base(claim.unit),
                "source": claim.source,
                "rule": claim.rule,
                "note": claim.note,
                "holding": claim.holding,
                "of": claim.of,
                "at_bound": dict(claim.at_bound),
                "in_full": None if claim.reading else full.get((claim.experiment, claim.key)),
            }
            for claim in done.claims
        ],
        "tables": [
            {
                "experiment": experiment,
                "title": exhibit.title,
                "text": exhibit.text,
                "numbers": [{**number.as_dict(), "unit": _base(number.unit)} for number in exhibit.numbers],
            }
            for experiment, exhibit in done.exhibits
            if isinstance(exhibit, Numbers)
        ],
        "sentences": [_json_sentence(one, judged) for one in judged.verdicts] if judged else [],
        "not_tested": [asdict(one) for one in left_out.read(done.folder)] if done.folder else [],
    }


def _json_sentence(one: sentences.Verdict, judged: Sentenced) -> dict[str, Any]:
    return {
        "sentence": one.sentence.text,
        "source": one.sentence.source,
        "headline": one.sentence.headline,
        "outcome": one.outcome,
        "words": one.words,
        "holding": one.holding,
        "of": one.of,
        "readings": list(one.readings),
        "readings_run": not one.first_only,
        "missing": one.sentence.missing,
        "note": one.sentence.note,
        "claims": [
            {
                "experiment": claim.experiment,
                "id": claim.id or None,
                "claim": claim.text,
                "verdict": claim.verdict,
                "readings": dict(claim.readings),
            }
            for claim in one.claims
        ],
        "run": "this" if judged.record is None else "last full",
        "in_full": judged.in_full.get(one.sentence.text),
    }


def _finite(bound: float) -> float | None:
    """A finite bound; else None."""
    return bound if math.isfinite(bound) else None


def _base(unit: str) -> str:
    """The unit of a number that is not scaled for people."""
    return unit if factor(unit) == 1.0 else {"us": "ms", "%": "", "points": ""}.get(unit, "bit/s")


def _show(done: Reproduction, *, details: bool) -> None:
    runs = sorted({len(study.seeds) for study in done.studies.values()})
    seeds = " to ".join(map(str, dict.fromkeys((runs[0], runs[-1])))) if runs else "no"
    print(f"{done.key}: {done.paper.title}\n{done.paper.citation}; {seeds} seeds")
    tables = [(experiment, exhibit) for experiment, exhibit in done.exhibits if isinstance(exhibit, Numbers)]
    shown = [one for one in tables if details or any(number.published is not None for number in one[1].numbers)]
    groups, full = done.by_key(), last_run.last_full(done)
    in_short = not details and len(groups) > _MOST_CLAIMS
    if in_short:
        _show_failures([claim for claim, *_ in groups])
    else:
        for experiment, exhibit in shown:
            _show_numbers(experiment, exhibit)
        _show_remarks(done)
        if not groups:
            print("\nThere is no claim here: the runs make tables and figures, which --report FILE.html shows.")
            return
        _show_claims(groups, last_run.verdicts(full), details=details)
    print(f"\n{_counted([claim for claim, *_ in groups])}")
    if why := last_run.beside(done, full):
        print(textwrap.fill(why, _width()))
    others = [other for _, *rest in groups for other in rest]
    if others:
        turned = sum(any(other.turned for other in rest) for _, *rest in groups)
        print(f"under other readings: {_counted(others)}; {turned} of {len(groups)} claims depend on the reading")
    if in_short:
        print(textwrap.fill(_LEFT_OUT, _width()))
    elif not details and (others or len(shown) < len(tables)):
        left = len(tables) - len(shown)
        print(f"left out: {left} tables without printed numbers, and each reading by itself; --details shows them")


def _show_sentences(judged: Sentenced | None, without: Sequence[left_out.Statement]) -> None:
    """How many sentences of the work hold, and each statement of its abstract and conclusion with its verdict."""
    if judged is None:
        return
    print("\nSentences")
    if judged.lacks:
        print(textwrap.fill(judged.lacks, _width(), initial_indent="  ", subsequent_indent="  "))
        return
    counts = sentences.counted(judged.verdicts)
    said = f"{len(judged.others)} sentences, judged {judged.where}; each is counted once: {counts}"
    said += f". Statements left out, with a reason (--report): {len(without)}" if without else ""
    print(textwrap.fill(said, _width(), initial_indent="  ", subsequent_indent="  "))
    if judged.headlines:
        print("\nAbstract and conclusion")
    wide = max((len(one.short) for one in judged.headlines), default=0)
    for one in judged.headlines:
        in_full = judged.in_full.get(one.sentence.text, one.words)
        more = [one.more] if one.more else []
        more += [f"in full: {in_full}"] if in_full != one.words else []
        text = f"{one.sentence.text} ({one.sentence.source}){': ' if more else ''}{'; '.join(more)}"
        print(textwrap.fill(f"  {one.short:<{wide}}  {text}", _width(), subsequent_indent=" " * (4 + wide)))


def _show_remarks(done: Reproduction) -> None:
    for remark in dict.fromkeys(exhibit for _, exhibit in done.exhibits if isinstance(exhibit, Remark)):
        print(f"\n{remark.title}\n" + textwrap.fill(remark.text, _width(), initial_indent="  ", subsequent_indent="  "))


def _show_claims(groups: Sequence[Sequence[Claim]], in_full: Mapping[tuple[str, str], str], *, details: bool) -> None:
    print("\nClaims")
    for claim, *others in groups:
        _show_claim(claim, in_full.get((claim.experiment, claim.key), ""))
        if details:
            for other in others:
                _show_reading(other)
        elif others:
            print(f"               under other readings: {_counted(others)}")


def _show_failures(claims: Sequence[Claim]) -> None:
    """The failing claims, a line each, by experiment; the others are counted below."""
    failed = [claim for claim in claims if claim.verdict in ("fails", "contradicted")]
    if not failed:
        print("\nNo claim fails in this run.")
        return
    print("\nClaims that fail in this run")
    wide = 2 + max(len(claim.experiment) for claim in failed)
    for claim in failed[:_MOST_FAILURES]:
        print(textwrap.fill(f"  {claim.experiment:<{wide}}{claim.text}", _width(), subsequent_indent=" " * (2 + wide)))
    if len(failed) > _MOST_FAILURES:
        print(f"  and {len(failed) - _MOST_FAILURES} more")


def _counted(claims: Sequence[Claim]) -> str:
    counts = [(sum(claim.verdict == verdict for claim in claims), verdict) for verdict in VERDICTS]
    return ", ".join(f"{count} {verdict if count == 1 else VERDICTS[verdict]}" for count, verdict in counts if count)


def _width() -> int:
    """The width of the terminal, but no wider than reads well."""
    return min(shutil.get_terminal_size((80, 24)).columns, 116) if sys.stdout.isatty() else 116


def _show_numbers(experiment: str, exhibit: Numbers) -> None:
    from ..showing.text import layout

    print(f"\n{experiment}: {exhibit.title} (± is the 95 % interval)")
    layout.print_in_parts(layout.console(), *exhibit.brief())
    # The first paragraph is for readers of the report; footnotes belong under the table.
    for note in exhibit.text.split("\n\n")[1:]:
        print(textwrap.fill(note, _width(), subsequent_indent="  "))


def _show_claim(claim: Claim, in_full: str = "") -> None:
    scale, unit = factor(claim.unit), f" {claim.unit}" if claim.unit else ""
    said = []
    if claim.in_the_work is not None:
        said.append(f"paper {claim.in_the_work * scale:.3g}{unit}")
    if claim.ours is not None:
        said.append(f"here {figures(claim.ours, scale)}{unit}{f' ({claim.number})' if claim.number else ''}")
    if claim.note:
        said.append(claim.note)
    if in_full:
        said.append(f"in full: {in_full}")
    print(textwrap.fill(f"  {claim.verdict:<12} {claim.text}", _width(), subsequent_indent=" " * 15))
    if said:
        print(textwrap.fill("; ".join(said), _width(), initial_indent=" " * 15, subsequent_indent=" " * 15))


def _show_reading(claim: Claim) -> None:
    unit = f" {claim.unit}" if claim.unit else ""
    ours = f"{figures(claim.ours, factor(claim.unit))}{unit}" if claim.ours is not None else ""
    print(f"               {claim.verdict:<12} {ours:<26} {claim.reading}".rstrip())
