"""Linux with systemd: a script with the lines of ``tc``, and a unit that runs it whenever the interface appears.

``tc qdisc replace`` would not do in place of the first line of the script. HTB refuses it where it is already, and
CAKE keeps each setting that the new line does not name. systemd-networkd's own section for CAKE cannot redirect packets
from the network.
"""

from __future__ import annotations

from ..question import Line
from .pasted import Pasted

__all__ = ["linux"]

_SCRIPT = "/usr/local/sbin/sojourn-queue"
_UNIT = "/etc/systemd/system/sojourn-queue.service"


def linux(line: Line, name: str, device: str) -> Pasted:
    """The script, its unit, and both started."""
    undo, *lines = line.lines(name, device)
    interface = f"sys-subsystem-net-devices-{_escaped(device)}.device"
    title = f"{' '.join(name.split())} for {line.words}"
    script = ["#!/bin/sh", f"# {title}", undo, '[ "$1" = off ] && exit 0', "set -e", *lines]
    unit = [
        "[Unit]",
        f"Description={title}",
        f"BindsTo={interface}",
        f"After={interface}",
        "[Service]",
        "Type=oneshot",
        "RemainAfterExit=yes",
        f"ExecStart=/bin/sh {_SCRIPT}",
        f"ExecStop=/bin/sh {_SCRIPT} off",
        "[Install]",
        f"WantedBy={interface}",
    ]
    return Pasted(
        where=f"Linux with systemd, in a shell of root; {device} is the interface to the modem",
        lines=[
            *_file(_SCRIPT, script),
            *_file(_UNIT, unit),
            "systemctl daemon-reload; systemctl enable sojourn-queue; systemctl restart sojourn-queue",
        ],
        undo=[f"systemctl disable --now sojourn-queue; rm -f {_UNIT} {_SCRIPT}; systemctl daemon-reload"],
    )


def _file(path: str, lines: list[str]) -> list[str]:
    return [f"cat >{path} <<'END'", *lines, "END"]


def _escaped(device: str) -> str:
    """The name of an interface within the name of a unit: ``systemd-escape``."""
    return device.replace("-", r"\x2d")
