"""OpenWrt: a section of the configuration of sqm-scripts.

The names of options are those of `run-openwrt.sh` of sqm-scripts 1.6. For CAKE all words are in its options, because
the script appends them, and the last word of a kind counts. Other queues get the script with one class of HTB, whose
`overhead` is that of ``stab``.
"""

from __future__ import annotations

from ..candidates import candidate
from ..question import Line
from .pasted import Pasted

__all__ = ["QUEUES", "openwrt"]

QUEUES = ("fq_codel", "codel", "pie", "sfq", "cake")
"""Those that sqm-scripts look for."""


def openwrt(line: Line, name: str, device: str) -> Pasted:
    """A section `sojourn`."""
    one, (up, down), (up_words, down_words) = candidate(name), line.shaped, line.words_for(name)
    kind, _, up_options = up_words.partition(" ")
    _, _, down_options = down_words.partition(" ")
    options = {"enabled": "1", "interface": device, "qdisc": kind}
    if one.shapes:
        up_options = f"{up_options} {line.kind.cake}{one.more(down=False)}".strip()
        down_options = f"{down_options} {line.kind.cake}{one.more(down=True)}".strip()
        options |= {"script": "piece_of_cake.qos", "linklayer": "none"}
    else:
        up, down = (line.kind.below_ptm(rate) for rate in (up, down))
        options |= {"script": "simplest.qos", "linklayer": "atm" if line.kind.cells == "atm" else "ethernet"}
        options |= {"overhead": str(line.kind.stab_overhead(device)), "tcMPU": str(line.kind.mpu)}
        # Its own rule for slow lines is another one, and its queues mark unless told otherwise.
        options |= {"itarget": "default", "etarget": "default"}
        if kind in ("codel", "pie") and "ecn" not in up_options.split():
            options |= {"ingress_ecn": "NOECN", "egress_ecn": "NOECN"}
    options |= {"upload": str(up // 1000), "download": str(down // 1000)}
    options |= {"eqdisc_opts": up_options, "iqdisc_opts": down_options, "qdisc_really_really_advanced": "1"}
    return Pasted(
        where=f"OpenWrt with sqm-scripts 1.6 or later, in its shell; {device} is the device to the modem",
        lines=[
            "uci -q batch <<'END'",
            "delete sqm.sojourn",
            "set sqm.sojourn='queue'",
            *(f"set sqm.sojourn.{option}='{value}'" for option, value in options.items() if value),
            "commit sqm",
            "END",
            "/etc/init.d/sqm enable; /etc/init.d/sqm restart",
        ],
        undo=["uci -q delete sqm.sojourn; uci commit sqm; /etc/init.d/sqm restart"],
        notes=(
            "`ip route show default` names the device, and `opkg install sqm-scripts` or, from 25.12, `apk add "
            "sqm-scripts` installs the package. Turn off hardware flow offloading, and other sections of SQM for the "
            "device.",
        ),
    )
