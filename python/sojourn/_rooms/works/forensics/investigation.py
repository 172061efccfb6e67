"""A search over the choices of a work, within a budget of time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...runs.pool import ProgressCallback
from ..choices import Search
from ..context import Context
from ..work import Paper, find, load
from .choices import Setting, factors
from .findings import Findings
from .numbers import Row, rows
from .plan import least, neighbours, screened, size, taken
from .trials import Trials, Values

__all__ = ["BUDGET_S", "Investigation", "investigate"]

BUDGET_S = 600.0
"""Seconds for a whole work, on two cores."""

SEEDS = range(1, 4)
"""Seeds of the search: the same for every setting, so that differences between settings have little noise."""

FRESH = 1001
"""First seed of the final comparison of the best settings: none was chosen by these seeds."""

FEWEST, MOST = 6, 24
"""Fresh seeds: as many as the budget leaves time for, within these."""

_SCREENING, _CLIMBING = 0.5, 0.25
"""Shares of the budget for the first plan and for the neighbours of the best; the rest is for fresh seeds."""

_BATCH = 8
"""Settings that are run at a time, so that all cores are busy at once."""

_BEST = 5

Told = Callable[[str], None]


@dataclass(frozen=True)
class Investigation:
    """The results of the search for a work.

    Attributes
    ----------
    key, paper
        The key and the description of the work.
    parts
        The findings by part; a work without parts has one.
    seconds
        By the clock.
    budget
        In seconds, that was given.
    """

    key: str
    paper: Paper
    parts: Sequence[Findings]
    seconds: float
    budget: float


@dataclass
class _Search:
    """The search of one part."""

    name: str
    trials: Trials
    made: Sequence[int]
    until: float
    told: Told
    tried: dict[Setting, Values] = field(default_factory=dict)
    stopped: bool = False
    fresh: tuple[int, ...] = ()

    def findings(self) -> Findings:
        begun = time.monotonic()
        span = self.until - begun
        factors = self.trials.factors
        first = taken(factors)
        self._run([first], begun + span)
        each = max(time.monotonic() - begun, 1e-3)
        room = max(2, int(span * _SCREENING / each))
        planned, complete = screened(factors, room)
        if not complete and room < least(factors):
            # A few rows of an array give no information about any choice: the neighbours of the setting taken say more.
            planned = [first]
        self.told(f"{self.name}: {len(planned)} of {size(factors)} settings, about {each * len(planned):.0f} s")
        self._run(planned, begun + span * (_SCREENING + 0.1))
        ready = [setting for setting in planned if setting in self.tried]
        if not complete:
            self._climb(begun + span * (_SCREENING + _CLIMBING))
        settings = [*ready, *(setting for setting in self.tried if setting not in set(ready))]
        found = self._findings(settings, len(ready), complete, {})
        wanted = list(dict.fromkeys([first, *(one.setting for one in found.ranked()[:_BEST]), *_of_groups(found)]))
        each_seed = each / len(SEEDS) * len(wanted)
        count = min(MOST, max(FEWEST, int((self.until - time.monotonic()) / each_seed)))
        self.told(f"{self.name}: {count} fresh seeds for the best {len(wanted) - 1} settings and the one taken")
        self.fresh = tuple(range(FRESH, FRESH + count))
        confirmed = dict(zip(wanted, self.trials.run(wanted, self.fresh), strict=True))
        return self._findings(settings, len(ready), complete, confirmed)

    def _findings(
        self, settings: Sequence[Setting], planned: int, complete: bool, confirmed: Mapping[Setting, Values]
    ) -> Findings:
        return Findings(
            self.name,
            self.trials.factors,
            self.trials.rows,
            settings,
            [self.tried[setting] for setting in settings],
            planned,
            complete,
            self.made,
            confirmed,
            tuple(SEEDS),
            self.fresh,
            self.stopped,
        )

    def _run(self, settings: Sequence[Setting], until: float) -> None:
        """Run the settings that were not run before, in batches, as long as there is time."""
        missing = [setting for setting in settings if setting not in self.tried]
        for begin in range(0, len(missing), _BATCH):
            batch = missing[begin : begin + _BATCH]
            if self.tried and time.monotonic() > until:
                self.stopped = True
                return
            self.tried |= dict(zip(batch, self.trials.run(batch, SEEDS), strict=True))

    def _climb(self, until: float) -> None:
        """From the best setting to its best neighbour, until none is better.

        Neighbours that change few scenarios are cheap and come first. Changes that help alone are also tried together.
        """
        while time.monotonic() < until:
            best = self._best()
            around = list(neighbours(self.trials.factors, best))
            missing = [one for one in around if one not in self.tried]
            self._run(sorted(missing, key=lambda one: self.trials.changed(one, best)), until)
            self._run([self._together(best, [one for one in around if one in self.tried])], until)
            if self._best() == best:
                return

    def _together(self, best: Setting, around: Sequence[Setting]) -> Setting:
        """The best setting with every choice of its neighbours that helps."""
        found = self._findings(list(self.tried), len(self.tried), False, {})
        scores = {one.setting: one.score for one in found.ranked()}
        chosen = list(best)
        for place in range(len(best)):
            moved = [one for one in around if one[place] != best[place]]
            chosen[place] = min([best, *moved], key=lambda one: scores[one])[place]
        return tuple(chosen)

    def _best(self) -> Setting:
        settings = list(self.tried)
        return self._findings(settings, len(settings), False, {}).best.setting


def _of_groups(found: Findings) -> list[Setting]:
    return [group.setting for group in found.groups()]


def investigate(
    key: str,
    *,
    budget_s: float = BUDGET_S,
    workers: int | None = None,
    progress: ProgressCallback | None = None,
    out: Path | None = None,
    told: Told = lambda _: None,
) -> Investigation:
    """Search the choices of a work for the settings that its printed numbers point to.

    Parameters
    ----------
    budget_s
        Time for the whole work, by the clock. Parts get equal shares.
    out
        Directory that keeps finished runs, as for :func:`sojourn.papers.reproduce`.
    told
        Called with a line about each step.

    Raises
    ------
    ValueError
        If the work has no choices, or prints no numbers.
    """
    begun = time.monotonic()
    paper, directory = load(key), find()[key]
    known, printed = factors(paper.about), rows(paper)
    if not known:
        raise ValueError(
            f"{key} has no choices to search\n  allowed: [[unstated.choice]] in its work.toml\n"
            "  hint:    docs/works.md says how they are written"
        )
    if not printed:
        raise ValueError(f"{key} prints no number that an experiment has\n  allowed: claims of the kind table")
    context = Context(directory, quick=False, workers=workers, progress=progress, out=out, experiment="forensics")
    found = []
    parts = list(_rows_by_part(paper.about.forensics, printed).items())
    for number, (name, own) in enumerate(parts):
        trials = Trials(context, Trials(context, known, own).touching(), own)
        if not trials.factors:
            continue
        left = begun + budget_s - time.monotonic()
        until = time.monotonic() + max(left, 1.0) / (len(parts) - number)
        made = [row.made for row in own]
        found.append(_Search(name, trials, made, until, told).findings())
    return Investigation(key, paper, found, time.monotonic() - begun, budget_s)


def _rows_by_part(search: Search, printed: Sequence[Row]) -> dict[str, list[Row]]:
    """Rows by part; those of experiments that no part names are a part of their own."""
    named = {experiment: part for part, experiments in search.parts.items() for experiment in experiments}
    found: dict[str, list[Row]] = {part: [] for part in search.parts}
    for row in printed:
        found.setdefault(named.get(row.experiment, "the rest" if named else "all"), []).append(row)
    return {part: own for part, own in found.items() if own}
