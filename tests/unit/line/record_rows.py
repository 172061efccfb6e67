"""Writes ``rows.json``: the numbers of each queue on some lines, run by run, for tests of the ranking without runs.

.venv/bin/python tests/unit/line/record_rows.py
"""

from __future__ import annotations

import json
from pathlib import Path

from sojourn._rooms.line.answer import samples_of
from sojourn._rooms.line.shared import Merged, ask_shared
from sojourn.line import Line, ask

HERE = Path(__file__).parent
NEEDED = ("rpm", "added_ms", "p99_ms", "call_up_mos", "call_down_mos", "up_bps", "down_bps")
LINES = {
    "1/8 adsl": ("1/8", {"link": "adsl"}, 1),
    "2/16 adsl": ("2/16", {"link": "adsl"}, 1),
    "4/1": ("4/1", {}, 1),
    "10/50 vdsl": ("10/50", {"link": "vdsl"}, 1),
    "5/50 docsis": ("5/50", {"link": "docsis"}, 1),
    "20/100 docsis": ("20/100", {"link": "docsis"}, 1),
    "1000/10": ("1000/10", {}, 1),
    "3/30 600ms": ("3/30", {"rtt": "600ms"}, 1),
    "5/20 for 20": ("5/20", {}, 20),
}
"""Rates, the other words of the line, and households."""
SEEDS = 5


def rows(rates: str, words: dict, users: int) -> dict:
    """Of each queue and number a value for each seed."""
    line = Line.read(rates, **words)
    found = ask(line, seeds=SEEDS) if users == 1 else ask_shared(line, users=users, seeds=SEEDS)
    samples = samples_of(found.study if users == 1 else Merged(found.study))
    return {
        queue: {key: [float(f"{value:.4g}") for value in of_one[key]] for key in NEEDED}
        for queue, of_one in samples.items()
    }


if __name__ == "__main__":
    found = {name: rows(*line) for name, line in LINES.items()}
    lines = [f"{json.dumps(name)}: {json.dumps(of_line)}" for name, of_line in found.items()]
    (HERE / "rows.json").write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")
