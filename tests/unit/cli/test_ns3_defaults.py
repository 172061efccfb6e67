"""Presets named ns3 have the defaults of ns-3.48: the attributes of ``GetTypeId`` in src/traffic-control/model."""

from __future__ import annotations

import polars as pl
import pytest

import sojourn

# Attribute of ns-3 with its default there, and the parameter here; a comment says what has no counterpart.
DEFAULTS = {
    # FifoQueueDisc: MaxSize 1000p.
    "fifo": {"limit": "1000p"},
    # RedQueueDisc: MaxSize 25p, MinTh 5, MaxTh 15, QW 0.002, LInterm 50, Gentle, Wait, UseEcn false, UseHardDrop,
    # MeanPktSize 500.
    "red": {
        "limit": "25p",
        "min_th": "5p",
        "max_th": "15p",
        "w_q": 0.002,
        "max_p": 0.02,
        "above": "gentle",
        "count": "wait",
        "ecn": False,
        "mark_max_p": 1,
        "mode": "packets",
        "mean_packet": "500B",
    },
    # ARED: TargetDelay 5 ms, Interval 0.5 s, Top 0.5, Alpha 0.01, Beta 0.9; thresholds and QW from the link.
    "ared": {
        "limit": "25p",
        "max_p": 0.02,
        "min_th": "auto",
        "max_th": "auto",
        "w_q": "auto",
        "interval": "500ms",
        "top": 0.5,
        "alpha": 0.01,
        "beta": 0.9,
        "target_delay": "5ms",
    },
    # CoDelQueueDisc: MaxSize 1500 * 1000 B, MinBytes 1500, Interval 100 ms, Target 5 ms, UseEcn false, no CeThreshold.
    "codel": {
        "limit": "1500000B",
        "mtu": "1500B",
        "interval": "100ms",
        "target": "5ms",
        "ecn": False,
        "ce_threshold": "auto",
    },
    # FqCoDelQueueDisc: MaxSize 10240p, Flows 1024, DropBatchSize 64, UseEcn true; the quantum is the MTU of the device.
    "fq_codel": {
        "limit": "10240p",
        "flows": 1024,
        "drop_batch": 64,
        "quantum": "1500B",
        "interval": "100ms",
        "target": "5ms",
        "ecn": True,
    },
    # PieQueueDisc: MaxSize 25p, A 0.125, B 1.25, Tupdate 15 ms, QueueDelayReference 15 ms, MaxBurstAllowance 150 ms,
    # UseDequeueRateEstimator false, UseCapDropAdjustment true, UseEcn false, MarkEcnThreshold 0.1,
    # UseDerandomization false.
    "pie": {
        "limit": "25p",
        "alpha": 0.125,
        "beta": 1.25,
        "interval": "15ms",
        "target": "15ms",
        "max_burst": "150ms",
        "delay_from": "timestamps",
        "cap_steps": True,
        "ecn": False,
        "mark_below": 0.1,
        "derandomize": False,
        # BURST_RESET_TIMEOUT in pie-queue-disc.cc.
        "rest": "1500ms",
    },
    # CobaltQueueDisc: MaxSize 1500 * 1000 B, Interval 100 ms, Target 5 ms, UseEcn false, Increment 1/256,
    # Decrement 1/4096, BlueThreshold 400 ms.
    "cobalt": {
        "limit": "1500000B",
        "interval": "100ms",
        "target": "5ms",
        "ecn": False,
        "increment": 1 / 256,
        "decrement": 1 / 4096,
        "blue_from": "400ms",
    },
    # TbfQueueDisc: MaxSize 1000p, Burst 125000, Rate 125KB/s.
    "token_bucket": {"limit": "1000p", "burst": "125000B", "rate": "1Mbit"},
}


def resolved(kind, settings):
    table = {"kind": kind, **settings}
    dumbbell = sojourn.Dumbbell(rate="10Mbit", delay="10ms", queue=table)
    return sojourn.Scenario(duration="1s", dumbbell=dumbbell, flows=[sojourn.Flow()]).resolved()["dumbbell"]["queue"]


@pytest.mark.parametrize("kind", DEFAULTS)
def test_a_preset_has_the_defaults_of_ns3(kind):
    assert resolved(kind, {"preset": "ns3"}) == resolved(kind, {"preset": "ns3", **DEFAULTS[kind]})


RED = """
duration = "60s"
warmup = "10s"
[dumbbell]
rate = "10Mbit"
delay = "45ms"
access = { rate = "100Mbit", delay = "2500us" }
queue = "red"
reverse_queue = { kind = "fifo", limit = "1000p" }
[[flow]]
name = "tcp"
count = 10
start = { spread = "1s" }
[flow.transport]
kind = "tcp"
profile = "rfc"
rate_reduction = "prr"
initial_window = 10
control = "reno"
packet = "1500B"
"""


@pytest.mark.slow
def test_the_kind_alone_is_another_queue():
    # The same with ns-3's attributes written out as parameters; the kind alone leaves a fifth of the link unused.
    queues = {
        "kind": {"kind": "red"},
        "written": {**{key: DEFAULTS["red"][key] for key in ("limit", "min_th", "max_th", "max_p", "w_q", "count")}},
        "preset": {"preset": "ns3"},
    }
    # Not compare, in which all have the buffer of the scenario.
    scenario = sojourn.Scenario.from_toml(RED)
    rows = {
        name: [
            sojourn.run(scenario.set("dumbbell.queue", {"kind": "red", **queue}), seed=seed)
            .queue.filter(pl.col("link") == "forward")
            .row(0, named=True)
            for seed in (1, 2, 3)
        ]
        for name, queue in queues.items()
    }

    def mean(name, metric):
        return sum(row[metric] for row in rows[name]) / 3

    assert mean("kind", "utilisation") < 0.85
    assert mean("preset", "utilisation") == pytest.approx(mean("written", "utilisation"), abs=0.005)
    assert mean("preset", "sojourn_mean_ms") == pytest.approx(mean("written", "sojourn_mean_ms"), rel=0.1)
    assert mean("preset", "loss_ratio") == pytest.approx(mean("written", "loss_ratio"), rel=0.1)
