"""The side bar that is made once for each folder is the one that Furo makes anew beside each page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SITE = Path(__file__).resolve().parents[2] / "site"
PAGES = {
    "index": ("Home", "a", "q/index", "api/index"),
    "a": ("A page & more",),
    "alone": ("Beside no list",),
    **{f"{part}/index": (part, "one", "two", "below/deep") for part in ("q", "api")},
    **{f"{part}/{name}": (name,) for part in ("q", "api") for name in ("one", "two", "below/deep")},
}
CONF = """
import sys
sys.path.insert(0, {site!r})
html_theme = "furo"
extensions = ["myst_parser"] + {more!r}
"""


def built(folder: Path, *more: str) -> dict[str, str]:
    """The pages of a small site in several folders."""
    for name, (title, *below) in PAGES.items():
        path = folder / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        orphan = "---\norphan: true\n---\n" if name == "alone" else ""
        tree = "\n".join(["```{toctree}", ":hidden:", "", *below, "```"]) if below else ""
        path.write_text(f"{orphan}# {title}\n\n## A part\n\n{tree}\n", encoding="utf-8")
    (folder / "conf.py").write_text(CONF.format(site=str(SITE), more=list(more)), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", folder, folder / "out"], check=True)
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("out/**/*.html")}


def test_every_page_has_the_same_side_bar(tmp_path: Path):
    pytest.importorskip("furo")
    plain, once = built(tmp_path / "plain"), built(tmp_path / "once", "generator.sidebar")

    assert len(plain) > len(PAGES)
    assert "current-page" in plain["out/q/below/deep.html"]
    assert once == plain
