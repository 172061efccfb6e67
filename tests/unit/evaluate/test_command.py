"""``sojourn evaluate``: its output, its files and its refusals."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sojourn._core import registry
from sojourn._rooms.cli import app
from sojourn._rooms.evaluate import runs
from sojourn._rooms.evaluate.criteria import documents
from sojourn._rooms.evaluate.table import read_table, rows_of
from sojourn._rooms.sweeps.executor import Elsewhere

# These start processes or whole runs: `make check` leaves them out.
pytestmark = pytest.mark.slow

TABLE = Path(__file__).resolve().parents[3] / "site" / "data" / "queues.json"

OWN = '''
from sojourn.own import DROP, Policy


class Patient(Policy):
    """Drops what comes while a hundred packets wait."""

    def on_arrival(self, now_ns, packet, queue, rng):
        if queue.packets > 100:
            return DROP
'''


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["evaluate", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_a_line_for_each_question_and_what_it_is_good_for():
    code, out, err = run("codel", "--quick", "--only", "5.1.1,4.5", "--seeds", "3")

    assert (code, err) == (0, "")
    assert re.search(r"^7928 5\.1\.1 .*one TCP flow .*wait, p95 \(ms\)", out, re.M)
    assert re.search(r"^7928 4\.5 .*with ECN", out, re.M)
    assert "codel is good for" in out
    assert "over 3 seeds" in out


def test_the_whole_fits_a_screen():
    asked = sum(len(document.criteria) for document in documents("queue", quick=False))

    # With the head, the two lines of 11 and 12, and the words below.
    assert asked + 14 <= 50


def test_json_has_every_number_with_its_section():
    code, out, _ = run("codel", "--quick", "--only", "8.2.2", "--seeds", "2", "--against", "fifo", "--json")

    page = json.loads(out)
    assert code == 0
    assert page["baselines"] == ["fifo"]
    assert {one["section"] for one in page["numbers"]} == {"2.3", "2.4", "2.5", "2.6"}
    first = page["numbers"][0]
    assert set(first["values"]) == {"codel", "fifo"}
    assert first["values"]["codel"]["mean"] < first["values"]["fifo"]["mean"]


def test_the_report_has_each_question_and_each_section(tmp_path: Path):
    file = tmp_path / "codel.html"

    code, _, err = run(
        "codel", "--quick", "--only", "5.1.1", "--seeds", "2", "--against", "fifo", "--report", str(file)
    )

    text = file.read_text(encoding="utf-8")
    assert code == 0
    assert f"report: {file}" in err
    assert "RFC 7928" in text
    assert "One long Reno flow" in text
    assert "Not asked" in text


def test_a_line_of_tc_and_a_class_of_one_s_own(tmp_path: Path):
    (tmp_path / "my.py").write_text(OWN)

    # A class that is registered stays for the tests behind this one: another process has it.
    for subject in ("fq_codel target 3ms", "my.py:Patient", "my.py:patient"):
        arguments = [subject, "--quick", "--only", "5.1.1", "--seeds", "1", "--against", "fifo", "--json"]
        command = [sys.executable, "-m", "sojourn", "evaluate", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, ""), subject
        assert json.loads(done.stdout)["subject"] == (subject if " " in subject else "patient")


def test_values_are_the_same_wherever_they_are_made(monkeypatch: pytest.MonkeyPatch):
    arguments = ("codel", "--quick", "--only", "8.2.2", "--seeds", "2", "--against", "fifo", "--json")
    here = run(*arguments)
    monkeypatch.setattr(runs, "_place", lambda _on: nullcontext(Elsewhere(ThreadPoolExecutor(2))))

    assert run(*arguments) == here


def test_senders_are_asked_by_rfc_9743():
    code, out, _ = run("--sender", "vegas", "--quick", "--only", "5.1.2", "--seeds", "2", "--json")

    page = json.loads(out)
    assert code == 0
    assert page["kind"] == "sender"
    assert page["documents"][0]["document"] == "RFC 9743"
    assert page["numbers"][0]["values"]["vegas"]["mean"] < page["numbers"][0]["values"]["cubic"]["mean"]


def test_runs_that_are_kept_are_not_repeated(tmp_path: Path):
    arguments = ("codel", "--quick", "--only", "5.1.1", "--seeds", "2", "--against", "fifo", "--json")
    first = run(*arguments, "--out", str(tmp_path / "kept"))
    lines = (tmp_path / "kept" / "runs.log").read_bytes()

    again = run(*arguments, "--out", str(tmp_path / "kept"))

    assert first[1] == again[1] == run(*arguments)[1]
    assert (tmp_path / "kept" / "runs.log").read_bytes() == lines


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "a queue or a sender"),
        (("codel", "--sender", "cubic"), "a queue or a sender"),
        (("codell",), 'did you mean "codel"'),
        (("codel", "--only", "99"), "--only 99"),
        (("codel", "--against", "fifoo"), "fifoo"),
        (("nix.py:Mine",), "nix.py"),
        (("--sender", "cubicc"), "sender 'cubicc': kind: there is no congestion control"),
        (("codel", "--table", "x.json"), "--all"),
        (("--all",), "--table"),
        (("codel", "--all", "--table", "x.json"), "--all"),
        (("codel", "--seeds", "x"), "--seeds x"),
        (("codel", "--report", "x.txt"), "x.txt"),
        (("fq_codel target 3parsec",), "parsec"),
    ],
)
def test_a_mistake_gets_one_message(arguments: tuple[str, ...], told: str):
    code, out, err = run(*arguments)

    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert told in err


def test_the_table_of_all_queues_has_no_queue_and_no_question_that_changed():
    table = read_table(TABLE)
    queues = {one["name"] for one in json.loads(registry())["queues"]}

    # Its page names the queues that came later; the next table has them.
    assert {*table["queues"], *table["refused"]} <= queues
    asked = {one.key: [m.name for m in one.measures] for d in documents("queue", quick=True) for one in d.criteria}
    held = {one["key"]: [m["name"] for m in one["measures"]] for d in table["documents"] for one in d["criteria"]}
    # Later additions, such as a question that needs a new sender, come with the next table.
    assert held.items() <= asked.items()
    assert all(len(numbers) == len(table["numbers"]) for numbers in table["queues"].values())
    assert len(rows_of(table)) == len(table["numbers"])
