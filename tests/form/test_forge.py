"""Files for the forge, which run elsewhere: linters accept them, and each command in them exists here."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FORGE = ROOT / ".github"
WORKFLOWS = sorted((FORGE / "workflows").glob("*.yml"))
KINDS = [
    ("vendor.github-workflows", WORKFLOWS),
    ("custom.github-workflows-require-timeout", WORKFLOWS),
    ("vendor.github-actions", sorted(FORGE.glob("actions/*/action.yml"))),
    ("vendor.github-issue-config", [FORGE / "ISSUE_TEMPLATE/config.yml"]),
    (
        "vendor.github-issue-forms",
        sorted(set(FORGE.glob("ISSUE_TEMPLATE/*.yml")) - {FORGE / "ISSUE_TEMPLATE/config.yml"}),
    ),
    ("vendor.dependabot", [FORGE / "dependabot.yml"]),
    ("vendor.citation-file-format", [ROOT / "CITATION.cff"]),
]


def linted(*command: str | Path) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).parent / command[0]
    return subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.slow
@pytest.mark.parametrize(("schema", "files"), KINDS, ids=[schema for schema, _ in KINDS])
def test_a_file_follows_the_schema_of_its_kind(schema: str, files: list[Path]):
    done = linted("check-jsonschema", "--builtin-schema", schema, *files)

    assert files
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_a_linter_finds_no_danger_in_the_workflows():
    done = linted("zizmor", "--offline", "--min-severity", "medium", FORGE)

    assert done.returncode == 0, done.stdout + done.stderr


def test_the_commands_of_workflows_exist_here():
    texts = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    made = {word for line in re.findall(r"\bmake ((?:[a-z]+ ?)+)$", texts, re.MULTILINE) for word in line.split()}
    files = set(re.findall(r"[\w./-]+/[\w.-]+\.(?:py|md)", texts))

    assert "bash .ci/run" in texts
    assert {"build", "lab", "bench"} <= made <= targets
    assert files
    assert [name for name in sorted(files) if not (ROOT / name).exists()] == []
