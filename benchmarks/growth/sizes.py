"""How time and memory grow with flows, links, seconds and runs, as whole processes need them.

    .venv/bin/python benchmarks/growth/sizes.py [NAME ...] [--write]

`--write` puts the table into evidence/speed/README.md, between the two comments that name this file.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "dumbbell"))
from process import machine

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "evidence" / "speed" / "README.md"
PLACE = re.compile(r"(<!-- table of sizes\.py -->\n)(.*?)(<!-- end sizes\.py -->)", re.DOTALL)
SOJOURN = str(Path(sys.executable).with_name("sojourn"))
RECORDED = ("compare", "red_classic", "--queue", "red,codel", "--set", "duration=20s")

# Below these, a difference between two sizes is noise, and the growth has no exponent.
LEAST_SECONDS, LEAST_MB = 0.15, 8.0

DUMBBELL = """
duration = "{seconds}s"
[dumbbell]
rate = "{mbit}Mbit"
delay = "20ms"
queue = "red"
[[flow]]
count = {flows}
"""
HOST = '[[link]]\nname = "{0}"\nfrom = "{0}"\nto = "hub"\nrate = "100Mbit"\ndelay = "1ms"\nqueue = "red"\n'


@dataclass(frozen=True)
class Growing:
    """A quantity that grows, its sizes in rising order, and the command for each."""

    what: str
    sizes: Sequence[int]
    command: str
    arguments: Sequence[str] = ()

    def of(self, size: int, folder: Path) -> list[str]:
        file = folder / f"{self.command}{size}.toml"
        texts = {"flows": dumbbell(flows=size), "seconds": dumbbell(seconds=size), "links": "\n".join(star(size))}
        if self.command in texts:
            file.write_text(texts[self.command], encoding="utf-8")
            return [SOJOURN, "run", str(file), *self.arguments]
        own = {"{size}": str(size), "{half}": str(size // 2), "{folder}": str(folder / f"kept{size}")}
        words = list(self.arguments)
        for name, value in own.items():
            words = [word.replace(name, value) for word in words]
        return [SOJOURN, *words]


def dumbbell(flows: int = 10, seconds: int = 1) -> str:
    """A dumbbell with 1 Mbit/s for each flow."""
    return DUMBBELL.format(seconds=seconds, mbit=flows, flows=flows)


def star(links: int) -> Iterator[str]:
    """Senders and receivers around a switch, each behind an observed link, for one millisecond."""
    hosts = [f"{side}{place}" for place in range(links // 2) for side in "ab"]
    yield 'duration = "1ms"\nnode = ['
    yield from (f'{{ name = "{name}" }},' for name in ["hub", *hosts])
    yield "]"
    yield from map(HOST.format, hosts)
    yield from (f'[[flow]]\nfrom = "a{place}"\nto = "b{place}"' for place in range(links // 2))


COMPARED = (*RECORDED, "--seeds", "{half}")
OUT = ("--out", "{folder}")
ALL = (
    Growing("flows", (100, 1000, 10_000), "flows"),
    Growing("seconds of 10 flows", (100, 1000, 4000), "seconds"),
    Growing("links of a star", (200, 1000, 4000), "links"),
    Growing("the same, printed as JSON", (200, 1000, 4000), "links", ("--json",)),
    Growing("runs of compare", (4, 12, 40), "runs", COMPARED),
    Growing("runs of compare --out", (4, 12, 40), "runs", (*COMPARED, *OUT)),
    Growing("their report", (4, 12, 40), "runs", ("report", "{folder}", "{folder}.html")),
    Growing("runs of run --seeds", (4, 12, 40), "runs", ("run", "red_classic", "--seeds", "{size}")),
    Growing(
        "runs of sweep",
        (20, 200, 1000),
        "runs",
        (
            "sweep",
            "red_classic",
            "--over",
            "dumbbell.queue.w_q=0.001,0.002",
            "--seeds",
            "{half}",
            "--set",
            "duration=1.2s",
            "--metrics",
            "utilisation",
        ),
    ),
)


def usage(command: Sequence[str]) -> tuple[float, float]:
    """CPU seconds and peak in MB of one process."""
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit {child.returncode}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / 1e6


def exponent(sizes: Sequence[int], values: Sequence[float], least: float) -> str:
    """The power of the size with which a value grows beyond that of the first size; "flat" if it hardly does."""
    middle, last = values[1] - values[0], values[2] - values[0]
    if last < least:
        return "flat"
    if middle < least / 4:
        # The first step is noise: of the last step alone, which a fixed cost makes smaller.
        return f"{math.log(values[2] / values[1]) / math.log(sizes[2] / sizes[1]):.2f}"
    return f"{math.log(last / middle) / math.log((sizes[2] - sizes[0]) / (sizes[1] - sizes[0])):.2f}"


def table(wanted: Sequence[Growing]) -> str:
    """A row for each thing that grows."""
    lines = ["| what grows | sizes | CPU s | exponent | peak MB | exponent |", "|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as folder:
        for one in wanted:
            used = [usage(one.of(size, Path(folder))) for size in one.sizes]
            seconds, peaks = ([pair[at] for pair in used] for at in (0, 1))
            shown = (
                ", ".join(map(str, one.sizes)),
                ", ".join(f"{s:.2f}" for s in seconds),
                exponent(one.sizes, seconds, LEAST_SECONDS),
                ", ".join(f"{p:.0f}" for p in peaks),
                exponent(one.sizes, peaks, LEAST_MB),
            )
            lines.append(f"| {one.what} | {' | '.join(shown)} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return "\n".join(lines)


def main() -> int:
    options = argparse.ArgumentParser(description="How time and memory grow.")
    options.add_argument("names", nargs="*", metavar="NAME", help="the rows that begin with this (default: all)")
    options.add_argument("--write", action="store_true", help="write the table into evidence/speed/README.md")
    asked = options.parse_args()
    text = table([one for one in ALL if not asked.names or one.what.startswith(tuple(asked.names))])
    print(text)
    if asked.write:
        page = PAGE.read_text(encoding="utf-8")
        if not PLACE.search(page):
            print(f"{PAGE}: there is no place for the table", file=sys.stderr)
            return 1
        made = f"\n{text}\n\n{machine()}; {datetime.now(UTC).date()}; `python benchmarks/growth/sizes.py --write`.\n\n"
        PAGE.write_text(PLACE.sub(lambda found: found[1] + made + found[3], page), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
