"""Small scenarios to sweep over, and the command on them."""

from typer.testing import CliRunner

from sojourn._rooms.cli import app

SCENARIO = """
duration = "4s"
warmup = "1s"

[dumbbell]
rate = "2Mbit"
delay = "10ms"
queue = { kind = "red", limit = "50p" }

[[flow]]
name = "bulk"
count = 3
start = { spread = "0.5s" }
"""


READINGS = """
scenario = "small.toml"
seeds = 2

[axes]
limit = { key = "dumbbell.queue.limit", values = "10p..30p/20p" }

[axes.load]
few = { "flow[*].count" = 2 }
many = { "flow[0].count" = 4, "dumbbell.delay" = "5ms" }

[[reading]]
name = "delayed"
settings = { "flow[*].start.spread" = "0.9s" }

[[reading]]
name = "as it is anyway"
settings = { "dumbbell.rate" = "2Mbit" }

[metrics]
short = { column = "backlog_mean_packets", row = "forward", unit = "packets" }
share = { column = "goodput_mean_bps", table = "group", row = "bulk", fair = "forward" }
"""


SUSPECT = """
duration = "1s"

[dumbbell]
rate = "2Mbit"
delay = "10ms"
queue = { kind = "fifo", limit = "50p" }

[[flow]]
name = "bulk"
count = 3
"""


def invoke(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])
