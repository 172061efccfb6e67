"""Sojourn's queues called linux decide as the kernel's did, in recordings of a real Linux 6.12 (README.md)."""

import re
from pathlib import Path

import fates
import linux_counts
import pytest
from recorded import DIFFER, Queue
from recorded_edges import QUEUES, RECORDED
from same_fates import FOLDER, compare, ours

# Eight schedulers and tbf came to what was below 10 MB.
MOST = 10_800_000


@pytest.mark.parametrize("name", RECORDED)
def test_every_packet_has_the_kernels_fate_except_for_what_is_named(name):
    queue, _ = RECORDED[name]
    most, why = DIFFER.get(name, (0, "nothing is known to differ"))

    found = compare(name, fates.read(FOLDER / f"{name}.xz"), QUEUES[queue])

    assert max(found.differ, found.moments) <= most, f"{found}\n{why}"
    # The page and the package have these counts.
    assert linux_counts.read()["queues"][name] == linux_counts.of_fates(name, found)
    # What does not differ any more is not named any more.
    assert found.differ > 0 or name not in DIFFER


@pytest.mark.parametrize(
    "name", [name for name in RECORDED if name.startswith("cake_flowblind") and "flood-6" not in name]
)
def test_cobalt_is_cake_with_one_queue_for_all_flows(name):
    # The recording that is left out is short of memory: CAKE loses the head of its queue, cobalt the packet that comes.
    tc = QUEUES["cake_flowblind"].tc
    alone = Queue(tc, "cobalt", settings=(("limit", "100000p"),), shapes_itself=True)

    found = compare(name, fates.read(FOLDER / f"{name}.xz"), alone)

    assert found.differ == 0, str(found)


def test_recordings_say_what_they_are_and_are_small():
    files = sorted(FOLDER.glob("*.xz"))
    assert {path.stem for path in files} == set(RECORDED)
    assert sum(path.stat().st_size for path in files) < MOST
    for path in files:
        about = fates.read(path).about
        queue, _ = RECORDED[path.stem]
        assert str(about["kernel"]).startswith("6.12.")
        assert about["tc"] == QUEUES[queue].tc
        assert about["config"]


def test_a_file_of_fates_reads_back_what_was_written(tmp_path):
    path = Path(tmp_path) / "copy.xz"
    recorded = fates.read(FOLDER / "codel-cubic-4.xz")

    fates.write(path, recorded)

    again = fates.read(path)
    assert again.about == recorded.about
    assert all((again.columns[name] == column).all() for name, column in recorded.columns.items())


def test_a_silence_of_an_hour_and_a_packet_above_65535_bytes_fit(tmp_path):
    path = Path(tmp_path) / "slow.xz"
    recorded = fates.read(FOLDER / "codel-cubic-4.xz")
    columns = {**recorded.columns, **{name: recorded.columns[name].copy() for name in ("after", "size")}}
    columns["after"][100], columns["size"][7] = 3_600_000_000_000, 131_072

    fates.write(path, fates.Fates(recorded.about, columns))

    again = fates.read(path)
    assert (again.columns["after"][100], again.columns["size"][7]) == (3_600_000_000_000, 131_072)
    assert again.about == recorded.about


def test_a_changed_law_is_noticed():
    # With real square roots three of four drops are others (the oracle's first table says 139 of 623 the same).
    queue = QUEUES["codel"]
    settings = (*queue.settings, ("arithmetic", "real"))
    changed = type(queue)(queue.tc, queue.name, queue.preset, settings)

    found = compare("codel", fates.read(FOLDER / "codel-cubic-4.xz"), changed)

    assert found.differ > 100


# Probes that are shown otherwise: SFB's two limits are one counter, and its greatest probability is that of the set in
# use.
SHOWN_OTHERWISE = {
    # Linux counts a mark of a packet that has one already.
    "sch_dualpi2": {"ecn_mark", "step_mark"},
    # Linux counts late packets without ECN, too.
    "sch_fq": {"ce_mark"},
    "sch_sfb": {"penaltydrop_or_bucketdrop", "maxprob", "maxqlen"},
    "fq_pie": {"delay_s", "prob"},
}
# A digit more than tc prints.
PRINTED = 1e-5


@pytest.mark.parametrize("name", [name for name in RECORDED if not name.startswith(("cake", "pfifo"))])
def test_counters_are_those_of_tc(name):
    queue, _ = RECORDED[name]
    recorded = fates.read(FOLDER / f"{name}.xz")
    found = ours(recorded, QUEUES[queue])["counters"]

    text = tc_text(str(recorded.about["shown"]), "htb 1:" if QUEUES[queue].name == "htb" else " 10: ")

    head = r"Sent (\d+) bytes (\d+) pkt \(dropped (\d+), overlimits (\d+) requeues (\d+)\)"
    theirs = dict(zip(HEAD, map(int, re.search(head, text).groups()), strict=True))
    own = {counter for counter in found if re.search(rf"\b{counter} [0-9.]+\b", text)}
    theirs |= {counter: float(re.search(rf"\b{counter} ([0-9.]+)", text)[1]) for counter in own - set(HEAD)}
    # One counter here: the marks of CoDel's law and those of `ce_threshold`.
    if "ecn_mark" in own and (ce := re.search(r"ce_mark (\d+)", text)):
        theirs["ecn_mark"] += float(ce[1])
    differ = {
        counter: (value, found[counter])
        for counter, value in theirs.items()
        if counter not in SHOWN_OTHERWISE.get(QUEUES[queue].name, ()) and abs(found[counter] - value) > PRINTED * value
    }
    assert not differ, text
    assert QUEUES[queue].name in WITHOUT_COUNTERS or len(own - set(HEAD)) >= 3, own


# They show the counters of any queue, and at most one more.
WITHOUT_COUNTERS = ("sfq", "htb", *(f"sch_{name}" for name in ("prio", "ets", "drr", "qfq", "hfsc", "skbprio", "tbf")))
HEAD = ("sent_bytes", "sent_packets", "dropped", "overlimits", "requeues")


def tc_text(shown: str, which: str) -> str:
    """The part of `tc -s -d qdisc` that is about one queue."""
    return next(part for part in shown.split("qdisc ") if which in part[:20])
