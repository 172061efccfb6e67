"""One switch at a time in plain ns-2: what moves the numbers of a work's script.

    python tests/peers/switches.py haider2005/ns2/topologies.tcl topology=1 queue=red \
        --try headers=0 tcp=newreno headers=0,tcp=newreno precise=1 also=Agent/TCP:singledup_:0 \
        --printed loss=0.0102 utilisation=0.9873 --seeds 20

runs the script of a work (below `papers/`) with the settings given, and then with each further one. It prints the mean
of each number with its 95 % interval, and by how much it differs from the printed one. A comma joins settings that are
changed together. `also` sets any variable of ns-2's classes, such as a default of an old release:
CLASS:VARIABLE:VALUE, several joined by `+`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ns2 import Metrics, Ns2Error, available
from witness import theirs

from sojourn import papers
from sojourn._rooms.works.exhibits import figures
from sojourn.stats import mean_interval


def settings(texts: Sequence[str]) -> dict[str, str]:
    """The settings of texts such as `a=1` or `a=1,b=2`."""
    found: dict[str, str] = {}
    for one in (part for text in texts for part in text.split(",")):
        name, equals, value = one.partition("=")
        if not (name and equals):
            raise ValueError(f"{one!r} is no setting: write NAME=VALUE")
        found[name] = value.replace("+", ",") if name == "also" else value
    return found


def script_of(named: str) -> Path:
    """A script in the folder of a work."""
    key, _, rest = named.partition("/")
    path = papers.folder(key).resolve() / rest
    if not path.is_file():
        raise ValueError(f"{named}: there is no such script")
    return path


def row(name: str, runs: Sequence[Metrics], printed: Mapping[str, float], shown: Sequence[str]) -> str:
    """A row of the table: each number, and how far it is from the printed one."""
    cells = []
    for metric in shown:
        values = [run[metric] for run in runs]
        beside = ""
        if printed.get(metric):
            beside = f" ({100.0 * (statistics.fmean(values) / printed[metric] - 1.0):+.1f} %)"
        cells.append(figures(mean_interval(values), 1.0) + beside)
    return f"| {' | '.join([name, *cells])} |"


def main() -> int:
    parser = argparse.ArgumentParser(description="Change one switch at a time in plain ns-2.")
    parser.add_argument("script", help="KEY/ns2/NAME.tcl of a work")
    parser.add_argument("settings", nargs="*", metavar="NAME=VALUE", help="settings of all runs")
    parser.add_argument("--try", nargs="+", dest="tried", default=[], metavar="NAME=VALUE", help="further settings")
    parser.add_argument("--printed", nargs="+", default=[], metavar="METRIC=NUMBER", help="what the work prints")
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    if not available():
        print("ns-2 is not installed: no program `ns` found (Debian and Ubuntu: apt install ns2)", file=sys.stderr)
        return 2
    try:
        script, base = script_of(given.script), settings(given.settings)
        printed = {name: float(value) for name, value in settings(given.printed).items()}
        shown: list[str] = []
        with ThreadPoolExecutor(given.workers) as pool:
            for text in ["", *given.tried]:
                own = base | settings([text] if text else [])
                runs = list(pool.map(lambda seed, own=own: theirs(script, own, seed), range(1, 1 + given.seeds)))
                if not shown:
                    shown = list(printed) or list(runs[0])
                    print(f"| switch | {' | '.join(shown)} |\n{'|---' * (1 + len(shown))}|")
                print(row(text or "as given", runs, printed, shown), flush=True)
    except (ValueError, KeyError, Ns2Error) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
