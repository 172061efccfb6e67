"""Lines of tc as queues: tc's words, units, defaults and refusals."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest

import sojourn
from helpers.shell import sojourn as command
from sojourn._rooms._base.toml import inline
from sojourn._rooms.catalogue.warnings import WordWarning
from sojourn._rooms.scenario import parse_queue, queue_label
from sojourn._rooms.scenario.tc import LINES
from sojourn._rooms.scenario.tc_line import refuse_link, tc_queue
from sojourn._rooms.scenario.tc_netem import link_keys
from sojourn._rooms.scenario.tc_rules import weight
from sojourn._rooms.scenario.texts import parse_queues

pytestmark = pytest.mark.filterwarnings("ignore:.*sizes are those of IP packets here")

ORACLE = Path(__file__).resolve().parents[2] / "peers" / "linux" / "kernel"


@pytest.mark.parametrize(
    ("line", "table"),
    [
        ("pfifo limit 100", {"kind": "fifo", "limit": "100p"}),
        ("bfifo limit 64kb", {"kind": "fifo", "limit": "65536B"}),
        ("prio bands 4 priomap 3 3 0 1", {"kind": "sch_prio", "bands": 4, "priomap": [3, 3, 0, 1]}),
        (
            "ets strict 1 quanta 3072 1500 priomap 2 1 0",
            {"kind": "sch_ets", "strict": 1, "quanta": ["3072B", "1500B"], "priomap": [2, 1, 0], "bands": 3},
        ),
        (
            "hhf admit_bytes 60000 reset_timeout 20ms",
            {"kind": "sch_hhf", "admit_bytes": "60000B", "reset_timeout": "20ms"},
        ),
        ("codel target 3ms ecn", {"kind": "codel", "preset": "linux", "target": "3ms", "ecn": True, "limit": "1000p"}),
        # A bare number is microseconds.
        ("codel target 5000", {"kind": "codel", "preset": "linux", "target": "5ms", "ecn": False, "limit": "1000p"}),
        (
            "pie alpha 8 beta 32",
            {"kind": "sch_pie", "alpha": 8, "beta": 32, "ecn": False, "limit": "1000p"},
        ),
        (
            "sfq perturb 10 headdrop",
            {"kind": "sfq", "preset": "linux", "perturb": "10s", "drop_from": "front", "limit": "127p"},
        ),
        # Rate times latency and the burst: 62500 and 15360 bytes.
        (
            "tbf rate 10mbit burst 15k latency 50ms",
            {
                "kind": "sch_tbf",
                "rate": "10000000bit",
                "burst": "15360B",
                "overhead": "14B",
                "queue": {"kind": "fifo", "limit": "77860B"},
            },
        ),
        (
            "cake bandwidth 50mbit docsis ether-vlan dual-dsthost ack-filter",
            {
                "kind": "cake",
                "preset": "linux",
                "bandwidth": "50000000bit",
                "isolation": "dual-dsthost",
                "ack_filter": "filter",
                "mpu": 64,
                "framing": "noatm",
                "overhead": 22,
            },
        ),
        (
            "dualpi2 step_thresh 5pkt overflow drop_enqueue any_ect classic_protection 25% memlimit 60000 alpha 0.16",
            {
                "kind": "sch_dualpi2",
                "limit": "10000p",
                "step_thresh": "5p",
                "drop_on_overload": False,
                "drop_enqueue": True,
                "any_ect": True,
                "classic_protection": 0.25,
                "memlimit": "60000B",
                # tc hands over 40/256.
                "alpha": 0.15625,
            },
        ),
        # tc of iproute2: a target of max_rtt / 6, gains of 0.1 tupdate / max_rtt^2 = 0.138 and 0.3 / max_rtt = 2.5 Hz.
        (
            "dualpi2 max_rtt 120ms",
            {
                "kind": "sch_dualpi2",
                "limit": "10000p",
                "target": "20000us",
                "tupdate": "20000us",
                "alpha": 35 / 256,
                "beta": 640 / 256,
            },
        ),
        # Without an overhead the kernel counts frames of Ethernet.
        (
            "cake rtt 30ms satellite",
            {"kind": "cake", "preset": "linux", "rtt": "auto", "path": "satellite", "overhead": 14},
        ),
        # ECT(1), as those write it who have L4S.
        (
            "fq_codel ce_threshold 1ms ce_threshold_selector 0x1/0x3",
            {
                "kind": "fq_codel",
                "preset": "linux",
                "limit": "10240p",
                "ecn": True,
                "ce_threshold": "1ms",
                "ce_selector": 1,
                "ce_mask": 3,
            },
        ),
        (
            "tc qdisc add dev eth0 root handle 1: fq_codel limit 300 quantum 300 noecn",
            {"kind": "fq_codel", "preset": "linux", "limit": "300p", "quantum": "300B", "ecn": False},
        ),
    ],
)
def test_a_line_is_a_table(line, table):
    assert parse_queue(line) == table


def test_fq_says_that_senders_pace_themselves():
    with pytest.warns(WordWarning, match="senders pace themselves here"):
        queue = parse_queue("fq limit 300p flow_limit 20p maxrate 1mbit quantum 3000 buckets 1024 horizon 10s")
    assert queue == {"kind": "sch_fq", "limit": "300p", "flow_limit": 20, "maxrate": "1000000bit", "quantum": "3000B"}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        # As `tc -d qdisc show` of iproute2 6.1 prints them in the kernel of tests/peers/linux/kernel.
        ("docsis pppoe-ptm", (48, 64, "ptm")),
        ("pppoe-ptm docsis", (48, 64, "noatm")),
        ("docsis overhead 22", (22, 64, "noatm")),
        ("overhead 22 docsis", (40, 64, "noatm")),
        ("ether-vlan overhead 10", (10, None, None)),
        ("overhead 10 ether-vlan pppoe-vcmux", (46, None, "atm")),
        ("conservative ethernet", (86, 84, "atm")),
        ("docsis atm", (18, 64, "atm")),
        ("atm docsis", (18, 64, "noatm")),
        ("mpu 90 ethernet", (38, 84, None)),
        ("ethernet mpu 90", (38, 90, None)),
        ("ether-vlan ether-vlan", (8, None, None)),
        ("docsis docsis", (36, 64, "noatm")),
        ("ether-vlan conservative", (48, None, "atm")),
        # Where tc prints raw the kernel counts frames, which on Ethernet have 14 bytes before those of IP.
        ("raw overhead 10", (14 + 10, None, "noatm")),
        ("overhead 10 raw", (14, None, "noatm")),
        ("raw docsis", (14 + 18, 64, "noatm")),
        ("raw", (14, None, "noatm")),
        ("flows", (14, None, None)),
        ("atm", (14, None, "atm")),
        ("mpu 84", (14, 84, None)),
        ("overhead 0", (0, None, None)),
    ],
)
def test_words_of_the_link_layer_count_in_their_order(words, line):
    table = parse_queue(f"cake {words}")

    assert tuple(table.get(key) for key in ("overhead", "mpu", "framing")) == line
    assert "link_layer" not in table


@pytest.mark.parametrize(
    ("words", "bounds"),
    [
        # As `tc -s qdisc show` prints target and max of each.
        ("target 4 max 9", (4, 9)),
        ("target 30", (30, 37)),
        ("max 40", (32, 40)),
        ("target 1", (1, 1)),
    ],
)
def test_of_sfbs_bounds_tc_makes_one_of_the_other(words, bounds):
    table = parse_queue(f"sfb {words}")

    assert (table["target"], table["max"]) == bounds
    # tc writes 20 and 25 where nothing is said, which are the defaults.
    assert "target" not in parse_queue("sfb limit 50")


@pytest.mark.parametrize(
    ("line", "same"),
    [
        # As `tc -s qdisc show` prints the left ones in the kernel.
        ("codel limit 0 target 0 interval 0", "codel"),
        ("codel target 0.4us", "codel"),
        ("fq_codel limit 0 target 0 interval 0 flows 0 quantum 0 drop_batch 0", "fq_codel"),
        ("pie alpha 0 beta 0 limit 0 target 0 tupdate 0", "pie"),
        ("fq_pie limit 0 flows 0 quantum 0 tupdate 0", "fq_pie"),
        ("sfb limit 0", "sfb"),
        ("sfq perturb 0 depth 0 divisor 0 quantum 0", "sfq perturb 0"),
        ("cake bandwidth 0 memlimit 0", "cake"),
        ("cake bandwidth 5mbit bandwidth 0", "cake"),
        ("dualpi2 limit 0 memlimit 0 target 0 tupdate 0", "dualpi2"),
        # The last of two words holds.
        ("codel target 5ms target 6ms", "codel target 6ms"),
        ("codel ecn noecn", "codel noecn"),
        ("cake rtt 5ms rtt 7ms", "cake rtt 7ms"),
        ("cake unlimited bandwidth 5mbit", "cake bandwidth 5mbit"),
        # Less than a byte per second is no limit; no mark of a firewall is the default.
        ("cake bandwidth 7", "cake"),
        ("cake fwmark 0", "cake"),
        ("cake autorate-ingress bandwidth 5mbit", "cake bandwidth 5mbit"),
        # Numbers as C has them; the limit of pfifo is read as a size.
        ("codel limit 0x10", "codel limit 16"),
        ("codel limit +16 target 1e-3s", "codel limit 16 target 1ms"),
        ("bfifo limit 0x10b", "bfifo limit 267"),
        ("codel limit -0 target -0ms", "codel"),
        ("tbf rate 1e6 burst 10kb/8 latency 5ms", "tbf rate 1mbit burst 10kb latency 5ms"),
        ("pfifo limit 1kb", "pfifo limit 1024"),
    ],
)
def test_what_tc_leaves_or_says_again(line, same):
    assert tc_queue(line) == tc_queue(same)


def test_zeros_that_tc_hands_over():
    assert parse_queue("codel ce_threshold 0")["ce_threshold"] == "0s"
    assert parse_queue("pfifo limit 0")["limit"] == "0p"
    assert parse_queue("sfb rehash 0 db 0")["rehash"] == "0ms"
    # tc computes the target, and leaves the interval.
    assert parse_queue("cake lan rtt 0") == parse_queue("cake rtt 0")
    assert (parse_queue("cake rtt 0")["target"], parse_queue("cake rtt 0")["rtt"]) == ("1us", "auto")
    assert "target" not in parse_queue("cake rtt 0 rtt 20ms")


@pytest.mark.parametrize(
    ("line", "key", "probability"),
    [
        # As tc prints them: of 32 bits of a 1 nothing is left, and the kernel takes the threshold's distance over 2^15.
        ("red limit 60000 avpkt 1000 min 2000 max 30000 probability 1", "probability", 0.854486),
        ("red limit 60000 avpkt 1000 min 2000 max 30000 probability 1.5", "probability", 0.5),
        ("red limit 60000 avpkt 1000 min 2000 max 30000 probability 2.5", "probability", 0.5),
        ("red limit 60000 avpkt 1000 min 2000 max 30000 probability 0.9999999999", "probability", 1),
        ("choke limit 100 min 10 max 30 bandwidth 10mbit probability 1", "probability", 0.000610347),
        ("sfq redflowlimit 60000 min 4000 max 16000 probability 1", "red_max_p", 0.732419),
    ],
)
def test_a_probability_is_what_is_left_of_it_in_32_bits(line, key, probability):
    assert parse_queue(line)[key] == pytest.approx(probability, rel=1e-6)


def test_thresholds_are_whole_and_may_be_above_the_limit():
    # tc: a quarter of the limit, and a third of that, cut down; 30000 and 90000 of 60000 are taken.
    assert parse_queue("red limit 100001 avpkt 1000")["max"] == "25000B"
    assert parse_queue("red limit 100001 avpkt 1000")["min"] == "8333B"
    assert parse_queue("red limit 60000 min 30000 max 90000 avpkt 1000")["max"] == "90000B"
    # Of choke, max does not follow from min.
    assert parse_queue("choke limit 400 min 20 bandwidth 10mbit")["max"] == "100p"


def test_red_finds_its_weight_as_tc_does():
    # 1/8 without a burst, which is 16 packets then, and 1/16 with 17.
    assert weight(16, 15000, 1500) == 0.125
    assert weight(17, 15000, 1500) == 0.0625
    assert weight(34, 30280, 1514) == 1 / 32
    assert parse_queue("red limit 120000 avpkt 1000 burst 16 ecn harddrop") == {
        "kind": "sch_red",
        "limit": "120000B",
        "min": "10000B",
        "max": "30000B",
        "avpkt": "1000B",
        "burst": 16,
        "ecn": True,
        "harddrop": True,
    }


def resolved(table) -> dict:
    text = f'duration = "1s"\n[dumbbell]\nrate = "10Mbit"\ndelay = "20ms"\nqueue = {inline(table)}\n[[flow]]\n'
    return sojourn.Scenario.from_toml(text).resolved()["dumbbell"]["queue"]


def test_a_line_is_the_queue_that_stands_beside_it_in_the_recordings(monkeypatch):
    # The kernel's decisions with the line were recorded, and Sojourn decides the same with these settings.
    monkeypatch.syspath_prepend(ORACLE)
    # It makes the packets of all recordings, for a second.
    from recorded import QUEUES

    compared = {name: queue for name, queue in QUEUES.items() if not queue.tc.startswith(("sfb", "htb"))}
    assert len(compared) > 30
    for name, queue in compared.items():
        table = tc_queue(queue.tc)
        if queue.name in {"red", "choke"}:
            for key, value in dict(queue.settings).items():
                wanted = float(value) if key in {"max_p", "w_q"} else value
                own = table.get(key, resolved(table).get(key))
                assert str(own).lower() == str(wanted).lower() or own == float(value), (name, key)
        else:
            there = {"kind": queue.name, **({"preset": queue.preset} if queue.preset else {}), **dict(queue.settings)}
            if queue.name == "cake" and not {"overhead", "link_layer"} & there.keys():
                # In recordings sizes have Ethernet's header.
                there["overhead"] = "14"
            text = ",".join(f"{key}={value}" for key, value in there.items() if key != "kind")
            assert resolved(table) == resolved(parse_queue(f"{queue.name}:{text}")), name


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("codel tarjet 5ms", "did you mean 'target'"),
        ("codel limit 1_000", "not a whole number"),
        ("bfifo limit nan", "not a size of tc"),
        ("pfifo limit \N{ARABIC-INDIC DIGIT THREE}", "not a size of tc"),
        ("codel target -5ms", "not a time of tc"),
        ("sfb increment inf", "not a number from 0 to 1"),
        ("cake overhead 1_0", "from -64 to 256"),
        ("tbf rate 1mbit burst 10kb/3 latency 5ms", "not SIZE/CELL"),
        ("tbf rate 1mbit burst 10kb latency 5ms mtu 1500 minburst 1500", "said twice"),
        ("tbf rate 1mbit burst 10kb latency 5ms peakrate 2mbit", "tc wants mtu beside peakrate"),
        ("tbf rate 1mbit burst 10kb latency 5ms peakrate 1mbit mtu 1500", "peakrate is above rate"),
        ("tbf rate 1mbit burst 10kb latency 5ms linklayer wifi", "'wifi' is not ethernet, atm or adsl"),
        ("codel target", "'target' wants a value"),
        ("codel target 5 minutes", "'minutes' is not a word"),
        ("codel target 500ns", "not a time of tc"),
        ("tbf rate 1mbit rate 2mbit burst 10k limit 30k", "said twice"),
        ("tbf rate 1mbit burst 10k limit 30k latency 5ms", "either limit or latency"),
        ("codel target 5mbit", "not a time of tc"),
        ("pie alpha 33", "between 0 and 32"),
        ("red limit 60kb", "tc wants avpkt"),
        ("red limit 60kb avpkt 1000 nodrop", "not here"),
        ("red limit 0 avpkt 1000", "tc wants limit"),
        ("red limit 60000 avpkt 1000 probability 0", "probability 0 is too small"),
        ("choke limit 100", "tc wants bandwidth"),
        ("choke limit 0 bandwidth 10mbit", "tc wants limit"),
        ("choke limit 240 max 300 bandwidth 10mbit", "above limit"),
        ("sfq limit 1", "at least 2"),
        ("sfq divisor 1000", "power of two"),
        ("sfq divisor 131072", "power of two"),
        ("sfq ecn", "tc wants redflowlimit"),
        ("sfq redflowlimit 60kb", "not a whole number"),
        ("sfq redflowlimit 60000 max 70000", "above redflowlimit"),
        ("fq_codel quantum 1kb", "not a whole number"),
        ("fq_codel ce_threshold_selector 0x1", "not VALUE/MASK"),
        ("fq_codel ce_threshold_selector 0x1/0x300", "not VALUE/MASK"),
        ("cake lan metro", "second length of paths"),
        ("red limit 60000 min 30000 max 40000 avpkt 1000 burst 3", "too small"),
        ("tbf rate 1mbit burst 10k", "either limit or latency"),
        ("fq_codl target 5ms", "did you mean 'fq_codel'"),
        ("cake bandwidth 1mbit fwmark 0xff", "'fwmark' is not here"),
        ("cake overhead 300", "from -64 to 256"),
        ("dualpi2 step_thresh 5 packets", "'packets' is not a word"),
        ("dualpi2 max_rtt 10ms typical_rtt 20ms", "at most max_rtt"),
        ("dualpi2 alpha 0.001", "from 1/256"),
        ("dualpi2 classic_protection 101", "from 0 to 100 %"),
    ],
)
def test_what_tc_would_not_take_is_refused(line, words):
    with pytest.raises(sojourn.ScenarioError, match=words):
        parse_queue(line)


def test_a_line_is_a_variant_of_a_comparison():
    study = sojourn.compare("red_classic", queues=["fifo", "codel target 3ms", "pfifo limit 20"], seeds=[1, 2])

    names = list(study.values("sojourn_mean_ms"))
    assert names[0] == "fifo"
    assert len(set(names)) == 3


def test_a_line_stands_on_the_command_line():
    done = command("compare", "red_classic", "--queue", "pfifo limit 20,fq_codel target 3ms", "--seeds", "2", "--json")

    assert done.returncode == 0, done.stderr
    assert '"fq_codel target 3ms"' in done.stdout
    assert done.stderr == ""
    again = command("run", "red_classic", "--set", "dumbbell.queue=codel target 3ms", "--json")
    assert again.returncode == 0


SHOWN = [
    # As tc 6.1 and 6.12 print them: https://man7.org/linux/man-pages/man8/tc-fq_codel.8.html and others have examples.
    (
        "qdisc fq_codel 0: dev eth0 root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms "
        "memory_limit 32Mb ecn drop_batch 64",
        "fq_codel limit 10240 flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32mb ecn drop_batch 64",
    ),
    (
        "qdisc cake 8006: dev eth0 root refcnt 2 bandwidth 809Kbit besteffort triple-isolate nonat nowash ack-filter "
        "split-gso rtt 100ms atm overhead 10",
        "cake bandwidth 809kbit besteffort triple-isolate nonat nowash ack-filter split-gso rtt 100ms atm overhead 10",
    ),
    (
        "qdisc tbf 8003: dev eth0 root refcnt 2 rate 1Mbit burst 10Kb/1 mpu 0b lat 50ms linklayer ethernet",
        "tbf rate 1mbit burst 10kb latency 50ms",
    ),
    (
        "qdisc codel 8001: dev eth0 root refcnt 2 limit 2000p target 5ms interval 100ms",
        "codel limit 2000 target 5ms interval 100ms",
    ),
    (
        "fq_codel limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms",
        "fq_codel flows 1024 quantum 1514 target 5ms interval 100ms",
    ),
    ("qdisc pfifo 8001: root refcnt 2 limit 100p", "pfifo limit 100"),
    ("qdisc bfifo 8002: dev eth0 parent 1:10 limit 64Kb", "bfifo limit 64kb"),
    (
        "qdisc pie 1: dev eth0 root refcnt 2 limit 1000p target 15ms tupdate 15ms alpha 2 beta 20 ecn ",
        "pie tupdate 15ms target 15ms alpha 2 beta 20 ecn",
    ),
    (
        "qdisc fq_pie 1: dev eth0 root refcnt 2 limit 10240p flows 1024 target 15ms tupdate 15ms alpha 2 beta 20 "
        "quantum 1514b memory_limit 32Mb ecn_prob 10 ",
        "fq_pie flows 1024 target 15ms tupdate 15ms alpha 2 beta 20 quantum 1514",
    ),
    (
        "qdisc sfq 8001: dev eth0 root refcnt 2 limit 127p quantum 1514b depth 127 flows 128/1024 divisor 1024 "
        "perturb 10sec ",
        "sfq quantum 1514 depth 127 flows 128 divisor 1024 perturb 10",
    ),
    (
        "qdisc sfb 8001: dev eth0 root refcnt 2 limit 1000 max 25 target 20\n  increment 0.00050 decrement 0.00005 "
        "penalty rate 10 burst 20 (600000ms 60000ms)",
        "sfb limit 1000 max 25 target 20 increment 0.00050 decrement 0.00005 penalty_rate 10 penalty_burst 20 "
        "rehash 600000 db 60000",
    ),
    (
        "qdisc cake 8001: dev eth0 root refcnt 2 bandwidth unlimited diffserv3 triple-isolate nonat nowash "
        "no-ack-filter split-gso rtt 100ms raw overhead 0 ",
        "cake unlimited diffserv3 triple-isolate nonat nowash no-ack-filter split-gso rtt 100ms raw",
    ),
    (
        "qdisc cake 8001: dev eth0 root refcnt 2 bandwidth 10Mbit diffserv3 triple-isolate nonat nowash no-ack-filter "
        "split-gso rtt 100ms noatm overhead 18 mpu 64 ",
        "cake bandwidth 10mbit diffserv3 triple-isolate nonat nowash no-ack-filter split-gso rtt 100ms noatm "
        "overhead 18 mpu 64",
    ),
]


@pytest.mark.parametrize(("shown", "written"), SHOWN)
def test_output_of_tc_qdisc_show_is_the_line_that_made_it(shown, written):
    assert parse_queue(shown) == parse_queue(written)


def test_a_whole_output_is_the_queue_in_it():
    counters = " Sent 151 bytes 3 pkt (dropped 0, overlimits 0 requeues 0) \n backlog 0b 0p requeues 0\n"
    queues = "".join(
        f"qdisc codel 0: dev eth0 parent :{ring} limit 1000p target 5ms interval 100ms \n{counters}  count 0 lastcount "
        "0 ldelay 1us drop_next 0us\n"
        for ring in (1, 2)
    )
    text = f"qdisc noqueue 0: dev lo root refcnt 2 \n{counters}qdisc mq 0: dev eth0 root \n{counters}{queues}"

    assert parse_queue(text) == parse_queue("codel limit 1000 target 5ms interval 100ms")
    # Behind --queue commas part queues, and those of the counters do not.
    assert [parse_queue(one) for one in parse_queues([text])] == [parse_queue(text)]
    assert queue_label(text) == "codel limit 1000p target 5ms interval 100ms"

    with pytest.raises(sojourn.ScenarioError, match="these are 2 queues\n  hint:    give one: 'codel"):
        parse_queue(f"{text}qdisc pfifo 0: dev eth1 root limit 5p")
    with pytest.raises(sojourn.ScenarioError, match="no packets wait in these"):
        parse_queue("qdisc noqueue 0: dev lo root refcnt 2")


def test_words_without_their_whole_effect_are_noted():
    with pytest.warns(WordWarning, match="txqueuelen is taken as 1000 for each band"):
        assert parse_queue(
            "qdisc pfifo_fast 0: dev eth0 root refcnt 2 bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1"
        ) == {"kind": "sch_prio"}
    with pytest.warns(WordWarning, match="here each flow is a class"):
        assert parse_queue("tc qdisc add dev eth0 root drr") == {"kind": "drr"}
    with pytest.warns(WordWarning, match="the match of the filter is not read"):
        parse_queue("tc filter add dev eth0 parent ffff: u32 match ip src 10.0.0.1 police rate 1mbit burst 10k drop")
    done = command("run", "red_classic", "--set", "dumbbell.queue=pfifo_fast", "--json")
    assert done.stderr == "note: pfifo_fast: txqueuelen is taken as 1000 for each band\n"


def test_the_policer_of_a_filter_is_read():
    line = (
        "tc filter add dev eth0 parent ffff: protocol ip u32 match ip src 0.0.0.0/0 police rate 15mbit burst 20k drop "
        "flowid :1"
    )
    assert parse_queue(line) == {"kind": "policer", "rate": "15000000bit", "burst": "20480B"}
    assert parse_queue("police rate 15mbit burst 20k conform-exceed drop") == parse_queue(line)
    with pytest.raises(sojourn.ScenarioError, match="tc wants burst"):
        parse_queue("police rate 15mbit")


def test_nat_of_cake_changes_nothing_as_each_flow_has_its_own_hosts():
    line = "cake bandwidth 95mbit docsis ingress dual-dsthost wash"
    with pytest.warns(WordWarning, match="nat changes nothing"):
        assert parse_queue(f"{line} nat") == parse_queue(f"{line} nonat") == parse_queue(line)


def test_the_label_of_a_line_is_its_own_words():
    assert queue_label("cake bandwidth 28.5mbit satellite") == "cake bandwidth 28.5mbit satellite"
    assert queue_label("tc qdisc add dev eth0 root handle 1: fq_codel target 3ms") == "fq_codel target 3ms"
    # A name alone is the queue with its own defaults, not with tc's.
    for line in ("tc qdisc add dev eth0 root cake", "pfifo", "tc qdisc replace dev eth0 root fq_codel limit 5"):
        assert parse_queue(queue_label(line)) == parse_queue(line)
    assert queue_label("red:min_th=5p") == "red:min_th=5p"


NETEM = {
    # As tc-netem(8) says: a delay, a jitter to both sides; a loss; a Gilbert-Elliott channel; a rate with an overhead.
    "delay 100ms 10ms": "--set dumbbell.delay=90ms "
    '--set \'dumbbell.jitter={ mean = "10ms", law = "uniform", reorder = true }\'',
    "delay 100ms": "--set dumbbell.delay=100ms",
    "loss 1%": '--set \'dumbbell.loss={ kind = "uniform", probability = "1%" }\'',
    "loss random 0.3%": '--set \'dumbbell.loss={ kind = "uniform", probability = "0.3%" }\'',
    "loss gemodel 1% 20%": '"gilbert_elliott", good_to_bad = "1%", bad_to_good = "20%" }',
    "loss gemodel 1%": 'good_to_bad = "1%", bad_to_good = "99%" }',
    "rate 10mbit 14": "--set dumbbell.rate=10000000bit --set dumbbell.overhead=14B",
    "delay 10ms 1ms 25% distribution normal": "; not here: the correlation 25% of delays, distribution normal",
    "loss 1% 25%": "; not here: the correlation 25% of losses",
    "duplicate 1%": "hint:    not here: duplicate 1%",
    "delay 10ms reorder 25% 50% gap 5": "; not here: reorder 25% 50%, gap 5",
    "slot 800us 1ms packets 32": "not here: slot 800us 1ms packets 32",
    "delay 10ms 20ms": "takes delays below zero as none",
    "delayy 10ms": "'delayy' is not a word of netem",
    "loss 200%": "'200%' is not a share",
    "": "delay, jitter, loss and rate are keys of a link",
}


@pytest.mark.parametrize(("words", "says"), NETEM.items())
def test_netem_is_answered_with_keys_of_the_link(words, says):
    with pytest.raises(sojourn.ScenarioError) as error:
        parse_queue(f"tc qdisc add dev eth0 root netem {words}")
    assert says in str(error.value)


def test_the_keys_for_netem_make_a_scenario():
    for words in ("delay 100ms 10ms loss 1%", "loss gemodel 1% 20% 70% 0.1%", "rate 10mbit 14"):
        keys = link_keys(words.split())
        overrides = [f"dumbbell.{key}={inline(value)}" for key, value in keys.keys.items()]
        assert sojourn.Scenario.load("red_classic", overrides=overrides)
        assert not keys.rest


MEANT = {
    "tc qdisc add dev eth0 root handle 1: htb default 10": '{ kind = "htb", group',
    "tc class add dev eth0 parent 1: classid 1:10 htb rate 40mbit ceil 100mbit": '{ kind = "htb", group',
    "tc qdisc add dev eth0 root hfsc default 1": '{ kind = "sch_hfsc", class',
    "tc qdisc add dev eth0 root mqprio": "one queue in front of it",
    "tc qdisc add dev eth0 handle ffff: ingress": "queue and reverse_queue",
    "tc qdisc add dev eth0 clsact": "queue and reverse_queue",
    "tc filter add dev eth0 parent 1: u32 match ip dport 80 flowid 1:1": "each class of htb",
    "tc qdisc add dev eth0 root gred setup": '{ kind = "wred" }',
    "tc qdisc add dev eth0 root handle 1: stab overhead 44 mpu 84 linklayer atm tbf rate 808kbit burst 1695 latency "
    "300ms": "--set dumbbell.overhead=44B --set dumbbell.mpu=84B --set dumbbell.cells=atm with the queue 'tbf rate",
    # Commands that make no queue, and words that are tc's alone.
    "tc -s qdisc show dev eth0": "there is no queue in this command",
    "tc qdisc del dev eth0 root": "there is no queue in this command",
    "tc": "there is no queue in this command",
    "mq": "one queue in front of it",
    "noqueue": "every link has a queue",
    "etf": "queues that send by a clock are not here",
    "\N{SLIGHTLY SMILING FACE} target 5ms": "those that are: bfifo, cake",
    "fq_codl target 5ms": "did you mean 'fq_codel'?",
    "xyzzy target 5ms": "hint:    those that are: bfifo, cake",
}


@pytest.mark.parametrize(("line", "says"), MEANT.items())
def test_a_discipline_that_is_not_read_is_answered_with_its_counterpart(line, says):
    with pytest.raises(sojourn.ScenarioError) as error:
        parse_queue(line)
    assert says in str(error.value)
    assert len(str(error.value)) < 600


@pytest.mark.parametrize("prompt", ["$ ", "# ", "root@OpenWrt:~# ", "user@host:/etc$ sudo "])
def test_the_prompt_of_a_shell_before_a_line_is_left_aside(prompt):
    line = "tc qdisc replace dev eth0 root cake bandwidth 5mbit"
    assert parse_queue(prompt + line) == parse_queue(line)
    assert queue_label(prompt + line) == "cake bandwidth 5mbit"


def test_a_discipline_may_have_capital_letters():
    assert parse_queue("Cake bandwidth 5Mbit") == parse_queue("cake bandwidth 5Mbit")


# Words without an effect that tc has as defaults too, or ignores itself.
NOTHING = {
    "police": {"drop"},
    "codel": {"noecn"},
    "fq_codel": {"ecn"},
    "pie": {"noecn", "nobytemode", "no_dq_rate_estimator"},
    "fq_pie": {"noecn", "nobytemode", "no_dq_rate_estimator"},
    "dualpi2": {"split_gso"},
    "cake": {"nonat", "split-gso", "via-ethernet"},
}
LEAST = {
    "police": "rate 1mbit burst 9000",
    "red": "limit 400000 avpkt 1000",
    "choke": "limit 1000 bandwidth 10mbit",
    "sfq": "redflowlimit 100000",
    "ets": "strict 3",
    "tbf": "rate 1mbit burst 9000 limit 9000",
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.filterwarnings("ignore::sojourn._rooms.catalogue.warnings.WordWarning")
def test_a_word_that_changes_nothing_says_so_or_is_a_default(name):
    plain = tc_queue(f"{name} {LEAST.get(name, '')}")

    silent = {word for word in LINES[name].flags if tc_queue(f"{name} {LEAST.get(name, '')} {word}") == plain}

    assert silent - NOTHING.get(name, set()) == LINES[name].idle.keys() | (
        LINES[name].beside.keys() & LINES[name].flags
    )


@pytest.mark.parametrize(
    ("line", "word", "other"),
    [
        ("red limit 400000 avpkt 1000", "harddrop", "ecn"),
        ("sfq redflowlimit 100000", "harddrop", "ecn"),
        ("fq_codel", "ce_threshold_selector 0x1/0x3", "ce_threshold 1ms"),
    ],
)
def test_a_word_without_the_one_that_it_belongs_to_changes_nothing_and_says_so(line, word, other):
    with pytest.warns(WordWarning, match=f"{word.split()[0]} changes nothing without {other.split()[0]}"):
        assert tc_queue(f"{line} {word}") == tc_queue(line)
    assert tc_queue(f"{line} {word} {other}") != tc_queue(f"{line} {other}")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("cake nat", "cake: nat changes nothing: no address is translated"),
        ("cake no-split-gso", "cake: no-split-gso changes nothing"),
        ("dualpi2 no_split_gso", "dualpi2: no_split_gso changes nothing"),
        ("red limit 400000 avpkt 1000 adaptive", "red: adaptive changes nothing: as in Linux"),
        ("red limit 400000 avpkt 1000 adaptative", "red: adaptative changes nothing"),
        ("tbf rate 1mbit burst 9000 limit 9000 mtu 1500", "tbf: mtu changes nothing without peakrate"),
        ("sfb increment 0.5%", "'0.5%': tc reads the number 0.5 of it; a share of 0.005 is written so"),
    ],
)
def test_a_word_that_changes_nothing_has_a_note(line, says):
    with pytest.warns(WordWarning) as noted:
        tc_queue(line)

    found = [str(one.message) for one in noted if "sizes are those of IP" not in str(one.message)]
    assert [text[: len(says)] for text in found] == [says]


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("bfifo limit 540", "bfifo:"),
        ("tbf rate 1mbit burst 9000 limit 9000", "tbf: of its limit,"),
        ("red limit 400000 avpkt 1000", "red:"),
        ("police rate 1mbit burst 9000", "police:"),
        ("sfq redflowlimit 100000", "sfq:"),
        ("sfq", ""),
        ("choke limit 100 bandwidth 10mbit", ""),
    ],
)
def test_a_queue_that_counts_bytes_says_whose(line, counts):
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        tc_queue(line)

    says = f"{counts} sizes are those of IP packets here; on Ethernet Linux counts 14 bytes more for each packet"
    assert [str(one.message) for one in noted] == [says] * bool(counts)


COMMAND = "tc qdisc add dev eth0 root"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (f"tc qdisc del dev eth0 root; {COMMAND} codel target 3ms", "codel target 3ms"),
        (f"tc qdisc del dev eth0 root && {COMMAND} codel target 3ms", "codel target 3ms"),
        (f"{COMMAND} codel target 3ms # half of it, for now", "codel target 3ms"),
        (f"# our uplink\n$ tc qdisc del dev eth0 root\n$ {COMMAND} codel \\\n  target 3ms", "codel target 3ms"),
        (
            f"{COMMAND} handle 1: mq; tc qdisc add dev eth0 parent 1:1 codel; tc qdisc add dev eth0 parent 1:2 codel",
            "tc codel",
        ),
    ],
)
def test_the_queue_of_several_lines_is_read(text, line):
    assert parse_queue(text) == parse_queue(line)
    assert parse_queues([text]) == [line]


def test_a_queue_that_tc_could_not_print_has_linuxs_defaults():
    with pytest.warns(WordWarning, match="dualpi2: this tc could not print its words"):
        table = parse_queue("qdisc dualpi2 8001: dev eth0 root refcnt 2 [Unknown qdisc, optlen=88] ")
    assert table == parse_queue("tc dualpi2")


TBF, HTB = f"{COMMAND} handle 1: tbf rate 2mbit burst 15k latency 50ms", f"{COMMAND} handle 1: htb default 10"
CLASS = "tc class add dev eth0 parent 1: classid 1:10 htb rate 2mbit burst 15k"
LEAF = {"kind": "fq_codel", "preset": "linux", "limit": "10240p", "ecn": True}
PIE = {"kind": "sch_pie", "ecn": False, "target": "15ms", "tupdate": "15ms", "alpha": 2, "beta": 20}
BUCKET = {"kind": "sch_tbf", "rate": "2000000bit", "burst": "15360B", "overhead": "14B"}


@pytest.mark.parametrize(
    ("text", "table"),
    [
        # The limit is that of the inner queue.
        (
            f"{TBF}; tc qdisc add dev eth0 parent 1: handle 10: codel target 3ms",
            {
                **BUCKET,
                "queue": {"kind": "codel", "preset": "linux", "limit": "1000p", "ecn": False, "target": "3ms"},
            },
        ),
        (
            "qdisc tbf 1: dev eth0 root refcnt 2 rate 2Mbit burst 15Kb lat 50ms \n"
            "qdisc pie 10: dev eth0 parent 1: limit 1000p target 15ms tupdate 15ms alpha 2 beta 20 ",
            {**BUCKET, "queue": {**PIE, "limit": "1000p"}},
        ),
        (
            f"{TBF}; tc qdisc add dev eth0 parent 1: fq_codel",
            {**BUCKET, "queue": LEAF},
        ),
        # A class without a class above it borrows nothing.
        (
            f"{HTB}; {CLASS} ceil 9mbit; tc qdisc add dev eth0 parent 1:10 fq_codel",
            {
                "kind": "htb",
                "overhead": "14B",
                "group": [{"rate": "2000000bit", "ceil": "2000000bit", "burst": "15360B"}],
                "class": [{"rate": "2000000bit", "burst": "15360B", "ceil": "2000000bit", "queue": LEAF}],
            },
        ),
        (
            f"{HTB}\ntc class add dev eth0 parent 1: classid 1:1 htb rate 9mbit\n"
            "tc class add dev eth0 parent 1:1 classid 1:10 htb rate 2mbit ceil 9mbit prio 1 overhead 4\n"
            "tc qdisc add dev eth0 parent 1:10 fq_codel",
            {
                "kind": "htb",
                "overhead": "18B",
                "group": [{"rate": "9000000bit"}],
                "class": [{"rate": "2000000bit", "ceil": "9000000bit", "prio": 1, "parent": 0, "queue": LEAF}],
            },
        ),
    ],
)
def test_a_shaper_with_a_queue_in_it_is_one_queue(text, table):
    assert parse_queue(text) == table
    assert resolved(parse_queue(text))["kind"] == table["kind"]
    assert [parse_queue(label) for label in parse_queues([text])] == [table]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{HTB}; tc qdisc add dev eth0 parent 1:10 fq_codel", "the rate of htb is that of its class"),
        (
            f"{HTB}; {CLASS}; {CLASS.replace('1:10', '1:20')}; tc qdisc add dev eth0 parent 1:10 fq_codel",
            "htb has all of it",
        ),
        (
            f"{HTB}; {CLASS} colour red; tc qdisc add dev eth0 parent 1:10 codel",
            "'colour' is not a word of a class here",
        ),
        (
            f"{COMMAND} handle 1: netem delay 20ms; tc qdisc add dev eth0 parent 1: fq_codel target 3ms",
            "--set dumbbell.delay=20ms with the queue 'fq_codel target 3ms'",
        ),
        (
            f"{TBF}; tc qdisc add dev eth0 parent 1: netem delay 20ms",
            "--set dumbbell.delay=20ms with the queue 'tbf rate 2mbit burst 15k latency 50ms'",
        ),
        (f"{COMMAND} codel; tc qdisc add dev ifb0 root pie", "give one: 'codel' or 'pie'"),
        (f"{COMMAND} handle 1: prio; tc qdisc add dev eth0 parent 1:1 codel", "give one: 'prio' or 'codel'"),
    ],
)
def test_lines_that_are_not_one_queue_are_answered_with_words(text, says):
    with pytest.raises(sojourn.ScenarioError) as error:
        parse_queue(text)
    assert says in str(error.value)


def test_the_line_in_an_answer_is_read():
    line = "htb default 1; class classid 1:1 htb rate 2mbit burst 15k cburst 15k; parent 1:1 fq_codel"
    assert parse_queue(line)["class"][0]["queue"] == LEAF
    with pytest.warns(WordWarning, match="all packets go to the class here; in Linux they pass it unshaped"):
        parse_queue(line.replace("default 1", "default 2"))


def test_a_parameter_of_sojourn_is_named_where_tc_has_no_such_word():
    for line, hint in {"pie hz 250": "sch_pie:hz=250", "codel mtu 1500": "codel:preset=linux,mtu=1500"}.items():
        with pytest.raises(sojourn.ScenarioError) as error:
            tc_queue(line)
        assert str(error.value).endswith(f"  hint:    tc has no such word, but the queue: {hint}")
        parse_queue(hint)


def test_keys_of_a_link_have_the_options_of_the_command():
    options = {"rate": "--rate", "delay": "--delay", "loss": "--loss", "overhead": "--overhead"}
    told = {
        "netem delay 100ms 10ms loss 1% duplicate 1%": "--delay 90ms --loss 1%; not here: jitter, duplicate 1%",
        "stab overhead 44 mpu 84 fq_codel": "--overhead 44B with the queue 'fq_codel'; not here: mpu",
        "netem limit 1000": "delay, jitter, loss and rate are keys of a link",
    }
    for line, says in told.items():
        with pytest.raises(sojourn.ScenarioError) as error:
            refuse_link(line, options)
        assert str(error.value).endswith(f"  hint:    {says}")
    refuse_link("fq_codel target 3ms", options)
    with pytest.raises(sojourn.ScenarioError) as error:
        refuse_link("netem delay 9ms 5ms slot 1ms rate 1mbit", {"rate": "--rate"}, lambda keys: " and ".join(keys))
    assert str(error.value).endswith("  hint:    --rate 1000000bit; delay and jitter; not here: slot 1ms")


def test_a_file_with_a_line_of_tc_is_answered_with_its_table():
    text = 'duration = "1s"\n[dumbbell]\nrate = "1Mbit"\ndelay = "1ms"\nqueue = "%s"\n[[flow]]\n'
    with pytest.raises(sojourn.ScenarioError) as error:
        sojourn.Scenario.from_toml(text % "codel target 3ms", file="a.toml")
    hint = (
        'hint:    in a file: queue = { kind = "codel", preset = "linux", limit = "1000p", ecn = false, target = "3ms" }'
    )
    assert str(error.value).startswith("a.toml:5:9: dumbbell.queue: there is no queue of this name")
    assert hint in str(error.value)
    with pytest.raises(sojourn.ScenarioError, match=r'in a file: queue = \{ kind = "red", min_th = "5p" \}'):
        sojourn.Scenario.from_toml(text % "red:min_th=5p", file="a.toml")
    with pytest.raises(sojourn.ScenarioError, match="did you mean 'target'"):
        sojourn.Scenario.from_toml(text % "codel tarjet 3ms", file="a.toml")


def test_a_bare_name_that_is_another_queue_in_tc_says_so():
    with pytest.warns(
        WordWarning, match="^published laws: red and pie; Linux's, as in a line of tc: sch_red and sch_pie"
    ):
        assert parse_queues(["red,pie,codel,tc sfb,dualpi2:preset=linux"])[:3] == ["red", "pie", "codel"]
    with pytest.warns(WordWarning, match="published law: fq; Linux's, as in a line of tc: sch_fq"):
        parse_queues(["fq"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse_queues(["fifo,codel,fq_codel,red:min_th=5p,tc pie"])
