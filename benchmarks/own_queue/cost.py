"""The cost of a call of a hook in Python: `.venv/bin/python benchmarks/own_queue/cost.py [--write]`.

The least of several measurements of the processor's time. Packets go through a queue ten at a time, with nothing else
around; what a FIFO takes for the same is subtracted, and the rest is divided by the calls. A whole run says what that
means for a study. `--write` puts the table between the marks of docs/own-queue.md.
"""

import sys
import time
from pathlib import Path

import sojourn
from sojourn._rooms.own._check import call_us
from sojourn.own import DROP, Policy, Size, load

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/own-queue.md"
MARKS = ("<!-- costs, made by benchmarks/own_queue/cost.py -->", "<!-- end of the costs -->")
PACKETS = 200_000
RUNS = 5


class Empty(Policy):
    """Does nothing on arrival."""

    def on_arrival(self, now_ns, packet, queue, rng):
        pass


class Watchful(Policy):
    """Does nothing in every hook of a packet's way."""

    def on_arrival(self, now_ns, packet, queue, rng):
        pass

    def on_enqueued(self, now_ns, packet, queue):
        pass

    def on_departure(self, now_ns, packet, queue, rng):
        pass

    def on_transmission(self, now_ns, packet, packets, size_bytes):
        pass


class Drawing(Policy):
    """Compares, draws and sometimes drops."""

    threshold = Size("2p", "Packets above which it drops.", least=0)

    def on_arrival(self, now_ns, packet, queue, rng):
        return DROP if queue.packets > self.threshold and rng.uniform() < 0.01 else None


def run_s(queue):
    """Seconds of a run of 20 flows on 10 Mbit/s for 100 s, and packets that came to the queue."""
    flows = [sojourn.Flow(count=20, start=sojourn.Start(spread="1s"))]
    link = sojourn.Dumbbell(rate="10Mbit", delay="20ms", queue=queue, reverse_queue="fifo")
    scenario = sojourn.Scenario(duration="100s", dumbbell=link, flows=flows)
    taken = []
    for _ in range(RUNS):
        started = time.process_time()
        result = sojourn.run(scenario)
        taken.append(time.process_time() - started)
    return min(taken), result.queue.filter(result.queue["link"] == "forward")["arrivals_packets"][0]


def main():
    load(ROOT / "examples/my_codel.py")
    rows = ["| queue | work of its hooks | a call of a hook |", "|---|---|---:|"]
    shown = (
        ("empty", "nothing, on arrival"),
        ("watchful", "nothing, four for each packet"),
        ("drawing", "compare, draw, drop"),
        ("my_codel", "CoDel, at the head"),
    )
    for name, words in shown:
        rows.append(f"| `{name}` | {words} | {min(call_us(name, PACKETS) for _ in range(RUNS)):.2f} us |")
    ours, packets = run_s("codel")
    theirs, _ = run_s("my_codel")
    text = "\n".join(
        [
            f"Measured on Python {sys.version_info.major}.{sys.version_info.minor}:",
            "",
            *rows,
            "",
            f"A run of 20 flows on 10 Mbit/s for 100 s ({packets} packets) takes {ours:.2f} s with `codel` "
            f"and {theirs:.2f} s with `my_codel`.",
        ]
    )
    print(text)
    if "--write" in sys.argv:
        page = PAGE.read_text()
        head, rest = page.split(MARKS[0])
        PAGE.write_text(f"{head}{MARKS[0]}\n\n{text}\n\n{MARKS[1]}{rest.split(MARKS[1])[1]}")


if __name__ == "__main__":
    main()
