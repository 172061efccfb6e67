"""Runs of the kernel's own TCP: two network namespaces of our own, the forwarder between them, iperf3 in both.

Nothing leaves the namespaces, and they are removed at the end. Needs Linux, root, `ip`, `iperf3` and /dev/net/tun.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from forwarder import Specification
from seen import Trace, read
from settings import Setting

FORWARDER = Path(__file__).with_name("forwarder.py")
NEAR, FAR = "10.77.0.1", "10.77.0.2"
FIRST_SERVER, FIRST_CLIENT = 5300, 41000
"""Ports of flow 0."""
PRIORITY = 60
"""Of the forwarder, under SCHED_FIFO. iperf3 is only preferred (nice): it waits for its other end in a busy loop, and
in real time sixteen of them would hold up the whole machine."""
LOOK = 0.2
"""Seconds between two looks at what iperf3 has waited for a processor."""
CONTROLS = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")


class KernelError(RuntimeError):
    """A run that could not be made."""


def missing() -> str:
    """Why this machine cannot run the kernel's TCP between namespaces; empty if it can."""
    if not sys.platform.startswith("linux"):
        return "it needs Linux"
    if os.geteuid() != 0:
        return "it needs root"
    for command, package in (("ip", "iproute2"), ("iperf3", "iperf3"), ("setpriv", "util-linux")):
        if not shutil.which(command):
            return f"{command} is not installed (Debian and Ubuntu: apt install {package})"
    if not Path("/dev/net/tun").exists():
        return "there is no /dev/net/tun"
    try:
        with namespaces("probe") as names:
            configure(names[0], Setting(name="probe", flows=1, control="reno", limit=1))
    except (KernelError, OSError) as error:
        return f"no network namespace can be made here ({error})"
    return ""


def controls() -> list[str]:
    """The congestion controls that this kernel has."""
    return CONTROLS.read_text(encoding="ascii").split()


def version() -> str:
    """The version of the kernel, such as 6.18."""
    return ".".join(os.uname().release.split(".")[:2])


def ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    if done.returncode:
        raise KernelError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")


@contextlib.contextmanager
def namespaces(name: str) -> Iterator[tuple[str, str]]:
    """Two new namespaces with a TUN device `link` in each; they go at the end."""
    sweep()
    names = tuple(f"sojourn-{os.getpid()}-{name}-{end}" for end in ("near", "far"))
    made = []
    try:
        for here, there, own in ((NEAR, FAR, names[0]), (FAR, NEAR, names[1])):
            ip("netns", "add", own)
            made.append(own)
            ip("-n", own, "link", "set", "lo", "up")
            ip("-n", own, "tuntap", "add", "dev", "link", "mode", "tun")
            ip("-n", own, "address", "add", here, "peer", there, "dev", "link")
        yield names
    finally:
        for own in made:
            subprocess.run(["ip", "netns", "delete", own], capture_output=True)


def sweep() -> None:
    """Removes namespaces that a run has left that was killed."""
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True).stdout
    for own in re.findall(r"^sojourn-\d+-\S+", listed, re.MULTILINE):
        if not Path("/proc", own.split("-")[1]).exists():
            subprocess.run(["ip", "netns", "delete", own], capture_output=True)


def configure(own: str, setting: Setting) -> None:
    """Brings the device of a namespace up, for this setting."""
    settings = {
        "net.ipv6.conf.all.disable_ipv6": "1",
        "net.ipv4.tcp_no_metrics_save": "1",
        "net.ipv4.tcp_ecn": "1" if setting.marks else "0",
        # iperf3 asks for its control when it is connected. A connection that began under BBR goes on pacing then.
        "net.ipv4.tcp_congestion_control": "bbr" if setting.pacing else "reno",
        **setting.sysctl,
    }
    for key, value in settings.items():
        command = ["ip", "netns", "exec", own, "sysctl", "-qw", f"{key}={value}"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode and "ipv6" not in key:
            raise KernelError(f"{key}: {done.stderr.strip()}")
    offload = [] if setting.offload else ["gso_max_segs", "1"]
    ip("-n", own, "link", "set", "dev", "link", "mtu", str(setting.packet), "txqueuelen", "10000", *offload, "up")


def run(setting: Setting, seed: int, keep: Path | None = None) -> Trace:
    """One run. `keep` is a file for the forwarder's recording."""
    with tempfile.TemporaryDirectory() as folder, namespaces(f"{setting.name}-{seed}") as names:
        output = keep or Path(folder) / "seen"
        specification = Specification(
            devices=("link", "link"),
            namespaces=tuple(f"/var/run/netns/{own}" for own in names),
            rate_bps=setting.rate_mbit * 1e6,
            delay_s=setting.delay_ms / 1e3,
            limit=setting.limit,
            marks=setting.marks,
            seed=seed,
            output=str(output),
        )
        told = Path(folder) / "specification"
        told.write_text(json.dumps(asdict(specification)), encoding="utf-8")
        with contextlib.ExitStack() as stack:
            forwarder = stack.enter_context(process([sys.executable, str(FORWARDER), str(told)]))
            if forwarder.stdout.readline() != "ready\n":
                raise KernelError(f"the forwarder does not start: {forwarder.stderr.read()}")
            # Without this permission the forwarder may be late.
            with contextlib.suppress(PermissionError):
                os.sched_setscheduler(forwarder.pid, os.SCHED_FIFO, os.sched_param(PRIORITY))
            for own in names:
                configure(own, setting)
            began, starved = send(setting, seed, names, stack)
            forwarder.stdin.close()
            if forwarder.wait(30):
                raise KernelError(f"the forwarder failed: {forwarder.stderr.read()}")
        trace = read(output, began, setting)
        trace.starved = starved
        return trace


def send(setting: Setting, seed: int, names: tuple[str, str], stack: contextlib.ExitStack) -> tuple[int, float]:
    """Starts the flows and waits until the setting's time is over. The moment at which it began, and for how many
    seconds an iperf3 that could run got no processor, at most, between two looks."""
    draw = random.Random(seed)
    starts = sorted((draw.uniform(0.0, setting.start_spread), flow) for flow in range(setting.flows))
    servers = []
    for flow in range(setting.flows):
        iperf3 = ["ip", "netns", "exec", names[1], "iperf3", "-s", "-1", "-p", str(FIRST_SERVER + flow)]
        servers.append(stack.enter_context(process(iperf3, silent=True)))
    time.sleep(0.3)
    began = time.monotonic_ns()
    clients: list[subprocess.Popen[str]] = []
    for start, flow in starts:
        sleep_until(began, start)
        iperf3 = ["ip", "netns", "exec", names[0], "iperf3", "-c", FAR, "-p", str(FIRST_SERVER + flow)]
        iperf3 += ["--cport", str(FIRST_CLIENT + flow), "-C", setting.control, "-t", str(round(setting.duration) + 5)]
        clients.append(stack.enter_context(process(iperf3)))
    starved, before = 0.0, [held_up(each.pid) for each in clients + servers]
    while time.monotonic_ns() < began + round((setting.duration + 0.2) * 1e9):
        time.sleep(LOOK)
        now = [held_up(each.pid) for each in clients + servers]
        starved = max(starved, *(after - earlier for after, earlier in zip(now, before, strict=True)))
        before = now
    for client in clients:
        if client.poll() is not None:
            raise KernelError(f"iperf3 ended early: {client.stdout.read()}{client.stderr.read()}")
    return began, starved


def held_up(pid: int) -> float:
    """Seconds for which a process has waited for a processor; 0 where the kernel does not count them."""
    place = Path("/proc", str(pid), "schedstat")
    return int(place.read_text(encoding="ascii").split()[1]) / 1e9 if place.exists() else 0.0


def sleep_until(began: int, seconds: float) -> None:
    time.sleep(max(0.0, seconds - (time.monotonic_ns() - began) / 1e9))


@contextlib.contextmanager
def process(command: list[str], *, silent: bool = False) -> Iterator[subprocess.Popen[str]]:
    """A child that other programs hardly hold up, and that is ended at the end."""
    pipe = subprocess.DEVNULL if silent else subprocess.PIPE
    preferred = ["setpriv", "--pdeathsig", "KILL", "nice", "-n", "-20", *command]
    with subprocess.Popen(preferred, stdin=subprocess.PIPE, stdout=pipe, stderr=pipe, text=True) as child:
        try:
            yield child
        finally:
            if child.poll() is None:
                child.kill()
