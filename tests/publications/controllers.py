"""Controllers and signals: one published number each."""

from __future__ import annotations

from case import NO_NUMBER, Case, peer
from metrics import BACKLOG, LOSS, SOJOURN, group, queue
from scenes import SHARED_TIME, alemu, bulk, processor_sharing

import sojourn


def sfc_law(result: sojourn.Result) -> float:
    """SFC's probability at the mean queue and the mean rate of arrivals, on 1250 packets/s, with its case's gains."""
    sent = queue("throughput_bps")(result) / 8000.0
    arrivals = sent / (1.0 - LOSS(result) / 100.0)
    return 0.002 * (BACKLOG(result) - 50.0) + 0.0001 * (arrivals + 10.0 - 1250.0)


CONTROLLERS = (
    peer("pi", "pi-2"),
    Case(
        "pi",
        "Alemu 2004, section 4.3: reference",
        "mean queue, packets",
        alemu('kind = "pi", preset = "alemu2004"', 28),
        BACKLOG,
        10.0,
        comment="the printed number is the reference; the thesis says that PI needs a minute of the 100 s to come down",
        differs="the gains are for 3 flows: the minute in which the queue is full counts",
    ),
    Case(
        "pie",
        "RFC 8033, section 4.2: reference",
        "mean sojourn time, ms",
        bulk('kind = "pie", preset = "rfc8033"', flows=50, delay="30ms"),
        SOJOURN,
        15.0,
        comment="the printed number is the reference; 10 Mbit/s, a round trip of 100 ms, 50 flows as in Pan et al. "
        "2013, figure 6",
    ),
    Case(
        "pie",
        "RFC 8034: reference",
        "mean sojourn time, ms",
        bulk('kind = "pie", preset = "docsis"', flows=20, delay="30ms"),
        SOJOURN,
        10.0,
        comment="the printed number is the reference",
        differs="RFC 8034 lets the probability decay by 2 % while delays are below half of the reference, so that the "
        "controller rests above it: of thirteen behaviours taken back one at a time (behaviours.py) that one (`calm`) "
        "makes 10.1 ms of 11.2, and the others 11.1 to 11.7",
    ),
    Case(
        "pi2",
        "De Schepper et al. 2016, table 1: target",
        "mean sojourn time, ms",
        bulk('kind = "pi2", preset = "paper"', flows=50, delay="30ms"),
        SOJOURN,
        20.0,
        comment="the printed number is the target",
    ),
    Case(
        "dred",
        "Aweya, Ouellette and Montuno 2001: target",
        "mean queue, packets",
        bulk('kind = "dred", preset = "paper", limit = "200p"', flows=40, delay="30ms"),
        BACKLOG,
        100.0,
        comment="the printed number is the target, half of the buffer",
    ),
    Case(
        "sfc",
        "Alemu 2004, table 1.1: p = k1 x + k2 y",
        "loss over that of the law",
        bulk('kind = "sfc", k1 = 0.002, k2 = 0.0001, q_ref = "50p", limit = "200p", window = "100ms"', flows=40),
        lambda result: LOSS(result) / 100.0 / sfc_law(result),
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
        BACKLOG,
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
        LOSS,
        None,
        (0.0, 0.1),
        NO_NUMBER + "marks alone hold the queue, next to no loss; the bound, 0.1 %, is our choice",
    ),
    Case(
        "p_controller",
        "Hollot et al. 2001: p = K (q - q_0)",
        "loss over the slope times the mean queue",
        bulk('kind = "p_controller", min_th = "0p", slope = 0.005, limit = "200p"', flows=40),
        lambda result: LOSS(result) / 100.0 / (BACKLOG(result) / 200.0),
        1.0,
        comment="the law is linear, so the loss is the slope times the mean queue that packets find",
    ),
    Case(
        "green",
        "Feng et al. 2002: p = (N MSS c / (L RTT))^2",
        "loss over that of the formula",
        bulk('kind = "green", preset = "feng2002", limit = "400p"', flows=20, rate="10Mbit", delay="40ms"),
        lambda result: (
            LOSS(result) / 100.0 / (20 * 8000 * (1.5**0.5) / (10e6 * group("tcp", "rtt_mean_ms", 1e-3)(result))) ** 2
        ),
        1.0,
        comment="c = sqrt(3/2), our mean round trip",
    ),
    Case(
        "codel",
        "Nichols and Jacobson 2012; RFC 8289, section 4.4",
        "mean sojourn time, ms",
        bulk('kind = "codel", preset = "paper", limit = "1000p"', flows=4, delay="40ms"),
        SOJOURN,
        None,
        (0.0, 10.0),
        NO_NUMBER + "a standing queue is held near the target of 5 ms; the bound, twice that, is our choice",
    ),
    Case(
        "cobalt",
        "Palmei et al. 2019; target of CAKE",
        "mean sojourn time, ms",
        bulk('kind = "cobalt", ecn = false', flows=4, delay="40ms"),
        SOJOURN,
        None,
        (0.0, 10.0),
        NO_NUMBER + "a standing queue is held near the target of 5 ms, as by CoDel; "
        "the bound, twice that, is our choice",
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
        lambda result: BACKLOG(result) + float(result.queue["utilisation"][0]),
        None,
        (0.5, 2.0),
        NO_NUMBER + "windows settle where the queue averages 1, from one below to two",
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
        LOSS,
        None,
        (0.0, 0.0),
        NO_NUMBER + "it never drops a packet in their simulations",
    ),
    Case(
        "rcp",
        "Dukkipati and McKeown 2006, section 3: 200 packets at a load of 0.8",
        "completion time over processor sharing's",
        processor_sharing('kind = "rcp", limit = "1BDP"', packets=200, control="rcp"),
        lambda result: float(result.flow["completion_mean_s"][0]) / SHARED_TIME,
        None,
        (0.8, 1.6),
        NO_NUMBER + "close to processor sharing, 2 RTT + L / (C (1 - load)) with a handshake",
    ),
    Case(
        "rcp",
        "Dukkipati and McKeown 2006, section 3, with the authors' router (preset `authors`)",
        "completion time over processor sharing's",
        processor_sharing('kind = "rcp", preset = "authors", limit = "1BDP"', packets=200, control="rcp"),
        lambda result: float(result.flow["completion_mean_s"][0]) / SHARED_TIME,
        None,
        (0.8, 1.6),
        NO_NUMBER + "the same; there an interval without a round trip repeats the last one",
    ),
    Case(
        "source_quench",
        "RFC 1016, section 2: quench before overflow",
        "packets dropped, % of RED's",
        bulk('kind = "source_quench"', flows=4),
        LOSS,
        None,
        (0.0, 1.0),
        NO_NUMBER
        + "packets whose senders get a choke packet need not be dropped, so that less is lost than under RED alone",
        against=bulk('kind = "red"', flows=4),
    ),
    Case(
        "hop_by_hop",
        "Mishra and Kanakia 1992",
        "loss, %",
        bulk('kind = "hop_by_hop", limit = "200p"', flows=4),
        LOSS,
        None,
        (0.0, 0.1),
        NO_NUMBER + "next to no loss; the bound, 0.1 %, is our choice",
    ),
)
