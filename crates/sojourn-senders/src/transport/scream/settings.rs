//! SCReAM's parameters.

use crate::params::Fraction;
use crate::units::{Bytes, Duration, Rate};
use crate::{choices, params};

choices! {
    /// The ECN codepoint of its packets.
    pub(super) enum Ecn {
        /// Packets cannot be marked.
        Off = "off",
        /// ECT(0): a mark takes the window to `beta_ecn`.
        Classic = "classic",
        /// ECT(1), L4S: the window falls with the part of packets that are marked.
        L4s = "l4s",
    }
}

params! {
    /// Parameters of SCReAM.
    pub(super) struct Params {
        /// Size of a full packet on the wire, headers included.
        packet: Bytes = "1000B" in [2.0, 65535.0], "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, MSS";
        /// Bytes of a packet that are headers.
        header: Bytes = "40B" in [1.0, 200.0], "IPv4, UDP and RTP: RFC 791, 768, 3550";
        /// Size of a report.
        report_size: Bytes = "80B" in [1.0, 1500.0], "RTCP: RFC 3550 and RFC 8888";
        /// Whether packets can be marked, and the meaning of a mark.
        ecn: Ecn = "off", "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, IS_L4S";
        /// Least rate of the media.
        min_rate: Rate = "30kbit" in [1.0, 1e12], "as `gcc`";
        /// Greatest rate of the media: that of the encoder.
        max_rate: Rate = "2.5Mbit" in [1.0, 1e12], "as `gcc`";
        /// Time between frames.
        frame: Duration = "20ms" in [0.001, 1.0], "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.4, frame_period";
        /// Packets after which a report is due.
        report_after: u64 = "16" in [1.0, 32.0], "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 5";
        /// Longest time between reports.
        interval: Duration = "40ms" in [0.001, 1.0], "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 5";
        /// Target of the delay in queues; from half of it on the window falls.
        qdelay_target: Duration = "60ms" in [0.001, 10.0], "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, QDELAY_TARGET_LO";
        /// The part of the window that is left after a loss.
        beta_loss: Fraction = "0.7" in [0.1, 0.999], "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, BETA_LOSS";
        /// The part of the window that is left after a classic mark.
        beta_ecn: Fraction = "0.8" in [0.1, 0.999], "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, BETA_ECN",
            when ecn in ["classic"];
        /// How much larger than the most bytes in flight the window may grow.
        head_room: f64 = "1.5" in [1.0, 10.0], "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, BYTES_IN_FLIGHT_HEAD_ROOM";
        /// Part of itself by which the window may grow in a round trip.
        mul_increase: f64 = "0.02" in [0.0, 1.0], "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, MUL_INCREASE_FACTOR";
        /// Round trips after congestion until the full growth is possible again.
        post_congestion_rtts: f64 = "100" in [1.0, 10_000.0], "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2";
        /// Flows with shorter round trips behave as if they had this one. Flows with longer round trips react at intervals of this time.
        virtual_rtt: Duration = "25ms" in [0.001, 1.0], "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.2, VIRTUAL_RTT";
        /// The rate of sending over the rate of the media.
        pacing: f64 = "1.5" in [1.0, 100.0], "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.3.2, PACKET_PACING_HEADROOM";
        /// Whether the window grows and falls less where delays vary.
        reduce_jitter: bool = "false", "draft-ietf-ccwg-rfc8298bis-screamv2-01 section 4.2.1.4, REDUCE_JITTER";
    }
}
