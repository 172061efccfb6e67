"""The closed loop: the same senders over the same queue in the kernel and in Sojourn, in the mean.

    kernel_loop.py ours [--seeds N] [--only NAMES]       runs Sojourn: writes closed_loop.json
    kernel_loop.py measure [--runs N] [--only NAMES]     runs the kernel: adds to closed_loop.json what it lacks
    kernel_loop.py measure --anew ...                    runs the kernel again: replaces what closed_loop.json has
    kernel_loop.py again [--runs 20]                     runs both, with other seeds, where a cell differs
    kernel_loop.py phase [--runs 20]                     runs both where a round trip is a whole number of packets
    kernel_loop.py twins [--only NAMES]                  runs Sojourn on a path a count of the clock shorter
    kernel_loop.py pairs                                 prints how much narrower the intervals of pairs are
    kernel_loop.py table                                 prints both
    kernel_loop.py list                                  names the settings, and the runs of the kernel that each needs

Without `--runs` a setting gets as many runs of the kernel as the scatter of Sojourn's asks for (`closed_plan.py`), so
that Sojourn runs first. `--share 1/2` and `--share 2/2` divide the settings among two processes.

`--part` takes other settings than the known ones. Those of `--part fresh` are run once, after the work on the others is
over, and their results are not printed: nobody is to know them before.
"""

from __future__ import annotations

import argparse
import fnmatch

import closed_again
import closed_page
import closed_pairs
import closed_phase
import closed_plan
import closed_runs
import closed_settings
import closed_twins


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "ours", "again", "phase", "twins", "pairs", "table", "list"])
    parser.add_argument("--part", choices=list(closed_settings.PARTS), default="known")
    parser.add_argument("--only", default="*", help="names, as in the shell")
    parser.add_argument("--runs", type=int, help="of the kernel, of each setting")
    parser.add_argument("--share", default="1/1", help="take only the first half of the settings: 1/2")
    parser.add_argument("--anew", action="store_true", help="replace the runs of the kernel")
    parser.add_argument("--seeds", type=int, help="runs of Sojourn, of each setting")
    given = parser.parse_args()
    chosen = [row for row in closed_settings.PARTS[given.part]() if fnmatch.fnmatch(row.name, given.only)]
    place, shares = map(int, given.share.split("/"))
    chosen = chosen[place - 1 :: shares]
    told = given.part != "fresh"
    if given.what == "again":
        named = (row for row in closed_again.settings() if fnmatch.fnmatch(row.name, given.only))
        runs, ours = given.runs or closed_again.RUNS, given.seeds or closed_plan.OURS
        closed_again.measure(list(named)[place - 1 :: shares], runs, ours)
    if given.what == "phase":
        named = (row for row in closed_phase.settings() if fnmatch.fnmatch(row.name, given.only))
        closed_phase.measure(list(named)[place - 1 :: shares], given.runs or closed_phase.RUNS)
    have = closed_runs.read()
    if given.what in ("list", "measure"):
        wanted = {row: given.runs or closed_plan.wanted(row, have.get(row.name, {}).get("ours", [])) for row in chosen}
    if given.what == "list":
        print("\n".join(f"{row.name} {runs}" for row, runs in wanted.items()))
    elif given.what == "measure":
        closed_runs.measure(wanted, anew=given.anew, told=told)
    elif given.what == "ours":
        kernels = {row: len(have.get(row.name, {}).get("kernel", [])) for row in chosen}
        closed_runs.ours(
            {row: given.seeds or closed_plan.of_ours(row, many) for row, many in kernels.items()}, told=told
        )
    elif given.what == "twins":
        closed_twins.measure(chosen)
    elif given.what == "pairs":
        print(closed_pairs.table(), closed_pairs.counts(), sep="\n")
    elif given.what == "table":
        print(closed_page.section(closed_page.measured()))


if __name__ == "__main__":
    main()
