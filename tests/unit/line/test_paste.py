"""``sojourn line --for``: the text for each system is taken by its grammar, again and again, and undone."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.shell import refused
from helpers.shell import sojourn as command
from sojourn._rooms.line.paste import SYSTEMS, system
from sojourn._rooms.scenario.tc_line import tc_queue
from sojourn.line import LINKS, Line, candidate

from .home_routers import OpenWrt, OPNsense, RouterOS, VyOS

LINES = [
    Line.read("20/100", link="docsis"),
    Line.read("1/20", link="adsl"),
    Line.read("3/30", rtt="600ms"),
    Line.read("1000/1000", link="pppoe"),
    Line.read("10/50", link="vdsl"),
]
CASES = [
    (name, line, queue)
    for name, one in SYSTEMS.items()
    for line in LINES
    for queue in one.offered(replace(line, shaper=one.shaper))
    if queue != "modem"
]


def for_(name: str, line: Line, queue: str):
    """The text, and the line as the system shapes it."""
    one = system(name)
    line = replace(line, shaper=one.shaper)
    return one.text(line, queue, one.device), line


def read(words: str):
    """The queue of a line of tc; no address is translated here, so that `nat` would change nothing."""
    return tc_queue(words.replace(" nat", ""))


def of(name: str):
    return [case for case in CASES if case[0] == name]


def ids(value):
    return value.words if isinstance(value, Line) else None


@pytest.mark.parametrize(("name", "line", "queue"), of("openwrt"), ids=ids)
def test_uci_takes_the_text_for_openwrt(name, line, queue):
    router, (text, line) = OpenWrt(), for_(name, line, queue)
    router.paste(text.lines)
    once = router.kept
    router.paste(text.lines)
    assert router.kept == once

    options = once["sojourn"]
    up, down = line.shaped
    if candidate(queue).shapes:
        assert (options["upload"], options["download"]) == (str(up // 1000), str(down // 1000))
        # The script writes `cake bandwidth RATEkbit besteffort` before the options.
        words = [f"cake bandwidth {options[rate]}kbit {options[more]}" for rate, more in SQM]
        assert tuple(map(read, words)) == line.queues(queue)
    else:
        leaf = line.queues(queue)[0]["class"][0]
        assert leaf["rate"] == f"{options['upload']}000bit"
        kind = f"{options['qdisc']} {options.get('eqdisc_opts', '')}"
        # The script's own limit of 1001 packets is not the default of tc.
        assert {**read(kind), "limit": ""} == {**leaf["queue"], "limit": ""}
        assert int(options["overhead"]) == line.kind.overhead - 14
        assert (options["linklayer"] == "atm") == (line.kind.cells == "atm")
    router.paste(text.undo)
    assert router.kept == {}


SQM = (("upload", "eqdisc_opts"), ("download", "iqdisc_opts"))


@pytest.mark.parametrize(("name", "line", "queue"), of("mikrotik"), ids=ids)
def test_routeros_takes_the_text(name, line, queue):
    router, (text, line) = RouterOS(), for_(name, line, queue)
    before = json.dumps(router.state)
    router.paste(text.lines)
    once = json.dumps(router.state)
    router.paste(text.lines)
    assert json.dumps(router.state) == once

    (shaper,) = router.state["/queue simple"]
    # Packets that come from the interface are its upload: the download is first.
    assert shaper["max-limit"] == "/".join(f"{rate // 1000}k" for rate in reversed(line.shaped))
    assert shaper["queue"] == "sojourn-down/sojourn-up"
    up, down = router.state["/queue type"]
    if "cake" in queue:
        assert (up["cake-flowmode"], down["cake-flowmode"]) == ("dual-srchost", "dual-dsthost")
        assert (up["cake-nat"], "cake-nat" in down) == ("yes", False)
    assert router.state["/ip firewall filter"][0]["disabled"] == "yes"
    router.paste(text.undo)
    assert json.dumps(router.state) == before


@pytest.mark.parametrize("version", ["1.4", "1.5"])
@pytest.mark.parametrize(("name", "line", "queue"), of("vyos"), ids=ids)
def test_vyos_takes_the_text_but_for_one_spelling(name, line, queue, version):
    router, (text, line) = VyOS(version), for_(name, line, queue)
    router.paste(text.lines)
    once = router.state
    assert {" ".join(said.split()[5:]) for said in router.refused} <= {"flow-isolation nat", "flow-isolation-nat"}
    router.paste(text.lines)
    assert router.state == once

    if queue == "cake":
        assert len(router.refused) == 4, "one spelling for each direction, twice"
        for device, simulated in zip(("eth0", "ifb0"), line.queues(queue), strict=True):
            assert router.tc(device).endswith(" nat")
            # These are the defaults of tc.
            default = {"link_layer": "raw", "framing": "noatm", "ingress": False}
            assert {**read(router.tc(device)), **default} == {**default, **simulated}
    else:
        assert router.refused == []
        assert f"qos policy shaper SOJOURN-UP bandwidth {line.shaped[0] // 1000}kbit" in once
    router.paste(text.undo)
    assert router.state == set()


CURL = """#!{python}
import sys
sys.path[:0] = [{tests!r}]
from pathlib import Path
from unit.line.home_routers import OPNsense
kept = Path({kept!r})
router = OPNsense(kept.read_text() if kept.exists() else "")
words = sys.argv[1:]
assert words[words.index("-u") + 1] == "k:s", words
path = words[-1].removeprefix("https://router/api/trafficshaper/")
print(router.call(path, words[words.index("-d") + 1]))
import json
kept.write_text(json.dumps(router.state))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "line", "queue"), of("opnsense"), ids=ids)
def test_opnsense_takes_the_calls(tmp_path, name, line, queue):
    text, line = for_(name, line, queue)
    kept = tmp_path / "state.json"
    tests = str(Path(__file__).resolve().parents[2])
    curl = tmp_path / "curl"
    curl.write_text(CURL.format(python=sys.executable, tests=tests, kept=str(kept)), encoding="utf-8")
    curl.chmod(0o755)

    def paste(lines):
        words = "\n".join(lines).replace("HOST=192.168.1.1 KEY=... SECRET=...", "HOST=router KEY=k SECRET=s")
        env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        done = subprocess.run(["sh", "-c", words], env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return OPNsense(kept.read_text(encoding="utf-8"))

    once = paste(text.lines).dnctl()
    assert paste(text.lines).dnctl() == once
    up, down = (rate // 1000 for rate in line.shaped)
    more = [" target 30 interval 600" if line.rtt_s > 0.1 else ""] * 2
    if line.up_bps == 1e6:
        # One and a half packets take longer than 5 ms: 18,000 bits; the interval has as much more.
        target = math.ceil(18_000 / up)
        more[0] = f" target {target} interval {target + 95}"
    rows = zip(("out", "in"), (up, down), more, strict=True)
    assert once == "\n".join(f"{way}: pipe config bw {bw}Kbit/s type fq_codel{words} ecn" for way, bw, words in rows)
    assert paste(text.undo).state == {"Pipe": {}, "Queue": {}, "Rule": {}}


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("link", LINKS)
def test_rates_are_below_those_of_the_line(name, link):
    for rates in ("20/100", "100/20", "1/20", "1000/1000"):
        line = Line.read(rates, link=link)
        up, down = for_(name, line, "fq_codel")[1].shaped
        # Acknowledgements in cells of ATM take twice their bytes.
        assert 0.45 * line.up_bps < up <= 0.95 * line.up_bps
        assert 0.5 * line.down_bps < down <= 0.95 * line.down_bps


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_rate_and_its_reason_are_said(name):
    text, line = for_(name, LINES[0], "fq_codel")
    said = " ".join(system(name).sentences(line, text))
    assert f"shapes to {line.shaped[0] / 1e6:g} Mbit/s up and {line.shaped[1] / 1e6:g} down: 95" in said
    assert ("does not count the bytes" in said) == (name in ("mikrotik", "opnsense", "vyos"))
    assert ("not tried" in said) == (name != "linux")
    assert ("has no " in said) == (name != "linux")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--for", "openwrd"], ["--for openwrd", "no such system", "did you mean openwrt?"]),
        (["--for", "opnsense", "--queue", "modem,cake"], ["OPNsense has no cake", "allowed: modem, fq_codel"]),
        (["--for", "vyos", "--queue", "modem,cake ack-filter"], ["VyOS has no cake ack-filter"]),
        (["--for", "mikrotik", "--queue", "modem,cake satellite"], ["RouterOS has no cake satellite"]),
    ],
)
def test_a_queue_that_the_system_does_not_have_is_refused(words, said):
    message = refused("line", "20/100", *words)
    assert [part for part in said if part not in message] == [], message


@pytest.mark.slow
def test_the_command_prints_the_text_and_the_report_has_it(tmp_path):
    page = tmp_path / "line.html"
    words = ("line", "5/20", "--for", "mikrotik", "--device", "ether5", "--queue", "modem,cake", "--seeds", "1")
    done = command(*words, "--report", page)
    assert done.returncode == 0, done.stderr
    assert "For RouterOS 7.1 or later, in its terminal; ether5 is the interface" in " ".join(done.stdout.split())
    _, _, undo = done.stdout.partition("\nTo undo:\n")
    assert undo.splitlines()[0] == "/queue simple remove [find name=sojourn]"
    assert "target=ether5 max-limit=" in page.read_text(encoding="utf-8")
    found = json.loads(command(*words, "--json").stdout)["ranking"][0]
    assert ("tc" in found, found["for"]) == (False, "mikrotik")
    assert done.stdout.endswith("\n".join(["", "To undo:", *found["undo"], ""]))
