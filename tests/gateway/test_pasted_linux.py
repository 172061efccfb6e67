"""The text of ``sojourn line --for linux``: pasted whole, and its lines in a Linux 6.12 that has every queue."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sojourn._rooms.line.paste import system
from sojourn.line import CANDIDATES, Line

from .namespaces import missing, network

pytestmark = pytest.mark.slow

LINE = Line.read("20/100", link="docsis")
# The unit is started by this in place of systemd's, which knows nothing of namespaces.
SYSTEMCTL = """#!/bin/sh
[ "$1" = restart ] && exec sh {folder}/usr/local/sbin/sojourn-queue
[ "$1" = disable ] && exec sh {folder}/usr/local/sbin/sojourn-queue off
exit 0
"""


def moved(lines, folder) -> str:
    """The text, with its files in a folder."""
    return "\n".join(lines).replace("/usr/local/sbin/", f"{folder}/usr/local/sbin/").replace("/etc/", f"{folder}/etc/")


@pytest.fixture
def folder(tmp_path):
    for name in ("bin", "usr/local/sbin", "etc/systemd/system"):
        (tmp_path / name).mkdir(parents=True)
    systemctl = tmp_path / "bin" / "systemctl"
    systemctl.write_text(SYSTEMCTL.format(folder=tmp_path), encoding="utf-8")
    systemctl.chmod(0o755)
    return tmp_path


@pytest.mark.skipif(bool(missing()), reason=missing())
def test_the_text_is_pasted_twice_and_undone(folder):
    # HTB with a FIFO is what small kernels have.
    pasted = system("linux").text(LINE, "pfifo", "eth0")
    path = f"{folder}/bin:{os.environ['PATH']}"
    with network(direct=True) as net:

        def paste(lines):
            return net.run("lan", "env", f"PATH={path}", "sh", "-c", moved(lines, folder)).stderr

        def state():
            return net.run("lan", "tc", "qdisc").stdout + net.run("lan", "ip", "-o", "link").stdout

        before = state()
        assert paste(pasted.lines) == ""
        shown = [state(), net.run("lan", "tc", "class", "show", "dev", "ifb4eth0").stdout]
        filters = net.run("lan", "tc", "filter", "show", "dev", "eth0", "ingress").stdout
        assert paste(pasted.lines) == ""
        again = [state(), net.run("lan", "tc", "class", "show", "dev", "ifb4eth0").stdout]
        # What is made anew has a new number, or a new address.
        number = re.compile(r"^[0-9]+: |link/ether \S+|refcnt [0-9]+|(?<=pfifo |.leaf )[0-9a-f]+:", re.MULTILINE)
        assert [number.sub("", text) for text in again] == [number.sub("", text) for text in shown]
        assert net.run("lan", "tc", "filter", "show", "dev", "eth0", "ingress").stdout == filters
        assert filters.count("mirred") == 1
        assert "rate 95Mbit ceil 95Mbit burst 11875b cburst 11875b" in shown[1]
        paste(pasted.undo)
        assert state() == before

    assert [path for path in folder.rglob("*") if path.is_file() and path.parent.name != "bin"] == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
@pytest.mark.parametrize("device", ["eth0", "pppoe-wan"])
def test_systemd_takes_the_unit(tmp_path, device):
    unit = part(system("linux").text(LINE, "cake", device).lines, "/etc/systemd/system/sojourn-queue.service")
    path = tmp_path / "sojourn-queue.service"
    path.write_text(unit, encoding="utf-8")

    done = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True, check=False)
    escaped = subprocess.run(["systemd-escape", device], capture_output=True, text=True, check=True).stdout.strip()

    # It also says the faults of other units of the machine.
    assert [line for line in done.stderr.splitlines() if path.name in line] == []
    assert unit.count(f"sys-subsystem-net-devices-{escaped}.device\n") == 3


@pytest.mark.parametrize("name", [name for name in CANDIDATES if name != "modem"])
def test_the_shell_takes_the_script(tmp_path, name):
    script = part(system("linux").text(LINE, name, "eth0").lines, "/usr/local/sbin/sojourn-queue")
    (tmp_path / "script").write_text(script, encoding="utf-8")

    subprocess.run(["sh", "-n", tmp_path / "script"], check=True)
    assert script.index('"$1" = off') < script.index("tc qdisc add"), "the line before undoes"


def test_a_name_of_two_lines_is_one_line_of_the_script():
    script = part(system("linux").text(LINE, "cake\nrtt 5ms", "eth0").lines, "/usr/local/sbin/sojourn-queue")
    assert [line for line in script.splitlines() if line.startswith("rtt")] == []


def part(lines, path) -> str:
    """A file that the text writes."""
    begin = lines.index(f"cat >{path} <<'END'") + 1
    return "\n".join([*lines[begin : lines.index("END", begin)], ""])


def kernel() -> Path | None:
    """A folder with the kernel that ``make kernel`` built, and the program in it that ends it."""
    root = Path(os.environ.get("SOJOURN_KERNEL", Path.home() / ".cache" / "sojourn" / "kernel"))
    found = [path.parent for path in root.glob("*/linux") if list(path.parent.glob("guest-*"))]
    return max(found, default=None)


INIT = """#!/bin/sh
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
exec >{out}/log 2>&1
ip link add eth0 type dummy
ip link set eth0 up
{twice}
tc -d qdisc show
tc -d class show dev eth0
tc -d class show dev ifb4eth0
echo DONE
sync
{halt} halt
"""
# What tc shows where it does not show the word itself.
SHOWN = {
    "docsis": "noatm overhead 18 mpu 64",
    "pppoe-llcsnap": "atm overhead 40",
    "19mbit": "19Mbit",
    "95mbit": "95Mbit",
    "0.95mbit": "950Kbit",
}


@pytest.mark.skipif(kernel() is None, reason="the kernel of `make kernel` is not built here")
@pytest.mark.parametrize("name", ["cake", "cake ack-filter", "fq_codel", "codel", "pie", "sfq"])
@pytest.mark.parametrize("line", [LINE, Line.read("1/20", link="adsl")], ids=lambda line: line.words)
def test_a_linux_that_has_the_queue_shows_the_words_of_the_lines(tmp_path, name, line):
    folder = kernel()
    # This kernel has no addresses to translate, no ifb and no redirection: these are tried in a namespace.
    lines = [
        command.replace(" nat ", " ").replace("type ifb", "type dummy")
        for command in line.lines(name)
        if "tc filter" not in command
    ]
    guest = next(iter(folder.glob("guest-*")))
    init = tmp_path / "init.sh"
    init.write_text(INIT.format(out=tmp_path, twice="\n".join(2 * lines), halt=guest), encoding="utf-8")
    init.chmod(0o755)
    words = ["mem=256M", "root=/dev/root", "rootfstype=hostfs", "rw", "time-travel=inf-cpu", "con=null", "quiet"]
    with (tmp_path / "console").open("w") as console:
        subprocess.run(
            [folder / "linux", *words, "con0=fd:0,fd:1", f"init={init}"],
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            timeout=120,
            check=False,
            env={**os.environ, "TMPDIR": "/dev/shm"},
        )
    log = (tmp_path / "log").read_text(encoding="utf-8")

    *said, shown = log.partition("qdisc ")
    assert log.endswith("DONE\n"), log
    assert said[0] == "", "no line was refused, the second time either"
    for at in ("eth0", "ifb4eth0"):
        ours = [command for command in lines if f"dev {at} " in command and " add " in command]
        theirs = [row for row in shown.splitlines() if f"dev {at} " in row or row.startswith("class")]
        for command in ours:
            assert lacking(command, theirs) == [], log


def lacking(command, rows) -> list[str]:
    """The words of a line that no row of tc has."""
    text = " ".join(rows)
    kind, values = next(
        (word, command.split(f" {word}", 1)[1].split())
        for word in ("cake", "htb", "fq_codel", "codel", "pie", "sfq", "clsact")
        if f" {word}" in command
    )
    words = [kind, *(word for word in values if word not in ("bandwidth", "rate", "default"))]
    return [word for word in words if SHOWN.get(word, word) not in text]
