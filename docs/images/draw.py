"""Draws the README's picture: ``.venv/bin/python docs/images/draw.py``."""

from pathlib import Path

import sojourn
from sojourn import plots

ROOT = Path(__file__).resolve().parents[2]
scenario = sojourn.Scenario.load(ROOT / "scenarios" / "two_way_dumbbell.toml")
study = sojourn.compare(scenario, queues=["fifo", "red", "codel", "fq_codel"], seeds=range(1, 11))
plots.save(study.plot("summary", link="forward"), ROOT / "docs" / "images" / "report.svg", width=760)
