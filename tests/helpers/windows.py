"""A work about windows: its printed numbers are those of 20 packets, and its experiment takes 10."""

from __future__ import annotations

from pathlib import Path

# One flow whose window fills less than the pipe: a window of W packets of 1000 B in each round trip of 100 ms and the
# transmission of a packet on each of three links. The works' numbers are those of this formula, not of a run.
_RTT_S = 0.100 + 2 * (1000 * 8 / 10e6 + 40 * 8 / 10e6 + 2 * (1000 * 8 / 1e9 + 40 * 8 / 1e9)) / 2


_SCENARIO = """
duration = "20s"
warmup = "5s"
[dumbbell]
rate = "10Mbit"
delay = "48ms"
access = { rate = "1Gbit", delay = "1ms" }
queue = { kind = "fifo", limit = "100p" }
[[flow]]
start = { spread = "1s" }
transport = { kind = "tcp", profile = "ns2", packet = "1000B", window = "10p" }
"""

_STUDY = """
name = "E1"
doc = "throughput of a window"
scenario = "s.toml"
seeds = { quick = 2, full = 2 }
axes.window.a = { "flow[0].start.at" = "0s" }
axes.window.b = { "flow[0].start.at" = "0.5s" }
metrics.rate = { column = "throughput_bps", row = "forward", unit = "kbit/s" }

[[claim]]
kind = "table"
text = "Throughput is as printed"
source = "table 1"
metric = "rate"
at = { window = "a" }
printed = "rate.a"
share = 0.01

[[claim]]
kind = "table"
text = "Throughput of another is as printed"
source = "table 2"
metric = "rate"
at = { window = "b" }
printed = "rate.b"
share = 0.01
"""

_ABOUT = """
[[unstated]]
what = "the window"
taken = "10 packets"
why = "a guess"
name = "window"

[[unstated.choice]]
name = "10 packets"
origin = "ours"
why = "a guess"
taken = true
settings = { "flow[0].transport.window" = "10p" }

[[unstated.choice]]
name = "20 packets"
origin = "simulator"
why = "its default"
settings = { "flow[0].transport.window" = "20p" }

[[unstated]]
what = "the buffer"
taken = "100 packets"
why = "a guess"
name = "buffer"

[[unstated.choice]]
name = "100 packets"
origin = "ours"
why = "a guess"
taken = true
queues = { fifo = { limit = "100p" } }

[[unstated.choice]]
name = "50 packets"
origin = "simulator"
why = "its default"
queues = { "fifo, red" = { limit = "50p" } }
"""


def write(folder: Path) -> str:
    """Write the work, and give its key."""
    for name in ("scenarios", "experiments"):
        (folder / name).mkdir(parents=True)
    (folder / "scenarios/s.toml").write_text(_SCENARIO)
    (folder / "experiments/E1.toml").write_text(_STUDY)
    (folder / "work.toml").write_text(f'title = "Windows"\ncitation = "nobody"\n{_ABOUT}')
    printed = f"{20 * 1000 * 8 / _RTT_S:.0f}"
    (folder / "expected.toml").write_text(f'["E1".rate]\na = [{printed}.0]\nb = [{printed}.0]\n')
    return folder.name
