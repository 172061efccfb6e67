"""The averages of single runs after the step of figures 2.4 to 2.6: the queue of many flows may have two modes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sojourn.papers import Chart, Context, Finding, Reading, Results, StudyExperiment

from . import exhibits

IN_NS2 = "PSAND with the gentle slope of ns-2, of the initial max_p"
PRINTED = {"50": 10.7, "70": 12.0, "100": 18.0}
"""By flows that come, as section 2.4.2.1.1 reads the average off one run each."""


def findings(context: Context, study: StudyExperiment) -> Iterator[Finding]:
    """PSAND's average from 60 s on in each run, as run and with ns-2's gentle slope."""
    yield chart(context, study)


def chart(context: Context, study: StudyExperiment) -> Chart:
    """A point for each run; the runs are those of E2.1."""
    found: dict[str, Mapping[str, Sequence[float]]] = {}
    for name, reading in (("as run", None), ("as in ns-2", _reading(study))):
        points = [{"more": more, "queue": "PSAND"} for more in PRINTED]
        variants = {", ".join(point.values()): study.design.scenario_at(context, point, reading) for point in points}
        seeds = context.seeds(full=study.design.seeds.full, quick=study.design.seeds.quick)
        results = Results(study.design, context.metric_study("runs", variants, study.design.run_metrics, seeds=seeds))
        found[name] = {point["more"]: list(results.sample("WAQS", point)) for point in points}
    return exhibits.single_runs(found, PRINTED)


def _reading(study: StudyExperiment) -> Reading:
    return next(one for one in study.design.readings if one.name == IN_NS2)
