"""Two questions of `sojourn evaluate` asked of the kernel: RFC 7928's one flow (5.1.1) and medium congestion (8.2.3).

    kernel_evaluate.py measure [--only NAMES]              runs the kernel and Sojourn: writes kernel_evaluate.json
    kernel_evaluate.py measure --anew ...                  runs those again that are in it
    kernel_evaluate.py ours [--only NAMES]                 runs Sojourn again
    kernel_evaluate.py table [--write docs/evaluate.md]    the table, printed or put into the page

The link, the round trip and the number of flows are those of the questions, and the senders are Linux's Reno. The
queues have the limits of `recorded.py`; the questions give all queues the same buffer.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
from functools import partial
from pathlib import Path

import closed_runs
import kernel_build
import kernel_machine
import numpy as np
import places
from closed_runs import Run
from closed_settings import Setting
from closed_verdicts import half_of

MEASURED = places.CLOSED / "kernel_evaluate.json"
QUEUES = ("pfifo", "codel", "fq_codel_noecn", "pie", "fq_pie", "red", "choke", "sfb", "sfq", "cake_besteffort")
QUESTIONS = {"5.1.1": 1, "8.2.3": 20}
"""Flows of each."""
BEGIN, END = "<!-- kernel_evaluate.py -->", "<!-- end -->"


# Runs of the kernel and of Sojourn. A single flow behind SFB has runs of three kinds.
RUNS, RUNS_OF_THREE_KINDS = (12, 32), (120, 200)


def wanted(setting: Setting) -> tuple[int, int]:
    """Its runs of the kernel and of Sojourn."""
    return RUNS_OF_THREE_KINDS if setting.queue == "sfb" and setting.flows == 1 else RUNS


def settings() -> list[Setting]:
    """Both questions of each queue."""
    return [Setting(queue, "reno", flows, rtt_ms=100.0) for flows in QUESTIONS.values() for queue in QUEUES]


def read() -> dict[str, dict[str, list[Run]]]:
    """The results so far."""
    return json.loads(MEASURED.read_text()) if MEASURED.exists() else {}


def measure(chosen: list[Setting], *, anew: bool = False) -> None:
    """Both sides of some settings; a setting that has enough runs stays as it is, if not `anew`."""
    kernel = kernel_build.build()
    for setting in chosen:
        known, (runs, _) = read(), wanted(setting)
        if not anew and len(known.get(setting.name, {}).get("kernel", [])) >= runs:
            continue
        of_kernel = partial(closed_runs.of_kernel, setting=setting)
        rows = [kernel_machine.seen(kernel, setting.job(seed), of_kernel) for seed in range(1, runs + 1)]
        keep(setting, kernel=_short(rows))
        ours([setting])
        print(setting.name, rows[-1], flush=True)


def ours(chosen: list[Setting]) -> None:
    """Sojourn's side of the kernel's settings."""
    for setting in chosen:
        if setting.name in read():
            keep(setting, ours=_short(closed_runs.of_ours(setting, wanted(setting)[1])))


def keep(setting: Setting, **sides: list[Run]) -> None:
    """Writes sides of a setting into the file, which has a line for each setting."""
    with closed_runs.turn():
        known = read()
        known[setting.name] = known.get(setting.name, {}) | sides
        lines = [f"{json.dumps(name)}: {json.dumps(of)}" for name, of in sorted(known.items())]
        MEASURED.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _short(rows: list[Run]) -> list[Run]:
    return [{name: float(f"{row[name]:.5g}") for name in ("queue_packets", "loss", "jain")} for row in rows]


def table() -> str:
    """A row for each queue: packets that wait and losses, in the kernel and in Sojourn."""
    heads = [f"{section}: {what}" for section in QUESTIONS for what in ("packets waiting", "loss (%)")]
    lines = [f"| queue | {' | '.join(heads)} |", "|---" * (1 + len(heads)) + "|"]
    known = read()
    for queue in QUEUES:
        cells = [f"`{queue.partition('_noecn')[0].partition('_besteffort')[0]}`"]
        for flows in QUESTIONS.values():
            sides = known.get(Setting(queue, "reno", flows, rtt_ms=100.0).name)
            cells += [_cell(sides, "queue_packets", 1.0), _cell(sides, "loss", 100.0)] if sides else ["-", "-"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(sides: dict[str, list[Run]], metric: str, times: float) -> str:
    kernel, ours = ([times * row[metric] for row in sides[side]] for side in ("kernel", "ours"))
    means, half = [float(np.mean(side)) for side in (kernel, ours)], half_of(kernel, ours)
    # A queue without chance has nearly the same run with every seed.
    off = f" ± {half:.2g}" if half > 1e-3 * means[0] else ""
    return ", ".join(f"{mean:.3g}" for mean in means) + off


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["measure", "ours", "table"])
    parser.add_argument("--only", default="*", help="names, as in the shell")
    parser.add_argument("--anew", action="store_true", help="run the kernel again")
    parser.add_argument("--write", type=Path, help="the page")
    given = parser.parse_args()
    chosen = [one for one in settings() if fnmatch.fnmatch(one.name, given.only)]
    if given.what == "measure":
        measure(chosen, anew=given.anew)
    elif given.what == "ours":
        ours(chosen)
    elif given.write is None:
        print(table())
    else:
        text = given.write.read_text(encoding="utf-8")
        before, after = text.split(BEGIN)[0], text.split(END)[1]
        given.write.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
