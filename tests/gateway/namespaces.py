"""Two hosts and a gateway between them, in namespaces of the network: ``lan -- (gateway) -- wan``.

Interfaces of the gateway are ``lan0`` and ``wan0`` in a namespace of its own; the hosts are 10.77.0.1 and 10.77.0.2,
with fd77::1 and fd77::2. Nothing outside of the namespaces changes, and all of it goes when they are deleted.
"""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LAN, WAN = "10.77.0.1", "10.77.0.2"
LAN6, WAN6 = "fd77::1", "fd77::2"

_numbers = itertools.count()


def missing() -> str:
    """The things that this machine lacks, in a few words; empty if it has all."""
    if os.name != "posix" or os.uname().sysname != "Linux":
        return "namespaces of the network are Linux's"
    if os.geteuid() != 0:
        return "namespaces of the network need root"
    if shutil.which("ip") is None:
        return "there is no command ip (iproute2)"
    name = f"sj{os.getpid()}try"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if made.returncode:
        return f"no namespace of the network can be made here: {made.stderr.strip()}"
    subprocess.run(["ip", "netns", "del", name], check=False)
    return ""


@dataclass(frozen=True)
class Net:
    """The namespaces by their roles."""

    lan: str
    gateway: str
    wan: str

    def command(self, where: str, *command: str) -> list[str]:
        """A command inside one of them: ``"lan"``, ``"gateway"``, ``"wan"``."""
        return ["ip", "netns", "exec", getattr(self, where), *command]

    def run(self, where: str, *command: str, **options: object) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        options = {"text": True, "capture_output": True, "check": True, "timeout": 120, **options}
        return subprocess.run(self.command(where, *command), **options)  # type: ignore[call-overload,no-any-return]

    def start(self, where: str, *command: str, **options: object) -> subprocess.Popen[str]:
        """Start a command; pipes are texts."""
        options = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        return subprocess.Popen(self.command(where, *command), **options)  # type: ignore[call-overload,no-any-return]


@contextmanager
def network(*, offload: bool = True, direct: bool = False) -> Iterator[Net]:
    """Make the namespaces, and delete them at the end.

    Without `offload` the hosts hand whole packets to their interfaces, not joined ones. `direct` connects the hosts
    without a gateway.
    """
    number = next(_numbers)
    net = Net(*(f"sj{os.getpid()}{role}{number}" for role in ("lan", "gateway", "wan")))
    try:
        for name in (net.lan, net.gateway, net.wan):
            _ip("netns", "add", name)
        for role in ("lan", "gateway", "wan"):
            net.run(role, "ip", "link", "set", "lo", "up")
        if direct:
            _ip("link", "add", "eth0", "netns", net.lan, "type", "veth", "peer", "name", "eth0", "netns", net.wan)
        else:
            for name, there in ((net.lan, "lan0"), (net.wan, "wan0")):
                _ip("link", "add", "eth0", "netns", name, "type", "veth", "peer", "name", there, "netns", net.gateway)
                net.run("gateway", "sysctl", "-qw", f"net.ipv6.conf.{there}.disable_ipv6=1")
                net.run("gateway", "ip", "link", "set", there, "up")
        for role, four, six in (("lan", LAN, LAN6), ("wan", WAN, WAN6)):
            net.run(role, "ip", "addr", "add", f"{four}/24", "dev", "eth0")
            net.run(role, "ip", "-6", "addr", "add", f"{six}/64", "dev", "eth0", "nodad")
            net.run(role, "ip", "link", "set", "eth0", "up")
            if not offload:
                net.run(role, "ip", "link", "set", "eth0", "gso_max_segs", "1")
        yield net
    finally:
        for name in (net.lan, net.gateway, net.wan):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)


def _ip(*words: str) -> None:
    command: Sequence[str] = ["ip", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
