"""Builds the site: ``make site``.

Written pages are in ``site/pages`` and ``docs``. Pages that follow from the registry, from runs and from the works are generated
(``site/generator``). Both are laid into ``out/site-pages``, from which Sphinx makes ``out/site``. A warning is an error, so
that no link within the site leads nowhere.
"""

from __future__ import annotations

import argparse
import gc
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.append(str(Path(__file__).resolve().parents[1] / "evidence"))
sys.path.append(str(Path(__file__).resolve().parents[1] / "evidence" / "linux" / "programs"))

from generator import classes, evidence, figures, gallery, names, queues, ranking, senders, stage, works
from sphinx.cmd.build import build_main

ROOT = Path(__file__).resolve().parents[1]
LAB = ROOT / "python" / "sojourn" / "_lab" / "index.html"


def main() -> int:
    """Stage, generate, build."""
    # Sphinx keeps all its objects, and the garbage collector would look through them hundreds of times.
    gc.set_threshold(200_000, 50, 50)
    options = argparse.ArgumentParser(description="Build the site.")
    options.add_argument("--to", type=Path, default=ROOT / "out" / "site", help="where the site goes")
    options.add_argument("--pages", type=Path, default=ROOT / "out" / "site-pages", help="where the pages are laid")
    options.add_argument("--reports", type=Path, default=ROOT / "out", help="where the reports of works are, KEY.html")
    options.add_argument(
        "--quick", action="store_true", help="draw the plots of a few queues and figures only, from few runs"
    )
    chosen = options.parse_args()
    shutil.rmtree(chosen.pages, ignore_errors=True)
    has_lab = LAB.exists()
    stage.lay(chosen.pages, has_lab=has_lab)
    if has_lab:
        shutil.copyfile(LAB, chosen.pages / "_extra" / "laboratory.html")
    else:
        print("the site has no laboratory: make lab says what it needs", file=sys.stderr)
    few = {"fifo", "red", "codel", "fq_codel"} if chosen.quick else None
    queues.write(chosen.pages / "queues", only=few, has_lab=has_lab)
    senders.write(chosen.pages)
    evidence.write(chosen.pages / "trust" / "evidence")
    works.write(chosen.pages / "works", chosen.reports, quick=chosen.quick)
    (chosen.pages / "_static" / "figures.css").write_text(figures.style(), encoding="utf-8")
    names.write(chosen.pages)
    classes.write(chosen.pages / "api")
    gallery.write(chosen.pages / "gallery", quick=chosen.quick)
    ranking.write(chosen.pages / "ranking")
    shutil.rmtree(chosen.to, ignore_errors=True)
    trees = f"{chosen.to}-trees"
    failed = build_main(["-q", "-W", "--keep-going", "-b", "html", "-d", trees, str(chosen.pages), str(chosen.to)])
    if not failed:
        print(f"wrote {chosen.to}/index.html", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
