"""What the report leaves open: each reading is what it changes against the base runs, and whom that touches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

THETAS = (1, 2, 3, 4, 5)
PRINTED_THETAS = (1, 2, 3)
"""Those of tables 6.2 to 6.4; other readings than the base's have these."""

HYBRID = "hybrid_red"
ALL = frozenset({"red", "ared", "lpf_oda", HYBRID})


@dataclass(frozen=True)
class Reading:
    """One way to read the report.

    Attributes
    ----------
    key, name
        For the study's directory, and as people say it; the base has no name.
    queues
        Settings laid over those of the base, by kind of queue.
    touches
        Kinds of queues whose runs differ.
    transport, file
        Settings of all senders; another scenario file.
    thetas, xis_matter
        Rows of the sweep; whether the columns differ at all.
    over
        Where runs come from that this reading does not touch; the base's if it is None.
    """

    key: str
    name: str
    queues: Mapping[str, Mapping[str, object]] = field(default_factory=dict, hash=False)
    touches: frozenset[str] = ALL
    transport: Mapping[str, object] = field(default_factory=dict, hash=False)
    file: str = ""
    thetas: Sequence[int] = PRINTED_THETAS
    xis_matter: bool = True
    over: Reading | None = None


BASE = Reading("queues", "", thetas=THETAS)


def _queue(key: str, name: str, over: Reading | None = None, /, **settings: Mapping[str, object]) -> Reading:
    file = over.file if over else ""
    return Reading(key, name, settings, frozenset(settings), file=file, over=over)


EVERY = _queue("every", "Hybrid RED cuts at every short arrival", hybrid_red={"cut_once": False})
RESTARTED = _queue(
    "restarted",
    "Hybrid RED cuts every theta short arrivals",
    hybrid_red={"cut_once": False, "restart_run": True},
)
LITERAL = Reading(
    "literal",
    "Hybrid RED by its pseudo-code: a FIFO",
    touches=frozenset({HYBRID}),
    thetas=(1,),
    xis_matter=False,
)
AGAIN = _queue("again", "LPF/ODA cuts again every 3 arrivals", lpf_oda={"cut_once": False})
STRICT = _queue("strict", "RED and LPF/ODA not gentle", red={"above": "strict"}, lpf_oda={"above": "strict"})
REGION_10 = _queue("region-10", "Hybrid RED tests in region 7", hybrid_red={"untested": "10"})
NO_REGION = _queue("no-region", "Hybrid RED tests in regions 7 and 10", hybrid_red={"untested": "none"})
NEWRENO = Reading("newreno", "NewReno instead of SACK", transport={"recovery": "newreno"})
FORWARD = Reading("forward", "new flows all forward", file="H2-forward.toml")
FORWARD_EVERY = _queue("forward-every", f"{FORWARD.name}; {EVERY.name}", FORWARD, **EVERY.queues)
FORWARD_AGAIN = _queue("forward-again", f"{FORWARD.name}; {AGAIN.name}", FORWARD, **AGAIN.queues)

OF_QUEUES = (EVERY, RESTARTED, LITERAL, AGAIN, STRICT, REGION_10, NO_REGION, NEWRENO)
OF_PATHS = (FORWARD, FORWARD_EVERY, FORWARD_AGAIN)
