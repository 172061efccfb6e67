"""RED and its descendants: one published number each."""

from __future__ import annotations

from dataclasses import replace

from case import NO_NUMBER, Case, peer
from metrics import BACKLOG, LOSS, UDP, Metric, group, queue
from scenes import BURSTS, CHATRANON_RED, NS2_RED, alemu, bulk, chatranon, paper, tahiliani

IN_PACKETS = 'preset = "ns2", mode = "packets", mean_packet = "auto"'
"""As ns-2 was until 11 October 2004."""


def tahiliani_row(name: str, table: str, printed: float) -> Case:
    """40 flows: the drop rate of a variant of Adaptive RED."""
    source = f"Tahiliani 2013, table {table}, 40 flows"
    comment = "buffer and ECN are not stated"
    return Case(
        name, source, "drop rate, %", tahiliani(f'kind = "{name}", {IN_PACKETS}', 40), LOSS, printed, comment=comment
    )


def alemu_row(
    name: str, settings: str, flows: int, printed: float, what: str = "loss, %", metric: Metric = LOSS
) -> Case:
    """A cell of table 2.2."""
    scenario = alemu(f'kind = "{name}", {settings}', flows)
    return Case(name, f"Alemu 2004, table 2.2, {flows} flows", what, scenario, metric, printed)


RED_FAMILY = (
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
    alemu_row("ared", f'{IN_PACKETS}, min_th = "5p", max_th = "15p"', 28, 14.79),
    alemu_row("ared_feng", f'{IN_PACKETS}, min_th = "5p", max_th = "15p"', 28, 14.90),
    alemu_row("psand", 'preset = "paper"', 3, 7.43, "mean queue, packets", BACKLOG),
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
        NO_NUMBER + "more throughput than RED (thresholds 5 and 15 in both, RED as printed in 1993)",
        differs="with the same thresholds DSRED holds a shorter queue, which is empty more often; "
        "where the claim was tested is not known",
        against=alemu('kind = "red", preset = "paper"', 28),
    ),
    Case(
        "ared_mimd",
        "Tahiliani 2013, section 2.1",
        "mean queue, packets",
        bulk('kind = "ared_mimd", preset = "paper", limit = "100p"', flows=20),
        BACKLOG,
        None,
        (9.0, 11.0),
        NO_NUMBER + "the average stays in the target, the middle fifth between thresholds 5 and 15",
    ),
    Case(
        "nlred",
        "Zhou, Yeung and Li 2006",
        "its throughput over RED's",
        bulk(f'kind = "nlred", {IN_PACKETS}, min_th = "5p", max_th = "15p", limit = "50p"', flows=3),
        queue("throughput_bps"),
        None,
        (1.0, float("inf")),
        NO_NUMBER + "more throughput than RED under light load, where its square drops less",
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
        NO_NUMBER + "traffic of low precedence is dropped before that of high precedence",
    ),
    Case(
        "wq_max_p",
        "Verma, Iyer and Karandikar 2002, by Tahiliani 2013, section 2.1",
        "mean queue, packets",
        bulk('kind = "wq_max_p", preset = "paper", limit = "100p"', flows=20),
        BACKLOG,
        None,
        (9.0, 11.0),
        NO_NUMBER + "it is Adaptive RED, whose average stays in the middle fifth between thresholds 5 and 15",
        differs="two things, one at a time (behaviours.py): with ns-2's spacing of drops (`wait`) the mean is 9.8, "
        "by that of 1993 drops go on in a queue that has drained; and with a great weight of 3 times the small one, "
        "or no other, it is 9.7 and 10.3: the ratio of 10 is ours. Smaller steps of max_p make at most 8.9 of it",
    ),
    *(
        Case(
            "wq_max_p",
            "Verma, Iyer and Karandikar 2002, abstract",
            f"its {what} over RED's",
            bulk('kind = "wq_max_p", preset = "paper", limit = "100p"', flows=20),
            metric,
            None,
            bound,
            NO_NUMBER + claim,
            differs=differs,
            against=bulk('kind = "red", preset = "paper", limit = "100p"', flows=20),
        )
        for what, metric, bound, claim, differs in (
            ("loss", LOSS, (0.0, 1.0), "both together improve the loss (RED as printed in 1993)", ""),
            (
                "standard deviation of the queue",
                queue("backlog_sd_packets"),
                (0.0, 1.0),
                "both together improve the stability of the queue",
                "",
            ),
            (
                "utilisation",
                queue("utilisation"),
                (0.98, 1.02),
                "both together maintain the utilisation; the bound, 2 %, is our choice",
                "with one weight (`faster = 1`, behaviours.py) it is RED's: the great weight lets the link fall idle, "
                "and its ratio to the small one and when it holds are ours",
            ),
        )
    ),
    Case(
        "self_tuning_red",
        "Chen, Hu and Ji 2011: the queue stays at its target",
        "mean queue, packets",
        bulk('kind = "self_tuning_red", min_th = "5p", max_th = "35p", target = "20p", limit = "100p"', flows=20),
        BACKLOG,
        20.0,
        comment="the printed number is the target",
    ),
    Case(
        "mred",
        "Feng, Agarwal, Jayaraman and Siew 2004",
        "TCP's throughput over that under RED",
        bulk('kind = "mred", preset = "paper", limit = "50p"', flows=5, more=BURSTS),
        group("tcp"),
        None,
        (1.0, float("inf")),
        NO_NUMBER + "more throughput under bursty traffic, where RED goes on dropping everything after a "
        "burst; with long flows alone it is 0.999 ± 0.009 of RED's",
        against=bulk('kind = "red", preset = "paper", limit = "50p"', flows=5, more=BURSTS),
    ),
    Case(
        "ered",
        "Abbasov and Korukoglu 2009",
        "its loss over RED's",
        bulk('kind = "ered", preset = "paper", limit = "50p"', flows=20),
        LOSS,
        None,
        (0.0, 1.0),
        NO_NUMBER + "it loses less than RED with the same thresholds",
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
        NO_NUMBER + "slightly less than the link is used, here at most 98 % and half of a percent",
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
        LOSS,
        0.79,
        differs="RED itself loses 1.26 % here and 1.02 % in table 6.1: the report leaves the senders open",
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
        BACKLOG,
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
