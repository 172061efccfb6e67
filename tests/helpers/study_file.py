"""A small study file, and its findings."""

from sojourn._rooms.works.exhibits import Later
from sojourn._rooms.works.studies import experiment
from sojourn.papers import from_file

STUDY = """
name = "losses"
doc = "RED and drop tail"
scenario = "small.toml"
seeds = { quick = 3, full = 3, most = 12 }
axes.flows = { key = "flow[0].count", values = [2, 4] }
axes.queue.RED = { "dumbbell.queue" = { kind = "red", limit = "20p" } }
axes.queue.DT = { "dumbbell.queue" = { kind = "fifo", limit = "20p" } }
metrics.wait = { column = "sojourn_mean_ms", row = "forward", unit = "ms" }
reading = [
  { name = "steep", axes.queue.RED = { "dumbbell.queue" = { kind = "red", limit = "20p", max_p = 0.9 } } },
  { name = "never seen", settings = { "dumbbell.queue.limit" = "20p" } },
]

[[claim]]
kind = "order"
for = { q = ["DT"] }
text = "RED waits less than {q}"
metric = "wait"
less = { queue = "RED" }
than = { queue = "{q}" }

[[claim]]
kind = "table"
text = "DT waits as long"
metric = "wait"
at = { queue = "DT" }
printed = "wait.DT"
share = 0.5
"""


def findings(file, context):
    """The findings of an experiment, with those that are made when all have run."""
    made = experiment(from_file(file)).check(context)
    return [one for found in made for one in (found.make() if isinstance(found, Later) else [found])]
