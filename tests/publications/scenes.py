"""The settings in which other works printed numbers, as scenario files: the statements of each, and its open points."""

from __future__ import annotations

from pathlib import Path

NS2_RED = 'preset = "ns2", mode = "packets", mean_packet = "auto", above = "gentle"'
"""RED as ns-2 had it when the works were written: gentle, with `wait`; it counts bytes since 11 October 2004 only."""

OLD_TIMEOUT = 'rto_min = "1s"'
"""Least timeout of ns-2 before October 2004."""

ASSURED = """
[[flow]]
name = "assured"
transport = { kind = "tcp", profile = "ns2", recovery = "sack", packet = "1000B" }
start = "0s"
"""
"""One flow with an agreement beside those of `bulk`."""

BURSTS = """
[[flow]]
name = "bursts"
transport = { kind = "udp", packet = "1000B" }
app = { kind = "on_off", rate = "20Mbit", on = "0.2s", off = "2s" }
start = { spread = "1s" }
"""
"""A source beside those of `bulk` that sends twice the link's rate for a fifth of a second now and then."""

CHATRANON_RED = f'kind = "red", {NS2_RED}, limit = "300p", min_th = "50p", max_th = "150p"'
"""RED as in Chatranon 2004."""


def chatranon(queue: str, *, fast: int = 1, fast_rate: str = "5Mbit", rate: str = "5Mbit") -> str:
    """Chatranon 2004, section 3.3: 100 TCP flows and some fast ones, 200 s of which 150 are measured.

    Not stated: the TCP variant (NewReno here), the least timeout (ns-2's of 2004), when flows start (within a second).
    """
    return f"""
title = "Chatranon 2004"
duration = "200s"
warmup = "50s"

[dumbbell]
rate = "{rate}"
delay = "10ms"
access = {{ rate = "100Mbit", delay = "10ms" }}
queue = {{ {queue} }}

[[flow]]
name = "tcp"
count = 100
transport = {{ kind = "tcp", profile = "ns2", recovery = "newreno", packet = "1000B", {OLD_TIMEOUT} }}
start = {{ spread = "1s" }}

[[flow]]
name = "udp"
count = {fast}
transport = {{ kind = "udp", packet = "1000B" }}
app = {{ kind = "cbr", rate = "{fast_rate}", jitter = "10%" }}
start = {{ spread = "1s" }}
"""


def alemu(queue: str, flows: int) -> str:
    """Alemu 2004, section 2.3 (figure 2.2): three basic SACK flows, one of them backwards, and `flows` - 3 more; 100 s.

    Not stated: warm-up (none here) and headers. Packets of 1000 B, as table 4.1 has them; windows of 15 and 20.
    """
    sender = f'kind = "tcp", profile = "ns2", recovery = "sack", packet = "1000B", {OLD_TIMEOUT}'
    more = f"""
[[flow]]
name = "additional"
count = {flows - 3}
transport = {{ {sender}, window = "20p" }}
start = {{ at = "3.5s", spread = "{0.1 * (flows - 3):g}s" }}
access = {{ rate = "10Mbit", delay = "3ms" }}
"""
    return f"""
title = "Alemu 2004"
duration = "100s"

[dumbbell]
rate = "1.5Mbit"
delay = "20ms"
access = {{ rate = "10Mbit", delay = "3ms" }}
queue = {{ {queue}, limit = "35p" }}
reverse_queue = {{ {queue}, limit = "35p" }}

[[flow]]
name = "first"
transport = {{ {sender}, window = "15p" }}
start = "0s"

[[flow]]
name = "back"
direction = "backward"
transport = {{ {sender}, window = "15p" }}
start = "1s"

[[flow]]
name = "second"
transport = {{ {sender}, window = "15p" }}
start = "3s"
{more if flows > 3 else ""}
[record]
queue = "10ms"
"""


def tahiliani(queue: str, flows: int) -> str:
    """Tahiliani 2013, section 3.3.1: SACK flows that start together over 10 Mbit/s with a round trip of 80 ms, ECN.

    Not stated: buffer (100 packets here), access links, duration, that ECN is on (its drop rates say so).
    """
    return f"""
title = "Tahiliani 2013"
duration = "100s"

[dumbbell]
rate = "10Mbit"
delay = "20ms"
access = {{ rate = "100Mbit", delay = "10ms" }}
queue = {{ {queue}, limit = "100p", ecn = true }}

[[flow]]
name = "tcp"
count = {flows}
transport = {{ kind = "tcp", profile = "ns2", recovery = "sack", packet = "1040B", ecn = true, rto_min = "0.2s" }}
start = {{ spread = "0.1s" }}
"""


def paper(key: str, file: str, queue: str, link: str) -> str:
    """A scenario of one of the papers here with another queue at `link` (`dumbbell` for that of a dumbbell)."""
    text = (Path(__file__).parents[2] / "python/sojourn/_papers" / key / "scenarios" / file).read_text(encoding="utf-8")
    place = "[dumbbell]" if link == "dumbbell" else f'name = "{link}"'
    before, after = text.split(place, 1)
    start = after.index("queue = {")
    end = after.index("\n", start)
    return f"{before}{place}{after[:start]}queue = {{ {queue} }}{after[end:]}"


def ns2_diffserv(meter: str, rates: tuple[str, str]) -> str:
    """ns-2 2.35's examples of diffserv (tcl/ex/diffserv): two sources, an edge that colours, a core link of 5 Mbit/s.

    Stated all: links, thresholds (green 20 to 40 at 0.02, yellow 10 to 20 at 0.1, red 5 to 10 at 0.2), buckets, rates.
    """
    red = 'preset = "ns2{}", red_min_th = "5p", red_max_th = "10p", red_max_p = 0.2'
    queues = {
        "core": f'queue = {{ kind = "diffserv", {red.format("_edge")}, {meter} }}',
        "out": f'queue = {{ kind = "diffserv", {red.format("")} }}',
    }
    ends = [("s1", "edge", 10), ("s2", "edge", 10), ("edge", "core", 10), ("core", "out", 5), ("out", "sink", 10)]
    links = "".join(
        f"""
[[link]]
name = "{end}{source if end == "edge" else ""}"
from = "{source}"
to = "{end}"
rate = "{rate}Mbit"
delay = "5ms"
{queues.get(end, "")}
"""
        for source, end, rate in ends
    )
    flows = "".join(
        f"""
[[flow]]
name = "s{number}"
from = "s{number}"
to = "sink"
transport = {{ kind = "udp", packet = "1000B" }}
app = {{ kind = "cbr", rate = "{rate}" }}
start = "0s"
"""
        for number, rate in enumerate(rates, start=1)
    )
    names = ", ".join(f'{{ name = "{name}" }}' for name in ("s1", "s2", "edge", "core", "out", "sink"))
    return f"""
title = "ns-2's diffserv"
duration = "80s"
node = [{names}]
{links}{flows}"""


def goyal(meter: str) -> str:
    """Goyal, Durresi and Jain 1999: nine customers with five TCP flows each, one with a source of 1.28 Mbit/s, on a T1.

    Each has reserved 76.8 kbit/s, half of the link in all. Not at hand: which TCP (SACK here), buckets (10000 bytes).
    """
    return f"""
title = "Goyal 1999"
duration = "200s"
warmup = "20s"

[dumbbell]
rate = "1.5Mbit"
delay = "20ms"
access = {{ rate = "10Mbit", delay = "5ms" }}
queue = {{ kind = "diffserv", preset = "ns2_edge", cir_mbit = [0.0768, 0.01536], {meter} }}

[[flow]]
name = "udp"
transport = {{ kind = "udp", packet = "576B" }}
app = {{ kind = "cbr", rate = "1.28Mbit", jitter = "10%" }}
start = "0s"

[[flow]]
name = "tcp"
count = 45
transport = {{ kind = "tcp", profile = "ns2", recovery = "sack", packet = "576B" }}
start = {{ spread = "5s" }}
"""


def abe(green: str) -> str:
    """Four SACK flows and a source of 2 Mbit/s on 10 Mbit/s, whose packets are green if `green` names it."""
    return bulk(
        f'kind = "abe", limit = "100p", green_delay = "20ms", green_flows = {green}',
        flows=4,
        delay="6ms",
        access="2ms",
        more="""
[[flow]]
name = "voice"
transport = { kind = "udp", packet = "1000B" }
app = { kind = "cbr", rate = "2Mbit", jitter = "10%" }
start = "0s"
""",
    )


def mahajan(queue: str) -> str:
    """Mahajan, Floyd and Wetherall 2001, figure 10, by the authors' script (netAllUDP): sources of 1 to 50 % of a link.

    Not stated: how regular the sources are (intervals within 10 % here).
    """
    groups = "".join(
        f"""
[[flow]]
name = "{part} %"
transport = {{ kind = "udp", packet = "1000B" }}
app = {{ kind = "cbr", rate = "{100 * part}kbit", jitter = "10%" }}
start = {{ spread = "10s" }}
"""
        for part in (1, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50)
    )
    return f"""
title = "Mahajan 2001"
duration = "390s"
warmup = "190s"

[dumbbell]
rate = "10Mbit"
delay = "20ms"
access = {{ rate = "100Mbit", delay = "2ms" }}
queue = {{ {queue} }}
{groups}"""


def blasts(queue: str, *, flows: int = 10, rate_mbit: int = 10, part: float = 1.0) -> str:
    """Sources without control, the i-th at `part` of i times an even part of the link: each has always one there."""
    even = part * rate_mbit / flows
    groups = "".join(
        f"""
[[flow]]
name = "udp-{number}"
transport = {{ kind = "udp", packet = "1000B" }}
app = {{ kind = "cbr", rate = "{even * (number + 1):g}Mbit", jitter = "10%" }}
start = "0s"
"""
        for number in range(1, flows + 1)
    )
    return f"""
title = "Sources without control"
duration = "110s"
warmup = "10s"

[dumbbell]
rate = "{rate_mbit}Mbit"
delay = "10ms"
access = {{ rate = "100Mbit", delay = "1ms" }}
queue = {{ {queue} }}
{groups}"""


def bulk(
    queue: str,
    *,
    flows: int,
    rate: str = "10Mbit",
    delay: str = "10ms",
    access: str = "10ms",
    tcp: str = 'profile = "ns2", recovery = "sack", packet = "1000B"',
    duration: str = "100s",
    more: str = "",
) -> str:
    """Long flows over a dumbbell, measured from 20 s on."""
    return f"""
title = "Long flows"
duration = "{duration}"
warmup = "20s"

[dumbbell]
rate = "{rate}"
delay = "{delay}"
access = {{ rate = "1Gbit", delay = "{access}" }}
queue = {{ {queue} }}

[[flow]]
name = "tcp"
count = {flows}
transport = {{ kind = "tcp", {tcp} }}
start = {{ spread = "1s" }}
{more}"""


SHARED_TIME = 2 * 0.08 + 200 * 8000 / (50e6 * (1 - 0.8))
"""Completion time in seconds of the connections of `processor_sharing` if they shared the link as a processor: two
round trips (of the handshake and of the last packet with its acknowledgement), and L / (C (1 - load))."""


def processor_sharing(queue: str, *, packets: int, control: str) -> str:
    """Dukkipati and McKeown 2006, section 3, at a fiftieth of their rate: Poisson arrivals of connections of one size.

    A load of 0.8 on 50 Mbit/s, round trips of 80 ms, packets of 1000 bytes with 60 of headers.
    """
    return f"""
title = "Dukkipati and McKeown 2006"
duration = "60s"
warmup = "15s"

[dumbbell]
rate = "50Mbit"
delay = "20ms"
access = {{ rate = "1Gbit", delay = "10ms" }}
queue = {{ {queue} }}

[[flow]]
name = "web"
transport = {{ kind = "tcp", control = "{control}", profile = "linux", packet = "1000B", header = "60B" }}

[flow.app]
kind = "packmime"
rate = {0.8 * 50e6 / (packets * 8000):g}
interval_law = "exponential"
request = "0B"
cached = 0
response = "{packets * 940}B"
response_spread = 0
server_delay = "0s"
"""
