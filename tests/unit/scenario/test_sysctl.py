"""Linux's names for senders: their settings, the kernel's defaults, and refusals."""

from __future__ import annotations

import warnings

import pytest

import sojourn
from helpers.shell import refused
from sojourn._rooms.scenario.sysctl import CONTROLS, NAMES, NOT_HERE, sender, with_senders

UPLINK = sojourn.Scenario.load("home_uplink")


def transport(line: str) -> dict[str, object]:
    """The resolved transport of the first group of flows."""
    return with_senders(UPLINK, line).resolved()["flow"][0]["transport"]


@pytest.mark.parametrize("name", NAMES)
def test_the_kernels_default_changes_nothing(name):
    assert transport(f"{name}='{NAMES[name].default}'") | {"window": 0} == transport("") | {"window": 0}


@pytest.mark.parametrize(
    ("line", "keys"),
    [
        ("net.ipv4.tcp_congestion_control=bbr", {"control": "bbr"}),
        ("sysctl -w net.ipv4.tcp_ecn = 1", {"ecn": True}),
        ("tcp_recovery=0", {"recovery": "sack", "offload": False}),
        ("tcp_early_retrans=0", {"tail_probe": False}),
        ("net/ipv4/tcp_slow_start_after_idle=0", {"idle_restart": "off"}),
        ("tcp_rmem='4096 131072 6291456'", {"receive_buffer": "6291456B"}),
        ("tcp_wmem='4096 16384 4194304'", {"send_buffer": "4194304B"}),
        ("tcp_rto_min_us=5000 tcp_comp_sack_delay_ns=0", {"rto_min": "5ms", "sack_delay": "0s"}),
        (
            "initcwnd 20 rto_min 40ms congctl bbr quickack 1",
            {"initial_window": 20.0, "rto_min": "40ms", "ack_every": 1},
        ),
        ("tcp_congestion_control=dctcp tcp_ecn=0", {"control": "dctcp", "ecn": "auto"}),
    ],
)
def test_a_name_sets_parameters_of_the_sender(line, keys):
    found = transport(line)
    found["control"] = found["control"]["kind"]
    assert {key: found[key] for key in keys} == keys


@pytest.mark.parametrize("control", CONTROLS)
def test_every_control_of_the_kernel_that_is_here_makes_a_sender(control):
    assert transport(f"tcp_congestion_control={control}")


def test_sizes_of_packets_stay_and_other_transports_too():
    changed = with_senders(UPLINK, "tcp_congestion_control=bbr").resolved()["flow"]
    before = UPLINK.resolved()["flow"]
    assert [flow["transport"]["packet"] for flow in changed] == [flow["transport"]["packet"] for flow in before]
    assert changed[1] == before[1]
    wide = UPLINK.set("flow[0].transport.ack_size", "52B")
    assert with_senders(wide, "tcp_ecn=0").resolved()["flow"][0]["transport"]["ack_size"] == "52B"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tcp_congestion_contro=bbr", ["no name that is here", "did you mean tcp_congestion_control?"]),
        ("tcp_congestion_control=bbrr", ["allowed: cubic, bbr", "did you mean bbr?"]),
        ("tcp_congestion_control=lp", ["not here", "low-priority"]),
        ("tcp_ecn=6", ["allowed: 0, 1, 2, 3, 4, 5"]),
        ("tcp_congestion_control=bbr2", ["bbr2 is not here", "version 3, which is bbr3", "bbr is version 1"]),
        ("net.ipv4.tcp_window_scaling=0", ["write window 65535"]),
        ("ip route change default via 10.0.0.1 initcwnds 30", ["did you mean initcwnd?"]),
        ("tcp_sack=0", ["tcp_sack", "0 is not here", "without SACK"]),
        ("initcwnd=3", ["a word of ip route", "write initcwnd 3"]),
        ("tcp_sack", ["value of tcp_sack is missing"]),
        ("initcwnd x", ["allowed: 1 to 1000000"]),
        ("tcp_ecn=1 net.ipv4.tcp_ecn=0", ["said twice"]),
        ("tcp_rmem='1 2'", ["not three numbers"]),
        ("BBR", ["'BBR' has no name before it", "write tcp_congestion_control=bbr"]),
        ("tcp_congestion_control=BBR", ["did you mean bbr?"]),
    ],
)
def test_what_is_wrong_or_not_here_is_one_message(line, said):
    with pytest.raises(sojourn.ScenarioError) as error:
        sender(line)
    assert [part for part in said if part not in str(error.value)] == [], error.value


@pytest.mark.parametrize(
    ("line", "keys", "notes"),
    [
        (
            "net.core.default_qdisc=fq net.ipv4.tcp_congestion_control=bbr",
            {"control": {"kind": "bbr", "preset": "linux"}, "pacing": True},
            ["default_qdisc=fq: senders pace"],
        ),
        (
            "net.core.default_qdisc = fq_codel net.ipv4.tcp_congestion_control = cubic",
            {"control": {"kind": "cubic", "preset": "linux"}},
            ["the bottleneck's is --set dumbbell.queue"],
        ),
        (
            "net.ipv4.tcp_rmem = 4096 87380 6291456",
            {"receive_buffer": "6291456B"},
            ["the second number of tcp_rmem is 131072 here"],
        ),
        # A socket begins with the second number, which the third does not make smaller.
        ("tcp_rmem='4096 131072 65536'", {"receive_buffer": "131072B"}, []),
        ("tcp_recovery=0 tcp_frto=2", {"f_rto": False}, ["with tcp_recovery=0 tcp_frto has no effect"]),
        ("tcp_pacing_ss_ratio=100", {"pacing_slow_start": 1.0}, ["an effect only with pacing = true"]),
        # Linux 7.0.
        ("tcp_ecn=3", {"ecn": True, "ecn_feedback": "accecn_options"}, []),
        ("tcp_ecn=4", {"ecn": True}, []),
        ("net.ipv4.tcp_ecn = 0 net.ipv4.tcp_ecn_fallback = 1", {"ecn": False}, ["with tcp_ecn=0 tcp_ecn_fallback"]),
        (
            "net.ipv4.tcp_recovery=0 net.ipv4.tcp_early_retrans=0 net.ipv4.tcp_pacing_ss_ratio=300",
            {"recovery": "sack", **dict.fromkeys(("undo", "f_rto", "dsack", "offload", "defer", "pacing"), False)},
            ["with tcp_recovery=0 tail_probe", "with tcp_recovery=0 pacing_slow_start"],
        ),
        (
            "net.ipv4.tcp_congestion_control=bbr net.ipv4.tcp_notsent_lowat=16384 net.ipv4.tcp_mtu_probing=1 "
            "net.ipv4.tcp_fastopen=3",
            {"control": {"kind": "bbr", "preset": "linux"}},
            ["tcp_notsent_lowat has no effect", "tcp_mtu_probing has no effect", "a SYN"],
        ),
        (
            "sudo ip route change default via 10.0.0.1 dev eth0 proto static initcwnd 30 initrwnd 30",
            {"initial_window": 30},
            ["initrwnd has no effect"],
        ),
        (
            "# /etc/sysctl.conf\nnet.ipv4.ip_forward=1\n; old\n\nnet.ipv4.tcp_rmem = 4096\t131072 6291456 # most\n"
            "/proc/sys/net/ipv4/tcp_ecn = 1\nvm.swappiness = 10",
            {"receive_buffer": "6291456B", "ecn": True},
            ["net.ipv4.ip_forward is no setting of TCP", "vm.swappiness is no setting of TCP"],
        ),
        (
            "net.ipv4.tcp_syncookies=1\nnet.ipv4.tcp_mem = 786432 1048576 26777216\nnet.ipv4.tcp_fin_timeout = 15\n"
            "net.ipv4.ip_local_port_range = 1024 65000\nnet.ipv4.tcp_keepalive_time=300\ninitcwnd 20",
            {"initial_window": 20},
            ["begin and end", "memory", "begin and end", "ip_local_port_range is no setting", "keepalive_time"],
        ),
    ],
)
def test_lines_as_files_and_advice_have_them(line, keys, notes):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = sender(line)
    assert {key: found[key] for key in keys} == keys
    assert len(said) == len(notes)
    assert [note for note, one in zip(notes, said, strict=True) if note not in str(one.message)] == []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert transport(line)


def test_names_that_are_not_here_have_a_reason():
    assert not set(NOT_HERE) & set(NAMES)
    assert all(reason[0].islower() for reason in NOT_HERE.values())


@pytest.mark.slow
def test_the_command_refuses_with_code_2():
    message = refused("run", "home_uplink", "--tcp", "tcp_ecm=1")
    assert "did you mean tcp_ecn?" in message


def test_a_file_in_the_place_of_its_lines_is_told_apart(tmp_path):
    (tmp_path / "sysctl.conf").write_text("net.ipv4.tcp_ecn = 1")
    with pytest.raises(sojourn.ScenarioError, match=r'hint:    --tcp "\$\(cat .*sysctl\.conf\)"'):
        transport(str(tmp_path / "sysctl.conf"))
