"""A page for each figure and table of a reproduced work, drawn from the points that its last full run kept."""

from __future__ import annotations

import re
from pathlib import Path

from sojourn._rooms.showing.report.page import colour_classes, palette_css
from sojourn._rooms.showing.report.templates import resource
from sojourn._rooms.works import figure_page, figures, planes, points, scores, sentences
from sojourn._rooms.works import work as works

PICTURE = re.compile(r"^!\[(?P<words>[^\]]*)\]\(record/front\.svg\)\n", re.M)
LACKS = "The last full run kept no points of this figure. The command below draws it."
LEFT = """The others are not drawn again:"""


def work_of(folder: Path) -> figure_page.Work:
    """A work with its last full run."""
    paper, found = works.load(str(folder)), scores.last(folder)
    try:
        verdicts = sentences.judge(sentences.read(folder), found.claim_records(), recorded=True) if found else []
    except ValueError:
        # Sentences that are newer than the last full run have no verdicts yet.
        verdicts = []
    results = figure_page.of_score(found, paper)
    return figure_page.Work(folder.name, paper, points.last(folder), verdicts, results, lacks=LACKS)


def with_front(page: str, folder: Path) -> str:
    """The page of a work with its picture drawn as its other figures are; without the picture where nothing was kept."""
    listed = figures.read(folder)
    shown = [
        str(planes.drawn(one))
        for figure in listed.about([listed.front])
        for one in figures.planes(figure, works.load(str(folder)), points.last(folder), {})
    ]
    body = f'```{{raw}} html\n<div class="fig">{"".join(shown)}</div>\n```\n' if shown else ""
    return PICTURE.sub(lambda found: f"{body}\n*{found['words']}*\n" if body else "", page, count=1)


QUICK = 8
"""In a quick build every eighth figure of a work has a page."""


def write(place: Path, folder: Path, title: str, *, quick: bool = False) -> str:
    """The pages of a work's figures, in a folder of its key; returns the list of them for the work's own page."""
    listed = figures.read(folder)
    if not listed.figures:
        return ""
    work = work_of(folder)
    own = place / folder.name
    own.mkdir(parents=True, exist_ok=True)
    every = list(listed.figures)[:: QUICK if quick else 1]
    for number, figure in enumerate(every):
        beside = [f"[{title}](../{folder.name}.md)"]
        if number:
            beside.append(f"[← {every[number - 1].place}]({figures.anchor(every[number - 1])}.md)")
        if number + 1 < len(every):
            beside.append(f"[{every[number + 1].place} →]({figures.anchor(every[number + 1])}.md)")
        page = [
            "---\norphan: true\nhide-toc: true\n---",
            f"# {figure.place[:1].upper()}{figure.place[1:]} of {title}: {figure.caption}",
            " · ".join(beside),
            f"```{{raw}} html\n{figure_page.figure_html(figure, work)}\n```",
        ]
        (own / f"{figures.anchor(figure)}.md").write_text("\n\n".join(page) + "\n", encoding="utf-8")
    lines = [f"- [{one.heading}]({folder.name}/{figures.anchor(one)}.md)" for one in every]
    left = [f"- {one.places}: {one.why}" for one in listed.left]
    parts = ["\n".join(lines), *([LEFT, "\n".join(left)] if left else [])]
    return "\n\n".join(parts)


def style() -> str:
    """The style of figures in the theme's two modes: the colours and the signs of verdicts are those of reports."""
    css = resource("report.css")
    light, dark = (
        "".join(re.findall(rf"^:root{mode} \{{\n(.*?)\}}", css, re.S | re.M)).replace("color-scheme", "--scheme")
        + "".join(re.findall(rf":root{mode}\{{(.*?)\}}", palette_css()))
        for mode in ("", r'\[data-theme="dark"\]')
    )
    badges = "\n".join(re.findall(r"^(?:span)?\.badge.*$", css, re.M))
    scope = ":is(.fig, .claimed-front)"
    return "\n".join(
        [
            f"{scope} {{ {light} }}",
            f'body[data-theme="dark"] {scope} {{ {dark} }}',
            f'@media (prefers-color-scheme: dark) {{ body:not([data-theme="light"]) {scope} {{ {dark} }} }}',
            badges,
            colour_classes(),
            resource("figures.css"),
        ]
    )
