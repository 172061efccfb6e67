"""Fair queues, classes and services: one published number each."""

from __future__ import annotations

from case import NO_NUMBER, Case
from metrics import SOJOURN, UDP, Metric, group, largest_error, queue, reason, service_gap
from scenes import ASSURED, abe, blasts, bulk, chatranon, goyal, ns2_diffserv

import sojourn

FAIR = 5000 / 101
"""Even part of one of 101 flows in 5 Mbit/s, kbit/s."""


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
    """Ten blasts: the throughput of one of them, to 1 %."""
    scenario = blasts(f'kind = "{name}", {settings}')
    bound = (0.99 * kbit, 1.01 * kbit)
    comment += "; the bound, 1 %, is our choice"
    return Case(name, source, f"{who}, kbit/s", scenario, group(who), None, bound, comment)


def shaped_rate(name: str, source: str) -> Case:
    """Ten blasts: the departures at 3 of 10 Mbit/s, to 0.1 %."""
    scenario = blasts(f'kind = "{name}", rate = "3Mbit"')
    what, comment = "rate of departures, kbit/s", "never more than the rate for long, and never less while packets wait"
    return Case(name, source, what, scenario, queue("throughput_bps", 1e-3), None, (2997.0, 3003.0), comment)


def diffserv_example(name: str, meter: str, what: str, metric: Metric, printed: float, differs: str = "") -> Case:
    """One of ns-2's examples, with the counts of its core router that Mahfoudi printed.

    The script was not at hand: with sources of 3 Mbit/s each as many packets arrive as printed.
    """
    source = f"ns-2 2.35, example {name}, output printed by Mahfoudi 2024"
    scenario = ns2_diffserv(meter, ("3Mbit", "3Mbit"))
    comment = "of 59992 packets in 80 s, as many as arrive here; there green and yellow ones lose nothing"
    return Case("diffserv", source, what, scenario, metric, printed, comment=comment, differs=differs)


def full(result: sojourn.Result) -> float:
    """The drops that ns-2 counts as `ldrops`: above the upper threshold, or at a full buffer."""
    return reason("forced")(result) + reason("overflow")(result)


SRTCM = 'meter = "srtcm", cir_mbit = [1], cbs = "2000B", ebs = "3000B"'
TRTCM = 'meter = "trtcm", cir_mbit = [1], pir_mbit = [2, 1], cbs = "2000B", pbs = "3000B"'
TWO_RATES = 'meter = "trtcm", pir_mbit = [0.0768, 100]'
"""The excess of the source without control is red, that of TCP yellow."""
TOKENS = 'meter = "token_bucket", cir_mbit = [1], cbs = "3000B"'

FAIR_QUEUES = (
    even_service(
        "drr",
        ', preset = "paper", quantum = "1500B"',
        "Shreedhar and Varghese 1995, theorem: 3 Max, and one packet at each end",
        5000.0,
    ),
    even_service("flow_queue", "", "deficit round robin, a flow to a queue: as `drr`", 5000.0),
    even_service("fq_codel", "", "as `drr`, with no two of 10 flows in one of 1024 queues: 96 % of the seeds", 5000.0),
    even_service("fq_pie", "", "as `drr`, with no two of 10 flows in one of 1024 queues: 96 % of the seeds", 5000.0),
    Case(
        "cake",
        "Høiland-Jørgensen, Täht and Morton 2018: a target of 5 ms at 10 Mbit/s",
        "mean sojourn time, ms",
        bulk('kind = "cake", preset = "linux", bandwidth = "9.5Mbit"', flows=4, delay="40ms"),
        SOJOURN,
        None,
        (0.0, 10.0),
        NO_NUMBER + "a standing queue is held near the target; the bound, twice that, is our choice",
    ),
    Case(
        "sfq",
        "McKenney 1990",
        "flow farthest from an even part, %",
        blasts('kind = "sfq", preset = "paper"'),
        largest_error,
        None,
        (0.0, 10.0),
        NO_NUMBER + "nearly fair. Two of 10 flows share one of 1024 queues under 4.3 % of hashes and have half "
        "each for the 10 s that one lasts: 5 % of the run",
    ),
    even_service(
        "fq", ", queues = 65536", "Golestani 1994, theorem: a packet of each of the two, and one at each end", 4000.0
    ),
)

CLASSES = (
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
        NO_NUMBER + "roughly equal rates of both kinds of flows; the bound, a factor of two, is our choice",
    ),
    blast_rate(
        "priority",
        'class = [{ flows = "udp-1" }, {}]',
        "udp-1",
        2000.0,
        "RFC 3246, section 2",
        "the class that goes first loses nothing of its 2 Mbit/s",
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
    blast_rate(
        "htb",
        'class = [{ flows = "udp-9", rate = "3Mbit" }, { rate = "7Mbit", ceil = "10Mbit" }]',
        "udp-9",
        3000.0,
        "Devera 2002, section 2",
        "a class has its rate, and no more if its ceiling is no higher",
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
        NO_NUMBER + "blue traffic gets at least as much as in flat best effort; "
        "the bound, 5 % for the spread, is our choice",
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
        NO_NUMBER + "a bound: 10 ms of links, 20 ms of queue, and the transmissions of two packets",
    ),
    Case(
        "dcbt",
        "Chung and Claypool 2000",
        "UDP, kbit/s",
        chatranon('kind = "dcbt", limit = "300p", min_th = "50p", max_th = "150p"'),
        UDP,
        None,
        (0.0, 2 * FAIR),
        NO_NUMBER + "fairness among classes; one flow of 101 is a class of its own; "
        "the bound, twice its part, is our choice",
    ),
    Case(
        "diffserv",
        "RFC 2597, section 2: assured rate",
        "goodput of the flow with an agreement on 2 Mbit/s, kbit/s",
        bulk(
            'kind = "diffserv", preset = "ns2_edge", meter = "srtcm", cir_mbit = [0, 0, 0, 0, 0, 0, 0, 0, 0, 2]',
            flows=9,
            more=ASSURED,
        ),
        group("assured"),
        None,
        (1.0e3, 2.0e3 * 1.2),
        NO_NUMBER
        + "traffic within the agreement is forwarded with high probability; without an agreement an even part is 1000",
    ),
    Case(
        "rio",
        "Clark and Fang 1998",
        "goodput of the flow with a profile of 2 Mbit/s, kbit/s",
        bulk(
            'kind = "rio", preset = "paper", profile_mbit = [0, 0, 0, 0, 0, 0, 0, 0, 0, 2]',
            flows=9,
            more=ASSURED,
        ),
        group("assured"),
        None,
        (1.0e3, 2.0e3 * 1.2),
        NO_NUMBER + "a flow gets about its profile; without it an even part is 1000",
    ),
    diffserv_example("ds-cbr-srtcm", SRTCM, "packets dropped early", reason("early"), 9920),
    diffserv_example(
        "ds-cbr-srtcm",
        SRTCM,
        "packets dropped above the upper threshold or of a full buffer",
        full,
        99,
        "printed is of one run, all of it in its first 20 s; single runs here spread by 8 about their mean",
    ),
    diffserv_example("ds-cbr-trtcm", TRTCM, "packets dropped early", reason("early"), 9474),
    diffserv_example("ds-cbr-trtcm", TRTCM, "packets dropped above the upper threshold or of a full buffer", full, 532),
    Case(
        "diffserv",
        "ns-2 2.35, example ds-cbr-tb, output printed by Mahfoudi 2024",
        "packets dropped of 49994",
        ns2_diffserv(TOKENS, ("2Mbit", "3Mbit")),
        lambda result: float(result.queue["drops_packets"].sum()),
        None,
        (0.0, 0.0),
        "printed is 0: two even sources fill the link to its last bit",
    ),
    Case(
        "diffserv",
        "Goyal, Durresi and Jain 1999, Internet-Draft dpstdy-diffserv-01, abstract",
        "UDP with three precedences over UDP with two",
        goyal(f'{TWO_RATES}, red_min_th = "5p", red_max_th = "10p", red_max_p = 0.2'),
        UDP,
        None,
        (0.0, 0.5),
        NO_NUMBER
        + "a source without control gets most of the rate that is not reserved, unless its excess is coloured worse "
        "than TCP's, which needs three precedences; the bound, half, is our choice",
        against=goyal('meter = "token_bucket"'),
    ),
)
