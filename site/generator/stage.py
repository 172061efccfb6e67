"""Lays the written pages where the generator finds them, and mends their links."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from sojourn import _core

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "site"

# Pages of the repository that are pages of the site as well.
DOCS = {
    "docs/validation.md": "trust/validation.md",
    "docs/linux.md": "trust/linux.md",
    "docs/performance.md": "performance.md",
    "evidence/speed/README.md": "trust/speed.md",
    "evidence/newcomer/README.md": "trust/newcomer.md",
    "docs/reproduction.md": "works/scoreboard.md",
    "docs/own-queue.md": "guide/own-queue.md",
    "docs/commands.md": "guide/commands.md",
    "docs/bottleneck.md": "guide/bottleneck.md",
    "docs/gateway.md": "guide/gateway.md",
    "docs/evaluate.md": "guide/evaluate.md",
    "docs/studies.md": "guide/studies.md",
    "docs/works.md": "guide/works.md",
    "docs/tune.md": "guide/tune.md",
    "docs/figures.md": "guide/figures.md",
    "docs/models.md": "guide/models.md",
    "docs/cluster.md": "guide/cluster.md",
    "docs/wireless.md": "guide/wireless.md",
    "docs/latency-under-load.md": "guide/latency-under-load.md",
    "docs/quality.md": "guide/quality.md",
    "docs/forensics.md": "guide/forensics.md",
    "docs/design.md": "guide/design.md",
    "docs/releasing.md": "guide/releasing.md",
    "CONTRIBUTING.md": "guide/contributing.md",
    "CHANGELOG.md": "changes.md",
    "docs/results-changed.md": "trust/results-changed.md",
    "docs/not-built.md": "trust/not-built.md",
}
# Tables that become blocks of lines on a phone, by how their heads begin: see site.css.
STACKED = {
    "| key | accepts | without it |": "keys",
    "| parameter | accepts | default |": "accepted",
    "| column | unit |": "columns",
    "| queue | source | what | printed |": "evidence",
    "| code | meaning | what to do |": "warnings",
    "| name | named by | why it is not here |": "things",
    "| ns-2 | Sojourn |": "things",
    "| ns-3 | Sojourn |": "things",
    "| Flent | Sojourn |": "things",
    "| tc | Sojourn |": "things",
    "| sender | its window | other differences |": "things",
    "| folder | library | question |": "things",
    "| queue | rate | load | left (Gbit/s)": "things",
    "| document | section | question |": "things",
    "| experiment | what varies | tables and figures |": "things",
    "| constant of Linux | value | in Sojourn |": "things",
}
# Tables that are wider than a page, by how their heads begin: the number of columns that name a row, and the number of
# columns beside these.
PARTED = {
    "| setting | mean queue (packets) | loss (%) | utilisation (%) | marks (%)": (1, 4),
    "| setting | mean queue (packets) | loss (%) | utilisation (%) | share": (1, 4),
    "| setting | mean queue (packets) | loss (%) | marks (%) | goodput": (1, 4),
    "| setting | mean_queue | loss | mark_ratio |": (1, 4),
    "| setting | kernel | profile `linux` |": (1, 5),
    "| setting | seeds | mean queue (packets) |": (1, 2),
    "| case | number | ns-2 | Sojourn |": (2, 2),
    "| work | sentences | hold |": (1, 4),
    "| work | experiments | claims | hold |": (1, 5),
    "| claim of ": (2, 2),
}
FURTHER = "Further columns; rows that have nothing there are left out."
# Pages of the repository whose content is on other pages here.
INSTEAD = {
    "README.md": "index.md",
    "site/pages/install.md": "install.md",
}
# Commands whose answer is a page of the site: there the command is a link.
ANSWERS = {
    "sojourn list queues": "queues/index.md",
    "sojourn list transports": "senders/index.md",
    "sojourn list traffic": "sources/index.md",
    "sojourn list metrics": "reference/results.md",
    "sojourn explain link": "reference/scenario.md#link",
    "sojourn explain medium": "reference/scenario.md#medium",
    "sojourn explain warnings": "reference/results.md#warnings",
}
# Pages of the generated reference that the site has as they are. Queues, senders and sources have pages of their own.
REFERENCE = ("scenario", "results", "losses")
WORK = re.compile(r"(?:python/sojourn/_papers|papers)/(\w+)/(?:README|record/(witness|search))\.md")
LINK = re.compile(r"(?<!!)\[(?P<words>(?:`[^`]*`|[^\]`])+)\]\((?P<link>[^)\s]+)\)")


def lay(pages: Path, *, has_lab: bool) -> None:
    """Copy the pages that people wrote."""
    for folder in ("_static", "_extra"):
        (pages / folder).mkdir(parents=True)
    shutil.copytree(SITE / "pages", pages, dirs_exist_ok=True)
    for source in (SITE / "pages").rglob("*.md"):
        target = source.relative_to(SITE / "pages")
        text = led(source.read_text(encoding="utf-8"), source, target)
        (pages / target).write_text(stacked(text) if target.parts[0] == "coming-from" else text, encoding="utf-8")
    shutil.copyfile(SITE / "conf.py", pages / "conf.py")
    shutil.copyfile(SITE / "site.css", pages / "_static" / "site.css")
    (pages / "_extra" / "scenario.schema.json").write_text(_core.schema() + "\n", encoding="utf-8")
    lab = pages / "lab.md"
    lab.write_text(conditional(lab.read_text(encoding="utf-8"), has_lab=has_lab), encoding="utf-8")
    for source, target in DOCS.items():
        put(ROOT / source, pages, target)
    reference = dict(_core.reference())
    for name in REFERENCE:
        write(reference[name], ROOT / f"{name}.md", pages, f"reference/{name}.md")


def conditional(text: str, *, has_lab: bool) -> str:
    """Keep the lines between ``% with the laboratory`` or ``% without it`` and ``% end``."""

    def choose(match: re.Match[str]) -> str:
        return match["body"] if (match["which"] == "with the laboratory") == has_lab else ""

    return re.sub(
        r"^% (?P<which>with the laboratory|without it)\n(?P<body>.*?)^% end\n", choose, text, flags=re.M | re.S
    )


def put(source: Path, pages: Path, target: str) -> None:
    """Copy a page of the repository, with links as they are on the site."""
    write(source.read_text(encoding="utf-8"), source, pages, target)


def write(text: str, source: Path, pages: Path, target: str) -> None:
    """Write a page whose links are those of a page of the repository."""
    there = pages / target
    there.parent.mkdir(parents=True, exist_ok=True)
    there.write_text(stacked(mended(text, source, target)), encoding="utf-8")


def stacked(text: str) -> str:
    """Tables with a head of `STACKED` get its class."""
    for head, (labels, most) in PARTED.items():
        whole = re.compile(rf"^{re.escape(head)}.*\n(?:\|.*\n?)+", re.M)
        text = whole.sub(lambda found, at=(labels, most): parted(found[0], *at), text)
    text = re.sub(r"^\|.*$", lambda row: unbroken(row[0]), text, flags=re.M)
    for head, name in STACKED.items():
        text = re.sub(rf"^({re.escape(head)}.*\n(?:\|.*\n?)+)", rf":::{{container}} {name}\n\1:::\n", text, flags=re.M)
    return text


def parted(table: str, labels: int, most: int) -> str:
    """A table as several with at most `most` columns beside its first ones, without rows that are empty there."""
    rows = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in table.strip().split("\n")]
    parts = []
    for start in range(labels, max(len(rows[0]), labels + 1), most):
        own = [row[:labels] + row[start : start + most] for row in rows]
        first = start == labels
        kept = own[:2] + [row for row in own[2:] if first or set(row[labels:]) - {"none", ""}]
        parts.append("\n".join(f"| {' | '.join(row)} |" for row in kept))
    return f"\n\n{FURTHER}\n\n".join(parts) + "\n"


def unbroken(row: str) -> str:
    """A row of a table in which no line ends within a number with its interval, a range or a date.

    A name in its first cell may end a line behind an underscore.
    """
    row = re.sub(r"^\| \w+ \|", lambda name: name[0].replace("_", "_\N{ZERO WIDTH SPACE}"), row)
    row = re.sub(r"(?<=\d) ± (?=\d)", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}", row)
    row = re.sub(r"(?<=\d) (?=%)", "\N{NO-BREAK SPACE}", row)
    row = re.sub(r"(?<=\d)–(?=\d)", "\N{WORD JOINER}–\N{WORD JOINER}", row)
    return re.sub(r"\b(20\d\d)-(\d\d)-(\d\d)\b", "\\1\N{NON-BREAKING HYPHEN}\\2\N{NON-BREAKING HYPHEN}\\3", row)


def led(text: str, source: Path, target: Path) -> str:
    """The text of a page that only the site has: links to pages of the repository lead to their places on the site.

    All other links of such a page are those of the site already.
    """

    def lead(match: re.Match[str]) -> str:
        path, hash_, anchor = match["link"].partition("#")
        page = DOCS.get(os.path.relpath((source.parent / path).resolve(), ROOT)) if path else None
        return (
            match[0] if page is None else f"[{match['words']}]({os.path.relpath(page, target.parent)}{hash_}{anchor})"
        )

    return LINK.sub(lead, text)


def mended(text: str, source: Path, target: str) -> str:
    """Links to pages of the site lead there; a link to a file of the repository becomes its name."""

    def mend(match: re.Match[str]) -> str:
        words, link = match["words"], match["link"]
        if re.match(r"\w+:|#", link):
            return match[0]
        path, hash_, anchor = link.partition("#")
        file = os.path.relpath((source.parent / path).resolve(), ROOT)
        page = {**DOCS, **INSTEAD}.get(file) or work(file)
        if page is None:
            return words if words.startswith("`") else f"{words} (`{file}`)"
        return f"[{words}]({os.path.relpath(page, Path(target).parent)}{hash_}{anchor})"

    def answer(match: re.Match[str]) -> str:
        page, hash_, anchor = ANSWERS[" ".join(match["command"].split())].partition("#")
        return f"[{match[0]}]({os.path.relpath(page, Path(target).parent)}{hash_}{anchor})"

    # Marks of generated parts are not for readers.
    text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.S)
    text = LINK.sub(mend, text)
    commands = "|".join(ANSWERS).replace(" ", r"\s+")
    return re.sub(rf"(?<!\[)`(?P<command>{commands})`", answer, text)


def work(file: str) -> str | None:
    """The page of a reproduced work."""
    match = WORK.fullmatch(file)
    if match:
        return f"works/{match[1]}{f'-{match[2]}' if match[2] else ''}.md"
    folder = re.fullmatch(r"(?:python/sojourn/_)?papers(?:/(\w+))?", file)
    return None if folder is None else f"works/{folder[1] or 'index'}.md"


def slug(title: str) -> str:
    """Anchors of headings as those who read the repository know them."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")
