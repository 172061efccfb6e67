"""Figures along some points of an axis, where a chart along all of them would mix unrelated points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from .._base.schema import Wrong, known
from .cells import Stated
from .design import Design, Results
from .exhibits import Chart
from .line_charts import begins_with_number, lines

__all__ = ["Curve"]


@dataclass(frozen=True, kw_only=True)
class Curve:
    """Every metric along points of an axis, whose labels begin with a number: ``8+2``, ``16+4``.

    Attributes
    ----------
    along, points
        The axis, and its points in the order of the figure.
    title
        The name of the numbers.
    source
        Which figures are to be compared.
    """

    along: str
    points: Sequence[str]
    title: str
    source: str = ""

    def check(self, design: Design) -> None:
        """Refuse unknown points, and points that have no place along an axis."""
        known(self.along, design.axes, "axis", "along")
        for place, name in enumerate(self.points):
            known(name, design.axes[self.along], f"point of {self.along}", "points", str(place))
            if not begins_with_number(name):
                raise Wrong(
                    "a curve goes along numbers, and this does not begin with one", "points", str(place), found=name
                )

    def chart(self, results: Results, stated: Stated) -> Chart | None:
        """A panel for each metric; nothing where fewer than two of the points were run."""
        found = lines(results, stated, self.along, self.points, self.title)
        if found is None or not self.source:
            return found
        return replace(found, text=f"{found.text} Compare with {self.source}.")
