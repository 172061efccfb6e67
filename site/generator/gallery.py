"""A picture of every plot, with the lines that make it."""

from __future__ import annotations

from pathlib import Path

import sojourn
from sojourn import plots
from sojourn.plots.palette import THEMES
from sojourn.plots.registry import PLOTS

from .pages import themed

TEXT = """Each picture shows four queues under the traffic of the scenario `two_way_dumbbell`. The lines at the top make the study. A report
(`study.report("report.html")`) has all of them, and you can zoom and read values there.

```python
import sojourn

study = sojourn.compare("two_way_dumbbell", queues=["fifo", "red", "codel", "fq_codel"], seeds=range(1, 6))
```
"""


def write(folder: Path, *, quick: bool) -> None:
    """The page and its pictures."""
    folder.mkdir(parents=True)
    study = sojourn.compare(
        "two_way_dumbbell", queues=["fifo", "red", "codel", "fq_codel"], seeds=range(1, 3 if quick else 6), workers=2
    )
    parts = [f"# Gallery\n\n{TEXT}"]
    for name, plot in PLOTS.items():
        try:
            chart = study.plot(name)
        except (KeyError, ValueError):
            continue  # needs a table that this scenario does not record
        for theme in THEMES:
            plots.save(chart, folder / f"{name}-{theme}.svg", theme=theme, width=700)
        code = f'```python\nstudy.plot("{name}")\n```'
        parts.append(f"## {plot.title}\n\n{plot.text}\n\n{code}\n\n{themed(name, plot.title)}")
    (folder / "index.md").write_text("\n\n".join(parts), encoding="utf-8")
