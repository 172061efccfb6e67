"""Each command on each page is run here, or a list names the test that runs it, or the reason why none does."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from snippets import ROOT
from test_pages import run

PAGES = sorted(
    path
    for pattern in ("*.md", "docs/*.md", "site/pages/**/*.md", "examples/*/README.md", "crates/*/README.md")
    for path in ROOT.glob(pattern)
    if path.name != "CHANGELOG.md"
)
ELSEWHERE = {
    "README.md": "tests/install/test_wheel.py",
    "docs/commands.md": "tests/install/test_wheel.py",
    "docs/own-queue.md": "tests/unit/own/own_page.py",
    "docs/studies.md": "tests/site/test_docs.py",
    **{path.relative_to(ROOT).as_posix(): "tests/site/test_pages.py" for path in PAGES if "pages" in path.parts},
}
"""Pages whose commands another test runs."""
NOT_RUN = {
    "sudo sojourn gateway": "needs root and two interfaces; tests/gateway runs it in network namespaces",
    "ip netns exec gate sojourn gateway": "the same",
    "sojourn sweep study.toml --on dask": "needs a cluster; tests/unit/sweeps/test_cluster.py starts one",
    "sojourn replay DIR/up.in.pcapng": "needs a recording of a gateway; tests/gateway/test_live.py replays one",
    "sojourn line --from": "needs files of the reader; tests/unit/measured has files of each tool",
    "sojourn evaluate --all": "all queues take an hour; tests/unit/evaluate has the table of some",
}
OTHER_PROGRAMS = {
    "make": "tests/site/test_pages.py asks for each target",
    "pip": "tests/install/test_extras.py installs the extras",
    "ip": "tests/gateway/namespaces.py makes the same namespaces",
    "cc": "crates/sojourn-c/tests/c_program.rs compiles the program of the page",
    "cargo": "the crates and examples are built by make test and make examples",
    "cd": "make examples runs the example",
    "sojourn": "above",
}
SHORTER = {
    "haider2005 --quick --report": "haider2005 --quick --only H2 --report",
    "fq_codel --quick": "fq_codel --quick --only 5.1.1",
    "--link docsis": "--link docsis --queue modem,cake --seeds 1",
    "--seeds 5": "--seeds 1",
    "compare rrul_be": "compare rrul_be --set duration=20s --set warmup=5s",
    "sweep rrul_be": "sweep rrul_be --set duration=20s --set warmup=5s --seeds 1",
    "run rrul_be": "run rrul_be --set duration=20s --set warmup=5s",
    "--trials 40": "--trials 4 --seeds 2 --fresh 2",
    "--trials 20": "--trials 4 --seeds 2 --fresh 2",
}
"""What takes minutes, with fewer runs."""
SAVED = {"docs/tune.md": "slow.toml"}
"""The name under which the reader of a page saves its first scenario."""


def fenced(page: Path) -> list[tuple[str, str]]:
    """All blocks, each with its language, which may be empty."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)


def commands(page: Path) -> list[str]:
    """The lines of sojourn that a reader types, behind a prompt or without one."""
    lines = [line for _, text in fenced(page) for line in text.replace("\\\n", " ").splitlines()]
    typed = [line.removeprefix("$ ").partition("  #")[0].strip() for line in lines]
    return [line for line in typed if re.match(r"(sudo |ip netns exec \w+ )?sojourn [a-z]", line)]


def is_run(page: Path, command: str) -> bool:
    return page.relative_to(ROOT).as_posix() not in ELSEWHERE and not command.startswith(tuple(NOT_RUN))


TRIED = [(page, command) for page in PAGES for command in commands(page) if is_run(page, command)]


@pytest.mark.slow
@pytest.mark.parametrize(("page", "command"), TRIED, ids=lambda one: one.name if isinstance(one, Path) else one[:60])
def test_a_command_of_a_page_runs(page: Path, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    if name := SAVED.get(page.relative_to(ROOT).as_posix()):
        (tmp_path / name).write_text(next(text for language, text in fenced(page) if language == "toml"))
    for long, shorter in SHORTER.items():
        command = command.replace(long, shorter)
    run(command)


def test_the_lists_name_what_is_there():
    typed = [command for page in PAGES for command in commands(page)]
    assert len(TRIED) > 8
    assert [start for start in NOT_RUN if not any(command.startswith(start) for command in typed)] == []
    assert [page for page in ELSEWHERE if not (ROOT / page).is_file()] == []
    reasons = [*ELSEWHERE.values(), *NOT_RUN.values(), *OTHER_PROGRAMS.values()]
    tests = {found for reason in reasons for found in re.findall(r"(?:tests|crates)/\S+\.(?:py|rs)", reason)}
    assert [test for test in tests if not (ROOT / test).is_file()] == []


def test_commands_of_other_programs_have_a_reason():
    shown = [
        line
        for page in PAGES
        for language, text in fenced(page)
        if language in {"sh", "console"}
        for line in text.replace("\\\n", " ").splitlines()
        if language == "sh" or line.startswith("$ ")
    ]
    programs = {line.removeprefix("$ ").split()[0] for line in shown if line.strip() and not line.startswith("#")}
    assert programs <= {*OTHER_PROGRAMS, "sudo"}, programs - set(OTHER_PROGRAMS)


FIRST_RUST = "docs/bottleneck.md"


@pytest.mark.slow
def test_the_rust_program_of_the_guide_is_built_as_the_page_says(tmp_path: Path):
    if shutil.which("cargo") is None:
        pytest.skip("there is no cargo")
    blocks = fenced(ROOT / FIRST_RUST)
    program = next(text for language, text in blocks if language == "rust")
    manifest = next(text for language, text in blocks if language == "toml")
    crate = tmp_path / "stack"
    (crate / "src").mkdir(parents=True)
    (crate / "examples").mkdir()
    (crate / "src" / "lib.rs").write_text("")
    (crate / "examples" / "first.rs").write_text(program)
    here = manifest.replace('"../sojourn/crates/', f'"{ROOT / "crates"}/')
    assert here != manifest
    (crate / "Cargo.toml").write_text(f'[package]\nname = "stack"\nversion = "0.1.0"\nedition = "2024"\n\n{here}')
    # The versions of this repository: nothing is downloaded.
    shutil.copy(ROOT / "Cargo.lock", crate / "Cargo.lock")

    done = subprocess.run(
        # Quick to compile: nobody looks at its symbols.
        ["cargo", "run", "--quiet", "--offline", "--config", "profile.dev.debug=false", "--example", "first"],
        cwd=crate,
        env={**os.environ, "CARGO_TARGET_DIR": str(ROOT / "target")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.count("packet ") == 100
