"""CAKE's counters at the end of a recording, beside those of the kernel's by `tc -s qdisc show`."""

import re

import fates
import pytest
from recorded_edges import QUEUES, RECORDED
from same_fates import FOLDER, ours

import sojourn

# As tc names a line, and as a probe is called.
COUNTED = {
    "pkts": "packets",
    "bytes": "bytes",
    "drops": "drops",
    "marks": "marks",
    "ack_drop": "ack_drops",
    "way_inds": "way_hits",
    "way_miss": "way_misses",
    "way_cols": "way_collisions",
    "sp_flows": "sparse_flows",
    "bk_flows": "bulk_flows",
    "un_flows": "unresponsive_flows",
}
DELAYS = {"pk_delay": "delay_peak_ms", "av_delay": "delay_mean_ms", "sp_delay": "delay_base_ms"}
MILLIS = {"us": 1e-3, "ms": 1.0, "s": 1e3}
# Tins in tc's order.
TINS = {
    "besteffort": ["tin0"],
    "diffserv3": ["bulk", "best_effort", "voice"],
    "diffserv4": ["bulk", "best_effort", "video", "voice"],
    "diffserv8": [f"tin{tin}" for tin in range(8)],
    "precedence": [f"tin{tin}" for tin in range(8)],
}
# In one packets still leave while tc is asked, and those of one queue for all flows are older than this test.
DATAGRAMS = [
    name
    for name, (queue, job) in RECORDED.items()
    if queue.startswith("cake_") and not job.flows and "flowblind" not in name and name != "cake_unlimited-classes-4"
]


def after(shown: str, line: str, tins: int) -> list[str]:
    """The values behind the name of a line, for each tin."""
    words = shown.split("network hdr offset")[1].split()
    return words[words.index(line) + 1 :][:tins]


def millis(text: str) -> float:
    """A time as tc prints it."""
    number, unit = re.fullmatch(r"([0-9.]+)([a-z]+)", text).groups()
    return float(number) * MILLIS[unit]


@pytest.mark.parametrize("name", DATAGRAMS)
def test_counters_are_those_of_tc(name):
    queue = QUEUES[RECORDED[name][0]]
    recorded = fates.read(FOLDER / f"{name}.xz")
    shown = str(recorded.about["shown"])
    tins = TINS[dict(queue.settings).get("tins", "diffserv3")]

    probes = ours(recorded, queue)["probes"]

    for line, probe in COUNTED.items():
        theirs = [int(number) for number in after(shown, line, len(tins))]
        assert [int(probes[f"{tin}_{probe}"]) for tin in tins] == theirs, line
    for line, probe in DELAYS.items():
        # tc prints three digits.
        theirs = [millis(text) for text in after(shown, line, len(tins))]
        assert [probes[f"{tin}_{probe}"] for tin in tins] == pytest.approx(theirs, rel=0.006, abs=0.001), line
    if not dict(queue.settings).get("autorate_ingress"):
        capacity = re.search(r"capacity estimate: (\d+)([MK]?)bit", shown)
        assert probes["capacity_bps"] == int(capacity[1]) * {"M": 1e6, "K": 1e3, "": 1.0}[capacity[2]]
    # Above 1 MiB tc rounds.
    used = re.search(r"memory used: (\d+)b", shown)
    assert used is None or int(used[1]) == int(probes["memory_used_bytes"])


@pytest.mark.parametrize("words", ["", "overhead 40 mpu 96 atm", "pppoe-ptm", "docsis"])
def test_a_line_of_tc_counts_as_many_bytes_of_a_packet_as_the_kernel(words):
    # The kernel's largest packets are 1500 bytes of IP, and 1514 with the header of Ethernet.
    recordings = {"": "default", "overhead 40 mpu 96 atm": "atm", "pppoe-ptm": "ptm", "docsis": "ingress"}
    shown = str(fates.read(FOLDER / f"cake_{recordings[words]}-hosts-30.xz").about["shown"])
    network, adjusted = (
        int(re.search(rf"{size} size: \d+ / (\d+)", shown)[1]) for size in ("network layer", "overhead-adjusted")
    )
    assert network == (1500 if words else 1514)
    line = f"cake bandwidth 10mbit besteffort {words}".strip()
    scenario = (
        'duration = "20s"\nwarmup = "10s"\n[dumbbell]\nrate = "1Gbit"\ndelay = "1ms"\nqueue = "fifo"\n'
        '[[flow]]\ntransport = { kind = "udp" }\napp = { kind = "cbr", rate = "20Mbit", packet = "1500B" }\n'
    )
    result = sojourn.run(sojourn.Scenario.from_toml(scenario).with_queue(line), seed=1)
    assert result.queue["throughput_bps"][0] == pytest.approx(10e6 * 1500 / adjusted, rel=1e-3)
