"""Mutates the core and counts which faults the Rust tests find: a sample, in stages that cost ever more.

    cargo install cargo-mutants --locked --version 25.0.1
    python tests/mutation/mutate.py --one-in 80 --write

Later versions of cargo-mutants mutate tables of constants, too, which cannot be left out. Each mutant is one change of
one line. It is tried first against the unit tests of its own area, which takes seconds; mutants that survive these are
tried against all unit tests, and those that survive again against every Rust test. A mutant that survives all three is
on a line on which no Rust test depends, or changes nothing that can be seen; survivors are listed. The Python tests are
not asked, so the score is a lower bound. Nothing but evidence/mutation.toml may be uncommitted: mutants are made in
place and taken back. Areas that are not measured keep their rows.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

if __name__ == "__main__":
    sys.path.append(str(Path(__file__).resolve().parents[2] / "evidence"))

import tables

ROOT = Path(__file__).resolve().parents[2]
KEPT = tables.EVIDENCE / "mutation.toml"
ABOUT = [
    "Deliberate faults in the core, and those that the tests of Rust find.",
    "Written by",
    "    python tests/mutation/mutate.py --write",
]
AREAS = {
    **dict.fromkeys(("aqm", "discipline", "mechanism"), "sojourn-queues"),
    **dict.fromkeys(("metrics", "net"), "sojourn-sim"),
    "queue": "sojourn-queues",
    "sim": "sojourn-sim",
    "transport": "sojourn-senders",
}
"""The areas, each with its crate."""

# Texts for people, requests to the processor on which no result depends.
EXCLUDED = ("fmt::Display", "fmt::Debug", "prefetch", "::ahead", "scout")


def mutants(crate: str, arguments: list[str], tests: list[str], folder: Path) -> dict[str, str]:
    """Run cargo-mutants; the fate of each mutant by its name: caught, missed, timeout or unviable."""
    command = ["cargo", "mutants", "--package", crate, "--in-place", "--baseline", "skip", "--no-times"]
    command += ["--timeout", "600", "--output", str(folder), *arguments]
    for text in EXCLUDED:
        command += ["--exclude-re", text]
    command += ["--", *tests]
    subprocess.run(command, cwd=ROOT, check=False, stdout=sys.stderr)
    fates = {}
    for fate in ("caught", "missed", "timeout", "unviable"):
        listed = (folder / "mutants.out" / f"{fate}.txt").read_text().splitlines()
        fates.update(dict.fromkeys(listed, fate))
    return fates


def area(name: str, one_in: int) -> dict[str, str]:
    """The fate of a sample of one area's mutants after all stages."""
    shard = ["--shard", f"0/{one_in}"]
    crate = AREAS[name]
    with tempfile.TemporaryDirectory() as first:
        files = ["--file", f"crates/{crate}/src/{name}/**"]
        fates = mutants(crate, [*files, *shard], ["--lib", f"{name}::"], Path(first))
    for tests in (["--lib"], []):
        left = [mutant for mutant, fate in fates.items() if fate == "missed"]
        if not left:
            break
        with tempfile.TemporaryDirectory() as again:
            chosen = [text for mutant in left for text in ("--re", f"^{_escaped(mutant)}$")]
            fates.update(mutants(crate, chosen, tests, Path(again)))
    return fates


def _escaped(text: str) -> str:
    """For the regular expressions of Rust, which take no escaped spaces or quotes."""
    return "".join(f"\\{char}" if char in r"\.+*?()|[]{}^$&-~" else char for char in text)


def row(name: str, fates: dict[str, str], one_in: int) -> list[str]:
    """An area's row, with the names of the mutants that no test has found."""
    tried = [fate for fate in fates.values() if fate != "unviable"]
    missed = tried.count("missed")
    score = f"{100 * (1 - missed / len(tried)):.0f} %" if tried else "–"
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
    counts = [str(count) for count in (len(tried), tried.count("caught"), tried.count("timeout"), missed)]
    survivors = "; ".join(name.split("/src/", 1)[-1] for name, fate in fates.items() if fate == "missed")
    return [name, f"one in {one_in}", *counts, score, commit.strip(), survivors]


def keep(new: list[str]) -> None:
    """Keeps an area's row in place of the former one."""
    columns, old = tables.read(KEPT)
    rows = {row[0]: row for row in (*old, new)}
    tables.write(KEPT, ABOUT, columns, [rows[name] for name in AREAS if name in rows])


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--one-in", type=int, default=80, metavar="N", help="size of the sample")
    parser.add_argument("--areas", default=",".join(AREAS), help="which of them")
    parser.add_argument("--write", action="store_true", help=f"keep each area's row in {KEPT.name}")
    arguments = parser.parse_args()
    for name in arguments.areas.split(","):
        fates = area(name, arguments.one_in)
        found = row(name, fates, arguments.one_in)
        print(*found, sep=" | ", flush=True)
        if arguments.write:
            keep(found)


if __name__ == "__main__":
    main()
