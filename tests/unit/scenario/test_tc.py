"""Lines of tc as queues: tc's words, units, defaults and refusals."""

from __future__ import annotations

from pathlib import Path

import pytest

import sojourn
from helpers.shell import sojourn as command
from sojourn._base.toml import inline
from sojourn.scenario import parse_queue
from sojourn.scenario.tc import tc_queue

ORACLE = Path(__file__).resolve().parents[2] / "peers" / "linux" / "kernel"


@pytest.mark.parametrize(
    ("line", "table"),
    [
        ("pfifo limit 100", {"kind": "fifo", "limit": "100p"}),
        ("bfifo limit 64kb", {"kind": "fifo", "limit": "65536B"}),
        ("codel target 3ms ecn", {"kind": "codel", "preset": "linux", "target": "3ms", "ecn": True, "limit": "1000p"}),
        # A bare number is microseconds.
        ("codel target 5000", {"kind": "codel", "preset": "linux", "target": "5ms", "ecn": False, "limit": "1000p"}),
        (
            "pie alpha 8 beta 32",
            {"kind": "pie", "preset": "linux", "alpha": 0.5, "beta": 2.0, "ecn": False, "limit": "1000p"},
        ),
        (
            "sfq perturb 10 headdrop",
            {"kind": "sfq", "preset": "linux", "perturb": "10s", "drop_from": "front", "limit": "127p"},
        ),
        # Rate times latency and the burst: 62500 and 15360 bytes.
        (
            "tbf rate 10mbit burst 15k latency 50ms",
            {"kind": "token_bucket", "rate": "10000000bit", "burst": "15360B", "limit": "77860B"},
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
                "kind": "dualpi2",
                "preset": "linux",
                "limit": "10000p",
                "step_packets": 5,
                "drop_overload": False,
                "drop_early": True,
                "identifier": "any_ect",
                "classic_share": 0.25,
                "memory_limit": "60000B",
                # tc hands over 40/256.
                "alpha": 0.15625,
            },
        ),
        # tc of iproute2: a target of max_rtt / 6, gains of 0.1 tupdate / max_rtt^2 = 0.138 and 0.3 / max_rtt = 2.5 Hz.
        (
            "dualpi2 max_rtt 120ms",
            {
                "kind": "dualpi2",
                "preset": "linux",
                "limit": "10000p",
                "target": "20000us",
                "interval": "20000us",
                "alpha": 35 / 256,
                "beta": 640 / 256,
            },
        ),
        ("cake rtt 30ms satellite", {"kind": "cake", "preset": "linux", "rtt": "auto", "path": "satellite"}),
        (
            "tc qdisc add dev eth0 root handle 1: fq_codel limit 300 quantum 300 noecn",
            {"kind": "fq_codel", "preset": "linux", "limit": "300p", "quantum": "300B", "ecn": False},
        ),
    ],
)
def test_a_line_is_a_table(line, table):
    assert parse_queue(line) == table


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
    ],
)
def test_words_of_the_link_layer_count_in_their_order(words, line):
    table = parse_queue(f"cake {words}")

    assert tuple(table.get(key) for key in ("overhead", "mpu", "framing")) == line
    assert "link_layer" not in table


@pytest.mark.parametrize(
    ("words", "bounds"),
    [
        # As `tc -s qdisc show` prints target and max of each, less one: Linux acts from them on, Sojourn above them.
        ("target 4 max 9", (3, 8)),
        ("target 30", (29, 36)),
        ("max 40", (31, 39)),
        ("target 1", (0, 0)),
    ],
)
def test_sfbs_bounds_are_at_least_in_linux_and_more_than_here(words, bounds):
    table = parse_queue(f"sfb {words}")

    assert (table["bin_size"], table["bin_max"]) == bounds
    # tc writes 20 and 25 where nothing is said, which the preset has.
    assert "bin_size" not in parse_queue("sfb limit 50")


def test_red_finds_its_weight_as_tc_does():
    # 1/8 without a burst, which is 16 packets then, and 1/16 with 17: site/pages/coming-from/tc.md.
    line = "red limit 400000 min 15000 max 45000 avpkt 1500 probability 0.02"

    assert parse_queue(line)["w_q"] == 0.125
    assert parse_queue(f"{line} burst 17")["w_q"] == 0.0625
    assert parse_queue(f"{line} ecn harddrop")["mark_max_p"] == 1
    assert parse_queue("red limit 363360 min 30280 max 90840 avpkt 1514 burst 34")["w_q"] == 1 / 32
    assert parse_queue("red limit 120000 avpkt 1000") == {
        "kind": "red",
        "preset": "linux",
        "limit": "120000B",
        "min_th": "10000B",
        "max_th": "30000B",
        "mean_packet": "1000B",
        "w_q": parse_queue("red limit 120000 avpkt 1000 burst 16")["w_q"],
        "ecn": False,
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
            text = ",".join(f"{key}={value}" for key, value in there.items() if key != "kind")
            assert resolved(table) == resolved(parse_queue(f"{queue.name}:{text}")), name


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("codel tarjet 5ms", "did you mean 'target'"),
        ("codel target", "'target' wants a value"),
        ("codel target 5 minutes", "'minutes' is not a word"),
        ("codel target 5ms target 6ms", "said twice"),
        ("codel target 5mbit", "not a time of tc"),
        ("pie alpha 33", "between 0 and 32"),
        ("red limit 60kb", "tc wants avpkt"),
        ("red limit 60kb avpkt 1000 nodrop", "not here"),
        ("red limit 60000 min 30000 max 90000 avpkt 1000", "above limit"),
        ("red limit 60000 min 30000 max 40000 avpkt 1000 burst 3", "too small"),
        ("tbf rate 1mbit burst 10k", "either limit or latency"),
        ("fq_codl target 5ms", "did you mean 'fq_codel'"),
        ("netem delay 5ms", "not a queueing discipline"),
        ("cake bandwidth 1mbit nat", "'nat' is not here"),
        ("cake overhead 300", "from -64 to 256"),
        ("dualpi2 step_thresh 5 packets", "'packets' is not a word"),
        ("dualpi2 max_rtt 10ms typical_rtt 20ms", "at most max_rtt"),
        ("dualpi2 alpha 0.001", "from 1/256"),
        ("dualpi2 classic_protection 101", "from 0 to 100 %"),
        ("cake docsis raw", "raw says that nothing is added"),
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
    assert "fq_codel:preset=linux,limit=10240p,ecn=true,target=3ms" in done.stdout
    assert done.stderr == ""
    again = command("run", "red_classic", "--set", "dumbbell.queue=codel target 3ms", "--json")
    assert again.returncode == 0
