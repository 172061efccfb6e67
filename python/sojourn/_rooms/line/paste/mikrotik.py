"""RouterOS 7: two types of queue, and a simple queue for the interface to the modem.

A simple queue with an interface as its target counts what comes from there as upload, so that the download is named
first. HTB shapes. CAKE's own rate stays 0, because users found that it shapes nothing there. Packets that come from the
network have the address of the home already when they are queued, so that only the way up needs `cake-nat`.
"""

from __future__ import annotations

from ..candidates import candidate
from ..question import Line
from .pasted import Pasted
from .spelling import Spellings, spelled

__all__ = ["QUEUES", "mikrotik"]

_ISOLATION: Spellings = {
    name: f"cake-flowmode={name}"
    for name in ("flowblind", "srchost", "dsthost", "hosts", "flows", "dual-srchost", "dual-dsthost", "triple-isolate")
}
QUEUES: dict[str, Spellings] = {
    "pfifo": {"limit": "pfifo-limit={}"},
    "sfq": {"perturb": "sfq-perturb={}"},
    "codel": {word: f"codel-{word}={{}}" for word in ("limit", "target", "interval")} | {"ecn": "codel-ecn=yes"},
    "fq_codel": {word: f"fq-codel-{word}={{}}" for word in ("limit", "flows", "quantum", "target", "interval")}
    | {"ecn": "fq-codel-ecn=yes", "noecn": "fq-codel-ecn=no"},
    "cake": {
        "rtt": "cake-rtt={}",
        "ack-filter": "cake-ack-filter=filter",
        "besteffort": "cake-diffserv=besteffort",
        "diffserv3": "cake-diffserv=diffserv3",
        "diffserv4": "cake-diffserv=diffserv4",
        "nat": "cake-nat=yes",
        "nonat": "cake-nat=no",
        "wash": "cake-wash=yes",
        **_ISOLATION,
    },
}
"""RouterOS 7.1 and later."""


def mikrotik(line: Line, name: str, device: str) -> Pasted:
    """Queue types `sojourn-up` and `sojourn-down`, and the simple queue `sojourn`."""
    one, (up, down), (up_words, down_words) = candidate(name), line.shaped, line.words_for(name)
    kind = up_words.split()[0]
    added_up = one.more(down=False)
    added_down = one.more(down=True).replace(" ingress", "").replace(" nat", "")
    types = {"up": spelled(up_words + added_up, QUEUES), "down": spelled(down_words + added_down, QUEUES)}
    remove = ["/queue simple remove [find name=sojourn]", '/queue type remove [find name~"^sojourn-(up|down)\\$"]']
    return Pasted(
        where=f"RouterOS 7.1 or later, in its terminal; {device} is the interface to the modem",
        lines=[
            *remove,
            *(
                " ".join([f"/queue type add name=sojourn-{way} kind={kind.replace('_', '-')}", *settings])
                for way, settings in types.items()
            ),
            f"/queue simple add name=sojourn target={device} max-limit={down // 1000}k/{up // 1000}k "
            "queue=sojourn-down/sojourn-up",
            "/ip firewall filter disable [find action=fasttrack-connection]",
        ],
        undo=[*remove, "/ip firewall filter enable [find action=fasttrack-connection]"],
        notes=(
            "FastTrack is turned off, because its packets go past the queue; if it was off before, leave out the last "
            "line that undoes. `/queue simple print stats` shows whether packets go through.",
        ),
    )
