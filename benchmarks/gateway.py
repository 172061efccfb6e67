"""The load that the gateway carries on one processor, and the delay that it adds to packets.

    .venv/bin/python benchmarks/gateway.py                          # as root, on Linux: about three minutes
    .venv/bin/python benchmarks/gateway.py --write docs/gateway.md  # as the table of that page

Two hosts and the gateway are namespaces of one machine. The gateway has the second processor, all else the first.
iperf3 sends packets of 1500 bytes from one host, as UDP or as TCP. At the same time, 1000 small packets a second are
sent from one host to the other; the kernel says when each arrives. What they take more than over a direct cable (a
veth), without load, is the added time: the gateway's, and one packet of the load that may be in transmission.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "tests" / "gateway"))

from namespaces import WAN, Net, missing, network  # noqa: E402

_MARKS = ("<!-- measured, made by `benchmarks/gateway.py --write docs/gateway.md` -->", "<!-- end of measured -->")
_HEAD = (
    "| queue | rate | load | left (Gbit/s) | packets/s | kept by the kernel | late p50, p99, max (us) "
    "| added p50, p99 (us) |"
)
_SECONDS = 6
_RUNS = 3
# The load and the probes have a processor, as far as other programs of the machine let them.
_FIRST = ("nice", "-n", "-15", "taskset", "-c", "0")
PROBE = """
import socket, struct, sys, time
here = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
if sys.argv[1] == "take":
    # SO_TIMESTAMPNS: the kernel's time of arrival.
    here.setsockopt(socket.SOL_SOCKET, 35, 1)
    here.bind(("", 7777))
    print("ready", flush=True)
    taken = []
    here.settimeout(3)
    try:
        while True:
            what, more, _, _ = here.recvmsg(100, 100)
            seconds, nanos = struct.unpack("qq", more[0][2])
            taken.append(seconds * 10**9 + nanos - struct.unpack("q", what)[0])
    except TimeoutError:
        print(taken)
else:
    due = time.monotonic()
    for number in range(int(sys.argv[2])):
        due += 0.001
        time.sleep(max(due - time.monotonic(), 0))
        here.sendto(struct.pack("q", time.clock_gettime_ns(time.CLOCK_REALTIME)), (sys.argv[1], 7777))
"""


@dataclass(frozen=True)
class Case:
    """The measurement of one row."""

    queue: str
    rate: str
    load: str
    words: tuple[str, ...]


CASES = (
    Case("fq_codel", "1Gbit", "none", ()),
    Case("fq_codel", "1Gbit", "UDP, 0.97 Gbit/s", ("-u", "-b", "970M", "-l", "1472", "--pacing-timer", "100")),
    Case("cake", "1Gbit", "UDP, 0.97 Gbit/s", ("-u", "-b", "970M", "-l", "1472", "--pacing-timer", "100")),
    Case("fq_codel", "1Gbit", "TCP", ()),
    Case("fq_codel", "10Gbit", "TCP, as much as it takes", ()),
)


def main() -> None:
    """Measure, and print or write the table."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--write", type=Path, metavar="PAGE", help="write the table into this page")
    wanted = options.parse_args()
    if lacking := missing():
        raise SystemExit(lacking)
    with network(direct=True) as net:
        base = probed(net)
    print(f"over a cable: {_quantiles(base)} us", file=sys.stderr)
    rows = [row(case, base) for case in CASES]
    table = "\n".join([_HEAD, "|" + "---|" * 8, *rows])
    text = f"{table}\n\n{_machine()}"
    if wanted.write is None:
        print(text)
        return
    page = wanted.write.read_text(encoding="utf-8")
    before, _, rest = page.partition(_MARKS[0])
    _, marked, after = rest.partition(_MARKS[1])
    if not marked:
        raise SystemExit(f"{wanted.write} has no marks for the table")
    wanted.write.write_text(f"{before}{_MARKS[0]}\n{text}\n{_MARKS[1]}{after}", encoding="utf-8")


def row(case: Case, base: list[int]) -> str:
    """A row of the table: of each number the median over the runs."""
    runs = [measured(case, base) for _ in range(_RUNS)]
    gigabits, packets, kept, *times = (statistics.median(values) for values in zip(*runs, strict=True))
    cells = [case.queue, case.rate, case.load]
    cells += ["-", "-"] if case.load == "none" else [f"{gigabits:.2f}", f"{packets:,.0f}"]
    cells += [f"{kept:.0f}", *(", ".join(f"{value:.0f}" for value in part) for part in (times[:3], times[3:]))]
    found = f"| {' | '.join(cells)} |"
    print(found, file=sys.stderr)
    return found


def measured(case: Case, base: list[int]) -> list[float]:
    """Of one run: Gbit/s, packets/s, what the kernel kept, three times of lateness and two that are added, in us."""
    with network() as net:
        command = ["-m", "sojourn", "gateway", "lan0", "wan0", "--rate", case.rate, "--queue", case.queue]
        gateway = net.start("gateway", sys.executable, *command, "--cpu", "1", "--json", "--no-page")
        try:
            for line in iter(gateway.stderr.readline, ""):
                if "runs" in line:
                    break
            server = net.start("wan", *_FIRST, "iperf3", "-s")
            time.sleep(0.5)
            load = None
            if case.load != "none":
                load = net.start("lan", *_FIRST, "iperf3", "-c", WAN, "-t", str(_SECONDS), *case.words)
            time.sleep(0.5)
            taken = probed(net)
            if load is not None:
                load.communicate()
            server.kill()
            server.communicate()
            gateway.terminate()
            report = json.loads(gateway.communicate()[0])
        finally:
            gateway.kill()
            gateway.communicate()
    up = report["up"]
    late = [1e3 * value for value in up["late_ms"]]
    added = [1e-3 * (here - there) for here, there in zip(_marks(taken), _marks(base), strict=True)]
    return [8e-9 * up["sent_bytes"] / _SECONDS, up["sent_packets"] / _SECONDS, up["missed"], *late, *added]


def probed(net: Net) -> list[int]:
    """Nanoseconds that probes take from one host to the other."""
    taker = net.start("wan", *_FIRST, sys.executable, "-c", PROBE, "take")
    assert taker.stdout is not None
    taker.stdout.readline()
    count = str(1000 * (_SECONDS - 2))
    net.run("lan", *_FIRST, sys.executable, "-c", PROBE, WAN, count)
    found: list[int] = json.loads(taker.communicate()[0])
    return found


def _marks(taken: list[int]) -> tuple[float, float]:
    cuts = statistics.quantiles(taken, n=100, method="inclusive")
    return cuts[49], cuts[98]


def _quantiles(taken: list[int]) -> str:
    return ", ".join(f"{1e-3 * value:.0f}" for value in _marks(taken))


def _machine() -> str:
    info = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = next((line.partition(":")[2].strip() for line in info.splitlines() if line.startswith("model name")), "?")
    busy = os.getloadavg()[0]
    return (
        f"Each number is the median of {_RUNS} runs, on {model} with {os.cpu_count()} processors and Linux "
        f"{os.uname().release.split('-')[0]}. The load average at the end was {busy:.0f}."
    )


if __name__ == "__main__":
    main()
