"""Builds the oracle's kernel once: Linux 6.12 from Debian's package of its sources, as an ordinary process with a
virtual clock.

    python evidence/linux/programs/kernel_build.py        builds it, or says where it is
    python evidence/linux/programs/kernel_build.py 250    the same for a kernel that ticks 250 times a second

It lies in a folder outside of the repository (SOJOURN_KERNEL, ~/.cache/sojourn/kernel without it), under a name made
of the package's version, a hash of `uml.config`, `tap.h` and `draws.h`, and the ticks if they are not 1000. It keeps
the program `linux` (7 MB) and the guest's program, whose name has a hash of its source.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGE = "linux-source-6.12"
SOURCES = Path(f"/usr/src/{PACKAGE}.tar.xz")
TOOLS = ("flex", "bison", "bc", "make", "gcc", "dpkg-query")
# Files of net/sched that tap.h listens to. DualPI2 is not in these sources: README.md says how it gets there.
TAPPED = (
    *("htb", "codel", "fq_codel", "pie", "fq_pie", "red", "choke", "sfb", "sfq", "cake", "dualpi2"),
    *("prio", "ets", "drr", "qfq", "hfsc", "fq", "hhf", "gred", "tbf", "skbprio", "multiq", "cbs", "netem"),
)
# These share a clock and a stream of random numbers, since one calls functions of the other.
SHARED = ("pie", "fq_pie")
# Congestion controls of net/ipv4 that draw random numbers: draws.h gives them Sojourn's, from the stream of that name.
DRAWING = ("bbr", "nv", "cdg")
# The kernel's timer goes off so many times in a second (CONFIG_HZ).
TICKS = 1000


class MissingError(Exception):
    """Something that the build needs is not installed."""


def version() -> str:
    """The version of the package with the sources."""
    found = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Version}", PACKAGE], capture_output=True, text=True, check=False
    )
    return found.stdout.strip()


def lacks() -> list[str]:
    """Packages that are to be installed first."""
    tools = {"bc": "bc", "gcc": "gcc", "make": "make", "dpkg-query": "dpkg"}
    missing = [tools.get(tool, tool) for tool in TOOLS if shutil.which(tool) is None]
    if not SOURCES.exists():
        missing.append(PACKAGE)
    if shutil.which("ip") is None and not Path("/usr/sbin/ip").exists():
        missing.append("iproute2")
    return missing


def root() -> Path:
    """The folder of all kernels and their sources."""
    return Path(os.environ.get("SOJOURN_KERNEL", Path.home() / ".cache" / "sojourn" / "kernel"))


def suffix(ticks: int) -> str:
    """What names of folders have at their end."""
    return "" if ticks == TICKS else f"-hz{ticks}"


def place(ticks: int = TICKS) -> Path:
    """The folder of this kernel, whether it is built or not."""
    parts = [(HERE / name).read_bytes() for name in ("uml.config", "tap.h", "draws.h")]
    return root() / f"{version()}-{hashlib.sha256(b''.join(parts)).hexdigest()[:12]}{suffix(ticks)}"


def guest(folder: Path) -> Path:
    """The guest's program of the kernel in `folder`, made anew where its source has changed."""
    source = HERE / "guest.c"
    text = source.read_bytes() + (HERE / "guest_dualpi2.h").read_bytes()
    program = folder / f"guest-{hashlib.sha256(text).hexdigest()[:12]}"
    if not program.exists():
        step("compiling the guest's program ...")
        made = f"{program.name}.{os.getpid()}"
        run(["gcc", "-O2", "-static", "-o", made, str(source)], folder, folder / "build.log")
        (folder / made).rename(program)
    return program


def has(folder: Path, queue: str) -> bool:
    """Whether the kernel in `folder` has this queue. DualPI2 came with Linux 6.17."""
    return queue != "dualpi2" or "CONFIG_NET_SCH_DUALPI2=y" in (folder / "config").read_text()


def built() -> Path | None:
    """The folder of the kernel, if it has been built."""
    if lacks():
        return None
    folder = place()
    return folder if (folder / "linux").exists() else None


def step(what: str) -> None:
    """Prints the next step."""
    print(f"kernel: {what}", flush=True)


def run(words: list[str], folder: Path, log: Path) -> None:
    """Runs a command; its output goes into a file, whose end is shown if it fails."""
    with log.open("a") as file:
        done = subprocess.run(words, cwd=folder, stdout=file, stderr=subprocess.STDOUT, check=False)
    if done.returncode:
        sys.exit(f"kernel: {' '.join(words[:3])} ... failed; the end of {log}:\n{log.read_text()[-2000:]}")


def unpack(folder: Path, ticks: int) -> Path:
    """The sources in `folder`, of a kernel that ticks so many times in a second."""
    top = folder / PACKAGE
    if (top / "Makefile").exists():
        return top
    step(f"unpacking {SOURCES} (1.4 GB, half a minute to three minutes) ...")
    with tarfile.open(SOURCES) as archive:
        for member in archive:
            if member.name.count("/") < 3 or "/Documentation/" not in member.name:
                archive.extract(member, folder, filter="tar")
    # A user-mode Linux ticks 100 times a second, at which PIE would update every 20 ms in place of 15.
    kconfig = top / "arch" / "um" / "Kconfig"
    lines = kconfig.read_text().split("config HZ\n")
    kconfig.write_text(lines[0] + "config HZ\n" + lines[1].replace("default 100\n", f"default {ticks}\n", 1))
    return top


def build(ticks: int = TICKS) -> Path:
    """Builds the kernel where it is not built yet, and says where it is."""
    missing = lacks()
    if missing:
        raise MissingError(f"the oracle's kernel needs these Debian packages: {' '.join(missing)}")
    folder = place(ticks)
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "linux").exists():
        work = root() / f"sources{suffix(ticks)}"
        work.mkdir(exist_ok=True)
        top, log = unpack(work, ticks), folder / "build.log"
        step(f"configuring it by {HERE / 'uml.config'} ...")
        run(["make", "ARCH=um", f"KCONFIG_ALLCONFIG={HERE / 'uml.config'}", "allnoconfig"], top, log)
        shutil.copy(top / ".config", folder / "config")
        step("compiling it (six minutes of one processor the first time) ...")
        shared = dict.fromkeys(SHARED, "-DTAP_SHARED ") | {"dualpi2": "-DTAP_NEWER "}
        listen = [f"CFLAGS_sch_{name}.o={shared.get(name, '')}-include {HERE / 'tap.h'}" for name in TAPPED]
        draw = [f"CFLAGS_tcp_{name}.o=-DDRAWS_NAME='\"{name}\"' -include {HERE / 'draws.h'}" for name in DRAWING]
        run(["make", "ARCH=um", f"-j{os.cpu_count()}", *listen, *draw, "linux"], top, log)
        shutil.copy(top / "linux", folder / "linux.new")
        run(["strip", "linux.new"], folder, log)
        (folder / "linux.new").rename(folder / "linux")
    guest(folder)
    return folder


def main() -> None:
    """The command."""
    try:
        print(build(*map(int, sys.argv[1:2])))
    except MissingError as missing:
        sys.exit(f"{missing}\n  hint: apt-get install --no-install-recommends {PACKAGE} flex bison bc libelf-dev")


if __name__ == "__main__":
    main()
