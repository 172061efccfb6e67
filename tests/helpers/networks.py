"""Texts of small scenarios."""

DUMBBELL = """
title = "Small dumbbell"
duration = "2s"
warmup = "0.5s"

[dumbbell]
rate = "5Mbit"
delay = "10ms"
queue = { kind = "fifo", limit = "20p" }

[[flow]]
name = "bulk"
count = 3
start = { spread = "0.2s" }
"""

GRAPH = """
duration = "1s"
node = [{ name = "a" }, { name = "b" }, { name = "c" }]

[[link]]
from = "a"
to = "b"
rate = "10Mbit"
delay = "1ms"

[[link]]
from = "b"
to = "c"
rate = "1Mbit"
delay = "10ms"
queue = { kind = "fifo", limit = "17p" }

[[flow]]
from = "a"
to = "c"
"""

ONE_FLOW = """
duration = "1s"
[dumbbell]
rate = "2Mbit"
delay = "5ms"
queue = { kind = "red", limit = "50p" }
[[flow]]
"""
