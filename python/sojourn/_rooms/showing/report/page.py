"""The report page: sections in the order in which they are added, and everything they need inside one file."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import polars as pl
from markupsafe import Markup

from ..._base.files import write_whole
from ..._base.spreadsheet import csv_text
from ..plots.export import embedded_data, panels, specification
from ..plots.library import library, packed
from ..plots.palette import CATEGORY, THEMES, config
from ..plots.registry import Drawing
from .tables import frame_table, interval_table, metric_table
from .templates import render, resource, without_needless_ends

_FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif"
_STYLES: Final = ["report.css", "first.css"]


@dataclass(frozen=True)
class _Section:
    anchor: str
    heading: str
    inside: str
    body: str


class Report:
    """One self-contained HTML file.

    Parameters
    ----------
    title
    lead
        One or two sentences below the title: the question and the answer. A paragraph whose lines all begin with
        four blanks is code.
    about
        The line above the title: the question, and the runs; a narrow page has its first part alone.
    provenance
        Facts with which anybody can repeat it: command, seeds, versions.

    Examples
    --------
    >>> report = Report(title="RED and ARED", lead="Which one keeps the delay lower?")
    >>> _ = report.add_text("Nothing to see yet.", heading="Result")
    >>> "RED and ARED" in report.html()
    True
    """

    def __init__(
        self,
        *,
        title: str,
        lead: str = "",
        about: tuple[str, str] = ("", ""),
        provenance: Mapping[str, str] | None = None,
    ) -> None:
        self._title = title
        self._lead = lead
        self._about = about
        self._provenance = dict(provenance or {})
        self._sections: list[_Section] = []
        self._charts: list[dict[str, Any]] = []
        self._texts: list[str] = []
        self._styles: list[str] = []
        self._front = Markup("")

    def add_front(self, body: Markup, *, style: str = "") -> Report:
        """Puts a first screen below the lead: see :mod:`.first`. All sections are folded then, else all but one."""
        self._front = body
        return self._with_style(style) if style else self

    def add_text(self, text: str, *, heading: str) -> Report:
        """Adds a section of plain text."""
        return self._add(heading, text)

    def add_table(
        self, frame: pl.DataFrame, heading: str, text: str = "", *, keys: Sequence[str] | Mapping[str, str] = ()
    ) -> Report:
        """Adds a table. A column with a unit in its name (``throughput_bps``) is shown in a readable unit.

        The names of the columns `keys` are there as they are written in a scenario, or as `keys` says.
        """
        return self.add_tables([("", frame)], heading, text, file=frame, keys=keys)

    def add_tables(
        self,
        parts: Sequence[tuple[str, pl.DataFrame]],
        heading: str,
        text: str = "",
        *,
        file: pl.DataFrame,
        stacked: bool = False,
        keys: Sequence[str] | Mapping[str, str] = (),
    ) -> Report:
        """Adds tables, each below a heading if it has one, and a file of all.

        With `stacked` a narrow page shows each row as a list: for tables whose cells are read one by one.
        """
        tables = "".join(
            (f"<h3>{escape(name)}</h3>" if name else "") + frame_table(frame, stacked=stacked, keys=keys)
            for name, frame in parts
        )
        return self._add(heading, text, tables + self._downloads({_slug(heading): csv_text(file)}))

    def add_intervals(
        self,
        frame: pl.DataFrame,
        heading: str,
        text: str = "",
        *,
        value: str = "mean",
        queues: Sequence[str] | None = None,
    ) -> Report:
        """Adds a table of queues by metrics with intervals.

        Parameters
        ----------
        frame
            Columns ``queue``, ``metric``, `value`, ``low``, ``high``.
        value
            A difference is shown with its sign, and greyed where the interval includes zero.
        """
        labels = list(queues) if queues is not None else frame["queue"].unique(maintain_order=True).to_list()
        table = interval_table(frame, value, labels, signed=value == "difference")
        return self._add(heading, text, table + self._downloads({_slug(heading): csv_text(frame)}))

    def add_each(
        self, frames: Mapping[str, pl.DataFrame], what: str, heading: str, text: str, queues: Sequence[str]
    ) -> Report:
        """Adds a table of queues by metrics for each group of flows, link or station; frames as in `add_intervals`.

        Parameters
        ----------
        what
            The kind of thing that has these names, for the names of files: ``"group"``.
        """
        tables = "".join(
            f"<h3>{escape(name)}</h3>{metric_table(frame, 'mean', queues)}" for name, frame in frames.items()
        )
        files = {_slug(f"{what} {name}"): csv_text(frame) for name, frame in frames.items()}
        return self._add(heading, text, tables + self._downloads(files))

    def add_plot(
        self,
        chart: Drawing,
        heading: str = "",
        text: str = "",
        data: Mapping[str, pl.DataFrame] | pl.DataFrame | None = None,
    ) -> Report:
        """Adds a chart with its data for download.

        Parameters
        ----------
        heading
            Without one the chart joins the section before it.
        data
            Further data to offer, besides the data that are drawn.
        """
        spec = specification(chart)
        name = heading or str(spec.get("description", "chart"))
        opening = "" if heading else f"<h3>{escape(name)}</h3>"
        message = spec["usermeta"]["sojourn"].get("message")
        if message:
            return self._add(heading, "", f'{opening}<p class="empty">{escape(message)}</p>')
        extra = {_slug(name): data} if isinstance(data, pl.DataFrame) else dict(data or {})
        files = self._downloads({k: csv_text(v) for k, v in extra.items()})
        return self._add(heading, text, self._figure(spec, name) + files, opening=opening)

    def figure(self, chart: Drawing, name: str) -> Markup:
        """A chart to be put into a first screen."""
        return Markup(self._figure(specification(chart), name))  # noqa: S704 - its texts are escaped

    def _figure(self, spec: dict[str, Any], name: str) -> str:
        note = _take_title(spec)
        place = len(self._charts)
        self._charts.append(spec)
        names = ",".join(embedded_data(spec))
        return (
            f'<figure class="chart" data-chart="{place}" data-names="{escape(names)}" data-file="{_slug(name)}" '
            f'data-panels="{panels(spec)}">'
            f'<div class="plot" role="group" aria-label="{escape(name)}"></div>'
            f"<figcaption>{escape(note)}</figcaption></figure>"
        )

    def add_html(self, heading: str, text: str, body: Markup | str, *, style: str = "", anchor: str = "") -> Report:
        """Adds a section of a text and a template that was filled in.

        Parameters
        ----------
        style
            The file of its style, if that is not the style of all.
        anchor
            Its address in the page, if that does not follow from the heading.
        """
        if style:
            self._with_style(style)
        return self._add(heading, text, str(body), address=anchor)

    def add_metrics(self, frame: pl.DataFrame, heading: str = "All metrics", text: str = "") -> Report:
        """Adds a table of all metrics by queues with intervals, for looking things up."""
        labels = frame["queue"].unique(maintain_order=True).to_list()
        table = metric_table(frame, "mean", labels)
        return self._add(heading, text, table + self._downloads({_slug(heading): csv_text(frame)}))

    def add_scenario(
        self, resolved: str | Mapping[str, Any], heading: str = "Resolved scenario", *, label: str = ""
    ) -> Report:
        """Adds the scenario with every default filled in: as TOML text, or as a mapping.

        Parameters
        ----------
        label
            Which of several scenarios this is. An empty `heading` puts it into the section before.
        """
        text = resolved if isinstance(resolved, str) else json.dumps(resolved, indent=2, default=str)
        lines = len(text.splitlines())
        ending = "toml" if isinstance(resolved, str) else "json"
        name = f"{escape(label)}: " if label else ""
        said = "Every default is filled in: this text and the seed give the same result again." * bool(heading)
        file = f"{_slug(f'scenario {label}')}.{ending}"
        # The first is in the page as it is; those that follow are much the same, and are packed.
        shown = f'<pre tabindex="0"><code>{escape(text)}</code></pre>'
        if not heading:
            shown = f'<pre tabindex="0"><code data-text="{self.keep(text)}"></code></pre>'
        body = (
            f"<details><summary>{name}{lines} line{'' if lines == 1 else 's'}</summary>"
            f"{shown}</details>"
            f'<p class="tools"><span>Download</span> <button type="button" data-save="{escape(file)}" data-shown="pre">'
            f"{ending.upper()}</button></p>"
        )
        return self._add(heading, said, f'<div class="scenario">{body}</div>')

    def html(self) -> str:
        """The page as text."""
        sections = [*self._sections]
        if self._provenance:
            rows = "".join(
                f"<div><dt>{escape(k)}</dt><dd>{_value(k, v)}</dd></div>" for k, v in self._provenance.items()
            )
            sections.append(
                _Section(
                    "made", "How this was made", ", ".join(self._provenance).lower(), f'<dl class="made">{rows}</dl>'
                )
            )
        # Of charts alone: a page without any needs none.
        themes = {theme: config(theme, font=_FONT, transparent=True) for theme in THEMES if self._charts}
        # Text that is already HTML, a script or a style is Markup.
        return without_needless_ends(
            render(
                "report.html",
                title=self._title,
                lead=_blocks(self._lead),
                front=self._front,
                about=self._about,
                sections=[replace(one, body=Markup(one.body)) for one in sections],  # noqa: S704
                css=Markup(palette_css() + colour_classes() + "".join(map(resource, _STYLES + self._styles))),  # noqa: S704
                charts=packed(json.dumps(self._charts, separators=(",", ":"), allow_nan=False)) if self._charts else "",
                texts=packed(json.dumps(self._texts)) if self._texts else "",
                themes=Markup(_script_json(themes)),  # noqa: S704
                library=library() if self._charts else "",
                js=Markup(resource("inflate.js") + resource("report.js")),  # noqa: S704
            )
        )

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the page, and makes its folder; a reader sees the old file or the new one, never half of one."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_whole(Path(path), self.html())

    def _downloads(self, files: Mapping[str, str]) -> str:
        """Buttons for files, whose texts are packed at the end of the page."""
        several = len(files) > 1
        items = "".join(
            f'<button type="button" data-save="{escape(name)}.csv" data-text="{self.keep(text)}">'
            f"CSV{': ' + escape(name) if several else ''}</button>"
            for name, text in files.items()
        )
        return f'<p class="tools"><span>Download</span> {items}</p>' if files else ""

    def _with_style(self, style: str) -> Report:
        if style not in self._styles:
            self._styles.append(style)
        return self

    def keep(self, text: str) -> int:
        """Adds a text to those that are packed in the page; returns its place."""
        self._texts.append(text)
        return len(self._texts) - 1

    def _add(self, heading: str, text: str, body: str = "", *, opening: str = "", address: str = "") -> Report:
        body = opening + _paragraph(text) + body
        if not heading and self._sections:
            last = self._sections.pop()
            self._sections.append(replace(last, body=last.body + body))
            return self
        anchor = address or _slug(heading)
        taken = {section.anchor for section in self._sections} | {"made"}
        number = 2
        while anchor in taken:
            anchor = f"{_slug(heading)}-{number}"
            number += 1
        self._sections.append(_Section(anchor, heading, text.partition("\n")[0].partition(". ")[0].rstrip("."), body))
        return self


def _take_title(spec: dict[str, Any]) -> str:
    """The page has its own headings; the line below the title becomes the caption."""
    title = spec.pop("title", None)
    if not isinstance(title, dict):
        return ""
    lines = title.get("subtitle", [])
    return ". ".join([lines] if isinstance(lines, str) else lines)


def _script_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _paragraph(text: str, kind: str = "") -> str:
    if not text:
        return ""
    opening = f'<p class="{kind}">' if kind else "<p>"
    parts = _unbroken(escape(text)).split("\n\n")
    return "".join(f"{opening}{part}</p>" for part in parts)


def _paragraphs(text: str) -> list[Markup]:
    """Paragraphs as HTML."""
    return [Markup(_unbroken(escape(part))) for part in text.split("\n\n") if part]  # noqa: S704 - escaped


def _blocks(text: str) -> list[dict[str, Any]]:
    """Paragraphs, of which some are code."""
    blocks: list[dict[str, Any]] = []
    for part in filter(None, text.split("\n\n")):
        is_code = all(line.startswith("    ") for line in part.splitlines())
        blocks.append({"is_code": is_code, "text": dedent(part) if is_code else _paragraphs(part)[0]})
    return blocks


def _unbroken(text: str) -> str:
    """A per cent sign never begins a line."""
    return text.replace(" %", "\u00a0%")


def _value(name: str, value: str) -> str:
    return f"<code>{escape(value)}</code>" if name.lower() in {"command", "commit", "hash"} else escape(value)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "section"


def palette_css() -> str:
    """The queues' colours as variables, so that tables and charts agree."""
    light, dark = (";".join(f"--k{i}:{c}" for i, c in enumerate(CATEGORY[theme])) for theme in THEMES)
    return f':root{{{light}}}:root[data-theme="dark"]{{{dark}}}'


def colour_classes() -> str:
    """Rules that give a mark, and a square in a table, the colour of a queue."""
    places = range(len(CATEGORY["light"]))
    return "".join(f".k{at}{{background:var(--k{at})}}.c{at}{{color:var(--k{at})}}" for at in places)
