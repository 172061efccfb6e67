"""Many links, groups and warnings: a terminal, a notebook and a report show some, and tell how to get the rest."""

import json
import re

import pytest

import sojourn
from helpers.shell import sojourn as shell

_PAIRS = 20
"""Pairs of a sender and a receiver around a switch; both have an observed link there and one back."""
_LINKS = 4 * _PAIRS


@pytest.fixture(scope="module")
def star(tmp_path_factory):
    hosts = [f"{side}{place}" for place in range(_PAIRS) for side in "ab"]
    nodes = "".join(f'{{ name = "{name}" }}, ' for name in ["hub", *hosts])
    links = "".join(
        f'[[link]]\nname = "{name}"\nfrom = "{name}"\nto = "hub"\nrate = "1Mbit"\ndelay = "1ms"\nqueue = "red"\n'
        for name in hosts
    )
    # The last flow sends most: its links are the busiest.
    flows = "".join(
        f'[[flow]]\nname = "f{place}"\nfrom = "a{place}"\nto = "b{place}"\ntransport = {{ kind = "udp" }}\n'
        f'app = {{ kind = "cbr", rate = "{100 + 10 * place}kbit" }}\n'
        for place in range(_PAIRS)
    )
    file = tmp_path_factory.mktemp("star") / "star.toml"
    file.write_text(f'duration = "1s"\nnode = [{nodes}]\n{links}{flows}', encoding="utf-8")
    return file


def test_a_run_prints_the_busiest_links_and_groups_and_how_to_get_the_rest(star):
    made = shell("run", star)
    head = next(line for line in made.stdout.splitlines() if line.startswith("queue"))

    assert head.split()[1:] == [
        name for place in range(_PAIRS - 4, _PAIRS) for name in (f"a{place}", f"b{place}/reverse")
    ]
    assert f"The 8 busiest of {_LINKS} links are shown; --json has all, and sojourn export " in made.stdout
    assert max(map(len, made.stdout.splitlines())) < 200


def test_json_has_all_links(star):
    made = json.loads(shell("run", star, "--json").stdout)

    assert len(made["queue"]) == _LINKS


def test_a_warning_of_many_places_is_printed_for_the_first_ones(star):
    # A round trip takes more than 4 ms: there are less than 20 in the run.
    text = star.read_text(encoding="utf-8").replace('transport = { kind = "udp" }\napp = { kind = "cbr"', "app = { ")
    file = star.with_name("short.toml")
    file.write_text(re.sub(r"app = \{ , .*\}\n", "", text), encoding="utf-8")
    made = shell("run", file, "--set", "duration=50ms")
    said = [line for line in made.stderr.splitlines() if line.startswith("warning: run_too_short")]

    assert len(said) == 6
    assert said[-1] == f"warning: run_too_short in {_PAIRS - 5} more places; --json has all"


def test_a_notebook_and_a_report_show_the_busiest(star, tmp_path):
    result = sojourn.run(star)
    shown = result._repr_html_()
    result.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")

    assert "a19" in shown
    assert "a11<" not in shown
    assert f"The 8 busiest of {_LINKS} links are shown; the tables queue and group have all." in shown
    assert f"The 20 busiest of {_LINKS} links are shown; sojourn export writes" in page
