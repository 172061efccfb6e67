"""Output of tc as queues, and lines that are answered with words: netem, classes, files."""

from __future__ import annotations

import warnings

import pytest

import sojourn
from helpers.shell import sojourn as command
from sojourn._rooms._base.toml import inline
from sojourn._rooms.catalogue.warnings import WordWarning
from sojourn._rooms.scenario import parse_queue, queue_label
from sojourn._rooms.scenario.tc_line import refuse_link, tc_queue
from sojourn._rooms.scenario.tc_netem import link_keys
from sojourn._rooms.scenario.texts import parse_queues

pytestmark = pytest.mark.filterwarnings("ignore:.*sizes are those of IP packets here")


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
