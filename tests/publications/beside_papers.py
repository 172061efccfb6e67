"""Runs the cases of cases.py and shows each printed number beside ours.

    python tests/publications/beside_papers.py [--seeds 10] [--workers 2] [--only QUEUE ...] [--write]

prints the table, and exits with 1 if a number does not agree for which cases.py says no reason. `--write` keeps them
in measured.toml, with `--only` those of these queues.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __name__ == "__main__":
    ROOT = Path(__file__).resolve().parents[2]
    sys.path += [str(ROOT / "tests" / "peers"), str(ROOT / "evidence")]

from cases import CASES
from rows import keep, run, table


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare ours with one published number for every queue.")
    parser.add_argument("--seeds", type=int, default=10, help="seeds 1 to this number (default 10)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="QUEUE", help="these queues only")
    parser.add_argument("--write", action="store_true", help="keep ours in measured.toml")
    arguments = parser.parse_args()

    known = {case.queue for case in CASES}
    unknown = [name for name in arguments.only or () if name not in known]
    if unknown:
        print(f"no queue {', '.join(unknown)}; known are {', '.join(sorted(known))}", file=sys.stderr)
        return 2
    cases = [case for case in CASES if not arguments.only or case.queue in arguments.only]
    rows = run(cases, range(1, arguments.seeds + 1), arguments.workers)
    print(table(rows))
    if arguments.write:
        keep(rows, CASES)
    wrong = [row for row in rows if not row.agrees]
    for row in wrong:
        print(row, f"- known: {row.case.differs}" if row.case.differs else "", file=sys.stderr)
    return 1 if any(not row.case.differs for row in wrong) else 0


if __name__ == "__main__":
    sys.exit(main())
