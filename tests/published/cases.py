"""One published number for every registered queue: where it is printed, its setting, and how ours is read.

Where none is at hand, a property that the authors claim, with a bound that is derived in `comment`.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "peers"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import ns2
import ours
from metrics import Metric, group, largest_error, queue, service_gap
from scenes import (
    NS2_RED,
    SHARED_TIME,
    abe,
    alemu,
    blasts,
    bulk,
    chatranon,
    mahajan,
    paper,
    processor_sharing,
    tahiliani,
)

import sojourn

PAGE = Path(__file__).resolve().parents[2] / "docs/validation.md"


@dataclass(frozen=True)
class Case:
    """A number of a work beside ours."""

    queue: str
    """The registered queue."""
    source: str
    """Work, and where in it."""
    what: str
    """What is counted, with its unit."""
    scenario: str
    metric: Metric
    printed: float | None = None
    """The printed number; `None` if a bound is tested."""
    bound: tuple[float, float] = (float("-inf"), float("inf"))
    """What the property allows."""
    comment: str = ""
    differs: str = ""
    """Why our mean is known not to lie within `TOLERANCE` of the printed number, or outside the bound."""
    against: str = ""
    """Another scenario: the metric is the ratio to that one's with the same seed."""

    def agrees(self, mean: float) -> bool:
        """Whether our mean is near the printed number, or within the bound."""
        if self.printed is None:
            return self.bound[0] <= mean <= self.bound[1]
        return abs(mean - self.printed) <= TOLERANCE * abs(self.printed)


TOLERANCE = 0.10
"""Part of a printed number within which ours agrees: works print means of 1 to 100 runs of another simulator without
intervals, and leave part of the setting open. `make test` allows for the interval of its few seeds besides."""

PLR = queue("loss_ratio", 100.0)
AQS = queue("backlog_mean_packets")
UDP = group("udp")
CHATRANON_RED = f'kind = "red", {NS2_RED}, limit = "300p", min_th = "50p", max_th = "150p"'
FAIR = 5000 / 101
NO_NUMBER = "no number is at hand; "
BURSTS = """
[[flow]]
name = "bursts"
transport = { kind = "udp", packet = "1000B" }
app = { kind = "on_off", rate = "20Mbit", on = "0.2s", off = "2s" }
start = { spread = "1s" }
"""


def peer(name: str, setting: str) -> Case:
    """The mean queue of a setting of the peer check, with ns-2's number as docs/validation.md has it."""
    row = re.search(rf"^\| {setting} \| ([0-9.]+) ±", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    if row is None:
        raise ValueError(f"{PAGE} has no row {setting}")
    scenario = ours.scenario_text(ns2.load_settings()[setting])
    return Case(name, f"ns-2 2.35, setting `{setting}` below", "mean queue, packets", scenario, AQS, float(row[1]))


def sfc_law(result: sojourn.Result) -> float:
    """SFC's probability at the mean queue and the mean rate of arrivals, on 1250 packets/s, with its case's gains."""
    sent = queue("throughput_bps")(result) / 8000.0
    arrivals = sent / (1.0 - PLR(result) / 100.0)
    return 0.002 * (AQS(result) - 50.0) + 0.0001 * (arrivals + 10.0 - 1250.0)


def tahiliani_row(name: str, table: str, printed: float) -> Case:
    """40 flows: the drop rate of a variant of Adaptive RED."""
    source = f"Tahiliani 2013, table {table}, 40 flows"
    comment = "buffer and ECN are not stated"
    return Case(
        name, source, "drop rate, %", tahiliani(f'kind = "{name}", preset = "ns2"', 40), PLR, printed, comment=comment
    )


def alemu_row(
    name: str, settings: str, flows: int, printed: float, what: str = "loss, %", metric: Metric = PLR
) -> Case:
    """A cell of table 2.2."""
    scenario = alemu(f'kind = "{name}", {settings}', flows)
    return Case(name, f"Alemu 2004, table 2.2, {flows} flows", what, scenario, metric, printed)


def even_service(name: str, settings: str, comment: str, limit: float) -> Case:
    """Ten blasts: bytes between the best and the least served."""
    what = "bytes between the flow served most and least in 100 s"
    return Case(
        name,
        "fair queueing's claim",
        what,
        blasts(f'kind = "{name}"{settings}'),
        service_gap,
        None,
        (0.0, limit),
        comment,
    )


def blast_rate(name: str, settings: str, who: str, kbit: float, source: str, comment: str) -> Case:
    """Ten blasts: what one of them gets, to 1 %."""
    scenario = blasts(f'kind = "{name}", {settings}')
    bound = (0.99 * kbit, 1.01 * kbit)
    return Case(name, source, f"{who}, kbit/s", scenario, group(who), None, bound, f"{comment}; 1 % is ours")


def shaped_rate(name: str, source: str) -> Case:
    """Ten blasts: what leaves at 3 of 10 Mbit/s, to 0.1 %."""
    scenario = blasts(f'kind = "{name}", rate = "3Mbit"')
    what, comment = "what leaves, kbit/s", "no more than the rate goes for long, and no less while something waits"
    return Case(name, source, what, scenario, queue("throughput_bps", 1e-3), None, (2997.0, 3003.0), comment)


FAMILY = (
    peer("fifo", "fifo-2"),
    Case(
        "red",
        "Chatranon 2004, table 5",
        "UDP, kbit/s",
        chatranon(CHATRANON_RED, fast=5, fast_rate="500kbit"),
        UDP,
        420.32,
    ),
    peer("ared", "ared-1"),
    alemu_row("ared", 'preset = "ns2", min_th = "5p", max_th = "15p"', 28, 14.79),
    alemu_row("ared_feng", 'preset = "ns2", min_th = "5p", max_th = "15p"', 28, 14.90),
    alemu_row("psand", 'preset = "paper"', 3, 7.43, "mean queue, packets", AQS),
    replace(
        alemu_row("psand", 'preset = "paper"', 28, 13.90),
        differs="open: Adaptive RED's losses in the same table are met, PSAND's are a tenth higher here",
    ),
    tahiliani_row("re_ared", "3.4", 8.25),
    tahiliani_row("fared", "3.6", 8.03),
    tahiliani_row("cared", "3.9", 8.13),
    Case(
        "dsred",
        "Zheng and Atiquzzaman 2000, by Alemu 2004, section 1.2",
        "its throughput over RED's",
        alemu('kind = "dsred", preset = "alemu2004"', 28),
        queue("throughput_bps"),
        None,
        (1.0, float("inf")),
        NO_NUMBER + "claimed: more throughput than RED (thresholds 5 and 15 in both, RED as printed in 1993)",
        differs="with the same thresholds DSRED holds a shorter queue, which is empty more often; "
        "where the claim was tested is not known",
        against=alemu('kind = "red", preset = "paper"', 28),
    ),
    Case(
        "ared_mimd",
        "Tahiliani 2013, section 2.1",
        "mean queue, packets",
        bulk('kind = "ared_mimd", preset = "paper", limit = "100p"', flows=20),
        AQS,
        None,
        (9.0, 11.0),
        NO_NUMBER + "claimed: the average stays in the target, the middle fifth between thresholds 5 and 15",
    ),
    Case(
        "nlred",
        "Zhou, Yeung and Li 2006",
        "its throughput over RED's",
        bulk('kind = "nlred", preset = "ns2", min_th = "5p", max_th = "15p", limit = "50p"', flows=3),
        queue("throughput_bps"),
        None,
        (1.0, float("inf")),
        NO_NUMBER + "claimed: more throughput than RED under light load, where its square drops less",
        against=bulk(f'kind = "red", {NS2_RED}, min_th = "5p", max_th = "15p", limit = "50p"', flows=3),
    ),
    Case(
        "wred",
        "Cisco IOS: low precedences lose first",
        "rate of precedence 7 over that of precedence 0",
        bulk(
            'kind = "wred", preset = "ios", limit = "100p", class_by = "flow", precedence = [0, 0, 0, 0, 0, 7]',
            flows=5,
            more="""
[[flow]]
name = "preferred"
count = 5
transport = { kind = "tcp", profile = "ns2", recovery = "sack", packet = "1000B" }
start = { spread = "1s" }
""",
        ),
        lambda result: group("preferred")(result) / group("tcp")(result),
        None,
        (1.0, float("inf")),
        NO_NUMBER + "claimed: traffic of low precedence is dropped before that of high precedence",
    ),
    Case(
        "wq_max_p",
        "Verma, Iyer and Karandikar 2002, by Tahiliani 2013, section 2.1",
        "mean queue, packets",
        bulk('kind = "wq_max_p", preset = "paper", limit = "100p"', flows=20),
        AQS,
        None,
        (9.0, 11.0),
        NO_NUMBER + "claimed: it is Adaptive RED, whose average stays in the middle fifth between thresholds 5 and 15",
        differs="the great weight carries the average across its target, where a step up is 14 % of max_p and one "
        "down 10 %, so that it rests below; Adaptive RED itself has 10.3 here (seed 1)",
    ),
    Case(
        "self_tuning_red",
        "Chen, Hu and Ji 2011: the queue stays at its target",
        "mean queue, packets",
        bulk('kind = "self_tuning_red", min_th = "5p", max_th = "35p", target = "20p", limit = "100p"', flows=20),
        AQS,
        20.0,
        comment="printed is the target",
    ),
    Case(
        "mred",
        "Feng, Agarwal, Jayaraman and Siew 2004",
        "TCP's throughput over that under RED",
        bulk('kind = "mred", preset = "paper", limit = "50p"', flows=5, more=BURSTS),
        group("tcp"),
        None,
        (1.0, float("inf")),
        NO_NUMBER + "claimed: more throughput under bursty traffic, where RED goes on dropping everything after a "
        "burst; with long flows alone it is 0.999 ± 0.009 of RED's",
        against=bulk('kind = "red", preset = "paper", limit = "50p"', flows=5, more=BURSTS),
    ),
    Case(
        "ered",
        "Abbasov and Korukoglu 2009",
        "its loss over RED's",
        bulk('kind = "ered", preset = "paper", limit = "50p"', flows=20),
        PLR,
        None,
        (0.0, 1.0),
        NO_NUMBER + "claimed: it loses less than RED with the same thresholds",
        against=bulk('kind = "red", preset = "paper", limit = "50p"', flows=20),
    ),
    Case(
        "e_red",
        "Liu, Basar and Srikant 2005",
        "utilisation, %",
        bulk('kind = "e_red", limit = "100p"', flows=20),
        queue("utilisation", 100.0),
        None,
        (90.0, 98.5),
        NO_NUMBER + "claimed: slightly less than the link is used, here at most 98 % and half of a percent",
    ),
    Case(
        "hybrid_red",
        "Haider 2005, table 6.2, theta 1, xi 1.25, topology 1",
        "loss, %",
        paper(
            "haider2005",
            "H1.toml",
            'kind = "hybrid_red", preset = "paper", theta = 1, xi = 1.25, cut_once = true',
            "bottleneck",
        ),
        PLR,
        0.79,
        differs="RED itself loses 1.26 % here where table 6.1 has 1.02: the report leaves the senders open",
    ),
    Case(
        "hybrid_red",
        "Haider 2005, table 6.2, theta 1, xi 1.25, topology 1",
        "utilisation, %",
        paper(
            "haider2005",
            "H1.toml",
            'kind = "hybrid_red", preset = "paper", theta = 1, xi = 1.25, cut_once = true',
            "bottleneck",
        ),
        queue("utilisation", 100.0),
        98.92,
    ),
    Case(
        "lpf_oda",
        "Haider 2005, table 6.1, topology 1",
        "utilisation, %",
        paper("haider2005", "H1.toml", 'kind = "lpf_oda", preset = "paper", cut_once = true', "bottleneck"),
        queue("utilisation", 100.0),
        94.93,
    ),
    Case(
        "red_worcester",
        "Phirke 2002, figure 3.8: 50 packets is its 80-ms hint",
        "mean queue, packets",
        paper("phirke2002", "mix.toml", 'kind = "red_worcester", preset = "paper"', "dumbbell").replace("32ms", "80ms"),
        AQS,
        50.0,
        comment="every flow asks for 80 ms, 50 packets at 5 Mbit/s; the mean queue follows the moving target",
    ),
    Case(
        "red_boston",
        "Phirke 2002, figure 4.11: delay near the hint",
        "mean one-way delay of the 80-ms flows less that of the 48-ms flows, ms",
        paper("phirke2002", "hints.toml", 'kind = "red_boston", preset = "paper"', "dumbbell"),
        lambda result: group("80 ms", "delay_mean_ms", 1.0)(result) - group("48 ms", "delay_mean_ms", 1.0)(result),
        32.0,
        comment="the delay rises linearly with the hint, so by the 32 ms between two hints",
    ),
)

CONTROLLERS = (
    peer("pi", "pi-2"),
    Case(
        "pi",
        "Alemu 2004, section 4.3: reference",
        "mean queue, packets",
        alemu('kind = "pi", preset = "alemu2004"', 28),
        AQS,
        10.0,
        comment="printed is the reference; the thesis says itself that PI needs a minute to come down, of 100 s",
        differs="the gains are for 3 flows: the minute in which the queue is full counts",
    ),
    Case(
        "pie",
        "RFC 8033, section 4.2: reference",
        "mean sojourn time, ms",
        bulk('kind = "pie", preset = "rfc8033"', flows=50, delay="30ms"),
        queue("sojourn_mean_ms"),
        15.0,
        comment="printed is the reference; 10 Mbit/s, a round trip of 100 ms, 50 flows as in Pan et al. 2013, figure 6",
    ),
    Case(
        "pie",
        "RFC 8034: reference",
        "mean sojourn time, ms",
        bulk('kind = "pie", preset = "docsis"', flows=20, delay="30ms"),
        queue("sojourn_mean_ms"),
        10.0,
        comment="printed is the reference",
        differs="RFC 8034 lets the probability decay by 2 % while delays are below half of the reference, so that the "
        "controller rests above it; without that (`calm` = empty) the mean of seed 1 is 10.1 ms",
    ),
    Case(
        "pi2",
        "De Schepper et al. 2016, table 1: target",
        "mean sojourn time, ms",
        bulk('kind = "pi2", preset = "paper"', flows=50, delay="30ms"),
        queue("sojourn_mean_ms"),
        20.0,
        comment="printed is the target",
    ),
    Case(
        "dred",
        "Aweya, Ouellette and Montuno 2001: target",
        "mean queue, packets",
        bulk('kind = "dred", preset = "paper", limit = "200p"', flows=40, delay="30ms"),
        AQS,
        100.0,
        comment="printed is the target, half of the buffer",
    ),
    Case(
        "sfc",
        "Alemu 2004, table 1.1: p = k1 x + k2 y",
        "loss over what the law gives",
        bulk('kind = "sfc", k1 = 0.002, k2 = 0.0001, q_ref = "50p", limit = "200p", window = "100ms"', flows=40),
        lambda result: PLR(result) / 100.0 / sfc_law(result),
        1.0,
        comment="the law is linear; its rate counts the packet that comes, 10 packets/s more with a window of 100 ms",
    ),
    peer("rem", "rem-1"),
    peer("avq", "avq-2"),
    Case(
        "lred",
        "Alemu 2004, section 4.6.1: constant near 10",
        "mean queue, packets",
        alemu('kind = "lred", preset = "alemu2004_star"', 103),
        AQS,
        10.0,
    ),
    Case(
        "blue",
        "Feng et al. 1999, figure 6",
        "loss with ECN, %",
        bulk(
            'kind = "blue", preset = "paper", limit = "200p", ecn = true',
            flows=50,
            tcp='profile = "ns2", recovery = "reno", packet = "1000B", ecn = true',
        ),
        PLR,
        None,
        (0.0, 0.1),
        NO_NUMBER + "claimed: marks alone hold the queue, next to no loss; 0.1 % is ours",
    ),
    Case(
        "p_controller",
        "Hollot et al. 2001: p = K (q - q_0)",
        "loss over the slope times the mean queue",
        bulk('kind = "p_controller", min_th = "0p", slope = 0.005, limit = "200p"', flows=40),
        lambda result: PLR(result) / 100.0 / (AQS(result) / 200.0),
        1.0,
        comment="the law is linear, so the loss is the slope times the mean queue that packets find",
    ),
    Case(
        "green",
        "Feng et al. 2002: p = (N MSS c / (L RTT))^2",
        "loss over what the formula gives",
        bulk('kind = "green", preset = "feng2002", limit = "400p"', flows=20, rate="10Mbit", delay="40ms"),
        lambda result: (
            PLR(result) / 100.0 / (20 * 8000 * (1.5**0.5) / (10e6 * group("tcp", "rtt_mean_ms", 1e-3)(result))) ** 2
        ),
        1.0,
        comment="c = sqrt(3/2), our mean round trip",
    ),
    Case(
        "codel",
        "Nichols and Jacobson 2012; RFC 8289, section 4.4",
        "mean sojourn time, ms",
        bulk('kind = "codel", preset = "paper", limit = "1000p"', flows=4, delay="40ms"),
        queue("sojourn_mean_ms"),
        None,
        (0.0, 10.0),
        NO_NUMBER + "claimed: a standing queue is held near the target of 5 ms; twice that is ours",
    ),
    Case(
        "cobalt",
        "Palmei et al. 2019; target of CAKE",
        "mean sojourn time, ms",
        bulk('kind = "cobalt", ecn = false', flows=4, delay="40ms"),
        queue("sojourn_mean_ms"),
        None,
        (0.0, 10.0),
        NO_NUMBER + "claimed: a standing queue is held near the target of 5 ms, as by CoDel; twice that is ours",
    ),
    Case(
        "decbit",
        "Ramakrishnan and Jain 1990: the knee",
        "mean queue with the packet in service, packets",
        bulk(
            'kind = "decbit", limit = "100p"',
            flows=2,
            rate="1Mbit",
            tcp='profile = "ns2", recovery = "reno", packet = "1000B", ecn = true, '
            'ecn_feedback = "dctcp", control = "decbit"',
        ),
        lambda result: AQS(result) + float(result.queue["utilisation"][0]),
        None,
        (0.5, 2.0),
        NO_NUMBER + "claimed: windows settle where the queue averages 1, from one below to two",
    ),
    Case(
        "xcp",
        "Katabi, Handley and Rohrs 2002, section 5: no drops",
        "loss, %",
        bulk(
            'kind = "xcp", limit = "500p"',
            flows=20,
            tcp='profile = "ns2", recovery = "newreno", packet = "1000B", control = "xcp"',
        ),
        PLR,
        None,
        (0.0, 0.0),
        NO_NUMBER + "claimed: it never drops a packet in their simulations",
    ),
    Case(
        "rcp",
        "Dukkipati and McKeown 2006, section 3: 200 packets at a load of 0.8",
        "completion time over processor sharing's",
        processor_sharing('kind = "rcp", limit = "1BDP"', packets=200, control="rcp"),
        lambda result: float(result.flow["completion_mean_s"][0]) / SHARED_TIME,
        None,
        (0.8, 1.6),
        NO_NUMBER + "claimed: close to processor sharing, 2 RTT + L / (C (1 - load)) with a handshake",
    ),
)

FAIRNESS = (
    Case(
        "choke",
        "Chatranon 2004, table 3",
        "UDP, kbit/s",
        chatranon('kind = "choke", preset = "chatranon2004"'),
        UDP,
        1187.3,
    ),
    Case(
        "choke",
        "Chatranon 2004, table 5, self-adjusting",
        "UDP, kbit/s",
        chatranon('kind = "choke", preset = "chatranon2004_self_adjusting"', fast=5, fast_rate="500kbit"),
        UDP,
        318.52,
        comment="two candidates; with the text's eight regions ours is less than half of it",
    ),
    Case(
        "choke",
        "Chatranon 2004, table 6, self-adjusting",
        "UDP, kbit/s",
        chatranon('kind = "choke", preset = "chatranon2004_self_adjusting"', fast=5),
        UDP,
        841.29,
        comment="two candidates; the printed rates sum to 4716 of 5000 kbit/s, ours fill the link",
    ),
    Case(
        "sfb",
        "Chatranon 2004, table 3, limit near the fair rate",
        "UDP, kbit/s",
        chatranon('kind = "sfb", preset = "chatranon2004"'),
        UDP,
        49.57,
    ),
    Case("care", "Chatranon 2004, table 3", "UDP, kbit/s", chatranon('kind = "care", preset = "paper"'), UDP, 172.66),
    Case(
        "care",
        "Chatranon 2004, table 6",
        "UDP, kbit/s",
        chatranon('kind = "care", preset = "paper"', fast=5),
        UDP,
        1000.0,
    ),
    Case(
        "black",
        "Chatranon 2004, table 13",
        "UDP, kbit/s",
        chatranon('kind = "black", preset = "bitmap"'),
        UDP,
        73.20,
        differs="open: equation 3.4 by the letter settles near twice the fair rate; the work tells of a swing "
        "between one and two",
    ),
    Case("afc", "Chatranon 2004, table 13", "UDP, kbit/s", chatranon('kind = "afc", preset = "paper"'), UDP, 50.46),
    Case(
        "capped_tail",
        "Chatranon 2004, section 3.2, figure 14",
        "source of 5 Mbit/s, kbit/s",
        paper("chatranon2004", "pilot.toml", 'kind = "capped_tail", preset = "paper", limit = "300p"', "dumbbell"),
        group("5 Mbit/s"),
        1000.0,
        comment="five sources of 1 to 5 Mbit/s share 5 Mbit/s evenly, as the figure is described",
    ),
    Case(
        "lqd",
        "Suter et al. 1998, by Chatranon 2004, section 2.2.3.2",
        "UDP, kbit/s",
        chatranon('kind = "lqd", preset = "paper", limit = "300p"'),
        UDP,
        None,
        (0.0, 5000 * (300 / 101 + 1) / 300),
        NO_NUMBER
        + "claimed: isolation. A flow gets in while it has less than 300/101 packets, so it holds at most 3.97 of 300; "
        "front drops from one FIFO take even these",
    ),
    Case(
        "fred",
        "Lin and Morris 1997",
        "UDP, kbit/s",
        chatranon('kind = "fred", preset = "paper", limit = "300p", min_th = "50p", max_th = "150p"'),
        UDP,
        None,
        (0.0, 5000 * 2 / 50),
        NO_NUMBER + "claimed: a flow that does not respond is held to avgcq, here 1 to 2 packets of at least 50",
    ),
    Case(
        "bred",
        "Anjum and Tassiulas 1999, by Chatranon 2004, section 2.2.3.4",
        "UDP over its part under RED",
        chatranon('kind = "bred", preset = "chatranon2004", limit = "300p"'),
        UDP,
        None,
        (0.0, 0.5),
        NO_NUMBER
        + "claimed: it isolates flows well, while unresponsive ones still get clearly more; half of RED's is ours",
        against=chatranon(CHATRANON_RED),
    ),
    Case(
        "sred",
        "Ott, Lakshman and Wong 1999, by Alemu 2004, section 1.2",
        "mean queue over the buffer",
        bulk('kind = "sred", preset = "full", limit = "600p"', flows=300, rate="45Mbit", delay="10ms"),
        queue("backlog_mean_packets", 1 / 600),
        1 / 3,
        comment="claimed: the occupancy settles at a third of the buffer, whatever the load",
        differs="above a third the probability is one value, below it a quarter of that: the queue swings across",
    ),
    Case(
        "cbt_red",
        "Parris, Jeffay and Smith 1999",
        "UDP, kbit/s",
        chatranon(
            'kind = "cbt_red", preset = "paper", limit = "300p", min_th = "50p", max_th = "150p", other_th = "2p"'
        ),
        UDP,
        None,
        (0.0, 5000 * 3 / 50),
        NO_NUMBER
        + "claimed: a class gets threshold over queue: at most 2 packets and the one that comes, of at least 50",
    ),
    Case(
        "red_filter",
        "ns-2 2.35 red-pd.cc: distances uniform from 1 to 1/p",
        "drops of the filtered flow over its packets, %",
        blasts(
            'kind = "red_filter", flows = [9], probability = 0.1, spares = "never", min_th = "400p", max_th = "500p", '
            'limit = "600p"',
            part=0.05,
        ),
        lambda result: 100.0 * float(result.flow["loss_ratio"][9]),
        100 * 2 / 11,
        comment="a mean distance of 5.5; sources of 0.1 to 0.55 Mbit/s leave the queue short: only the filter drops",
    ),
    Case(
        "red_pd",
        "Mahajan, Floyd and Wetherall 2001, figure 10",
        "source of half the link, Mbit/s",
        mahajan('kind = "red_pd", preset = "ns2"'),
        group("50 %", scale=1e-6),
        1.05,
        comment="printed is the figure's line, the max-min fair part of the eight largest of eleven sources "
        "(allUDP.bwFair in ns-2's distribution)",
        differs="open: the line is the aim, its points are not printed; the largest sources are held below it here",
    ),
    Case(
        "csfq",
        "Stoica, Shenker and Zhang 1998, figure 5",
        "flow farthest from an even part, %",
        blasts('kind = "csfq", preset = "paper"', flows=32),
        largest_error,
        None,
        (0.0, 20.0),
        NO_NUMBER + "claimed: nearly even, of 32 sources of which the i-th sends i times its part; a fifth is ours",
    ),
    Case(
        "xred",
        "Alemu 2004, section 1.3.3",
        "mean run of losses over RED's",
        blasts('kind = "xred", limit = "50p"'),
        lambda result: float(result.flow["loss_run_mean_packets"][9]),
        None,
        (1.2, float("inf")),
        NO_NUMBER
        + "claimed: what is left of a damaged data unit is not carried, so that losses come in runs; a fifth is ours",
        against=blasts('kind = "red", limit = "50p"'),
    ),
    Case(
        "diffserv",
        "RFC 2597, section 2: assured rate",
        "goodput of the flow with an agreement on 2 Mbit/s, kbit/s",
        bulk(
            'kind = "diffserv", preset = "ns2_edge", meter = "srtcm", cir_mbit = [0, 0, 0, 0, 0, 0, 0, 0, 0, 2]',
            flows=9,
            more="""
[[flow]]
name = "assured"
transport = { kind = "tcp", profile = "ns2", recovery = "sack", packet = "1000B" }
start = "0s"
""",
        ),
        group("assured"),
        None,
        (1.0e3, 2.0e3 * 1.2),
        NO_NUMBER + "claimed: what is agreed is forwarded with high probability; without it an even part is 1000",
    ),
    Case(
        "rio",
        "Clark and Fang 1998",
        "goodput of the flow with a profile of 2 Mbit/s, kbit/s",
        bulk(
            'kind = "rio", preset = "paper", profile_mbit = [0, 0, 0, 0, 0, 0, 0, 0, 0, 2]',
            flows=9,
            more="""
[[flow]]
name = "assured"
transport = { kind = "tcp", profile = "ns2", recovery = "sack", packet = "1000B" }
start = "0s"
""",
        ),
        group("assured"),
        None,
        (1.0e3, 2.0e3 * 1.2),
        NO_NUMBER + "claimed: a flow gets about its profile; without it an even part is 1000",
    ),
)

SCHEDULERS = (
    even_service(
        "drr",
        ', preset = "paper", quantum = "1500B"',
        "Shreedhar and Varghese 1995, theorem: 3 Max, and one packet at each end",
        5000.0,
    ),
    even_service("flow_queue", "", "deficit round robin, a flow to a queue: as `drr`", 5000.0),
    even_service(
        "fq_codel", "", "as `drr`, where no two of 10 flows share one of 1024 queues: 96 % of the seeds", 5000.0
    ),
    Case(
        "dualpi2",
        "RFC 9332, section 1.2: even rates",
        "rate of a DCTCP flow over that of a Reno flow",
        bulk(
            'kind = "dualpi2", preset = "rfc9332"',
            flows=5,
            rate="40Mbit",
            more="""
[[flow]]
name = "scalable"
count = 5
start = { spread = "1s" }

[flow.transport]
kind = "tcp"
profile = "ns2"
packet = "1000B"
control = "dctcp"
ecn = true
ecn_feedback = "dctcp"
ecn_codepoint = "ect1"
""",
        ),
        lambda result: group("scalable")(result) / group("tcp")(result),
        None,
        (0.5, 2.0),
        NO_NUMBER + "claimed: roughly equal rates of both kinds of flows; a factor of two is ours",
    ),
    Case(
        "sfq",
        "McKenney 1990",
        "flow farthest from an even part, %",
        blasts('kind = "sfq", preset = "paper"'),
        largest_error,
        None,
        (0.0, 10.0),
        NO_NUMBER
        + "claimed: nearly fair. Two of 10 flows share one of 1024 queues under 4.3 % of hashes and have half "
        "each for the 10 s that one lasts: 5 % of the run",
    ),
    even_service(
        "fq", ", queues = 65536", "Golestani 1994, theorem: a packet of each of the two, and one at each end", 4000.0
    ),
    blast_rate(
        "priority",
        'class = [{ flows = "udp-1" }, {}]',
        "udp-1",
        2000.0,
        "RFC 3246, section 2",
        "what goes first loses nothing of its 2 Mbit/s",
    ),
    blast_rate(
        "rate_controlled_priority",
        'class = [{ flows = "udp-10", rate = "3Mbit" }, {}]',
        "udp-10",
        3000.0,
        "Alemu 2004, section 1.3",
        "11 Mbit/s go first up to 3",
    ),
    blast_rate(
        "wfq",
        'class = [{ flows = "udp-9", weight = 3 }, {}]',
        "udp-9",
        7500.0,
        "Parekh and Gallager 1993, equation (1)",
        "3 of 4 parts",
    ),
    blast_rate(
        "cbfq",
        'flows = 8192, class = [{ flows = ["udp-1", "udp-2", "udp-3"], weight = 0.2 }, { weight = 0.8 }]',
        "udp-1",
        2000.0 / 3.0,
        "Alemu 2004, section 1.3",
        "three calls share 20 %",
    ),
    blast_rate(
        "cbq",
        'class = [{ flows = "udp-9", share = 0.3, borrow = false }, { share = 0.7 }]',
        "udp-9",
        3000.0,
        "Floyd and Jacobson 1995, section 3",
        "a class that may not borrow has its share of 30 %",
    ),
    *(
        shaped_rate(name, source)
        for name, source in (
            ("token_bucket", "RFC 1363, section 2"),
            ("leaky_bucket", "Turner 1986"),
            ("policer", "RFC 2697, section 2"),
        )
    ),
    Case(
        "abe",
        "Hurley et al. 2001: blue packets are not worse off",
        "goodput of four blue flows over that beside a blue source, both under ABE",
        abe("[4]"),
        group("tcp"),
        None,
        (0.95, float("inf")),
        NO_NUMBER + "claimed: blue traffic gets at least as much as in flat best effort; 5 % for the spread is ours",
        against=abe("[]"),
    ),
    Case(
        "abe",
        "Hurley et al. 2001: a low bounded delay",
        "mean delay of the green packets, ms",
        abe("[4]"),
        group("voice", "delay_mean_ms", 1.0),
        None,
        (0.0, 10 + 20 + 2 * 0.81 + 0.1),
        NO_NUMBER + "claimed: a bound: 10 ms of links, 20 ms of queue, and the transmissions of two packets",
    ),
    Case(
        "tcp_model",
        "Floyd and Fall 1999, by Chatranon 2004, section 2.2.3.1",
        "UDP over its part under RED",
        chatranon('kind = "tcp_model", limit = "300p", min_th = "50p", max_th = "150p"'),
        UDP,
        None,
        (0.0, 0.25),
        NO_NUMBER + "claimed: flows that do not respond are restricted: the class has 5 % of the link, and RED lets "
        "through most of 5 Mbit/s; the flow is out of the class at times, when losses fall: a quarter is ours",
        against=chatranon(CHATRANON_RED),
    ),
    Case(
        "dcbt",
        "Chung and Claypool 2000",
        "UDP, kbit/s",
        chatranon('kind = "dcbt", limit = "300p", min_th = "50p", max_th = "150p"'),
        UDP,
        None,
        (0.0, 2 * FAIR),
        NO_NUMBER + "claimed: fairness among classes; one flow of 101 is a class of its own; twice its part is ours",
    ),
    Case(
        "source_quench",
        "RFC 1016, section 2: quench before overflow",
        "packets dropped, % of RED's",
        bulk('kind = "source_quench"', flows=4),
        PLR,
        None,
        (0.0, 1.0),
        NO_NUMBER + "claimed: what is told need not be dropped, so that less is lost than under RED alone",
        against=bulk('kind = "red"', flows=4),
    ),
    Case(
        "hop_by_hop",
        "Mishra and Kanakia 1992",
        "loss, %",
        bulk('kind = "hop_by_hop", limit = "200p"', flows=4),
        PLR,
        None,
        (0.0, 0.1),
        NO_NUMBER + "claimed: next to no loss; 0.1 % is ours",
    ),
)

CASES = (*FAMILY, *CONTROLLERS, *FAIRNESS, *SCHEDULERS)
