"""The gain of profile-guided optimisation: the benchmark's program as `make build` and as `make wheel` compile it.

    python benchmarks/dumbbell/pgo.py [--rounds 5] [--write]

Both are built first (tools/pgo.py says how the profile is made). They take turns, with the same arguments, and must
give the same output. The time is the CPU time of whole processes, and the ratio is of the least times, which the load
of the machine disturbs least. `--write` puts the table into evidence/speed/README.md.
"""

from __future__ import annotations

import argparse
import datetime
import subprocess
import sys

from process import ROOT, execute, machine

REPORT = ROOT / "evidence" / "speed" / "README.md"
MARKS = ("<!-- begin pgo.py -->", "<!-- end pgo.py -->")
TEXT = """\
`make wheel` optimises the core by a profile of runs of other scenarios, if the compiler's `llvm-tools` are installed
(`rustup component add llvm-tools`); `make build` does not, because it takes two more builds. The other tables of this
page are of `make build`. Whole processes, least of five rounds:"""
# Both packages, so that the crate has the features with which it is part of the package for Python.
BUILD = ["cargo", "build", "--release", "--locked", "--package", "sojourn-archive", "--package", "sojourn-python"]
EXAMPLE = ["--example", "dumbbell"]
PLAIN = "target/plain/release/examples/dumbbell"
TRAINED = "target/pgo/trained/release/examples/dumbbell"
WORKLOADS = ((10, 1000), (100, 100), (1_000, 20), (10_000, 5))
"""Flows, which share 1 Mbit/s each, and seconds."""


def main() -> None:
    """Build both, run them in turns, and show the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cpu", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    subprocess.run([*BUILD, *EXAMPLE, "--target-dir", "target/plain"], cwd=ROOT, check=True)
    subprocess.run([sys.executable, "tools/pgo.py", *BUILD, *EXAMPLE], cwd=ROOT, check=True)
    lines = table(options.rounds, options.cpu)
    print("\n".join(lines))
    if options.write:
        today = datetime.datetime.now(datetime.UTC).date()
        put([*lines, "", f"{machine()}; {today}; `python benchmarks/dumbbell/pgo.py --write`."])


def table(rounds: int, cpu: int) -> list[str]:
    """A row for each number of flows."""
    lines = ["| flows | µs per packet, `make build` | µs per packet, `make wheel` | ratio |", "|---|---|---|---|"]
    for flows, seconds in WORKLOADS:
        arguments = [f"n={flows}", f"c={flows}", f"t={seconds}"]
        least = {PLAIN: float("inf"), TRAINED: float("inf")}
        outputs = set()
        for _ in range(rounds):
            for program in least:
                run = execute([program, *arguments], cpu)
                least[program] = min(least[program], 1e6 * run.cpu_seconds / run.output["departures"])
                outputs.add((run.output["departures"], run.output["drops"]))
        if len(outputs) != 1:
            raise SystemExit(f"{flows} flows: the two programs differ: {sorted(outputs)}")
        ratio = least[PLAIN] / least[TRAINED]
        lines.append(f"| {flows} | {least[PLAIN]:.3f} | {least[TRAINED]:.3f} | {ratio:.2f} |")
    return lines


def kept() -> str:
    """The section of the page with the table that it has: `make bench` does not build what this table needs."""
    _, _, rest = REPORT.read_text(encoding="utf-8").partition(MARKS[0])
    found, _, _ = rest.partition(MARKS[1])
    return f"## Profile-guided optimisation\n\n{TEXT}\n\n{MARKS[0]}{found}{MARKS[1]}\n"


def put(lines: list[str]) -> None:
    """Between the marks of the page."""
    page = REPORT.read_text(encoding="utf-8")
    before, _, rest = page.partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    REPORT.write_text(before + "\n".join([MARKS[0], *lines, MARKS[1]]) + after, encoding="utf-8")


if __name__ == "__main__":
    main()
