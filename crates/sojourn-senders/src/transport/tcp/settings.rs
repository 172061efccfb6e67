//! The parameters of TCP and their choices.

use super::rtt::RtoLaw;
use crate::packet::Ecn;
use crate::transport::congestion::controlled::SlowStart;
use crate::transport::congestion::{Cut, Growth};
use crate::units::{Bytes, Duration, Size};
use crate::{choices, params};

choices! {
    /// The detection and repair of losses.
    pub enum Recovery {
        /// Fast retransmit, then slow start from the loss.
        Tahoe = "tahoe",
        /// Fast recovery that ends with the first new acknowledgement (RFC 2581).
        Reno = "reno",
        /// Fast recovery that repairs one loss per round trip (RFC 6582).
        NewReno = "newreno",
        /// Fast recovery by selective acknowledgements: data is lost if enough above it has been reported (RFC 6675).
        Sack = "sack",
        /// The same by time, as in Linux: data is lost if some that was sent later has arrived (RFC 8985).
        Rack = "rack",
    }
}

choices! {
    /// The source whose details of recovery hold, where the RFCs and ns-2 differ.
    pub enum Details {
        /// Those of the RFCs.
        Rfc = "rfc",
        /// Those of ns-2 2.35.
        Ns2 = "ns2",
    }
}

choices! {
    /// The event that restarts the retransmission timer.
    pub enum RtoRestart {
        /// An acknowledgement of new data (RFC 6298 rule 5.3). RFC 6582 section 3.2 says which data in recovery.
        Acks = "acks",
        /// The retransmission that begins a recovery, too (ns-2 2.35; Linux).
        FastRetransmit = "fast_retransmit",
        /// Each retransmission of a recovery by SACK, too (RFC 6675 section 6, optional). While others are sent, a lost retransmission is
        /// not found.
        Retransmissions = "retransmissions",
    }
}

choices! {
    /// The use of arrivals in the detection of losses by time.
    pub enum Arrivals {
        /// The arrival of a retransmission does not count if an earlier time is echoed, because the original may have arrived.
        Rfc = "rfc",
        /// That holds only for segments that arrive in order. The last round trip of an acknowledgement is that of the segments in order,
        /// and the handshake counts for the least round trip.
        Linux = "linux",
    }
}

choices! {
    /// The times at which the timers of a sender go off.
    pub enum Timers {
        /// At their times.
        Exact = "exact",
        /// On Linux's wheel: at the end of a tick, or of 8 or 64 ticks for long waits. The timers of losses and probes are 2 ms later.
        /// Timers of one tick go off in Linux's order.
        Wheel = "wheel",
    }
}

choices! {
    /// The way in which the rate falls to the new window during recovery.
    pub enum Reduction {
        /// No new data is sent until the data in the network has fallen to the window (RFC 6675 section 5).
        Pause = "pause",
        /// In proportion to the data that the receiver reports (RFC 9937).
        Proportional = "prr",
    }
}

choices! {
    /// The window after an idle time of one timeout.
    pub enum IdleRestart {
        /// It is unchanged.
        Off = "off",
        /// The initial window (RFC 5681 section 4.1).
        Initial = "initial",
        /// One segment (ns-2).
        One = "one",
        /// Half of the window for each timeout that has passed since the last packet was sent, at least the initial window. The threshold
        /// becomes three quarters of the window, if that is more (RFC 2861, Linux).
        Decay = "decay",
    }
}

choices! {
    /// The codepoint of an ECN-capable data packet.
    pub enum EcnCodepoint {
        /// That of most senders.
        Ect0 = "ect0",
        /// That of scalable senders. DualPI2 and PI2 know them by it.
        Ect1 = "ect1",
    }
}

impl EcnCodepoint {
    /// The field of the IP header.
    pub const fn ecn(self) -> Ecn {
        match self {
            EcnCodepoint::Ect0 => Ecn::Ect0,
            EcnCodepoint::Ect1 => Ecn::Ect1,
        }
    }
}

choices! {
    /// The receiver's report of marks.
    pub enum EcnFeedback {
        /// An echo from the first mark on, until the sender says that it has reduced its window (RFC 3168 section 6.1.3).
        Rfc3168 = "rfc3168",
        /// For each acknowledged packet, whether it was marked (RFC 8257 section 3.2).
        Dctcp = "dctcp",
        /// The number of marked packets in three bits of the header, in extra acknowledgements where marks begin and at each second one
        /// (RFC 9768).
        Accurate = "accecn",
        /// The same, and the bytes that arrived with each codepoint as an option (RFC 9768 section 3.2.3). A path that changes the
        /// codepoint is found out, and data is no longer ECN-capable.
        AccurateWithBytes = "accecn_options",
        /// Both: a codepoint for each marked packet, and otherwise the echo until the sender has reduced its window
        /// (Tahiliani 2013 section 4.2.2).
        Xecn = "xecn",
    }
}

impl EcnFeedback {
    /// True if the two ends agree to accurate ECN.
    pub const fn is_accurate(self) -> bool {
        matches!(self, EcnFeedback::Accurate | EcnFeedback::AccurateWithBytes)
    }

    /// True if the sender counts the marks.
    pub const fn counts(self) -> bool {
        matches!(self, EcnFeedback::Xecn | EcnFeedback::Accurate | EcnFeedback::AccurateWithBytes)
    }
}

choices! {
    /// The marks of an acknowledgement of eight packets or more, among which the three bits of accurate ECN may have wrapped.
    pub enum AceWrap {
        /// The most that agree with the three bits (RFC 9768 appendix A.2.1).
        Safest = "safest",
        /// The most, unless the average acknowledgement is of more than four packets: then as many as the three bits say (Linux).
        Likely = "likely",
        /// As many as the three bits say (Linux `tcp_ecn_unsafe_cep` of the L4S team).
        Never = "never",
    }
}

choices! {
    /// The effect of a choke packet on the window.
    pub enum Quench {
        /// Nothing (RFC 6633).
        Ignore = "ignore",
        /// The window falls to one segment, and the threshold is unchanged (4.3BSD).
        OneSegment = "one_segment",
        /// Slow start as after a timeout, without a retransmission (RFC 1122 section 4.2.3.9).
        SlowStart = "slow_start",
        /// The effect of an echo of congestion (RFC 3168 section 6.1.2).
        AsMark = "as_mark",
    }
}

params! {
    pub struct Params {
        /// Size of a full segment on the wire, headers included.
        packet: Bytes = "1000B" in [41.0, 65535.0], "ns-2 2.35";
        /// Bytes of a full segment that are headers, options included.
        header: Bytes = "40B" in [1.0, 200.0], "RFC 791 and RFC 9293 without options";
        /// Size of an acknowledgement without SACK blocks. A SYN and its answer have it, too, and their options besides.
        ack_size: Bytes = "40B" in [1.0, 1500.0], "RFC 791 and RFC 9293 without options";
        /// Bytes of options that only a SYN and its answer have.
        syn_options: Bytes = "0B" in [0.0, 40.0], "RFC 9293 without options; Linux tells the segment size, the window's scale and SACK",
            when handshake in ["true"];
        /// Bytes that the first SACK block takes in addition to its 8.
        sack_header: Bytes = "4B" in [0.0, 40.0], "RFC 2018 section 3 with padding";
        /// The detection and repair of losses.
        recovery: Recovery = "sack", "RFC 6675, the standard";
        /// Receiver's window in packets or bytes of payload; `auto` never limits.
        window: Option<Size> = "auto" in [1.0, 1e12], "a receiver with enough memory";
        /// Initial window in packets; `auto` is RFC 6928's 10, fewer if packets are large.
        initial_window: Option<f64> = "auto" in [1.0, 1e6], "RFC 6928 section 2";
        /// Initial slow start threshold in packets; `auto` is the receiver's window.
        initial_ssthresh: Option<f64> = "auto" in [1.0, 1e9], "RFC 5681 section 3.1";
        /// The weight of an acknowledgement when the window opens.
        growth: Growth = "bytes", "RFC 5681 section 3.1";
        /// The value that is halved when the window is cut, and its rounding.
        cut: Cut = "flight", "RFC 5681 equation 4";
        /// Whether the window grows only while it limits the data in flight, and not while the application or the receiver does.
        window_validation: bool = "true", "RFC 9438 section 5.8, RFC 9002 section 7.8";
        /// The source whose details of recovery hold: RFC 6582 and RFC 6675, or ns-2.
        details: Details = "rfc", "the standards";
        /// Duplicate acknowledgements that mean a loss.
        dup_threshold: u64 = "3" in [1.0, 1000.0], "RFC 5681 section 3.2";
        /// Whether each duplicate acknowledgement before the one that means a loss sends a new segment.
        limited_transmit: bool = "true", "RFC 3042";
        /// Whether a new cut needs an acknowledgement of the data that had been sent at the last cut, and without SACK of more data.
        careful: bool = "true", "RFC 6582 section 3.2 step 2; RFC 6675 section 5.1";
        /// Whether the end of a flight is probed after two round trips without an acknowledgement.
        tail_probe: bool = "true", "RFC 8985 section 7", when recovery in ["rack"];
        /// With `recovery = "rack"`: the use of arrivals.
        arrivals: Arrivals = "rfc", "RFC 8985 section 6.2 step 2; Linux `tcp_rack_advance` and its callers for linux";
        /// The times at which the sender's timers go off. Ticks are those of `rto_tick`.
        timers: Timers = "exact", "RFC 8985 section 6.2; Linux `tcp_rack_mark_lost` for wheel", when recovery in ["rack"];
        /// Additional wait of a probe for a delayed acknowledgement, when a single segment is in flight.
        max_ack_delay: Duration = "200ms" in [0.0, 10.0], "RFC 8985 section 7.2; Linux", when recovery in ["rack"];
        /// Whether a cut is taken back if timestamps or DSACK show that it was not necessary.
        undo: bool = "false", "RFC 4015 is optional; Linux", when recovery in ["rack"];
        /// Whether new data is sent after a timeout before anything else is repaired, to find out whether
        /// the timeout was necessary (F-RTO).
        f_rto: bool = "false", "RFC 5682 is optional; Linux", when recovery in ["rack"];
        /// Whether the receiver reports data that it has received twice (DSACK).
        dsack: bool = "false", "RFC 2883 is optional; Linux", when recovery in ["sack", "rack"];
        /// Segments that are acknowledged at once when a connection begins and after a duplicate, whatever `ack_every` is. If this is above
        /// 0, two are acknowledged at once when marks begin, and one with CWR.
        quick_acks: u64 = "0" in [0.0, 255.0], "RFC 5681 section 4.2; 16 in Linux";
        /// Whether a segment with which the receiver's window grows is acknowledged at once, with the window tuned as in Linux. `ack_delay`
        /// is then the least delay. The delay follows the pauses between segments, and grows when it runs out, up to the time of the
        /// handshake.
        tuning: bool = "false", "Linux `tcp_moderate_rcvbuf`";
        /// With `tuning` and `recovery = "rack"`: whether that window bounds the sender, as well as `window` does.
        advertise: bool = "false", "`window` alone; every TCP advertises";
        /// With `tuning`: the largest buffer of a receiver. A buffer of 6291456 bytes gives a window of 3.98 MB with segments of 1448
        /// bytes.
        receive_buffer: Bytes = "6291456B" in [4096.0, 1_073_741_824.0], "Linux `tcp_rmem`";
        /// The largest buffer of a sender. It holds the data that the application has written and the
        /// receiver has not acknowledged, begins with room for 20 segments, and grows to two windows, or three for BBR. With `auto` nothing
        /// limits how far the application writes ahead.
        send_buffer: Option<Bytes> = "auto" in [4096.0, 1_073_741_824.0], "no buffer bounds the sender; Linux `tcp_wmem`",
            when recovery in ["rack"];
        /// Whether the device gets segments in pairs, or more at high rates. The last of them carries PSH,
        /// which the receiver acknowledges at once.
        offload: bool = "false", "Linux with segmentation offload", when recovery in ["rack"];
        /// Whether the rest of the window waits if it allows only a part of a packet, other packets have just left, and an
        /// acknowledgement is due within 1 ms.
        defer: bool = "false", "Linux `tcp_tso_should_defer`, since 6.18", when offload in ["true"];
        /// Time for which the receiver gathers segments out of order, from the fourth segment of a hole on, before it reports them.
        sack_delay: Duration = "0s" in [0.0, 1.0], "RFC 5681 section 4.2: at once; Linux `tcp_comp_sack_delay_ns`";
        /// Whether segments are sent at a rate instead of in bursts.
        pacing: bool = "false", "Linux, without the fq queue and without BBR", when recovery in ["rack"];
        /// Windows that a paced sender sends per round trip while the window is below half of the threshold.
        pacing_slow_start: f64 = "2" in [1.0, 10.0], "Linux `tcp_pacing_ss_ratio`", when recovery in ["rack"];
        /// Windows that a paced sender sends per round trip while the window is above half of the threshold.
        pacing_avoidance: f64 = "1.2" in [1.0, 10.0], "Linux `tcp_pacing_ca_ratio`", when recovery in ["rack"];
        /// The end of slow start without a loss.
        slow_start: SlowStart = "standard", "RFC 5681 section 3.1";
        /// The way in which the rate falls to the new window during a recovery by SACK under `details = "rfc"`.
        rate_reduction: Reduction = "pause", "RFC 6675 section 5";
        /// Least timeout, before back-off.
        rto_min: Duration = "1s" in [0.0, 1000.0], "RFC 6298 rule 2.4";
        /// Greatest timeout.
        rto_max: Duration = "60s" in [0.001, 1e6], "RFC 6298 rule 2.5";
        /// Timeout before the first round-trip sample.
        rto_initial: Duration = "1s" in [0.001, 1e6], "RFC 6298 rule 2.1";
        /// The events that restart the timer.
        rto_restart: RtoRestart = "acks", "RFC 6298 section 5";
        /// Granularity of the clock that measures round trips.
        rto_tick: Duration = "1ms" in [0.000_001, 10.0], "a present-day clock";
        /// Arithmetic of the round-trip estimator.
        rto_law: RtoLaw = "real", "RFC 6298 section 2";
        /// Whether each acknowledgement gives a round-trip sample (RFC 7323), or one segment is timed at a time.
        timestamps: bool = "true", "RFC 7323; its option's bytes are part of `header`";
        /// Whether a SYN opens the connection.
        handshake: bool = "true", "RFC 9293 section 3.5";
        /// Whether the sender acknowledges each answer to its SYN at once by a packet without data, of the size `ack_size`. The receiver
        /// repeats its answer after `rto_initial` if nothing has arrived.
        handshake_ack: bool = "false", "RFC 9293 section 3.5 lets the first data acknowledge; Linux", when handshake in ["true"];
        /// Segments in order that one acknowledgement answers.
        ack_every: u64 = "2" in [1.0, 1000.0], "RFC 5681 section 4.2";
        /// Time for which an acknowledgement waits for a second segment.
        ack_delay: Duration = "200ms" in [0.0, 10.0], "RFC 5681 section 4.2 allows up to 500 ms; BSD",
            when ack_every not in ["1"];
        /// Whether data packets are ECN-capable and marks are answered (RFC 3168).
        ecn: Option<bool> = "auto", "RFC 3168 leaves it to negotiation: off, and on for laws that need marks";
        /// The codepoint of an ECN-capable data packet.
        ecn_codepoint: Option<EcnCodepoint> = "auto", "ect1 for Prague (RFC 9331 section 4.1), else ect0 (RFC 3168 section 5)",
            when ecn not in ["false"];
        /// The receiver's report of marks.
        ecn_feedback: Option<EcnFeedback> = "auto",
            "what the law needs: RFC 8257 section 3.2 for DCTCP and DECbit, RFC 9768 for Prague, XECN for Surathkal, else RFC 3168",
            when ecn not in ["false"];
        /// The marks of an acknowledgement that may hide a wrap of the three bits of accurate ECN, without options.
        ace_wrap: AceWrap = "safest", "RFC 9768 section 3.2.2.5.2",
            when ecn_feedback not in ["rfc3168", "dctcp", "xecn", "accecn_options"];
        /// The most lost acknowledgements that XECN's sender takes for marked ones. The thesis's text has 7, its algorithm none.
        xecn_lost_acks: u64 = "0" in [0.0, 1e6], "Tahiliani 2013 algorithm 6";
        /// The effect of a choke packet (source quench) on the window.
        quench: Quench = "one_segment", "4.3BSD";
        /// Whether a SYN that is sent again no longer offers ECN, so that the connection goes on without ECN.
        ecn_fallback: bool = "false", "RFC 3168 section 6.1.1.1 allows it; Linux `tcp_ecn_fallback`", when ecn not in ["false"];
        /// Whether retransmissions are ECN-capable too, and may carry CWR.
        ecn_retransmits: bool = "false", "RFC 3168 section 6.1.5", when ecn not in ["false"];
        /// The window after an idle time of one timeout.
        idle_restart: IdleRestart = "initial", "RFC 5681 section 4.1";
    }
}
