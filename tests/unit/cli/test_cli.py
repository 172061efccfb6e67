"""The command, as a user meets it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import jsonschema
import pytest

from helpers.shell import refused, sojourn

ROOT = Path(__file__).resolve().parents[3]
# The command in a process of its own.
SOJOURN = [sys.executable, "-c", "from sojourn._rooms.cli import main; main()"]


def test_help_lists_the_commands_and_comes_without_plots_and_tables():
    told = "try: main()\nfinally: print(*sys.modules, file=sys.stderr)"
    watched = f"import sys; from sojourn._rooms.cli import main\n{told}"
    done = subprocess.run([sys.executable, "-c", watched, "--help"], capture_output=True, text=True)

    for command in ("run", "compare", "reproduce", "list", "explain", "schema"):
        assert f"\n  {command} " in done.stdout
    assert {"polars", "numpy", "scipy", "altair"}.isdisjoint(done.stderr.split())


def test_the_version_is_printed():
    done = subprocess.run([*SOJOURN, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("sojourn 0.")
    assert sojourn("--version").stdout == done.stdout


def test_numpy_starts_no_threads_of_its_own():
    known = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    code = """
import os, sojourn._rooms.cli, sojourn.__main__
sojourn._rooms.cli.main = lambda: print(os.environ["OPENBLAS_NUM_THREADS"])
sojourn.__main__.main()
"""

    for given, used in ((None, "1"), ("3", "3")):
        environment = known if given is None else {**known, "OPENBLAS_NUM_THREADS": given}
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
        assert done.stdout == f"{used}\n"


def test_wrong_input_ends_the_process_with_2_and_one_message():
    done = subprocess.run([*SOJOURN, "run", "red_clasic"], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: there is no scenario file red_clasic\n")
    assert refused("run", "red_clasic") == done.stderr


def test_run_prints_the_queues_and_the_flows(scenario_file):
    done = sojourn("run", scenario_file)

    assert done.returncode == 0
    assert done.stderr == ""
    assert "Small dumbbell" in done.stdout
    for word in ("forward", "reverse", "utilisation (%)", "sojourn p99 (ms)", "bulk"):
        assert word in done.stdout
    assert "\x1b" not in done.stdout


def test_run_prints_json_that_holds_the_scenario(scenario_file):
    done = json.loads(sojourn("run", scenario_file, "--json", "--seed", "3").stdout)

    assert done["seeds"] == [3]
    assert done["scenario"]["dumbbell"]["rate"] == "5Mbit"
    assert [row["link"] for row in done["queue"]] == ["forward", "reverse"]


def test_run_with_several_seeds_prints_intervals(scenario_file):
    done = sojourn("run", scenario_file, "--seeds", "3")
    summary = json.loads(sojourn("run", scenario_file, "--seeds", "3", "--json").stdout)["summary"]

    assert "3 seeds, mean ± 95 % interval" in done.stdout
    row = next(row for row in summary["queue"] if row["metric"] == "utilisation" and row["row"] == "forward")
    assert row["low"] <= row["mean"] <= row["high"]


def test_set_changes_a_value(scenario_file):
    done = json.loads(sojourn("run", scenario_file, "--set", "flow.bulk.count=2", "--json").stdout)

    assert len(done["flow"]) == 2


def test_compare_prints_each_queue_and_its_difference(scenario_file):
    done = sojourn("compare", scenario_file, "--queue", "fifo,red:min_th=3p,max_th=9p", "--seeds", "4")

    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert sum(line.startswith("red:min_th=3p,max_th=9p  ") for line in lines) == 2
    assert "Difference from fifo, seed by seed" in done.stdout


def test_compare_in_json_has_summaries_and_differences(scenario_file):
    done = json.loads(sojourn("compare", scenario_file, "--queue", "fifo,red", "--seeds", "3", "--json").stdout)

    assert done["baseline"] == "fifo"
    assert list(done["queues"]) == ["fifo", "red"]
    assert {row["queue"] for row in done["differences"]["queue"]} == {"red"}


def test_compare_shows_the_metrics_that_are_asked_for(scenario_file):
    done = sojourn(
        "compare", scenario_file, "--queue", "fifo,red", "--seeds", "2", "--metrics", "full_fraction,sojourn_max_ms"
    )

    assert "full" in done.stdout
    assert "sojourn max" in done.stdout
    assert "utilisation" not in done.stdout


def test_compare_shows_the_columns_of_one_group(scenario_file):
    blast = '\n[[flow]]\nname = "blast"\ntransport = "udp"\napp = { kind = "cbr", rate = "100kbit" }\n'
    scenario_file.write_text(scenario_file.read_text() + blast)
    compare = ["compare", scenario_file, "--queue", "fifo,red", "--seeds", "2"]

    asked = sojourn(*compare, "--metrics", "utilisation,throughput_mean_bps@blast")
    whole = sojourn(*compare, "--group", "blast")

    assert "throughput mean of blast" in asked.stdout
    assert "throughput of blast" in whole.stdout
    for wrong in (["--group", "blst"], ["--metrics", "throughput_mean_bps@blst"]):
        assert "did you mean blast?" in refused(*compare, *wrong)


@pytest.mark.slow
def test_a_table_fits_a_narrow_terminal(scenario_file):
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    environment = {**os.environ, "COLUMNS": "80", "TERM": "xterm"}
    command = [*SOJOURN, "compare", str(scenario_file), "--queue", "fifo,red", "--seeds", "2"]
    done = subprocess.run(command, stdout=child, stderr=subprocess.DEVNULL, env=environment, timeout=120)
    os.close(child)
    shown = b""
    try:
        while part := os.read(parent, 65536):
            shown += part
    except OSError:  # Linux: the other end is closed.
        pass
    os.close(parent)

    plain = "".join(
        part[part.find("m") + 1 :] if place else part for place, part in enumerate(shown.decode().split("\x1b["))
    )
    assert done.returncode == 0
    assert max(len(line) for line in plain.splitlines()) <= 80


def test_compare_says_what_a_queue_takes_from_its_preset_and_not_from_the_scenario(scenario_file):
    wanted = ["--set", 'dumbbell.queue={ kind = "red", w_q = 0.02, limit = "20p" }']
    said = sojourn("compare", scenario_file, *wanted, "--queue", "red,red:preset=ns2,ared", "--seeds", "2").stderr

    assert "note: red:preset=ns2 takes from its preset, not from the scenario: w_q = auto (else 0.02)" in said
    assert "note: ared keeps of the scenario's queue: limit = 20p (else 50p), w_q = 0.02 (else auto)" in said
    assert "note: red " not in said


def test_compare_says_where_a_limit_guards_memory_and_is_not_handed_on(scenario_file):
    wanted = ["--set", 'dumbbell.queue={ kind = "fifo", limit = "20p" }']
    said = sojourn("compare", scenario_file, *wanted, "--queue", "fifo,codel,fq_codel", "--seeds", "2").stderr

    assert (
        "note: fq_codel has limit = 10240p, not the scenario's 20p: in fq_codel limit guards memory and is no buffer"
        in said
    )
    assert "note: codel keeps of the scenario's queue: limit = 20p (else 1000p)" in said

    wanted = ["--set", 'dumbbell.queue={ kind = "fq_codel" }']
    said = sojourn("compare", scenario_file, *wanted, "--queue", "fq_codel,fifo", "--seeds", "2").stderr

    assert "note: fifo has limit = 100p, not the scenario's 10240p: in fq_codel limit guards memory" in said
    assert "keeps of the scenario's queue" not in said


def test_progress_is_not_printed_where_nobody_watches(scenario_file):
    said = sojourn("compare", scenario_file, "--queue", "fifo,red", "--seeds", "2").stderr

    lines = said.splitlines()
    assert "note: red keeps of the scenario's queue: limit = 20p (else 50p)" in lines
    assert all(line.startswith(("note: ", "warning: ")) for line in lines)


def test_a_scenario_without_chance_is_warned_of(scenario_file):
    done = sojourn("run", scenario_file, "--seeds", "2", "--set", "flow.bulk.start=0s")

    assert done.returncode == 0
    assert "seeds are one run with Small dumbbell" in done.stderr


def test_a_link_without_packets_is_warned_of(tmp_path):
    file = tmp_path / "way.toml"
    file.write_text(
        """
        duration = "2s"
        node = [{ name = "h" }, { name = "m" }, { name = "s" }]
        link = [
            { from = "h", to = "m", name = "shaper", rate = "5Mbit", delay = "2ms", queue = "codel" },
            { from = "m", to = "s", rate = "10Mbit", delay = "20ms" },
            { from = "s", to = "h", name = "back", rate = "10Mbit", delay = "20ms" },
        ]
        [[flow]]
        from = "h"
        to = "s"
        start = { spread = "10ms" }
        """
    )

    # Packets of the flow leave by the direction back of the last link, which is the shorter way.
    arguments = ("compare", file, "--queue", "fifo,codel", "--seeds", "2", "--link", "shaper")
    assert "no packet came to shaper" in sojourn(*arguments).stderr
    one_way = ("--set", "link.back.duplex=false")
    assert "no packet" not in sojourn(*arguments, *one_way).stderr


def test_out_keeps_the_runs_and_a_second_call_reads_them(scenario_file, tmp_path):
    first = sojourn("run", scenario_file, "--seeds", "2", "--out", tmp_path / "study")
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "study" / "runs").rglob("*.parquet")}
    second = sojourn("run", scenario_file, "--seeds", "2", "--out", tmp_path / "study")

    assert first.stdout == second.stdout
    assert before == {path: path.stat().st_mtime_ns for path in (tmp_path / "study" / "runs").rglob("*.parquet")}


def test_captures_go_to_the_run_s_folder_and_need_one(scenario_file, tmp_path):
    asked = ("run", scenario_file, "--set", "record.pcap=true", "--set", "duration=1s")
    message = refused(*asked)
    assert "record.pcap" in message
    assert "--out DIR" in message

    done = sojourn(*asked, "--out", tmp_path / "study")

    assert done.returncode == 0, done
    [folder] = (tmp_path / "study" / "runs").glob("*/pcap")
    assert f"captures of seed 1: {folder} (4 files)" in done.stderr
    names = ["forward.in.pcapng", "forward.out.pcapng", "reverse.in.pcapng", "reverse.out.pcapng"]
    assert sorted(file.name for file in folder.iterdir()) == names


def test_a_trace_stands_beside_the_scenario(scenario_file, tmp_path):
    text = scenario_file.read_text().replace('rate = "5Mbit"', 'rate = { mahimahi = "cell.up" }')
    (tmp_path / "cell.toml").write_text(text)
    (tmp_path / "cell.up").write_text("3\n6\nsix\n")
    assert "cell.up: line 3" in refused("run", tmp_path / "cell.toml")
    (tmp_path / "cell.up").write_text("3\n6\n")

    elsewhere = sojourn("run", tmp_path / "cell.toml", "--json", cwd=tmp_path.parent)

    rate = json.loads(elsewhere.stdout)["scenario"]["dumbbell"]["rate"]
    assert rate == {"mahimahi": [3.0, 6.0], "opportunity": "1500B"}
    (tmp_path / "cell.up").unlink()
    assert "cell.up cannot be read" in refused("run", tmp_path / "cell.toml")


def test_a_missing_file_is_named_with_the_nearest(scenario_file):
    message = refused("run", scenario_file.with_suffix(".tml"))

    assert "there is no scenario file" in message
    assert "did you mean" in message
    assert "dumbbell.toml" in message


def test_a_wrong_value_says_place_value_and_what_is_allowed(scenario_file, tmp_path):
    scenario_file.write_text(scenario_file.read_text().replace("5Mbit", "5Mbps"))

    message = refused("run", scenario_file, "--out", tmp_path / "study")

    assert f"{scenario_file}:7:8: dumbbell.rate: " in message
    assert "bytes per second in tc" in message
    assert "bit, kbit, Mbit, Gbit or Tbit" in message
    assert not (tmp_path / "study").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--set", "dumbbell.quee.limit=3p"], 'did you mean "queue"?'),
        (["--set", "nonsense"], "write key=value"),
        (["--seed", "1", "--seeds", "2"], "not both"),
        (["--seeds", "0"], "such as 20"),
        (["--seeds", "3-1"], "such as 20"),
        (["--seeds", "many"], "such as 20"),
        (["--workers", "0"], "allowed is 1 or more"),
        (["--report", "report.pdf"], "ends in .html"),
        (["--report", "nowhere/report.html"], "there is no directory nowhere"),
    ],
)
def test_wrong_options_of_run_are_one_message(scenario_file, arguments, words):
    assert words in refused("run", scenario_file, *arguments)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--queue", "red,redd"], 'did you mean "red"?'),
        (["--queue", "red"], "cannot be compared"),
        (["--queue", "min_th=3p,red"], "the name is missing"),
        (["--queue", "red,,fifo"], "missing between the commas"),
        (["--queue", "red,fifo", "--baseline", "pie"], "not among the queues"),
        (["--queue", "red,fifo", "--metrics", "nonsense"], "sojourn list metrics"),
        (["--queue", "red,fifo", "--metrics", "loss_rate"], "did you mean loss_ratio?"),
        (["--queue", "red,fifo", "--link", "sideways"], "forward"),
    ],
)
def test_wrong_options_of_compare_are_one_message(scenario_file, arguments, words):
    assert words in refused("compare", scenario_file, *arguments, "--seeds", "1")


def test_a_directory_of_other_things_is_refused_and_left_alone(scenario_file):
    message = refused("run", scenario_file, "--out", scenario_file.parent)

    assert "not a study" in message
    assert list(scenario_file.parent.iterdir()) == [scenario_file]


@pytest.mark.slow
def test_ctrl_c_stops_at_once_and_says_what_can_be_used(scenario_file, tmp_path):
    out = tmp_path / "study"
    command = [*SOJOURN, "run", str(scenario_file), "--seeds", "500", "--set", "duration=50s", "--out", str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while not list(out.glob("runs/*/run.json")) and time.monotonic() < deadline:
        time.sleep(0.02)

    process.send_signal(signal.SIGINT)
    asked = time.monotonic()
    stdout, stderr = process.communicate(timeout=60)

    assert time.monotonic() - asked < 3.0
    assert process.returncode == 130
    assert stdout == ""
    assert "Traceback" not in stderr
    finished = len([run for run in out.glob("runs/*") if not run.name.startswith(".")])
    assert f"stopped: {finished} of 500 runs are finished" in stderr
    assert str(out) in stderr


def test_list_shows_every_queue_of_the_registry():
    entries = json.loads(sojourn("list", "queues", "--json").stdout)
    text = sojourn("list", "queues").stdout

    assert {"fifo", "red", "codel"} <= {entry["name"] for entry in entries}
    assert all(f"\n{entry['name']} " in f"\n{text}" for entry in entries)


@pytest.mark.parametrize("what", ["queues", "transports", "controls", "traffic", "losses", "metrics", "papers"])
def test_everything_can_be_listed(what):
    done = sojourn("list", what, "--json")

    assert done.returncode == 0
    assert isinstance(json.loads(done.stdout), list)
    assert sojourn("list", what).returncode == 0


def test_an_unknown_list_says_what_there_is():
    assert "did you mean queues?" in refused("list", "quues")


def test_a_recording_that_is_not_there_is_answered_with_how_to_make_one(tmp_path):
    assert "--set record.pcap=true --out DIR makes one" in refused("replay", tmp_path / "a.pcap", "--rate", "10Mbit")


def test_the_schema_is_a_json_schema_that_takes_the_scenario(scenario_file):
    schema = json.loads(sojourn("schema").stdout)

    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(tomllib.loads(scenario_file.read_text()), schema)


def test_a_scenario_that_comes_with_sojourn_runs_by_its_name_anywhere(tmp_path):
    done = sojourn("run", "red_classic", "--set", "duration=2s", "--set", "warmup=1s", cwd=tmp_path)

    assert done.returncode == 0
    assert "RED with four senders" in done.stdout
    assert "did you mean red_classic?" in refused("run", "red_clasic", cwd=tmp_path)


def test_a_file_goes_before_a_scenario_of_that_name(scenario_file, tmp_path):
    (tmp_path / "red_classic.toml").write_text(scenario_file.read_text())

    assert "Small dumbbell" in sojourn("run", "red_classic.toml", cwd=tmp_path).stdout


@pytest.mark.parametrize("like", [[], ["--like", "parking_lot"]])
def test_init_writes_a_scenario_that_runs_and_names_its_schema(tmp_path, like):
    assert sojourn("init", "mine.toml", *like, cwd=tmp_path).returncode == 0

    schema = tmp_path / (tmp_path / "mine.toml").read_text().splitlines()[0].removeprefix("#:schema ")
    jsonschema.validate(tomllib.loads((tmp_path / "mine.toml").read_text()), json.loads(schema.read_text()))
    assert sojourn("run", "mine.toml", "--set", "duration=11s", "--set", "warmup=1s", cwd=tmp_path).returncode == 0
    assert "is there already" in refused("init", "mine.toml", cwd=tmp_path)


def test_list_alone_says_what_can_be_listed():
    kinds = json.loads(sojourn("list", "--json").stdout)
    shown = sojourn("list").stdout

    assert kinds["queues"] == len(json.loads(sojourn("list", "queues", "--json").stdout))
    for what, count in kinds.items():
        assert re.search(rf"^sojourn list {what} +{count} ", shown, flags=re.M), what
        assert sojourn("list", what).returncode == 0


def test_no_command_s_line_of_help_is_cut():
    # Of 80 columns; click ends a cut line with dots.
    assert "..." not in sojourn("--help").stdout.partition("Commands:")[2]


def test_messages_on_a_terminal_end_at_words_and_go_on_below_what_they_are_about(monkeypatch):
    from sojourn._rooms.showing.text import prose

    monkeypatch.setattr(prose, "_columns", lambda _: 40)
    lines = prose.message(
        "error: queue 'codl': there is no queue of this name\n  allowed: fifo, red, codel, fq_codel, cobalt, pie, pi2"
    ).splitlines()

    assert lines == [
        "error: queue 'codl': there is no queue",
        "of this name",
        "  allowed: fifo, red, codel, fq_codel,",
        "           cobalt, pie, pi2",
    ]
    monkeypatch.setattr(prose, "_columns", lambda _: None)
    assert prose.message(f"error: {'word ' * 30}") == f"error: {'word ' * 30}"


def test_a_misspelt_work_is_met_with_the_nearest_name():
    assert "did you mean haider2005?" in refused("reproduce", "haider")


def test_a_table_wider_than_the_terminal_goes_on_below(capsys):
    from rich.console import Console

    from sojourn._rooms.showing.text import layout

    table = layout.empty_table("queue", *(f"link {place} (ms)" for place in range(9)))
    table.add_row("sojourn mean", *(f"{place}.125" for place in range(9)))
    table.add_row("throughput", *(f"{place}.75" for place in range(9)))
    layout.print_table(Console(width=60, force_terminal=True), table)

    shown = capsys.readouterr().out
    assert max(map(len, shown.splitlines())) <= 60
    assert shown.count("sojourn mean") == shown.count("throughput") >= 2
    assert all(f" {place}.125" in shown and f"link {place}" in shown for place in range(9))


def test_an_interval_beside_that_of_an_idle_link_has_its_own_figures():
    shown = sojourn("run", "home_uplink", "--seeds", "3", "--set", "duration=20s").stdout

    busy, idle = re.search(r"^sojourn mean \(ms\) +(\S+ ± \S+) +(0\S*)", shown, re.MULTILINE).groups()
    # Two figures of its own half width, however small the other number is.
    mean, half = busy.split(" ± ")
    assert len(half.replace(".", "").lstrip("0")) <= 2
    assert len(mean.partition(".")[2]) == len(half.partition(".")[2])
    assert idle.startswith("0.00")


def test_text_of_users_and_ours_is_no_markup():
    """rich took "[its ends]" and the group "[call] x" for markup, and ":x:" for a picture."""
    words = [
        "home_uplink",
        "--set",
        'flow[1].name="[call] x"',
        "--set",
        'flow[2].name="[/b] :x:"',
        "--set",
        'title="[bold]a line"',
    ]
    short = ["--set", "duration=8s", "--seeds", "3"]
    alone = sojourn("run", *words, *short).stdout
    beside = sojourn("compare", *words, *short, "--queue", "fifo,codel").stdout

    for shown in (alone, beside):
        assert "[call] x " in shown
        assert "[/b] :x:" in shown
    assert beside.startswith("[bold]a line\n")
    assert re.search(r"\d \[\d", beside), "the case has an interval that is cut off"
    assert "or [its ends] where it is cut off" in beside
