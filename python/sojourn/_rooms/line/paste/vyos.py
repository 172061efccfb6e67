"""VyOS: policies for both directions, and an interface `ifb0` for packets from the network.

Its CAKE has no word for the overhead of a line, and none for packets that crossed it already. Other queues are the
default class of a shaper. The look-up behind a translation of addresses has two spellings; VyOS refuses the one that it
does not have, and goes on.
"""

from __future__ import annotations

from ..candidates import candidate
from ..question import Line
from .pasted import Pasted
from .spelling import Spellings, spelled

__all__ = ["QUEUES", "vyos"]

_FLOWS = {"flowblind": "blind", "srchost": "src-host", "dsthost": "dst-host", "hosts": "host", "flows": "flow"}
_DUAL = {"dual-srchost": "dual-src-host", "dual-dsthost": "dual-dst-host", "triple-isolate": "triple-isolate"}
_IFB = "ifb0"
QUEUES: dict[str, Spellings] = {
    "cake": {
        "rtt": "rtt {ms}",
        "diffserv3": "",
        "nat": "nat",
        "nonat": "",
        **{word: f"flow-isolation {value}" for word, value in {**_FLOWS, **_DUAL}.items()},
    },
    "fq_codel": {
        "limit": "queue-limit {}",
        "flows": "flows {}",
        "quantum": "codel-quantum {}",
        "target": "target {ms}",
        "interval": "interval {ms}",
        "noecn": "",
    },
    "pfifo": {"limit": "queue-limit {}"},
}
"""VyOS 1.4 and 1.5. ECN of its FQ-CoDel is off."""


def vyos(line: Line, name: str, device: str) -> Pasted:
    """Policies `SOJOURN-UP` and `SOJOURN-DOWN`."""
    one, words = candidate(name), line.words_for(name)
    down_more = one.more(down=True).replace(" ingress", "")
    settings = [
        *_policy("SOJOURN-UP", line.shaped[0], words[0] + one.more(down=False)),
        *_policy("SOJOURN-DOWN", line.shaped[1], words[1] + down_more),
    ]
    kind = "pppoe" if device.startswith("pppoe") else "ethernet"
    undo = [
        f"delete qos interface {device} egress",
        f"delete qos interface {_IFB}",
        *(f"delete qos policy {policy} SOJOURN-{way}" for policy in ("cake", "shaper") for way in ("UP", "DOWN")),
        f"delete interfaces {kind} {device} redirect",
        f"delete interfaces input {_IFB}",
    ]
    return Pasted(
        where=f"VyOS 1.4 or 1.5, in its shell; {device} is the interface to the modem",
        lines=[
            "configure",
            *undo[:-2],
            *settings,
            f"set qos interface {device} egress SOJOURN-UP",
            f"set qos interface {_IFB} egress SOJOURN-DOWN",
            f"set interfaces {kind} {device} redirect {_IFB}",
            f"set interfaces input {_IFB}",
            "commit; save; exit",
        ],
        undo=["configure", *undo, "commit; save; exit"],
        notes=(
            "The first time VyOS says that there is nothing to delete"
            + (". It refuses the spelling of nat that its version does not have." if "nat" in str(settings) else "."),
        ),
    )


def _policy(name: str, rate_bps: int, words: str) -> list[str]:
    kind, rate = words.split()[0], f"{rate_bps // 1000}kbit"
    leaves = spelled(words, QUEUES)
    if kind == "cake":
        nat = [
            leaf for spelling in ("flow-isolation nat", "flow-isolation-nat") for leaf in [spelling] if "nat" in leaves
        ]
        leaves = [f"bandwidth {rate}", *(leaf for leaf in leaves if leaf != "nat"), *nat]
        return [f"set qos policy cake {name} {leaf}" for leaf in leaves]
    queue = {"fq_codel": "fq-codel", "pfifo": "drop-tail"}[kind]
    leaves = [f"bandwidth {rate}", *(f"default {leaf}" for leaf in ("bandwidth 100%", f"queue-type {queue}", *leaves))]
    return [f"set qos policy shaper {name} {leaf}" for leaf in leaves]
