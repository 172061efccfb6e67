"""Rows of the page "Coming from tc". Rules of tc are those of iproute2 6.1, of the kernel those of Linux 6.12."""

from .row import Row

ROWS = (
    Row(
        "`pfifo limit 100`",
        '`queue:{ kind = "fifo", limit = "100p" }`',
        "pfifo",
    ),
    Row(
        "`bfifo limit 64kb`",
        '`queue:{ kind = "fifo", limit = "64KiB" }`: tc\'s `kb` are 1024 bytes',
        "bfifo",
    ),
    Row(
        "`pfifo_head_drop limit 100`",
        '`queue:{ kind = "fifo", limit = "100p", overflow = "drop_front" }`',
        "pfifo_head_drop",
    ),
    Row(
        "`pfifo_fast`, `txqueuelen 1000`",
        '`queue:{ kind = "sch_prio" }`: three bands by the codepoint of a packet',
        "pfifo_fast",
    ),
    Row(
        "`red limit 400000 min 15000 max 45000 avpkt 1500 probability 0.02`",
        '`queue:{ kind = "sch_red", limit = "400000B", min = "15000B", max = "45000B", avpkt = "1500B", probability = '
        "0.02 }`. Each drop is the kernel's",
        "red sch_red avpkt probability",
    ),
    Row(
        "`burst 17` of `red`",
        '`queue:{ kind = "sch_red", burst = 17 }`: the weight is the greatest W of 1/2, 1/4, 1/8 ... for which '
        "(1 - (1 - W)^burst) / W is at least burst + 1 - min/avpkt. Without `burst` it is (2 min + max) / (3 avpkt) in "
        "whole packets: 16 with min 15000, max 45000 and avpkt 1500, so that W is 1/8",
        "burst red_burst ewma",
    ),
    Row(
        "`ecn` of `red`",
        '`queue:{ kind = "sch_red", ecn = true }`: the kernel marks packets above max, too. With `harddrop` it drops '
        'them: `queue:{ kind = "sch_red", ecn = true, harddrop = true }`',
        "harddrop red_ecn nodrop",
    ),
    Row(
        "`red limit 60000 min 30000 max 30001 avpkt 1500 burst 21 probability 1 ecn`, DCTCP's step at K = 20 packets",
        '`queue:{ kind = "sch_red", limit = "60000B", min = "30000B", max = "30001B", avpkt = "1500B", burst = 21, '
        "probability = 0.49999999976716936, ecn = true }`: of a probability of 1 nothing "
        "is left in the 32 bits that tc hands over, and the kernel takes another one, here a half. RFC 8257 asks for "
        "the length of the queue itself, not an average, which tc cannot express: "
        '`queue:{ kind = "red", preset = "dctcp" }`',
        "step dctcp_step",
    ),
    Row(
        "`adaptive` of `red`",
        'nothing: Linux takes the word and never adapts. RED that adapts, as published, is `queue:{ kind = "ared" }`',
        "adaptive adaptative",
    ),
    Row(
        "`codel target 5ms interval 100ms`",
        '`queue:{ kind = "codel", preset = "linux", target = "5ms", interval = "100ms" }`',
        "codel sch_codel",
    ),
    Row(
        "`fq_codel`",
        '`queue:{ kind = "fq_codel", preset = "linux" }`',
        "sch_fq_codel",
    ),
    Row(
        "`fq`, which paces each flow",
        '`queue:{ kind = "sch_fq" }` and `transport:{ kind = "tcp", profile = "linux", pacing = true }`: in Sojourn '
        "the sender paces, and of this queue only `maxrate` does. Sojourn's queue `fq` is another one, fair queueing "
        "bit by bit",
        "fq sch_fq",
    ),
    Row(
        "`sfq perturb 10`",
        '`queue:{ kind = "sfq", preset = "linux", perturb = "10s" }`; see [its parameters](../queues/sfq.md)',
        "sch_sfq",
    ),
    Row(
        "`drr quantum 1500`",
        '`queue:{ kind = "drr", quantum = "1500B" }` has a queue for each flow. With classes that you define, as in '
        'tc: `queue:{ kind = "sch_drr", class = [{ dscp = "EF", quantum = "1500B" }, {}] }`',
        "sch_drr",
    ),
    Row(
        "`pie`",
        '`queue:{ kind = "sch_pie" }`',
        "sch_pie",
    ),
    Row(
        "`fq_pie`",
        '`queue:{ kind = "fq_pie", preset = "linux" }`',
        "fq_pie sch_fq_pie",
    ),
    Row(
        "`cake bandwidth 10mbit`",
        '`queue:{ kind = "cake", preset = "linux", bandwidth = "10Mbit", overhead = 14 }`: without an overhead Linux '
        "counts frames of Ethernet; see [its parameters](../queues/cake.md). "
        "Hosts are nodes of a scenario, so that `nat` changes nothing: no address is translated. `split-gso` has no "
        "effect, because no packet is larger than a frame; `fwmark` is refused: no firewall marks packets",
        "cake sch_cake unlimited split-gso nat fwmark",
    ),
    Row(
        "`diffserv4`, `besteffort`, `precedence` of `cake`",
        '`queue:{ kind = "cake", tins = "diffserv4" }`: a flow gets a codepoint by `flow:dscp = "EF"`',
        "diffserv3 diffserv4 diffserv8 besteffort precedence tins",
    ),
    Row(
        "`dual-srchost`, `flows`, `flowblind` ... of `cake`",
        '`queue:{ kind = "cake", isolation = "dual-srchost" }`',
        "triple-isolate dual-srchost dual-dsthost srchost dsthost flowblind",
    ),
    Row(
        "`rtt 50ms` or `satellite` of `cake`",
        '`queue:{ kind = "cake", rtt = "50ms" }` or `queue:{ kind = "cake", path = "satellite" }`',
        "datacentre metro regional internet oceanic satellite interplanetary",
    ),
    Row(
        "`pppoe-ptm`, `overhead 44 mpu 84 atm` of `cake`",
        '`queue:{ kind = "cake", link_layer = "pppoe-ptm" }`, `queue:{ kind = "cake", overhead = 44, mpu = 84, '
        'framing = "atm" }`; `ether-vlan` adds 4 to `overhead`',
        "docsis ethernet conservative pppoe-ptm bridged-ptm atm ptm mpu ether-vlan",
    ),
    Row(
        "`ack-filter`, `ingress`, `wash`, `memlimit 8mb` of `cake`",
        '`queue:{ kind = "cake", ack_filter = "filter", ingress = true, wash = true, memory_limit = "8388608B" }`; '
        'for `ack-filter-aggressive` `queue:{ kind = "cake", ack_filter = "aggressive" }`, for `autorate-ingress` '
        '`queue:{ kind = "cake", autorate_ingress = true }`',
        "ack-filter ack-filter-aggressive autorate-ingress memlimit wash ingress",
    ),
    Row(
        "`dualpi2 coupling_factor 4 step_thresh 2ms any_ect`",
        '`queue:{ kind = "sch_dualpi2", coupling_factor = 4, step_thresh = "2ms", any_ect = true }`; `step_thresh '
        '5pkt` is `queue:{ kind = "sch_dualpi2", step_thresh = "5p" }`',
        "sch_dualpi2 step_thresh any_ect classic_protection",
    ),
    Row(
        "`sfb target 20 max 25`",
        '`queue:{ kind = "sch_sfb", target = 20, max = 25 }`',
        "sch_sfb",
    ),
    Row(
        "`choke limit 100 min 20 max 60 burst 30 bandwidth 10mbit probability 0.02`",
        '`queue:{ kind = "sch_choke", limit = "100p", min = "20p", max = "60p", burst = 30, bandwidth = "10Mbit", '
        'avpkt = "1000B" }`: thresholds are in packets',
        "sch_choke",
    ),
    Row(
        "`gred`",
        '`queue:{ kind = "wred" }`, or `queue:{ kind = "rio" }` for two classes',
        "gred sch_gred",
    ),
    Row(
        "`prio bands 3 priomap 1 2 2`, `ets strict 1 quanta 3000 1500`",
        '`queue:{ kind = "sch_prio", priomap = [1, 2, 2] }`, `queue:{ kind = "sch_ets", quanta = ["3000B", '
        '"1500B"] }`; '
        "a table `band` has the queue of a band, and the packets of a filter",
        "prio sch_prio ets sch_ets priomap",
    ),
    Row(
        "`hfsc` with `class add ... hfsc rt m1 1mbit d 10ms m2 100kbit ls m2 5mbit ul m2 8mbit`",
        '`queue:{ kind = "sch_hfsc", class = [{ rt_m1 = "1Mbit", rt_d = "10ms", rt_m2 = "100kbit", ls_m2 = "5Mbit", '
        'ul_m2 = "8Mbit" }] }`; classes above others are `group` tables',
        "hfsc sch_hfsc",
    ),
    Row(
        "`hhf admit_bytes 131072`",
        '`queue:{ kind = "sch_hhf", admit_bytes = "131072B" }`',
        "hhf sch_hhf",
    ),
    Row(
        "`skbprio limit 64`",
        '`queue:{ kind = "sch_skbprio" }`',
        "skbprio sch_skbprio",
    ),
    Row(
        "`cbq`",
        '`queue:{ kind = "cbq" }`, with a `[[dumbbell.queue.class]]` for each class',
        "sch_cbq",
    ),
    Row(
        "`ecn` of `codel` and `pie`",
        '`queue:{ kind = "codel", preset = "linux", ecn = true }`, `queue:{ kind = "sch_pie", ecn = true }`',
    ),
    Row(
        "`tbf rate 10mbit burst 15k latency 50ms`",
        '`queue:{ kind = "sch_tbf", rate = "10Mbit", burst = "15KiB", overhead = "14B", queue = { kind = "fifo", '
        'limit = "77860B" } }`: tc\'s `k` of a size is 1024 bytes, and its limit is rate times latency plus burst. '
        "Without a burst, the `rate` of the link is enough",
        "tbf sch_tbf latency",
    ),
    Row(
        "`htb` with `class add ... htb rate 2mbit ceil 10mbit burst 1600b prio 1 quantum 1514`",
        '`queue:{ kind = "htb", group = [{ rate = "10Mbit" }], class = [{ dscp = "EF", rate = "2Mbit", ceil = '
        '"10Mbit", burst = "1600B", prio = 1, quantum = "1514B", queue = "fq_codel" }, { rate = "8Mbit", ceil = '
        '"10Mbit" }] }`: a class with other classes below it is a `group`; `parent` is the number of a group, from 0 '
        "on. tc has filters; in Sojourn a class says which packets it takes, by `flows`, `dscp`, `ecn`, `priority` or "
        "`size_max`, and the last class takes all other packets. `copies` makes many equal classes. `number` stands "
        "for the classid, by which those take turns that borrow from one class. `queue` is the queue of the class: any "
        "queue of this page",
        "htb sch_htb borrowing ceil cburst r2q",
    ),
    Row(
        "`tc qdisc add ... stab overhead 44 mpu 64 linklayer atm`",
        '`link:overhead = "44B"`, `link:mpu = "64B"` and `link:cells = "atm"` of `[dumbbell]`: they are bytes beyond '
        "the size of a packet, which in Sojourn has no Ethernet header unless you include one. tc's table rounds "
        "sizes up to multiples of four bytes, Sojourn does not. The framed size sets the time of a transmission; "
        "queues count the size without it. `htb` has the same three for its tokens",
        "stab linklayer overhead mpu atm ptm adsl",
    ),
    Row(
        "`tc -s qdisc`",
        "`sojourn run`, the table `as tc -s`; `result.counters` in Python and `counters` of `--json`",
        "tc_s statistics",
    ),
    Row(
        "a shaper for each direction of a line",
        '`link:rate = "5Mbit"` and `link:reverse_rate = "20Mbit"` of `[dumbbell]`, `link:queue = "fq_codel"` and '
        '`link:reverse_queue = "fq_codel"`',
        "shaper",
    ),
    Row(
        "`police rate 10mbit burst 100k`",
        '`queue:{ kind = "policer", rate = "10Mbit", burst = "100KiB" }`',
        "police act_police",
    ),
    Row(
        "`netem delay 20ms 5ms loss 1%`",
        '`link:delay = "15ms"` with `link:jitter = { mean = "5ms", law = "uniform", reorder = true }` and `link:loss '
        '= { kind = "uniform", probability = "1%" }`: netem draws delays from 15 to 25 ms, and a packet overtakes '
        "another one with a longer delay. A `[dumbbell]` has all three in both directions, netem only in one: in "
        'Sojourn acknowledgements are lost, too, unless `link:reverse_loss = { kind = "uniform", probability = 0 }` '
        "says otherwise. A line of netem as a queue gets these keys as an answer. Without a counterpart are "
        "`distribution`, correlations, `duplicate`, `corrupt`, `reorder` with `gap`, `slot` and `loss state`; `loss "
        "gemodel 1% 20%` is the loss `name:gilbert_elliott` with `good_to_bad` 1 % and `bad_to_good` 20 %",
        "netem sch_netem gemodel",
    ),
    Row(
        "`netem limit 1000`",
        '`queue:{ kind = "fifo", limit = "1000p" }`: a link of Sojourn carries any number of packets at a time',
    ),
    Row(
        "`sysctl net.ipv4.tcp_congestion_control=cubic`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "cubic", preset = "linux" } }`',
        "net.ipv4.tcp_congestion_control tcp_congestion_control",
    ),
    Row(
        "`bbr`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "bbr", preset = "linux" } }`: version 1',
        "tcp_bbr",
    ),
    Row(
        "`vegas`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "vegas", preset = "linux" } }`',
        "tcp_vegas",
    ),
    Row(
        "`westwood`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "westwood", preset = "linux" } }`',
        "tcp_westwood",
    ),
    Row(
        "`highspeed`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "hstcp", preset = "linux" } }`',
        "tcp_highspeed",
    ),
    Row(
        "`scalable`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "scalable", preset = "linux" } }`',
        "tcp_scalable",
    ),
    Row(
        "`htcp`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "htcp", preset = "linux" } }`',
        "tcp_htcp",
    ),
    Row(
        "`illinois`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "illinois", preset = "linux" } }`',
        "tcp_illinois",
    ),
    Row(
        "`bic`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "bic", preset = "linux" } }`',
        "tcp_bic",
    ),
    Row(
        "`hybla`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "hybla", preset = "linux" } }`',
        "tcp_hybla",
    ),
    Row(
        "`veno`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "veno", preset = "linux" } }`',
        "tcp_veno",
    ),
    Row(
        "`yeah`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "yeah", preset = "linux" } }`',
        "tcp_yeah",
    ),
    Row(
        "`nv`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "nv", preset = "linux" } }`',
        "tcp_nv",
    ),
    Row(
        "`cdg`",
        '`transport:{ kind = "tcp", profile = "linux", control = { kind = "cdg", preset = "linux" } }`',
        "tcp_cdg",
    ),
    Row(
        "`dctcp`",
        '`transport:{ kind = "tcp", profile = "linux", control = "dctcp" }`: the profile measures the share of marks '
        "as Linux does",
        "tcp_dctcp",
    ),
    Row(
        "`reno`",
        '`transport:{ kind = "tcp", profile = "linux", control = "reno" }`',
        "tcp_reno",
    ),
    Row(
        "`sysctl net.ipv4.tcp_slow_start_after_idle=0`",
        '`transport:{ kind = "tcp", profile = "linux", idle_restart = "off" }`',
        "tcp_slow_start_after_idle net.ipv4.tcp_slow_start_after_idle",
    ),
    Row(
        "`tcp_ecn=1`",
        '`transport:{ kind = "tcp", profile = "linux", ecn = true }`',
        "tcp_ecn net.ipv4.tcp_ecn",
    ),
)
