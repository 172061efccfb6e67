"""The kernel's TCP through the gateway, beside the same scenario simulated.

Two senders of the kernel's CUBIC or Reno upload over 20 Mbit/s and 20 ms each way, through several queues. What the
gateway counts is compared with a run of the same link, queue and senders. All cases run at the same time, each in
namespaces of its own: real seconds are waited for once. So that their gateways do not take processors from each other
and from the hosts, they sleep between packets (`--spare`); those of test_live.py do not.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import sojourn
from sojourn._rooms._base.toml import inline
from sojourn._rooms.scenario.scenario import parse_queue

from .namespaces import WAN, missing, network

lacking = missing()
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(lacking), reason=lacking)]

SECONDS = 20
RATE, DELAY = 20, 20
# A queue, a control, and whether the hosts use ECN.
CASES = {
    "fifo": ("fifo:limit=100p", "cubic", False),
    "fifo, reno": ("fifo:limit=100p", "reno", False),
    "codel": ("codel", "cubic", False),
    "fq_codel": ("fq_codel", "cubic", False),
    "codel, marks": ("codel:ecn=true", "cubic", True),
}
SCENARIO = """
duration = "{seconds}s"
warmup = "0s"
[dumbbell]
rate = "{rate}Mbit"
delay = "{delay}ms"
mean_packet = "1500B"
base_rtt = "100ms"
queue = {queue}
reverse_queue = {{ kind = "fifo", limit = "100000p" }}
# As good as none: a veth takes what the kernel sends at once.
access = {{ rate = "100Gbit" }}
[[flow]]
count = 2
start = {{ at = "0s", spread = "0.01s" }}
[flow.transport]
kind = "tcp"
profile = "linux"
packet = "1500B"
header = "52B"
ack_size = "52B"
control = {{ kind = "{control}"{preset} }}
ecn = {ecn}
"""


@pytest.fixture(scope="module")
def gateways() -> dict[str, dict[str, float]]:
    """The counts of the gateway in each case."""
    with ThreadPoolExecutor(len(CASES)) as pool:
        running = {name: pool.submit(measured, *case) for name, case in CASES.items()}
    return {name: done.result() for name, done in running.items()}


@pytest.mark.parametrize("case", CASES)
def test_tcp_of_the_kernel_gets_what_the_simulation_says(gateways: dict[str, dict[str, float]], case: str):
    queue, control, ecn = CASES[case]
    live = gateways[case]
    runs = [simulated(queue, control, ecn, seed) for seed in (1, 2, 3)]
    ours = {name: statistics.fmean(run[name] for run in runs) for name in live}

    # Packets on their way when the senders stop still leave: up to 0.1 s of 20.
    assert live["rate"] == pytest.approx(ours["rate"], rel=0.05)
    # The kernel hands over several segments at once, where a simulated sender sends two for each acknowledgement: a few
    # packets of 0.6 ms more wait. (Without offload at the hosts a third of codel's difference goes.)
    assert live["wait"] == pytest.approx(ours["wait"], rel=0.1, abs=2.5)
    # CUBIC fills the buffer about ten times in 20 s, and the number of packets that are lost each time depends on where
    # bursts begin: the simulated runs differ by this much among themselves.
    for event in ("drops", "marks"):
        assert ours[event] / 2 - 10 <= live[event] <= 2 * ours[event] + 10, (live, ours)


def measured(queue: str, control: str, ecn: bool) -> dict[str, float]:
    """In the direction up: rate while they send, mean time in the queue, drops, marks."""
    with network() as net:
        for role in ("lan", "wan"):
            net.run(role, "sysctl", "-qw", f"net.ipv4.tcp_ecn={int(ecn)}", "net.ipv4.tcp_no_metrics_save=1")
        command = [sys.executable, "-m", "sojourn", "gateway", "lan0", "wan0", "--rate", str(RATE), "--queue", queue]
        command += ["--reverse-queue", "fifo:limit=100000p", "--delay", f"{DELAY}ms", "--spare", "--no-page", "--json"]
        gateway = net.start("gateway", *command)
        # Other programs of the machine hardly hold the hosts up.
        server = net.start("wan", "nice", "-n", "-20", "iperf3", "-s", "-1")
        assert "runs" in "".join(gateway.stderr.readline() for _ in range(2))
        time.sleep(0.3)
        net.run("lan", "nice", "-n", "-20", "iperf3", "-c", WAN, "-t", str(SECONDS), "-P", "2", "-C", control)
        gateway.terminate()
        said, _ = gateway.communicate(timeout=20)
        server.kill()
        server.communicate()
    up = json.loads(said)["up"]
    return {
        "rate": 8e-6 * up["sent_bytes"] / SECONDS,
        "wait": up["waited_mean_ms"],
        "drops": sum(up["drops"].values()),
        "marks": sum(up["marks"].values()),
    }


def simulated(queue: str, control: str, ecn: bool, seed: int) -> dict[str, float]:
    """The same of a run."""
    text = SCENARIO.format(
        seconds=SECONDS,
        rate=RATE,
        delay=DELAY,
        queue=inline(parse_queue(queue)),
        control=control,
        preset=', preset = "linux"' if control == "cubic" else "",
        ecn=str(ecn).lower(),
    )
    row = sojourn.run(sojourn.Scenario.from_toml(text), seed=seed).queue.row(0, named=True)
    return {
        "rate": row["throughput_bps"] / 1e6,
        "wait": row["sojourn_mean_ms"],
        "drops": row["drops_packets"],
        "marks": row["marks_packets"],
    }
