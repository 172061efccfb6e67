"""Every command and every line of a scenario on the pages that are generated works as it is."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from generator import queues, senders, stage, standard, works
from generator.pages import REGISTRY, cell
from snippets import ROOT
from typer.testing import CliRunner

import sojourn
from sojourn import _core
from sojourn._rooms.cli import app

SCENARIO = """
duration = "1s"
[dumbbell]
rate = "10Mbit"
delay = "10ms"
{link}
[[flow]]
{flow}
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of queues, senders and sources, without pictures."""
    folder = tmp_path_factory.mktemp("pages")
    queues.write(folder / "queues", only=set(), has_lab=True)
    senders.write(folder)
    return folder


def shown(folder: Path, language: str) -> Iterator[tuple[str, str]]:
    """Name of each page, and its block of a language."""
    for page in sorted(folder.glob("*.md")):
        for text in re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S):
            yield page.stem, text.strip()


def test_every_queue_draws_its_law_or_says_what_it_decides_by(tmp_path: Path):
    for entry in REGISTRY["queues"]:
        part = queues.law(entry, tmp_path)
        heading = "## Its law" if entry["has_law"] else "## How it decides"
        assert part.startswith(heading), entry["name"]
        assert part.rstrip().endswith(":::" if entry["has_law"] else "."), entry["name"]


@pytest.mark.parametrize("kind", [entry["name"] for entry in REGISTRY["queues"]])
def test_the_standard_load_suits_every_queue(kind: str):
    # The quick site draws four queues only; a queue that refuses the load would break the whole one.
    for load in (None, *standard.LOADS):
        dumbbell = standard.scenario(kind, load=load).resolved()["dumbbell"]
        assert dumbbell["queue"]["kind"] == kind


def test_what_is_named_after_a_colour_has_it():
    named = [standard.colour_of(name, place, "light") for place, name in enumerate(["green", "yellow", "red"])]

    # The strongest of red, green and blue says which colour it is; yellow has as much of two.
    parts = [[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in named]
    assert parts[0].index(max(parts[0])) == 1
    assert parts[1][2] == 0
    assert parts[2].index(max(parts[2])) == 0


def test_the_text_of_the_four_plots_says_who_sent():
    entries = {entry["name"]: entry for entry in REGISTRY["queues"]}
    other, same = {"course": [1]}, {"course": [0]}
    measured = {"fifo": same, "xcp": other, "wfq": same, "codel": other}

    assert "CUBIC senders. They share" in queues.plots(entries["codel"], measured)
    assert "senders of its own, `xcp`" in queues.plots(entries["xcp"], measured)
    assert "because all packets are of one class" in queues.plots(entries["wfq"], measured)
    assert "grey" not in queues.plots(entries["fifo"], measured)


def test_the_command_of_every_queue_can_be_run(pages: Path):
    commands = {name: shlex.split(text.removeprefix("$ ")) for name, text in shown(pages / "queues", "console")}
    scenario = sojourn.Scenario.load("home_uplink")

    assert set(commands) == {entry["name"] for entry in REGISTRY["queues"]}
    for name, words in commands.items():
        other = "codel" if name == "fifo" else "fifo"
        # All of them are like those that are run below, but for the name of the queue, ...
        assert words == ["sojourn", "compare", "home_uplink", "--queue", f"{other},{name}", "--seeds", "5"]
        # ... which can be in that scenario: its simulation is laid out, and begins.
        simulation = _core.Simulation(scenario.with_queue(name).resolved_json, 1)
        simulation.advance(0.1)


@pytest.mark.parametrize("name", ["codel", "cbq"])
def test_the_command_of_a_queue_runs_as_it_stands(pages: Path, name: str):
    words = shlex.split(dict(shown(pages / "queues", "console"))[name].removeprefix("$ "))

    done = CliRunner().invoke(app, words[1:])

    assert done.exit_code == 0, done.output
    assert name in done.output


def test_every_line_of_a_scenario_is_read(pages: Path):
    lines = [(folder, *found) for folder in ("queues", "senders", "sources") for found in shown(pages / folder, "toml")]
    assert len(lines) == sum(len(REGISTRY[kind]) for kind in ("queues", "transports", "controls", "apps"))
    for folder, name, line in lines:
        link, flow = (line, "") if folder == "queues" else ("", line)
        read = sojourn.Scenario.from_toml(SCENARIO.format(link=link, flow=flow))
        kinds = re.findall(r'kind = "(\w+)"', line)
        assert kinds, name
        assert all(f'"{kind}"' in read.to_toml() for kind in kinds)
        tomllib.loads(line)


NAMES = sorted((ROOT / "site/pages/coming-from").glob("*.md"))


@pytest.mark.parametrize("page", NAMES, ids=lambda page: page.stem)
def test_what_the_tables_of_names_say_is_read(page: Path):
    # The code of a cell: `queue = { kind = ... }`, or a table that is a queue, a transport or an application.
    for table in re.findall(r'`[^`]*?(\{ kind = "\w+"[^`]*\})`', page.read_text(encoding="utf-8")):
        tried = []
        for link, flow in (
            (f"queue = {table}", ""),
            ("", f"transport = {table}"),
            ("", f"app = {table}"),
            ("", f'transport = {{ kind = "tcp", profile = "linux", control = {table} }}'),
            ("", f'transport = {table}\napp = "cbr"'),
            (f"loss = {table}", ""),
        ):
            try:
                sojourn.Scenario.from_toml(SCENARIO.format(link=link, flow=flow))
                break
            except sojourn.ScenarioError as error:
                tried.append(str(error))
        else:
            pytest.fail(f"{table}\n" + "\n".join(tried))


def test_the_report_of_a_work_comes_along_and_its_page_leads_there(tmp_path: Path):
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "haider2005.html").write_text("<!DOCTYPE html>" + 200_000 * "x")

    works.write(tmp_path / "site" / "works", reports)

    with_report, without = (
        (tmp_path / "site" / "works" / f"{key}.md").read_text() for key in ("haider2005", "phirke2002")
    )
    assert (tmp_path / "site" / "_extra" / "reports" / "haider2005.html").stat().st_size > 200_000
    assert with_report.startswith("# Haider")
    assert 'href="../reports/haider2005.html"' in with_report
    assert "in one page of 0.2 MB" in with_report
    assert "reports/" not in without


def test_links_of_the_sites_pages_work_in_the_repository_and_on_the_site():
    text = "See [studies](../../docs/studies.md#axes), [lab](lab.md) and [others](https://example.org)."

    led = stage.led(text, stage.SITE / "pages" / "tutorial.md", Path("tutorial.md"))

    assert led == "See [studies](guide/studies.md#axes), [lab](lab.md) and [others](https://example.org)."


def test_no_line_ends_within_a_number_a_range_or_a_date():
    row = stage.unbroken("| 13.25 ± 0.11, 13.25 | 1.6 (1.58–1.61) | 0.2.0, 2026-11-24 | red-ecn-1 |")

    assert [cell.split() for cell in row.split("|")[1:-1]] == [
        ["13.25", "±", "0.11,", "13.25"],
        ["1.6", "(1.58\N{WORD JOINER}–\N{WORD JOINER}1.61)"],
        ["0.2.0,", "2026\N{NON-BREAKING HYPHEN}11\N{NON-BREAKING HYPHEN}24"],
        ["red-ecn-1"],
    ]
    assert " ± " not in row


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # A long name may end a line behind an underscore or before a capital, and only there.
        ("Linux sch_codel DEFAULT_CODEL_LIMIT", "Linux sch_codel DEFAULT_|CODEL_|LIMIT"),
        ("insertNCalDropRate, maxPReduction_", "insert|NCal|Drop|Rate, max|PReduction_"),
        # Code is copied, and links and addresses lead somewhere.
        ("`DEFAULT_CODEL_LIMIT`", "`DEFAULT_CODEL_LIMIT`"),
        ("[a](rate_controlled_priority.md) https://example.org/LongNames_here", "as it is"),
    ],
)
def test_long_names_in_tables_break_where_a_reader_would(text, shown):
    wanted = text if shown == "as it is" else shown.replace("|", "\N{ZERO WIDTH SPACE}")

    assert cell(text) == wanted
