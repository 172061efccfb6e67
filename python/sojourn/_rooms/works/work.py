"""Published experiments, run again: the paper's numbers beside ours.

A paper is a folder ``papers/<key>/``: ``work.toml`` says its title, ``experiments/`` has a study file for each
experiment, ``scenarios/`` their scenarios, ``expected.toml`` the published numbers. ``sojourn init --work KEY`` writes
one. Claims that no study file can express are in ``code/experiments.py``, which defines ``PAPER`` and may import
modules beside it (``from . import tables``)::

    from collections.abc import Iterator
    from sojourn.claims import Claim, below
    from sojourn.papers import Context, Finding, Paper

    PAPER = Paper()

    @PAPER.experiment("H1", "Three long flows through one bottleneck")
    def static(context: Context) -> Iterator[Finding]:
        comparison = context.compare("H1.toml", queues=["red", "ared"], seeds=context.seeds(full=100, quick=10))
        loss = comparison.values("loss_ratio")
        less = [ared - red for ared, red in zip(loss["ared"]["bottleneck"], loss["red"]["bottleneck"], strict=True)]
        yield Claim.judged(
            "ARED loses less than RED", below(less), rule="paired difference below 0", source="table 6.1", unit="points"
        )

An experiment yields claims and exhibits (tables, charts, remarks; :mod:`sojourn.papers`) in the order of the report.
Where the paper is ambiguous, a claim is yielded again for each other reading, with the same text.
Nothing here knows of any one paper.
"""

from __future__ import annotations

import fnmatch
import importlib.util
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path

from .._base.nearest import nearest_question
from .._base.schema import Wrong, known, told_of
from .about import About
from .claims import Claim
from .experiment import Check, Experiment
from .failure import named_faults
from .folders import CODE, EXPERIMENTS, WORK, check_layout, folder_of, paper_folders

__all__ = ["Paper", "find", "folder", "load"]


@dataclass(kw_only=True)
class Paper:
    """A paper with its experiments.

    Attributes
    ----------
    title, citation
        Its subject in a few words, and its place of publication, from ``work.toml``.
    about
        Its proposal and its open points, from ``work.toml``.
    """

    title: str = ""
    citation: str = ""
    experiments: list[Experiment] = field(default_factory=list)
    about: About = field(default_factory=About)
    _before: dict[str, str] = field(default_factory=dict, repr=False)
    _after: dict[str, str] = field(default_factory=dict, repr=False)
    _claims: dict[str, list[Callable[..., Claim]]] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"<Paper {self.title!r}: {len(self.experiments)} experiments>"

    def _repr_html_(self) -> str:
        from ..showing.display import block, table

        rows = [(experiment.name, experiment.doc) for experiment in self.experiments]
        about = escape(self.about.proposal)
        proposal = f'<p style="max-width: 50em">{about}</p>' if about else ""
        return block(self.title, self.citation, [proposal, table(("experiment", "what it does"), rows)])

    def experiment(self, name: str, doc: str, *, before: str = "", after: str = "") -> Callable[[Check], Check]:
        """Enter the decorated function as an experiment: before or after another one, else behind all study files."""

        def enter(check: Check) -> Check:
            self.experiments.append(Experiment(name, doc, check))
            if before:
                self._before[name] = before
            if after:
                self._after[name] = after
            return check

        return enter

    def add_claims(self, experiment: str, claims: Iterable[Callable[..., Claim]]) -> None:
        """Add claims about the results of an experiment that is data, as functions of its :class:`Results`."""
        self._claims.setdefault(experiment, []).extend(claims)


find = paper_folders


def folder(key: str) -> Path:
    """The folder of the work called `key`, or at this path.

    Raises
    ------
    ValueError
        With the existing works, and the folders where others are looked for.
    """
    found = folder_of(key)
    if found is not None:
        return found
    if os.sep in key or Path(key).is_dir():
        raise ValueError(f"{key}: there is no work: it has no {WORK}")
    there = find()
    hint = nearest_question(key, there) or "works of your own are looked for in ./papers and $SOJOURN_PAPERS"
    raise ValueError(f"there is no paper {key!r}\n  allowed: {', '.join(there)}; or a folder\n  hint:    {hint}")


def load(key: str) -> Paper:
    """The paper called `key`, or in the folder `key`."""
    directory = folder(key)
    check_layout(directory)
    about = About.load(directory)
    code = _of_python(directory) if (directory / CODE).is_file() else Paper()
    try:
        for name in ("title", "citation"):
            if not getattr(about, name):
                raise Wrong(f"the key {name!r} is missing")
        paper = Paper(title=about.title, citation=about.citation, about=about)
        paper.experiments = _in_order(_of_data(directory, about, code), code, directory)
        if not paper.experiments:
            raise Wrong(f"this work has no experiment: {EXPERIMENTS}/ has no study file")
        names = [one.name for one in paper.experiments]
        if twice := [name for name in names if names.count(name) > 1]:
            raise ValueError(f"{directory}: two experiments are called {twice[0]!r}")
        ids = Counter(key for one in paper.experiments for key, text in one.texts.items() if key != text)
        if same := [key for key, count in ids.items() if count > 1]:
            raise ValueError(f"{directory}: two claims have the id {same[0]!r}")
        about.check(paper.experiments)
    except Wrong as wrong:
        raise told_of(wrong, [(directory / WORK, ())]) from None
    return paper


def _of_python(directory: Path) -> Paper:
    """The paper that ``code/experiments.py`` of a folder makes."""
    script = directory / CODE
    name = f"sojourn_papers_{re.sub(r'[^A-Za-z0-9_]', '_', directory.resolve().name)}"
    # A package, so that `from . import tables` finds the module beside it.
    spec = importlib.util.spec_from_file_location(name, script, submodule_search_locations=[str(script.parent)])
    if spec is None or spec.loader is None:
        raise ValueError(f"{script} cannot be read as Python")
    for stale in [one for one in sys.modules if one.startswith(f"{name}.")]:
        del sys.modules[stale]
    module = importlib.util.module_from_spec(spec)
    # Data classes and pickling look a module up by its name.
    sys.modules[name] = module
    with named_faults(directory):
        spec.loader.exec_module(module)
    paper = getattr(module, "PAPER", None)
    if not isinstance(paper, Paper):
        raise ValueError(f"{script} does not define PAPER = Paper()")
    if paper.title or paper.citation:
        raise ValueError(f"{script}: {WORK} says the title and the citation; write PAPER = Paper()")
    return paper


def _of_data(directory: Path, about: About, code: Paper) -> list[Experiment]:
    """The experiments of the study files, with the claims that are added to them."""
    from .reader import from_folder, names_of_files
    from .studies import experiment

    there = names_of_files(directory)
    chosen: dict[str, None] = {}
    for place, pattern in enumerate(about.experiments):
        found = fnmatch.filter(there, pattern)
        if not found:
            known(pattern, there, "study file", "experiments", str(place))
        chosen |= dict.fromkeys(found)
    studies = from_folder(directory, list(chosen or there))
    names = [one.name for one in studies]
    if other := [name for name in code._claims if name not in names]:
        raise ValueError(
            f"{directory / CODE}: claims are added to {other[0]!r}, which is not a study file's experiment"
        )
    return [experiment(replace(one, claims=[*one.claims, *code._claims.get(one.name, [])])) for one in studies]


def _in_order(of_data: Sequence[Experiment], code: Paper, directory: Path) -> list[Experiment]:
    """The experiments of the study files, with those of Python at their places."""
    made = list(of_data)
    for one in code.experiments:
        beside = code._before.get(one.name) or code._after.get(one.name)
        names = [other.name for other in made]
        if beside is None:
            made.append(one)
        elif beside not in names:
            raise ValueError(f"{directory / CODE}: {one.name!r} is beside {beside!r}, which is not an experiment")
        else:
            made.insert(names.index(beside) + (one.name not in code._before), one)
    return made
