"""Other names for what the registry has: those of tc, ns-2, ns-3 and the literature."""

from __future__ import annotations

import re

__all__ = ["absent", "canonical", "familiar", "is_known", "plain_name"]

# Name as `plain_name` writes it: what it means here. A name of tc or of a simulator that is ours but for its
# case, a prefix or a suffix needs no entry: see `canonical`.
_MEANINGS: dict[str, tuple[str, ...]] = {
    # Queues: tc.
    "pfifo": ("fifo",),
    "bfifo": ("fifo",),
    "pfifofast": ("fifo",),
    "gred": ("wred",),
    "adaptivered": ("ared",),
    "fqcodel": ("fq_codel",),
    "flowqueuecodel": ("fq_codel",),
    "deficitroundrobin": ("drr",),
    "stochasticfairnessqueueing": ("sfq",),
    "stochasticfairblue": ("sfb",),
    "fqpie": ("flow_queue", "pie"),
    "prio": ("priority",),
    "police": ("policer",),
    "dsrededge": ("diffserv",),
    "vq": ("avq",),
    "tbf": ("token_bucket",),
    "tokenbucketfilter": ("token_bucket",),
    # Queues: the literature.
    "droptail": ("fifo",),
    "taildrop": ("fifo",),
    "randomearlydetection": ("red",),
    "gentlered": ("red",),
    "strictred": ("red",),
    "redstrict": ("red",),
    "greenv1": ("feng2002",),
    "greenv2": ("kapadia2004",),
    "simplesred": ("sred",),
    "sredsimple": ("sred",),
    "fullsred": ("sred",),
    "sredfull": ("sred",),
    "floydared": ("ared",),
    "fengared": ("ared_feng",),
    "selfconfiguringred": ("ared_feng",),
    "controlleddelay": ("codel",),
    "proportionalintegral": ("pi",),
    "randomexponentialmarking": ("rem",),
    "adaptivevirtualqueue": ("avq",),
    "flowrandomearlydrop": ("fred",),
    "balancedred": ("bred",),
    "stabilizedred": ("sred",),
    "doubleslopered": ("dsred",),
    "nonlinearred": ("nlred",),
    "redinandout": ("rio",),
    "redworcester": ("red_worcester",),
    "redboston": ("red_boston",),
    "longestqueuedrop": ("lqd",),
    "pq": ("priority",),
    "rioc": ("diffserv", "rio"),
    "riod": ("diffserv",),
    "refinedadaptivered": ("re_ared",),
    "refinedared": ("re_ared",),
    "fastadaptivered": ("fared",),
    "cautiousadaptivered": ("cared",),
    "flowred": ("fred",),
    "weightedrandomearlydetection": ("wred",),
    "preferentialdropping": ("red_pd",),
    "singleratethreecolormarker": ("meter",),
    "tworatethreecolormarker": ("meter",),
    "explicitcontrolprotocol": ("xcp",),
    "ratecontrolprotocol": ("rcp",),
    "tcpfriendlyratecontrol": ("tfrc",),
    "rateadaptationprotocol": ("rap",),
    "tcpemulationatreceivers": ("tear",),
    "lossdelaybasedadaptation": ("lda",),
    "priorityqueueing": ("priority",),
    "strictpriority": ("priority",),
    "ratecontrolledpriorityqueueing": ("rate_controlled_priority",),
    "fairqueueing": ("fq",),
    "weightedfairqueueing": ("wfq",),
    "wf2q": ("wf2q_plus",),
    "classbasedfairqueueing": ("cbfq",),
    "classbasedqueueing": ("cbq",),
    "linksharing": ("cbq",),
    "cbqwrr": ("cbq",),
    "weightedred": ("wred",),
    "modifiedred": ("mred",),
    "effectivered": ("ered",),
    "exponentialred": ("e_red",),
    "dynamicred": ("dred",),
    "statefeedbackcontroller": ("sfc",),
    "proportionalintegralcontrollerenhanced": ("pie",),
    "docsispie": ("pie",),
    "dualq": ("dualpi2",),
    "l4s": ("dualpi2", "ecn_codepoint"),
    "icmpsourcequench": ("source_quench",),
    "chokepackets": ("source_quench", "hop_by_hop"),
    "hopbyhopchoke": ("hop_by_hop",),
    "hopbyhopchokepackets": ("hop_by_hop",),
    "dropfromfront": ("overflow",),
    "pushout": ("overflow",),
    "aredfloyd": ("ared",),
    "picontroller": ("pi",),
    "selfadjustingchoke": ("candidates",),
    "perflowcappeddroptail": ("capped_tail",),
    "rnd": ("victim",),
    "alqd": ("victim",),
    "hbf": ("cache",),
    "hbfcache": ("cache",),
    "cbt": ("cbt_red",),
    "dynamiccbt": ("dcbt",),
    "chips": ("dcbt",),
    "corestatelessfairqueueing": ("csfq",),
    "alternativebesteffort": ("abe",),
    "tcpmodelidentification": ("tcp_model",),
    "assuredforwarding": ("diffserv",),
    "af": ("diffserv",),
    "expeditedforwarding": ("priority", "expedited"),
    "ef": ("priority", "expedited"),
    "srtcm": ("meter",),
    "trtcm": ("meter",),
    "psand2": ("psand",),
    "psand3": ("psand3_few", "psand3_many"),
    # What is estimated, and how.
    "match": ("active_flows",),
    "virtualbuffermatch": ("active_flows",),
    "directbitmap": ("active_flows",),
    "lowpass": ("active_flows",),
    "removals": ("active_flows",),
    "jackknife": ("active_flows", "estimator"),
    "samplecoverage": ("active_flows", "estimator"),
    "sc1": ("active_flows", "estimator"),
    "sc2": ("active_flows", "estimator"),
    # What hosts and queues say to each other.
    "delayhint": ("delay_hint",),
    "delayhints": ("delay_hint",),
    "adaptivehint": ("delay_hint",),
    "modifiedecn": ("ecn_feedback",),
    "xecn": ("ecn_feedback",),
    "ecnecho": ("ecn_feedback",),
    "wifi": ("medium",),
    "80211": ("medium",),
    "dcf": ("medium",),
    # Senders.
    "sack": ("recovery",),
    "newreno": ("recovery",),
    "tahoe": ("recovery",),
    "tcptahoe": ("recovery",),
    "tcpsack": ("recovery",),
    "sack1": ("recovery",),
    "aimd": ("reno",),
    "iiad": ("binomial",),
    "sqrt": ("binomial",),
    "tcpsurathkal": ("surathkal",),
    "dccp": ("tfrc",),
    "ccid3": ("tfrc",),
    "ldaplus": ("lda",),
    "webmice": ("mice",),
    "highspeed": ("hstcp",),
    "highspeedtcp": ("hstcp",),
    "stcp": ("scalable",),
    "prr": ("rate_reduction",),
    "hystart": ("slow_start",),
    "racktlp": ("loss_detection",),
    "tcpsink": ("tcp",),
    "tcpsocketbase": ("tcp",),
    "linuxreno": ("reno",),
    "westwoodplus": ("westwood",),
    "rack": ("loss_detection",),
    "tlp": ("tail_probe",),
    "iw": ("initial_window",),
    "minrto": ("rto_min",),
    "delayedacks": ("ack_every",),
    "delack": ("ack_every", "ack_delay"),
    # Sources.
    "ftp": ("bulk",),
    "onoff": ("on_off",),
    "exponential": ("on_off",),
    "pareto": ("on_off",),
    "bulksend": ("bulk",),
    "udpechoclient": ("cbr",),
    "web": ("http", "transfers"),
    # Parameters: the letters of papers, tc, ns-2 and ns-3.
    "wq": ("w_q",),
    "qweight": ("w_q",),
    "qw": ("w_q",),
    "queueweight": ("w_q",),
    "thresh": ("min_th",),
    "maxthresh": ("max_th",),
    "minth": ("min_th",),
    "maxth": ("max_th",),
    "maxp": ("max_p",),
    "linterm": ("max_p",),
    "gentle": ("above",),
    "setbit": ("ecn",),
    "useecn": ("ecn",),
    "tcpecn": ("ecn",),
    "wait": ("count",),
    "queueinbytes": ("mode",),
    "meanpktsize": ("mean_packet",),
    "packetsize": ("packet",),
    "ssthresh": ("initial_ssthresh",),
    "windowinit": ("initial_window",),
    "tcptick": ("rtt_tick", "rto_tick"),
    "datarate": ("rate",),
    "uplink": ("reverse_rate", "direction"),
    "downlink": ("reverse_rate", "direction"),
    "asymmetric": ("reverse_rate",),
    "speed": ("rate",),
    "ewma": ("w_q",),
    "congestionwindow": ("cwnd_packets",),
    "rto": ("rto_min", "rto_law"),
    # Helpers of ns-3.
    "pointtopointdumbbell": ("dumbbell",),
    "pointtopoint": ("link",),
    "nodecontainer": ("node",),
    "flowmonitor": ("group", "flow"),
    "enablepcapall": ("record",),
    "queuelimit": ("limit",),
    "maxsize": ("limit",),
    "buffer": ("limit",),
    "bandwidth": ("rate",),
    # Metrics.
    "queuelength": ("backlog_mean_packets",),
    "queueingdelay": ("sojourn_mean_ms",),
    "delay": ("delay_mean_ms", "sojourn_mean_ms"),
    "rtt": ("rtt_mean_ms",),
    "droprate": ("loss_ratio",),
    "plr": ("loss_ratio",),
    "linkutilisation": ("utilisation",),
    "linkutilization": ("utilisation",),
    "lossrunlength": ("loss_run_mean_packets",),
    "lossrate": ("loss_ratio",),
    "fairness": ("jain_index",),
    "jain": ("jain_index",),
    "flowcompletiontime": ("completion",),
    "fct": ("completion",),
}

# What users of other tools and readers of the works look for and Sojourn does not have: what comes near, or the reason.
ABSENT = {
    "bbrv3": "its draft still changes (docs/not-built.md); bbr is version 1, as Linux has it",
    "bbr3": "its draft still changes (docs/not-built.md); bbr is version 1, as Linux has it",
    "cake": "its queue management is cobalt; flow_queue gives each flow a queue with any policy",
    "ccid2": "tcp with SACK has its rate where the way back loses nothing (docs/not-built.md)",
    "cute": "no text of 1986 could be had (docs/not-built.md says which settings of tcp come near)",
    "dccp": "CCID 3 is tfrc; why CCID 2 is not built stands in docs/not-built.md",
    "fbred": "no text that defines it could be had (docs/not-built.md)",
    "hfsc": "cbq and wfq share a link among classes",
    "hhf": "flow_queue, sfq and fq keep small flows from waiting behind large ones",
    "htb": "cbq and wfq share a link among classes, token_bucket limits a rate",
    "intserv": "it is an architecture of reservations, which move no packet; wfq is its scheduler (docs/not-built.md)",
    "lrured": "no text that defines it could be had (docs/not-built.md); black and afc find fast flows with a cache",
    "maxminfairness": "the tables have each flow's rate and Jain's index (docs/not-built.md)",
    "sqm": "set the rate of the link and take fq_codel as its queue; a shaper alone is token_bucket",
    "netem": "delay, jitter, loss and changes are keys of a link",
    "tracequeue": "sojourn export SCENARIO --as ns2 --out DIR writes such a trace, sojourn replay reads one",
    "traceall": "sojourn export SCENARIO --as ns2 --out DIR writes such a trace, sojourn replay reads one",
    "fulltcp": 'tcp sends data in one direction; a second group with direction = "backward" sends the other way',
    "neuralnetworkred": "no text that defines it could be had (docs/not-built.md)",
    "nnred": "no text that defines it could be had (docs/not-built.md)",
    "ping": "a small group of flows over udp is timed as all are: delay_mean_ms of the table group",
    "preferentialpolicyforthebesteffortclass": "its appendix could not be had (docs/not-built.md)",
    "queuelaw": "sojourn fluid computes where it meets a control function (docs/not-built.md)",
    "sared": "only its abstract is public (docs/not-built.md); wq_max_p has two weights of the average",
    "stabilizedared": "only its abstract is public (docs/not-built.md); wq_max_p has two weights of the average",
}

# What simulators put around a name: ns-2's Queue/RED and Agent/TCP/Sack1, ns-3's ns3::FqCoDelQueueDisc.
_PREFIX = re.compile(r"^(ns3::(tcp(?!socket))?|queue/(red/)?|agent/(tcp/|tcpsink/)?|application/(traffic/)?)")
_SUFFIX = re.compile(r"(queuedisc|queue|application|helper|_)$")


def plain_name(name: str) -> str:
    """`name` in small letters without signs: ``Fq-CoDel`` and ``fq_codel`` are one."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def canonical(name: str) -> tuple[str, ...]:
    """Names that `name` may stand for, without those that are spelt as here but for case and signs.

    >>> canonical("DropTail"), canonical("ns3::RedQueueDisc"), canonical("q_weight_")
    (('fifo',), ('red',), ('w_q',))
    """
    bare = _PREFIX.sub("", name.strip().lower())
    stripped = _SUFFIX.sub("", bare)
    # ns-3's TcpCubic.
    law = stripped.removeprefix("tcp")
    for spelt in (bare, stripped, law):
        meant = _MEANINGS.get(plain_name(spelt))
        if meant:
            return meant
    return tuple(dict.fromkeys(spelt for spelt in (stripped, law) if spelt not in ("", name)))


def absent(name: str) -> str:
    """What comes near to something that Sojourn does not have; empty for anything else."""
    bare = _PREFIX.sub("", name.strip().lower().removeprefix("$ns "))
    return ABSENT.get(plain_name(name)) or ABSENT.get(plain_name(bare), "")


def is_known(word: str) -> bool:
    """Whether ``sojourn explain`` tells what this word of another tool is here."""
    bare = _SUFFIX.sub("", _PREFIX.sub("", word.strip().lower()))
    return bool(absent(word)) or plain_name(bare) in _MEANINGS


def familiar(word: str, allowed: str) -> str:
    """Which of the `allowed` names a word of another tool means; empty if none."""
    known = re.findall(r"[\w+]+", allowed)
    return next((meant for meant in canonical(word) if meant in known and meant != word), "")
