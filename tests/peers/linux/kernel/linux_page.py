"""Writes docs/linux.md: the decisions of the kernel's queues beside Sojourn's, and the closed loop.

python tests/peers/linux/kernel/linux_page.py
"""

from __future__ import annotations

from pathlib import Path
from string import Template

import fates
import kernel_loop
import linux_laws
import segments
from recorded import DIFFER, QUEUES, RECORDED
from recorded_senders import DIFFER as SAID
from recorded_senders import RECORDED as SENT
from same_fates import FOLDER, Comparison, compare
from same_senders import FOLDER as SENDERS
from same_senders import compare as compare_sender

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[3] / "docs" / "linux.md"


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


def senders() -> str:
    """The senders' section."""
    found = {name: compare_sender(name, segments.read(SENDERS / f"{name}.xz"), sender) for name, sender in SENT.items()}
    rows = [
        f"| {one.name} | {one.heard:,} | {one.windows:,} | {one.sent:,} | {one.segments:,} | {one.answers:,} "
        f"| {one.unanswered:,} | {SAID[name][1]} |"
        for name, one in found.items()
    ]
    same = sum(one.windows == 0 for one in found.values())

    def total(what: str) -> str:
        return f"{sum(getattr(one, what) for one in found.values()):,}"

    verdict = (
        f"In {same} of {len(found)} recordings no window differs. In all recordings together, {total('windows')} of "
        f"{total('heard')} windows differ, {total('segments')} of {total('sent')} segments, and "
        f"{total('unanswered')} of {total('answers')} acknowledgements."
    )
    words = Template((HERE / "linux_senders.md").read_text())
    return words.substitute(verdict=verdict, rows="\n".join(rows))


def page() -> str:
    """The whole page."""
    found, kernels = {}, set()
    for name, (queue, _) in RECORDED.items():
        recorded = fates.read(FOLDER / f"{name}.xz")
        kernels.add(str(recorded.about["kernel"]).split()[0])
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
    text = Template((HERE / "linux_page.md").read_text()).substitute(
        kernel=", ".join(sorted(kernels)),
        packets=f"{sum(one.packets for one in found.values()):,}",
        differ=f"{sum(one.differ for one in found.values()):,}",
        where=where,
        decisions="\n".join(lines),
        differences=differences(list(found.values())),
    )
    text += senders()
    text = text.rstrip("\n") + "\n" + linux_laws.section()
    rows, scores = kernel_loop.table(kernel_loop.read())
    if len(rows) > 2:
        told = [f"In the {half} half, {score}" for half, score in scores.items()]
        closed = Template((HERE / "linux_closed.md").read_text())
        text += closed.substitute(scores=". ".join(told) + ".", rows="\n".join(rows))
    return text.rstrip("\n") + "\n"


def main() -> None:
    """The command."""
    PAGE.write_text(page())
    print(PAGE)


if __name__ == "__main__":
    main()
