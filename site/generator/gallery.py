"""A picture of every plot, with the lines that make it."""

from __future__ import annotations

from pathlib import Path

import sojourn
from sojourn import plots
from sojourn._rooms.showing.plots.palette import THEMES
from sojourn._rooms.showing.plots.registry import PLOTS, Drawing

from . import front
from .pages import SHAPES, themed

WIDTHS = {"wide": 700, "narrow": 350}

TEXT = """Each picture but one shows four queues under the traffic of the scenario `two_way_dumbbell`. The lines at the top make the study. A report
(`study.report("report.html")`) has all of them, and you can zoom and read values there.

```python
import sojourn

queues = ["fifo", "red", "codel", "fq_codel"]
study = sojourn.compare("two_way_dumbbell", queues=queues, seeds=range(1, 6))
```
"""


# A call, an upload and browsing: it has transfers, which the other scenario does not have.
HOME = """```python
queues = ["fifo", "codel", "fq_codel"]
home = sojourn.compare("home_uplink", queues=queues, seeds=range(1, 6))
home.plot("completion_cdf")
```"""


def write(folder: Path, *, quick: bool) -> None:
    """The page and its pictures, and the picture of the start page."""
    folder.mkdir(parents=True)
    home = sojourn.compare(
        "home_uplink", queues=["fifo", "codel", "fq_codel"], seeds=range(1, 3 if quick else 6), workers=2
    )
    study = sojourn.compare(
        "two_way_dumbbell", queues=["fifo", "red", "codel", "fq_codel"], seeds=range(1, 3 if quick else 6), workers=2
    )
    parts = [f"# Gallery\n\n{TEXT}"]
    for name, plot in PLOTS.items():
        try:
            chart = (home if name == "completion_cdf" else study).plot(name)
        except (KeyError, ValueError):
            continue  # needs a table that this scenario does not record
        draw(chart, name, folder)
        code = HOME if name == "completion_cdf" else f'```python\nstudy.plot("{name}")\n```'
        parts.append(f"## {plot.title}\n\n{plot.text}\n\n{code}\n\n{themed(name, plot.title)}")
    draw(front.picture(home), "front", folder)
    (folder / "index.md").write_text("\n\n".join(parts), encoding="utf-8")


def draw(chart: Drawing, name: str, folder: Path) -> None:
    """One picture for each theme and shape."""
    for theme in THEMES:
        for shape in SHAPES:
            plots.save(chart, folder / f"{name}-{theme}-{shape}.svg", theme=theme, width=WIDTHS[shape])
