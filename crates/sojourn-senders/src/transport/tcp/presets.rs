//! The profiles of TCP: whose senders and receivers they are.
//!
//! Checked on 2026-11-25: those of ns-2 with its 2.35 of 2011, whose defaults it prints (`Agent/TCP set minrto_`), and by runs
//! (`tests/peers`); `linux` with Linux 6.12.117 (`include/net/tcp.h`, `tcp_timer.c`, `tcp_output.c`) and by recordings of a kernel
//! (`tests/peers/linux/kernel`). Not as in Linux: the window of an application that has less to send for a timeout does not decay.

use crate::component::{Preset, Setting};
use crate::{presets, settings};

const NS2: &[Setting] = settings! {
    initial_window = "2",
    growth = "acks",
    cut = "window",
    window_validation = "false",
    details = "ns2",
    limited_transmit = "true",
    rto_law = "ticks",
    rto_tick = "10ms",
    rto_min = "200ms",
    rto_initial = "3s",
    rto_max = "60s",
    rto_restart = "fast_retransmit",
    timestamps = "false",
    handshake = "true",
    ack_every = "1",
    ack_delay = "100ms",
    sack_header = "0B",
    ecn_retransmits = "true",
    idle_restart = "one",
};

pub(super) const PROFILES: &[Preset] = presets! {
    /// The one-way senders of ns-2 2.35 with their defaults, except for two that nearly all scripts set: window_, which is 20 in ns-2
    /// (write window = "20p"), and packetSize_, which is 1000 B without headers in ns-2.
    ns2 = { ..NS2 };
    /// The one-way senders of ns-2 as in works of around 2004: least timeout 1 s (until October 2004), clock ticks of 0.1 s (in releases
    /// until March 2002; 10 ms since), and until January 2006 6 s before the first sample and windows cut to whole packets.
    ns2_2004 = { ..NS2, cut = "whole_window", rto_tick = "100ms", rto_min = "1s", rto_initial = "6s" };
    /// The current standards: RFC 5681, 6298, 6582, 6675, 6928; delayed acknowledgements.
    rfc = {
        initial_window = "auto", growth = "bytes", cut = "flight", window_validation = "true", details = "rfc", limited_transmit = "true",
        rto_law = "real", rto_tick = "1ms", rto_min = "1s", rto_initial = "1s", rto_max = "60s", rto_restart = "acks", timestamps = "true",
        handshake = "true", ack_every = "2", ack_delay = "200ms", sack_header = "4B", ecn_retransmits = "false", idle_restart = "initial",
    };
    // `syn_options`: besides timestamps, which all packets have, the largest segment takes 4 bytes and the window's scale 4 with padding.
    // SACK takes the padding of the timestamps.
    /// Linux 6.12: RACK-TLP, proportional rate reduction, undo, F-RTO, its timers and windows, and quick acknowledgements, also while the
    /// receive window grows. That window and the send buffer bound the sender. Reno and DCTCP count as Linux does (docs/linux.md lists the
    /// exact parts), and other laws have a preset `linux` of their own.
    linux = {
        recovery = "rack", initial_window = "10", growth = "segments", cut = "cwnd", window_validation = "true", details = "rfc",
        limited_transmit = "true", tail_probe = "true", arrivals = "linux", timers = "wheel", max_ack_delay = "200ms",
        rate_reduction = "prr", undo = "true", f_rto = "true", dsack = "true", quick_acks = "16", tuning = "true", advertise = "true",
        send_buffer = "4194304B", offload = "true", defer = "true", sack_delay = "1ms", pacing = "false", slow_start = "standard",
        rto_law = "kernel", rto_tick = "1ms", rto_min = "200ms", rto_initial = "1s", rto_max = "120s", rto_restart = "fast_retransmit",
        timestamps = "true", handshake = "true", handshake_ack = "true", syn_options = "8B", ack_every = "2", ack_delay = "40ms",
        sack_header = "4B", ecn_fallback = "true", ecn_retransmits = "false", idle_restart = "decay",
    };
};
