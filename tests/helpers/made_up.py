"""A work with made-up results, for claims about them."""

from sojourn._rooms.works.design import Design, Metric, Seeds
from sojourn.papers import Results

NOISE = (0.0, 0.002, -0.002, 0.001)
FLOWS = ("10", "20", "40")
DESIGN = Design(
    scenario="small.toml",
    axes={
        "queue": {kind: {"dumbbell.queue": {"kind": kind}} for kind in ("red", "fifo")},
        "flows": {count: {"flow[0].count": int(count)} for count in FLOWS},
    },
    metrics={"loss": Metric(column="loss_ratio", row="forward", unit="%")},
    seeds=Seeds(quick=2, full=4),
)


class MadeUp(Results):
    """A loss for each queue and number of flows, with a little noise, or `spread` times of it; `times` four runs."""

    def __init__(self, loss, looks=1, spread=1.0, times=1):
        self.design, self.looks, self.used = DESIGN, looks, set()
        self.loss, self.noise = loss, [spread * part for part in NOISE] * times

    def sample(self, metric, point):  # noqa: ARG002
        self.used.add(", ".join(point.values()))
        shift = 0.0 if point["queue"] == "red" else 0.0003
        return [self.loss(point["queue"], int(point["flows"])) * (1 + part) + shift * part for part in self.noise]

    def beside(self, other):  # noqa: ARG002
        return self
