"""Names from elsewhere: sysctls, tc, simulators, metrics by their common names."""

import pytest

from helpers.shell import refused, sojourn


@pytest.mark.parametrize(
    ("name", "heads"),
    [
        ("goodput", ["goodput_bps (column", "goodput_mean_bps (column"]),
        ("utilization", ["utilisation (column"]),
        ("one-way delay", ["delay_mean_ms (column"]),
        ("queuing delay", ["sojourn_mean_ms (column"]),
        ("net.ipv4.tcp_sack", ["recovery (parameter of tcp)"]),
        ("tcp_recovery", ["recovery (parameter of tcp)"]),
        ("tcp_reordering", ["dup_threshold (parameter of tcp)"]),
        ("tcp_slow_start_after_idle", ["idle_restart (parameter of tcp)"]),
        ("tcp_congestion_control", ["tcp (transport)"]),
        ("net.core.default_qdisc", ["queue (key of a scenario file: dumbbell)"]),
        ("txqueuelen", ["limit (parameter of fifo"]),
        ("initcwnd", ["initial_window (parameter of tcp)"]),
        ("InitialCwnd", ["initial_window (parameter of tcp)"]),
        ("avpkt", ["avpkt (parameter of sch_red, sch_choke)"]),
        ("tupdate", ["tupdate (parameter of sch_pie)"]),
        ("bytes_", ["mode (parameter of red"]),
        ("ave_", ["avg (probe of red"]),
        ("ns3::RateErrorModel", ["uniform (loss model)"]),
        ("ns3::TcpIllinois", ["illinois (congestion control)"]),
        ("TcpHtcp", ["htcp (congestion control)"]),
        ("tcp_nv", ["nv (congestion control)"]),
        ("gilbert", ["gilbert_elliott (loss model)"]),
        ("voip", ["voice (application)"]),
        ("iperf3", ["bulk (application)"]),
        ("codel.target", ["target (parameter of codel, cobalt)"]),
        ("dumbbell.rate", ["rate (key of a scenario file: dumbbell)"]),
        ("dumbbell.queue.w_q", ["w_q (parameter of red"]),
        ("flow.ftp.transport.control", ["tcp (transport)"]),
    ],
)
def test_a_name_of_elsewhere_is_explained(name, heads):
    done = sojourn("explain", name)

    assert done.returncode == 0, done.stderr
    assert [head for head in heads if head not in done.stdout] == []


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("TcpLedbat", "vegas"),
        ("ledbat", "vegas"),
        ("net.ipv4.tcp_no_metrics_save", "starts anew"),
    ],
)
def test_what_is_not_there_is_answered_with_what_comes_near(name, near):
    message = refused("explain", name)

    assert message.startswith(f"error: Sojourn has no {name}\n")
    assert near in message


def test_a_column_goes_before_a_probe_of_the_same_name_and_other_meanings_stand_below():
    heads = [line for line in sojourn("explain", "utilisation").stdout.splitlines() if line.startswith("utilisation (")]

    assert heads[0] == "utilisation (column of the table queue)"
    assert "utilisation (probe of green)" in heads
    assert sojourn("explain", "rtt").stdout.endswith("\nSee also: rtt_mean_ms\n")


@pytest.mark.slow
@pytest.mark.parametrize(("word", "kind"), [("senders", "transports"), ("sources", "traffic"), ("works", "papers")])
def test_lists_have_other_names_too(word, kind):
    assert sojourn("list", word).stdout == sojourn("list", kind).stdout != ""
