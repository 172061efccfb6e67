"""Writes docs/linux.md: the decisions of the kernel's queues beside Sojourn's, and the closed loop.

python evidence/linux/programs/linux_page.py
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from string import Template

import closed_page
import closed_verdicts
import drawn_fates
import drawn_senders
import fates
import host_shares
import linux_constants
import linux_exact
import places
import policed
import segments
import shares
import tin_shares
import words_here
from recorded import DIFFER
from recorded_edges import QUEUES, RECORDED
from recorded_senders import DIFFER as SAID
from recorded_senders import RECORDED as SENT
from same_fates import FOLDER, Comparison, compare
from same_senders import FOLDER as SENDERS
from same_senders import Comparison as SentComparison
from same_senders import compare as compare_sender

HERE = Path(__file__).resolve().parent
PAGE = places.ROOT / "docs" / "linux.md"
# Names of verdicts on cells in rows.json, as the table of each queue has them.
CELLS = ("agree", "apart", "undecided")


def differences(found: list[Comparison]) -> str:
    """The rows of recordings in which something differs."""
    rows = [(one, DIFFER.get(one.name, (0, "not explained"))[1]) for one in found if one.differ]
    if not rows:
        return ""
    lines = ["| recording | packets | differ | first one | why |", "|---|---|---|---|---|"]
    for one, why in rows:
        first = one.first or (0, "", "")
        lines.append(f"| {one.name} | {one.packets:,} | {one.differ:,} | {first[0]:,} | {why} |")
    return "These recordings differ:\n\n" + "\n".join(lines) + "\n\n"


Senders = dict[str, SentComparison]


def lettered(names: Iterable[str]) -> tuple[dict[str, str], str]:
    """The causes of each recording as letters, and the list of these letters."""
    causes = {name: SAID[name][1].split("; ") if SAID[name][1] else [] for name in names}
    letters = dict(zip(dict.fromkeys(cause for of in causes.values() for cause in of), "abcdefgh", strict=False))
    short = {name: ", ".join(sorted(letters[cause] for cause in of)) or "-" for name, of in causes.items()}
    return short, "\n".join(f"- {letter}: {cause}." for cause, letter in letters.items())


def senders(found: Senders) -> str:
    """The senders' section."""
    short, causes = lettered(found)
    rows = [
        f"| {one.name} | {one.heard:,} | {one.windows:,} | {one.sent:,} | {one.segments:,} | {one.answers:,} "
        f"| {one.unanswered:,} | {short[name]} |"
        for name, one in found.items()
    ]
    same = sum(one.windows == 0 for one in found.values())

    def total(what: str) -> str:
        return f"{sum(getattr(one, what) for one in found.values()):,}"

    verdict = (
        f"No window differs in {same} of {len(found)} recordings. In all of them together, {total('windows')} of "
        f"{total('heard')} windows differ, {total('segments')} of {total('sent')} segments, and "
        f"{total('unanswered')} of {total('answers')} answers."
    )
    words = Template((HERE / "linux_senders.md").read_text())
    return words.substitute(
        verdict=verdict,
        rows="\n".join(rows),
        causes=causes,
        constants=linux_constants.table("senders"),
        drawn=drawn_senders.table(),
        drawn_runs=drawn_senders.RUNS,
        drawn_seeds=" and ".join(map(str, drawn_senders.SEEDS)),
    )


def windows(found: Senders) -> linux_exact.Counts:
    """By Sojourn's name of a law, and of all together: windows compared, and those that differ."""
    counts: dict[str, tuple[int, int]] = {}
    for name, one in found.items():
        for kind in (SENT[name].kind, linux_exact.SENDER):
            before = counts.get(kind, (0, 0))
            counts[kind] = (before[0] + one.heard, before[1] + one.windows)
    return counts


def decisions(found: dict[str, Comparison]) -> linux_exact.Counts:
    """By Sojourn's name of a queue: decisions compared, and those that differ. CAKE without flows is COBALT, too."""
    counts: dict[str, tuple[int, int]] = {}
    for name, one in found.items():
        queue = RECORDED[name][0]
        for kind in (QUEUES[queue].name, *(["cobalt"] if queue == linux_exact.FLOWBLIND else [])):
            before = counts.get(kind, (0, 0))
            counts[kind] = (before[0] + one.packets, before[1] + one.differ)
    return counts


def page() -> str:
    """The whole page. The package's rows are written with it."""
    found: dict[str, Comparison] = {}
    kernels: set[str] = set()
    rates: set[int] = set()
    arrivals: set[bytes] = set()
    for name, (queue, _) in RECORDED.items():
        recorded = fates.read(FOLDER / f"{name}.xz")
        kernels.add(str(recorded.about["kernel"]).split()[0])
        rates.add(int(str(recorded.about["rate"]).removesuffix("bit")))
        arrivals.add(b"".join(recorded.columns[column].tobytes() for column in ("flow", "size", "ecn")))
        found[name] = compare(name, recorded, QUEUES[queue])
    lines = []
    for queue in QUEUES:
        of = [one for name, one in found.items() if RECORDED[name][0] == queue]
        counts = [(one.packets, one.dropped[0], one.marked[0], one.differ) for one in of]
        packets, dropped, marked, differ = (sum(numbers) for numbers in zip(*counts, strict=True))
        lines.append(
            f"| {queue} | `{QUEUES[queue].tc}` | {len(of)} | {packets:,} | {dropped:,} | {marked:,} | {differ:,} |"
        )
    concerned = [one for one in found.values() if one.differ]
    where = f", all of them in {len(concerned)} of {len(found)} recordings" if concerned else ""
    sent = {name: compare_sender(name, segments.read(SENDERS / f"{name}.xz"), sender) for name, sender in SENT.items()}
    closed = closed_page.measured()
    everything = [row for of in closed.values() for row in of]
    rows = linux_exact.rows_of(decisions(found), windows(sent), everything)
    compared, differ, moments = (
        sum(getattr(one, what) for one in found.values()) for what in ("packets", "differ", "moments")
    )
    dropped, marked = (sum(getattr(one, what)[0] for one in found.values()) for what in ("dropped", "marked"))
    kept = {"compared": compared, "differ": differ, "dropped": dropped, "marked": marked, "sequences": len(arrivals)}
    every = closed_verdicts.score(everything)
    cells = dict(zip(CELLS, map(every.number, closed_verdicts.VERDICTS), strict=True))
    linux_exact.write({**rows, "decisions": kept, "closed": cells})
    text = Template((HERE / "linux_page.md").read_text()).substitute(
        scores=closed_page.scores(closed),
        exact_queues=linux_exact.table(rows["queues"]),
        exact_senders="\n".join([linux_exact.table(rows["senders"]), linux_exact.two_laws(everything)]),
        words_queues=linux_exact.words(rows["queues"]),
        words_senders=linux_exact.words(rows["senders"]),
        kernel=", ".join(sorted(kernels)),
        packets=f"{compared:,}",
        differ=f"{differ:,}",
        dropped=f"{dropped:,}",
        marked=f"{marked:,}",
        moments=f"{moments:,}",
        recordings=len(found),
        sequences=len(arrivals),
        rates=" and ".join(f"{rate / 1e6:g}" for rate in sorted(rates)),
        **{name: f"{number:,}" for name, number in cells.items()},
        from_dualpi2=f"{rows['queues']['dualpi2']['compared']:,}",
        heard=f"{sum(one.heard for one in sent.values()):,}",
        unlike=f"{sum(one.windows for one in sent.values()):,}",
        where=where,
        decisions="\n".join(lines),
        drawn=drawn_fates.table(),
        words=f"{len(words_here.answers()):,}",
        drawn_seeds=drawn_fates.seeds(),
        differences=differences(list(found.values())),
        constants=linux_constants.table("queues"),
        share_seeds=shares.SEEDS,
        hosts=host_shares.table(),
        tins=tin_shares.table(),
        policed=policed.table(),
        policed_runs=policed.RUNS,
        policed_seeds=policed.SEEDS,
    )
    parts = [text, senders(sent), closed_page.section(closed)]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def main() -> None:
    """The command."""
    PAGE.write_text(page())
    print(PAGE)


if __name__ == "__main__":
    main()
