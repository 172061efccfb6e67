"""Lines of tc as queues: tc's words, units, defaults and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

import sojourn
from helpers.shell import sojourn as command
from sojourn._rooms._base.toml import inline
from sojourn._rooms.catalogue.warnings import WordWarning
from sojourn._rooms.scenario import parse_queue
from sojourn._rooms.scenario.tc_line import tc_queue
from sojourn._rooms.scenario.tc_rules import weight

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
