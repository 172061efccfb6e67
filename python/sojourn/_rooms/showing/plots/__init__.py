"""Plots as specifications: each says which tables it needs and turns them into one declarative chart.

A plot does not depend on the origin of the tables: a fresh run, a study on disk and a replayed capture are drawn alike.

>>> from sojourn import plots
>>> sorted(plots.PLOTS)[:3]
['backlog', 'completion_cdf', 'cwnd']
"""

from ...catalogue.columns import Measure, measure
from .. import requirements  # noqa: F401
from . import flows, groups, queues, summaries, times
from .export import embedded_data, save, specification
from .frames import Frames
from .palette import THEMES, config
from .registry import PLOTS, Plot, PlotName, draw, drawable
from .scales import Times

__all__ = [
    "PLOTS",
    "THEMES",
    "Frames",
    "Measure",
    "Plot",
    "PlotName",
    "Times",
    "config",
    "draw",
    "drawable",
    "embedded_data",
    "measure",
    "save",
    "specification",
]

# Importing these modules enters their plots into the registry; the order here is the order of a report.
_ORDER = (
    *(summaries.summary, summaries.differences),
    *(summaries.group_summary, groups.group_delays, groups.group_series),
    *(queues.delay_throughput, queues.sojourn_cdf, queues.sojourn_tail, times.backlog, queues.reasons, times.drops),
    *(flows.flow_throughput, times.rate, times.cwnd, queues.completion_cdf, times.probes),
)
for _plot in _ORDER:
    PLOTS[_plot.__name__] = PLOTS.pop(_plot.__name__)
