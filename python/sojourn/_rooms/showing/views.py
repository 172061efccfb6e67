"""The table from which :mod:`_base.door` finds the view, the charts and the report of an object."""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Any

from ..own._check import Conformance
from ..runs.replay import ReplayResult
from ..runs.result import Study
from ..scenario.scenario import Scenario
from ..sweeps.frontier import Frontier
from ..sweeps.outcome import Swept
from . import display
from .notebook import notebook_bar

if TYPE_CHECKING:
    from .plots.registry import Drawing

__all__ = ["html", "notebook_bar", "plot", "report"]


@singledispatch
def html(thing: object) -> str:
    """A view in a notebook."""
    raise TypeError(f"nothing shows a {type(thing).__name__}")


html.register(Scenario, display.scenario_html)
html.register(Study, display.study_html)
html.register(Swept, display.swept_html)
html.register(Frontier, display.frontier_html)
html.register(ReplayResult, display.replay_html)
html.register(Conformance, display.conformance_html)


@singledispatch
def plot(thing: object, chart: str, **settings: Any) -> Drawing:  # noqa: ARG001  (those of the kinds below)
    """A chart by its name, as a notebook is to show it."""
    raise TypeError(f"nothing draws {chart} of a {type(thing).__name__}")


@plot.register
def _(thing: Study, chart: str, **settings: Any) -> Any:
    from .plots.export import notebook_chart
    from .report.study import draw_plot

    return notebook_chart(draw_plot(thing, chart, **settings))


@plot.register
def _(thing: Swept, chart: str, **settings: Any) -> Any:
    from .plots.export import notebook_chart
    from .sweeps.charts import draw
    from .sweeps.tradeoff import draw_trade_off

    return notebook_chart(draw_trade_off(thing, **settings) if chart == "trade_off" else draw(thing, **settings))


@plot.register
def _(thing: Frontier, chart: str, **settings: Any) -> Any:  # noqa: ARG001 - there is one
    from .frontier.charts import draw_frontier
    from .plots.export import notebook_chart

    return notebook_chart(draw_frontier(thing, **settings))


@singledispatch
def report(thing: object, path: Any, **settings: Any) -> None:  # noqa: ARG001
    """One HTML file."""
    raise TypeError(f"{path}: nothing reports on a {type(thing).__name__}")


@report.register
def _(thing: Study, path: Any, **settings: Any) -> None:
    from .report import write_report

    write_report(path, thing, **settings)


@report.register
def _(thing: Swept, path: Any) -> None:
    from .sweeps.report import write_report

    write_report(thing, path)


@report.register
def _(thing: Frontier, path: Any) -> None:
    from .frontier.report import write_report

    write_report(thing, path)
